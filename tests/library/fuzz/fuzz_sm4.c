/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* ctest: RUNS widths */
/*
 * SM4's modes on the c tier: texts of any number and lengths come back, whole, in pieces and side by side; forged
 * records of CCM and lengths that are none end with their documented status, and nothing is written behind a text.
 */
#include "input.h"

#include <octuple/aead.h>
#include <octuple/sm4.h>

#include <string.h>

#define TEXTS 20
#define ROOM  320

static uint8_t text[TEXTS][ROOM], out[TEXTS][ROOM], back[TEXTS][ROOM];

static void fuzz_ctr(struct fuzz_input *in, const struct oct_sm4_key *key)
{
    const size_t len = fuzz_below(in, TEXTS * ROOM + 1);
    uint8_t *const sealed = (uint8_t *)out, *const opened = (uint8_t *)back; /* all rows as one text */
    uint8_t counter[16], again[16];
    fuzz_bytes(in, counter, sizeof counter);
    if (fuzz_byte(in) & 1)
        memset(counter, 0xff, 15);
    memcpy(again, counter, sizeof again);
    FUZZ_CHECK(oct_sm4_ctr(key, counter, (const uint8_t *)text, len, sealed) == OCT_OK);
    for (size_t at = 0, n; at < len; at += n) {
        n = 16 * (1 + fuzz_below(in, 70));
        n = n < len - at ? n : len - at;
        FUZZ_CHECK(oct_sm4_ctr(key, again, sealed + at, n, opened + at) == OCT_OK);
    }
    FUZZ_CHECK(memcmp(back, text, len) == 0 && memcmp(counter, again, sizeof counter) == 0);
}

static void fuzz_cbc(struct fuzz_input *in, const struct oct_sm4_key *key)
{
    const unsigned count = fuzz_below(in, TEXTS + 1);
    struct oct_sm4_cbc there[TEXTS], home[TEXTS];
    uint8_t iv[TEXTS][16], again[TEXTS][16];
    fuzz_bytes(in, iv[0], sizeof iv);
    memcpy(again, iv, sizeof again);
    for (unsigned i = 0; i < count; i++) {
        there[i] = (struct oct_sm4_cbc){iv[i], text[i], 16 * (size_t)fuzz_below(in, ROOM / 16 + 1), out[i]};
        home[i] = (struct oct_sm4_cbc){again[i], out[i], there[i].len, back[i]};
    }
    FUZZ_CHECK(oct_sm4_cbc_encrypt(key, there, count) == OCT_OK);
    FUZZ_CHECK(oct_sm4_cbc_decrypt(key, home, count) == OCT_OK);
    for (unsigned i = 0; i < count; i++)
        FUZZ_CHECK(memcmp(back[i], text[i], there[i].len) == 0);
    if (count > 0) {
        there[count - 1].len |= 1 + fuzz_below(in, 15);
        FUZZ_CHECK(oct_sm4_cbc_encrypt(key, there, count) == OCT_ERR_LENGTH);
    }
}

static void fuzz_ccm(struct fuzz_input *in, const struct oct_sm4_key *key)
{
    const unsigned count = 1 + fuzz_below(in, TEXTS), bad = fuzz_below(in, count);
    const size_t nonce_len = fuzz_below(in, 16), tag_len = fuzz_below(in, 18);
    const int good = nonce_len >= 7 && nonce_len <= 13 && tag_len >= 4 && tag_len <= 16 && tag_len % 2 == 0;
    struct oct_sm4_ccm record[TEXTS];
    uint8_t nonce[16], tag[TEXTS][16];
    fuzz_bytes(in, nonce, sizeof nonce);
    for (unsigned i = 0; i < count; i++)
        record[i] = (struct oct_sm4_ccm){
            nonce, text[TEXTS - 1], fuzz_below(in, 100), text[i], fuzz_below(in, ROOM), out[i], tag[i], OCT_OK};
    FUZZ_CHECK(oct_sm4_ccm_seal(key, nonce_len, tag_len, record, count) == (good ? OCT_OK : OCT_ERR_LENGTH));
    if (!good)
        return;
    for (unsigned i = 0; i < count; i++) {
        FUZZ_CHECK(out[i][record[i].len] == 0x5a);
        record[i].in = out[i];
        record[i].out = back[i];
    }
    tag[bad][fuzz_below(in, (unsigned)tag_len)] ^= (uint8_t)(1u + fuzz_below(in, 255));
    FUZZ_CHECK(oct_sm4_ccm_open(key, nonce_len, tag_len, record, count) == OCT_ERR_AUTH);
    for (unsigned i = 0; i < count; i++)
        FUZZ_CHECK(i == bad ? record[i].status == OCT_ERR_AUTH
                            : record[i].status == OCT_OK && memcmp(back[i], text[i], record[i].len) == 0);
}

