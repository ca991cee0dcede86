/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Ed25519 verification (RFC 8032, 5.1.7) after its hash: s B + k (-A) = R, where R is compared as a point with the one
 * that its bytes encode. Only canonical encodings are points here, so that is the comparison of bytes, and needs no
 * inversion.
 *
 * s B goes by the comb. k (-A) has a table of odd multiples of its own in each lane and signed odd digits of five bits,
 * 51 of them: k made odd, with one more addition at the end where it was even. It may not become k + l instead, as in
 * the comb: A may have a part of small order, and for such a point l A is not zero. All is public and nothing depends
 * on it: lanes share their control flow anyhow.
 */
#include "kernels/curve25519/comb25519_impl.h"
#include "kernels/curve25519/ed25519.h"
#include "kernels/curve25519/ed25519_decode_impl.h"
#include "kernels/curve25519/ed25519_order_impl.h"

#define WINDOW  5
#define DIGITS  51
#define ENTRIES 16

struct verify_workspace {
    struct comb_workspace comb;
    struct decode_workspace points;  /* A and R */
    struct ed_cached table[ENTRIES]; /* 1, 3, .. 31 times -A */
    struct ed_cached picked;
    struct ed_point sum;
    struct num k, s, digits;
};

/* The table, from A. */
VEC_CHAIN void verify_fill_table(struct verify_workspace *w)
{
    const fe x = fe_sub(fe_set_small(0), w->points.x.e[0]), y = w->points.y.e[0];
    struct ed_point *p = &w->sum;
    p->x = fe_widen(x);
    p->y = fe_biased(y);
    p->z = fe_biased(fe_set_small(1));
    p->t = fe_mul_wide(x, y);
    ed_cache(&w->table[0], p);
    ed_double(p);
    ed_cache(&w->picked, p);
    p->x = fe_widen(x);
    p->y = fe_biased(y);
    p->z = fe_biased(fe_set_small(1));
    p->t = fe_mul_wide(x, y);
    for (int e = 1; e < ENTRIES; e++) {
        ed_add_cached(p, &w->picked);
        ed_cache(&w->table[e], p);
    }
}

/* The entry becomes its negative where `negative`. */
VEC_STEP void verify_negate(struct ed_cached *entry, m8 negative)
{
    const fe sum = entry->sum;
    entry->sum = fe_select(negative, entry->difference, sum);
    entry->difference = fe_select(negative, sum, entry->difference);
    VEC_UNROLL
    for (int i = 0; i < FE_LIMBS; i++)
        entry->dt2.l[i] = v8_select(negative, v8_sub(v8_set1(2 * fe_prime_limb(i)), entry->dt2.l[i]), entry->dt2.l[i]);
    entry->dt2 = fe_narrow(entry->dt2);
}

/* picked = 2 b - 31 times -A, for b of 0 .. 31: entry b - 16 for b >= 16, else entry 15 - b negated. */
static OCT_NOINLINE void verify_pick(struct ed_cached *picked, const struct ed_cached *table, v8 b)
{
    const m8 positive = v8_test_bit(b, WINDOW - 1);
    const v8 index = v8_select(positive, b, v8_xor(b, v8_set1(ENTRIES - 1)));
    v8 *to = picked->sum.l;
    const v8 *from = table[0].sum.l;
    m8 bit[WINDOW - 1];
    VEC_UNROLL
    for (unsigned i = 0; i < WINDOW - 1; i++)
        bit[i] = v8_test_bit(index, i);
    for (int j = 0; j < 4 * FE_LIMBS; j++)
        to[j] = v8_lookup(from + j, 4 * FE_LIMBS, bit, WINDOW - 1);
    verify_negate(picked, m8_not(positive));
}

/* One odd digit for every five bits: k with its lowest bit set is the sum of (2 b_i - 31) 32^i, with b_i those of k/2 +
 * 2^254. */
VEC_CHAIN void verify_recode(struct verify_workspace *w)
{
    for (int i = 0; i < LIMBS; i++) {
        const v8 above = i + 1 < LIMBS ? v8_low(w->k.l[i + 1], 1) : v8_zero();
        w->digits.l[i] = v8_or(v8_sra(w->k.l[i], 1), v8_sll(above, 51));
    }
    w->digits.l[LIMBS - 1] = v8_add(w->digits.l[LIMBS - 1], v8_set1((uint64_t)1 << (254 - 52 * (LIMBS - 1))));
}

/* sum += picked. */
VEC_CHAIN void verify_add_picked(struct verify_workspace *w)
{
    struct ed_point p = w->sum;
    ed_add_cached(&p, &w->picked);
    w->sum = p;
}

/* picked = what the digits have too many where k is even: the first entry negated; elsewhere the identity. */
VEC_CHAIN void verify_pick_excess(struct verify_workspace *w)
{
    const m8 odd = v8_test_bit(w->k.l[0], 0);
    w->picked = w->table[0];
    verify_negate(&w->picked, m8_not(odd));
    w->picked.sum = fe_select(odd, fe_set_small(1), w->picked.sum);
    w->picked.difference = fe_select(odd, fe_set_small(1), w->picked.difference);
    w->picked.dt2 = fe_select(odd, fe_set_small(0), w->picked.dt2);
    w->picked.z = fe_select(odd, fe_set_small(1), w->picked.z);
}

/* sum = k (-A). */
VEC_CHAIN void verify_multiply(struct verify_workspace *w)
{
    verify_fill_table(w);
    verify_recode(w);
    ed_set_identity(&w->sum);
    for (unsigned i = DIGITS; i-- > 0;) {
        if (i + 1 < DIGITS)
            ed_double_times(&w->sum, WINDOW);
        verify_pick(&w->picked, w->table, num_bits(&w->digits, WINDOW * i, WINDOW));
        verify_add_picked(w);
    }
    verify_pick_excess(w);
    verify_add_picked(w);
}

/* Where sum is R. */
VEC_CHAIN m8 verify_compare(const struct verify_workspace *w)
{
    const fe x = fe_carry(w->sum.x), y = fe_carry(w->sum.y), z = fe_carry(w->sum.z);
    return m8_and(fe_is_same(fe_canonical(x), fe_canonical(fe_mul(w->points.x.e[1], z))),
                  fe_is_same(fe_canonical(y), fe_canonical(fe_mul(w->points.y.e[1], z))));
}

const size_t OCT_NAME(ed25519_verify_workspace) = sizeof(struct verify_workspace);

/* The lanes from `first` on; which of them are good. */
static OCT_NOINLINE unsigned verify_group(const struct oct_ed25519_verify_args *args, unsigned first)
{
    struct verify_workspace *w = args->workspace;
    fn_load_wide(&w->k, oct_limb8_from(args->wide, first));
    num_load(&w->s, oct_limb8_from(args->s, first));
    m8 good = m8_and(decode_points(&w->points, oct_limb8_from(args->a, first), oct_limb8_from(args->r, first)),
                     num_below(&w->s, fn_modulus));
    verify_multiply(w);
    comb_multiply(&w->comb, args->comb, w->s.l);
    ed_cache(&w->picked, &w->comb.sum);
    verify_add_picked(w);
    good = m8_and(good, verify_compare(w));
    /* All of it is public. */
    return m8_declassify(good);
}

unsigned OCT_NAME(ed25519_verify)(const struct oct_ed25519_verify_args *args)
{
    const struct vec_mode mode = vec_begin();
    unsigned good = 0;
    for (unsigned first = 0; first < 8; first += V8_LANES)
        good |= verify_group(args, first) << first;
    v8_clear_registers();
    vec_end(mode);
    return good;
}
