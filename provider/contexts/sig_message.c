/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Signing and verifying messages: EVP_DigestSign*, EVP_DigestVerify*. The one-shot entries spare OpenSSL the copy of
 * the whole context that it makes before every final (libssl signs a TLS 1.3 handshake in one shot).
 */
#include "sig.h"

#include "provider/core/provider.h"

#include <openssl/crypto.h>

static int message_start(struct oct_sig *sig, const char *name, void *key, int operation, const OSSL_PARAM params[])
{
    if (!oct_sig_start(sig, key, operation, params))
        return 0;
    if (name != NULL && name[0] != '\0' && !oct_sig_set_digest(sig, name, NULL))
        return 0;
    if (sig->digest.md == NULL)
        return OCT_RAISE(sig->prov, ERR_PACK(ERR_LIB_EVP, 0, EVP_R_NO_DIGEST_SET));
    sig->digest_is_fixed = 1;
    if (sig->md_ctx == NULL)
        sig->md_ctx = EVP_MD_CTX_new();
    if (sig->md_ctx == NULL)
        return OCT_RAISE(sig->prov, OCT_REASON_MEMORY);
    return EVP_DigestInit_ex2(sig->md_ctx, sig->digest.md, params);
}

int oct_sig_message_sign_init(void *vsig, const char *name, void *key, const OSSL_PARAM params[])
{
    return message_start(vsig, name, key, EVP_PKEY_OP_SIGNCTX, params);
}

int oct_sig_message_verify_init(void *vsig, const char *name, void *key, const OSSL_PARAM params[])
{
    return message_start(vsig, name, key, EVP_PKEY_OP_VERIFYCTX, params);
}

int oct_sig_message_update(void *vsig, const unsigned char *data, size_t len)
{
    struct oct_sig *sig = vsig;

    if (sig == NULL || sig->md_ctx == NULL)
        return 0;
    if (sig->is_final)
        return OCT_RAISE(sig->prov, OCT_REASON_OUT_OF_ORDER);
    return EVP_DigestUpdate(sig->md_ctx, data, len);
}

/* The message's digest, once. */
static int message_end(struct oct_sig *sig, uint8_t digest[EVP_MAX_MD_SIZE], unsigned *len)
{
    if (sig == NULL || sig->md_ctx == NULL)
        return 0;
    if (sig->is_final)
        return OCT_RAISE(sig->prov, OCT_REASON_OUT_OF_ORDER);
    sig->is_final = 1;
    sig->digest_is_fixed = 0;
    return EVP_DigestFinal_ex(sig->md_ctx, digest, len);
}

int oct_sig_message_sign_final(void *vsig, unsigned char *out, size_t *len, size_t out_size)
{
    struct oct_sig *sig = vsig;
    uint8_t digest[EVP_MAX_MD_SIZE];
    unsigned digest_len;

    if (sig == NULL || sig->key == NULL)
        return 0;
    if (out == NULL || out_size < sig->family->signature_size(sig))
        return sig->family->sign(sig, out, len, out_size, NULL, 0);
    return message_end(sig, digest, &digest_len) && sig->family->sign(sig, out, len, out_size, digest, digest_len);
}

int oct_sig_message_sign(void *vsig, unsigned char *out, size_t *len, size_t out_size, const unsigned char *tbs,
                         size_t tbs_len)
{
    struct oct_sig *sig = vsig;

    if (sig == NULL || sig->key == NULL)
        return 0;
    if (out == NULL || out_size < sig->family->signature_size(sig))
        return sig->family->sign(sig, out, len, out_size, NULL, 0);
    return oct_sig_message_update(sig, tbs, tbs_len) && oct_sig_message_sign_final(sig, out, len, out_size);
}

int oct_sig_message_verify_final(void *vsig, const unsigned char *in, size_t in_len)
{
    struct oct_sig *sig = vsig;
    uint8_t digest[EVP_MAX_MD_SIZE];
    unsigned digest_len;

    if (!message_end(sig, digest, &digest_len))
        return 0;
    return sig->family->verify(sig, in, in_len, digest, digest_len);
}

int oct_sig_message_verify(void *vsig, const unsigned char *in, size_t in_len, const unsigned char *tbs, size_t tbs_len)
{
    return oct_sig_message_update(vsig, tbs, tbs_len) ? oct_sig_message_verify_final(vsig, in, in_len) : 0;
}

int oct_sig_get_md_params(void *vsig, OSSL_PARAM params[])
{
    struct oct_sig *sig = vsig;
    return sig != NULL && sig->md_ctx != NULL && EVP_MD_CTX_get_params(sig->md_ctx, params);
}

const OSSL_PARAM *oct_sig_gettable_md_params(void *vsig)
{
    struct oct_sig *sig = vsig;
    return sig == NULL || sig->digest.md == NULL ? NULL : EVP_MD_gettable_ctx_params(sig->digest.md);
}

int oct_sig_set_md_params(void *vsig, const OSSL_PARAM params[])
{
    struct oct_sig *sig = vsig;
    return sig != NULL && sig->md_ctx != NULL && EVP_MD_CTX_set_params(sig->md_ctx, params);
}

const OSSL_PARAM *oct_sig_settable_md_params(void *vsig)
{
    struct oct_sig *sig = vsig;
    return sig == NULL || sig->digest.md == NULL ? NULL : EVP_MD_settable_ctx_params(sig->digest.md);
}
