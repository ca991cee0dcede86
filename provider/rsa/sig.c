/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* RSA signature contexts: what contexts/sig.h leaves to the family, and the dispatch table. */
#include "sig.h"

#include "provider/core/dispatch.h"
#include "provider/core/provider.h"
#include "pad.h"

static int sig_start(struct oct_sig *vsig)
{
    struct oct_rsa_sig *sig = (struct oct_rsa_sig *)vsig;
    const struct oct_prov_rsa *key = vsig->key;
    const bool is_3_0 = OPENSSL_version_major() == 3 && OPENSSL_version_minor() == 0;

    sig->pad_mode = RSA_PKCS1_PADDING;
    /* OpenSSL changed the default for signing in 3.1, from as long as possible to at most the digest's length. */
    sig->salt_len = is_3_0 ? RSA_PSS_SALTLEN_AUTO : OCT_SALT_AUTO_DIGEST_MAX;
    return key->fallback != NULL;
}

static int takes_digest(const struct oct_sig *sig, const struct oct_sig_digest *digest)
{
    return oct_rsa_sig_knows_digest(sig, digest) && oct_rsa_sig_check_padding((const struct oct_rsa_sig *)sig, digest);
}

static size_t signature_size(const struct oct_sig *sig)
{
    return ((const struct oct_prov_rsa *)sig->key)->size;
}

static EVP_PKEY *fallback_key(const struct oct_sig *sig)
{
    return ((const struct oct_prov_rsa *)sig->key)->fallback;
}

static const struct oct_sig_family family = {
    .context_size = sizeof(struct oct_rsa_sig),
    .start = sig_start,
    .takes_digest = takes_digest,
    .signature_size = signature_size,
    .fallback_key = fallback_key,
    .copy_settings = oct_rsa_sig_copy_settings,
    .set_params = oct_rsa_sig_set_params,
    .sign = oct_rsa_sig_sign,
    .verify = oct_rsa_sig_verify,
};

static void *sig_new(void *provctx, const char *props)
{
    return oct_sig_new(provctx, &family, props);
}

static void sig_free(void *vsig)
{
    struct oct_rsa_sig *sig = vsig;

    if (sig != NULL)
        EVP_MD_free(sig->mgf1.md);
    oct_sig_free(sig);
}

static void *sig_dup(void *vsig)
{
    struct oct_rsa_sig *copy = oct_sig_dup(vsig);

    if (copy != NULL && copy->mgf1.md != NULL && !EVP_MD_up_ref(copy->mgf1.md))
        copy->mgf1.md = NULL;
    return copy;
}

static int sig_verify_recover_init(void *vsig, void *key, const OSSL_PARAM params[])
{
    return oct_sig_start(vsig, key, EVP_PKEY_OP_VERIFYRECOVER, params);
}

const OSSL_DISPATCH oct_rsa_signature_table[] = {
    OCT_SIGNATURE_ENTRY(NEWCTX, newctx, sig_new),
    OCT_SIGNATURE_ENTRY(FREECTX, freectx, sig_free),
    OCT_SIGNATURE_ENTRY(DUPCTX, dupctx, sig_dup),
    OCT_SIGNATURE_ENTRY(SIGN_INIT, sign_init, oct_sig_sign_init),
    OCT_SIGNATURE_ENTRY(SIGN, sign, oct_rsa_sig_sign),
    OCT_SIGNATURE_ENTRY(VERIFY_INIT, verify_init, oct_sig_verify_init),
    OCT_SIGNATURE_ENTRY(VERIFY, verify, oct_rsa_sig_verify),
    OCT_SIGNATURE_ENTRY(VERIFY_RECOVER_INIT, verify_recover_init, sig_verify_recover_init),
    OCT_SIGNATURE_ENTRY(VERIFY_RECOVER, verify_recover, oct_rsa_sig_verify_recover),
    OCT_SIGNATURE_ENTRY(GET_CTX_PARAMS, get_ctx_params, oct_rsa_sig_get_params),
    OCT_SIGNATURE_ENTRY(GETTABLE_CTX_PARAMS, gettable_ctx_params, oct_rsa_sig_gettable_params),
    OCT_SIGNATURE_ENTRY(SET_CTX_PARAMS, set_ctx_params, oct_rsa_sig_set_params),
    OCT_SIGNATURE_ENTRY(SETTABLE_CTX_PARAMS, settable_ctx_params, oct_rsa_sig_settable_params),
    OCT_SIG_MESSAGE_ENTRIES,
    OCT_DISPATCH_END,
};
