/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * AES-GCM (NIST SP 800-38D) for one size of key: #define GCM_ROUNDS and GCM_NAME(name), then include.
 *
 * The whole record is one stream of blocks, counters from 1: block 0 gives E(J0), which masks the tag, and its place
 * in the stream that GHASH sees is that of the last block of additional data. So the first vector, the head, holds
 * E(J0) and the first blocks of text, short records need one reduction and no code of their own, and long ones go on
 * from there.
 *
 * Groups of BV_BULK vectors have the products of GHASH woven into the AES rounds: those of the group before when
 * sealing, of the group itself when opening. Then come groups of BV_MID, then at most BV_MID vectors, the last one
 * with any number of bytes.
 */
#include "kernels/gcm/ghash_expand_impl.h"

enum gcm_mode { GCM_SEAL, GCM_OPEN, GCM_HASH };

/* What a text has become so far. */
struct gcm_run {
    const struct gcm_key *key;
    const uint8_t *in;
    uint8_t *out;
    size_t left;
    bv counter;  /* of the next vector: reversed blocks, the counter is the lowest word */
    size_t next; /* the counter of its lane 0 mod 256, if that is public; else 256 */
    int rows;    /* constant: the text begins with counter 2, see gcm_row_counters(); counter and base are of a row */
    int first;   /* constant: that is row 0 */
    bv base;
    bv sum; /* GHASH in lanes, to be added to the next vector */
};

#if BV_LANES == 4
/*
 * Counters of a text from its beginning on. A row is four counters from a multiple of four on; text begins in the
 * middle of row 0, so a vector has the last two counters of a row and the first two of the next one. `base` is the row
 * of the next vector, the first round key added, such that each lane has its own place in a row. Whatever row of a
 * group a lane is in, it differs from that by constant bits: a vector takes one instruction, instead of one for its
 * counter and one for the key. Only the upper half of a group's last vector is in the next group's first row.
 */
OCT_INLINE bv gcm_row_base(bv row, const struct gcm_key *key)
{
    return bv_xor3(row, bv_load(key->round[0]), bv_last_bytes(2, 3, 0, 1));
}

/* The next n vectors: 4 or 8, those of groups before being as many or 8, or the last ones. */
VEC_STEP void gcm_row_counters(struct gcm_run *r, bv *b, const int n)
{
    r->counter = bv_add32(r->counter, bv_set1(b1_set(BV_LANES * (uint64_t)n, 0)));
    const bv next = gcm_row_base(bv_reverse(r->counter), r->key);
    VEC_UNROLL
    for (int i = 0; i < n; i++) {
        const uint8_t low = (uint8_t)(BV_LANES * i), high = (uint8_t)(low + BV_LANES);
        const bv rows = bv_last_bytes(low, low, high, high);
        b[i] = high % 16 || i < n - 1 || r->first ? bv_xor(r->base, rows) : bv_xor_lower(r->base, rows, next);
    }
    r->base = next;
    r->first = 0;
}
#endif

/* The first `n` counter blocks with the first round key, and the counter moved on. Adding to the last byte alone is
 * cheaper, and right as long as it does not overflow. */
VEC_STEP void gcm_counters(struct gcm_run *r, bv *b, const int n)
{
#if BV_LANES == 4
    if (r->rows) {
        gcm_row_counters(r, b, n);
        return;
    }
#endif
    const bv k0 = bv_load(r->key->round[0]);
    if (r->next + BV_LANES * (size_t)n <= 256) {
        const bv step = bv_set1(b1_set(0, (uint64_t)BV_LANES << 56));
        bv block = bv_reverse(r->counter);
        VEC_UNROLL
        for (int i = 0; i < n; i++) {
            b[i] = bv_xor(block, k0);
            block = bv_add32(block, step);
        }
    } else {
        bv counter = r->counter;
        VEC_UNROLL
        for (int i = 0; i < n; i++) {
            b[i] = bv_xor(bv_reverse(counter), k0);
            counter = bv_add32(counter, bv_set1(b1_set(BV_LANES, 0)));
        }
    }
    r->counter = bv_add32(r->counter, bv_set1(b1_set(BV_LANES * (uint64_t)n, 0)));
    r->next = r->next > 255 ? 256 : (r->next + BV_LANES * (size_t)n) & 255;
}

