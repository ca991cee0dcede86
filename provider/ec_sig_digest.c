/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Signing and verifying messages: EVP_DigestSign*, EVP_DigestVerify*. The one-shot entries spare OpenSSL the copy of
 * the whole context that it makes before every final (libssl signs a TLS 1.3 handshake in one shot).
 */
#include "ec_sig.h"

#include "provider.h"

#include <openssl/crypto.h>

static int message_start(struct oct_ec_sig *sig, const char *name, struct oct_prov_ec *key, int operation,
                         const OSSL_PARAM params[])
{
    if (!oct_ec_sig_start(sig, key, operation, params))
        return 0;
    if (name != NULL && name[0] != '\0' && !oct_ec_sig_set_digest(sig, name, NULL))
        return 0;
    if (sig->md == NULL)
        return OCT_RAISE(sig->prov, OCT_REASON_DIGEST_UNKNOWN);
    sig->digest_is_fixed = 1;
    if (sig->md_ctx == NULL)
        sig->md_ctx = EVP_MD_CTX_new();
    return sig->md_ctx != NULL && EVP_DigestInit_ex2(sig->md_ctx, sig->md, params);
}

int oct_ec_sig_digest_sign_init(void *vsig, const char *name, void *key, const OSSL_PARAM params[])
{
    return message_start(vsig, name, key, EVP_PKEY_OP_SIGNCTX, params);
}

int oct_ec_sig_digest_verify_init(void *vsig, const char *name, void *key, const OSSL_PARAM params[])
{
    return message_start(vsig, name, key, EVP_PKEY_OP_VERIFYCTX, params);
}

int oct_ec_sig_digest_update(void *vsig, const unsigned char *data, size_t len)
{
    struct oct_ec_sig *sig = vsig;

    if (sig == NULL || sig->md_ctx == NULL)
        return 0;
    if (sig->is_final)
        return OCT_RAISE(sig->prov, OCT_REASON_OUT_OF_ORDER);
    return EVP_DigestUpdate(sig->md_ctx, data, len);
}

/* The message's digest, once. */
static int message_end(struct oct_ec_sig *sig, uint8_t digest[EVP_MAX_MD_SIZE], unsigned *len)
{
    if (sig == NULL || sig->md_ctx == NULL)
        return 0;
    if (sig->is_final)
        return OCT_RAISE(sig->prov, OCT_REASON_OUT_OF_ORDER);
    sig->is_final = 1;
    sig->digest_is_fixed = 0;
    return EVP_DigestFinal_ex(sig->md_ctx, digest, len);
}

int oct_ec_sig_digest_sign_final(void *vsig, unsigned char *out, size_t *len, size_t out_size)
{
    struct oct_ec_sig *sig = vsig;
    uint8_t digest[EVP_MAX_MD_SIZE];
    unsigned digest_len;

    if (sig == NULL || sig->key == NULL)
        return 0;
    if (out == NULL || out_size < oct_ec_sig_size(sig))
        return oct_ec_sig_sign(sig, out, len, out_size, NULL, 0);
    return message_end(sig, digest, &digest_len) && oct_ec_sig_sign(sig, out, len, out_size, digest, digest_len);
}

int oct_ec_sig_digest_sign(void *vsig, unsigned char *out, size_t *len, size_t out_size, const unsigned char *tbs,
                           size_t tbs_len)
{
    struct oct_ec_sig *sig = vsig;

    if (sig == NULL || sig->key == NULL)
        return 0;
    if (out == NULL || out_size < oct_ec_sig_size(sig))
        return oct_ec_sig_sign(sig, out, len, out_size, NULL, 0);
    return oct_ec_sig_digest_update(sig, tbs, tbs_len) && oct_ec_sig_digest_sign_final(sig, out, len, out_size);
}

int oct_ec_sig_digest_verify_final(void *vsig, const unsigned char *in, size_t in_len)
{
    struct oct_ec_sig *sig = vsig;
    uint8_t digest[EVP_MAX_MD_SIZE];
    unsigned digest_len;

    return message_end(sig, digest, &digest_len) && oct_ec_sig_verify(sig, in, in_len, digest, digest_len);
}

int oct_ec_sig_digest_verify(void *vsig, const unsigned char *in, size_t in_len, const unsigned char *tbs,
                             size_t tbs_len)
{
    return oct_ec_sig_digest_update(vsig, tbs, tbs_len) && oct_ec_sig_digest_verify_final(vsig, in, in_len);
}

int oct_ec_sig_get_md_params(void *vsig, OSSL_PARAM params[])
{
    struct oct_ec_sig *sig = vsig;
    return sig != NULL && sig->md_ctx != NULL && EVP_MD_CTX_get_params(sig->md_ctx, params);
}

const OSSL_PARAM *oct_ec_sig_gettable_md_params(void *vsig)
{
    struct oct_ec_sig *sig = vsig;
    return sig == NULL || sig->md == NULL ? NULL : EVP_MD_gettable_ctx_params(sig->md);
}

int oct_ec_sig_set_md_params(void *vsig, const OSSL_PARAM params[])
{
    struct oct_ec_sig *sig = vsig;
    return sig != NULL && sig->md_ctx != NULL && EVP_MD_CTX_set_params(sig->md_ctx, params);
}

const OSSL_PARAM *oct_ec_sig_settable_md_params(void *vsig)
{
    struct oct_ec_sig *sig = vsig;
    return sig == NULL || sig->md == NULL ? NULL : EVP_MD_settable_ctx_params(sig->md);
}
