/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * `octuple check -- COMMAND`: what a command would be like with the preload, before it is written into a unit. Each
 * step is done without and with: the command's own test of its configuration, where it has one that is known here, and
 * one handshake of OpenSSL under the same settings. Nothing that runs is touched.
 */
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <jansson.h>
#include "cli/core/launch/launch.h"
#include "check.h"

#define WHO       "octuple check"
#define LINE_SIZE 256

static const char help[] = "Usage: octuple check [--] COMMAND [ARG...]\n"
                           "Says whether COMMAND would do with Octuple what it does without, before a preload is "
                           "written into its unit: its own\n"
                           "test of its configuration (nginx, haproxy, apache2, httpd, lighttpd) and a handshake are "
                           "run without and with it.\n"
                           "One line says what came of it and what would be gained. No server is started or touched.\n"
                           "\n"
                           "Options:\n"
                           "  -h, --help  this text\n"
                           "\n"
                           "Examples:\n"
                           "  octuple check -- nginx\n"
                           "  octuple check -- haproxy -f /etc/haproxy/haproxy.cfg\n"
                           "\n"
                           "Exit codes: 0 as without; 1 failed, 2 wrong usage, 4 not as without, or not served; 126 "
                           "COMMAND cannot be executed,\n"
                           "127 it was not found.\n"
                           "Manual: octuple-check(1).\n";

/* Which option of a server tests its configuration and starts nothing. */
static const char *test_option(const char *path)
{
    static const char *const known[][2] = {
        {"nginx", "-t"}, {"haproxy", "-c"}, {"apache2", "-t"}, {"httpd", "-t"}, {"lighttpd", "-t"}};
    const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (!strcmp(name, known[i][0]))
            return known[i][1];
    return NULL;
}

/* Runs it, and stores the last line of its output; what it says besides goes to `said`. Returns its wait status. */
static int run(char **command, FILE *said, char last[LINE_SIZE])
{
    int ends[2], status = -1;
    char line[LINE_SIZE];
    if (pipe(ends) != 0)
        return -1;
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        close(ends[1]);
        execvp(command[0], command);
        _exit(CLI_RUN_NOT_FOUND);
    }
    close(ends[1]);
    FILE *in = fdopen(ends[0], "r");
    last[0] = '\0';
    while (in != NULL && fgets(line, sizeof line, in) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        snprintf(last, LINE_SIZE, "%s", line);
        if (said != NULL)
            fprintf(said, "%s\n", cli_clean(line));
    }
    if (in != NULL)
        fclose(in);
    if (child > 0)
        waitpid(child, &status, 0);
    return status;
}

/* One of both sides. */
struct side {
    int test, handshake; /* wait statuses */
    char line[LINE_SIZE];
};

static void look(struct side *side, char **test, FILE *said)
{
    char *const handshake[] = {(char[]){"/proc/self/exe"}, (char[]){"check"}, (char[]){"--handshake"}, NULL};
    side->test = test != NULL ? run(test, said, side->line) : 0;
    side->handshake = run((char **)handshake, NULL, side->line);
}

/* How many times as often a core does it, from one line of `octuple speed --json`; 0: it was not measured. */
static double gain(const char *operation)
{
    char line[LINE_SIZE];
    char *const speed[] = {(char[]){"/proc/self/exe"},
                           (char[]){"speed"},
                           (char[]){"--json"},
                           (char[]){"--seconds"},
                           (char[]){"0.1"},
                           (char *)operation,
                           NULL};
    if (run((char **)speed, NULL, line) != 0)
        return 0;
    json_t *found = json_loads(line, 0, NULL);
    const double ratio = json_number_value(json_object_get(found, "ratio"));
    json_decref(found);
    return ratio;
}

static int judge(const char *name, const struct side *without, const struct side *with, bool tested)
{
    const size_t common = strlen(without->line) > 0 ? strlen(without->line) - 1 : 0; /* but whether we are there */
    const bool served = with->line[0] != '\0' && with->line[strlen(with->line) - 1] == '1';
    if (with->test != without->test) {
        printf("%s: its configuration test ends otherwise with Octuple: leave it without, and report it\n", name);
    } else if (with->handshake != without->handshake || strncmp(with->line, without->line, common) != 0) {
        printf("%s: a handshake ends otherwise with Octuple (%s, and without %s): leave it without, and report it\n",
               name, with->line, without->line);
    } else if (!served) {
        printf("%s: its OpenSSL configuration keeps Octuple out, or there is no handshake: nothing would be gained\n",
               name);
    } else {
        unsetenv("LD_PRELOAD"); /* what is measured loads nothing by itself */
        printf(
            "%s: %s as without Octuple (%.*s); in full lanes a core signs %.1f times as often by RSA-2048, and agrees "
            "%.1f times as often by X25519\n",
            name, tested ? "its configuration test and a handshake end" : "a handshake ends", (int)common - 1,
            with->line, gain("rsa2048-private"), gain("x25519-derive"));
        return CLI_OK;
    }
    return CLI_PROBLEMS;
}

static int check(char **command)
{
    static struct launch_setup setup;
    struct side without, with;
    char path[PATH_MAX], **test = NULL;
    int count = 0, code = launch_find(path, command[0]);
    if (code != CLI_OK)
        return code;
    while (command[count] != NULL)
        count++;
    const char *option = test_option(path);
    if (option != NULL) {
        test = calloc((size_t)count + 2, sizeof *test);
        if (test == NULL)
            return CLI_FAILED;
        memcpy(test, command, (size_t)count * sizeof *test);
        test[count] = (char *)option;
    } else {
        cli_say(WHO, "no option of %s is known here that tests its configuration: a handshake alone is tried", path);
    }
    look(&without, test, NULL);
    code = launch_set_up(&setup, command[0]);
    const char *why = setup.why_without != NULL ? setup.why_without : setup.groups_only;
    if (code == CLI_OK && (why != NULL || setup.program.obstacle != NULL)) {
        printf("%s: nothing would be gained: %s%s\n", command[0], why != NULL ? "" : "it ",
               why != NULL ? why : setup.program.obstacle);
        code = CLI_PROBLEMS;
    } else if (code == CLI_OK) {
        FILE *said = tmpfile();
        look(&with, test, said);
        code = judge(command[0], &without, &with, test != NULL);
        if (said != NULL && with.test != without.test) {
            char line[LINE_SIZE];
            rewind(said);
            while (fgets(line, sizeof line, said) != NULL)
                fputs(line, stderr);
        }
        if (said != NULL)
            fclose(said);
    }
    free(test);
    return code;
}

int cli_check(int argc, char **argv)
{
    static const struct option options[] = {
        {"help", no_argument, NULL, 'h'}, {"handshake", no_argument, NULL, 1}, {NULL, 0, NULL, 0}};
    int option;
    while ((option = getopt_long(argc, argv, "+h", options, NULL)) != -1) {
        if (option == 'h')
            return cli_print(help);
        return option == 1 ? check_handshake() : cli_see_help(argv[0]);
    }
    if (optind == argc) {
        cli_say(argv[0], "a command is missing");
        return cli_see_help(argv[0]);
    }
    return check(argv + optind);
}
