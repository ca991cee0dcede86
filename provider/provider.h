/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The provider's own context, one per OSSL_LIB_CTX that loads it, and what the families of algorithms (RSA, X25519, EC,
 * Ed25519, AEADs, key derivations) hand to it.
 */
#ifndef OCT_PROVIDER_PROVIDER_H
#define OCT_PROVIDER_PROVIDER_H

#include "app.h"
#include "digest.h"
#include "error.h"
#include "plain.h"
#include "settings.h"

#include <octuple/octuple.h>
#include <openssl/core.h>
#include <openssl/core_dispatch.h>
#include <stdatomic.h>
#include <stdbool.h>

/* OpenSSL's number of operations (OSSL_OP__HIGHEST) grows with its releases; ours are below this. */
#define OCT_PROVIDER_OPERATIONS 16
#define OCT_PROVIDER_ALGORITHMS 8

/* What is offered, by operation. */
struct oct_offers {
    OSSL_ALGORITHM by[OCT_PROVIDER_OPERATIONS][OCT_PROVIDER_ALGORITHMS + 1];
};

/* What is made at the first use is constant from then on. No lock guards it: threads that race make it each for itself,
 * and the first to store it has the say, so that a fork never leaves a lock behind that nobody opens. */
struct oct_prov {
    const OSSL_CORE_HANDLE *handle;
    OSSL_LIB_CTX *app; /* see app.h; NULL if its libcrypto is another one */
    struct oct_core_errors errors;
    struct oct_settings settings;
    _Atomic(struct oct_plain *) plain;   /* NULL until the first key */
    _Atomic(struct oct_offers *) offers; /* NULL until the first query */
};

/*
 * What every algorithm here says of itself. Configurations prefer it by the second, `?octuple.serves=yes`: a query that
 * names a provider takes the place of a default property of that name, and would hide a preference for the first.
 * Without a dot a name would have to be one of OpenSSL's own.
 */
#define OCT_PROPERTIES "provider=octuple,octuple.serves=yes"

/*
 * One algorithm under one OpenSSL operation. It is offered if its switches are on and at least one of its Octuple
 * operations is on in this process: where nothing is accelerated, OpenSSL serves as if the provider were not there.
 */
#define OCT_OFFER_AEAD 1024
struct oct_offer {
    int operation; /* OSSL_OP_... */
    OSSL_ALGORITHM algorithm;
    unsigned settings;     /* bits of enum oct_setting that must all be on */
    int first_op, last_op; /* enum oct_op, or OCT_OFFER_AEAD + enum oct_aead */
};

/* The offers of a family, ended by one whose operation is 0. */
extern const struct oct_offer oct_rsa_offers[];
extern const struct oct_offer oct_x25519_offers[];
extern const struct oct_offer oct_ec_offers[];
extern const struct oct_offer oct_aead_offers[];
extern const struct oct_offer oct_kdf_offers[];
/* By the version of OpenSSL that runs. */
const struct oct_offer *oct_ed25519_offers(void);

#endif
