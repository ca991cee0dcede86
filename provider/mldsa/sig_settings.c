/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Settings of ML-DSA signature contexts. OpenSSL's own context checks and keeps all of them. Those that lanes have are
 * noted here too.
 */
#include "provider/core/provider.h"
#include "sig.h"

#include <openssl/core_names.h>
#include <openssl/params.h>
#include <string.h>

/* Parameters of OpenSSL 3.4 and later, by their text: the headers may be older than the library that runs. */
#define PARAM_CONTEXT       "context-string"
#define PARAM_DETERMINISTIC "deterministic"
#define PARAM_SIGNATURE     "signature"
#define PARAM_MU            "mu"

void oct_mldsa_sig_drop(struct oct_mldsa_sig *sig)
{
    EVP_PKEY_CTX_free(sig->fallback);
    sig->fallback = NULL;
    sig->fallback_only = sig->deterministic = false;
    sig->context_len = 0;
}

/* OpenSSL's own context has taken the setting before. What this does not know of is for that context alone. */
static int note_setting(struct oct_mldsa_sig *sig, const OSSL_PARAM *p)
{
    void *context = sig->context;
    int number;

    if (strcmp(p->key, PARAM_CONTEXT) == 0)
        return OSSL_PARAM_get_octet_string(p, &context, sizeof sig->context, &sig->context_len);
    if (strcmp(p->key, PARAM_DETERMINISTIC) == 0) {
        if (!OSSL_PARAM_get_int(p, &number))
            return 0;
        sig->deterministic = number == 1;
    } else if (strcmp(p->key, PARAM_SIGNATURE) != 0) { /* that one is for messages in pieces */
        sig->fallback_only = true;
    }
    return 1;
}

int oct_mldsa_sig_apply(struct oct_mldsa_sig *sig, const OSSL_PARAM params[])
{
    if (params == NULL || params->key == NULL)
        return 1;
    if (sig->fallback == NULL)
        sig->fallback = oct_mldsa_fallback_ctx(sig->key, sig->use, params);
    else if (EVP_PKEY_CTX_set_params(sig->fallback, params) <= 0)
        return 0;
    if (sig->fallback == NULL)
        return 0;
    for (; params->key != NULL; params++)
        if (!note_setting(sig, params))
            return 0;
    return 1;
}

int oct_mldsa_sig_forget_mu(struct oct_mldsa_sig *sig)
{
    int no = 0;
    OSSL_PARAM params[] = {OSSL_PARAM_construct_int(PARAM_MU, &no), OSSL_PARAM_construct_end()};

    return sig->fallback == NULL || EVP_PKEY_CTX_set_params(sig->fallback, params) > 0;
}

/* RFC 9881, section 2: the object identifier, and no parameters. */
int oct_mldsa_sig_get_params(void *vsig, OSSL_PARAM params[])
{
    static const uint8_t id[OCT_MLDSA_SETS][13] = {
        {0x30, 0x0b, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x03, 0x11},
        {0x30, 0x0b, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x03, 0x12},
    };
    const struct oct_mldsa_sig *sig = vsig;
    OSSL_PARAM *p;

    if (sig == NULL)
        return 0;
    if (sig->fallback != NULL)
        return EVP_PKEY_CTX_get_params(sig->fallback, params) > 0;
    p = OSSL_PARAM_locate(params, OSSL_SIGNATURE_PARAM_ALGORITHM_ID);
    return p == NULL || OSSL_PARAM_set_octet_string(p, id[sig->set], sizeof id[sig->set]);
}

const OSSL_PARAM *oct_mldsa_sig_gettable_params(void *vsig, void *provctx)
{
    const struct oct_mldsa_part *part = oct_mldsa_part(provctx);

    (void)vsig;
    return part == NULL ? NULL : EVP_SIGNATURE_gettable_ctx_params(part->signature[OCT_MLDSA_44]);
}

int oct_mldsa_sig_set_params(void *vsig, const OSSL_PARAM params[])
{
    struct oct_mldsa_sig *sig = vsig;
    return sig != NULL && sig->key != NULL && oct_mldsa_sig_apply(sig, params);
}

const OSSL_PARAM *oct_mldsa_sig_settable_params(void *vsig, void *provctx)
{
    const struct oct_mldsa_sig *sig = vsig;
    const struct oct_mldsa_part *part = oct_mldsa_part(provctx);

    if (sig != NULL && sig->fallback != NULL)
        return EVP_PKEY_CTX_settable_params(sig->fallback);
    return part == NULL ? NULL : EVP_SIGNATURE_settable_ctx_params(part->signature[OCT_MLDSA_44]);
}
