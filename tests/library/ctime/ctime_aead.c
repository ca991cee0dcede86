/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * AEADs on the c tier with keys, texts and additional data marked secret: records of many lengths, pieces, a nonce
 * that has to be hashed, masks, a forgery; bursts of QUIC packets, the keys of headers secret too. What is checked is
 * also what works: opening gives the text back.
 */
#include "secret.h"

#include "api/cipher/quic_internal.h"

#include <stdio.h>
#include <string.h>

#define MAX 1500 /* with two groups to a reduction */

static uint8_t text[MAX], sealed[MAX], opened[MAX], aad[60];

static void fill(uint8_t *p, size_t len, unsigned seed)
{
    for (size_t i = 0; i < len; i++)
        p[i] = (uint8_t)(seed = seed * 1103515245 + 12345, seed >> 16);
    OCT_SECRET(p, len);
}

static int same_text(size_t len)
{
    OCT_DECLASSIFY(opened, len);
    OCT_DECLASSIFY(text, len);
    const int same = memcmp(opened, text, len) == 0;
    OCT_SECRET(text, len);
    return same;
}

static int records(const struct oct_aead_key *key)
{
    static const size_t lens[] = {0, 1, 17, 64, 200, 333, 700, MAX};
    static const uint8_t nonce[12] = {1};
    uint8_t tag[16];
    int good = 1;
    for (size_t i = 0; i < sizeof lens / sizeof lens[0]; i++) {
        good &= oct_aead_seal(key, nonce, aad, i * 8, text, lens[i], sealed, tag) == OCT_OK;
        good &= oct_aead_open(key, nonce, aad, i * 8, sealed, lens[i], opened, tag) == OCT_OK;
        good &= same_text(lens[i]);
        tag[3] ^= 1;
        good &= oct_aead_open(key, nonce, aad, i * 8, sealed, lens[i], opened, tag) == OCT_ERR_AUTH;
    }
    return good;
}

static int pieces(const struct oct_aead_key *key)
{
    static const uint8_t iv[33] = {2};
    struct oct_aead_stream stream;
    const size_t iv_len = oct_aead_key_aead(key) == OCT_AEAD_CHACHA20_POLY1305 ? 12 : sizeof iv;
    uint8_t tag[16];
    int good = 1;
    if (!oct_aead_stream_size(oct_aead_key_aead(key)))
        return 1;
    for (int sealing = 1; sealing >= 0; sealing--) {
        good &= oct_aead_stream_init(&stream, key, iv, iv_len, sealing) == OCT_OK;
        good &= oct_aead_stream_aad(&stream, aad, 7) == OCT_OK && oct_aead_stream_aad(&stream, aad + 7, 33) == OCT_OK;
        for (size_t at = 0, n = 5; at < MAX; at += n, n += 90) {
            n = MAX - at < n ? MAX - at : n;
            good &= oct_aead_stream_update(&stream, (sealing ? text : sealed) + at, n,
                                           (sealing ? sealed : opened) + at) == OCT_OK;
        }
        good &= (sealing ? oct_aead_stream_finish_seal(&stream, tag) : oct_aead_stream_finish_open(&stream, tag, 16)) ==
                OCT_OK;
    }
    return good & same_text(MAX);
}

/* OCT_AEAD_BURST samples. */
static int masks(const struct oct_aead_ops *ops, int aead, const uint8_t *bytes)
{
    uint8_t mask[OCT_AEAD_BURST][OCT_QUIC_MASK_BYTES];
    const uint8_t *sample[OCT_AEAD_BURST];
    struct oct_quic_header_key *key = NULL;
    if (oct_quic_header_key_new_on(ops, &key, aead, bytes, oct_aead_key_len(aead)) != OCT_OK)
        return 0;
    for (int i = 0; i < OCT_AEAD_BURST; i++)
        sample[i] = sealed + 16 * i;
    const int good = oct_quic_header_mask(key, mask, sample, OCT_AEAD_BURST) == OCT_OK;
    oct_quic_header_key_free(key);
    return good;
}

