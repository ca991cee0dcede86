/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The RSA signature context, shared by the files that serve it: sig.c (contexts), sig_sign.c,
 * sig_verify.c, sig_params.c (settings).
 */
#ifndef OCT_PROVIDER_RSA_SIG_H
#define OCT_PROVIDER_RSA_SIG_H

#include "rsa.h"
#include "pad.h"
#include "provider/contexts/sig.h"

#include "base/base.h"

#include <stdbool.h>

struct oct_rsa_sig {
    struct oct_sig base;
    int pad_mode; /* RSA_PKCS1_PADDING, ... */
    int salt_len; /* see struct oct_pss */
    struct oct_sig_digest mgf1;
    int mgf1_is_set; /* else MGF1 uses the digest */
};

OCT_INLINE struct oct_prov_rsa *oct_rsa_sig_key(const struct oct_rsa_sig *sig)
{
    return sig->base.key;
}

/* The PSS padding that it stands for. */
struct oct_pss oct_rsa_sig_pss(const struct oct_rsa_sig *sig);

OSSL_FUNC_signature_sign_fn oct_rsa_sig_sign;
OSSL_FUNC_signature_verify_fn oct_rsa_sig_verify;
OSSL_FUNC_signature_verify_recover_fn oct_rsa_sig_verify_recover;

OSSL_FUNC_signature_get_ctx_params_fn oct_rsa_sig_get_params;
OSSL_FUNC_signature_gettable_ctx_params_fn oct_rsa_sig_gettable_params;
OSSL_FUNC_signature_set_ctx_params_fn oct_rsa_sig_set_params;
OSSL_FUNC_signature_settable_ctx_params_fn oct_rsa_sig_settable_params;

/* 1 if RSA signatures of the OpenSSL that runs know the digest; else 0 with an error raised. */
int oct_rsa_sig_knows_digest(const struct oct_sig *sig, const struct oct_sig_digest *digest);

/* Whether the settings allow for the digest (NULL: none): 1, or 0 with an error raised. */
int oct_rsa_sig_check_padding(const struct oct_rsa_sig *sig, const struct oct_sig_digest *digest);

int oct_rsa_sig_copy_settings(EVP_PKEY_CTX *ctx, const struct oct_sig *sig);

/* 1 if OpenSSL must do the whole operation: X9.31 padding, or a digest that is not in our table. */
bool oct_rsa_sig_is_fallback(const struct oct_rsa_sig *sig);

#endif
