/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Numbers into blocks and back, the constants of a modulus, and the last reduction. Include after fold_impl.h. A number
 * outside has limbs of 52 bits throughout.
 */

/* Bits position .. position+width-1 (public, at most 52) of the `limbs` limbs of 52 bits x; zero beyond them. */
OCT_INLINE v8 fold_bits(const oct_limb8 *x, unsigned limbs, unsigned position, unsigned width)
{
    const unsigned limb = position / 52, shift = position % 52;
    if (limb >= limbs)
        return v8_zero();
    v8 r = v8_sra(v8_load52(x[limb]), shift);
    if (shift + width > 52 && limb + 1 < limbs)
        r = v8_or(r, v8_sll(v8_low(v8_load52(x[limb + 1]), shift), 52 - shift));
    return v8_low(r, width);
}

/* The width of limb j, and where it begins. */
OCT_INLINE unsigned fold_width(unsigned j)
{
    return j % BLOCK + 1 < BLOCK ? 52 : BLOCK_TOP_BITS;
}

OCT_INLINE unsigned fold_position(unsigned j)
{
    return j / BLOCK * BLOCK_BITS + j % BLOCK * 52;
}

/* r = BLOCKS blocks from bit `from` of x on. */
static void fold_load(v8 *r, const oct_limb8 *x, unsigned limbs, unsigned from)
{
    for (unsigned j = 0; j < LIMBS; j++)
        r[j] = fold_bits(x, limbs, from + fold_position(j), fold_width(j));
}

/* r = the `limbs` limbs of 52 bits of the blocks x, a number that fits them. */
static void fold_unload(v8 *r, unsigned limbs, const v8 *x)
{
    for (unsigned i = 0; i < limbs; i++)
        r[i] = v8_zero();
    for (unsigned j = 0; j < LIMBS; j++) {
        const unsigned limb = fold_position(j) / 52, shift = fold_position(j) % 52;
        if (limb < limbs)
            r[limb] = v8_or(r[limb], v8_low52(v8_sll(v8_low(x[j], 52 - shift), shift)));
        if (limb + 1 < limbs && shift + fold_width(j) > 52)
            r[limb + 1] = v8_sra(x[j], 52 - shift);
    }
}

/* slot[r] = 2^power, for a constant power below R's. */
#define fold_set_power(s, vectors, r, power)                                                                           \
    fold_set_bit(s, vectors, r, (power) / BLOCK_BITS * BLOCK + (power) % BLOCK_BITS / 52, (power) % BLOCK_BITS % 52)

/* slot[r] = 2^bit in limb `limb`. */
static void fold_set_bit(struct fold *s, unsigned vectors, unsigned r, unsigned limb, unsigned bit)
{
    for (unsigned v = 0; v < vectors; v++)
        for (unsigned j = 0; j < LIMBS; j++)
            s[v].slot[r][j] = j == limb ? v8_set1((uint64_t)1 << bit) : v8_zero();
}

#if BLOCKS == 1
/* None but k0. */
static void fold_constants(struct fold *s)
{
    (void)s;
}
#else
/* The constants that belong to n. Q = B^-h mod n is what Montgomery's half of the reduction makes of 1: (1 + m*n)/B^h
 * with m < B^h, so it is below n. Meanwhile L is zero and Q need not be there. */
static void fold_constants(struct fold *s)
{
    for (int j = 0; j < LIMBS; j++)
        s->h[j] = s->high[j] = v8_zero();
    for (size_t j = 0; j < sizeof s->low / sizeof s->low[0]; j++)
        s->low[j] = v8_zero();
    for (int j = 0; j < HALF_FACTORS; j++)
        s->q[0][j] = s->q[1][j] = v8_zero();
    s->h[0] = v8_set1(1);
    fold_modulus(s);
    fold_multiples(s);
    fold_result(s, s->slot[PICKED]);
    fold_factors(s->q[0], s->slot[PICKED]);
    fold_factors(s->q[1], s->slot[PICKED] + HALF);
}
#endif

/* slot[r] = the columns t, carried; they are a number of 0 .. R-1. */
static void fold_carry(struct fold *s, unsigned r, const v8 *t)
{
    v8 carry = v8_zero();
    for (int i = 0; i < BLOCKS; i++)
        carry = block_carry(s->slot[r] + i * BLOCK, t + i * BLOCK, carry);
    (void)v8_proved_bound(carry, 0);
}

/* slot[r] - n if that is not negative, else slot[r]. */
static void fold_reduce_once(struct fold *s, unsigned vectors, unsigned r)
{
    for (unsigned v = 0; v < vectors; v++) {
        v8 *x = s[v].slot[r], *d = s[v].h, borrow = v8_zero();
        for (unsigned j = 0; j < LIMBS; j++) {
            const v8 y = v8_add(v8_sub(x[j], s[v].n[j]), borrow);
            borrow = v8_sra(y, fold_width(j));
            d[j] = v8_low(y, fold_width(j));
        }
        const m8 keep = v8_is_negative(borrow);
        for (int j = 0; j < LIMBS; j++)
            x[j] = v8_select(keep, x[j], d[j]);
    }
}
