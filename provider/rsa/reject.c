/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Implicit rejection for PKCS#1 v1.5 decryption, as OpenSSL does it since 3.2: a block with bad padding decrypts to a
 * pseudorandom message, so that an attacker learns nothing from whether an error occurred. The message depends on the
 * key and the ciphertext only. It is the same as OpenSSL's to the bit, so that servers with and without Octuple, or a
 * new and an old one behind one address, do not give themselves away by different answers.
 *
 *     KDK            = HMAC-SHA256(SHA256(d), ciphertext)         d and ciphertext at the modulus's length
 *     PRF(label, n)  = HMAC(KDK, i || label || 8n) for i = 0, 1, ...      16-bit i and 8n, cut to n bytes
 *     synthetic      = PRF("message", size)
 *     lengths        = PRF("length", 256)
 *
 * https://datatracker.ietf.org/doc/draft-irtf-cfrg-rsa-guidance/ describes the scheme.
 */
#include "provider/core/hmac.h"
#include "pad.h"

#include <string.h>

/* len is at most 2^13 - 1, so that its bits fit; the largest modulus has 2048 bytes. */
static void prf(const struct oct_hmac *hmac, uint8_t *out, size_t len, const char *label)
{
    const size_t label_len = strlen(label), bits = len * 8;
    uint8_t input[16], block[OCT_HASH_MAX_BYTES];

    memcpy(input + 2, label, label_len);
    input[2 + label_len] = (uint8_t)(bits >> 8);
    input[3 + label_len] = (uint8_t)bits;
    for (size_t at = 0, i = 0; at < len; at += OCT_REJECT_HASH, i++) {
        input[0] = (uint8_t)(i >> 8);
        input[1] = (uint8_t)i;
        oct_hmac_make(hmac, block, input, 4 + label_len, NULL, 0);
        memcpy(out + at, block, len - at < OCT_REJECT_HASH ? len - at : OCT_REJECT_HASH);
    }
    explicit_bzero(block, sizeof block);
}

void oct_reject_make(uint8_t *synthetic, uint8_t lengths[OCT_REJECT_LENGTHS], const uint8_t d_hash[OCT_REJECT_HASH],
                     const uint8_t *ciphertext, size_t size)
{
    struct oct_hmac hmac;
    uint8_t kdk[OCT_REJECT_HASH];

    oct_hmac_set_key(&hmac, OCT_HASH_SHA256, d_hash, OCT_REJECT_HASH);
    oct_hmac_make(&hmac, kdk, ciphertext, size, NULL, 0);
    oct_hmac_set_key(&hmac, OCT_HASH_SHA256, kdk, sizeof kdk);
    prf(&hmac, synthetic, size, "message");
    prf(&hmac, lengths, OCT_REJECT_LENGTHS, "length");
    explicit_bzero(kdk, sizeof kdk);
    explicit_bzero(&hmac, sizeof hmac);
}
