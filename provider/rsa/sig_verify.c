/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Verifying a signature, and recovering what was signed. Everything here is public: no care for time is needed. */
#include "sig.h"

#include "provider/core/provider.h"

#include <openssl/crypto.h>
#include <string.h>

/*
 * The raw public operation on a signature, left-padded. The caller frees *em (2 * key->size bytes, the result first) in
 * any case. Only a PKCS#1 v1.5 signature of a digest must be as long as the modulus.
 */
static int verify_raw(const struct oct_rsa_sig *sig, uint8_t **em, const uint8_t *in, size_t in_len)
{
    const size_t size = oct_rsa_sig_key(sig)->size;
    const bool exact = sig->base.digest.md != NULL && sig->pad_mode == RSA_PKCS1_PADDING;

    *em = NULL;
    if (exact && in_len != size)
        return OCT_RAISE_RSA(sig->base.prov, RSA_R_WRONG_SIGNATURE_LENGTH);
    if (in_len > size)
        return OCT_RAISE_RSA(sig->base.prov, RSA_R_DATA_GREATER_THAN_MOD_LEN);
    *em = OPENSSL_malloc(2 * size);
    if (*em == NULL)
        return OCT_RAISE(sig->base.prov, OCT_REASON_MEMORY);
    memset(*em + size, 0, size - in_len);
    if (in_len != 0)
        memcpy(*em + 2 * size - in_len, in, in_len);
    return oct_rsa_raw(sig->base.key, OCT_RAW_PUBLIC, *em, *em + size) || OCT_RAISE(sig->base.prov, OCT_REASON_RSA);
}

/* Whether the block is the header of the digest and then as many bytes as it has. */
static bool skip_header(const struct oct_digest *info, const uint8_t **data, size_t *len)
{
    uint8_t header[OCT_DIGEST_INFO_MAX];
    size_t header_len = oct_digest_info_to_sign(info, header);

    if (oct_digest_is_mdc2(info) && *len != header_len + info->size)
        header_len = oct_digest_info(info, header);
    if (*len != header_len + info->size || memcmp(*data, header, header_len) != 0)
        return false;
    *data += header_len;
    *len -= header_len;
    return true;
}

/* The signed digest (or data, without a digest) of a block; it points into em. 0, or the reason (RSA_R_...). */
static int recover(const struct oct_rsa_sig *sig, const uint8_t **data, size_t *len, const uint8_t *em)
{
    int reason;

    if (sig->pad_mode == RSA_NO_PADDING) {
        *data = em;
        *len = oct_rsa_sig_key(sig)->size;
        return 0;
    }
    if (sig->pad_mode != RSA_PKCS1_PADDING)
        return RSA_R_UNKNOWN_PADDING_TYPE;
    reason = oct_pkcs1_sign_unpad(data, len, em, oct_rsa_sig_key(sig)->size);
    if (reason != 0) {
        OCT_RAISE(sig->base.prov, ERR_PACK(ERR_LIB_RSA, 0, reason));
        return RSA_R_PADDING_CHECK_FAILED;
    }
    return sig->base.digest.md == NULL || skip_header(sig->base.digest.info, data, len) ? 0 : RSA_R_BAD_SIGNATURE;
}

/* Data that differ raise no error where there is no digest, as with OpenSSL's own. */
static int verify_padded(const struct oct_rsa_sig *sig, uint8_t *em, const uint8_t *tbs, size_t tbs_len)
{
    const uint8_t *data;
    struct oct_pss pss;
    size_t len;
    int reason;

    if (sig->pad_mode == RSA_PKCS1_PSS_PADDING && sig->base.digest.md != NULL) {
        pss = oct_rsa_sig_pss(sig);
        reason = oct_pss_verify(&pss, em, tbs);
        return reason == 0 ? 1 : OCT_RAISE_RSA(sig->base.prov, reason);
    }
    reason = recover(sig, &data, &len, em);
    if (reason != 0)
        return OCT_RAISE_RSA(sig->base.prov, reason);
    if (len == tbs_len && memcmp(data, tbs, len) == 0)
        return 1;
    return sig->base.digest.md == NULL ? 0 : OCT_RAISE_RSA(sig->base.prov, RSA_R_BAD_SIGNATURE);
}

int oct_rsa_sig_verify(void *vsig, const unsigned char *in, size_t in_len, const unsigned char *tbs, size_t tbs_len)
{
    const struct oct_rsa_sig *sig = vsig;
    uint8_t *em;
    int ok;

    if (sig == NULL || sig->base.key == NULL)
        return 0;
    if (oct_rsa_sig_is_fallback(sig))
        return oct_sig_verify_fallback(&sig->base, in, in_len, tbs, tbs_len);
    if (sig->pad_mode == RSA_PKCS1_PSS_PADDING && tbs_len != oct_sig_digest_size(&sig->base))
        return OCT_RAISE(sig->base.prov, OCT_REASON_DIGEST_LENGTH);
    ok = verify_raw(sig, &em, in, in_len) && verify_padded(sig, em, tbs, tbs_len);
    OPENSSL_free(em);
    return ok;
}

static int recover_to(const struct oct_rsa_sig *sig, uint8_t *out, size_t *out_len, const uint8_t *em)
{
    const uint8_t *data;
    size_t len;
    const int reason = recover(sig, &data, &len, em);

    if (reason != 0)
        return OCT_RAISE_RSA(sig->base.prov, reason);
    memcpy(out, data, len);
    *out_len = len;
    return 1;
}

/* The room for what may come is asked for before anything is known of the signature. */
int oct_rsa_sig_verify_recover(void *vsig, unsigned char *out, size_t *out_len, size_t out_size,
                               const unsigned char *in, size_t in_len)
{
    const struct oct_rsa_sig *sig = vsig;
    EVP_PKEY_CTX *ctx;
    uint8_t *em;
    int ok;

    if (sig == NULL || sig->base.key == NULL)
        return 0;
    if (out == NULL) {
        *out_len = oct_rsa_sig_key(sig)->size;
        return 1;
    }
    if (oct_rsa_sig_is_fallback(sig)) {
        *out_len = out_size;
        ctx = oct_sig_fallback_ctx(&sig->base, EVP_PKEY_OP_VERIFYRECOVER);
        ok = ctx != NULL && EVP_PKEY_verify_recover(ctx, out, out_len, in, in_len) > 0;
        EVP_PKEY_CTX_free(ctx);
        return ok;
    }
    if (out_size < (sig->base.digest.md != NULL ? oct_sig_digest_size(&sig->base) : oct_rsa_sig_key(sig)->size))
        return OCT_RAISE(sig->base.prov, OCT_REASON_BUFFER_TOO_SMALL);
    ok = verify_raw(sig, &em, in, in_len) && recover_to(sig, out, out_len, em);
    OPENSSL_free(em);
    return ok;
}
