/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The default provider's own X25519, called by its dispatch tables. EVP's way to one derivation is two imported keys
 * and five fetches, which together cost a quarter of it: a lone derivation on OpenSSL's code would be that much slower
 * than without this provider. The tables are public interface (provider-base(7), OSSL_PROVIDER(3)), and what they hold
 * does not change while the provider is loaded.
 */
#ifndef OCT_PROVIDER_X25519_DIRECT_H
#define OCT_PROVIDER_X25519_DIRECT_H

#include <octuple/x25519.h>
#include <openssl/core_dispatch.h>
#include <openssl/provider.h>
#include <stdint.h>

struct oct_x25519_direct {
    void *provctx;
    OSSL_FUNC_keymgmt_new_fn *key_new;
    OSSL_FUNC_keymgmt_free_fn *key_free;
    OSSL_FUNC_keymgmt_import_fn *key_import;
    OSSL_FUNC_keyexch_newctx_fn *newctx;
    OSSL_FUNC_keyexch_freectx_fn *freectx;
    OSSL_FUNC_keyexch_init_fn *init;
    OSSL_FUNC_keyexch_set_peer_fn *set_peer;
    OSSL_FUNC_keyexch_derive_fn *derive;
};

/* Fills it in from a loaded provider. Returns 1, or 0, with *direct all zeros, if that provider lacks any of them. */
int oct_x25519_direct_find(struct oct_x25519_direct *direct, const OSSL_PROVIDER *provider);

/* secret = X25519(private_key, peer); all are 32 bytes. Returns 1, or 0 with OpenSSL's error raised, as for a secret
 * that is zero, or without one if the provider lacks what it takes; -1 if there is no memory for keys or context. */
int oct_x25519_direct_derive(const struct oct_x25519_direct *direct, uint8_t secret[OCT_X25519_BYTES],
                             const uint8_t private_key[OCT_X25519_BYTES], const uint8_t public_key[OCT_X25519_BYTES],
                             const uint8_t peer[OCT_X25519_BYTES]);

#endif
