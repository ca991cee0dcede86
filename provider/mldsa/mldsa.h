/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * ML-DSA keys of the provider (FIPS 204), sets 44 and 65, on OpenSSL 3.5 and later. A key is immutable once it has been
 * imported or generated, so all contexts, threads and duplicates share one object by reference count. It holds the
 * numbers twice: as a key of OpenSSL's own in the private context, for everything, and, once it is used, as a lane key.
 */
#ifndef OCT_PROVIDER_MLDSA_H
#define OCT_PROVIDER_MLDSA_H

#include "provider/core/key.h"

#include <octuple/octuple.h>
#include <openssl/core_dispatch.h>
#include <openssl/evp.h>
#include <stdatomic.h>
#include <stdbool.h>

#define OCT_MLDSA_PROV_MAX_PK 1952
/* Names of OpenSSL 3.5's headers, which may be older here than the library that runs. */
#define OCT_MLDSA_PARAM_SEED "seed"

/* What a key is used for; an index. */
enum oct_mldsa_use { OCT_MLDSA_SIGN = 0, OCT_MLDSA_VERIFY = 1, OCT_MLDSA_USES = 2 };

struct oct_prov;

/* What the family keeps of OpenSSL's own code, by set. */
struct oct_mldsa_part {
    EVP_KEYMGMT *keymgmt[OCT_MLDSA_SETS];
    EVP_SIGNATURE *signature[OCT_MLDSA_SETS];
};

struct oct_prov_mldsa {
    struct oct_prov_key base;
    int set;            /* enum oct_mldsa_set */
    EVP_PKEY *fallback; /* NULL until a key was imported or generated; from then on there is a public key */
    uint8_t public_key[OCT_MLDSA_PROV_MAX_PK];

    _Atomic(struct oct_mldsa_key *) lanes; /* NULL: declined, or not made yet */
    _Atomic unsigned lane_requests;        /* see oct_prov_mldsa_lanes() */
    /* Contexts of OpenSSL's own without settings, kept because making one costs some allocations. One for each use: a
     * thread that finds none makes another. */
    _Atomic(EVP_PKEY_CTX *) spare[OCT_MLDSA_USES];
};

/* A message and how it is signed, borrowed for the length of a call. */
struct oct_mldsa_text {
    const uint8_t *message;
    size_t message_len;
    const uint8_t *context;
    size_t context_len;     /* at most OCT_MLDSA_CONTEXT_MAX */
    bool deterministic;     /* for signatures */
    EVP_PKEY_CTX *fallback; /* OpenSSL's own context with the same settings; NULL: there are none */
};

/* OpenSSL's first name of a set. */
const char *oct_mldsa_name(int set);

/* 1 if the OpenSSL that runs has ML-DSA. */
int oct_mldsa_openssl_has(void);

/* What the family keeps; NULL with an error raised. */
const struct oct_mldsa_part *oct_mldsa_part(struct oct_prov *prov);

/* An empty key of a set with one reference; NULL with an error raised. */
struct oct_prov_mldsa *oct_prov_mldsa_new(struct oct_prov *prov, int set);

/* Gives a key of the private context, whose reference is taken over (also on failure), to an unshared, empty object. */
int oct_prov_mldsa_set_fallback(struct oct_prov_mldsa *key, EVP_PKEY *fallback);

/* Imports into an unshared object, through the private context; 0 with an error raised. */
int oct_prov_mldsa_import(struct oct_prov_mldsa *key, int selection, const OSSL_PARAM params[]);

/* The lane key, borrowed, or NULL. A private key has one from its first use: making it and signing in lanes is cheaper
 * than one signature of the fallback. A public key gets one later, since lanes verify with its bytes as well. */
const struct oct_mldsa_key *oct_prov_mldsa_lanes(struct oct_prov_mldsa *key);

/* The bytes of a private key on the heap, for a moment: a secure heap may be too small. The caller ends them with
 * oct_mldsa_private_free(). NULL with an error. */
uint8_t *oct_mldsa_private(const struct oct_prov_mldsa *key);
void oct_mldsa_private_free(const struct oct_prov_mldsa *key, uint8_t *bytes);

/* A context of OpenSSL's own with the key, for messages, whole or in pieces; the caller frees it. NULL with OpenSSL's
 * error raised. */
EVP_PKEY_CTX *oct_mldsa_fallback_ctx(const struct oct_prov_mldsa *key, enum oct_mldsa_use use,
                                     const OSSL_PARAM params[]);

/* A message in pieces, on such a context: 1, or 0 with OpenSSL's error. *len is the space there is, then the length. */
int oct_mldsa_fallback_update(EVP_PKEY_CTX *ctx, enum oct_mldsa_use use, const uint8_t *data, size_t len);
int oct_mldsa_fallback_sign_final(EVP_PKEY_CTX *ctx, uint8_t *signature, size_t *len);
int oct_mldsa_fallback_verify_final(EVP_PKEY_CTX *ctx);

/* On OpenSSL's own code: 1, or 0 with an error raised. Signatures have oct_mldsa_signature_bytes(). */
int oct_mldsa_fallback_sign(struct oct_prov_mldsa *key, uint8_t *signature, const struct oct_mldsa_text *text);
int oct_mldsa_fallback_verify(struct oct_prov_mldsa *key, const uint8_t *signature, const struct oct_mldsa_text *text);

/* In lanes or by the fallback, whichever is due (async/task.h): 1, or 0 with an error raised. */
int oct_mldsa_sign(struct oct_prov_mldsa *key, uint8_t *signature, const struct oct_mldsa_text *text);
int oct_mldsa_verify(struct oct_prov_mldsa *key, const uint8_t *signature, const struct oct_mldsa_text *text);

extern const OSSL_DISPATCH oct_mldsa44_keymgmt_table[], oct_mldsa65_keymgmt_table[];
extern const OSSL_DISPATCH oct_mldsa44_signature_table[], oct_mldsa65_signature_table[];

/* The generation entries of the key management tables (keygen.c). */
OSSL_FUNC_keymgmt_gen_init_fn oct_mldsa44_gen_init, oct_mldsa65_gen_init;
OSSL_FUNC_keymgmt_gen_set_params_fn oct_mldsa_gen_set_params;
OSSL_FUNC_keymgmt_gen_settable_params_fn oct_mldsa_gen_settable_params;
OSSL_FUNC_keymgmt_gen_fn oct_mldsa_gen;

#endif
