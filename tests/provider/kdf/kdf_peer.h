/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Key derivations by both providers: whatever is done to one is done to the other, and must come to the same. */
#ifndef OCT_TESTS_PROVIDER_KDF_PEER_H
#define OCT_TESTS_PROVIDER_KDF_PEER_H

#include "common.h"

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/kdf.h>
#include <openssl/provider.h>

#define EXTRACT EVP_KDF_HKDF_MODE_EXTRACT_ONLY
#define EXPAND  EVP_KDF_HKDF_MODE_EXPAND_ONLY
#define BOTH    EVP_KDF_HKDF_MODE_EXTRACT_AND_EXPAND

/* The algorithm and a context of it, here and there. */
struct kdf_pair {
    EVP_KDF *kdf[2];
    EVP_KDF_CTX *ctx[2];
};

#define OURS  0
#define STOCK 1

struct kdf_pair kdf_pair_open(const char *name);
void kdf_pair_close(struct kdf_pair *pair);

/* Parameters under way: each call adds one. What they refer to has to stay. */
#define MAX_PARAMS 24
struct kdf_params {
    int mode, count;
    OSSL_PARAM list[MAX_PARAMS + 1];
};
void add_mode(struct kdf_params *params, int mode);
void add_text(struct kdf_params *params, const char *name, const char *text);
void add_octets(struct kdf_params *params, const char *name, const void *data, size_t len);

/* Both sides set the parameters, or fail with the same error. Returns what they returned. */
int both_set(struct kdf_pair *pair, struct kdf_params *params);

/* Both sides derive `len` bytes, which are the same ones, or fail with the same error. Parameters may be NULL. Returns
 * whether they succeeded; the bytes go to `out` unless that is NULL. */
#define MAX_DERIVED 16384
int both_derive(struct kdf_pair *pair, struct kdf_params *params, uint8_t *out, size_t len);

/* Reproducible numbers below n. */
unsigned draw(unsigned n);

#endif
