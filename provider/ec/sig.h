/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The ECDSA signature context, shared by the files that serve it: sig.c (contexts), sig_sign.c, sig_verify.c,
 * sig_params.c (settings).
 */
#ifndef OCT_PROVIDER_EC_SIG_H
#define OCT_PROVIDER_EC_SIG_H

#include "ec.h"
#include "provider/contexts/ec_forms.h"
#include "provider/contexts/sig.h"

struct oct_ec_sig {
    struct oct_sig base;
    unsigned nonce_type; /* OpenSSL 3.2: 1 is RFC 6979 without randomness, which OpenSSL's own code does */
};

int oct_ec_sig_copy_settings(EVP_PKEY_CTX *ctx, const struct oct_sig *sig);

OSSL_FUNC_signature_sign_fn oct_ec_sig_sign;
OSSL_FUNC_signature_verify_fn oct_ec_sig_verify;

OSSL_FUNC_signature_get_ctx_params_fn oct_ec_sig_get_params;
OSSL_FUNC_signature_gettable_ctx_params_fn oct_ec_sig_gettable_params;
OSSL_FUNC_signature_set_ctx_params_fn oct_ec_sig_set_params;
OSSL_FUNC_signature_settable_ctx_params_fn oct_ec_sig_settable_params;

#endif
