/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* ECDSA signature contexts: what contexts/sig.h leaves to the family, and the dispatch table. */
#include "sig.h"

#include "provider/core/dispatch.h"
#include "ec.h"
#include "provider/core/provider.h"

/* Nothing but the nonce type is kept here from one operation to the next, and that stays, as the digest does. */
static int sig_start(struct oct_sig *sig)
{
    (void)sig;
    return 1;
}

/* Any, but for those without a size of their own, which OpenSSL turns away from 3.4 on. */
static int takes_digest(const struct oct_sig *sig, const struct oct_sig_digest *digest)
{
    const bool any = OPENSSL_version_major() == 3 && OPENSSL_version_minor() < 4;

    if (any || (EVP_MD_get_flags(digest->md) & EVP_MD_FLAG_XOF) == 0)
        return 1;
    return OCT_RAISE_DATA(sig->prov, OCT_REASON_XOF, "digest=%s", digest->name);
}

static size_t signature_size(const struct oct_sig *sig)
{
    const struct oct_prov_ec *key = sig->key;
    EVP_PKEY *fallback;
    int size;

    if (key->curve >= 0)
        return (size_t)oct_prov_curves[key->curve].signature_size;
    fallback = oct_prov_ec_fallback(key);
    size = fallback == NULL ? 0 : EVP_PKEY_get_size(fallback);
    return size < 0 ? 0 : (size_t)size;
}

static EVP_PKEY *fallback_key(const struct oct_sig *sig)
{
    return oct_prov_ec_fallback(sig->key);
}

static const struct oct_sig_family family = {
    .context_size = sizeof(struct oct_ec_sig),
    .start = sig_start,
    .takes_digest = takes_digest,
    .signature_size = signature_size,
    .fallback_key = fallback_key,
    .copy_settings = oct_ec_sig_copy_settings,
    .set_params = oct_ec_sig_set_params,
    .sign = oct_ec_sig_sign,
    .verify = oct_ec_sig_verify,
};

static void *sig_new(void *provctx, const char *props)
{
    return oct_sig_new(provctx, &family, props);
}

const OSSL_DISPATCH oct_ec_signature_table[] = {
    OCT_SIGNATURE_ENTRY(NEWCTX, newctx, sig_new),
    OCT_SIGNATURE_ENTRY(FREECTX, freectx, oct_sig_free),
    OCT_SIGNATURE_ENTRY(DUPCTX, dupctx, oct_sig_dup),
    OCT_SIGNATURE_ENTRY(SIGN_INIT, sign_init, oct_sig_sign_init),
    OCT_SIGNATURE_ENTRY(SIGN, sign, oct_ec_sig_sign),
    OCT_SIGNATURE_ENTRY(VERIFY_INIT, verify_init, oct_sig_verify_init),
    OCT_SIGNATURE_ENTRY(VERIFY, verify, oct_ec_sig_verify),
    OCT_SIGNATURE_ENTRY(GET_CTX_PARAMS, get_ctx_params, oct_ec_sig_get_params),
    OCT_SIGNATURE_ENTRY(GETTABLE_CTX_PARAMS, gettable_ctx_params, oct_ec_sig_gettable_params),
    OCT_SIGNATURE_ENTRY(SET_CTX_PARAMS, set_ctx_params, oct_ec_sig_set_params),
    OCT_SIGNATURE_ENTRY(SETTABLE_CTX_PARAMS, settable_ctx_params, oct_ec_sig_settable_params),
    OCT_SIG_MESSAGE_ENTRIES,
    OCT_DISPATCH_END,
};
