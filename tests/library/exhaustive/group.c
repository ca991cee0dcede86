/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See group.h. The kernel's own source, whose formulas do not know the curve's b; GROUP_OPS names what is compiled
 * here. */
#define EC_ALWAYS_COMPLETE 1
#if defined(GROUP_P256)
#include "kernels/ec/p256_impl.h"
#define GROUP_CURVE 0
#else
#include "kernels/ec/p384_impl.h"
#define GROUP_CURVE 1
#endif
#include "kernels/ec/ec_invert_impl.h"
#include "kernels/ec/ec_point_impl.h"
#include "kernels/ec/ec_derive_impl.h"
#include "kernels/ec/ec_comb_impl.h"
#include "kernels/ec/ec_ecdsa_impl.h"
#include "kernels/ec/ec_verify_impl.h"

#include "group.h"

#include <stdlib.h>

#define TEXT_(x) #x
#define TEXT(x)  TEXT_(x)

static void load(struct point *r, const struct group_points *p)
{
    num_load(&r->x, p->x);
    num_load(&r->y, p->y);
    num_load(&r->z, p->z);
    fp_to_mont(&r->x, &r->x);
    fp_to_mont(&r->y, &r->y);
    fp_to_mont(&r->z, &r->z);
    /* As large as the formulas leave them. */
    fp_settle(&r->x);
    fp_settle(&r->y);
}

static void store(struct group_result *r, const struct point *p)
{
    struct gcd gcd;
    struct num x, y;
    const m8 finite = point_to_affine(&x, &y, p, &gcd);
    num_store(r->x, &x, finite);
    num_store(r->y, &y, finite);
    r->finite = m8_declassify(finite);
    r->x_is_zero = m8_declassify(fp_is_zero(&p->x));
}

static m8 mask_of(unsigned bits)
{
    uint64_t word[V8_LANES] OCT_ALIGN64;
    for (unsigned i = 0; i < V8_LANES; i++)
        word[i] = bits >> i & 1;
    return v8_test_bit(v8_load52(word), 0);
}

static OCT_NOINLINE void apply_work(struct group_result *result, enum group_formula formula,
                                    const struct group_points *p, const struct group_points *q, unsigned negative,
                                    int alias)
{
    struct point a, b, other, scratch[3], *r = alias ? &a : &other;
    const m8 sign = mask_of(negative);
    load(&a, p);
    load(&b, q);
    if (formula == GROUP_DOUBLE)
        point_double(r, &a);
    else if (formula == GROUP_ADD)
        point_add(r, &a, &b, sign);
    else if (formula == GROUP_MIXED)
        point_add_mixed(r, &a, &b.x, &b.y, sign);
    else if (formula == GROUP_COMPLETE)
        point_add_complete(r, &a, &b, sign, scratch);
    else
        point_add_mixed_complete(r, &a, &b.x, &b.y, sign, scratch);
    store(result, r);
}

static void *take(size_t size)
{
    void *p = aligned_alloc(64, (size + 63) / 64 * 64);
    if (!p)
        abort();
    return p;
}

static OCT_NOINLINE void multiply_work(struct group_result *result, const struct group_points *p,
                                       const oct_limb8 *scalar)
{
    struct derive_workspace *w = take(sizeof *w);
    load(&w->table[0], p);
    num_load(&w->scalar, scalar);
    derive_multiply(w);
    store(result, &w->sum);
    free(w);
}

/* The base has to be the same in all lanes: they make different windows. */
static OCT_NOINLINE void *comb_new_work(const struct group_points *p)
{
    struct comb_make_workspace *w = take(sizeof *w);
    comb_window *comb = take(COMB_BYTES);
    struct point base;
    load(&base, p);
    comb_make(w, comb, &base.x, &base.y);
    free(w);
    return comb;
}

static OCT_NOINLINE void comb_times_work(struct group_result *result, const void *comb, const oct_limb8 *scalar)
{
    struct comb_workspace *w = take(sizeof *w);
    num_load(&w->scalar, scalar);
    comb_multiply(w, comb);
    store(result, &w->sum);
    free(w);
}

static OCT_NOINLINE unsigned verify_work(struct group_result *sum, const void *comb, const struct group_points *q,
                                         const oct_limb8 *u1, const oct_limb8 *u2, unsigned differ, const oct_limb8 *r)
{
    struct verify_workspace *w = take(sizeof *w);
    struct num x;
    load(&w->derive.table[0], q);
    num_load(&w->comb.scalar, u1);
    num_load(&w->derive.scalar, u2);
    num_load(&x, r);
    verify_sum(w, comb, mask_of(differ));
    store(sum, &w->comb.sum);
    const unsigned matches = m8_declassify(verify_matches(&x, &w->comb.sum));
    free(w);
    return matches;
}

/* Each with the mode that products want. */
static void apply(struct group_result *result, enum group_formula formula, const struct group_points *p,
                  const struct group_points *q, unsigned negative, int alias)
{
    const struct vec_mode mode = vec_begin();
    apply_work(result, formula, p, q, negative, alias);
    vec_end(mode);
}

static void multiply(struct group_result *result, const struct group_points *p, const oct_limb8 *scalar)
{
    const struct vec_mode mode = vec_begin();
    multiply_work(result, p, scalar);
    vec_end(mode);
}

static void *comb_new(const struct group_points *p)
{
    const struct vec_mode mode = vec_begin();
    void *comb = comb_new_work(p);
    vec_end(mode);
    return comb;
}

static void comb_times(struct group_result *result, const void *comb, const oct_limb8 *scalar)
{
    const struct vec_mode mode = vec_begin();
    comb_times_work(result, comb, scalar);
    vec_end(mode);
}

static unsigned verify(struct group_result *sum, const void *comb, const struct group_points *q, const oct_limb8 *u1,
                       const oct_limb8 *u2, unsigned differ, const oct_limb8 *r)
{
    const struct vec_mode mode = vec_begin();
    const unsigned matches = verify_work(sum, comb, q, u1, u2, differ, r);
    vec_end(mode);
    return matches;
}

const struct group_ops GROUP_OPS = {.name = TEXT(GROUP_OPS),
                                    .curve = GROUP_CURVE,
                                    .limbs = LIMBS,
                                    .bits = EC_BITS,
                                    .apply = apply,
                                    .multiply = multiply,
                                    .comb_new = comb_new,
                                    .comb_multiply = comb_times,
                                    .verify = verify};
