/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * `octuple run`: its parts. run.c is the command, run_setup.c decides; run_target.c looks at the program, run_config.c
 * reads the user's OpenSSL configuration and writes ours, run_installed.c knows the one that was installed; else
 * run_store.c keeps ours on disk, in a folder of run_folder.c.
 */
#ifndef OCT_CLI_RUN_H
#define OCT_CLI_RUN_H

#include <limits.h>
#include <stdbool.h>
#include "cli.h"
#include "places.h"

#define RUN_WHO "octuple run"

/* The file that execvp() would start, stored in path. Returns CLI_OK, or CLI_RUN_NOT_FOUND or CLI_RUN_NOT_EXECUTABLE,
 * which was then told. */
int run_target_find(char path[PATH_MAX], const char *command);

/* Why the preload will not reach the program (static, setuid, capabilities, not a 64-bit x86 program), in words that
 * complete "NAME ..."; NULL if nothing speaks against it. */
const char *run_target_obstacle(const char *path);

enum config_verdict {
    CONFIG_MERGED,   /* text is the configuration to use */
    CONFIG_READY,    /* the user's own configuration activates the provider already */
    CONFIG_CONFLICT, /* it cannot be combined safely: reason says why */
    CONFIG_ERROR     /* no memory */
};

struct run_config {
    enum config_verdict verdict;
    char base[PATH_MAX]; /* the configuration that is extended, absolute; "" if there is none */
    char reason[PATH_MAX + 256];
    char *text; /* to be freed */
};

/* Reads the configuration that OpenSSL would read now and extends it by the provider in file `module`. */
void run_config_make(struct run_config *config, const char *module);

/* The configuration that came with this installation, or build, if it means what config->text does and nobody else can
 * write to it: it is there as long as the provider is. */
bool run_installed(char path[PATH_MAX], const struct run_config *config, const char *module);

/* Keeps the text in a file that any user may read and only this one may write; equal texts share one file. Returns
 * false if no folder would do; `why` then says so of each. */
bool run_store(char path[PATH_MAX], const char *text, char *why, size_t room);

/* place_find(), and what is missing is told. */
int run_find_part(enum place what, char path[PATH_MAX]);

struct run_setup {
    char target[PATH_MAX], shim[PATH_MAX], provider[PATH_MAX];
    struct run_config config; /* its text was used and freed */
    const char *plain;        /* why the program runs without Octuple, and nothing was set; NULL if it runs with it */
    const char *obstacle;     /* run_target_obstacle() of it */
};

/* Finds the program, and sets LD_PRELOAD and OPENSSL_CONF of this process for it. Returns CLI_OK, else what the command
 * ends with, which was then told. */
int run_set_up(struct run_setup *setup, const char *command);

/* Sets a variable of this process; 0 if it cannot (also for a value of NULL, without memory), which was then told. */
int run_set_variable(const char *name, const char *value);

/* Becomes the program; returns only, with an exit code and after telling, if it cannot. */
int run_exec(char **command);

#endif
