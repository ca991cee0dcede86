/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * `octuple info` for people.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <openssl/crypto.h>
#include "cli/core/settings.h"
#include "info.h"

static void print_cpu(const struct info *info)
{
    const struct oct_cpu_info *cpu = &info->cpu;
    const char *sep = "";
    unsigned missing = 0;
    printf("CPU        %s (family %u, model %u, stepping %u)\n", cpu->brand, cpu->family, cpu->model, cpu->stepping);
    printf("Features   ");
    for (unsigned i = 0; i < cpu->feature_count; i++) {
        if (cpu->feature[i].present) {
            printf("%s%s", sep, cpu->feature[i].name);
            sep = " ";
        }
    }
    puts(*sep ? "" : "none that Octuple looks for");
    for (const struct info_need *need = info_needs; need->name != NULL; need++)
        if (!info_has(info, need->name))
            printf("%s%-10s  %s\n", missing++ == 0 ? "Missing    " : "           ", need->name, need->meaning);
    if (missing == 0) {
        puts("Missing    nothing");
        return;
    }
    puts("           AMD Zen 4, Intel Ice Lake (servers) and later have it all, for the table avx512. In a virtual\n"
         "           machine the host has to pass it on; an operating system can switch it off. Without it another "
         "table\n"
         "           serves, which gains less. Where none does, OpenSSL serves as if Octuple were not there.");
}

void info_print_text(const struct info *info)
{
    const struct oct_cpu_info *cpu = &info->cpu;
    const char *why;
    const int width = oct_cipher_width(&why);
    printf("Octuple    %s\n", oct_version());
    print_cpu(info);
    printf("Table      %s: %s%s%s\n", cpu->table, cpu->table_reason, info->setting ? "; OCTUPLE_TABLE=" : "",
           info->setting ? info->setting : "");
    printf("Width      %d bits for ciphers: %s\n", width, why);
    printf("OpenSSL    %s\n", info->openssl);
    printf("           modules in %s, configuration %s\n", info->openssl_modules ? info->openssl_modules : "?",
           info->openssl_config ? info->openssl_config : "?");
    if (info->provider[0] == '\0')
        printf("Provider   not found: %s is not installed\n", place_file(PLACE_PROVIDER));
    else if (info->provider_error != NULL)
        printf("Provider   %s\n           does not load: %s\n", info->provider, info->provider_error);
    else
        printf("Provider   %s (loads)\n", info->provider);
    if (info->shim[0] == '\0')
        printf("Shim       not found: %s is not installed\n", place_file(PLACE_SHIM));
    else
        printf("Shim       %s\n", info->shim);
    if (oct_setting(OCT_SETTING_KEYS) != NULL)
        printf("Keys       in devices: OCTUPLE_KEYS=%s\n", oct_setting(OCT_SETTING_KEYS));
    puts("\nOperation                  State  Why");
    for (int op = 0; op < OCT_OP_COUNT; op++) {
        int on = oct_op_is_on(op);
        printf("%-26s %-6s %s\n", oct_op_name(op), on ? "on" : "off",
               on ? "passed its known-answer test" : oct_op_reason(op));
    }
    puts("\nCipher             Vectors  OpenSSL gets it  Why");
    for (int aead = 0; aead < OCT_AEAD_COUNT; aead++) {
        const int pays = oct_aead_pays(aead, OpenSSL_version_num());
        const char *given = pays ? "unless off" : oct_aead_is_on(aead) ? "if asked for" : "no";
        printf("%-18s %-8s %-16s %s\n", oct_aead_name(aead), oct_aead_tier(aead), given, oct_aead_reason(aead));
    }
}
