/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* ECDSA signature contexts: their life, how an operation starts, and the dispatch table. */
#include "ec_sig.h"

#include "dispatch.h"
#include "provider.h"

#include <openssl/crypto.h>

static void *sig_new(void *provctx, const char *props)
{
    struct oct_ec_sig *sig = OPENSSL_zalloc(sizeof *sig);

    (void)props; /* digests come from the private context, where application's properties mean nothing */
    if (sig != NULL)
        sig->prov = provctx;
    return sig;
}

static void sig_free(void *vsig)
{
    struct oct_ec_sig *sig = vsig;

    if (sig == NULL)
        return;
    EVP_MD_CTX_free(sig->md_ctx);
    EVP_MD_free(sig->md);
    oct_prov_ec_free(sig->key);
    OPENSSL_free(sig);
}

/* References that the copy has not taken yet must not be dropped by sig_free(). */
static void *sig_dup(void *vsig)
{
    const struct oct_ec_sig *sig = vsig;
    struct oct_ec_sig *copy = OPENSSL_memdup(sig, sizeof *sig);

    if (copy == NULL)
        return NULL;
    copy->md_ctx = NULL;
    if (copy->key != NULL)
        oct_prov_ec_up_ref(copy->key);
    if (copy->md != NULL && !EVP_MD_up_ref(copy->md))
        copy->md = NULL;
    if (sig->md_ctx != NULL) {
        copy->md_ctx = EVP_MD_CTX_new();
        if (copy->md_ctx == NULL || !EVP_MD_CTX_copy_ex(copy->md_ctx, sig->md_ctx)) {
            sig_free(copy);
            return NULL;
        }
    }
    return copy;
}

int oct_ec_sig_start(struct oct_ec_sig *sig, struct oct_prov_ec *key, int operation, const OSSL_PARAM params[])
{
    if (sig == NULL)
        return 0;
    if (key != NULL) {
        oct_prov_ec_up_ref(key);
        oct_prov_ec_free(sig->key);
        sig->key = key;
    }
    if (sig->key == NULL)
        return OCT_RAISE(sig->prov, OCT_REASON_NO_KEY);
    sig->operation = operation;
    sig->digest_is_fixed = 0;
    sig->is_final = 0;
    return oct_ec_sig_set_params(sig, params);
}

static int sig_sign_init(void *vsig, void *key, const OSSL_PARAM params[])
{
    return oct_ec_sig_start(vsig, key, EVP_PKEY_OP_SIGN, params);
}

static int sig_verify_init(void *vsig, void *key, const OSSL_PARAM params[])
{
    return oct_ec_sig_start(vsig, key, EVP_PKEY_OP_VERIFY, params);
}

size_t oct_ec_sig_digest_size(const struct oct_ec_sig *sig)
{
    const int size = sig->md == NULL ? 0 : EVP_MD_get_size(sig->md);
    return size <= 0 ? 0 : (size_t)size;
}

const OSSL_DISPATCH oct_ec_signature_table[] = {
    OCT_SIGNATURE_ENTRY(NEWCTX, newctx, sig_new),
    OCT_SIGNATURE_ENTRY(FREECTX, freectx, sig_free),
    OCT_SIGNATURE_ENTRY(DUPCTX, dupctx, sig_dup),
    OCT_SIGNATURE_ENTRY(SIGN_INIT, sign_init, sig_sign_init),
    OCT_SIGNATURE_ENTRY(SIGN, sign, oct_ec_sig_sign),
    OCT_SIGNATURE_ENTRY(VERIFY_INIT, verify_init, sig_verify_init),
    OCT_SIGNATURE_ENTRY(VERIFY, verify, oct_ec_sig_verify),
    OCT_SIGNATURE_ENTRY(DIGEST_SIGN_INIT, digest_sign_init, oct_ec_sig_digest_sign_init),
    OCT_SIGNATURE_ENTRY(DIGEST_SIGN_UPDATE, digest_sign_update, oct_ec_sig_digest_update),
    OCT_SIGNATURE_ENTRY(DIGEST_SIGN_FINAL, digest_sign_final, oct_ec_sig_digest_sign_final),
    OCT_SIGNATURE_ENTRY(DIGEST_SIGN, digest_sign, oct_ec_sig_digest_sign),
    OCT_SIGNATURE_ENTRY(DIGEST_VERIFY_INIT, digest_verify_init, oct_ec_sig_digest_verify_init),
    OCT_SIGNATURE_ENTRY(DIGEST_VERIFY_UPDATE, digest_verify_update, oct_ec_sig_digest_update),
    OCT_SIGNATURE_ENTRY(DIGEST_VERIFY_FINAL, digest_verify_final, oct_ec_sig_digest_verify_final),
    OCT_SIGNATURE_ENTRY(DIGEST_VERIFY, digest_verify, oct_ec_sig_digest_verify),
    OCT_SIGNATURE_ENTRY(GET_CTX_PARAMS, get_ctx_params, oct_ec_sig_get_params),
    OCT_SIGNATURE_ENTRY(GETTABLE_CTX_PARAMS, gettable_ctx_params, oct_ec_sig_gettable_params),
    OCT_SIGNATURE_ENTRY(SET_CTX_PARAMS, set_ctx_params, oct_ec_sig_set_params),
    OCT_SIGNATURE_ENTRY(SETTABLE_CTX_PARAMS, settable_ctx_params, oct_ec_sig_settable_params),
    OCT_SIGNATURE_ENTRY(GET_CTX_MD_PARAMS, get_ctx_md_params, oct_ec_sig_get_md_params),
    OCT_SIGNATURE_ENTRY(GETTABLE_CTX_MD_PARAMS, gettable_ctx_md_params, oct_ec_sig_gettable_md_params),
    OCT_SIGNATURE_ENTRY(SET_CTX_MD_PARAMS, set_ctx_md_params, oct_ec_sig_set_md_params),
    OCT_SIGNATURE_ENTRY(SETTABLE_CTX_MD_PARAMS, settable_ctx_md_params, oct_ec_sig_settable_md_params),
    OCT_DISPATCH_END,
};
