/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The command `octuple`: finds the subcommand and hands over.
 */
#include <stdio.h>
#include <string.h>
#include <octuple_commit.h>
#include <openssl/crypto.h>
#include "cli/core/cli.h"
#include "cli/core/settings.h"
#include "cli/check/check.h"
#include "cli/doctor/doctor.h"
#include "cli/info/info.h"
#include "cli/run/run.h"
#include "cli/speed/speed.h"
#include "cli/stopped/stopped.h"
#include "cli/top/top.h"
#include "cli/trace/trace.h"
#include "cli/unit/unit.h"

struct command {
    const char *name;
    const char *summary;
    int (*main)(int argc, char **argv);
};

/* The only list of them. */
static const struct command commands[] = {
    {"info", "what this machine has, and what Octuple serves on it", cli_info},
    {"speed", "measure every operation against OpenSSL's own", cli_speed},
    {"run", "start a server with Octuple in front of its OpenSSL", cli_run},
    {"check", "whether a server would be as without Octuple, and what it would gain", cli_check},
    {"doctor", "whether a program is served, and if not, why", cli_doctor},
    {"top", "what it does in running servers, as it goes", cli_top},
    {"trace", "watch the TLS calls and operations of a running process", cli_trace},
    {"unit", "give a service of systemd Octuple, or take it away", cli_unit},
    {"stopped", "what a unit of systemd calls when its service has ended", cli_stopped},
};
#define COMMANDS (sizeof commands / sizeof commands[0])

static void help(void)
{
    puts("Usage: octuple COMMAND [OPTION...]\n"
         "Eight TLS handshakes' worth of public-key cryptography at once, one in each lane of vectors.\n"
         "\n"
         "Commands:");
    for (size_t i = 0; i < COMMANDS; i++)
        printf("  %-7s %s\n", commands[i].name, commands[i].summary);
    puts("\n"
         "Options:\n"
         "  -h, --help     this text; 'octuple COMMAND --help' for a command's own\n"
         "  -V, --version  the version, its commit, and the table that serves here\n"
         "\n"
         "Examples:\n"
         "  octuple info                          is this machine served, and if not, why\n"
         "  octuple speed rsa2048-private         what it gains here\n"
         "  octuple run -- nginx -g 'daemon off;' serve, unchanged, for less CPU\n"
         "  octuple doctor nginx                  is this very server served, and if not, why\n"
         "  octuple top nginx                     how full its batches are, second by second\n"
         "\n"
         "Environment, of servers and of these commands:");
    cli_settings_print();
    puts("\n"
         "Exit codes: 0 done, 1 failed, 2 wrong usage, 3 'speed' had nothing of Octuple to measure,\n"
         "4 'doctor' found problems, 5 and 6 'trace' cannot trace this process, or on this machine;\n"
         "125 to 127 are of 'run', see 'octuple run --help'. Manual: octuple(1).");
}

int main(int argc, char **argv)
{
    const char *word = argc < 2 ? "" : argv[1];
    char who[32];
    int code = CLI_OK;
    size_t which = 0;
    while (which < COMMANDS && strcmp(word, commands[which].name) != 0)
        which++;
    /* Nothing in this process may depend on the openssl.cnf that the commands look at, but the handshake of a check. */
    if (strcmp(word, "check") != 0)
        OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, NULL);
    if (argc < 2) {
        cli_say("octuple", "a command is missing");
        code = cli_see_help("octuple");
    } else if (!strcmp(word, "--help") || !strcmp(word, "-h")) {
        help();
    } else if (!strcmp(word, "--version") || !strcmp(word, "-V")) {
        /* What a report of a fault needs; the first line is the version alone, for scripts. */
        struct oct_cpu_info info;
        oct_cpu_info_get(&info);
        printf("octuple %s\ncommit %s\ntable %s (%s)\n", oct_version(), OCT_COMMIT_TEXT, info.table, info.table_reason);
    } else if (which < COMMANDS) {
        snprintf(who, sizeof who, "octuple %s", word);
        argv[1] = who;
        code = commands[which].main(argc - 1, argv + 1);
    } else {
        fprintf(stderr, "octuple: there is no %s '%s'; the commands are:", word[0] == '-' ? "option" : "command", word);
        for (size_t i = 0; i < COMMANDS; i++)
            fprintf(stderr, "%s %s", i > 0 ? "," : "", commands[i].name);
        fputc('\n', stderr);
        code = cli_see_help("octuple");
    }
    if (fflush(stdout) != 0 || ferror(stdout)) {
        perror("octuple: cannot write the output");
        return code == CLI_OK ? CLI_FAILED : code;
    }
    return code;
}
