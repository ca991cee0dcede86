/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The product of two halves of HALF_BLOCKS blocks, group by group, by Karatsuba with the blocks as digits: the product
 * x_i*y_j + x_j*y_i is (x_i + x_j)*(y_i + y_j) less the products on the diagonal. Part of fold_impl.h.
 */

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

OCT_INLINE void half_sum(v8 *r, enum fold_step step, const v8 *a, int i, int j)
{
    v8 x[BLOCK], y[BLOCK];
    half_block(x, step, a, i);
    half_block(y, step, a, j);
    block_sum(r, x, y);
}

/* The factors of the diagonal product i. */
OCT_INLINE void factors_block(struct factors *f, enum fold_step step, const struct fold *s, const v8 *a, const v8 *b,
                              int square, int i)
{
    if (step == RESULT) {
        block_copy(f->x, s->m + i * BLOCK);
        block_copy(f->y, s->n + HALF + i * BLOCK);
    } else {
        half_block(f->x, step, a, i);
        if (!square)
            half_block(f->y, step, b, i);
    }
    if (step == MIDDLE || step == RESULT) {
        block_copy(f->u, s->low + i * BLOCK);
        f->v = s->q + (step == RESULT ? HALF : 0) + i * BLOCK;
    }
}

/* The factors of the product of sums of the blocks i < j. */
OCT_INLINE void factors_sum(struct factors *f, enum fold_step step, const struct fold *s, const v8 *a, const v8 *b,
                            int square, int i, int j)
{
    if (step == RESULT) {
        block_sum(f->x, s->m + i * BLOCK, s->m + j * BLOCK);
        block_copy(f->y, s->n_sum + fold_pair(i, j) * BLOCK);
    } else {
        half_sum(f->x, step, a, i, j);
        if (!square)
            half_sum(f->y, step, b, i, j);
    }
    if (step == MIDDLE || step == RESULT) {
        block_sum(f->u, s->low + i * BLOCK, s->low + j * BLOCK);
        f->v = s->q_sum[step == RESULT] + fold_pair(i, j) * BLOCK;
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
    factors_sum(&w, step, s, a, b, square, 0, 1);
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
