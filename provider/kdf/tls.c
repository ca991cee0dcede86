/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* What the key derivations of TLS compute: RFC 8446 section 7.1, RFC 5246 section 5. Lengths are public. */
#include "kdf.h"

#include "base/call_scope.h"

#include <openssl/crypto.h>
#include <string.h>

/* --- keys */

/*
 * A secret is the key of two to four derivations in a row, and half of each is to take in the key. So what the last two
 * keys have led to is kept until the call into the handshake ends.
 */
#define KEPT 2

static _Thread_local struct {
    struct {
        struct oct_hmac hmac;
        uint8_t key[OCT_KDF_ROOM];
        size_t len;
    } of[KEPT];
    unsigned next; /* to be replaced */
} kept;

static void forget(void)
{
    explicit_bzero(&kept, sizeof kept);
}

const struct oct_hmac *oct_kdf_with_key(struct oct_hmac *room, enum oct_hash hash, const uint8_t *key, size_t len)
{
    for (unsigned i = 0; i < KEPT; i++)
        if (kept.of[i].hmac.hash == hash && kept.of[i].len == len && CRYPTO_memcmp(kept.of[i].key, key, len) == 0)
            return &kept.of[i].hmac;
    oct_hmac_set_key(room, hash, key, len);
    if (oct_call_scope_remember(forget)) {
        const unsigned at = kept.next++ % KEPT;
        kept.of[at].hmac = *room;
        memcpy(kept.of[at].key, key, len);
        kept.of[at].len = len;
    }
    return room;
}

/* --- TLS 1.3 */

/*
 * HKDF-Expand-Label of one digest at most, which is a single HMAC of the label and the number 1:
 *     uint16 length, opaque label<7..255> = prefix || label, opaque context<0..255>, 1
 * len is at most the digest's size; key is as long as that.
 */
static void expand(const struct oct_kdf *kdf, const uint8_t *key, const uint8_t *context, size_t context_len,
                   uint8_t *out, size_t len)
{
    const size_t prefix_len = kdf->len[OCT_KDF_PREFIX], label_len = kdf->len[OCT_KDF_LABEL];
    uint8_t text[3 + 2 * OCT_KDF_ROOM + 1 + OCT_KDF_ROOM + 1], *at = text, block[OCT_HASH_MAX_BYTES];
    struct oct_hmac hmac;

    _Static_assert(2 * OCT_KDF_ROOM <= 255, "prefix and label have one byte for their length");
    *at++ = 0;
    *at++ = (uint8_t)len;
    *at++ = (uint8_t)(prefix_len + label_len);
    at = (uint8_t *)memcpy(at, kdf->field[OCT_KDF_PREFIX], prefix_len) + prefix_len;
    at = (uint8_t *)memcpy(at, kdf->field[OCT_KDF_LABEL], label_len) + label_len;
    *at++ = (uint8_t)context_len;
    at = (uint8_t *)memcpy(at, context, context_len) + context_len;
    *at++ = 1;
    oct_hmac_make(oct_kdf_with_key(&hmac, kdf->hash, key, oct_hash_size(kdf->hash)), block, text, (size_t)(at - text),
                  NULL, 0);
    memcpy(out, block, len);
    explicit_bzero(&hmac, sizeof hmac);
    explicit_bzero(block, sizeof block);
}

/* HKDF-Extract, salted by what the secret before it is derived to. Secrets that are not there are zeros. */
static void extract(const struct oct_kdf *kdf, uint8_t *out)
{
    static const uint8_t zeros[OCT_HASH_MAX_BYTES];
    const size_t size = oct_hash_size(kdf->hash), key_len = kdf->len[OCT_KDF_KEY];
    uint8_t nothing[OCT_HASH_MAX_BYTES], salt[OCT_HASH_MAX_BYTES] = {0};
    struct oct_hmac hmac;

    if (kdf->len[OCT_KDF_SALT] > 0) {
        oct_hash_nothing(kdf->hash, nothing);
        expand(kdf, kdf->field[OCT_KDF_SALT], nothing, size, salt, size);
    }
    oct_hmac_set_key(&hmac, kdf->hash, salt, size);
    oct_hmac_make(&hmac, out, key_len > 0 ? kdf->field[OCT_KDF_KEY] : zeros, key_len > 0 ? key_len : size, NULL, 0);
    explicit_bzero(&hmac, sizeof hmac);
    explicit_bzero(salt, sizeof salt);
}

int oct_kdf_tls13_run(const struct oct_kdf *kdf, uint8_t *out, size_t len)
{
    const size_t size = oct_hash_size(kdf->hash), salt_len = kdf->len[OCT_KDF_SALT];

    if (out == NULL || len == 0 || len > size)
        return 0;
    if (kdf->mode == EVP_KDF_HKDF_MODE_EXPAND_ONLY && kdf->len[OCT_KDF_KEY] == size) {
        expand(kdf, kdf->field[OCT_KDF_KEY], kdf->field[OCT_KDF_DATA], kdf->len[OCT_KDF_DATA], out, len);
        return 1;
    }
    if (kdf->mode == EVP_KDF_HKDF_MODE_EXTRACT_ONLY && len == size && (salt_len == 0 || salt_len == size)) {
        extract(kdf, out);
        return 1;
    }
    return 0;
}

/* --- TLS 1.2 */

/* P_hash: HMAC(key, A(1) || seed) || HMAC(key, A(2) || seed) || ..., where A(0) = seed, A(i) = HMAC(key, A(i-1)). */
int oct_kdf_tls1_prf_run(const struct oct_kdf *kdf, uint8_t *out, size_t len)
{
    const size_t size = oct_hash_size(kdf->hash), seed_len = kdf->len[OCT_KDF_DATA], key_len = kdf->len[OCT_KDF_KEY];
    const uint8_t *seed = kdf->field[OCT_KDF_DATA];
    uint8_t a[OCT_HASH_MAX_BYTES], block[OCT_HASH_MAX_BYTES];
    struct oct_hmac room;

    if (out == NULL || len == 0 || seed_len == 0 || key_len == 0 || key_len > oct_hash_block(kdf->hash))
        return 0;
    const struct oct_hmac *hmac = oct_kdf_with_key(&room, kdf->hash, kdf->field[OCT_KDF_KEY], key_len);
    oct_hmac_make(hmac, a, seed, seed_len, NULL, 0);
    for (size_t done = 0; done < len; done += size) {
        oct_hmac_make(hmac, block, a, size, seed, seed_len);
        memcpy(out + done, block, len - done < size ? len - done : size);
        if (len - done > size)
            oct_hmac_make(hmac, a, a, size, NULL, 0);
    }
    explicit_bzero(&room, sizeof room);
    explicit_bzero(a, sizeof a);
    explicit_bzero(block, sizeof block);
    return 1;
}
