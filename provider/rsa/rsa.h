/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * RSA keys of the provider. A key is immutable once it has been imported or generated, so that all contexts, threads
 * and duplicates share one object by reference count. It holds the numbers twice: as a key of OpenSSL's own
 * implementation in the private context, for everything, and as a lane key, if its size is one that lanes serve.
 */
#ifndef OCT_PROVIDER_RSA_H
#define OCT_PROVIDER_RSA_H

#include "provider/core/key.h"
#include "fallback.h"

#include <octuple/octuple.h>
#include <openssl/core_dispatch.h>
#include <stdbool.h>

#define OCT_RSA_NAMES "RSA:rsaEncryption:1.2.840.113549.1.1.1"

/* RFC 8017 section 7.2: 00, block type, at least eight bytes of padding, 00. */
#define OCT_PKCS1_OVERHEAD 11

struct oct_prov;

/* The lane key of a private key is made later than the key. */
enum oct_rsa_later {
    OCT_RSA_NOT_LATER, /* it has been, or there is no private key */
    OCT_RSA_LATER,
    OCT_RSA_BEING_MADE, /* by one thread, whom the others do not wait for */
};

struct oct_prov_rsa {
    struct oct_prov_key base;
    EVP_PKEY *fallback; /* NULL until a key was imported or generated */
    unsigned bits;
    size_t size; /* bytes of the modulus, and of every signature and ciphertext */
    bool has_d_hash;
    uint8_t d_hash[32]; /* SHA-256 of d, `size` bytes long: what implicit rejection is keyed with. Secret. */

    _Atomic(struct oct_rsa_key *) lanes; /* NULL: declined, or not made yet */
    _Atomic unsigned lane_requests;      /* see oct_prov_rsa_lanes() */
    _Atomic enum oct_rsa_later later;
    struct oct_fallback_spares spares;
};

/* An empty key with one reference; NULL with an error raised. */
OSSL_FUNC_keymgmt_new_fn oct_prov_rsa_new;

/* Gives a key of the private context, whose reference is taken over (also on failure), to an unshared object. */
int oct_prov_rsa_set_fallback(struct oct_prov_rsa *key, EVP_PKEY *fallback);

/* Imports into an unshared object, through the private context. */
int oct_prov_rsa_import(struct oct_prov_rsa *key, int selection, const OSSL_PARAM params[]);

/* Reads what the object needs of its fallback key (size, d_hash) and puts the lane key of a private key off. */
int oct_prov_rsa_load_numbers(struct oct_prov_rsa *key);

/*
 * The lane key, borrowed, or NULL. That of a private key is made at the first request, unless a child has stepped
 * aside. That of a public key is made at the second: a client's certificate is often used once only,
 * and making a lane key costs more than lanes save on one public operation.
 */
const struct oct_rsa_key *oct_prov_rsa_lanes(struct oct_prov_rsa *key);

/* 1 if it has a lane key, or is to get one that is not ready yet. */
int oct_prov_rsa_has_lanes(struct oct_prov_rsa *key);

/*
 * The raw operation: out = in^d or in^e mod n, in lanes or by the fallback, whichever is due (async/task.h). in and out
 * are key->size bytes; out may not be in. Returns 1, or 0 with an error raised. Both buffers stay in place while the
 * calling fibre is paused; they must be on its stack or on the heap.
 */
int oct_rsa_raw(struct oct_prov_rsa *key, enum oct_raw_kind kind, uint8_t *out, const uint8_t *in);

/* The enum oct_op of a raw operation with a key of that many bits, or -1. */
int oct_rsa_op(unsigned bits, enum oct_raw_kind kind);

extern const OSSL_DISPATCH oct_rsa_keymgmt_table[];
extern const OSSL_DISPATCH oct_rsa_signature_table[];
extern const OSSL_DISPATCH oct_rsa_cipher_table[];

/* The generation entries of the key management table (keygen.c). */
OSSL_FUNC_keymgmt_gen_init_fn oct_rsa_gen_init;
OSSL_FUNC_keymgmt_gen_set_params_fn oct_rsa_gen_set_params;
OSSL_FUNC_keymgmt_gen_settable_params_fn oct_rsa_gen_settable_params;
OSSL_FUNC_keymgmt_gen_fn oct_rsa_gen;

#endif
