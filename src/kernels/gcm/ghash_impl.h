/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * GHASH (NIST SP 800-38D, 6.4) on any number of lanes, and the expanded key that it works with.
 *
 * Blocks are held with their bytes reversed, and the powers of H doubled, so that products come out where the
 * reduction wants them. Products are Karatsuba's; the middle ones are made for two vectors at a time: halves of two
 * sums in one vector. Sums of products stay unreduced until a reduction pays.
 *
 * A long text is summed lane by lane: lane j of every vector is multiplied by the same powers of H^BV_LANES (Horner),
 * and one reduction serves a group of vectors. Only the last few vectors meet consecutive powers, such that the last
 * block of all meets H^1; then the lanes are added up.
 */
#ifndef OCT_KERNELS_GHASH_IMPL_H
#define OCT_KERNELS_GHASH_IMPL_H

#include "kernels/aead.h"
#include "vec/cipher/blocks.h"

#include <string.h>

#define GHASH_POWERS   40 /* H^40 ... H^1 */
#define AES_MAX_ROUNDS 14
#define BV_BYTES       (16 * BV_LANES)

/* Consecutive powers first, any BV_LANES of which are one load: those of the last may reach beyond. Round keys, and the
 * powers that meet whole groups of vectors, stand in every lane: to broadcast them from memory would take slots of the
 * pipes that AES needs. All of it is aligned to 64 bytes. */
struct gcm_key {
    uint8_t power[GHASH_POWERS][16];
    uint8_t wide[BV_BULK][BV_BYTES];       /* H^(BV_LANES * BV_BULK), ..., H^BV_LANES */
    uint8_t middle[BV_BULK / 2][BV_BYTES]; /* the middle factors of their pairs */
    uint8_t round[AES_MAX_ROUNDS + 1][BV_BYTES];
};
_Static_assert(BV_LANES *BV_BULK <= GHASH_POWERS && GHASH_POWERS % BV_LANES == 0, "the powers of a group are there");
_Static_assert(sizeof(struct gcm_key) <= OCT_AEAD_EXPANDED_BYTES, "an expanded key fits");

/* Unreduced products: lower, middle and upper parts. */
struct products {
    bv low, mid, high;
};

/* Where H^e stands. */
OCT_INLINE const uint8_t *ghash_power(const struct gcm_key *key, size_t e)
{
    return key->power[GHASH_POWERS - e];
}

/* H^e, H^(e-1), ... in lanes 0, 1, ...; beyond H^1 comes something else: blocks there must be zero. */
OCT_INLINE bv ghash_powers(const struct gcm_key *key, size_t e)
{
    return bv_load(key->power[GHASH_POWERS - e]);
}

/* H^(BV_LANES * n) in every lane, for n of 1 to BV_BULK. */
OCT_INLINE bv ghash_wide(const struct gcm_key *key, const int n)
{
    return bv_load(key->wide[BV_BULK - n]);
}

OCT_INLINE struct products products_zero(void)
{
    return (struct products){bv_zero(), bv_zero(), bv_zero()};
}

/* The middle factor for two powers. */
OCT_INLINE bv ghash_middle(bv h0, bv h1)
{
    return bv_xor(bv_lower_halves(h0, h1), bv_upper_halves(h0, h1));
}

VEC_STEP void ghash_mul1(struct products *p, bv x, bv h)
{
    const bv m = bv_mul_low(bv_xor(x, bv_swap(x)), bv_xor(h, bv_swap(h)));
    p->low = bv_xor(p->low, bv_mul_low(x, h));
    p->mid = bv_xor(p->mid, m);
    p->high = bv_xor(p->high, bv_mul_high(x, h));
}

/* p += x0 * h0 + x1 * h1, k = ghash_middle(h0, h1). */
VEC_STEP void ghash_mul2(struct products *p, bv x0, bv x1, bv h0, bv h1, bv k)
{
    const bv m = ghash_middle(x0, x1);
    p->low = bv_xor3(p->low, bv_mul_low(x0, h0), bv_mul_low(x1, h1));
    p->mid = bv_xor3(p->mid, bv_mul_low(m, k), bv_mul_high(m, k));
    p->high = bv_xor3(p->high, bv_mul_high(x0, h0), bv_mul_high(x1, h1));
}

