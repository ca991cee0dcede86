/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * `octuple info`: what the machine has, which table was chosen and why, what is on, and where the parts are. It answers
 * the question "why is it not faster here?", so what is missing is said in words and not only by a feature's name.
 */
#include <getopt.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <openssl/conf.h>
#include <openssl/crypto.h>
#include "cli/core/settings.h"
#include "info.h"

static const char help[] =
    "Usage: octuple info [--json]\n"
    "Shows how many operations are served, by which table and why, the CPU and what the best table needs of it, which\n"
    "operations are off and why, where preload shim and provider are, and the OpenSSL in use.\n"
    "\n"
    "Options:\n"
    "  -j, --json   one JSON object, with every operation, for scripts\n"
    "  -h, --help   this text\n"
    "\n"
    "Examples:\n"
    "  octuple info\n"
    "  octuple info --json | jq -r .table.name        avx512, avx2, ..., or none\n"
    "  OCTUPLE_TABLE=avx2 octuple info                as on a machine without AVX-512\n"
    "\n"
    "Exit codes: 0 shown (also if nothing is on), 1 failed, 2 wrong usage. Manual: octuple-info(1).\n";

const struct info_need info_needs[] = {
    {"avx512f", "AVX-512 itself: vectors of eight 64-bit lanes"},
    {"avx512bw", "AVX-512 on bytes and words"},
    {"avx512dq", "AVX-512 on 32- and 64-bit words"},
    {"avx512vl", "AVX-512 instructions on shorter vectors"},
    {"avx512ifma", "the 52-bit multiply-add of the tables avx512 and ifma256"},
    {"bmi2", "multiplications and shifts that leave the flags alone"},
    {"avx2", "vectors of 256 bits, which every table needs"},
    {NULL, NULL},
};

int info_has(const struct info *info, const char *feature)
{
    for (unsigned i = 0; i < info->cpu.feature_count; i++)
        if (!strcmp(info->cpu.feature[i].name, feature))
            return info->cpu.feature[i].present;
    return 0;
}

int cli_info(int argc, char **argv)
{
    static const struct option options[] = {
        {"json", no_argument, NULL, 'j'}, {"help", no_argument, NULL, 'h'}, {NULL, 0, NULL, 0}};
    static struct info info;
    int json = 0;
    int option;
    while ((option = getopt_long(argc, argv, "jh", options, NULL)) != -1) {
        switch (option) {
        case 'j':
            json = 1;
            break;
        case 'h':
            return cli_print(help);
        default:
            return cli_see_help(argv[0]);
        }
    }
    if (optind < argc) {
        cli_say(argv[0], "it takes no arguments, but was given '%s'", argv[optind]);
        return cli_see_help(argv[0]);
    }
    oct_cpu_info_get(&info.cpu);
    info.setting = oct_setting(OCT_SETTING_TABLE);
    if (!place_find(PLACE_SHIM, info.shim))
        info.shim[0] = '\0';
    if (place_find(PLACE_PROVIDER, info.provider))
        info.provider_error = place_try_provider(info.provider);
    else
        info.provider[0] = '\0';
    info.openssl = OpenSSL_version(OPENSSL_VERSION);
    info.openssl_modules = OPENSSL_info(OPENSSL_INFO_MODULES_DIR);
    info.openssl_config = CONF_get1_default_config_file();
    int code = CLI_OK;
    if (json)
        code = info_print_json(&info);
    else
        info_print_text(&info);
    OPENSSL_free(info.openssl_config);
    return code;
}
