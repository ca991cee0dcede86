/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Known-answer tests of the AEADs, as in known_answer.c: keys, nonces, additional data and texts are a stream of
 * splitmix64 from a stated seed, the answer is a digest of what sealing gives; tools/check-known-answers computes it
 * anew. What the other calls (opening, bursts, pieces) give has to agree with sealing.
 */
#include "ops/aead.h"
#include "ops/known_answer.h"

#include <stdatomic.h>
#include <string.h>

#define MAX_AAD     80
#define MAX_TEXT    2500
#define PADDED(len) (((len) + 7) / 8 * 8)

static const uint64_t known_answer[OCT_AEAD_COUNT] = {
    [OCT_AEAD_AES_128_GCM] = 0xfc4bc7acbae5b467, [OCT_AEAD_AES_192_GCM] = 0xc1322ca350ff1a75,
    [OCT_AEAD_AES_256_GCM] = 0x2b135051197cb7f5, [OCT_AEAD_CHACHA20_POLY1305] = 0xbc6a8193345407d2,
    [OCT_AEAD_SM4_GCM] = 0x15da45523491e586,     [OCT_AEAD_SM4_CCM] = 0xa2eeebee47f81718,
};

/* Each code path of each tier: the head alone, each number of last vectors, groups of either size. */
static const struct {
    uint16_t aad, text;
} shapes[] = {{0, 0},    {13, 64},  {5, 1},   {16, 47},   {17, 100}, {80, 160},
              {20, 256}, {13, 333}, {1, 700}, {33, 1440}, {13, 2500}};
/* The first ones. The chain is one path whatever the length, and takes a tenth of a millisecond in the others. */
#define CCM_SHAPES 8

/* An AEAD at work: all that one record needs. */
struct subject {
    const struct oct_aead_ops *ops;
    uint8_t key[OCT_AEAD_EXPANDED_BYTES] OCT_ALIGN64;
    uint8_t mask_key[OCT_AEAD_MASK_KEY_BYTES] __attribute__((aligned(16)));
    uint8_t state[OCT_AEAD_STATE_BYTES] __attribute__((aligned(16)));
    uint8_t nonce[16], aad[PADDED(MAX_AAD)], text[PADDED(MAX_TEXT)], out[PADDED(MAX_TEXT)], tag[16];
};

/* Whole words are drawn, whatever `len` is. */
static void draw_bytes(uint8_t *out, size_t len, uint64_t *stream)
{
    for (size_t i = 0; i < len; i += 8) {
        const uint64_t word = oct_known_draw(stream);
        memcpy(out + i, &word, 8);
    }
}

/* Whole words, zeros behind the bytes. */
static uint64_t digest_bytes(uint64_t digest, const uint8_t *in, size_t len)
{
    for (size_t i = 0; i < len; i += 8) {
        uint64_t word = 0;
        memcpy(&word, in + i, len - i < 8 ? len - i : 8);
        digest = oct_known_digest(digest, word);
    }
    return digest;
}

/* Opening in place what has just been sealed, then with a tag that is not its own. */
static int opens(struct subject *s, const struct oct_aead_record *sealed)
{
    const int right = s->ops->open(s->key, s->nonce, s->aad, sealed->aad_len, s->out, sealed->len, s->out, s->tag) == 0;
    const int same = memcmp(s->out, s->text, sealed->len) == 0;
    s->tag[sealed->len % 16] ^= 0x80;
    return right && same &&
           s->ops->open(s->key, s->nonce, s->aad, sealed->aad_len, s->out, sealed->len, s->out, s->tag) != 0;
}

/* Within a window: text and key stream are combined here, and what becomes of them is handed over. */
static void seal_in_window(struct subject *s, struct oct_aead_stream_args args, uint8_t *out)
{
    uint8_t stream[OCT_CHACHA20POLY1305_WINDOW];
    const size_t at = (size_t)(args.before % s->ops->window_bytes), len = args.len;
    args.len = 0;
    args.ahead = stream;
    s->ops->stream_seal(&args);
    for (size_t i = 0; i < len; i++)
        out[i] = args.in[i] ^ stream[at + i];
    args.before += len;
    args.ahead = NULL;
    args.held = out;
    args.held_len = len;
    s->ops->stream_seal(&args);
}

