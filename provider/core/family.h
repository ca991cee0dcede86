/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * A family of algorithms (RSA, X25519, ...) as one constant object: what it offers, and what it keeps.
 * The core walks the list of families and knows none of them by name. A family's number is its place in families.def.
 */
#ifndef OCT_PROVIDER_FAMILY_H
#define OCT_PROVIDER_FAMILY_H

#include <openssl/core.h>
#include <stdbool.h>

struct oct_prov;
struct oct_fallback;

/* In the provider's section of openssl.cnf: settings.h has what they mean. */
#define OCT_PROV_SWITCH(id, name, setting, what) OCT_PROV_SWITCH_##id,
enum oct_prov_switch {
#include "switches.def"
    OCT_PROV_SWITCHES
};

#define OCT_PROV_FAMILY(name) OCT_FAMILY_##name,
enum oct_prov_family_id {
#include "families.def"
    OCT_FAMILIES
};

/*
 * What every algorithm here says of itself. Configurations prefer it by the second, `?octuple.serves=yes`: a query that
 * names a provider takes the place of a default property of that name, and would hide a preference for the first.
 * Without a dot a name would have to be one of OpenSSL's own.
 */
#define OCT_PROPERTIES "provider=octuple,octuple.serves=yes"

/*
 * One algorithm under one OpenSSL operation. It is offered if its switch is on and its family serves at least one of
 * its Octuple operations in this process: where nothing is accelerated, OpenSSL serves as if the provider were not
 * there.
 */
struct oct_offer {
    int operation; /* OSSL_OP_...; 0 ends a list */
    OSSL_ALGORITHM algorithm;
    enum oct_prov_switch turned_by;
    int first_op, last_op; /* enum oct_op, or the family's own numbers: see `serves` */
};

struct oct_prov_family {
    const struct oct_offer *(*offers)(void); /* for the OpenSSL that runs */
    /* Whether an operation of an offer is served, and worth it unless it was asked for. NULL: if it is possible; one
     * whose test fails later is left to OpenSSL's own provider. The first call may run known-answer tests. */
    bool (*serves)(int op, bool asked);
    const char *keymgmt; /* the name of OpenSSL's own key management; NULL: none is needed */
    bool has_groups;     /* TLS groups are over its keys, and announced as OpenSSL's own are */
    bool has_sigalgs;    /* TLS signature algorithms too: those that libssl does not know by itself */
    /* Announces groups that are the family's own; 1, or 0 with an error raised. NULL: none. */
    int (*announce)(struct oct_prov *prov, OSSL_CALLBACK *callback, void *arg);
    /* What it needs besides of the private context (fallback.h): made with it and freed with it, if OpenSSL has the key
     * management. Gives NULL if there is no memory. NULL: nothing is needed. */
    void *(*open)(const struct oct_fallback *fallback);
    void (*close)(void *part);
    void (*clear)(void); /* frees what is kept for next objects, and wipes it; NULL: nothing */
};

extern const struct oct_prov_family *const oct_prov_families[OCT_FAMILIES];

#endif
