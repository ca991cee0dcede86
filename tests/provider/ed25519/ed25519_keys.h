/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Ed25519 keys and operations in both contexts, for the provider's tests. */
#ifndef OCT_TESTS_PROVIDER_ED25519_KEYS_H
#define OCT_TESTS_PROVIDER_ED25519_KEYS_H

#include "common.h"

#define ED25519   OCT_ED25519_PUBLIC_BYTES
#define SIGNATURE OCT_ED25519_SIGNATURE_BYTES

struct pair {
    uint8_t seed[ED25519], point[ED25519];
};

/* A fresh key of that context; the test fails without one. */
EVP_PKEY *ed25519_generate(OSSL_LIB_CTX *ctx);

/* What a key is made of; the private part only if the key has one. */
struct pair ed25519_pair(const EVP_PKEY *key);

/* A key of that context from bytes; either may be NULL. NULL if it is refused. */
EVP_PKEY *ed25519_import(OSSL_LIB_CTX *ctx, const uint8_t *seed, const uint8_t *point);

/* The same key in another context; the test fails without one. */
EVP_PKEY *ed25519_copy(OSSL_LIB_CTX *ctx, const EVP_PKEY *key);

/* 1, or 0 if it failed. They assert nothing: fit for a fibre. */
int ed25519_sign(OSSL_LIB_CTX *ctx, EVP_PKEY *key, const uint8_t *message, size_t len, uint8_t signature[SIGNATURE]);
int ed25519_verify(OSSL_LIB_CTX *ctx, EVP_PKEY *key, const uint8_t *message, size_t len, const uint8_t *signature,
                   size_t signature_len);

/* The counters of an operation. */
struct oct_op_counters ed25519_counters(int op);

/* Makes plain OpenSSL look slow, so that this thread's queue finds every fill of a vector worth it, on the c table
 * too. */
void ed25519_prefer_lanes(void);

/* 1 if an error of this text is among those that were raised; all are taken off the queue. */
int has_raised(const char *reason);

#endif