/* Texts and records of mixed lengths side by side, under two keys: each as it is alone. */
static void fuzz_many(struct fuzz_input *in, const struct oct_sm4_key *key)
{
    const unsigned count = fuzz_below(in, TEXTS + 1);
    struct oct_sm4_key other;
    const struct oct_sm4_key *keys[TEXTS];
    struct oct_sm4_ctr_text there[TEXTS];
    uint8_t counter[TEXTS][16], again[TEXTS][16], bytes[16];
    fuzz_bytes(in, bytes, sizeof bytes);
    FUZZ_CHECK(oct_sm4_key_init(&other, bytes) == OCT_OK);
    fuzz_bytes(in, counter[0], sizeof counter);
    if (fuzz_byte(in) & 1)
        memset(counter[0], 0xff, 15);
    memcpy(again, counter, sizeof again);
    for (unsigned i = 0; i < count; i++) {
        keys[i] = fuzz_byte(in) & 1 ? key : &other;
        there[i] = (struct oct_sm4_ctr_text){counter[i], text[i], fuzz_below(in, ROOM), out[i]};
    }
    FUZZ_CHECK(oct_sm4_ctr_many(keys, there, count) == OCT_OK);
    for (unsigned i = 0; i < count; i++) {
        FUZZ_CHECK(oct_sm4_ctr(keys[i], again[i], text[i], there[i].len, back[i]) == OCT_OK);
        FUZZ_CHECK(memcmp(back[i], out[i], there[i].len) == 0 && out[i][there[i].len] == 0x5a);
        FUZZ_CHECK(memcmp(again[i], counter[i], 16) == 0);
    }
    oct_sm4_key_clear(&other);
}

static void fuzz_records(struct fuzz_input *in, const struct oct_sm4_key *unused)
{
    static uint8_t memory[2][OCT_AEAD_KEY_MAX_BYTES] __attribute__((aligned(OCT_AEAD_ALIGN)));
    const struct oct_aead_key *keys[2] = {(void *)memory[0], (void *)memory[1]};
    const unsigned count = 1 + fuzz_below(in, TEXTS), bad = fuzz_below(in, count);
    struct oct_aead_many record[TEXTS];
    uint8_t nonce[12], tag[TEXTS][16], bytes[16];
    (void)unused;
    fuzz_bytes(in, bytes, sizeof bytes);
    fuzz_bytes(in, nonce, sizeof nonce);
    FUZZ_CHECK(oct_aead_key_init(memory[0], OCT_AEAD_SM4_GCM, bytes, 16) == OCT_OK);
    FUZZ_CHECK(oct_aead_key_init(memory[1], OCT_AEAD_SM4_GCM + (fuzz_byte(in) & 1), bytes, 16) == OCT_OK);
    for (unsigned i = 0; i < count; i++)
        record[i] = (struct oct_aead_many){keys[fuzz_byte(in) & 1],
                                           nonce,
                                           text[TEXTS - 1],
                                           fuzz_below(in, 300),
                                           text[i],
                                           fuzz_below(in, ROOM),
                                           out[i],
                                           tag[i],
                                           -1};
    FUZZ_CHECK(oct_aead_seal_many(record, count) == OCT_OK);
    for (unsigned i = 0; i < count; i++) {
        const struct oct_aead_many *r = &record[i];
        FUZZ_CHECK(out[i][r->len] == 0x5a);
        FUZZ_CHECK(oct_aead_open(r->key, nonce, r->aad, r->aad_len, out[i], r->len, back[i], tag[i]) == OCT_OK);
        record[i].in = out[i];
        record[i].out = back[i];
    }
    tag[bad][fuzz_below(in, 16)] ^= (uint8_t)(1u + fuzz_below(in, 255));
    FUZZ_CHECK(oct_aead_open_many(record, count) == OCT_ERR_AUTH);
    for (unsigned i = 0; i < count; i++)
        FUZZ_CHECK(i == bad ? record[i].status == OCT_ERR_AUTH
                            : record[i].status == OCT_OK && memcmp(back[i], text[i], record[i].len) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_input in = {data, size};
    static void (*const modes[])(struct fuzz_input *, const struct oct_sm4_key *) = {fuzz_ctr, fuzz_cbc, fuzz_ccm,
                                                                                     fuzz_many, fuzz_records};
    const unsigned mode = fuzz_below(&in, 5);
    struct oct_sm4_key key;
    uint8_t bytes[16];
    fuzz_bytes(&in, bytes, sizeof bytes);
    for (size_t i = 0; i < sizeof text; i++)
        text[i / ROOM][i % ROOM] = (uint8_t)(i * bytes[i % 16]);
    memset(out, 0x5a, sizeof out);
    FUZZ_CHECK(oct_sm4_key_init(&key, bytes) == OCT_OK);
    modes[mode](&in, &key);
    oct_sm4_key_clear(&key);
    return 0;
}
