/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Launching a program with Octuple in front of its OpenSSL: `octuple run` does it, `octuple doctor` watches it.
 *
 * setup.c decides; target.c and plainly.c look at the program.
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

/* Why the preload will not reach the program (static, setuid, capabilities, not a 64-bit x86 program), in words that
 * complete "NAME ..."; NULL if nothing speaks against it. */
const char *launch_obstacle(const char *path);

/* That of a program of another architecture, as launch_obstacle() returns it. */
extern const char launch_foreign[];

/* What to do about an obstacle, as launch_obstacle() returned it. */
const char *launch_advice(const char *obstacle);

/* Why the program is to be started plainly: it was built with a sanitizer, or it has a process for each connection.
 * NULL if neither is so, or if it cannot be read. *has_openssl, unless NULL: true if the loader gives it the OpenSSL
 * that this command has; else unchanged. */
const char *launch_plainly(const char *path, bool *has_openssl);

/* OpenSSL is one that has no post-quantum groups, and takes a provider's. */
bool launch_needs_groups(void);

/* place_find(), and what is missing is told. */
int launch_find_part(enum place what, char path[PATH_MAX]);

struct launch_setup {
    char target[PATH_MAX], shim[PATH_MAX], provider[PATH_MAX];
    const char *why_without; /* why the program runs without Octuple, and nothing was set; NULL if it runs with it */
    /* Why it gets the provider's post-quantum groups and nothing else; NULL: it gets all, or nothing. */
    const char *groups_only;
    const char *obstacle; /* launch_obstacle() of it */
    bool has_openssl;     /* as launch_plainly() has set it */
};

/* Finds the program, and sets LD_PRELOAD of this process for it. Returns CLI_OK, else what the command ends with, which
 * was then told. */
int launch_set_up(struct launch_setup *setup, const char *command);

/* Sets a variable of this process; 0 if it cannot (also for a value of NULL, without memory), which was then told. */
int launch_set_variable(const char *name, const char *value);

/* Becomes the program; returns only, with an exit code and after telling, if it cannot. */
int launch_exec(char **command);

#endif
