/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* EC keys and operations in both contexts, for the tests of EC. A failure that no test expects ends the test. */
#ifndef OCT_TESTS_PROVIDER_EC_KEYS_H
#define OCT_TESTS_PROVIDER_EC_KEYS_H

#include "common.h"

#define MAX_SECRET    132
#define MAX_SIGNATURE 160

/* Curves with lanes first, then some without; ended by NULL. */
extern const char *const ec_curves[];
#define EC_LANE_CURVES 2

/* A new pair in that context. */
EVP_PKEY *ec_generate(OSSL_LIB_CTX *ctx, const char *curve);

/* The same key in another context; selection as EVP_PKEY_todata() has it. */
EVP_PKEY *ec_move(OSSL_LIB_CTX *to, const EVP_PKEY *key, int selection);

/* Encodes and decodes. 0 if the operation failed. Safe in a fibre: no assertions. */
int ec_sign(OSSL_LIB_CTX *ctx, EVP_PKEY *key, const uint8_t hash[32], uint8_t *signature, size_t *len);
int ec_verify(OSSL_LIB_CTX *ctx, EVP_PKEY *key, const uint8_t hash[32], const uint8_t *signature, size_t len);

/* *len is the room on entry; 0 if it failed. Safe in a fibre. */
int ec_derive(OSSL_LIB_CTX *ctx, EVP_PKEY *own, EVP_PKEY *peer, uint8_t *secret, size_t *len);

#endif
