/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * EC keys of the provider, over every curve that OpenSSL has: libssl takes all groups over EC keys from one provider.
 *
 * Two kinds: a key that was imported, or made with more than a group's name, is a key of OpenSSL's own implementation
 * in the private context, and its numbers are read from it if the curve has lanes. A key made for a TLS handshake on
 * P-256 or P-384 is its numbers alone; OpenSSL's own key is made of them when something wants it, which for most is
 * never.
 */
#ifndef OCT_PROVIDER_EC_H
#define OCT_PROVIDER_EC_H

#include "provider/core/key.h"

#include <octuple/octuple.h>
#include <openssl/core_dispatch.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <stdbool.h>

#define OCT_EC_NAMES "EC:id-ecPublicKey:1.2.840.10045.2.1"

struct oct_prov;

struct oct_prov_ec {
    struct oct_prov_key base;
    int is_fallback;              /* `fallback` is the key, the numbers below are a copy; else it is made of them */
    _Atomic(EVP_PKEY *) fallback; /* NULL: no key yet, or not made yet */
    /* Ready to verify by `fallback`, without a digest of its own: making one costs a tenth of what it does. A thread
     * that finds none makes another. */
    _Atomic(EVP_PKEY_CTX *) verifier;
    int curve;                                /* enum oct_ec_curve; -1: no numbers here */
    uint8_t public_key[2 * OCT_EC_MAX_BYTES]; /* a point of the curve, if there is one: nothing else is let in */
    /* In OpenSSL's secure heap if the application has one; NULL until there is a private key with lanes. It stays in
     * place as long as the object, because a waiting job may read it. */
    uint8_t *private_key;
};

/* An empty key with one reference; NULL with an error raised. */
OSSL_FUNC_keymgmt_new_fn oct_prov_ec_new;

/* The private key's memory, made if need be, for the caller to fill; NULL with an error raised. */
uint8_t *oct_prov_ec_private(struct oct_prov_ec *key);

/* 1 if there is a private key, with numbers. */
OCT_MUST_USE int oct_prov_ec_signs_in_lanes(const struct oct_prov_ec *key);

/* Gives a key of the private context, whose reference is taken over (also on failure), to an unshared object, and reads
 * its numbers. */
int oct_prov_ec_set_fallback(struct oct_prov_ec *key, EVP_PKEY *fallback);

/* Imports into an unshared object, through the private context. */
int oct_prov_ec_import(struct oct_prov_ec *key, int selection, const OSSL_PARAM params[]);

/* The key of OpenSSL's own, borrowed, made if need be; NULL with an error raised, also for an empty key. */
EVP_PKEY *oct_prov_ec_fallback(const struct oct_prov_ec *key);

/* What OpenSSL's own code says of the signature (DER) of the digest, of whatever length: 1 good, 0 bad, -1 malformed.
 */
int oct_prov_ec_verify_fallback(const struct oct_prov_ec *key, const uint8_t *der, size_t der_len,
                                const uint8_t *digest, size_t digest_len);

/* Sets the public key of a key that is numbers alone, given as 04 x y; 0 with an error raised if that is no point. */
int oct_prov_ec_set_point(struct oct_prov_ec *key, const uint8_t *bytes, size_t len);

/* A curve with lanes, as OpenSSL sees it. */
struct oct_prov_curve {
    const char *names[3]; /* OpenSSL's own first */
    int nid, bits, security_bits;
    int signature_size; /* of the largest DER signature: FIPS 186's numbers, each with a leading zero */
    /* Whether a vector for one derivation or verification may be quicker than OpenSSL's own code. */
    bool may_pay_alone;
};
extern const struct oct_prov_curve oct_prov_curves[OCT_ECDSA_CURVES]; /* by enum oct_ec_curve */

/* enum oct_ec_curve by any of its names, in any case of letters; -1 for another curve. */
int oct_ec_curve_by_name(const char *name);

/* The curve's group in the private context, borrowed; NULL if there is no memory. */
const EC_GROUP *oct_ec_fallback_group(struct oct_prov *prov, int curve);

extern const OSSL_DISPATCH oct_ec_keymgmt_table[];
extern const OSSL_DISPATCH oct_ec_exchange_table[];
extern const OSSL_DISPATCH oct_ec_signature_table[];
#define ENCODER(name, output, structure, selection) extern const OSSL_DISPATCH oct_ec_encoder_##name[];
#define FALLBACK_ENCODER(name, output, selection)   extern const OSSL_DISPATCH oct_ec_encoder_##name[];
#include "encoders.def"

/* Entries of the key management table in files of their own: params.c, keygen.c. */
OSSL_FUNC_keymgmt_get_params_fn oct_ec_get_params;
OSSL_FUNC_keymgmt_gettable_params_fn oct_ec_gettable_params;
OSSL_FUNC_keymgmt_set_params_fn oct_ec_set_params;
OSSL_FUNC_keymgmt_settable_params_fn oct_ec_settable_params;
OSSL_FUNC_keymgmt_gen_init_fn oct_ec_gen_init;
OSSL_FUNC_keymgmt_gen_set_template_fn oct_ec_gen_set_template;
OSSL_FUNC_keymgmt_gen_set_params_fn oct_ec_gen_set_params;
OSSL_FUNC_keymgmt_gen_settable_params_fn oct_ec_gen_settable_params;
OSSL_FUNC_keymgmt_gen_fn oct_ec_gen;

#endif
