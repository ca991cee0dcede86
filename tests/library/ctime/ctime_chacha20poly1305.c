/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * ChaCha20-Poly1305 on the portable tiers with keys and texts marked secret: records, pieces, bursts, masks, good tags
 * and a forged one. What is sealed is also opened again, so that what is checked is also what works.
 */
#include "secret.h"

#include "api/cipher/aead_internal.h"

#include <string.h>

#define AEAD OCT_AEAD_CHACHA20_POLY1305

static uint8_t memory[OCT_AEAD_KEY_MAX_BYTES] __attribute__((aligned(OCT_AEAD_ALIGN)));
static struct oct_aead_key *const key = (struct oct_aead_key *)memory;
static uint8_t bytes[32], nonce[12], aad[200], text[3000], sealed[3000], opened[3000], tag[16];

/* Sent, hence public. */
static void publish(void *p, size_t len)
{
    OCT_DECLASSIFY(p, len);
}

static void run_record(size_t aad_len, size_t len)
{
    OCT_SECRET(text, len);
    REQUIRE(oct_aead_seal(key, nonce, aad, aad_len, text, len, sealed, tag) == OCT_OK);
    REQUIRE(is_secret(tag, sizeof tag) && (len == 0 || is_secret(sealed, len)));
    publish(sealed, len);
    publish(tag, sizeof tag);
    REQUIRE(oct_aead_open(key, nonce, aad, aad_len, sealed, len, opened, tag) == OCT_OK);
    publish(text, len);
    publish(opened, len);
    REQUIRE(memcmp(opened, text, len) == 0);
    tag[5] ^= 4;
    REQUIRE(oct_aead_open(key, nonce, aad, aad_len, sealed, len, opened, tag) == OCT_ERR_AUTH);
    tag[5] ^= 4;
}

/* The same record in pieces: the same tag. */
static void run_stream(size_t aad_len, size_t len, size_t piece)
{
    struct oct_aead_stream s;
    REQUIRE(oct_aead_stream_init(&s, key, nonce, sizeof nonce, 0) == OCT_OK);
    for (size_t at = 0; at < aad_len; at += piece)
        REQUIRE(oct_aead_stream_aad(&s, aad + at, aad_len - at < piece ? aad_len - at : piece) == OCT_OK);
    for (size_t at = 0; at < len; at += piece)
        REQUIRE(oct_aead_stream_update(&s, sealed + at, len - at < piece ? len - at : piece, opened + at) == OCT_OK);
    publish(opened, len);
    REQUIRE(memcmp(opened, text, len) == 0);
    REQUIRE(oct_aead_stream_finish_open(&s, tag, sizeof tag) == OCT_OK);
}

/* One burst of records. */
static void run_burst(const struct oct_aead_ops *ops, const size_t texts[OCT_AEAD_BURST],
                      const size_t aads[OCT_AEAD_BURST])
{
    static uint8_t tags[2][OCT_AEAD_BURST][16];
    struct oct_aead_burst_args args = {.key = key->expanded, .count = OCT_AEAD_BURST};
    size_t all = 0;
    for (size_t i = 0; i < OCT_AEAD_BURST; i++)
        all += texts[i];
    OCT_SECRET(text, sizeof text);
    for (int opening = 0; opening < 2; opening++) {
        for (size_t i = 0, at = 0; i < OCT_AEAD_BURST; at += texts[i++])
            args.record[i] = (struct oct_aead_record){nonce,
                                                      aad,
                                                      aads[i],
                                                      (opening ? sealed : text) + at,
                                                      (opening ? opened : sealed) + at,
                                                      texts[i],
                                                      tags[opening][i]};
        (opening ? ops->open_burst : ops->seal_burst)(&args);
        for (size_t i = 0, at = 0; i < OCT_AEAD_BURST; at += texts[i++])
            REQUIRE(is_secret(tags[opening][i], 16) && (texts[i] == 0 || is_secret(args.record[i].out, texts[i])));
        publish(sealed, sizeof sealed);
    }
    publish(tags, sizeof tags);
    publish(text, sizeof text);
    publish(opened, sizeof opened);
    REQUIRE(memcmp(tags[0], tags[1], sizeof tags[0]) == 0 && memcmp(opened, text, all) == 0);
}

static void run_masks(const struct oct_aead_ops *ops)
{
    static uint8_t mask_key[OCT_AEAD_MASK_KEY_BYTES] __attribute__((aligned(16))), mask[2][16];
    const struct oct_aead_expand_args expand = {NULL, mask_key, bytes};
    const struct oct_aead_mask_args args = {mask_key, 2, {sealed, sealed + 16}, mask[0]};
    ops->expand(&expand);
    ops->mask(&args);
    REQUIRE(is_secret(mask, sizeof mask));
}

static void run_tier(const struct oct_aead_ops *ops)
{
    static const size_t aads[] = {0, 13, 200}, texts[] = {0, 1, 64, 300, 1440, 3000};
    /* Texts and additional data of bursts: records that go side by side and others, and longer ones of one length. */
    static const size_t mixed[2][OCT_AEAD_BURST] = {{200, 1, 64, 256, 257, 100, 33, 0}, {0, 13, 32, 20, 13, 33, 5, 13}};
    static const size_t alike[2][OCT_AEAD_BURST] = {{333, 333, 333, 333, 333, 333, 333, 333},
                                                    {13, 13, 13, 13, 13, 13, 13, 13}};
    REQUIRE(oct_aead_key_init_on(ops, memory, AEAD, bytes, sizeof bytes) == OCT_OK);
    for (unsigned i = 0; i < sizeof aads / sizeof *aads; i++)
        for (unsigned j = 0; j < sizeof texts / sizeof *texts; j++) {
            run_record(aads[i], texts[j]);
            run_stream(aads[i], texts[j], 77);
            run_stream(aads[i], texts[j], 1500);
        }
    run_burst(ops, mixed[0], mixed[1]);
    run_burst(ops, alike[0], alike[1]);
    run_masks(ops);
}

int main(void)
{
    const struct oct_aead_ops *ops[OCT_AEAD_TIERS];
    const unsigned count = oct_aead_runnable(AEAD, ops);
    unsigned portable = 0;
    REQUIRE(OCT_CHECKMEM_ON());
    for (unsigned i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(7 * i);
    OCT_SECRET(bytes, sizeof bytes);
    for (unsigned i = 0; i < count; i++)
        if (strcmp(ops[i]->tier, "c") == 0) {
            run_tier(ops[i]);
            portable++;
        }
    REQUIRE(portable == 2);
    printf("chacha20poly1305: clean\n");
    return 0;
}
