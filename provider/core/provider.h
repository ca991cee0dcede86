/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The provider's own context, one per OSSL_LIB_CTX that loads it. */
#ifndef OCT_PROVIDER_PROVIDER_H
#define OCT_PROVIDER_PROVIDER_H

#include "app.h"
#include "digest.h"
#include "error.h"
#include "family.h"
#include "fallback.h"
#include "settings.h"

#include <octuple/octuple.h>
#include <openssl/core.h>
#include <openssl/core_dispatch.h>
#include <stdatomic.h>
#include <stdbool.h>

/* OpenSSL's number of operations (OSSL_OP__HIGHEST) grows with its releases; ours are below this. */
#define OCT_PROVIDER_OPERATIONS 24
#define OCT_PROVIDER_ALGORITHMS 16

/* What is offered, by operation. */
struct oct_offers {
    OSSL_ALGORITHM by[OCT_PROVIDER_OPERATIONS][OCT_PROVIDER_ALGORITHMS + 1];
    bool has_groups;              /* of a family whose groups are announced as OpenSSL's own are */
    bool has_sigalgs;             /* of a family whose signature algorithms are */
    bool announces[OCT_FAMILIES]; /* a family's own groups: its key management is offered */
};

/* What is made at the first use is constant from then on. No lock guards it: threads that race make it each for itself,
 * and the first to store it has the say, so that a fork never leaves a lock behind that nobody opens. */
struct oct_prov {
    const OSSL_CORE_HANDLE *handle;
    OSSL_LIB_CTX *app;                /* see app.h; NULL if its libcrypto is another one */
    OSSL_FUNC_BIO_write_ex_fn *write; /* into a BIO of the core; NULL if it has none */
    struct oct_core_errors errors;
    struct oct_settings settings;
    _Atomic(struct oct_fallback *) fallback; /* NULL until the first key */
    uint64_t generation;                     /* of the process that loaded it (base/fork.h) */
    _Atomic(struct oct_offers *) offers;     /* NULL until the first query */
};

#endif