/* The same record sealed in pieces that begin and end within blocks, and in whole windows. */
static int streams(struct subject *s, const struct oct_aead_record *sealed)
{
    uint8_t tag[16], out[MAX_TEXT];
    struct oct_aead_stream_args args = {.key = s->key, .state = s->state, .iv = s->nonce, .iv_len = OCT_AEAD_NONCE};
    s->ops->start(&args);
    for (size_t at = 0, piece; at < sealed->aad_len; at += piece) {
        piece = sealed->aad_len - at < 19 ? sealed->aad_len - at : 19;
        args.in = s->aad + at;
        args.len = piece;
        args.before = at;
        s->ops->aad(&args);
    }
    args.aad_total = sealed->aad_len;
    for (size_t at = 0; at < sealed->len; at += args.len) {
        const size_t left = sealed->len - at, within = at % s->ops->window_bytes, room = s->ops->window_bytes - within;
        const int whole = at == 0 || (within == 0 && left >= s->ops->window_bytes);
        args.in = s->text + at;
        args.out = out + at;
        args.len = at == 0 ? 7 : whole ? left - left % s->ops->window_bytes : room;
        args.len = args.len < left ? args.len : left;
        args.before = at;
        if (whole)
            s->ops->stream_seal(&args);
        else
            seal_in_window(s, args, args.out);
    }
    args.before = args.text_total = sealed->len;
    args.len = 0;
    args.tag = tag;
    s->ops->finish(&args);
    return memcmp(tag, s->tag, 16) == 0 && memcmp(out, s->out, sealed->len) == 0;
}

#define SHORT 340 /* what goes side by side, and more; one that is longer finds room where many short ones do */
_Static_assert(MAX_TEXT <= 8 * SHORT, "room for a long one");
#define MANY 9 /* two groups of four side by side, and one alone */

/* The record as the payload of packets, whose nonce is the same since their number is zero: sealed they are what the
 * record has become, opened what it was. Headers are not masked. */
static int packets(struct subject *s, const struct oct_aead_record *sealed)
{
    uint8_t data[MANY * (MAX_AAD + SHORT + 16)], wanted[MANY][16];
    const size_t header = sealed->aad_len, len = sealed->len, count = len > SHORT ? 1 : MANY;
    struct oct_aead_packets_args args = {.key = s->key, .iv = s->nonce, .wanted = wanted[0], .count = count};
    int good = 1;
    for (size_t i = 0; i < count; i++) {
        uint8_t *packet = data + i * (header + len + 16);
        memcpy(packet, s->aad, header);
        memcpy(packet + header, s->text, len);
        args.packet[i] = (struct oct_aead_packet){.data = packet, .header_len = header, .len = len};
    }
    s->ops->seal_packets(&args);
    for (size_t i = 0; i < count; i++) {
        const uint8_t *payload = args.packet[i].data + header;
        good &= memcmp(payload, s->out, len) == 0 && memcmp(payload + len, s->tag, 16) == 0;
    }
    s->ops->open_packets(&args);
    for (size_t i = 0; i < count; i++)
        good &= memcmp(args.packet[i].data + header, s->text, len) == 0 && memcmp(wanted[i], s->tag, 16) == 0;
    return good;
}

/* The same record in all places of one burst, or alone in one, sealed, and opened where it then is. */
static int bursts(struct subject *s, const struct oct_aead_record *sealed)
{
    uint8_t out[OCT_AEAD_BURST * SHORT], tag[OCT_AEAD_BURST][16];
    const size_t count = sealed->len > SHORT ? 1 : OCT_AEAD_BURST;
    struct oct_aead_burst_args burst = {.key = s->key, .count = count};
    int good = 1;
    for (size_t i = 0; i < count; i++) {
        burst.record[i] = *sealed;
        burst.record[i].out = out + i * sealed->len;
        burst.record[i].tag = tag[i];
    }
    s->ops->seal_burst(&burst);
    for (size_t i = 0; i < count; i++) {
        good &= memcmp(burst.record[i].out, s->out, sealed->len) == 0 && memcmp(tag[i], s->tag, 16) == 0;
        burst.record[i].in = burst.record[i].out;
    }
    memset(tag, 0, sizeof tag);
    s->ops->open_burst(&burst);
    for (size_t i = 0; i < count; i++)
        good &= memcmp(burst.record[i].out, s->text, sealed->len) == 0 && memcmp(tag[i], s->tag, 16) == 0;
    return good;
}

