/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * `octuple run`: starts a program with the preload shim, which loads the provider by itself.
 *
 * It changes one environment variable, and those that its options name. Then it execs: no process stays behind, signals
 * and exit code are the program's own. Whatever speaks against accelerating is said in one line and the program starts
 * as it would without Octuple: a server that does not start would be the worse result. Only a broken installation stops
 * it.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "cli/core/facts/facts.h"
#include "cli/core/launch/launch.h"
#include "cli/core/places.h"
#include "cli/core/settings.h"
#include "run.h"

struct run_request {
    int verbose;
    bool keep_groups;
    const char *counters; /* a folder, or NULL */
    char **command;
};

static const char help[] =
    "Usage: octuple run [--verbose] [--counters FOLDER] [--keep-groups] [--] COMMAND [ARG...]\n"
    "Starts COMMAND with Octuple in front of its OpenSSL: LD_PRELOAD gets the shim (what is there stays), which loads "
    "the\n"
    "provider where COMMAND makes its first SSL_CTX, or first uses a key. Nothing else changes, no process stays "
    "behind.\n"
    "On a machine that Octuple does not serve it says so in one line and starts COMMAND as it is.\n"
    "\n"
    "Options:\n"
    "  -v, --verbose          say what is set, and which files are used\n"
    "  -c, --counters FOLDER  keep the counters of each process there: 'octuple top FOLDER/' reads them, afterwards "
    "too\n"
    "  -k, --keep-groups      leave the TLS groups alone: else OpenSSL before 3.5 gets X25519MLKEM768 in front of its "
    "own,\n"
    "                         unless its configuration names groups\n"
    "  -h, --help             this text\n"
    "\n"
    "Examples:\n"
    "  octuple run -- nginx -g 'daemon off;'\n"
    "  octuple run --verbose -- openssl genrsa -out key.pem 2048\n"
    "\n"
    "Exit codes: those of COMMAND; 125 octuple run itself failed, 126 COMMAND cannot be executed, 127 it was not "
    "found.\n"
    "Manual: octuple-run(1).\n";

/* Not before the set-up: this process's own counters are nobody's business. */
static int set_counters(const char *folder)
{
    char path[PATH_MAX];
    struct stat st;
    if (realpath(folder, path) == NULL || stat(path, &st) != 0) {
        cli_say(LAUNCH_WHO, "cannot keep counters in %s: %s", folder, strerror(errno));
        return 0;
    }
    if (!S_ISDIR(st.st_mode) || access(path, W_OK | X_OK) != 0) {
        cli_say(LAUNCH_WHO, "cannot keep counters in %s: it is no folder that may be written to", folder);
        return 0;
    }
    if ((st.st_mode & S_IWOTH) && !(st.st_mode & S_ISVTX)) {
        cli_say(LAUNCH_WHO,
                "warning: anybody can put other counters in place of those in %s; take that right away, or set its "
                "sticky bit",
                path);
    }
    return launch_set_variable("OCTUPLE_COUNTERS", path);
}

/* The program runs as without, and nobody would know why. Most servers need OpenSSL by their own file; for others the
 * loader is asked, which takes a process. */
static bool say_other_library(const struct launch_setup *setup)
{
    static struct facts facts;
    if (setup->program.has_openssl)
        return false;
    facts_look_program(&facts, setup->target);
    const char *other = facts_other_library(&facts);
    if (other != NULL)
        cli_say(LAUNCH_WHO, "warning: the TLS library of %s is %s, not a shared OpenSSL: nothing of it is served",
                setup->target, other);
    return other != NULL;
}

/* What the program would not heed, and nobody would know. A wrong table is the reason why it runs plainly, if it does.
 */
static void say_wrong_settings(const struct launch_setup *setup)
{
    const struct oct_setting_row *table = oct_setting_row(OCT_SETTING_TABLE);
    const char *plainly = setup->why_without != NULL ? setup->why_without : setup->groups_only;
    const bool said = plainly != NULL && !strncmp(plainly, table->variable, strlen(table->variable));
    char text[512];
    for (char **at = environ; at != NULL && *at != NULL; at++)
        if (!(said && !strncmp(*at, table->variable, strlen(table->variable))) &&
            cli_settings_wrong(text, sizeof text, *at, ""))
            cli_say(LAUNCH_WHO, "warning: %s", text);
}

static int run(const struct run_request *request)
{
    static struct launch_setup setup;
    int code = launch_set_up(&setup, request->command[0]);
    if (code != CLI_OK)
        return code;
    /* The program and its libraries say nothing of them: stderr is theirs. */
    say_wrong_settings(&setup);
    if (request->counters != NULL && !set_counters(request->counters))
        return CLI_RUN_FAILED;
    if (request->keep_groups && !launch_set_variable(oct_setting_row(OCT_SETTING_GROUPS)->variable, "keep"))
        return CLI_RUN_FAILED;
    if (setup.why_without != NULL) {
        cli_say(LAUNCH_WHO, "%s runs plainly, without Octuple: %s", request->command[0], setup.why_without);
    } else if (setup.groups_only != NULL) {
        cli_say(LAUNCH_WHO, "%s gets post-quantum TLS groups and nothing else of Octuple: %s", request->command[0],
                setup.groups_only);
    } else if (!say_other_library(&setup) && setup.program.obstacle != NULL) {
        cli_say(LAUNCH_WHO, "warning: %s %s", setup.target, setup.program.obstacle);
    }
    if (request->verbose && setup.why_without == NULL && setup.groups_only == NULL) {
        cli_say(LAUNCH_WHO, "program      %s", setup.target);
        cli_say(LAUNCH_WHO, "shim         %s", setup.shim);
        cli_say(LAUNCH_WHO, "provider     %s, which the shim loads at the first SSL_CTX or the first use of a key",
                setup.provider);
        cli_say(LAUNCH_WHO, "LD_PRELOAD   %s", getenv("LD_PRELOAD"));
    }
    return launch_exec(request->command);
}

static int usage_error(const char *who)
{
    cli_see_help(who);
    return CLI_RUN_FAILED;
}

int cli_run(int argc, char **argv)
{
    static const struct option options[] = {{"verbose", no_argument, NULL, 'v'},
                                            {"counters", required_argument, NULL, 'c'},
                                            {"keep-groups", no_argument, NULL, 'k'},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    struct run_request request = {0};
    int option;
    /* "+": what follows COMMAND is its own. */
    while ((option = getopt_long(argc, argv, "+vc:kh", options, NULL)) != -1) {
        switch (option) {
        case 'v':
            request.verbose = 1;
            break;
        case 'c':
            request.counters = optarg;
            break;
        case 'k':
            request.keep_groups = true;
            break;
        case 'h':
            return cli_print(help);
        default:
            return usage_error(argv[0]);
        }
    }
    if (optind == argc) {
        cli_say(argv[0], "a command to run is missing");
        return usage_error(argv[0]);
    }
    request.command = argv + optind;
    return run(&request);
}
