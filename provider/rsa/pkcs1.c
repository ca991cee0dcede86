/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* PKCS#1 v1.5 paddings (RFC 8017 sections 7.2.1 and 9.2), but for the secret one (unpad.c). */
#include "pad.h"

#include "provider/core/provider.h"
#include "rsa.h"

#include <openssl/rand.h>
#include <string.h>

int oct_pkcs1_sign_pad(struct oct_prov *prov, uint8_t *em, size_t size, const struct oct_digest *info,
                       const uint8_t *data, size_t len)
{
    uint8_t header[OCT_DIGEST_INFO_MAX];
    const size_t header_len = info == NULL ? 0 : oct_digest_info_to_sign(info, header);
    size_t fill;

    if (size < OCT_PKCS1_OVERHEAD + header_len || len > size - OCT_PKCS1_OVERHEAD - header_len)
        return OCT_RAISE_RSA(prov, info == NULL ? RSA_R_DATA_TOO_LARGE_FOR_KEY_SIZE : RSA_R_DIGEST_TOO_BIG_FOR_RSA_KEY);
    fill = size - 3 - header_len - len;
    em[0] = 0;
    em[1] = 1;
    memset(em + 2, 0xff, fill);
    em[2 + fill] = 0;
    memcpy(em + 3 + fill, header, header_len);
    memcpy(em + 3 + fill + header_len, data, len);
    return 1;
}

int oct_pkcs1_sign_unpad(const uint8_t **data, size_t *len, const uint8_t *em, size_t size)
{
    size_t i = 2;

    if (size < OCT_PKCS1_OVERHEAD || em[0] != 0)
        return RSA_R_INVALID_PADDING;
    if (em[1] != 1)
        return RSA_R_BLOCK_TYPE_IS_NOT_01;
    while (i < size && em[i] == 0xff)
        i++;
    if (i == size)
        return RSA_R_NULL_BEFORE_BLOCK_MISSING;
    if (em[i] != 0)
        return RSA_R_BAD_FIXED_HEADER_DECRYPT;
    if (i < OCT_PKCS1_OVERHEAD - 1)
        return RSA_R_BAD_PAD_BYTE_COUNT;
    *data = em + i + 1;
    *len = size - i - 1;
    return 0;
}

/* Bytes that are zero (one in 256) are drawn again; their places are random too. */
static int random_nonzero(struct oct_prov *prov, uint8_t *out, size_t len)
{
    OSSL_LIB_CTX *libctx = oct_app_ctx(prov);

    if (libctx == NULL || RAND_bytes_ex(libctx, out, len, 0) <= 0)
        return 0;
    for (size_t i = 0; i < len; i++)
        while (out[i] == 0)
            if (RAND_bytes_ex(libctx, &out[i], 1, 0) <= 0)
                return 0;
    return 1;
}

int oct_pkcs1_encrypt_pad(struct oct_prov *prov, uint8_t *em, size_t size, const uint8_t *data, size_t len)
{
    size_t fill;

    if (size < OCT_PKCS1_OVERHEAD || len > size - OCT_PKCS1_OVERHEAD)
        return OCT_RAISE(prov, ERR_PACK(ERR_LIB_RSA, 0, RSA_R_DATA_TOO_LARGE_FOR_KEY_SIZE));
    fill = size - 3 - len;
    em[0] = 0;
    em[1] = 2;
    if (!random_nonzero(prov, em + 2, fill))
        return OCT_RAISE(prov, OCT_REASON_INTERNAL);
    em[2 + fill] = 0;
    memcpy(em + 3 + fill, data, len);
    return 1;
}