/* The same without Karatsuba, for factors whose sums are not at hand: four products each instead of three, but nothing
 * to prepare. To be reduced by ghash_reduce_whole(). */
VEC_STEP void ghash_mul2_whole(struct products *p, bv x0, bv x1, bv h0, bv h1)
{
    p->low = bv_xor3(p->low, bv_mul_low(x0, h0), bv_mul_low(x1, h1));
    p->mid = bv_xor3(p->mid, bv_mul_mixed(x0, h0), bv_mul_mixed(h0, x0));
    p->mid = bv_xor3(p->mid, bv_mul_mixed(x1, h1), bv_mul_mixed(h1, x1));
    p->high = bv_xor3(p->high, bv_mul_high(x0, h0), bv_mul_high(x1, h1));
}

VEC_STEP void ghash_mul1_whole(struct products *p, bv x, bv h)
{
    p->low = bv_xor(p->low, bv_mul_low(x, h));
    p->mid = bv_xor3(p->mid, bv_mul_mixed(x, h), bv_mul_mixed(h, x));
    p->high = bv_xor(p->high, bv_mul_high(x, h));
}

/* The field element in each lane. */
VEC_STEP bv ghash_reduce_whole(const struct products *p)
{
    const bv polynomial = bv_set1(b1_set(1, 0xc200000000000000));
    const bv s = bv_xor3(p->mid, bv_swap(p->low), bv_mul_mixed(p->low, polynomial));
    return bv_xor3(p->high, bv_swap(s), bv_mul_mixed(s, polynomial));
}

VEC_STEP bv ghash_reduce(const struct products *p)
{
    const struct products whole = {p->low, bv_xor3(p->mid, p->low, p->high), p->high};
    return ghash_reduce_whole(&whole);
}

VEC_STEP bv ghash_lanes_mul(bv x, bv h)
{
    struct products p = products_zero();
    ghash_mul1(&p, x, h);
    return ghash_reduce(&p);
}

VEC_STEP b1 ghash_mul(b1 x, b1 h)
{
    const b1 polynomial = b1_set(1, 0xc200000000000000), low = b1_mul_low(x, h), high = b1_mul_high(x, h);
    const b1 mid = b1_mul_low(b1_xor(x, b1_swap(x)), b1_xor(h, b1_swap(h)));
    const b1 s = b1_xor(b1_xor(b1_xor(mid, b1_xor(low, high)), b1_swap(low)), b1_mul_mixed(low, polynomial));
    return b1_xor(b1_xor(high, b1_swap(s)), b1_mul_mixed(s, polynomial));
}

/* p += x[0] * H^e, H^(e-1) ... + x[1] * ..., for a constant n of vectors that begin at power e: the end of a text. */
VEC_STEP void ghash_consecutive(struct products *p, const bv *x, const int n, const struct gcm_key *key, size_t e)
{
    VEC_UNROLL
    for (int i = 0; i + 1 < n; i += 2) {
        const bv h0 = ghash_powers(key, e - BV_LANES * (size_t)i);
        const bv h1 = ghash_powers(key, e - BV_LANES * (size_t)(i + 1));
        ghash_mul2(p, x[i], x[i + 1], h0, h1, ghash_middle(h0, h1));
    }
    if (n & 1)
        ghash_mul1(p, x[n - 1], ghash_powers(key, e - BV_LANES * (size_t)(n - 1)));
}

/* Vectors i and i+1 of n, lane by lane: p += x0 * H^(BV_LANES * (n-i)) + x1 * H^(BV_LANES * (n-i-1)). */
VEC_STEP void ghash_pair(struct products *p, bv x0, bv x1, const struct gcm_key *key, const int i, const int n)
{
    const bv h0 = ghash_wide(key, n - i), h1 = ghash_wide(key, n - i - 1);
    ghash_mul2(p, x0, x1, h0, h1, (n - i) % 2 ? ghash_middle(h0, h1) : bv_load(key->middle[(BV_BULK - n + i) / 2]));
}

#endif
