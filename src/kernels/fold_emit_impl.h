/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* What becomes of the groups of a half product, one after the other, in each step. Part of fold_impl.h. */

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

/* Group HALF_BLOCKS + g of m times the lower half of n. */
OCT_INLINE void fold_upper(v8 *t, const struct fold *s, int g)
{
    v8 low[BLOCK], high[BLOCK];
    block_clear(low);
    block_clear(high);
    block_madd(high, s->m + g * BLOCK, s->n + HALF - BLOCK, 1);
    VEC_UNROLL
    for (int i = g + 1; i < HALF_BLOCKS; i++) {
        const v8 *n = s->n + (g + HALF_BLOCKS - 1 - i) * BLOCK;
        block_madd(high, s->m + i * BLOCK, n, 1);
        block_madd(low, s->m + i * BLOCK, n + BLOCK, 0);
    }
    block_raise(high);
    FOR_BLOCK(i) t[i] = v8_add(v8_add(t[i], low[i]), high[i]);
}

/* What is added to group g of the RESULT besides the half product. */
OCT_INLINE void fold_addend(v8 *t, const struct fold *s, int g)
{
    if (g >= HALF_BLOCKS) {
        block_copy(t, s->high + g * BLOCK);
        return;
    }
    block_copy(t, s->h + HALF + g * BLOCK);
    if (g == 0)
        t[0] = v8_add(t[0], s->carry);
    fold_upper(t, s, g);
    VEC_FENCE();
}

/* The carry out of the top is zero because the value is below 2^(258*BLOCKS). */
OCT_INLINE void emit_result(int g, v8 *t, v8 *carry, v8 *out)
{
    *carry = block_carry(t, t, *carry);
    block_copy(out + g * BLOCK, t);
    if (g + 1 == BLOCKS)
        (void)v8_reviewed_bound(*carry, 0);
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
