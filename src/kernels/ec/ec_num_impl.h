/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Numbers of LIMBS limbs of 52 bits, one in each lane, for the curves. Include after `#define LIMBS`.
 *
 * A number is in one of two states, which the comments name and the bound proof checks:
 *   carried   limbs 0 .. 2^52-1: may be multiplied, compared, stored
 *   columns   limbs of any size and sign that 64 bits hold: may be added, subtracted, multiplied by a small number
 * Products come out as columns, so that what a formula adds to them costs one carry, not two.
 */
#include "kernels/ec/ec.h"
#include "vec/vec.h"

#define STEP static OCT_NOINLINE

struct num {
    v8 l[LIMBS];
};

#if VEC_WHOLE
/* z = the 2*LIMBS columns of a * b, of a^2. */
static OCT_NOINLINE void num_product(v8 *restrict z, const v8 *a, const v8 *b)
{
    v8_product_from(z, a, b, LIMBS, 0, 0, 52);
}
VEC_CHAIN void num_square(v8 *restrict z, const v8 *a)
{
    v8_square(z, a, LIMBS, 52);
}
#endif

/* r = a + b, a - b, as columns. In all of these r may be an input. */
VEC_STEP void num_add(struct num *r, const struct num *a, const struct num *b)
{
    VEC_UNROLL
    for (int j = 0; j < LIMBS; j++)
        r->l[j] = v8_add(a->l[j], b->l[j]);
}

VEC_STEP void num_sub(struct num *r, const struct num *a, const struct num *b)
{
    VEC_UNROLL
    for (int j = 0; j < LIMBS; j++)
        r->l[j] = v8_sub(a->l[j], b->l[j]);
}

/* r = a * 2^bits, as columns. */
VEC_STEP void num_sll(struct num *r, const struct num *a, unsigned bits)
{
    VEC_UNROLL
    for (int j = 0; j < LIMBS; j++)
        r->l[j] = v8_sll(a->l[j], bits);
}

/* r = m ? a : b. */
VEC_STEP void num_select(struct num *r, m8 m, const struct num *a, const struct num *b)
{
    VEC_UNROLL
    for (int j = 0; j < LIMBS; j++)
        r->l[j] = v8_select(m, a->l[j], b->l[j]);
}

/* r = m ? -a : a, as columns. */
VEC_STEP void num_negate_if(struct num *r, m8 m, const struct num *a)
{
    VEC_UNROLL
    for (int j = 0; j < LIMBS; j++)
        r->l[j] = v8_select(m, v8_sub(v8_zero(), a->l[j]), a->l[j]);
}

VEC_STEP void num_constant(struct num *r, const uint64_t limb[LIMBS])
{
    VEC_UNROLL
    for (int j = 0; j < LIMBS; j++)
        r->l[j] = v8_set1(limb[j]);
}

/* Carries the columns r; the top limb takes what is left, and is negative if the number is. */
VEC_STEP void num_carry(struct num *r)
{
    v8 carry = v8_zero();
    VEC_UNROLL
    for (int j = 0; j + 1 < LIMBS; j++) {
        const v8 x = v8_add(r->l[j], carry);
        carry = v8_sra(x, 52);
        r->l[j] = v8_low52(x);
    }
    r->l[LIMBS - 1] = v8_add(r->l[LIMBS - 1], carry);
    V8_NUMBER(r->l, LIMBS, 52);
}

/* d = a - m, carried; returns where that is negative (there the top limb is no limb). */
VEC_STEP m8 num_sub_constant(struct num *d, const struct num *a, const uint64_t m[LIMBS])
{
    VEC_UNROLL
    for (int j = 0; j < LIMBS; j++)
        d->l[j] = v8_sub(a->l[j], v8_set1(m[j]));
    num_carry(d);
    const m8 negative = v8_is_negative(d->l[LIMBS - 1]);
    d->l[LIMBS - 1] = v8_low52(d->l[LIMBS - 1]);
    return negative;
}

/* Where the carried a < limit. */
VEC_STEP m8 num_below(const struct num *a, const uint64_t limit[LIMBS])
{
    struct num d;
    return num_sub_constant(&d, a, limit);
}

/* The carried r, below 2m, brought below m. */
VEC_STEP void num_reduce_once(struct num *r, const uint64_t m[LIMBS])
{
    struct num d;
    const m8 below = num_sub_constant(&d, r, m);
    num_select(r, below, r, &d);
    r->l[LIMBS - 1] = v8_proved_bound(r->l[LIMBS - 1], m[LIMBS - 1]);
    V8_NUMBER(r->l, LIMBS, 52);
}

/* Where the carried a is not 0. */
VEC_STEP m8 num_is_nonzero(const struct num *a)
{
    v8 any = a->l[0];
    VEC_UNROLL
    for (int j = 1; j < LIMBS; j++)
        any = v8_or(any, a->l[j]);
    return v8_is_nonzero(any);
}

/* Bits position .. position+bits-1 (public) of the carried a; 0 beyond its end. */
VEC_STEP v8 num_bits(const struct num *a, unsigned position, unsigned bits)
{
    const unsigned limb = position / 52, shift = position % 52;
    if (limb >= LIMBS)
        return v8_zero();
    v8 r = v8_sra(a->l[limb], shift);
    if (shift + bits > 52 && limb + 1 < LIMBS)
        r = v8_or(r, v8_sll(v8_low(a->l[limb + 1], bits), 52 - shift));
    return v8_low(r, bits);
}

/* An argument of a kernel, below 2^EC_BITS. */
VEC_STEP void num_load(struct num *r, const oct_limb8 *x)
{
    VEC_UNROLL
    for (int j = 0; j < LIMBS; j++)
        r->l[j] = v8_load52(x[j]);
    r->l[LIMBS - 1] = v8_argument_bound(r->l[LIMBS - 1], ((uint64_t)1 << (EC_BITS - 52 * (LIMBS - 1))) - 1);
}

/* Stores the carried a where `good`, else 0. */
VEC_STEP void num_store(oct_limb8 *x, const struct num *a, m8 good)
{
    VEC_UNROLL
    for (int j = 0; j < LIMBS; j++)
        v8_store52(x[j], v8_select(good, a->l[j], v8_zero()));
}
