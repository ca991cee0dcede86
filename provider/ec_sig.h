/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The ECDSA signature context, shared by the files that serve it: ec_sig.c (contexts), ec_sig_sign.c (sign and verify),
 * ec_sig_digest.c (messages instead of digests), ec_sig_params.c (settings).
 */
#ifndef OCT_PROVIDER_EC_SIG_H
#define OCT_PROVIDER_EC_SIG_H

#include "ec.h"

#include <openssl/core_dispatch.h>
#include <openssl/evp.h>

#define OCT_EC_DIGEST_NAME_MAX 64

struct oct_ec_sig {
    struct oct_prov *prov;
    struct oct_prov_ec *key;
    int operation;                            /* EVP_PKEY_OP_SIGN, _VERIFY, _SIGNCTX, _VERIFYCTX */
    EVP_MD *md;                               /* NULL: none chosen */
    char digest_name[OCT_EC_DIGEST_NAME_MAX]; /* as the application called it */
    unsigned nonce_type; /* OpenSSL 3.2: 1 is RFC 6979 without randomness, which OpenSSL's own code does */
    int digest_is_fixed; /* while a message is being digested */
    int is_final;        /* the digest was taken: no more update or final */
    EVP_MD_CTX *md_ctx;
};

/* The context for a new operation; key may be NULL to keep the one that it has. */
int oct_ec_sig_start(struct oct_ec_sig *sig, struct oct_prov_ec *key, int operation, const OSSL_PARAM params[]);

/* Chooses the digest; an error if it is fixed to another. */
int oct_ec_sig_set_digest(struct oct_ec_sig *sig, const char *name, const char *props);

/* The digest's size, 0 without a digest. */
size_t oct_ec_sig_digest_size(const struct oct_ec_sig *sig);

/* A context of OpenSSL's own implementation with the same key and settings; the caller frees it. NULL with an error. */
EVP_PKEY_CTX *oct_ec_sig_plain_ctx(const struct oct_ec_sig *sig, int operation);

/* The largest signature with the key; 0 with an error raised. */
size_t oct_ec_sig_size(const struct oct_ec_sig *sig);

OSSL_FUNC_signature_sign_fn oct_ec_sig_sign;
OSSL_FUNC_signature_verify_fn oct_ec_sig_verify;

OSSL_FUNC_signature_digest_sign_init_fn oct_ec_sig_digest_sign_init;
OSSL_FUNC_signature_digest_sign_update_fn oct_ec_sig_digest_update;
OSSL_FUNC_signature_digest_sign_final_fn oct_ec_sig_digest_sign_final;
OSSL_FUNC_signature_digest_sign_fn oct_ec_sig_digest_sign;
OSSL_FUNC_signature_digest_verify_init_fn oct_ec_sig_digest_verify_init;
OSSL_FUNC_signature_digest_verify_final_fn oct_ec_sig_digest_verify_final;
OSSL_FUNC_signature_digest_verify_fn oct_ec_sig_digest_verify;
OSSL_FUNC_signature_get_ctx_md_params_fn oct_ec_sig_get_md_params;
OSSL_FUNC_signature_gettable_ctx_md_params_fn oct_ec_sig_gettable_md_params;
OSSL_FUNC_signature_set_ctx_md_params_fn oct_ec_sig_set_md_params;
OSSL_FUNC_signature_settable_ctx_md_params_fn oct_ec_sig_settable_md_params;

OSSL_FUNC_signature_get_ctx_params_fn oct_ec_sig_get_params;
OSSL_FUNC_signature_gettable_ctx_params_fn oct_ec_sig_gettable_params;
OSSL_FUNC_signature_set_ctx_params_fn oct_ec_sig_set_params;
OSSL_FUNC_signature_settable_ctx_params_fn oct_ec_sig_settable_params;

#endif
