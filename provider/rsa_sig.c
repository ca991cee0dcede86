/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* RSA signature contexts: their life, how an operation starts, and the dispatch table. */
#include "rsa_sig.h"

#include "dispatch.h"
#include "provider.h"
#include "rsa_pad.h"

#include <openssl/crypto.h>

static void *sig_new(void *provctx, const char *props)
{
    struct oct_rsa_sig *sig = OPENSSL_zalloc(sizeof *sig);

    (void)props; /* digests come from the private context, where application's properties mean nothing */
    if (sig != NULL)
        sig->prov = provctx;
    return sig;
}

static void sig_free(void *vsig)
{
    struct oct_rsa_sig *sig = vsig;

    if (sig == NULL)
        return;
    EVP_MD_CTX_free(sig->md_ctx);
    EVP_MD_free(sig->digest.md);
    EVP_MD_free(sig->mgf1.md);
    oct_prov_rsa_free(sig->key);
    OPENSSL_free(sig);
}

/* References that the copy has not taken yet must not be dropped by sig_free(). */
static void *sig_dup(void *vsig)
{
    const struct oct_rsa_sig *sig = vsig;
    struct oct_rsa_sig *copy = OPENSSL_memdup(sig, sizeof *sig);

    if (copy == NULL)
        return NULL;
    copy->md_ctx = NULL;
    if (copy->key != NULL)
        oct_prov_rsa_up_ref(copy->key);
    if (copy->digest.md != NULL && !EVP_MD_up_ref(copy->digest.md))
        copy->digest.md = NULL;
    if (copy->mgf1.md != NULL && !EVP_MD_up_ref(copy->mgf1.md))
        copy->mgf1.md = NULL;
    if (sig->md_ctx != NULL) {
        copy->md_ctx = EVP_MD_CTX_new();
        if (copy->md_ctx == NULL || !EVP_MD_CTX_copy_ex(copy->md_ctx, sig->md_ctx)) {
            sig_free(copy);
            return NULL;
        }
    }
    return copy;
}

/* OpenSSL changed the default for signing in 3.1, from as long as possible to at most the digest's length. */
static int default_salt_len(void)
{
    const unsigned major = OPENSSL_version_major();
    return major > 3 || OPENSSL_version_minor() > 0 ? OCT_SALT_AUTO_DIGEST_MAX : RSA_PSS_SALTLEN_AUTO;
}

int oct_rsa_sig_start(struct oct_rsa_sig *sig, struct oct_prov_rsa *key, int operation, const OSSL_PARAM params[])
{
    if (sig == NULL)
        return 0;
    if (key != NULL) {
        oct_prov_rsa_up_ref(key);
        oct_prov_rsa_free(sig->key);
        sig->key = key;
    }
    if (sig->key == NULL || sig->key->plain == NULL)
        return OCT_RAISE(sig->prov, OCT_REASON_NO_KEY);
    sig->operation = operation;
    sig->pad_mode = RSA_PKCS1_PADDING;
    sig->salt_len = default_salt_len();
    sig->digest_is_fixed = 0;
    sig->is_final = 0;
    return oct_rsa_sig_set_params(sig, params);
}

static int sig_sign_init(void *vsig, void *key, const OSSL_PARAM params[])
{
    return oct_rsa_sig_start(vsig, key, EVP_PKEY_OP_SIGN, params);
}

static int sig_verify_init(void *vsig, void *key, const OSSL_PARAM params[])
{
    return oct_rsa_sig_start(vsig, key, EVP_PKEY_OP_VERIFY, params);
}

static int sig_verify_recover_init(void *vsig, void *key, const OSSL_PARAM params[])
{
    return oct_rsa_sig_start(vsig, key, EVP_PKEY_OP_VERIFYRECOVER, params);
}

size_t oct_rsa_sig_digest_size(const struct oct_rsa_sig *sig)
{
    const int size = sig->digest.md == NULL ? 0 : EVP_MD_get_size(sig->digest.md);
    return size <= 0 ? 0 : (size_t)size;
}

const OSSL_DISPATCH oct_rsa_signature_table[] = {
    OCT_SIGNATURE_ENTRY(NEWCTX, newctx, sig_new),
    OCT_SIGNATURE_ENTRY(FREECTX, freectx, sig_free),
    OCT_SIGNATURE_ENTRY(DUPCTX, dupctx, sig_dup),
    OCT_SIGNATURE_ENTRY(SIGN_INIT, sign_init, sig_sign_init),
    OCT_SIGNATURE_ENTRY(SIGN, sign, oct_rsa_sig_sign),
    OCT_SIGNATURE_ENTRY(VERIFY_INIT, verify_init, sig_verify_init),
    OCT_SIGNATURE_ENTRY(VERIFY, verify, oct_rsa_sig_verify),
    OCT_SIGNATURE_ENTRY(VERIFY_RECOVER_INIT, verify_recover_init, sig_verify_recover_init),
    OCT_SIGNATURE_ENTRY(VERIFY_RECOVER, verify_recover, oct_rsa_sig_verify_recover),
    OCT_SIGNATURE_ENTRY(DIGEST_SIGN_INIT, digest_sign_init, oct_rsa_sig_digest_sign_init),
    OCT_SIGNATURE_ENTRY(DIGEST_SIGN_UPDATE, digest_sign_update, oct_rsa_sig_digest_update),
    OCT_SIGNATURE_ENTRY(DIGEST_SIGN_FINAL, digest_sign_final, oct_rsa_sig_digest_sign_final),
    OCT_SIGNATURE_ENTRY(DIGEST_SIGN, digest_sign, oct_rsa_sig_digest_sign),
    OCT_SIGNATURE_ENTRY(DIGEST_VERIFY_INIT, digest_verify_init, oct_rsa_sig_digest_verify_init),
    OCT_SIGNATURE_ENTRY(DIGEST_VERIFY_UPDATE, digest_verify_update, oct_rsa_sig_digest_update),
    OCT_SIGNATURE_ENTRY(DIGEST_VERIFY_FINAL, digest_verify_final, oct_rsa_sig_digest_verify_final),
    OCT_SIGNATURE_ENTRY(DIGEST_VERIFY, digest_verify, oct_rsa_sig_digest_verify),
    OCT_SIGNATURE_ENTRY(GET_CTX_PARAMS, get_ctx_params, oct_rsa_sig_get_params),
    OCT_SIGNATURE_ENTRY(GETTABLE_CTX_PARAMS, gettable_ctx_params, oct_rsa_sig_gettable_params),
    OCT_SIGNATURE_ENTRY(SET_CTX_PARAMS, set_ctx_params, oct_rsa_sig_set_params),
    OCT_SIGNATURE_ENTRY(SETTABLE_CTX_PARAMS, settable_ctx_params, oct_rsa_sig_settable_params),
    OCT_SIGNATURE_ENTRY(GET_CTX_MD_PARAMS, get_ctx_md_params, oct_rsa_sig_get_md_params),
    OCT_SIGNATURE_ENTRY(GETTABLE_CTX_MD_PARAMS, gettable_ctx_md_params, oct_rsa_sig_gettable_md_params),
    OCT_SIGNATURE_ENTRY(SET_CTX_MD_PARAMS, set_ctx_md_params, oct_rsa_sig_set_md_params),
    OCT_SIGNATURE_ENTRY(SETTABLE_CTX_MD_PARAMS, settable_ctx_md_params, oct_rsa_sig_settable_md_params),
    OCT_DISPATCH_END,
};
