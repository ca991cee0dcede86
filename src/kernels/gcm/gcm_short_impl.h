/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Short records on vectors of four lanes, after gcm_impl.h: up to GCM_SHORT vectors of text, and additional data that
 * fills no more than three blocks.
 *
 * A short record is latency, so what is independent stands side by side: E(J0) is a chain of its own in the rounds of
 * the text. Between the rounds stands all that can be hashed already: the additional data with the lengths, as one
 * vector, and the ciphertext when opening. One reduction serves everything.
 */

#define GCM_SHORT 7
/* So many vectors need no more than sixteen registers: opening holds the text from the beginning. */
#define GCM_LOW(mode) ((mode) == GCM_SEAL ? 4 : 2)
/* The round behind which what stands around a text is hashed. Opening has ciphertext to hash from then on; sealing is
 * quicker where the text's rounds have begun (2 to 5 % for up to 64 bytes, Emerald Rapids). */
#define GCM_ENDS(mode) ((mode) == GCM_SEAL ? 4 : 1)
#define GCM_NEAR       ((size_t)16 * (BV_LANES - 1)) /* bytes of additional data, at most */

/* Counters below 256 from `first` (constant) on, one a lane. */
OCT_INLINE bv gcm_low_counters(const uint8_t first)
{
    return bv_last_bytes(first, first + 1, first + 2, first + 3);
}

/* The first counter blocks of n vectors of text, and J0, all with the first round key. */
VEC_STEP b1 gcm_first_blocks(bv *b, const int n, const struct gcm_key *key, b1 nonce)
{
    const bv base = bv_xor(bv_set1(nonce), bv_load(key->round[0]));
    VEC_UNROLL
    for (int i = 0; i < n; i++)
        b[i] = bv_xor(base, gcm_low_counters((uint8_t)(2 + BV_LANES * i)));
    return b1_xor(bv_first(base), b1_set(0, (uint64_t)1 << 56));
}

/* Products of what stands around a text: additional data, and the block of lengths in the last lane. Additional data
 * of at most a block is a pair with the lengths, and loaded as a block: a wide load, even a masked one, waits for a
 * store of a moment ago to any of the bytes that it spans, and the tag of the record before may stand there. */
VEC_STEP struct products gcm_ends(const struct gcm_key *key, const uint8_t *aad, size_t aad_len, size_t len)
{
    const size_t e = (aad_len + 15) / 16 + (len + 15) / 16 + 1;
    const b1 lengths = b1_set(8 * (uint64_t)len, 8 * (uint64_t)aad_len), h1 = b1_load(ghash_power(key, 1));
    struct products p = products_zero();
    if (aad_len <= 16) {
        const bv x = bv_pair(b1_reverse(b1_load_part(aad, aad_len)), lengths);
        const bv h = bv_pair(b1_load(ghash_power(key, e)), h1);
        p.low = bv_pair_mul_low(x, h);
        p.mid = bv_pair_mul_mixed(x, h);
        p.high = bv_pair_mul_high(x, h);
    } else {
        const bv x = bv_put(bv_reverse(bv_load_part(aad, aad_len)), BV_LANES - 1, lengths);
        ghash_mul1_whole(&p, x, bv_put(ghash_powers(key, e), BV_LANES - 1, h1));
    }
    return p;
}

/* Vectors of text, all whole but for the last one; whole vectors are loaded and stored as such: what was stored under
 * a mask is not at hand for loads that follow soon. */
VEC_STEP void gcm_load_text(bv *t, const uint8_t *in, const int n, size_t last)
{
    VEC_UNROLL
    for (int i = 0; i < n; i++)
        t[i] = i < n - 1 || last == BV_BYTES ? bv_load(in + BV_BYTES * i) : bv_load_part(in + BV_BYTES * i, last);
}

/* The last round, with the text; b becomes the output. */
VEC_STEP void gcm_store_text(bv *b, const bv *t, const struct gcm_key *key, uint8_t *out, const int n, size_t last)
{
    const bv k = bv_load(key->round[GCM_ROUNDS]);
    blocks_loads_first();
    VEC_UNROLL
    for (int i = 0; i < n; i++) {
        b[i] = bv_aes_last(b[i], bv_xor(k, t[i]));
        if (i < n - 1 || last == BV_BYTES) {
            bv_store(out + BV_BYTES * i, b[i]);
        } else {
            bv_store_part(out + BV_BYTES * i, b[i], last);
            b[i] = bv_keep(b[i], last);
        }
    }
}

/* A record of n vectors (constant); returns its tag. */
VEC_STEP b1 gcm_short(const struct gcm_key *key, const uint8_t *aad, size_t aad_len, const uint8_t *in, uint8_t *out,
                      size_t len, b1 nonce, const int n, const enum gcm_mode mode)
{
    const size_t last = n > 0 ? len - BV_BYTES * (size_t)(n - 1) : 0, e = (len + 15) / 16 + 1;
    bv b[GCM_SHORT], t[GCM_SHORT];
    struct products p = products_zero();
    b1 mask = gcm_first_blocks(b, n, key, nonce);
    if (mode == GCM_OPEN)
        gcm_load_text(t, in, n, last);
    VEC_UNROLL
    for (int round = 1; round < GCM_ROUNDS; round++) {
        const bv k = bv_load(key->round[round]);
        mask = b1_aes(mask, b1_load(key->round[round]));
        VEC_UNROLL
        for (int i = 0; i < n; i++)
            b[i] = bv_aes(b[i], k);
        if (round == GCM_ENDS(mode))
            p = gcm_ends(key, aad, aad_len, len);
        else if (mode == GCM_OPEN && round - 2 < n)
            ghash_mul1_whole(&p, bv_reverse(t[round - 2]), ghash_powers(key, e - BV_LANES * (size_t)(round - 2)));
    }
    mask = b1_aes_last(mask, b1_load(key->round[GCM_ROUNDS]));
    if (mode == GCM_SEAL)
        gcm_load_text(t, in, n, last);
    gcm_store_text(b, t, key, out, n, last);
    VEC_UNROLL
    for (int i = 0; mode == GCM_SEAL && i < n; i++)
        ghash_mul1_whole(&p, bv_reverse(b[i]), ghash_powers(key, e - BV_LANES * (size_t)i));
    return b1_xor(mask, b1_reverse(bv_fold(ghash_reduce_whole(&p))));
}

