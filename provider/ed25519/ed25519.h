/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Ed25519 keys of the provider (RFC 8032). A key is immutable once it has been imported or generated, so that all
 * contexts, threads and duplicates share one object by reference count. It holds the numbers twice: as a key of
 * OpenSSL's own implementation in the private context, for everything, and, if it is private and signs more than once,
 * as a lane key.
 */
#ifndef OCT_PROVIDER_ED25519_H
#define OCT_PROVIDER_ED25519_H

#include "provider/core/key.h"

#include <octuple/octuple.h>
#include <openssl/core_dispatch.h>
#include <openssl/evp.h>
#include <stdatomic.h>

#define OCT_ED25519_NAMES "ED25519:1.3.101.112"

/* What a key is used for; an index. */
enum oct_ed25519_use { OCT_ED25519_SIGN = 0, OCT_ED25519_VERIFY = 1, OCT_ED25519_USES = 2 };

struct oct_prov;

struct oct_prov_ed25519 {
    struct oct_prov_key base;
    EVP_PKEY *fallback; /* NULL until a key was imported or generated; from then on there is a public key */
    int is_canonical;   /* the public key is; lanes take no other, OpenSSL does */
    uint8_t public_key[OCT_ED25519_PUBLIC_BYTES];

    _Atomic(struct oct_ed25519_key *) lanes; /* NULL: declined, or not made yet */
    _Atomic unsigned lane_requests;          /* see oct_prov_ed25519_lanes() */
    /* Contexts of OpenSSL's own that have run once, kept because making one costs a fetch and some allocations. One
     * for each use: a thread that finds none makes another. */
    _Atomic(EVP_MD_CTX *) spare[OCT_ED25519_USES];
};

/* An empty key with one reference; NULL with an error raised. */
OSSL_FUNC_keymgmt_new_fn oct_prov_ed25519_new;

/* Gives a key of the private context, whose reference is taken over (also on failure), to an unshared, empty object. */
int oct_prov_ed25519_set_fallback(struct oct_prov_ed25519 *key, EVP_PKEY *fallback);

/* Imports into an unshared object, through the private context; 0 with an error raised. */
int oct_prov_ed25519_import(struct oct_prov_ed25519 *key, int selection, const OSSL_PARAM params[]);

/*
 * The lane key, borrowed, or NULL. It is made at the second request: many a key signs once only, and making a lane key
 * costs about what a signature does. A private key that was imported with a public key of another has none: signed
 * under that one, as OpenSSL does it, its signatures would not be those of the lanes.
 */
const struct oct_ed25519_key *oct_prov_ed25519_lanes(struct oct_prov_ed25519 *key);

/* The seed of a private key; 1, or 0 with an error raised. The caller wipes it. */
int oct_ed25519_fallback_seed(const struct oct_prov_ed25519 *key, uint8_t seed[OCT_ED25519_SEED_BYTES]);

/* A context of OpenSSL's own with the key, ready for a message; params as EVP_DigestSignInit_ex() has them. The caller
 * frees it. NULL with OpenSSL's error raised. */
EVP_MD_CTX *oct_ed25519_fallback_ctx(const struct oct_prov_ed25519 *key, enum oct_ed25519_use use,
                                     const OSSL_PARAM params[]);

/* Makes such a context ready for the next message, with the key and the settings that it has; 0 with an error. */
int oct_ed25519_fallback_restart(EVP_MD_CTX *ctx, enum oct_ed25519_use use);

/* On OpenSSL's own code: 1, or 0 with an error raised. */
int oct_ed25519_fallback_sign(struct oct_prov_ed25519 *key, uint8_t signature[OCT_ED25519_SIGNATURE_BYTES],
                              const uint8_t *message, size_t message_len);
int oct_ed25519_fallback_verify(struct oct_prov_ed25519 *key, const uint8_t signature[OCT_ED25519_SIGNATURE_BYTES],
                                const uint8_t *message, size_t message_len);

/* In lanes or by the fallback, whichever is due (async/task.h): 1, or 0 with an error raised. */
int oct_ed25519_sign(struct oct_prov_ed25519 *key, uint8_t signature[OCT_ED25519_SIGNATURE_BYTES],
                     const uint8_t *message, size_t message_len);
int oct_ed25519_verify(struct oct_prov_ed25519 *key, const uint8_t signature[OCT_ED25519_SIGNATURE_BYTES],
                       const uint8_t *message, size_t message_len);

extern const OSSL_DISPATCH oct_ed25519_keymgmt_table[];
/* The whole is for OpenSSL 3.4 and later; what comes after the first OCT_ED25519_MESSAGE_ENTRIES, for all. */
extern const OSSL_DISPATCH oct_ed25519_signature_table[];
#define OCT_ED25519_MESSAGE_ENTRIES 7

/* The generation entries of the key management table (keygen.c). */
OSSL_FUNC_keymgmt_gen_init_fn oct_ed25519_gen_init;
OSSL_FUNC_keymgmt_gen_set_params_fn oct_ed25519_gen_set_params;
OSSL_FUNC_keymgmt_gen_settable_params_fn oct_ed25519_gen_settable_params;
OSSL_FUNC_keymgmt_gen_fn oct_ed25519_gen;

#endif
