/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Multiples of the base point: a comb of two teeth, 5 bits each. With an odd scalar k < 2^259 and B = (k - 1)/2 +
 * 2^259,
 *
 *     k = sum over i of (2 b_i - 31) 32^i,   b_0 .. b_51 the digits of B in base 32,
 *
 * so every digit stands for an odd multiple -31 .. 31 and none is zero. Row j of the table has the odd multiples 1, 3,
 * .. 31 of 1024^j times the base point; the odd digits are summed first, doubled five times, and the even ones added:
 * 50 KB of table instead of 100, for five doublings. The order l of the base point is odd: an even k becomes k + l.
 *
 * All lanes share the table. An entry is picked by permuting registers, all entries being read: the index is secret.
 */
#ifndef OCT_KERNELS_COMB25519_IMPL_H
#define OCT_KERNELS_COMB25519_IMPL_H

#include "kernels/curve25519/edwards25519_impl.h"

#define COMB_ROW_WORDS (OCT_COMB25519_LIMBS * OCT_COMB25519_POINTS)

/* l = 2^252 + 27742317777372353535851937790883648493 */
static const uint64_t comb_order[OCT_SCALAR25519_LIMBS] = {0x2631a5cf5d3ed, 0xdea2f79cd6581, 0x14def9, 0,
                                                           (uint64_t)1 << 44};

struct comb_workspace {
    v8 digits[OCT_SCALAR25519_LIMBS]; /* B */
    struct ed_point sum;
};

/* B from k < 2^258. */
VEC_CHAIN void comb_recode(v8 digits[OCT_SCALAR25519_LIMBS], const v8 *k)
{
    const m8 odd = v8_test_bit(k[0], 0);
    v8 carry = v8_zero();
    for (int i = 0; i < OCT_SCALAR25519_LIMBS; i++) {
        const v8 x = v8_add(v8_add(k[i], carry), v8_select(odd, v8_zero(), v8_set1(comb_order[i])));
        carry = v8_sra(x, 52);
        digits[i] = v8_low52(x);
    }
    for (int i = 0; i < OCT_SCALAR25519_LIMBS; i++) {
        const v8 above = i + 1 < OCT_SCALAR25519_LIMBS ? v8_low(digits[i + 1], 1) : v8_set1(1);
        digits[i] = v8_or(v8_sra(digits[i], 1), v8_sll(above, 51));
    }
}

VEC_STEP v8 comb_digit(const v8 digits[OCT_SCALAR25519_LIMBS], unsigned i)
{
    const unsigned limb = 5 * i / 52, shift = 5 * i % 52;
    v8 digit = v8_sra(digits[limb], shift);
    if (shift > 47)
        digit = v8_or(digit, v8_sll(v8_low(digits[limb + 1], 5), 52 - shift));
    return v8_low(digit, 5);
}

/* The multiple 2 b - 31 out of a row: entry b - 16 for b >= 16, else entry 15 - b negated. */
VEC_STEP void comb_entry(struct ed_affine *r, const uint64_t *row, v8 b)
{
    const m8 positive = v8_test_bit(b, 4);
    const v8 index = v8_low(v8_select(positive, b, v8_xor(b, v8_set1(15))), 4);
    VEC_UNROLL
    for (int i = 0; i < FE_LIMBS; i++) {
        const v8 sum = v8_argument_bound(v8_lookup_shared16(row + 16 * i, index), FE_MASK);
        const v8 difference = v8_argument_bound(v8_lookup_shared16(row + 16 * (5 + i), index), FE_MASK);
        const v8 dt2 = v8_argument_bound(v8_lookup_shared16(row + 16 * (10 + i), index), FE_MASK);
        r->sum.l[i] = v8_select(positive, sum, difference);
        r->difference.l[i] = v8_select(positive, difference, sum);
        r->dt2.l[i] = v8_select(positive, dt2, v8_sub(v8_set1(2 * fe_prime_limb(i)), dt2));
    }
    r->dt2 = fe_narrow(r->dt2);
}

/* sum += every second digit, beginning with digit `first`, of all rows. */
VEC_CHAIN void comb_tooth(struct ed_point *sum, const uint64_t *comb, const v8 *digits, unsigned first)
{
    struct ed_point p = *sum;
    struct ed_affine entry;
    for (unsigned row = 0; row < OCT_COMB25519_ROWS; row++) {
        comb_entry(&entry, comb + row * COMB_ROW_WORDS, comb_digit(digits, 2 * row + first));
        ed_add_affine(&p, &entry);
    }
    *sum = p;
}

/* w->sum = k times the base point, for 0 <= k < 2^258. k is secret. */
VEC_CHAIN void comb_multiply(struct comb_workspace *w, const uint64_t *comb, const v8 *k)
{
    comb_recode(w->digits, k);
    ed_set_identity(&w->sum);
    comb_tooth(&w->sum, comb, w->digits, 1);
    ed_double_times(&w->sum, 5);
    comb_tooth(&w->sum, comb, w->digits, 0);
}

#endif
