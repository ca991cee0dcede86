/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Launching a program with Octuple in front of its OpenSSL: `octuple run` does it, `octuple doctor` watches it.
 *
 * setup.c decides; target.c finds the program, and look.c looks at it.
 */
#ifndef OCT_CLI_LAUNCH_H
#define OCT_CLI_LAUNCH_H

#include <limits.h>
#include <stdbool.h>
#include "cli/core/cli.h"
#include "cli/core/places.h"

/* Messages name this command, also those that a user of `octuple doctor` sees. */
#define LAUNCH_WHO "octuple run"

/* The file that execvp() would start, stored in path. Returns CLI_OK, or CLI_RUN_NOT_FOUND or CLI_RUN_NOT_EXECUTABLE,
 * which was then told. */
int launch_find(char path[PATH_MAX], const char *command);

/* What a program's file says, as far as it can be read. */
struct launch_program {
    /* Why the preload will not reach it (static, setuid, capabilities, not a 64-bit x86 program), in words that
     * complete "NAME ..."; NULL if nothing speaks against it. */
    const char *obstacle;
    /* Why it is to be started plainly: it was built with a sanitizer, or it has a process for each connection; or NULL.
     */
    const char *plainly;
    bool has_openssl; /* the loader gives it the OpenSSL that this command has; there may be others to which it does */
};
struct launch_program launch_look(const char *path);

/* The obstacle of a program of another architecture. */
extern const char launch_foreign[];

/* What to do about an obstacle. */
const char *launch_advice(const char *obstacle);

/* OpenSSL is one that has no post-quantum groups, and takes a provider's. */
bool launch_needs_groups(void);

/* place_find(), and what is missing is told. */
int launch_find_part(enum place what, char path[PATH_MAX]);

struct launch_setup {
    char target[PATH_MAX], shim[PATH_MAX], provider[PATH_MAX];
    const char *why_without; /* why the program runs without Octuple, and nothing was set; NULL if it runs with it */
    /* Why it gets the provider's post-quantum groups and nothing else; NULL: it gets all, or nothing. */
    const char *groups_only;
    struct launch_program program;
};

/* Finds the program, and sets LD_PRELOAD of this process for it. Returns CLI_OK, else what the command ends with, which
 * was then told. */
int launch_set_up(struct launch_setup *setup, const char *command);

/* Sets a variable of this process; 0 if it cannot (also for a value of NULL, without memory), which was then told. */
int launch_set_variable(const char *name, const char *value);

/* Becomes the program; returns only, with an exit code and after telling, if it cannot. */
int launch_exec(char **command);

#endif
