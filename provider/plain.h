/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * OpenSSL's own implementation, for everything that does not run in lanes: a private library context with the default
 * provider and nothing else, so that nothing fetched in it can come back to this provider, whatever the application's
 * default properties say. It is made at the first key, not when the provider is loaded.
 */
#ifndef OCT_PROVIDER_PLAIN_H
#define OCT_PROVIDER_PLAIN_H

#include "x25519_direct.h"

#include <octuple/ec.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/provider.h>
#include <stdatomic.h>
#include <stdint.h>

struct oct_prov;

enum oct_plain_kdf { OCT_PLAIN_TLS13_KDF = 0, OCT_PLAIN_TLS1_PRF = 1, OCT_PLAIN_KDFS = 2 };

struct oct_plain {
    OSSL_LIB_CTX *ctx;
    OSSL_PROVIDER *default_provider;
    EC_GROUP *ec_group[OCT_EC_CURVES];        /* to tell what is a point; NULL if there is no memory */
    EVP_KEYMGMT *rsa, *x25519, *ec, *ed25519; /* for the lists of parameters that this version of OpenSSL knows */
    EVP_SIGNATURE *ed25519_signature;
    struct oct_x25519_direct x25519_direct;
    EVP_KDF *kdf[OCT_PLAIN_KDFS];
};

/* All of the above, made if need be; NULL, with an error raised, if it cannot be made. No lock is held meanwhile,
 * because a child that another thread forks would find it held for ever: threads that race keep what the first one
 * stored. */
const struct oct_plain *oct_plain_get(struct oct_prov *prov);

void oct_plain_free(struct oct_plain *plain);

/* The private library context; NULL as above. */
OSSL_LIB_CTX *oct_plain_ctx(struct oct_prov *prov);

/* The default provider's key management in that context, borrowed; NULL as above, or if it has none. */
EVP_KEYMGMT *oct_plain_rsa(struct oct_prov *prov);
EVP_KEYMGMT *oct_plain_x25519(struct oct_prov *prov);
EVP_KEYMGMT *oct_plain_ec(struct oct_prov *prov);
EVP_KEYMGMT *oct_plain_ed25519(struct oct_prov *prov);

/* Its X25519 without EVP. */
const struct oct_x25519_direct *oct_plain_x25519_direct(struct oct_prov *prov);

/* And its Ed25519 signatures. */
EVP_SIGNATURE *oct_plain_ed25519_signature(struct oct_prov *prov);

/* And its key derivations. */
EVP_KDF *oct_plain_kdf(struct oct_prov *prov, enum oct_plain_kdf kdf);

/* The group of a curve (enum oct_ec_curve) in that context, borrowed; NULL as above. */
const EC_GROUP *oct_plain_ec_group(struct oct_prov *prov, int curve);

/* Whether the parts of a key of that context that are selected are good, by OpenSSL's own checks; the arguments are
 * those of a key management's `validate`. 0 without a key. */
int oct_plain_validate(struct oct_prov *prov, EVP_PKEY *key, int selection, int type);

/* What a raw RSA operation is for. The numbers are the same for SIGN and DECRYPT, but the default provider treats the
 * result of the second as secret. */
enum oct_raw_kind { OCT_RAW_SIGN = 0, OCT_RAW_DECRYPT = 1, OCT_RAW_PUBLIC = 2, OCT_RAW_KINDS = 3 };

/*
 * Contexts that are ready to run a raw (unpadded) operation of one key, kept because making one costs a fetch, an
 * allocation and three parameter round trips. One of each kind is kept: a thread that finds none makes another.
 */
struct oct_plain_spares {
    _Atomic(EVP_PKEY_CTX *) ctx[OCT_RAW_KINDS];
};

void oct_plain_spares_free(struct oct_plain_spares *spares);

/* out = in^d or in^e mod n; in and out are `size` bytes, the key's. Returns 1, or 0 with OpenSSL's error raised. */
int oct_plain_raw(struct oct_prov *prov, EVP_PKEY *key, struct oct_plain_spares *spares, enum oct_raw_kind kind,
                  uint8_t *out, const uint8_t *in, size_t size);

#endif
