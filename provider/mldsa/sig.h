/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* What an ML-DSA signature context holds, and its settings (sig_settings.c). */
#ifndef OCT_PROVIDER_MLDSA_SIG_H
#define OCT_PROVIDER_MLDSA_SIG_H

#include "mldsa.h"

#include <openssl/core_dispatch.h>

struct oct_mldsa_sig {
    struct oct_prov *prov;
    struct oct_prov_mldsa *key;
    int set;
    enum oct_mldsa_use use;
    EVP_PKEY_CTX *fallback; /* OpenSSL's own, with all settings; NULL without any */
    bool fallback_only;     /* a setting that lanes do not have */
    bool deterministic;
    size_t context_len;
    uint8_t context[OCT_MLDSA_CONTEXT_MAX];
};

/* Back to a context without settings. */
void oct_mldsa_sig_drop(struct oct_mldsa_sig *sig);

/* Takes settings, for a new operation if there are none yet: 1, or 0 with an error raised. The context has a key. */
int oct_mldsa_sig_apply(struct oct_mldsa_sig *sig, const OSSL_PARAM params[]);

/* Forgets that the message is a digest mu already, which OpenSSL keeps for one operation only. */
int oct_mldsa_sig_forget_mu(struct oct_mldsa_sig *sig);

/* Entries of the signature tables. */
OSSL_FUNC_signature_get_ctx_params_fn oct_mldsa_sig_get_params;
OSSL_FUNC_signature_gettable_ctx_params_fn oct_mldsa_sig_gettable_params;
OSSL_FUNC_signature_set_ctx_params_fn oct_mldsa_sig_set_params;
OSSL_FUNC_signature_settable_ctx_params_fn oct_mldsa_sig_settable_params;

#endif
