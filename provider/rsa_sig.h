/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The RSA signature context, shared by the files that serve it: rsa_sig.c (contexts), rsa_sig_sign.c,
 * rsa_sig_verify.c, rsa_sig_digest.c (messages instead of digests), rsa_sig_params.c (settings), rsa_sig_plain.c (what
 * is left to OpenSSL whole).
 */
#ifndef OCT_PROVIDER_RSA_SIG_H
#define OCT_PROVIDER_RSA_SIG_H

#include "digest.h"
#include "rsa.h"
#include "rsa_pad.h"

#include <openssl/core_dispatch.h>
#include <openssl/evp.h>

#define OCT_DIGEST_NAME_MAX 64

/* A digest that was chosen by name; md is NULL if none was. */
struct oct_sig_digest {
    EVP_MD *md;
    const struct oct_digest *info;  /* NULL: not in our table, left to OpenSSL */
    char name[OCT_DIGEST_NAME_MAX]; /* as the application called it */
};

struct oct_rsa_sig {
    struct oct_prov *prov;
    struct oct_prov_rsa *key;
    int operation; /* EVP_PKEY_OP_SIGN, _VERIFY, _VERIFYRECOVER, _SIGNCTX, _VERIFYCTX */
    int pad_mode;  /* RSA_PKCS1_PADDING, ... */
    int salt_len;  /* see struct oct_pss */
    struct oct_sig_digest digest, mgf1;
    int mgf1_is_set;     /* else MGF1 uses the digest */
    int digest_is_fixed; /* while a message is being digested */
    int is_final;        /* the digest was taken: no more update or final */
    EVP_MD_CTX *md_ctx;
};

/* The context with defaults for a new operation; key may be NULL to keep the one that it has. */
int oct_rsa_sig_start(struct oct_rsa_sig *sig, struct oct_prov_rsa *key, int operation, const OSSL_PARAM params[]);

/* Chooses the digest; an error if it is fixed to another, or does not suit the padding. */
int oct_rsa_sig_set_digest(struct oct_rsa_sig *sig, const char *name, const char *props);

/* The digest's size, 0 without a digest. */
size_t oct_rsa_sig_digest_size(const struct oct_rsa_sig *sig);

/* The PSS padding that it stands for. */
struct oct_pss oct_rsa_sig_pss(const struct oct_rsa_sig *sig);

OSSL_FUNC_signature_sign_fn oct_rsa_sig_sign;
OSSL_FUNC_signature_verify_fn oct_rsa_sig_verify;
OSSL_FUNC_signature_verify_recover_fn oct_rsa_sig_verify_recover;

/* Messages: digest, then sign or verify. */
OSSL_FUNC_signature_digest_sign_init_fn oct_rsa_sig_digest_sign_init;
OSSL_FUNC_signature_digest_sign_update_fn oct_rsa_sig_digest_update;
OSSL_FUNC_signature_digest_sign_final_fn oct_rsa_sig_digest_sign_final;
OSSL_FUNC_signature_digest_sign_fn oct_rsa_sig_digest_sign;
OSSL_FUNC_signature_digest_verify_init_fn oct_rsa_sig_digest_verify_init;
OSSL_FUNC_signature_digest_verify_final_fn oct_rsa_sig_digest_verify_final;
OSSL_FUNC_signature_digest_verify_fn oct_rsa_sig_digest_verify;
OSSL_FUNC_signature_get_ctx_md_params_fn oct_rsa_sig_get_md_params;
OSSL_FUNC_signature_gettable_ctx_md_params_fn oct_rsa_sig_gettable_md_params;
OSSL_FUNC_signature_set_ctx_md_params_fn oct_rsa_sig_set_md_params;
OSSL_FUNC_signature_settable_ctx_md_params_fn oct_rsa_sig_settable_md_params;

OSSL_FUNC_signature_get_ctx_params_fn oct_rsa_sig_get_params;
OSSL_FUNC_signature_gettable_ctx_params_fn oct_rsa_sig_gettable_params;
OSSL_FUNC_signature_set_ctx_params_fn oct_rsa_sig_set_params;
OSSL_FUNC_signature_settable_ctx_params_fn oct_rsa_sig_settable_params;

/* 1 if OpenSSL must do the whole operation: X9.31 padding, or a digest that is not in our table. */
int oct_rsa_sig_is_plain(const struct oct_rsa_sig *sig);

/* A context of OpenSSL's own implementation with the same key and settings; the caller frees it. NULL with an error. */
EVP_PKEY_CTX *oct_rsa_sig_plain_ctx(const struct oct_rsa_sig *sig, int operation);

#endif
