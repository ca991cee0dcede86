/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * X25519 keys of the provider: 32 bytes or twice 32, with no OpenSSL key behind them, because most live for one
 * handshake. A key changes only by import, or when a public key is set (a TLS peer's share arrives so).
 */
#ifndef OCT_PROVIDER_X25519_H
#define OCT_PROVIDER_X25519_H

#include "provider/core/key.h"

#include <octuple/octuple.h>
#include <openssl/core_dispatch.h>
#include <openssl/evp.h>

#define OCT_X25519_NAMES "X25519:1.3.101.110"

struct oct_prov;

struct oct_prov_x25519 {
    struct oct_prov_key base;
    uint8_t public_key[OCT_X25519_BYTES];
    /* In OpenSSL's secure heap if the application has one; NULL until there is a private key. It stays in place as long
     * as the object, because a waiting job may read it. */
    uint8_t *private_key;
};

/* An empty key with one reference; NULL with an error raised. */
OSSL_FUNC_keymgmt_new_fn oct_prov_x25519_new;

/* The private key's memory, made if need be, for the caller to fill; NULL with an error raised. */
uint8_t *oct_prov_x25519_private(struct oct_prov_x25519 *key);

/* The key has a public part only from now on. */
void oct_prov_x25519_forget_private(struct oct_prov_x25519 *key);

/* On OpenSSL's own code (fallback.c): 1, or 0 with an error raised. */
int oct_x25519_fallback_derive(const struct oct_prov_x25519 *own, const struct oct_prov_x25519 *peer,
                               uint8_t secret[OCT_X25519_BYTES]);
int oct_x25519_fallback_public(struct oct_prov *prov, uint8_t public_key[OCT_X25519_BYTES],
                               const uint8_t private_key[OCT_X25519_BYTES]);
/* A new pair; ctx is one of the private context, initialised for key generation, or NULL for one without parameters. */
int oct_x25519_fallback_generate(struct oct_prov *prov, EVP_PKEY_CTX *ctx, uint8_t public_key[OCT_X25519_BYTES],
                                 uint8_t private_key[OCT_X25519_BYTES]);

extern const OSSL_DISPATCH oct_x25519_keymgmt_table[];
extern const OSSL_DISPATCH oct_x25519_exchange_table[];

/* The generation entries of the key management table (keygen.c). */
OSSL_FUNC_keymgmt_gen_init_fn oct_x25519_gen_init;
OSSL_FUNC_keymgmt_gen_set_params_fn oct_x25519_gen_set_params;
OSSL_FUNC_keymgmt_gen_settable_params_fn oct_x25519_gen_settable_params;
OSSL_FUNC_keymgmt_gen_fn oct_x25519_gen;

#endif
