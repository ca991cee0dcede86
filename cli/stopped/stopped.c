/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * `octuple stopped UNIT`, which systemd calls by ExecStopPost= of a unit with the preload, and tells how the service
 * has ended. A service that has died twice within a minute by a signal of a fault starts without Octuple from then on:
 * a file takes the preload out, which the unit reads by EnvironmentFile= before each start. When the service has ended
 * as it should, as by `systemctl stop`, the file goes, and the next start has Octuple again.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <limits.h>
#include "cli/core/cli.h"
#include "cli/core/places.h"
#include "stopped.h"

#define WHO     "octuple stopped"
#define FOLDER  "/run/octuple"
#define SECONDS 60

static const char help[] =
    "Usage: octuple stopped [--folder FOLDER] UNIT\n"
    "For ExecStopPost= of a systemd unit with the preload. A service that dies twice within a minute by a signal "
    "starts\n"
    "without Octuple from then on, until it has been stopped as it should: FOLDER/UNIT.off takes the preload out, "
    "which\n"
    "the unit reads by EnvironmentFile=. What was done is said on stderr, which is the journal.\n"
    "\n"
    "Options:\n"
    "  -f, --folder FOLDER  where to keep that (" FOLDER ")\n"
    "  -h, --help           this text\n"
    "\n"
    "Examples:\n"
    "  ExecStopPost=-+/usr/bin/octuple stopped %n\n"
    "  EnvironmentFile=-" FOLDER "/%n.off\n"
    "\n"
    "Exit codes: 0 done, 1 failed, 2 wrong usage.\n"
    "Manual: octuple-stopped(1).\n";

/* The signals of faults, by the names that systemd gives; a supervisor of its own worker exits with 128 and more. */
static bool is_fault(const char *code, const char *status)
{
    static const struct {
        const char *name;
        int number;
    } faults[] = {{"ILL", 4}, {"TRAP", 5}, {"ABRT", 6}, {"BUS", 7}, {"FPE", 8}, {"SEGV", 11}, {"SYS", 31}};
    const bool exited = code != NULL && !strcmp(code, "exited");
    for (size_t i = 0; status != NULL && i < sizeof faults / sizeof faults[0]; i++)
        if (exited ? strtol(status, NULL, 10) == 128 + faults[i].number : !strcmp(status, faults[i].name))
            return true;
    return false;
}

static bool name(char path[PATH_MAX], const char *folder, const char *unit, const char *ending)
{
    return snprintf(path, PATH_MAX, "%s/%s.%s", folder, unit, ending) < PATH_MAX;
}

static bool write_file(const char *path, const char *text)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0644);
    const size_t length = strlen(text);
    bool done = fd >= 0 && write(fd, text, length) == (ssize_t)length;
    if (fd >= 0)
        done = close(fd) == 0 && done;
    if (!done)
        cli_say(WHO, "cannot write %s: %s", path, strerror(errno));
    return done;
}

/* What else is preloaded stays. */
static bool write_off(const char *path)
{
    char *text = NULL, *rest = strdup(getenv("LD_PRELOAD") != NULL ? getenv("LD_PRELOAD") : ""), *at = rest;
    size_t size = 0;
    FILE *out = rest != NULL ? open_memstream(&text, &size) : NULL;
    const char *before = "LD_PRELOAD=";
    bool done = out != NULL;
    if (done) {
        fputs(before, out);
        before = "";
        for (char *one; (one = strsep(&at, ": ")) != NULL;)
            if (one[0] != '\0' && strstr(one, place_file(PLACE_SHIM)) == NULL) {
                fprintf(out, "%s%s", before, one);
                before = ":";
            }
        fputc('\n', out);
        done = fclose(out) == 0 && write_file(path, text);
    }
    free(text);
    free(rest);
    return done;
}

static long read_time(const char *path)
{
    long then = -1;
    FILE *in = fopen(path, "re");
    if (in != NULL) {
        char line[32];
        if (fgets(line, sizeof line, in) != NULL)
            then = strtol(line, NULL, 10);
        fclose(in);
    }
    return then;
}

static int stopped(const char *folder, const char *unit)
{
    char died[PATH_MAX], off[PATH_MAX], text[32];
    const char *result = getenv("SERVICE_RESULT"), *status = getenv("EXIT_STATUS");
    struct timespec now;
    if (!name(died, folder, unit, "died") || !name(off, folder, unit, "off") || strchr(unit, '/') != NULL) {
        cli_say(WHO, "'%s' is no name of a unit", unit);
        return CLI_USAGE;
    }
    if (result != NULL && !strcmp(result, "success")) {
        if (unlink(off) == 0)
            cli_say("octuple", "%s was stopped as it should: it starts with Octuple again", unit);
        unlink(died);
        return CLI_OK;
    }
    if (!is_fault(getenv("EXIT_CODE"), status) || access(off, F_OK) == 0)
        return CLI_OK;
    if (mkdir(folder, 0755) != 0 && errno != EEXIST) {
        cli_say(WHO, "cannot make %s: %s", folder, strerror(errno));
        return CLI_FAILED;
    }
    clock_gettime(CLOCK_BOOTTIME, &now);
    const long before = read_time(died);
    if (before < 0 || now.tv_sec - before > SECONDS) {
        snprintf(text, sizeof text, "%ld\n", (long)now.tv_sec);
        return write_file(died, text) ? CLI_OK : CLI_FAILED;
    }
    if (!write_off(off))
        return CLI_FAILED;
    unlink(died);
    cli_say("octuple",
            "%s has died twice within a minute (%s): it starts without Octuple until it is stopped as it should, "
            "or %s is removed",
            unit, status, off);
    return CLI_OK;
}

int cli_stopped(int argc, char **argv)
{
    static const struct option options[] = {
        {"folder", required_argument, NULL, 'f'}, {"help", no_argument, NULL, 'h'}, {NULL, 0, NULL, 0}};
    const char *folder = FOLDER;
    int option;
    while ((option = getopt_long(argc, argv, "+f:h", options, NULL)) != -1) {
        if (option == 'h')
            return cli_print(help);
        if (option != 'f')
            return cli_see_help(argv[0]);
        folder = optarg;
    }
    if (optind + 1 != argc) {
        cli_say(argv[0], "it takes the name of one unit");
        return cli_see_help(argv[0]);
    }
    return stopped(folder, argv[optind]);
}
