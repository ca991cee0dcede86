/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * What the commands of `octuple` share: exit codes and messages.
 *
 * A command gets argv[0] as "octuple COMMAND", so that getopt's own messages name it. Results go to stdout, everything
 * else to stderr; a message says what happened and, where there is something to do, what to do.
 */
#ifndef OCT_CLI_CLI_H
#define OCT_CLI_CLI_H

#include <stddef.h>
#include <octuple/octuple.h>

/* Documented in octuple(1); `octuple run` uses the last three as env(1), timeout(1) and the shell do. */
enum cli_exit {
    CLI_OK = 0,
    CLI_FAILED = 1,
    CLI_USAGE = 2,
    CLI_NOT_MEASURED = 3,
    CLI_PROBLEMS = 4,
    CLI_NOT_TRACEABLE = 5, /* the process has no OpenSSL that can be traced */
    CLI_CANNOT_TRACE = 6,  /* the machine lacks something */
    CLI_RUN_FAILED = 125,
    CLI_RUN_NOT_EXECUTABLE = 126,
    CLI_RUN_NOT_FOUND = 127
};

/* Puts '?' for every byte that a terminal might obey, or not show as it is; what is printable in UTF-8 stays. Whatever
 * did not come from us goes through this before it is shown. Returns text. */
char *cli_clean(char *text);

/* One line on stderr: "WHO: message", which may have anything in it. */
void cli_say(const char *who, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Points at the command's --help after a usage error that was already told. Returns CLI_USAGE. */
int cli_see_help(const char *who);

/* What begins this colour on stdout, or ends it; empty where that is no terminal or a dumb one, or NO_COLOR is
 * set. */
enum cli_colour { CLI_PLAIN, CLI_GREEN, CLI_YELLOW, CLI_RED };
const char *cli_colour(enum cli_colour colour);

/* Prints text to stdout. Returns CLI_OK. */
int cli_print(const char *text);

/* How many operations this process serves. 0 means: on this machine Octuple steps aside. */
unsigned cli_operations_on(void);

/* Why nothing is served, in plain words; only meaningful if cli_operations_on() is 0, or nothing is possible. Lasts
 * until the next call. */
const char *cli_nothing_on_reason(void);

/* Who may look into a process, where this user may not. Static. */
const char *cli_who_may_look(void);

#endif
