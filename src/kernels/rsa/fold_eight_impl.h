/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The steps of fold_impl.h for eight blocks. A half is two pairs of blocks, whose products are straight lines in
 * functions of their own: all together they fit the instruction cache, which steps of whole halves would not. With
 * Karatsuba on three levels, sums are of up to eight blocks.
 */

#define PAIR         (2 * BLOCK)
#define PAIR_FACTORS (3 * BLOCK)        /* a pair as a factor: its blocks and their sum */
#define HALF_FACTORS (3 * PAIR_FACTORS) /* a half: its pairs and their sum */

_Static_assert(BLOCK_TOP_BITS <= 49, "the sum of eight blocks has limbs of 52 bits");

struct fold {
    v8 low[3 * PAIR]; /* L: its pairs and their sum */
    v8 lower[LIMBS];  /* all groups of the product of the lower halves; in the end, of the upper half of m*n and L*Q */
    v8 high[LIMBS];   /* of the product of the upper halves; the last are H's last */
    v8 h[LIMBS];      /* the other groups of H */
    v8 inner[2 * PAIR];
    v8 sum[2][3 * PAIR];
    v8 m[HALF];
    v8 carry; /* out of the last block that m cleared */
    v8 k0;
    v8 n[LIMBS], n_high[PAIR]; /* the sum of the pairs of its upper half */
    v8 q[2][HALF_FACTORS];     /* the halves of Q */
    v8 slot[SLOTS][LIMBS];
    v8 table[LIMBS][1 << WINDOW]; /* limb by limb: what is read together lies together */
};

/* The products of a half, in this order: of its first pairs, of the second, of their sums. */
enum fold_part { FIRST, SECOND, BOTH };

/* What is multiplied, pairs: x by y, or x by x; with `more` u by v besides, v a pair as a factor. */
struct factors {
    int square, more;
    const v8 *x, *y, *u, *v;
};

/* Places group g of a pair's product among a half's: those in the middle wait until the product of the sums adds to
 * them, less what it has too much. So two wait of each product: the first one's upper, the second one's lower. */
OCT_INLINE void fold_emit(struct fold *s, v8 *out, enum fold_part part, int g, const v8 *t)
{
    v8 *middle = out + PAIR + g * BLOCK;
    if (part != BOTH) {
        v8 *first = g < 2 ? out : s->inner, *second = g < 2 ? s->inner + PAIR : out + 3 * PAIR;
        block_copy((part == FIRST ? first : second) + g % 2 * BLOCK, t);
        VEC_FENCE();
        return;
    }
    const v8 *a = s->inner + g % 2 * BLOCK, *b = a + PAIR, *other = g < 2 ? out + g * BLOCK : middle + PAIR;
    FOR_BLOCK(i)
    {
        const v8 between = v8_sub(a[i], b[i]);
        middle[i] = v8_sub(g < 2 ? v8_add(t[i], between) : v8_sub(t[i], between), other[i]);
    }
    VEC_FENCE();
}

#if VEC_WHOLE
/* r = all columns of what the factors say: of their blocks at i, or with i = 2 of the sums. */
OCT_INLINE void factors_multiply(v8 *r, const struct factors *f, int i, const v8 sum[3][BLOCK])
{
    const v8 *x = i == 2 ? sum[0] : f->x + i * BLOCK, *y = i == 2 ? sum[1] : f->y + i * BLOCK;
    if (f->square)
        block_square_whole(r, x);
    else
        block_product(r, x, y);
    if (f->more)
        block_product_add(r, i == 2 ? sum[2] : f->u + i * BLOCK, f->v + i * BLOCK);
}

/* With X, Y and W the products of the first blocks, of the second, and of the sums, the groups are Xl,
 * 2^RAISE*Xh - Yl - Xl + Wl, 2^RAISE*(Wh - Yh) - (2^RAISE*Xh - Yl), 2^RAISE*Yh. */
OCT_INLINE void pair_product(struct fold *s, v8 *out, enum fold_part part, const struct factors *f)
{
    v8 first[2 * BLOCK], second[2 * BLOCK], both[2 * BLOCK], sum[3][BLOCK], upper[BLOCK], t[BLOCK];
    block_sum_call(sum[0], f->x, f->x + BLOCK);
    if (!f->square)
        block_sum_call(sum[1], f->y, f->y + BLOCK);
    if (f->more)
        block_sum_call(sum[2], f->u, f->u + BLOCK);
    factors_multiply(first, f, 0, sum);
    factors_multiply(second, f, 1, sum);
    factors_multiply(both, f, 2, sum);
    fold_emit(s, out, part, 0, first);
    FOR_BLOCK(i)
    {
        upper[i] = v8_sub(v8_sll(first[BLOCK + i], RAISE), second[i]);
        t[i] = v8_add(v8_sub(both[i], first[i]), upper[i]);
    }
    fold_emit(s, out, part, 1, t);
    FOR_BLOCK(i) t[i] = v8_sub(v8_sll(v8_sub(both[BLOCK + i], second[BLOCK + i]), RAISE), upper[i]);
    fold_emit(s, out, part, 2, t);
    FOR_BLOCK(i) t[i] = v8_sll(second[BLOCK + i], RAISE);
    fold_emit(s, out, part, 3, t);
}
#else
/* r = the low or high columns of what the factors say: of their blocks at i, or with i = 2 of the sums s. */
OCT_INLINE void factors_multiply(v8 *r, const struct factors *f, int i, const v8 sum[3][BLOCK], int high)
{
    const v8 *x = i == 2 ? sum[0] : f->x + i * BLOCK, *y = i == 2 ? sum[1] : f->y + i * BLOCK;
    const v8 *u = i == 2 ? sum[2] : f->u + i * BLOCK, *v = f->v + i * BLOCK;
    v8 t[BLOCK];
    if (f->square)
        block_square(r, x, high);
    if (f->square && f->more) {
        block_clear(t);
        block_madd(t, u, v, high);
        block_add(r, t);
    } else if (f->more) {
        block_products(r, x, y, u, v, high);
    } else if (!f->square) {
        block_clear(r);
        block_madd(r, x, y, high);
    }
}