/* The rounds but for the first key and the last round. */
VEC_STEP void gcm_rounds(bv *b, const int n, const struct gcm_key *key)
{
    VEC_UNROLL
    for (int round = 1; round < GCM_ROUNDS; round++) {
        const bv k = bv_load(key->round[round]);
        VEC_UNROLL
        for (int i = 0; i < n; i++)
            b[i] = bv_aes(b[i], k);
    }
}

static OCT_NOINLINE b1 gcm_block(const struct gcm_key *key, b1 block)
{
    block = b1_xor(block, b1_load(key->round[0]));
    for (int round = 1; round < GCM_ROUNDS; round++)
        block = b1_aes(block, b1_load(key->round[round]));
    return b1_aes_last(block, b1_load(key->round[GCM_ROUNDS]));
}

/* A bulk group of ciphertext that is to be hashed. What has just been sealed stays in registers where there are so
 * many: its loads would come too soon after its stores. */
struct gcm_bulk {
    int held;          /* constant */
    bv x[BV_BULK];     /* if held */
    const uint8_t *at; /* else */
};

OCT_INLINE bv gcm_bulk_vector(const struct gcm_bulk *c, const int i)
{
    return bv_reverse(c->held ? c->x[i] : bv_load(c->at + BV_BYTES * i));
}

/* Text xor key stream of a bulk group; if it is sealed, it is the next one to be hashed. */
VEC_STEP void gcm_finish_bulk(struct gcm_run *r, bv *b, struct gcm_bulk *c)
{
    const bv k = bv_load(r->key->round[GCM_ROUNDS]);
    bv text[BV_BULK];
    VEC_UNROLL
    for (int i = 0; i < BV_BULK; i++)
        text[i] = bv_xor(k, bv_load(r->in + BV_BYTES * i));
    blocks_loads_first();
    VEC_UNROLL
    for (int i = 0; i < BV_BULK; i++) {
        b[i] = bv_aes_last(b[i], text[i]);
        bv_store(r->out + BV_BYTES * i, b[i]);
        if (c->held)
            c->x[i] = b[i];
    }
    c->at = r->out;
}

OCT_INLINE void gcm_advance(struct gcm_run *r, size_t bytes)
{
    r->in += bytes;
    if (r->out)
        r->out += bytes;
    r->left -= bytes;
}

#define GCM_BULK_BYTES ((size_t)BV_BYTES * BV_BULK)
#define GCM_MID_BYTES  ((size_t)BV_BYTES * BV_MID)
/* A sum in lanes has to meet at least one block a lane. */
#define GCM_KEEP_BYTES    ((size_t)16 * (BV_LANES - 1))
#define GCM_FINAL_BYTES   (GCM_MID_BYTES + GCM_KEEP_BYTES)
#define GCM_FINAL_VECTORS (BV_LANES > 1 ? BV_MID + 1 : BV_MID)

/* Products of vectors i and i+1 of a bulk group of ciphertext; the first one gets the sum. */
VEC_STEP void gcm_bulk_pair(struct products *p, const struct gcm_run *r, const struct gcm_bulk *c, const int i)
{
    const bv x0 = gcm_bulk_vector(c, i), x1 = gcm_bulk_vector(c, i + 1);
    ghash_pair(p, i == 0 ? bv_xor(x0, r->sum) : x0, x1, r->key, i, BV_BULK);
}

/* One bulk group of text, with the products of a group of ciphertext woven in: of itself when opening, of the one
 * before when sealing. */
VEC_STEP void gcm_bulk_woven(struct gcm_run *r, struct gcm_bulk *c, const enum gcm_mode mode)
{
    bv b[BV_BULK];
    struct products p = products_zero();
    if (mode == GCM_OPEN)
        c->at = r->in;
    gcm_counters(r, b, BV_BULK);
    VEC_UNROLL
    for (int round = 1; round < GCM_ROUNDS; round++) {
        const bv k = bv_load(r->key->round[round]);
        VEC_UNROLL
        for (int i = 0; i < BV_BULK; i++)
            b[i] = bv_aes(b[i], k);
        VEC_UNROLL
        for (int q = (round - 1) * (BV_BULK / 2) / (GCM_ROUNDS - 1); q < round * (BV_BULK / 2) / (GCM_ROUNDS - 1); q++)
            gcm_bulk_pair(&p, r, c, 2 * q);
    }
    r->sum = ghash_reduce(&p);
    gcm_finish_bulk(r, b, c);
    gcm_advance(r, GCM_BULK_BYTES);
}

