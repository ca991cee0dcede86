/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * SM4's modes on the c tier with key and texts marked secret: counter mode, chains side by side and their decryption,
 * CCM with a forgery. Vectors, counters and lengths are public. What is checked is also what works: each gives its text
 * back.
 */
#include "secret.h"

#include "api/sm4_internal.h"
#include "ops/aead.h"

#include <stdio.h>
#include <string.h>

#define TEXTS 5
#define BYTES 1200 /* a group and a part of a set */

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
        struct oct_sm4_key key;
        if (strcmp(ops[i]->tier, "c") != 0)
            continue;
        good &= oct_sm4_key_init_on(ops[i]->sm4, &key, bytes) == OCT_OK && ctr(&key) && cbc(&key) && ccm(&key);
        oct_sm4_key_clear(&key);
        runs++;
    }
    printf("%u tiers, %s\n", runs, good ? "good" : "WRONG");
    return good && runs > 0 ? 0 : 1;
}