/* With X, Y and W the products of the first blocks, of the second, and of the sums, the groups are Xl,
 * 2^RAISE*Xh - Yl - Xl + Wl, 2^RAISE*(Wh - Yh) - (2^RAISE*Xh - Yl), 2^RAISE*Yh. */
OCT_INLINE void pair_product(struct fold *s, v8 *out, enum fold_part part, const struct factors *f)
{
    v8 t[BLOCK], first[BLOCK], upper[BLOCK], top[BLOCK], sum[3][BLOCK];
    factors_multiply(first, f, 0, sum, 0);
    fold_emit(s, out, part, 0, first);
    factors_multiply(upper, f, 0, sum, 1);
    block_raise(upper);
    VEC_FENCE();
    factors_multiply(t, f, 1, sum, 0);
    block_sub(upper, t);
    VEC_FENCE();
    /* Now, and not when they are wanted: carries wait for one another. */
    block_sum(sum[0], f->x, f->x + BLOCK);
    if (!f->square)
        block_sum(sum[1], f->y, f->y + BLOCK);
    if (f->more)
        block_sum(sum[2], f->u, f->u + BLOCK);
    factors_multiply(top, f, 1, sum, 1);
    block_raise(top);
    VEC_FENCE();
    factors_multiply(t, f, 2, sum, 0);
    block_sub(t, first);
    block_add(t, upper);
    fold_emit(s, out, part, 1, t);
    factors_multiply(t, f, 2, sum, 1);
    block_raise(t);
    block_sub(t, upper);
    block_sub(t, top);
    fold_emit(s, out, part, 2, t);
    fold_emit(s, out, part, 3, top);
}
#endif

STEP void pair_square(struct fold *restrict s, v8 *restrict out, enum fold_part part, const v8 *x)
{
    pair_product(s, out, part, &(struct factors){.square = 1, .x = x, .y = x, .u = x, .v = x});
}

STEP void pair_mul(struct fold *restrict s, v8 *restrict out, enum fold_part part, const v8 *x, const v8 *y)
{
    pair_product(s, out, part, &(struct factors){.x = x, .y = y, .u = x, .v = x});
}

STEP void pair_square_more(struct fold *restrict s, v8 *restrict out, enum fold_part part, const v8 *x, const v8 *v)
{
    pair_product(s, out, part,
                 &(struct factors){.square = 1, .more = 1, .x = x, .y = x, .u = s->low + (int)part * PAIR, .v = v});
}

STEP void pair_mul_more(struct fold *restrict s, v8 *restrict out, enum fold_part part, const v8 *x, const v8 *y,
                        const v8 *v)
{
    pair_product(s, out, part, &(struct factors){.more = 1, .x = x, .y = y, .u = s->low + (int)part * PAIR, .v = v});
}

OCT_INLINE void pair_sum(v8 *r, const v8 *x, const v8 *y)
{
    block_sum(r, x, y);
    block_sum(r + BLOCK, x + BLOCK, y + BLOCK);
}

/* A half as a factor: its pairs and their sum, each with the sum of its blocks. */
static void fold_factors(v8 *r, const v8 *half)
{
    for (int j = 0; j < PAIR; j++) {
        r[j] = half[j];
        r[PAIR_FACTORS + j] = half[PAIR + j];
    }
    pair_sum(r + 2 * PAIR_FACTORS, half, half + PAIR);
    for (int i = 0; i < 3; i++)
        block_sum(r + i * PAIR_FACTORS + PAIR, r + i * PAIR_FACTORS, r + i * PAIR_FACTORS + BLOCK);
}

/* r = the sum of a half's pairs. */
STEP void fold_sum_pairs(v8 *restrict r, const v8 *restrict half)
{
    pair_sum(r, half, half + PAIR);
}

