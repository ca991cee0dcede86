/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Signing a digest or raw data: padding here, the raw operation wherever it is cheapest (async/task.c). */
#include "sig.h"

#include "provider/core/provider.h"

#include <openssl/crypto.h>
#include <string.h>

struct oct_pss oct_rsa_sig_pss(const struct oct_rsa_sig *sig)
{
    return (struct oct_pss){
        .md = sig->base.digest.md,
        .mgf1_md = sig->mgf1_is_set ? sig->mgf1.md : sig->base.digest.md,
        .salt_len = sig->salt_len,
        .bits = oct_rsa_sig_key(sig)->bits,
    };
}

/* Raw data, without a digest. */
static int sign_pad_data(const struct oct_rsa_sig *sig, uint8_t *em, const uint8_t *tbs, size_t tbs_len)
{
    const size_t size = oct_rsa_sig_key(sig)->size;

    if (sig->pad_mode == RSA_PKCS1_PADDING)
        return oct_pkcs1_sign_pad(sig->base.prov, em, size, NULL, tbs, tbs_len);
    if (sig->pad_mode != RSA_NO_PADDING)
        return OCT_RAISE_RSA(sig->base.prov, RSA_R_UNKNOWN_PADDING_TYPE);
    if (tbs_len != size)
        return OCT_RAISE_RSA(sig->base.prov,
                             tbs_len > size ? RSA_R_DATA_TOO_LARGE_FOR_KEY_SIZE : RSA_R_DATA_TOO_SMALL_FOR_KEY_SIZE);
    memcpy(em, tbs, size);
    return 1;
}

/* What goes into the raw operation when signing. */
static int sign_pad(const struct oct_rsa_sig *sig, uint8_t *em, const uint8_t *tbs, size_t tbs_len)
{
    const size_t size = oct_rsa_sig_key(sig)->size;
    struct oct_pss pss;

    if (sig->base.digest.md == NULL)
        return sign_pad_data(sig, em, tbs, tbs_len);
    if (tbs_len != oct_sig_digest_size(&sig->base))
        return OCT_RAISE(sig->base.prov, OCT_REASON_DIGEST_LENGTH);
    if (sig->pad_mode == RSA_PKCS1_PADDING)
        return oct_pkcs1_sign_pad(sig->base.prov, em, size, sig->base.digest.info, tbs, tbs_len);
    if (sig->pad_mode != RSA_PKCS1_PSS_PADDING || oct_digest_is_mdc2(sig->base.digest.info))
        return OCT_RAISE(sig->base.prov, OCT_REASON_PAD_MODE_NOW);
    pss = oct_rsa_sig_pss(sig);
    return oct_pss_pad(sig->base.prov, &pss, em, tbs);
}

/* The scratch holds the padded block and the result: while a slice or fibre is paused they must not be the
 * application's memory.
 */
static int sign_raw(const struct oct_rsa_sig *sig, uint8_t *out, const uint8_t *tbs, size_t tbs_len)
{
    const size_t size = oct_rsa_sig_key(sig)->size;
    uint8_t *em = OPENSSL_malloc(2 * size);
    int ok;

    if (em == NULL)
        return OCT_RAISE(sig->base.prov, OCT_REASON_MEMORY);
    ok = sign_pad(sig, em, tbs, tbs_len);
    if (ok && !oct_rsa_raw(sig->base.key, OCT_RAW_SIGN, em + size, em))
        ok = OCT_RAISE(sig->base.prov, OCT_REASON_RSA);
    if (ok)
        memcpy(out, em + size, size);
    OPENSSL_clear_free(em, 2 * size);
    return ok;
}

int oct_rsa_sig_sign(void *vsig, unsigned char *out, size_t *len, size_t out_size, const unsigned char *tbs,
                     size_t tbs_len)
{
    const struct oct_rsa_sig *sig = vsig;

    if (sig == NULL || sig->base.key == NULL)
        return 0;
    if (out == NULL) {
        *len = oct_rsa_sig_key(sig)->size;
        return 1;
    }
    if (out_size < oct_rsa_sig_key(sig)->size)
        return OCT_RAISE(sig->base.prov, OCT_REASON_SIGNATURE_SIZE);
    if (oct_rsa_sig_is_fallback(sig)) {
        *len = out_size;
        return oct_sig_sign_fallback(&sig->base, out, len, tbs, tbs_len);
    }
    if (!sign_raw(sig, out, tbs, tbs_len))
        return 0;
    *len = oct_rsa_sig_key(sig)->size;
    return 1;
}
