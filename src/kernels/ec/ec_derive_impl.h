/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * scalar * point with a point of its own in each lane: odd digits of DERIVE_WINDOW bits (Joye and Tunstall, 2009).
 *
 * For odd k, digit i is (bits w*i .. w*i+w of k, the lowest taken as 1) - 2^w: odd, from -(2^w - 1) to 2^w - 1, no
 * carry from digit to digit, none ever zero. The top digit is the remaining bits, the lowest taken as 1. An even scalar
 * k is replaced by n - k, which gives the negative point: the same x. So one table of odd multiples, no infinity on the
 * way, and no special case before the last addition: until then the sum is m*P with 2^w <= |m| < n - 2^w. In the last
 * one it can be twice the same point (on P-384, for k = 38).
 */
#define DERIVE_WINDOW 5
#define DERIVE_TABLE  (1 << (DERIVE_WINDOW - 1))
#define DERIVE_TOP    ((EC_BITS - 1) / DERIVE_WINDOW)

/* Tests on curves with few points meet the special cases everywhere. */
#ifndef EC_ALWAYS_COMPLETE
#define EC_ALWAYS_COMPLETE 0
#endif

struct derive_workspace {
    struct point table[DERIVE_TABLE]; /* 1, 3, 5 .. times the point */
    struct point sum, picked, scratch[3];
    struct num scalar;
    struct gcd gcd;
};

/* Where the carried k is 1 .. n-1. */
static m8 scalar_is_good(const struct num *k)
{
    return m8_and(num_is_nonzero(k), num_below(k, fn_modulus));
}

/* Where k is 1 .. n-1. It becomes odd: k or n - k. */
static m8 scalar_make_odd(struct num *k)
{
    const m8 good = scalar_is_good(k);
    struct num other;
    num_constant(&other, fn_modulus);
    num_sub(&other, &other, k);
    num_carry(&other);
    /* Not negative but for a k that is refused. */
    other.l[LIMBS - 1] = v8_low52(other.l[LIMBS - 1]);
    num_select(k, v8_test_bit(k->l[0], 0), k, &other);
    return good;
}

static void derive_fill_table(struct derive_workspace *w)
{
    const m8 plus = v8_is_negative(v8_zero());
    point_double(&w->picked, &w->table[0]);
    for (unsigned i = 1; i < DERIVE_TABLE; i++)
        if (EC_ALWAYS_COMPLETE)
            point_add_complete(&w->table[i], &w->table[i - 1], &w->picked, plus, w->scratch);
        else
            point_add(&w->table[i], &w->table[i - 1], &w->picked, plus);
}

/* picked = table[index], a secret index. */
STEP void derive_pick(struct point *picked, const struct point *table, v8 index)
{
    v8 *to = picked->x.l;
    const v8 *from = table[0].x.l;
    m8 bit[DERIVE_WINDOW - 1];
    VEC_UNROLL
    for (unsigned i = 0; i < DERIVE_WINDOW - 1; i++)
        bit[i] = v8_test_bit(index, i);
    for (int j = 0; j < 3 * LIMBS; j++)
        to[j] = v8_lookup(from + j, 3 * LIMBS, bit, DERIVE_WINDOW - 1);
}

/* The magnitude (d - 1)/2 and the sign of an odd digit, from its bits above the lowest: the top one is set if it is
 * positive. */
OCT_INLINE v8 digit_split(m8 *negative, v8 digit, unsigned window)
{
    *negative = m8_not(v8_test_bit(digit, window - 1));
    const v8 flip = v8_select(*negative, v8_set1(((uint64_t)1 << (window - 1)) - 1), v8_zero());
    return v8_xor(v8_low(digit, window - 1), flip);
}

/* sum = scalar * table[0], for an odd scalar. */
static void derive_multiply(struct derive_workspace *w)
{
    derive_fill_table(w);
    derive_pick(&w->sum, w->table, num_bits(&w->scalar, DERIVE_WINDOW * DERIVE_TOP + 1, DERIVE_WINDOW - 1));
    for (unsigned i = DERIVE_TOP; i-- > 0;) {
        m8 negative;
        const v8 index =
            digit_split(&negative, num_bits(&w->scalar, DERIVE_WINDOW * i + 1, DERIVE_WINDOW), DERIVE_WINDOW);
        for (unsigned j = 0; j < DERIVE_WINDOW; j++)
            point_double(&w->sum, &w->sum);
        derive_pick(&w->picked, w->table, index);
        if (EC_ALWAYS_COMPLETE || i == 0)
            point_add_complete(&w->sum, &w->sum, &w->picked, negative, w->scratch);
        else
            point_add(&w->sum, &w->sum, &w->picked, negative);
    }
}

static OCT_NOINLINE unsigned derive_run(const struct oct_ec_derive_args *args)
{
    struct derive_workspace *w = args->workspace;
    struct point *p = &w->table[0];
    struct num x;
    num_load(&p->x, args->x);
    num_load(&p->y, args->y);
    num_load(&w->scalar, args->scalar);
    m8 good = m8_and(point_check(&p->x, &p->y), scalar_make_odd(&w->scalar));
    fp_one(&p->z);
    derive_multiply(w);
    good = m8_and(good, point_to_affine(&x, NULL, &w->sum, &w->gcd));
    num_store(args->out, &x, good);
    v8_clear_registers();
    /* Which lanes were refused shows in the status. */
    return m8_declassify(good);
}
