/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * AES-GCM, SM4-GCM and ChaCha20-Poly1305 as OpenSSL's symmetric ciphers, on octuple/aead.h: cipher.c (contexts, keys,
 * nonces), text.c (update and final), tls.c (whole records of TLS 1.2), params.c (settings), iv.c
 * (the counter in a nonce).
 *
 * Nothing is asynchronous here, and nothing is allocated but contexts and keys, of which a few are kept, cleansed.
 * Where a nonce has been used, another one has to be set before anything more is done: a context never begins twice
 * with the same nonce and key on its own account.
 */
#ifndef OCT_PROVIDER_AEAD_CIPHER_H
#define OCT_PROVIDER_AEAD_CIPHER_H

#include "provider/core/dispatch.h"

#include <octuple/aead.h>
#include <openssl/core.h>
#include <stdatomic.h>
#include <stdbool.h>

struct oct_prov;

/* As long as OpenSSL's own implementation lets a nonce of AES-GCM be. */
#define OCT_AEAD_IV_MAX       128
#define OCT_AEAD_TLS_AAD      13 /* sequence number, type, version, length: RFC 5246, 6.2.3.3 */
#define OCT_AEAD_TLS_FIXED    4  /* RFC 5288: the part of the nonce that stays */
#define OCT_AEAD_TLS_EXPLICIT 8  /* and the one that is sent in front of the record */

/* A key, shared by a context and its copies, since streams refer to it. Only its one owner may change it. */
struct oct_aead_shared_key {
    uint8_t memory[OCT_AEAD_KEY_MAX_BYTES] __attribute__((aligned(OCT_AEAD_ALIGN)));
    _Atomic unsigned references;
};

enum oct_aead_iv_state {
    OCT_IV_NONE,   /* not set yet */
    OCT_IV_SET,    /* set, and nothing done with it */
    OCT_IV_IN_USE, /* the stream has begun with it */
    OCT_IV_SPENT   /* no more use */
};

struct oct_aead_cipher {
    struct oct_prov *prov;
    struct oct_aead_shared_key *key; /* NULL: not set yet */
    int aead;                        /* enum oct_aead */
    int sealing;
    enum oct_aead_iv_state iv_state;
    int iv_is_counter; /* tlsivfixed: the last eight bytes of the nonce count */
    int iv_is_random;  /* made here */
    uint64_t iv_used;  /* nonces that were counted off under this key */
    size_t iv_len;
    size_t tag_len;  /* 0: no tag set or made */
    size_t tls_pad;  /* what the last additional data of a record said: tlsaadpad */
    int tls_pending; /* tls_aad is for the next call */
    uint8_t iv[OCT_AEAD_IV_MAX];
    uint8_t tag[OCT_AEAD_TAG_BYTES];
    uint8_t tls_aad[OCT_AEAD_TLS_AAD];
    /* While IN_USE. It comes last: a context has as much memory as streams of its AEAD take. */
    struct oct_aead_stream stream;
};

bool oct_aead_cipher_is_gcm(const struct oct_aead_cipher *c);
const struct oct_aead_key *oct_aead_cipher_key(const struct oct_aead_cipher *c);

/* text.c. 1, or 0 with an error raised; a tag that does not fit raises none, as with OpenSSL's own. */
OSSL_FUNC_cipher_update_fn oct_aead_cipher_update;
OSSL_FUNC_cipher_final_fn oct_aead_cipher_final;
OSSL_FUNC_cipher_cipher_fn oct_aead_cipher_call;
/* Begins with the nonce that is set, or with a random one to seal with AES-GCM where none was set. */
int oct_aead_cipher_begin(struct oct_aead_cipher *c);
/* A random nonce, if none is set: AES-GCM only, of at least 96 bits, to seal. */
int oct_aead_cipher_random_iv(struct oct_aead_cipher *c);

/* tls.c. The next record's additional data, as it stands in TLS 1.2. */
int oct_aead_tls_set_aad(struct oct_aead_cipher *c, const uint8_t *aad, size_t len);
/* The fixed part of the nonces; len (size_t)-1: the whole of one. */
int oct_aead_tls_set_fixed(struct oct_aead_cipher *c, const uint8_t *fixed, size_t len);
/* Begins with the next nonce and gives its last `len` bytes (0, or too many: all). */
int oct_aead_tls_next_iv(struct oct_aead_cipher *c, uint8_t *out, size_t len);
/* To open: begins with a nonce that ends in these bytes. */
int oct_aead_tls_set_explicit(struct oct_aead_cipher *c, const uint8_t *in, size_t len);
/* One record. */
int oct_aead_tls_record(struct oct_aead_cipher *c, uint8_t *out, size_t *out_len, const uint8_t *in, size_t len);

/* params.c. */
OSSL_FUNC_cipher_get_ctx_params_fn oct_aead_cipher_get_ctx_params;
OSSL_FUNC_cipher_set_ctx_params_fn oct_aead_cipher_set_ctx_params;
OSSL_FUNC_cipher_gettable_ctx_params_fn oct_aead_cipher_gettable_ctx_params, oct_aead_cipher_gettable_chacha;
OSSL_FUNC_cipher_settable_ctx_params_fn oct_aead_cipher_settable_ctx_params, oct_aead_cipher_settable_chacha;
/* What the cipher is, for `enum oct_aead`. */
int oct_aead_cipher_get_params(OSSL_PARAM params[], int aead);

/* iv.c. The next value of the counter in a nonce's last eight bytes; 0, and nothing changed, if they have all
 * been used. */
int oct_aead_iv_count(uint8_t counter[OCT_AEAD_TLS_EXPLICIT], uint64_t *used);

#endif
