/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The steps of fold_impl.h for four blocks: straight lines. A half is two blocks, and Karatsuba's sums of sums are
 * sums of four.
 */

#define HALF_FACTORS (HALF + BLOCK) /* a half as a factor: its blocks and their sum */

struct fold {
    v8 low[HALF];      /* L */
    v8 middle[HALF];   /* the upper groups of the product of the lower halves */
    v8 high[2 * HALF]; /* all groups of the product of the upper halves; the last are H's last */
    v8 h[2 * HALF];    /* the other groups of H */
    v8 m[HALF];
    v8 carry; /* out of the last block that m cleared */
    v8 k0;
    v8 n[LIMBS], n_high[HALF_FACTORS];
    v8 q[2][HALF_FACTORS]; /* the halves of Q */
    v8 slot[SLOTS][LIMBS];
    v8 table[LIMBS][1 << WINDOW]; /* limb by limb: what is read together lies together */
};

enum fold_step { LOW, HIGH, MIDDLE, RESULT };

static void fold_factors(v8 *r, const v8 *half)
{
    for (int j = 0; j < HALF; j++)
        r[j] = half[j];
    block_sum(r + HALF, half, half + BLOCK);
}

static void fold_modulus(struct fold *s)
{
    fold_factors(s->n_high, s->n + HALF);
}

/* L, carried, and the groups above it. */
OCT_INLINE void emit_low(struct fold *s, int g, v8 *t, v8 *carry)
{
    if (g < HALF_BLOCKS) {
        *carry = block_carry(t, t, *carry);
        block_copy(s->low + g * BLOCK, t);
        return;
    }
    if (g == HALF_BLOCKS)
        t[0] = v8_add(t[0], *carry);
    block_copy(s->middle + (g - HALF_BLOCKS) * BLOCK, t);
}

/* Karatsuba's middle: less the products of the halves, beside their groups. */
OCT_INLINE void emit_middle(struct fold *s, int g, v8 *t)
{
    const v8 *middle = s->middle + g % HALF_BLOCKS * BLOCK, *high = s->high + g % HALF_BLOCKS * BLOCK;
    const v8 *other = (g < HALF_BLOCKS ? s->low : s->high) + g * BLOCK;
    FOR_BLOCK(i)
    {
        const v8 between = v8_sub(middle[i], high[i]);
        t[i] = g < HALF_BLOCKS ? v8_add(t[i], between) : v8_sub(t[i], between);
        s->h[g * BLOCK + i] = v8_sub(t[i], other[i]);
    }
}

#if !VEC_WHOLE
/* What is added to group g, one of the lower half, of the RESULT besides the half product. */
OCT_INLINE void fold_addend(v8 *t, const struct fold *s, int g)
{
    block_copy(t, s->h + HALF + g * BLOCK);
    if (g == 0)
        t[0] = v8_add(t[0], s->carry);
    fold_upper(t, s->m, s->n, g);
    VEC_FENCE();
}
#endif

/* The carry out of the top is zero because the value is below 2^(258*BLOCKS). */
OCT_INLINE void emit_result(int g, v8 *t, v8 *carry, v8 *out)
{
    *carry = block_carry(t, t, *carry);
    block_copy(out + g * BLOCK, t);
    if (g + 1 == BLOCKS)
        (void)v8_proved_bound(*carry, 0);
}

/* t is group g, and is used up. */
OCT_INLINE void fold_emit(struct fold *s, enum fold_step step, int g, v8 *t, v8 *carry, v8 *out)
{
    if (step == LOW)
        emit_low(s, g, t, carry);
    else if (step == HIGH)
        block_copy(s->high + g * BLOCK, t);
    else if (step == MIDDLE)
        emit_middle(s, g, t);
    else
        emit_result(g, t, carry, out);
    VEC_FENCE();
}

#if VEC_WHOLE
/* All columns of what a step multiplies: x by y, or x by x; in MIDDLE and RESULT besides u by v. */
OCT_INLINE void half_multiply(v8 *r, enum fold_step step, int square, const v8 *x, const v8 *y, const v8 *u,
                              const v8 *v)
{
    if (square)
        block_square_whole(r, x);
    else
        block_product(r, x, y);
    if (step == MIDDLE || step == RESULT)
        block_product_add(r, u, v);
}

/* Two blocks, and their sum, of the half of a that a step multiplies; of both halves' sum in MIDDLE. Returns them, at
 * `sums` or where they are; their sum is at `sums` from HALF on. */
OCT_INLINE const v8 *half_factor(v8 *sums, enum fold_step step, const v8 *a)
{
    const v8 *half = step == HIGH ? a + HALF : a;
    if (step == MIDDLE) {
        block_sum_call(sums, a, a + HALF);
        block_sum_call(sums + BLOCK, a + BLOCK, a + HALF + BLOCK);
        half = sums;
    }
    block_sum_call(sums + HALF, half, half + BLOCK);
    return half;
}

