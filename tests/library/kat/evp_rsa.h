/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* One test vector as an application would run it: by the EVP interface, in a library context and with a property query.
 */
#ifndef OCT_TESTS_KAT_EVP_RSA_H
#define OCT_TESTS_KAT_EVP_RSA_H

#include "vectors.h"

#include <openssl/evp.h>

struct evp_side {
    OSSL_LIB_CTX *ctx;
    const char *properties;
};

/* A call and what came of it. */
struct evp_call {
    const struct evp_side *side;
    const struct kat_file *file;
    const struct kat_case *c;
    EVP_PKEY *key;
    int raw; /* decrypt without padding instead */

    int done;         /* 1: the operation (or the verification) succeeded, 0: it did not */
    uint8_t out[512]; /* signature or plaintext */
    size_t len;
};

/* The key of a vector, with its private part if the file's kind needs it. */
EVP_PKEY *evp_key(const struct evp_side *side, const struct kat_key *key, int private);
/* Runs the call; leaves the error queue empty. */
void evp_run(struct evp_call *call);
int evp_is_private(enum kat_kind kind);

#endif
