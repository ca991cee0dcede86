/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * SM4's modes on the c tier with key and texts marked secret: counter mode, chains side by side and their decryption,
 * CCM with a forgery, texts and records of SM4-GCM
 * side by side under two keys. Vectors, counters and lengths are public. What is checked is also what works: each gives
 * its text back.
 */
#include "secret.h"

#include "api/cipher/aead_internal.h"
#include "api/cipher/sm4_internal.h"
#include "ops/aead.h"

#include <stdio.h>
#include <string.h>

#define TEXTS 5
#define BYTES 1200 /* a group and a part of a set */
#define SHORT 144  /* two steps of texts side by side, and a part */

static uint8_t text[TEXTS][BYTES], out[TEXTS][BYTES], back[TEXTS][BYTES];

static int same(void)
{
    OCT_DECLASSIFY(text, sizeof text);
    OCT_DECLASSIFY(back, sizeof back);
    const int good = memcmp(text, back, sizeof text) == 0;
    OCT_SECRET(text, sizeof text);
    return good;
}

static int ctr(const struct oct_sm4_key *key)
{
    int good = 1;
    for (int i = 0; i < TEXTS; i++) {
        uint8_t first[16] = {(uint8_t)i, [15] = 0xf0}, again[16] = {(uint8_t)i, [15] = 0xf0};
        good &= oct_sm4_ctr(key, first, text[i], BYTES - (size_t)i, out[i]) == OCT_OK;
        good &= oct_sm4_ctr(key, again, out[i], BYTES - (size_t)i, back[i]) == OCT_OK;
        memcpy(back[i] + BYTES - i, text[i] + BYTES - i, (size_t)i);
    }
    return good & same();
}

static int cbc(const struct oct_sm4_key *key)
{
    uint8_t iv[TEXTS][16] = {{0}}, again[TEXTS][16] = {{0}};
    struct oct_sm4_cbc there[TEXTS], home[TEXTS];
    for (int i = 0; i < TEXTS; i++) {
        there[i] = (struct oct_sm4_cbc){iv[i], text[i], BYTES, out[i]};
        home[i] = (struct oct_sm4_cbc){again[i], out[i], BYTES, back[i]};
    }
    return oct_sm4_cbc_encrypt(key, there, TEXTS) == OCT_OK && oct_sm4_cbc_decrypt(key, home, TEXTS) == OCT_OK &&
           same();
}

static int ccm(const struct oct_sm4_key *key)
{
    static const uint8_t nonce[12] = {9};
    uint8_t tag[TEXTS][16];
    struct oct_sm4_ccm record[TEXTS];
    int good;
    for (int i = 0; i < TEXTS; i++)
        record[i] = (struct oct_sm4_ccm){nonce, text[0], 40, text[i], BYTES - (size_t)i, out[i], tag[i], 0};
    good = oct_sm4_ccm_seal(key, 12, 16, record, TEXTS) == OCT_OK;
    for (int i = 0; i < TEXTS; i++) {
        record[i].in = out[i];
        record[i].out = back[i];
        memcpy(back[i] + BYTES - i, text[i] + BYTES - i, (size_t)i);
    }
    good &= oct_sm4_ccm_open(key, 12, 16, record, TEXTS) == OCT_OK && same();
    tag[2][3] ^= 1;
    return good && oct_sm4_ccm_open(key, 12, 16, record, TEXTS) == OCT_ERR_AUTH && record[2].status == OCT_ERR_AUTH;
}

