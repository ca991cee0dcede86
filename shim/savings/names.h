/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The names of a few kinds of keys, as libcrypto's own functions ask for them. OpenSSL 3.0 walks its whole map of names
 * for each question.
 */
#ifndef OCT_SHIM_NAMES_H
#define OCT_SHIM_NAMES_H

#include "libssl/resolve.h"

#define OCT_NAMES_KINDS 5
#define OCT_NAMES_EACH  8

typedef void oct_names_use(const char *name, void *data);

/* One thread's. */
struct oct_names {
    uint64_t epoch;       /* base/epoch.h; 0: none is known */
    unsigned walks;       /* so many were not spared */
    struct oct_kind *now; /* this thread learns it; NULL: it does not */
    struct oct_kind {
        enum { OCT_KIND_UNASKED, OCT_KIND_ASKED, OCT_KIND_LEARNED } state;
        EVP_KEYMGMT *keymgmt;  /* of the process's library context, with a reference; NULL: nothing was learned */
        oct_names_use *use[2]; /* libcrypto's two functions that want them for each context and each key */
        const char *each[OCT_NAMES_EACH];
        unsigned n, uses;
    } kinds[OCT_NAMES_KINDS];
};

void oct_names_setup(void);

/* Where the thread's default library context is the process's. */
void oct_names_learn(struct oct_names *names, uint64_t epoch);
void oct_names_drop(struct oct_names *names);

/* fetched.c: the calling thread's; NULL: it has none. */
struct oct_names *oct_names_here(void);

#endif
