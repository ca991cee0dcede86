/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Verifying a signature, and recovering what was signed. Everything here is public: no care for time is needed. */
#include "rsa_sig.h"

#include "provider.h"

#include <openssl/crypto.h>
#include <string.h>

/*
 * The raw public operation on a signature, left-padded; `exact` demands the modulus's length. The caller frees *em
 * (2 * key->size bytes, the result first) in any case.
 */
static int verify_raw(const struct oct_rsa_sig *sig, uint8_t **em, const uint8_t *in, size_t in_len, int exact)
{
    const size_t size = oct_rsa_sig_key(sig)->size;

    *em = NULL;
    if (in_len > size || in_len == 0 || (exact && in_len != size))
        return OCT_RAISE(sig->base.prov, OCT_REASON_INPUT_LENGTH);
    *em = OPENSSL_malloc(2 * size);
    if (*em == NULL)
        return OCT_RAISE(sig->base.prov, OCT_REASON_MEMORY);
    memset(*em + size, 0, size - in_len);
    memcpy(*em + 2 * size - in_len, in, in_len);
    return oct_rsa_raw(sig->base.key, OCT_RAW_PUBLIC, *em, *em + size);
}

/* The signed digest (or data, without a digest) of a PKCS#1 v1.5 block; it points into em. */
static int recover_pkcs1(const struct oct_rsa_sig *sig, const uint8_t **data, size_t *len, const uint8_t *em)
{
    uint8_t header[OCT_DIGEST_INFO_MAX];
    size_t header_len;

    if (!oct_pkcs1_sign_unpad(data, len, em, oct_rsa_sig_key(sig)->size))
        return 0;
    if (sig->base.digest.md == NULL)
        return 1;
    header_len = oct_digest_info(sig->base.digest.info, header);
    if (*len != header_len + sig->base.digest.info->size || memcmp(*data, header, header_len) != 0)
        return 0;
    *data += header_len;
    *len -= header_len;
    return 1;
}

static int recover(const struct oct_rsa_sig *sig, const uint8_t **data, size_t *len, const uint8_t *em)
{
    if (sig->pad_mode == RSA_PKCS1_PADDING)
        return recover_pkcs1(sig, data, len, em);
    if (sig->pad_mode != RSA_NO_PADDING || sig->base.digest.md != NULL)
        return 0;
    *data = em;
    *len = oct_rsa_sig_key(sig)->size;
    return 1;
}

static int verify_padded(const struct oct_rsa_sig *sig, uint8_t *em, const uint8_t *tbs, size_t tbs_len)
{
    const uint8_t *data;
    struct oct_pss pss;
    size_t len;

    if (sig->pad_mode == RSA_PKCS1_PSS_PADDING && sig->base.digest.md != NULL) {
        pss = oct_rsa_sig_pss(sig);
        return oct_pss_verify(&pss, em, tbs);
    }
    return recover(sig, &data, &len, em) && len == tbs_len && memcmp(data, tbs, len) == 0;
}

int oct_rsa_sig_verify(void *vsig, const unsigned char *in, size_t in_len, const unsigned char *tbs, size_t tbs_len)
{
    const struct oct_rsa_sig *sig = vsig;
    uint8_t *em;
    int ok;

    if (sig == NULL || sig->base.key == NULL)
        return 0;
    if (oct_rsa_sig_is_plain(sig))
        return oct_sig_verify_plain(&sig->base, in, in_len, tbs, tbs_len);
    if (sig->base.digest.md != NULL && tbs_len != oct_sig_digest_size(&sig->base))
        return OCT_RAISE(sig->base.prov, OCT_REASON_DIGEST_LENGTH);
    ok = verify_raw(sig, &em, in, in_len, sig->base.digest.md != NULL);
    if (ok && !verify_padded(sig, em, tbs, tbs_len))
        ok = OCT_RAISE(sig->base.prov, OCT_REASON_BAD_SIGNATURE);
    OPENSSL_free(em);
    return ok;
}

static int recover_plain(const struct oct_rsa_sig *sig, uint8_t *out, size_t *len, const uint8_t *in, size_t in_len)
{
    EVP_PKEY_CTX *ctx = oct_sig_plain_ctx(&sig->base, EVP_PKEY_OP_VERIFYRECOVER);
    const int ok = ctx != NULL && EVP_PKEY_verify_recover(ctx, out, len, in, in_len) > 0;

    EVP_PKEY_CTX_free(ctx);
    return ok;
}

static int recover_to(const struct oct_rsa_sig *sig, uint8_t *out, size_t *out_len, size_t out_size, const uint8_t *em)
{
    const uint8_t *data;
    size_t len;

    if (!recover(sig, &data, &len, em))
        return OCT_RAISE(sig->base.prov, OCT_REASON_BAD_SIGNATURE);
    if (len > out_size)
        return OCT_RAISE(sig->base.prov, OCT_REASON_BUFFER_TOO_SMALL);
    memcpy(out, data, len);
    *out_len = len;
    return 1;
}

int oct_rsa_sig_verify_recover(void *vsig, unsigned char *out, size_t *out_len, size_t out_size,
                               const unsigned char *in, size_t in_len)
{
    const struct oct_rsa_sig *sig = vsig;
    uint8_t *em;
    int ok;

    if (sig == NULL || sig->base.key == NULL)
        return 0;
    if (out == NULL) {
        *out_len = oct_rsa_sig_key(sig)->size;
        return 1;
    }
    if (oct_rsa_sig_is_plain(sig)) {
        *out_len = out_size;
        return recover_plain(sig, out, out_len, in, in_len);
    }
    ok = verify_raw(sig, &em, in, in_len, sig->base.digest.md != NULL) && recover_to(sig, out, out_len, out_size, em);
    OPENSSL_free(em);
    return ok;
}
