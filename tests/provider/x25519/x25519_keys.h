/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* X25519 keys for the provider's tests, by their bytes. */
#ifndef OCT_TESTS_PROVIDER_X25519_KEYS_H
#define OCT_TESTS_PROVIDER_X25519_KEYS_H

#include "common.h"

#define X25519 OCT_X25519_BYTES

struct pair {
    uint8_t secret[X25519], point[X25519];
};

/* A fresh key of that context; the test fails without one. */
EVP_PKEY *x25519_generate(OSSL_LIB_CTX *ctx);

/* What a key is made of; the private part only if the key has one. */
struct pair x25519_pair(const EVP_PKEY *key);

/* A key of that context from bytes; either may be NULL. NULL if it is refused. */
EVP_PKEY *x25519_import(OSSL_LIB_CTX *ctx, const uint8_t *secret, const uint8_t *point);

/* The same key in another context. */
EVP_PKEY *x25519_copy(OSSL_LIB_CTX *ctx, const EVP_PKEY *key);

/* The shared secret as that context has it; 1, or 0 if it is refused. Asserts nothing: fit for a fibre. */
int x25519_derive(OSSL_LIB_CTX *ctx, EVP_PKEY *own, EVP_PKEY *peer, uint8_t secret[X25519]);

/* The counters of an operation. */
struct oct_op_counters x25519_counters(int op);

#endif
