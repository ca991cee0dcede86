/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Launching a program with Octuple in front of its OpenSSL: `octuple run` does it, `octuple doctor` watches it.
 *
 * setup.c decides; target.c and plainly.c look at the program. config.c reads the user's OpenSSL configuration and
 * writes ours. installed.c knows the one that was installed; else store.c keeps ours on disk, in a folder of folder.c.
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

/* Why the program is to be started plainly: it was built with a sanitizer, or it has a process for each connection.
 * NULL if neither is so, or if it cannot be read. */
const char *launch_plainly(const char *path);

enum config_verdict {
    CONFIG_MERGED,   /* text is the configuration to use */
    CONFIG_READY,    /* the user's own configuration activates the provider already */
    CONFIG_CONFLICT, /* it cannot be combined safely: reason says why */
    CONFIG_ERROR     /* no memory */
};

struct launch_config {
    enum config_verdict verdict;
    bool keep_groups;    /* set by the caller: TLS groups stay as they are */
    char base[PATH_MAX]; /* the configuration that is extended, absolute; "" if there is none */
    char reason[PATH_MAX + 256];
    char *text; /* to be freed */
};

/* Reads the configuration that OpenSSL would read now and extends it by the provider in file `module`. */
void launch_config_make(struct launch_config *config, const char *module);

/* The configuration that came with this installation, or build, if it means what config->text does and nobody else can
 * write to it: it is there as long as the provider is. */
bool launch_installed(char path[PATH_MAX], const struct launch_config *config, const char *module);

/* Keeps the text in a file that any user may read and only this one may write; equal texts share one file. Returns
 * false if no folder would do; `why` then says so of each. */
bool launch_store(char path[PATH_MAX], const char *text, char *why, size_t room);

/* place_find(), and what is missing is told. */
int launch_find_part(enum place what, char path[PATH_MAX]);

struct launch_setup {
    char target[PATH_MAX], shim[PATH_MAX], provider[PATH_MAX];
    struct launch_config config; /* its text was used and freed */
    const char *why_without; /* why the program runs without Octuple, and nothing was set; NULL if it runs with it */
    /* Why it gets the provider's post-quantum groups and nothing else, with OPENSSL_CONF set for that; NULL: it gets
     * all, or `why_without` says why nothing. */
    const char *groups_only;
    const char *obstacle; /* launch_obstacle() of it */
};

/* Finds the program, and sets LD_PRELOAD and OPENSSL_CONF of this process for it. Returns CLI_OK, else what the command
 * ends with, which was then told. keep_groups: TLS groups stay as they are. */
int launch_set_up(struct launch_setup *setup, const char *command, bool keep_groups);

/* Sets a variable of this process; 0 if it cannot (also for a value of NULL, without memory), which was then told. */
int launch_set_variable(const char *name, const char *value);

/* Becomes the program; returns only, with an exit code and after telling, if it cannot. */
int launch_exec(char **command);

#endif