/* Texts side by side under keys of their own. */
static int many(const struct oct_sm4_key *key, const struct oct_sm4_key *other)
{
    const struct oct_sm4_key *keys[TEXTS];
    uint8_t iv[TEXTS][16] = {{0}}, again[TEXTS][16] = {{0}};
    struct oct_sm4_ctr_text there[TEXTS], home[TEXTS];
    struct oct_sm4_cbc chained[TEXTS], opened[TEXTS];
    for (int i = 0; i < TEXTS; i++) {
        keys[i] = i % 2 ? key : other;
        there[i] = (struct oct_sm4_ctr_text){iv[i], text[i], SHORT, out[i]};
        home[i] = (struct oct_sm4_ctr_text){again[i], out[i], SHORT, back[i]};
        chained[i] = (struct oct_sm4_cbc){iv[i], text[i], SHORT, out[i]};
        opened[i] = (struct oct_sm4_cbc){again[i], out[i], SHORT, back[i]};
        memcpy(back[i] + SHORT, text[i] + SHORT, BYTES - SHORT);
    }
    if (oct_sm4_ctr_many(keys, there, TEXTS) != OCT_OK || oct_sm4_ctr_many(keys, home, TEXTS) != OCT_OK || !same())
        return 0;
    return oct_sm4_cbc_encrypt_many(keys, chained, TEXTS) == OCT_OK &&
           oct_sm4_cbc_decrypt_many(keys, opened, TEXTS) == OCT_OK && same();
}

/* Records of SM4-GCM side by side, and a forgery. */
static int gcm(const struct oct_aead_ops *ops, const uint8_t *bytes)
{
    static struct oct_aead_key key[2];
    static const uint8_t nonce[12] = {7};
    struct oct_aead_many record[TEXTS];
    uint8_t tag[TEXTS][16], other[16];
    memcpy(other, bytes, sizeof other);
    other[3] ^= 0x55;
    if (oct_aead_key_init_on(ops, &key[0], OCT_AEAD_SM4_GCM, bytes, 16) != OCT_OK ||
        oct_aead_key_init_on(ops, &key[1], OCT_AEAD_SM4_GCM, other, 16) != OCT_OK)
        return 0;
    for (int i = 0; i < TEXTS; i++)
        record[i] =
            (struct oct_aead_many){&key[i % 2], nonce, text[0], 40 + (size_t)i, text[i], SHORT, out[i], tag[i], -1};
    if (oct_aead_seal_many(record, TEXTS) != OCT_OK)
        return 0;
    for (int i = 0; i < TEXTS; i++) {
        record[i].in = out[i];
        record[i].out = back[i];
        memcpy(back[i] + SHORT, text[i] + SHORT, BYTES - SHORT);
    }
    if (oct_aead_open_many(record, TEXTS) != OCT_OK || !same())
        return 0;
    tag[2][3] ^= 1;
    return oct_aead_open_many(record, TEXTS) == OCT_ERR_AUTH && record[2].status == OCT_ERR_AUTH;
}

int main(void)
{
    const struct oct_aead_ops *ops[OCT_AEAD_TIERS];
    const unsigned count = oct_aead_runnable(OCT_AEAD_SM4_CCM, ops);
    uint8_t bytes[16];
    int good = 1;
    unsigned runs = 0;
    for (size_t i = 0; i < sizeof text; i++)
        text[i / BYTES][i % BYTES] = (uint8_t)(i * 7 >> 2);
    memset(bytes, 0x3c, sizeof bytes);
    OCT_SECRET(bytes, sizeof bytes);
    OCT_SECRET(text, sizeof text);
    for (unsigned i = 0; i < count; i++) {
        struct oct_sm4_key key, other;
        if (strcmp(ops[i]->tier, "c") != 0)
            continue;
        good &= oct_sm4_key_init_on(ops[i]->sm4, &key, bytes) == OCT_OK && ctr(&key) && cbc(&key) && ccm(&key);
        bytes[0] ^= 1;
        good &= oct_sm4_key_init_on(ops[i]->sm4, &other, bytes) == OCT_OK && many(&key, &other);
        oct_sm4_key_clear(&key);
        oct_sm4_key_clear(&other);
        runs++;
    }
    for (unsigned i = 0; i < oct_aead_runnable(OCT_AEAD_SM4_GCM, ops); i++)
        if (strcmp(ops[i]->tier, "c") == 0)
            good &= gcm(ops[i], bytes);
    printf("%u tiers, %s\n", runs, good ? "good" : "WRONG");
    return good && runs > 0 ? 0 : 1;
}