/* Packets of mixed lengths, two of them forged; headers and what is sent are public. */
#define HEADER 9
static int packets(const struct oct_aead_ops *ops, int aead, const uint8_t *bytes)
{
    static const size_t lens[] = {3, 64, 20, 200, 256, 300, 33, 192, 65, 1, 310, 700, 750};
    static uint8_t data[OCT_ARRAY_LEN(lens)][HEADER + 750 + OCT_AEAD_TAG], plain[750];
    static const uint8_t iv[OCT_AEAD_NONCE] = {3};
    struct oct_quic_packet packet[OCT_ARRAY_LEN(lens)];
    struct oct_quic_keys *keys = NULL;
    if (oct_quic_keys_new_on(ops, &keys, aead, bytes, oct_aead_key_len(aead), iv, bytes) != OCT_OK)
        return 0;
    for (unsigned i = 0; i < OCT_ARRAY_LEN(lens); i++) {
        const uint8_t header[HEADER] = {0x42, [HEADER - 1] = (uint8_t)i};
        memcpy(data[i], header, HEADER);
        fill(data[i] + HEADER, lens[i], i);
        packet[i] = (struct oct_quic_packet){data[i], HEADER, HEADER + lens[i], i, 0};
    }
    int good = oct_quic_seal(keys, packet, OCT_ARRAY_LEN(lens)) == OCT_OK;
    for (unsigned i = 0; i < OCT_ARRAY_LEN(lens); i++) {
        OCT_DECLASSIFY(data[i], sizeof data[i]);
        data[i][HEADER + lens[i] + OCT_AEAD_TAG - 1] ^= i % 6 == 2;
        packet[i] = (struct oct_quic_packet){data[i], HEADER - 3, HEADER + lens[i] + OCT_AEAD_TAG, i, 0};
    }
    good &= oct_quic_open(keys, packet, OCT_ARRAY_LEN(lens)) == OCT_ERR_AUTH;
    for (unsigned i = 0; i < OCT_ARRAY_LEN(lens); i++) {
        fill(plain, lens[i], i);
        OCT_DECLASSIFY(plain, lens[i]);
        OCT_DECLASSIFY(data[i], sizeof data[i]);
        good &= i % 6 == 2 ? packet[i].status == OCT_ERR_AUTH
                           : packet[i].status == OCT_OK && memcmp(data[i] + HEADER, plain, lens[i]) == 0;
    }
    oct_quic_keys_free(keys);
    return good;
}

int main(void)
{
    int good = 1;
    unsigned runs = 0;
    for (int aead = 0; aead < OCT_AEAD_COUNT; aead++) {
        const struct oct_aead_ops *ops[OCT_AEAD_TIERS];
        const unsigned count = oct_aead_runnable(aead, ops);
        for (unsigned i = 0; i < count; i++) {
            uint8_t memory[OCT_AEAD_KEY_MAX_BYTES] __attribute__((aligned(OCT_AEAD_ALIGN))), bytes[32];
            if (strcmp(ops[i]->tier, "c") != 0)
                continue;
            fill(bytes, sizeof bytes, (unsigned)aead);
            fill(text, sizeof text, 7);
            fill(aad, sizeof aad, 8);
            good &= oct_aead_key_init_on(ops[i], memory, aead, bytes, oct_aead_key_len(aead)) == OCT_OK;
            good &= records((struct oct_aead_key *)memory) && pieces((struct oct_aead_key *)memory);
            if (oct_aead_is_for_quic(aead))
                good &= masks(ops[i], aead, bytes) && packets(ops[i], aead, bytes);
            runs++;
        }
    }
    printf("%u AEADs, %s\n", runs, good ? "good" : "WRONG");
    return good && runs > 0 ? 0 : 1;
}
