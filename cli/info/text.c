/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * `octuple info` for people: whether anything is served comes first, and of operations only those are listed that are
 * not; --json has all of them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <openssl/crypto.h>
#include "cli/core/settings.h"
#include "info.h"

static void print_verdict(const struct info *info)
{
    const unsigned on = cli_operations_on();
    printf("Served     %s%u of %d operations%s", cli_colour(on > 0 ? CLI_GREEN : CLI_RED), on, OCT_OP_COUNT,
           cli_colour(CLI_PLAIN));
    if (on > 0)
        printf(", by the table %s (%s)\n", info->cpu.table, info->cpu.table_reason);
    else
        printf(": %s\n", cli_nothing_on_reason());
    if (info->provider[0] == '\0' || info->provider_error != NULL || info->shim[0] == '\0')
        puts("           but no server is: its parts are missing, see Provider and Shim");
}

static void print_cpu(const struct info *info)
{
    const struct oct_cpu_info *cpu = &info->cpu;
    unsigned missing = 0;
    printf("CPU        %s (family %u, model %u, stepping %u)\nFeatures  ", cpu->brand, cpu->family, cpu->model,
           cpu->stepping);
    for (unsigned i = 0; i < cpu->feature_count; i++)
        if (cpu->feature[i].present)
            printf(" %s", cpu->feature[i].name);
    putchar('\n');
    for (const struct info_need *need = info_needs; need->name != NULL; need++)
        if (!info_has(info, need->name))
            printf("%s%s", missing++ == 0 ? "Missing    " : " ", need->name);
    if (missing == 0)
        return;
    puts(info_has(info, "avx2") ? "\n           for the table avx512, which gains more: AMD Zen 4, Intel Ice Lake "
                                  "(servers) and later have it"
                                : "\n           without AVX2 no table serves: AMD and Intel have it since about 2015");
    puts("           (a host may keep it from a virtual machine, and an operating system may switch it off)");
}

void info_print_text(const struct info *info)
{
    const char *why;
    const int width = oct_cipher_width(&why);
    print_verdict(info);
    printf("Octuple    %s\n", oct_version());
    print_cpu(info);
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
    for (int op = 0, off = 0; op < OCT_OP_COUNT && cli_operations_on() > 0; op++)
        if (!oct_op_is_on(op))
            printf("%s%-26s %s\n", off++ == 0 ? "\nOperation                  Why it is off\n" : "", oct_op_name(op),
                   oct_op_reason(op));
    puts("\nCipher             Vectors  OpenSSL gets it  Why");
    for (int aead = 0; aead < OCT_AEAD_COUNT; aead++) {
        const int pays = oct_aead_pays(aead, OpenSSL_version_num());
        const char *given = pays ? "unless off" : oct_aead_is_on(aead) ? "if asked for" : "no";
        printf("%-18s %-8s %-16s %s\n", oct_aead_name(aead), oct_aead_tier(aead), given, oct_aead_reason(aead));
    }
}