#include "kernels/gcm/gcm_long_impl.h"

/* One function for each number of vectors; GCM_LOW() says which have names for low registers. */
#define GCM_SHORT_RECORD(name, n, mode)                                                                                \
    static OCT_NOINLINE b1 name(const struct gcm_key *key, const uint8_t *aad, size_t aad_len, const uint8_t *in,      \
                                uint8_t *out, size_t len, b1 nonce)                                                    \
    {                                                                                                                  \
        return gcm_short(key, aad, aad_len, in, out, len, nonce, n, mode);                                             \
    }
GCM_SHORT_RECORD(BLOCKS_LOW16(gcm_seal_0), 0, GCM_SEAL)
GCM_SHORT_RECORD(BLOCKS_LOW16(gcm_seal_1), 1, GCM_SEAL)
GCM_SHORT_RECORD(BLOCKS_LOW16(gcm_seal_2), 2, GCM_SEAL)
GCM_SHORT_RECORD(BLOCKS_LOW16(gcm_seal_3), 3, GCM_SEAL)
GCM_SHORT_RECORD(BLOCKS_LOW16(gcm_seal_4), 4, GCM_SEAL)
GCM_SHORT_RECORD(gcm_seal_5, 5, GCM_SEAL)
GCM_SHORT_RECORD(gcm_seal_6, 6, GCM_SEAL)
GCM_SHORT_RECORD(gcm_seal_7, 7, GCM_SEAL)
GCM_SHORT_RECORD(BLOCKS_LOW16(gcm_open_0), 0, GCM_OPEN)
GCM_SHORT_RECORD(BLOCKS_LOW16(gcm_open_1), 1, GCM_OPEN)
GCM_SHORT_RECORD(BLOCKS_LOW16(gcm_open_2), 2, GCM_OPEN)
GCM_SHORT_RECORD(gcm_open_3, 3, GCM_OPEN)
GCM_SHORT_RECORD(gcm_open_4, 4, GCM_OPEN)
GCM_SHORT_RECORD(gcm_open_5, 5, GCM_OPEN)
GCM_SHORT_RECORD(gcm_open_6, 6, GCM_OPEN)
GCM_SHORT_RECORD(gcm_open_7, 7, GCM_OPEN)

static OCT_NOINLINE b1 gcm_seal_far(const struct gcm_key *key, const uint8_t *aad, size_t aad_len, const uint8_t *in,
                                    uint8_t *out, size_t len, b1 nonce)
{
    return gcm_record(key, aad, aad_len, in, out, len, gcm_j0(nonce), GCM_SEAL);
}
static OCT_NOINLINE b1 gcm_open_far(const struct gcm_key *key, const uint8_t *aad, size_t aad_len, const uint8_t *in,
                                    uint8_t *out, size_t len, b1 nonce)
{
    return gcm_record(key, aad, aad_len, in, out, len, gcm_j0(nonce), GCM_OPEN);
}

#define GCM_CALL(seal, open)                                                                                           \
    mode == GCM_SEAL ? seal(key, aad, aad_len, in, out, len, nonce) : open(key, aad, aad_len, in, out, len, nonce)
#define GCM_SHORT_CASE(n, seal, open)                                                                                  \
    case n:                                                                                                            \
        return GCM_CALL(seal, open)

VEC_STEP b1 gcm_record_any(const struct gcm_key *key, const uint8_t *aad, size_t aad_len, const uint8_t *in,
                           uint8_t *out, size_t len, b1 nonce, const enum gcm_mode mode)
{
    if (aad_len > GCM_NEAR)
        return GCM_CALL(gcm_seal_far, gcm_open_far);
    switch ((len + BV_BYTES - 1) / BV_BYTES) {
        GCM_SHORT_CASE(0, BLOCKS_LOW16(gcm_seal_0), BLOCKS_LOW16(gcm_open_0));
        GCM_SHORT_CASE(1, BLOCKS_LOW16(gcm_seal_1), BLOCKS_LOW16(gcm_open_1));
        GCM_SHORT_CASE(2, BLOCKS_LOW16(gcm_seal_2), BLOCKS_LOW16(gcm_open_2));
        GCM_SHORT_CASE(3, BLOCKS_LOW16(gcm_seal_3), gcm_open_3);
        GCM_SHORT_CASE(4, BLOCKS_LOW16(gcm_seal_4), gcm_open_4);
        GCM_SHORT_CASE(5, gcm_seal_5, gcm_open_5);
        GCM_SHORT_CASE(6, gcm_seal_6, gcm_open_6);
        GCM_SHORT_CASE(7, gcm_seal_7, gcm_open_7);
    default:
        return GCM_CALL(gcm_seal_long, gcm_open_long);
    }
}

/* After gcm_record_any(). */
VEC_STEP void gcm_record_clear(size_t aad_len, size_t len, const enum gcm_mode mode)
{
    if (aad_len > GCM_NEAR || len > (size_t)BV_BYTES * GCM_LOW(mode))
        blocks_clear_registers();
    else
        blocks_clear_low_registers();
}