/* Products of one bulk group alone. */
VEC_STEP void gcm_bulk_hash(struct gcm_run *r, const struct gcm_bulk *c)
{
    struct products p = products_zero();
    VEC_UNROLL
    for (int i = 0; i < BV_BULK; i += 2)
        gcm_bulk_pair(&p, r, c, i);
    r->sum = ghash_reduce(&p);
}

/* Bulk groups of a text that has at least one, as long as more than `keep` bytes (constant) remain after them. When
 * sealing the last one is still to be hashed. */
VEC_STEP void gcm_bulk_text(struct gcm_run *r, struct gcm_bulk *c, const enum gcm_mode mode, const size_t keep)
{
    c->held = BV_HOLDS_BULK && mode == GCM_SEAL;
    if (mode == GCM_SEAL) {
        bv b[BV_BULK];
        gcm_counters(r, b, BV_BULK);
        gcm_rounds(b, BV_BULK, r->key);
        gcm_finish_bulk(r, b, c);
        gcm_advance(r, GCM_BULK_BYTES);
    }
    r->first = 0;
    while (r->left > GCM_BULK_BYTES + keep)
        gcm_bulk_woven(r, c, mode);
}

/* Bulk groups, if there are any. */
VEC_STEP void gcm_bulk(struct gcm_run *r, const enum gcm_mode mode, const size_t keep)
{
    struct gcm_bulk c = {.held = 0};
    if (r->left <= GCM_BULK_BYTES + keep)
        return;
    if (mode != GCM_HASH) {
        gcm_bulk_text(r, &c, mode, keep);
        if (mode == GCM_SEAL)
            gcm_bulk_hash(r, &c);
        return;
    }
    for (; r->left > GCM_BULK_BYTES + keep; gcm_advance(r, GCM_BULK_BYTES)) {
        c.at = r->in;
        gcm_bulk_hash(r, &c);
    }
}

/* One group of BV_MID vectors, hashed from registers. */
VEC_STEP void gcm_mid(struct gcm_run *r, const enum gcm_mode mode)
{
    bv b[BV_MID], x[BV_MID];
    const bv k = bv_load(r->key->round[GCM_ROUNDS]);
    struct products p = products_zero();
    if (mode != GCM_HASH) {
        gcm_counters(r, b, BV_MID);
        gcm_rounds(b, BV_MID, r->key);
    }
    VEC_UNROLL
    for (int i = 0; i < BV_MID; i++)
        x[i] = bv_load(r->in + BV_BYTES * i);
    blocks_loads_first();
    VEC_UNROLL
    for (int i = 0; i < BV_MID; i++) {
        if (mode != GCM_HASH) {
            const bv out = bv_aes_last(b[i], bv_xor(k, x[i]));
            bv_store(r->out + BV_BYTES * i, out);
            x[i] = mode == GCM_SEAL ? out : x[i];
        }
        x[i] = bv_reverse(x[i]);
    }
    x[0] = bv_xor(x[0], r->sum);
    VEC_UNROLL
    for (int i = 0; i + 1 < BV_MID; i += 2)
        ghash_pair(&p, x[i], x[i + 1], r->key, i, BV_MID);
    if (BV_MID & 1)
        ghash_mul1(&p, x[BV_MID - 1], ghash_wide(r->key, 1));
    r->sum = ghash_reduce(&p);
    gcm_advance(r, GCM_MID_BYTES);
}

/* What ends the hashed stream: the head, where it has not been summed up yet, and the block of lengths. */
struct gcm_ends {
    int has_head, has_lengths; /* constants */
    bv head;
    b1 lengths;
};

/*
 * The last n vectors (constant, 1 to GCM_FINAL_VECTORS; 0 only with a head), of r->left bytes; returns GHASH of it
 * all. `blocks` are the blocks of text in them and in a head; with the block of lengths they are at most 16.
 */