/* What is added to the groups of the RESULT besides the half product: to the lower ones the upper half of m times the
 * lower half of n, whose last product has columns in both. */
OCT_INLINE void fold_addends(v8 add[BLOCKS][BLOCK], const struct fold *s)
{
    v8 high[BLOCK], last[2 * BLOCK];
    block_product_high(high, s->m, s->n + BLOCK);
    block_product_high_add(high, s->m + BLOCK, s->n);
    block_product(last, s->m + BLOCK, s->n + BLOCK);
    FOR_BLOCK(i)
    {
        add[0][i] = v8_add(v8_add(s->h[HALF + i], last[i]), v8_sll(high[i], RAISE));
        add[1][i] = v8_add(s->h[HALF + BLOCK + i], v8_sll(last[BLOCK + i], RAISE));
        add[2][i] = s->high[2 * BLOCK + i];
        add[3][i] = s->high[3 * BLOCK + i];
    }
    add[0][0] = v8_add(add[0][0], s->carry);
}

/* With X, Y and W the products of the first blocks, of the second, and of the sums, the groups are Xl, 4Xh - Yl - Xl +
 * Wl, 4Wh - 4Yh - (4Xh - Yl), 4Yh. */
OCT_INLINE void half_product(struct fold *s, enum fold_step step, const v8 *a, const v8 *b, int square, v8 *out)
{
    v8 xs[HALF + BLOCK], ys[HALF + BLOCK], us[BLOCK], add[BLOCKS][BLOCK];
    v8 first[2 * BLOCK], second[2 * BLOCK], both[2 * BLOCK], upper[BLOCK], t[BLOCK], carry = v8_zero();
    const v8 *x = half_factor(xs, step == RESULT ? LOW : step, step == RESULT ? s->m : a), *y = x, *v = s->q[0];
    const v8 *y_sum = xs + HALF;
    if (step == RESULT) {
        y = s->n_high;
        y_sum = s->n_high + HALF;
        v = s->q[1];
    } else if (!square) {
        y = half_factor(ys, step, b);
        y_sum = ys + HALF;
    }
    if (step == MIDDLE || step == RESULT)
        block_sum_call(us, s->low, s->low + BLOCK);
    half_multiply(first, step, square, x, y, s->low, v);
    half_multiply(second, step, square, x + BLOCK, y + BLOCK, s->low + BLOCK, v + BLOCK);
    half_multiply(both, step, square, xs + HALF, y_sum, us, v + HALF);
    if (step == RESULT)
        fold_addends(add, s);
    FOR_BLOCK(i)
    {
        upper[i] = v8_sub(v8_sll(first[BLOCK + i], RAISE), second[i]);
        t[i] = step == RESULT ? v8_add(first[i], add[0][i]) : first[i];
    }
    fold_emit(s, step, 0, t, &carry, out);
    FOR_BLOCK(i) t[i] = v8_add(v8_sub(both[i], first[i]), upper[i]);
    if (step == RESULT)
        block_add(t, add[1]);
    fold_emit(s, step, 1, t, &carry, out);
    FOR_BLOCK(i) t[i] = v8_sub(v8_sll(v8_sub(both[BLOCK + i], second[BLOCK + i]), RAISE), upper[i]);
    if (step == RESULT)
        block_add(t, add[2]);
    fold_emit(s, step, 2, t, &carry, out);
    FOR_BLOCK(i) t[i] = v8_sll(second[BLOCK + i], RAISE);
    if (step == RESULT)
        block_add(t, add[3]);
    fold_emit(s, step, 3, t, &carry, out);
}
#else
/* What is multiplied: x by y, or x by x; in MIDDLE and RESULT besides u by v, into the same accumulators. */
struct factors {
    v8 x[BLOCK], y[BLOCK], u[BLOCK];
    const v8 *v;
};

/* Block i of the half of a that a step multiplies; of both halves' sum in MIDDLE. */
OCT_INLINE void half_block(v8 *r, enum fold_step step, const v8 *a, int i)
{
    const v8 *low = a + i * BLOCK, *high = low + HALF;
    if (step == MIDDLE)
        block_sum(r, low, high);
    else
        block_copy(r, step == HIGH ? high : low);
}

OCT_INLINE void half_sum(v8 *r, enum fold_step step, const v8 *a)
{
    v8 x[BLOCK], y[BLOCK];
    half_block(x, step, a, 0);
    half_block(y, step, a, 1);
    block_sum(r, x, y);
}