/* One shape; 0 in *good if another call does not agree with sealing. */
static uint64_t run_shape(struct subject *s, unsigned shape, uint64_t *stream, uint64_t digest, int *good)
{
    const struct oct_aead_record record = {s->nonce,           s->aad, shapes[shape].aad, s->text, s->out,
                                           shapes[shape].text, s->tag};
    draw_bytes(s->nonce, 16, stream);
    draw_bytes(s->aad, record.aad_len, stream);
    draw_bytes(s->text, record.len, stream);
    s->ops->seal(s->key, s->nonce, s->aad, record.aad_len, s->text, record.len, s->out, s->tag);
    digest = digest_bytes(digest, s->out, record.len);
    digest = digest_bytes(digest, s->tag, 16);
    *good &= !s->ops->start || streams(s, &record);
    *good &= !s->ops->seal_packets || packets(s, &record);
    *good &= !s->ops->seal_burst || bursts(s, &record);
    *good &= opens(s, &record);
    return digest;
}

/* SM4-GCM side by side: both ways give what a record alone has. */
static int side_by_side(struct subject *s, const struct oct_aead_record *sealed)
{
    const struct oct_sm4_ops *sm4 = s->ops->sm4;
    struct oct_sm4_gcm_args args = {.count = 5};
    uint8_t out[5][64], tag[5][16], alone[64], alone_tag[16];
    int good = 1;
    for (size_t i = 0; i < args.count; i++) {
        args.key[i] = s->key;
        args.record[i] =
            (struct oct_aead_record){sealed->nonce, sealed->aad, 9 * i, sealed->in, out[i], 15 * i, tag[i]};
    }
    for (int open = 0; open < 2; open++) {
        if (open)
            oct_sm4_gcm_records(s->ops->open_first, sm4->gcm_open_many, &args);
        else
            oct_sm4_gcm_records(s->ops->seal, sm4->gcm_seal_many, &args);
        for (size_t i = 0; i < args.count; i++) {
            const struct oct_aead_record *r = &args.record[i];
            (open ? s->ops->open_first : s->ops->seal)(s->key, r->nonce, r->aad, r->aad_len, r->in, r->len, alone,
                                                       alone_tag);
            good &= memcmp(alone, out[i], r->len) == 0 && memcmp(alone_tag, tag[i], 16) == 0;
        }
    }
    return good;
}

/* Masks of eight samples, all at once and one alone. */
static uint64_t run_masks(struct subject *s, uint64_t *stream, uint64_t digest, int *good)
{
    uint8_t sample[OCT_AEAD_BURST][16], mask[OCT_AEAD_BURST][16], alone[16];
    struct oct_aead_mask_args args = {.mask_key = s->mask_key, .count = OCT_AEAD_BURST, .mask = mask[0]};
    draw_bytes(sample[0], sizeof sample, stream);
    for (int i = 0; i < OCT_AEAD_BURST; i++)
        args.sample[i] = sample[i];
    s->ops->mask(&args);
    args.count = 1;
    args.mask = alone;
    s->ops->mask(&args);
    *good &= memcmp(alone, mask[0], 16) == 0;
    /* What a header needs, and what ChaCha20 and AES both give. */
    for (int i = 0; i < OCT_AEAD_BURST; i++)
        digest = digest_bytes(digest, mask[i], 5);
    return digest;
}

/* Both of SM4's AEADs have these. */
static int sm4_passes(const struct oct_sm4_ops *sm4)
{
    static _Atomic(const struct oct_sm4_ops *) passed;
    if (atomic_load_explicit(&passed, memory_order_relaxed) == sm4)
        return 1;
    if (oct_sm4_known_answer(sm4) != 0)
        return 0;
    atomic_store_explicit(&passed, sm4, memory_order_relaxed);
    return 1;
}

int oct_aead_known_answer(const struct oct_aead_ops *ops, int aead)
{
    struct subject s = {.ops = ops};
    uint8_t bytes[32];
    uint64_t stream = 0x6f637475706c6580 + (uint64_t)aead, digest = 0xcbf29ce484222325;
    int good = 1;
    draw_bytes(bytes, sizeof bytes, &stream);
    const struct oct_aead_expand_args expand = {s.key, s.mask_key, bytes};
    ops->expand(&expand);
    const unsigned count = aead == OCT_AEAD_SM4_CCM ? CCM_SHAPES : OCT_ARRAY_LEN(shapes);
    for (unsigned i = 0; i < count; i++)
        digest = run_shape(&s, i, &stream, digest, &good);
    if (ops->mask)
        digest = run_masks(&s, &stream, digest, &good);
    if (ops->sm4)
        good &= sm4_passes(ops->sm4);
    if (aead == OCT_AEAD_SM4_GCM) {
        uint8_t text[64];
        const struct oct_aead_record some = {.nonce = bytes, .aad = text, .in = text};
        draw_bytes(text, sizeof text, &stream);
        good &= side_by_side(&s, &some);
    }
    return good && digest == known_answer[aead] ? 0 : -1;
}