VEC_STEP b1 gcm_final(struct gcm_run *r, const enum gcm_mode mode, const int n, const struct gcm_ends *ends,
                      size_t blocks)
{
    bv b[GCM_FINAL_VECTORS], x[GCM_FINAL_VECTORS + 1];
    const bv k = bv_load(r->key->round[GCM_ROUNDS]);
    const int first = ends->has_head;
    struct products p = products_zero();
    size_t e = blocks;

    if (mode != GCM_HASH && n > 0) {
        gcm_counters(r, b, n);
        gcm_rounds(b, n, r->key);
    }
    const size_t last = n > 0 ? r->left - BV_BYTES * (size_t)(n - 1) : 0;
    VEC_UNROLL
    for (int i = 0; i < n; i++)
        x[first + i] = i < n - 1 ? bv_load(r->in + BV_BYTES * i) : bv_load_part(r->in + BV_BYTES * i, last);
    blocks_loads_first();
    VEC_UNROLL
    for (int i = 0; i < n; i++) {
        bv c = x[first + i];
        if (mode != GCM_HASH) {
            const bv out = bv_aes_last(b[i], bv_xor(k, c));
            if (i < n - 1)
                bv_store(r->out + BV_BYTES * i, out);
            else
                bv_store_part(r->out + BV_BYTES * i, out, last);
            if (mode == GCM_SEAL)
                c = i < n - 1 ? out : bv_keep(out, last);
        }
        x[first + i] = bv_reverse(c);
    }
    if (first)
        x[0] = ends->head;
    else
        x[0] = bv_xor(x[0], r->sum);
    if (!ends->has_lengths) {
        ghash_consecutive(&p, x, n + first, r->key, e);
        return bv_fold(ghash_reduce(&p));
    }
    e += 1;
    if (blocks % BV_LANES)
        x[n + first - 1] = bv_put(x[n + first - 1], blocks % BV_LANES, ends->lengths);
    else
        ghash_mul1(&p, bv_first_lane(ends->lengths), bv_first_lane(b1_load(ghash_power(r->key, 1))));
    ghash_consecutive(&p, x, n + first, r->key, e);
    return bv_fold(ghash_reduce(&p));
}

#define GCM_FINAL(n)                                                                                                   \
    case n:                                                                                                            \
        return gcm_final(r, mode, n, ends, blocks)

/* All that is left: 1 to GCM_FINAL_BYTES bytes, or none with a head. `before`: blocks of a head that is still in
 * `ends`. */
VEC_STEP b1 gcm_final_any(struct gcm_run *r, const enum gcm_mode mode, const struct gcm_ends *ends, size_t before)
{
    const size_t blocks = before + (r->left + 15) / 16;
    switch ((r->left + 16 * BV_LANES - 1) / (16 * BV_LANES)) {
    case 0:
        return ends->has_head ? gcm_final(r, mode, 0, ends, blocks) : bv_first(r->sum);
        GCM_FINAL(1);
        GCM_FINAL(2);
        GCM_FINAL(3);
#if BV_MID > 3
        GCM_FINAL(4);
        GCM_FINAL(5);
        GCM_FINAL(6);
#endif
#if BV_MID > 6
        GCM_FINAL(7);
#endif
    default:
        return gcm_final(r, mode, GCM_FINAL_VECTORS, ends, blocks);
    }
}

/* GHASH of whole blocks, at least one, going on from `sum`. By value: no address of a caller's frame is taken. */
static OCT_NOINLINE b1 gcm_hash_blocks(const struct gcm_key *key, b1 sum, const uint8_t *in, size_t bytes)
{
    struct gcm_run r = {.key = key, .in = in, .left = bytes, .sum = bv_first_lane(sum), .next = 256};
    const struct gcm_ends none = {0};
    r.counter = bv_zero();
    gcm_bulk(&r, GCM_HASH, GCM_KEEP_BYTES);
    while (r.left > GCM_FINAL_BYTES)
        gcm_mid(&r, GCM_HASH);
    return gcm_final_any(&r, GCM_HASH, &none, 0);
}

/* The additional data: all but its last block summed up, that block added, reversed; zero if there is none. */
VEC_STEP b1 gcm_aad(const struct gcm_key *key, const uint8_t *aad, size_t len)
{
    b1 sum = b1_zero();
    if (len > 16) {
        const size_t whole = (len - 1) & ~(size_t)15;
        sum = gcm_hash_blocks(key, sum, aad, whole);
        aad += whole;
        len -= whole;
    }
    return b1_xor(sum, b1_reverse(b1_load_part(aad, len)));
}

/* The first counter block (SP 800-38D, 7.1) of a nonce of 12 bytes, zeros above. */
OCT_INLINE b1 gcm_j0(b1 nonce)
{
    return b1_or(nonce, b1_set(0, (uint64_t)1 << 56));
}

