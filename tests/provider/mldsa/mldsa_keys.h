/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* ML-DSA keys and operations in both contexts, for the provider's tests. */
#ifndef OCT_TESTS_PROVIDER_MLDSA_KEYS_H
#define OCT_TESTS_PROVIDER_MLDSA_KEYS_H

#include "common.h"

#define MAX_SIGNATURE 3309
#define MAX_PUBLIC    1952
#define MAX_PRIVATE   4032

extern const char *const mldsa_names[OCT_MLDSA_SETS];

/* As open_contexts(); ends the program with status 77 where OpenSSL has no ML-DSA or lanes do not serve it. */
int mldsa_open(void **state);

/* A fresh key of that context; the test fails without one. */
EVP_PKEY *mldsa_generate(OSSL_LIB_CTX *ctx, int set);

/* A key from bytes, of which either may be NULL; NULL if it is refused. */
EVP_PKEY *mldsa_import(OSSL_LIB_CTX *ctx, int set, const uint8_t *private_key, const uint8_t *public_key);

/* The same key in another context; the test fails without one. */
EVP_PKEY *mldsa_copy(OSSL_LIB_CTX *ctx, const EVP_PKEY *key, int set);
EVP_PKEY *mldsa_copy_public(OSSL_LIB_CTX *ctx, const EVP_PKEY *key, int set);

/* How a message is signed, by OpenSSL's parameters. */
struct how {
    const char *context; /* NULL: no such parameter */
    int deterministic;   /* 0: no such parameter */
    int raw;             /* the message is encoded already */
    const uint8_t *entropy;
};

/* 1, or 0 if it failed. They assert nothing: fit for a fibre. `how` may be NULL. */
int mldsa_sign(OSSL_LIB_CTX *ctx, EVP_PKEY *key, const struct how *how, const uint8_t *message, size_t len,
               uint8_t *signature);
int mldsa_verify(OSSL_LIB_CTX *ctx, EVP_PKEY *key, const struct how *how, const uint8_t *message, size_t len,
                 const uint8_t *signature, size_t signature_len);

/* The counters of an operation. */
struct oct_op_counters mldsa_counters(int op);

/* Makes OpenSSL's own code look slow, so that this thread's queue finds every fill of a vector worth it. */
void mldsa_prefer_lanes(int set);

#endif
