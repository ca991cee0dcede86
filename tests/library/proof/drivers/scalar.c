/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Windows and combs: a point is here what multiple of the base it is, in the first limb of x. The loops are the
 * kernel's; formulas and tables are replaced by what they are proved, or made, to be.
 */
#include CURVE
#include "kernels/ec/ec_invert_impl.h"
#include "kernels/ec/ec_point_impl.h"

#include "proof.h"

static v8 multiple(const char *operation, v8 a, v8 b, uint64_t constant)
{
    return (v8){oct_proof_record(operation, a.line, b.line, 0, constant)};
}
static v8 signed_multiple(v8 a, m8 negative)
{
    return (v8){
        oct_proof_record("point_select", negative.line, multiple("point_times", a, a, UINT64_MAX).line, a.line, 0)};
}
static void model_double(struct point *r, const struct point *p)
{
    r->x.l[0] = multiple("point_times", p->x.l[0], p->x.l[0], 2);
}
static void model_add(struct point *r, const struct point *p, const struct point *q, m8 negative)
{
    r->x.l[0] = multiple("point_add", p->x.l[0], signed_multiple(q->x.l[0], negative), 0);
}
static void model_complete(struct point *r, const struct point *p, const struct point *q, m8 negative,
                           struct point scratch[3])
{
    (void)scratch;
    r->x.l[0] = multiple("point_add_complete", p->x.l[0], signed_multiple(q->x.l[0], negative), 0);
}
static void model_mixed(struct point *r, const struct point *p, const struct num *x, const struct num *y, m8 negative)
{
    (void)y;
    r->x.l[0] = multiple("point_add", p->x.l[0], signed_multiple(x->l[0], negative), 0);
}
static void model_mixed_complete(struct point *r, const struct point *p, const struct num *x, const struct num *y,
                                 m8 negative, struct point scratch[3])
{
    (void)scratch, (void)y;
    r->x.l[0] = multiple("point_add_complete", p->x.l[0], signed_multiple(x->l[0], negative), 0);
}
static void model_affine(struct point *r, const struct num *x, const struct num *y, m8 negative)
{
    (void)y;
    r->x.l[0] = signed_multiple(x->l[0], negative);
}

/* Entry e of window i is (2e + 1) 2^(w*i) times the base; with comb_rows, limb j of it is 64j more. */
static char *comb_start;
static size_t comb_window_bytes, comb_bits, comb_rows;
static v8 model_lookup(const uint64_t *table, v8 index)
{
    const size_t at = (size_t)((const char *)table - comb_start);
    const size_t upper = at % comb_window_bytes / sizeof(uint64_t) % 32;
    const size_t row = comb_rows * (at % comb_window_bytes / (32 * sizeof(uint64_t)));
    const v8 odd = v8_add(v8_add(index, index), v8_set1(2 * upper + 1 + 64 * row));
    return multiple("point_shift", odd, odd, comb_bits * (at / comb_window_bytes));
}
static v8 model_select(m8 m, v8 a, v8 b)
{
    return (v8){oct_proof_record("point_select", m.line, a.line, b.line, 0)};
}
/* Of multiples there is no limb to bound. */
static v8 model_bound(v8 a, uint64_t max)
{
    (void)max;
    return a;
}

#define point_double             model_double
#define point_add                model_add
#define point_add_complete       model_complete
#define point_add_mixed          model_mixed
#define point_add_mixed_complete model_mixed_complete
#define point_from_affine        model_affine
#define v8_lookup_shared16       model_lookup
#define v8_argument_bound        model_bound
#define v8_select                model_select
#include "kernels/ec/ec_derive_impl.h"
#include "kernels/ec/ec_comb_impl.h"

static void scalar(struct num *k)
{
    proof_input(k->l, LIMBS - 1, "k", V8_LIMB_MASK);
    proof_input(k->l + LIMBS - 1, 1, "k", ((uint64_t)1 << (EC_BITS - 52 * (LIMBS - 1))) - 1);
}

int main(void)
{
    static struct derive_workspace derive;
    static struct comb_workspace comb;
    static comb_window windows[COMB_WINDOWS];

    proof_begin("windows");
    for (int i = 0; i < DERIVE_TABLE; i++)
        for (int j = 0; j < LIMBS; j++)
            derive.table[i].x.l[j] = derive.table[i].y.l[j] = derive.table[i].z.l[j] = v8_zero();
    derive.table[0].x.l[0] = v8_set1(1);
    scalar(&derive.scalar);
    derive_multiply(&derive);
    proof_output(derive.sum.x.l, 1, "sum");

    proof_begin("comb");
    comb_start = (char *)windows;
    comb_window_bytes = sizeof windows[0];
    comb_bits = COMB_WINDOW;
    scalar(&comb.scalar);
    comb_multiply(&comb, windows);
    proof_output(comb.sum.x.l, 1, "sum");

    /* The table of windows, and all limbs of an entry. */
    proof_begin("table");
    derive.table[0].x.l[0] = v8_set1(1);
    derive_fill_table(&derive);
    for (int i = 0; i < DERIVE_TABLE; i++)
        proof_output(&derive.table[i].x.l[0], 1, "table");

    proof_begin("pick");
    comb_rows = 1;
    v8 index[1];
    proof_input(index, 1, "index", 31);
    comb_pick(&comb.x, &comb.y, windows[1], index[0]);
    proof_output(comb.x.l, LIMBS, "x");
    proof_output(comb.y.l, LIMBS, "y");

    proof_begin("pick_multiple");
    for (unsigned e = 0; e < DERIVE_TABLE; e++)
        for (int j = 0; j < LIMBS; j++) {
            derive.table[e].x.l[j] = v8_set1(2 * e + 1 + 64 * (unsigned)j);
            derive.table[e].y.l[j] = v8_set1(2 * e + 1 + 64 * (unsigned)(LIMBS + j));
            derive.table[e].z.l[j] = v8_set1(2 * e + 1 + 64 * (unsigned)(2 * LIMBS + j));
        }
    proof_input(index, 1, "index", 15);
    derive_pick(&derive.picked, derive.table, index[0]);
    proof_output(derive.picked.x.l, LIMBS, "x");
    proof_output(derive.picked.y.l, LIMBS, "y");
    proof_output(derive.picked.z.l, LIMBS, "z");
    return 0;
}