/* A whole text and its additional data; returns the tag. */
VEC_STEP b1 gcm_record(const struct gcm_key *key, const uint8_t *aad, size_t aad_len, const uint8_t *in, uint8_t *out,
                       size_t len, b1 j0, const enum gcm_mode mode)
{
    const size_t above = 16 * (BV_LANES - 1), taken = len < above ? len : above;
    struct gcm_run r = {.key = key, .in = in, .out = out, .left = len, .next = 1};
    struct gcm_ends ends = {.has_head = 1, .has_lengths = 1};
    bv stream[1];

    r.counter = bv_add32(bv_set1(b1_reverse(j0)), bv_lane_numbers());
    ends.lengths = b1_set(8 * (uint64_t)len, 8 * (uint64_t)aad_len);
    gcm_counters(&r, stream, 1);
    gcm_rounds(stream, 1, key);
    const b1 last_aad = gcm_aad(key, aad, aad_len);
    stream[0] = bv_aes_last(stream[0], bv_load(key->round[GCM_ROUNDS]));
    const bv text = bv_load_above(r.in, taken), head = bv_xor(stream[0], text);
    bv_store_above(r.out, head, taken);
    ends.head = bv_xor(bv_reverse(mode == GCM_SEAL ? bv_keep_above(head, taken) : text), bv_first_lane(last_aad));
    gcm_advance(&r, taken);

    const b1 mask = bv_first(stream[0]);
    b1 sum;
    const size_t in_head = 1 + (taken + 15) / 16;
    if (r.left <= GCM_FINAL_BYTES && in_head + (r.left + 15) / 16 < GHASH_POWERS) {
        sum = gcm_final_any(&r, mode, &ends, in_head);
    } else {
        r.sum = ghash_lanes_mul(ends.head, ghash_wide(key, 1));
        ends.has_head = 0;
        gcm_bulk(&r, mode, GCM_KEEP_BYTES);
        while (r.left > GCM_FINAL_BYTES)
            gcm_mid(&r, mode);
        sum = gcm_final_any(&r, mode, &ends, 0);
    }
    return b1_xor(mask, b1_reverse(sum));
}

#if BV_LANES == 4
#include "kernels/gcm/gcm_short_impl.h"
#else
VEC_STEP b1 gcm_record_any(const struct gcm_key *key, const uint8_t *aad, size_t aad_len, const uint8_t *in,
                           uint8_t *out, size_t len, b1 nonce, const enum gcm_mode mode)
{
    return gcm_record(key, aad, aad_len, in, out, len, gcm_j0(nonce), mode);
}
VEC_STEP void gcm_record_clear(size_t aad_len, size_t len, const enum gcm_mode mode)
{
    (void)aad_len, (void)len, (void)mode;
    blocks_clear_registers();
}
#endif

/* For packets and streams; all that it needs comes in registers. The nonce has zeros above. */
static OCT_NOINLINE b1 gcm_open(const struct gcm_key *key, const uint8_t *aad, size_t aad_len, const uint8_t *in,
                                uint8_t *out, size_t len, b1 nonce)
{
    return gcm_record_any(key, aad, aad_len, in, out, len, nonce, GCM_OPEN);
}

int GCM_NAME(seal)(const void *key, const uint8_t *nonce, const uint8_t *aad, size_t aad_len, const uint8_t *in,
                   size_t len, uint8_t *out, uint8_t *tag)
{
    b1_store(tag, gcm_record_any(key, aad, aad_len, in, out, len, b1_load_part(nonce, OCT_AEAD_NONCE), GCM_SEAL));
    gcm_record_clear(aad_len, len, GCM_SEAL);
    return 0;
}

/* Opens, and writes what the tag has to be: for a stream, whose tag comes later. */
int GCM_NAME(open_first)(const void *key, const uint8_t *nonce, const uint8_t *aad, size_t aad_len, const uint8_t *in,
                         size_t len, uint8_t *out, uint8_t *tag)
{
    b1_store(tag, gcm_open(key, aad, aad_len, in, out, len, b1_load_part(nonce, OCT_AEAD_NONCE)));
    blocks_clear_registers();
    return 0;
}

uint64_t GCM_NAME(open)(const void *key, const uint8_t *nonce, const uint8_t *aad, size_t aad_len, const uint8_t *in,
                        size_t len, uint8_t *out, const uint8_t *tag)
{
    const b1 bytes = b1_load_part(nonce, OCT_AEAD_NONCE);
    const b1 wanted = gcm_record_any(key, aad, aad_len, in, out, len, bytes, GCM_OPEN);
    const uint64_t differs = b1_any(b1_xor(wanted, b1_load(tag)));
    gcm_record_clear(aad_len, len, GCM_OPEN);
    return differs;
}
