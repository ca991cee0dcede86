/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * What `octuple info` knows, gathered once and then written as text or as JSON.
 */
#ifndef OCT_CLI_INFO_H
#define OCT_CLI_INFO_H

#include "cli/core/cli.h"
#include "cli/core/places.h"

int cli_info(int argc, char **argv);

struct info {
    struct oct_cpu_info cpu;
    const char *setting; /* OCTUPLE_TABLE as set, or NULL */
    char shim[PATH_MAX]; /* "" if it was not found */
    char provider[PATH_MAX];
    const char *provider_error;  /* NULL if it loads, or was not found */
    const char *openssl;         /* version text of the libcrypto in use */
    const char *openssl_modules; /* its modules folder; NULL if it does not tell */
    char *openssl_config;        /* the openssl.cnf that a program started here reads; owned */
};

/* What the best table, avx512, needs, as a list that ends with a NULL name. */
struct info_need {
    const char *name;
    const char *meaning;
};
extern const struct info_need info_needs[];

/* 1 if the feature is there. A feature that the library does not list counts as missing. */
int info_has(const struct info *info, const char *feature);

void info_print_text(const struct info *info);
int info_print_json(const struct info *info);

#endif
