/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * SM2 keys of the provider (GB/T 32918), for signatures and, with OpenSSL 4.0, for the TLS group curveSM2. They are two
 * types to OpenSSL, with the same numbers. The key is one of OpenSSL's own implementation in the private context; its
 * numbers are a copy of it, for lanes.
 */
#ifndef OCT_PROVIDER_SM2_H
#define OCT_PROVIDER_SM2_H

#include "provider/core/key.h"

#include <octuple/octuple.h>
#include <openssl/core_dispatch.h>
#include <openssl/evp.h>
#include <stdbool.h>

#define OCT_SM2_NAME  "SM2"
#define OCT_SM2_NAMES OCT_SM2_NAME ":1.2.156.10197.1.301"
#define OCT_SM2_GROUP "curveSM2"
#define OCT_SM2_BYTES 32
/* The largest signature: a SEQUENCE of two INTEGERs, each with a leading zero. */
#define OCT_SM2_MAX_SIGNATURE (2 + 2 * (2 + 1 + OCT_SM2_BYTES))

/* What a key is used for; an index. */
enum oct_sm2_use { OCT_SM2_SIGN = 0, OCT_SM2_VERIFY = 1, OCT_SM2_USES = 2 };

struct oct_prov;

struct oct_prov_sm2 {
    struct oct_prov_key base;
    const char *type;   /* OCT_SM2_NAME or OCT_SM2_GROUP */
    EVP_PKEY *fallback; /* NULL: no key yet */
    /* Contexts of OpenSSL's own that have run once. A thread that finds none makes another. */
    _Atomic(EVP_PKEY_CTX *) spare[OCT_SM2_USES];
    bool has_numbers;                      /* those that there are of the key stand here */
    uint8_t public_key[2 * OCT_SM2_BYTES]; /* a point of the curve, if there is one: OpenSSL lets nothing else in */
    /* In OpenSSL's secure heap if the application has one; NULL until there is a private key. It stays in place as long
     * as the object, because a waiting job may read it. */
    uint8_t *private_key;
};

/* An empty key of a type with one reference; NULL with an error raised. */
struct oct_prov_sm2 *oct_prov_sm2_new(struct oct_prov *prov, const char *type);

/* The private key's memory, made if need be; NULL with an error raised. */
uint8_t *oct_prov_sm2_private(struct oct_prov_sm2 *key);

/* Gives a key of the private context, whose reference is taken over (also on failure), to an unshared object, and reads
 * its numbers; 0 with an error raised. */
int oct_prov_sm2_set_fallback(struct oct_prov_sm2 *key, EVP_PKEY *fallback);

/* Imports into an unshared object, through the private context; 0 with an error raised. */
int oct_prov_sm2_import(struct oct_prov_sm2 *key, int selection, const OSSL_PARAM params[]);

/* The same from a pair of numbers. */
int oct_prov_sm2_set_pair(struct oct_prov_sm2 *key, const uint8_t public_key[2 * OCT_SM2_BYTES],
                          const uint8_t private_key[OCT_SM2_BYTES]);

/* On OpenSSL's own code, of the digest e: 1, or 0 with an error raised; verification as OpenSSL says it. */
int oct_sm2_fallback_sign(const struct oct_prov_sm2 *key, uint8_t *der, size_t *der_len, const uint8_t *digest);
int oct_sm2_fallback_verify(const struct oct_prov_sm2 *key, const uint8_t *der, size_t der_len, const uint8_t *digest);

/* In lanes or by the fallback, whichever is due (async/task.h). */
int oct_sm2_sign(struct oct_prov_sm2 *key, uint8_t *der, size_t *der_len, const uint8_t digest[OCT_SM2_BYTES]);
int oct_sm2_verify(struct oct_prov_sm2 *key, const uint8_t *der, size_t der_len, const uint8_t digest[OCT_SM2_BYTES]);

/* What the family keeps of the private context: a, b and G of the curve, one after the other, as Z has them. */
struct oct_sm2_part {
    uint8_t curve[4 * OCT_SM2_BYTES];
};

extern const OSSL_DISPATCH oct_sm2_keymgmt_table[], oct_sm2_group_table[];
extern const OSSL_DISPATCH oct_sm2_exchange_table[];
extern const OSSL_DISPATCH oct_sm2_signature_table[];

/* Entries of the key management table in a file of their own: keygen.c. */
OSSL_FUNC_keymgmt_gen_init_fn oct_sm2_gen_init, oct_sm2_group_gen_init;
OSSL_FUNC_keymgmt_gen_set_template_fn oct_sm2_gen_set_template;
OSSL_FUNC_keymgmt_gen_set_params_fn oct_sm2_gen_set_params;
OSSL_FUNC_keymgmt_gen_settable_params_fn oct_sm2_gen_settable_params;
OSSL_FUNC_keymgmt_gen_fn oct_sm2_gen;

#endif