/* r = the pairs of the sum of a's halves, and the pairs' sum. */
STEP void fold_sum_halves(v8 *restrict r, const v8 *restrict a)
{
    pair_sum(r, a, a + HALF);
    pair_sum(r + PAIR, a + PAIR, a + HALF + PAIR);
    pair_sum(r + 2 * PAIR, r, r + PAIR);
}

static void fold_modulus(struct fold *s)
{
    fold_sum_pairs(s->n_high, s->n + HALF);
}

/* out = the product of two halves, x and y, given with the sums of their pairs; x squared if y is NULL. With v, half of
 * Q, besides L*v. */
static void half_product(struct fold *s, v8 *out, const v8 *x, const v8 *x_sum, const v8 *y, const v8 *y_sum,
                         const v8 *v)
{
    for (int i = 0; i < 3; i++) {
        const enum fold_part part = (enum fold_part)i;
        const v8 *xi = part == BOTH ? x_sum : x + i * PAIR, *yi = part == BOTH ? y_sum : y + i * PAIR;
        if (y && v)
            pair_mul_more(s, out, part, xi, yi, v + i * PAIR_FACTORS);
        else if (y)
            pair_mul(s, out, part, xi, yi);
        else if (v)
            pair_square_more(s, out, part, xi, v + i * PAIR_FACTORS);
        else
            pair_square(s, out, part, xi);
    }
}

/* L, carried, and the sum of its pairs. */
STEP void fold_carry_low(struct fold *restrict s)
{
    v8 t[BLOCK], carry = v8_zero();
    VEC_UNROLL
    for (int g = 0; g < HALF_BLOCKS; g++) {
        carry = block_carry(t, s->lower + g * BLOCK, carry);
        block_copy(s->low + g * BLOCK, t);
    }
    s->lower[HALF] = v8_add(s->lower[HALF], carry);
    pair_sum(s->low + HALF, s->low, s->low + PAIR);
}

/* Karatsuba's middle: less the products of the halves, beside their groups. */
STEP void fold_add_middle(struct fold *restrict s)
{
    for (int j = 0; j < HALF; j++) {
        const v8 between = v8_sub(s->lower[HALF + j], s->high[j]);
        s->h[j] = v8_add(s->h[j], v8_sub(between, s->low[j]));
        s->h[HALF + j] = v8_sub(s->h[HALF + j], v8_add(between, s->high[HALF + j]));
    }
}

/* r = the sum of H's upper groups and the products, carried. The carry out of the top is zero because the value is
 * below R. */
STEP void fold_carry_result(struct fold *restrict s, v8 *restrict r)
{
    v8 t[BLOCK], x[BLOCK], carry = s->carry;
    for (int g = 0; g < BLOCKS; g++) {
        block_copy(t, (g < HALF_BLOCKS ? s->h + HALF : s->high) + g * BLOCK);
        if (g < HALF_BLOCKS)
            fold_upper(t, s->m, s->n, g);
        block_copy(x, s->lower + g * BLOCK);
        block_add(t, x);
        carry = block_carry(t, t, carry);
        block_copy(r + g * BLOCK, t);
    }
    (void)v8_proved_bound(carry, 0);
}

static void fold_low_square(struct fold *s, const v8 *a)
{
    fold_sum_pairs(s->sum[0], a);
    half_product(s, s->lower, a, s->sum[0], NULL, NULL, NULL);
    fold_carry_low(s);
}

static void fold_high_square(struct fold *s, const v8 *a)
{
    fold_sum_pairs(s->sum[0], a + HALF);
    half_product(s, s->high, a + HALF, s->sum[0], NULL, NULL, NULL);
}

static void fold_middle_square(struct fold *s, const v8 *a)
{
    fold_sum_halves(s->sum[0], a);
    half_product(s, s->h, s->sum[0], s->sum[0] + HALF, NULL, NULL, s->q[0]);
    fold_add_middle(s);
}

static void fold_low_mul(struct fold *s, const v8 *a, const v8 *b)
{
    fold_sum_pairs(s->sum[0], a);
    fold_sum_pairs(s->sum[1], b);
    half_product(s, s->lower, a, s->sum[0], b, s->sum[1], NULL);
    fold_carry_low(s);
}

static void fold_high_mul(struct fold *s, const v8 *a, const v8 *b)
{
    fold_sum_pairs(s->sum[0], a + HALF);
    fold_sum_pairs(s->sum[1], b + HALF);
    half_product(s, s->high, a + HALF, s->sum[0], b + HALF, s->sum[1], NULL);
}

static void fold_middle_mul(struct fold *s, const v8 *a, const v8 *b)
{
    fold_sum_halves(s->sum[0], a);
    fold_sum_halves(s->sum[1], b);
    half_product(s, s->h, s->sum[0], s->sum[0] + HALF, s->sum[1], s->sum[1] + HALF, s->q[0]);
    fold_add_middle(s);
}

static void fold_result(struct fold *s, v8 *r)
{
    fold_sum_pairs(s->sum[0], s->m);
    half_product(s, s->lower, s->m, s->sum[0], s->n + HALF, s->n_high, s->q[1]);
    fold_carry_result(s, r);
}