/* The factors of the diagonal product i. */
OCT_INLINE void factors_block(struct factors *f, enum fold_step step, const struct fold *s, const v8 *a, const v8 *b,
                              int square, int i)
{
    if (step == RESULT) {
        block_copy(f->x, s->m + i * BLOCK);
        block_copy(f->y, s->n_high + i * BLOCK);
    } else {
        half_block(f->x, step, a, i);
        if (!square)
            half_block(f->y, step, b, i);
    }
    if (step == MIDDLE || step == RESULT) {
        block_copy(f->u, s->low + i * BLOCK);
        f->v = s->q[step == RESULT] + i * BLOCK;
    }
}

/* The factors of the product of the blocks' sums. */
OCT_INLINE void factors_sum(struct factors *f, enum fold_step step, const struct fold *s, const v8 *a, const v8 *b,
                            int square)
{
    if (step == RESULT) {
        block_sum(f->x, s->m, s->m + BLOCK);
        block_copy(f->y, s->n_high + HALF);
    } else {
        half_sum(f->x, step, a);
        if (!square)
            half_sum(f->y, step, b);
    }
    if (step == MIDDLE || step == RESULT) {
        block_sum(f->u, s->low, s->low + BLOCK);
        f->v = s->q[step == RESULT] + HALF;
    }
}

/* r = the low or high columns of what the factors say. */
OCT_INLINE void factors_multiply(v8 *r, const struct factors *f, enum fold_step step, int square, int high)
{
    v8 t[BLOCK];
    if (square)
        block_square(r, f->x, high);
    if (step == LOW || step == HIGH) {
        if (square)
            return;
        block_clear(r);
        block_madd(r, f->x, f->y, high);
    } else if (square) {
        block_clear(t);
        block_madd(t, f->u, f->v, high);
        block_add(r, t);
    } else {
        block_products(r, f->x, f->y, f->u, f->v, high);
    }
}

/* Two blocks: what is on the diagonal stays in registers. With X, Y and W the products of the first blocks, of the
 * second, and of the sums, the groups are Xl, 4Xh - Yl - Xl + Wl, 4Wh - 4Yh - (4Xh - Yl), 4Yh. */
OCT_INLINE void half_product(struct fold *s, enum fold_step step, const v8 *a, const v8 *b, int square, v8 *out)
{
    struct factors f, w;
    v8 t[BLOCK], first[BLOCK], upper[BLOCK], top[BLOCK], addend[BLOCK], carry = v8_zero();
    if (step == RESULT)
        fold_addend(addend, s, 0);
    factors_block(&f, step, s, a, b, square, 0);
    factors_multiply(first, &f, step, square, 0);
    block_copy(t, first);
    if (step == RESULT)
        block_add(t, addend);
    fold_emit(s, step, 0, t, &carry, out);
    factors_multiply(upper, &f, step, square, 1);
    block_raise(upper);
    VEC_FENCE();
    factors_block(&f, step, s, a, b, square, 1);
    factors_multiply(t, &f, step, square, 0);
    block_sub(upper, t);
    VEC_FENCE();
    /* Now, and not when they are wanted: carries wait for one another. */
    factors_sum(&w, step, s, a, b, square);
    factors_multiply(top, &f, step, square, 1);
    block_raise(top);
    VEC_FENCE();
    if (step == RESULT) {
        fold_addend(addend, s, 1);
        block_sub(first, addend);
    }
    factors_multiply(t, &w, step, square, 0);
    block_sub(t, first);
    block_add(t, upper);
    fold_emit(s, step, 1, t, &carry, out);
    factors_multiply(t, &w, step, square, 1);
    block_raise(t);
    block_sub(t, upper);
    block_sub(t, top);
    if (step == RESULT)
        block_add(t, s->high + 2 * BLOCK);
    fold_emit(s, step, 2, t, &carry, out);
    if (step == RESULT)
        block_add(top, s->high + 3 * BLOCK);
    fold_emit(s, step, 3, top, &carry, out);
}
#endif

STEP void fold_low_square(struct fold *restrict s, const v8 *restrict a)
{
    half_product(s, LOW, a, a, 1, NULL);
}

STEP void fold_high_square(struct fold *restrict s, const v8 *restrict a)
{
    half_product(s, HIGH, a, a, 1, NULL);
}

STEP void fold_middle_square(struct fold *restrict s, const v8 *restrict a)
{
    half_product(s, MIDDLE, a, a, 1, NULL);
}

STEP void fold_low_mul(struct fold *restrict s, const v8 *restrict a, const v8 *restrict b)
{
    half_product(s, LOW, a, b, 0, NULL);
}

STEP void fold_high_mul(struct fold *restrict s, const v8 *restrict a, const v8 *restrict b)
{
    half_product(s, HIGH, a, b, 0, NULL);
}

STEP void fold_middle_mul(struct fold *restrict s, const v8 *restrict a, const v8 *restrict b)
{
    half_product(s, MIDDLE, a, b, 0, NULL);
}

STEP void fold_result(struct fold *restrict s, v8 *restrict r)
{
    half_product(s, RESULT, NULL, NULL, 0, r);
}
