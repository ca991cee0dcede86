/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * What an openssl.cnf says about providers: read by config_read.c, extended by config.c.
 *
 * An application reads one section of its configuration, a root: the one named by `openssl_conf` in the default
 * section, or by its own name (nginx since 1.29: `nginx`). Each root names sections for providers and for algorithm
 * properties.
 */
#ifndef OCT_CLI_LAUNCH_CONFIG_H
#define OCT_CLI_LAUNCH_CONFIG_H

#include <openssl/conf.h>
#include "launch.h"

#define CONFIG_MAX_ROOTS 8

/* What our algorithms say of themselves and nobody else's do. Not `provider`, which queries of programs name too: the
 * clause of a query takes the place of a default one with the same name. */
#define CONFIG_PREFERENCE     "?octuple.serves=yes"
#define CONFIG_OLD_PREFERENCE "?provider=octuple"

/* TLS groups where OpenSSL has no post-quantum ones: the provider's in front of what OpenSSL takes by itself. An
 * OpenSSL before 3.5 uses a provider's group only if it is named, and naming groups replaces its own list. */
const char *config_groups(void); /* NULL: the OpenSSL that runs does better with its own list */

/* Strings belong to the CONF. NULL: the configuration has no such thing. */
struct config_root {
    const char *name;              /* the section; "openssl_conf" names it, or another variable does */
    const char *providers;         /* the section that lists providers */
    const char *algorithms;        /* the section with default_properties */
    const char *properties;        /* default_properties */
    const char *tls, *tls_default; /* the sections of libssl's settings, and of those that all programs have */
    const char *groups;            /* TLS groups in the latter */
    const char *default_section;   /* the section of the provider "default" */
    const char *octuple_section;   /* that of ours */
    const char *octuple_module;    /* the module that it names */
    int default_active, octuple_active, others_active;
    int fips_mode;
};

struct config_roots {
    struct config_root root[CONFIG_MAX_ROOTS];
    unsigned count;  /* root[0] is that of openssl_conf, its name NULL if there is none */
    unsigned missed; /* roots beyond the array */
};

/* Looks through a loaded configuration. */
void config_read(struct config_roots *roots, const CONF *conf);

/* 1 if each of the roots that were there before has this module of ours, activated and preferred, and no other TLS
 * groups than it should have; and there is no new one. */
int config_means_it(const CONF *conf, const struct config_roots *before, const char *module, bool keep_groups);

/* What a property query asks of us: 0 if ours can be added to it, else why not. */
enum config_query { QUERY_OPEN = 0, QUERY_NAMES_PROVIDER, QUERY_FIPS };
enum config_query config_query(const char *properties);

#endif
