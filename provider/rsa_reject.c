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
#include "rsa_pad.h"

#include "provider.h"

#include <openssl/crypto.h>
#include <string.h>

#define HASH_LEN   32
#define HASH_BLOCK 64

struct hmac {
    const EVP_MD *sha256;
    EVP_MD_CTX *ctx;
    uint8_t inner[HASH_BLOCK], outer[HASH_BLOCK]; /* the key, XORed with RFC 2104's two pads */
};

struct piece {
    const void *data;
    size_t len;
};

static void hmac_key(struct hmac *hmac, const uint8_t key[HASH_LEN])
{
    for (size_t i = 0; i < HASH_BLOCK; i++) {
        const uint8_t byte = i < HASH_LEN ? key[i] : 0;
        hmac->inner[i] = byte ^ 0x36;
        hmac->outer[i] = byte ^ 0x5c;
    }
}

static int hash(struct hmac *hmac, uint8_t out[HASH_LEN], const struct piece piece[], unsigned pieces)
{
    int ok = EVP_DigestInit_ex2(hmac->ctx, hmac->sha256, NULL);
    for (unsigned i = 0; ok && i < pieces; i++)
        ok = EVP_DigestUpdate(hmac->ctx, piece[i].data, piece[i].len);
    return ok && EVP_DigestFinal_ex(hmac->ctx, out, NULL);
}

static int hmac_run(struct hmac *hmac, uint8_t out[HASH_LEN], const void *data, size_t len)
{
    const struct piece inner[] = {{hmac->inner, HASH_BLOCK}, {data, len}};
    const struct piece outer[] = {{hmac->outer, HASH_BLOCK}, {out, HASH_LEN}};

    return hash(hmac, out, inner, 2) && hash(hmac, out, outer, 2);
}

/* len is at most 2^13 - 1, so that its bits fit; the largest modulus has 2048 bytes. */
static int prf(struct hmac *hmac, uint8_t *out, size_t len, const char *label)
{
    const size_t label_len = strlen(label), bits = len * 8;
    uint8_t input[16], block[HASH_LEN];
    int ok = 1;

    memcpy(input + 2, label, label_len);
    input[2 + label_len] = (uint8_t)(bits >> 8);
    input[3 + label_len] = (uint8_t)bits;
    for (size_t at = 0, i = 0; ok && at < len; at += HASH_LEN, i++) {
        input[0] = (uint8_t)(i >> 8);
        input[1] = (uint8_t)i;
        ok = hmac_run(hmac, block, input, 4 + label_len);
        memcpy(out + at, block, len - at < HASH_LEN ? len - at : HASH_LEN);
    }
    OPENSSL_cleanse(block, sizeof block);
    return ok;
}

int oct_reject_make(struct oct_prov *prov, uint8_t *synthetic, uint8_t lengths[OCT_REJECT_LENGTHS],
                    const uint8_t d_hash[HASH_LEN], const uint8_t *ciphertext, size_t size)
{
    const struct oct_digest *info;
    EVP_MD *sha256 = oct_digest_fetch(prov, &info, "SHA2-256", NULL);
    struct hmac hmac = {.sha256 = sha256, .ctx = EVP_MD_CTX_new()};
    uint8_t kdk[HASH_LEN];
    int ok = sha256 != NULL && hmac.ctx != NULL;

    if (ok) {
        hmac_key(&hmac, d_hash);
        ok = hmac_run(&hmac, kdk, ciphertext, size);
    }
    if (ok) {
        hmac_key(&hmac, kdk);
        ok = prf(&hmac, synthetic, size, "message") && prf(&hmac, lengths, OCT_REJECT_LENGTHS, "length");
    }
    OPENSSL_cleanse(kdk, sizeof kdk);
    OPENSSL_cleanse(hmac.inner, sizeof hmac.inner);
    OPENSSL_cleanse(hmac.outer, sizeof hmac.outer);
    EVP_MD_CTX_free(hmac.ctx);
    EVP_MD_free(sha256);
    return ok ? 1 : OCT_RAISE(prov, OCT_REASON_INTERNAL);
}
