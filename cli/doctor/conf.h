/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * What an openssl.cnf says about providers.
 *
 * An application reads one section of its configuration, a root: the one named by `openssl_conf` in the default
 * section, or by its own name (nginx since 1.29: `nginx`). Each root names sections for providers and for algorithm
 * properties.
 */
#ifndef OCT_CLI_DOCTOR_CONF_H
#define OCT_CLI_DOCTOR_CONF_H

#include <stdbool.h>
#include <openssl/conf.h>

#define CONFIG_MAX_ROOTS 8

/* What our algorithms say of themselves and nobody else's do. Not `provider`, which queries of programs name too: the
 * clause of a query takes the place of a default one with the same name. */
#define CONFIG_PREFERENCE     "?octuple.serves=yes"
#define CONFIG_OLD_PREFERENCE "?provider=octuple"

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

/* A property query asks for FIPS algorithms, which ours are not. */
bool config_asks_fips(const char *properties);

#endif
