/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* What HKDF computes: RFC 5869. Lengths are public. */
#include "kdf.h"

#include <string.h>

/* A counter of one byte numbers the digests. */
#define MAX_DIGESTS 255

/* T(i) = HMAC(key, T(i-1) || info || i). Programs that speak QUIC derive three things from a secret in a row. */
static void expand(const struct oct_kdf *kdf, const uint8_t *key, size_t key_len, uint8_t *out, size_t len)
{
    const size_t size = oct_hash_size(kdf->hash), info_len = kdf->len[OCT_KDF_DATA];
    uint8_t text[OCT_KDF_ROOM + 1], block[OCT_HASH_MAX_BYTES] = {0};
    struct oct_hmac room;
    const struct oct_hmac *hmac = oct_kdf_with_key(&room, kdf->hash, key, key_len);

    memcpy(text, kdf->field[OCT_KDF_DATA], info_len);
    for (size_t done = 0; done < len; done += size) {
        text[info_len] = (uint8_t)(done / size + 1);
        oct_hmac_make(hmac, block, block, done > 0 ? size : 0, text, info_len + 1);
        memcpy(out + done, block, len - done < size ? len - done : size);
    }
    explicit_bzero(&room, sizeof room);
    explicit_bzero(block, sizeof block);
}

/* No salt is the same as one of zeros. */
static void extract(const struct oct_kdf *kdf, uint8_t *out)
{
    struct oct_hmac hmac;

    oct_hmac_set_key(&hmac, kdf->hash, kdf->field[OCT_KDF_SALT], kdf->len[OCT_KDF_SALT]);
    oct_hmac_make(&hmac, out, kdf->field[OCT_KDF_KEY], kdf->len[OCT_KDF_KEY], NULL, 0);
    explicit_bzero(&hmac, sizeof hmac);
}

static void extract_and_expand(const struct oct_kdf *kdf, uint8_t *out, size_t len)
{
    uint8_t key[OCT_HASH_MAX_BYTES];

    extract(kdf, key);
    expand(kdf, key, oct_hash_size(kdf->hash), out, len);
    explicit_bzero(key, sizeof key);
}

int oct_kdf_hkdf_run(const struct oct_kdf *kdf, uint8_t *out, size_t len)
{
    const size_t size = oct_hash_size(kdf->hash), block = oct_hash_block(kdf->hash);

    if (out == NULL || len == 0 || len > MAX_DIGESTS * size || kdf->len[OCT_KDF_KEY] == 0)
        return 0;
    if (kdf->mode == EVP_KDF_HKDF_MODE_EXPAND_ONLY) {
        if (kdf->len[OCT_KDF_KEY] > block)
            return 0;
        expand(kdf, kdf->field[OCT_KDF_KEY], kdf->len[OCT_KDF_KEY], out, len);
        return 1;
    }
    if (kdf->len[OCT_KDF_SALT] > block)
        return 0;
    if (kdf->mode == EVP_KDF_HKDF_MODE_EXTRACT_AND_EXPAND) {
        extract_and_expand(kdf, out, len);
        return 1;
    }
    if (len != size)
        return 0;
    extract(kdf, out);
    return 1;
}
