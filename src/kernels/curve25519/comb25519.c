/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Makes the fixed-base table (comb25519_impl.h) with the kernels' own arithmetic, in some tens of microseconds: 50 KB
 * of numbers that nobody can read stay out of the source. The numbers are canonical, hence the same from every backend;
 * the known-answer test compares all of them.
 *
 * Row j begins with 1024^j times the base point, one lane for each row, vectors of rows. Nothing here is secret.
 */
#include "kernels/curve25519/comb25519_impl.h"

#define ENTRIES OCT_COMB25519_POINTS
#define VECTORS ((OCT_COMB25519_ROWS + V8_LANES - 1) / V8_LANES)

struct make_workspace {
    struct ed_point start[VECTORS], entry[ENTRIES];
    fe before[ENTRIES]; /* the product of the z of all entries before */
    struct ed_cached twice;
    fe running, inverse;
};

OCT_INLINE fe base_x(void)
{
    static const uint64_t limb[FE_LIMBS] = {0x62d608f25d51a, 0x412a4b4f6592a, 0x75b7171a4b31d, 0x1ff60527118fe,
                                            0x216936d3cd6e5};
    return ed_constant(limb);
}
/* 4/5 */
OCT_INLINE fe base_y(void)
{
    static const uint64_t limb[FE_LIMBS] = {0x6666666666658, 0x4cccccccccccc, 0x1999999999999, 0x3333333333333,
                                            0x6666666666666};
    return ed_constant(limb);
}

VEC_STEP fe_wide make_choose(m8 m, fe_wide a, fe_wide b)
{
    VEC_UNROLL
    for (int i = 0; i < FE_LIMBS; i++)
        a.c[i] = v8_select(m, a.c[i], b.c[i]);
    return a;
}

/* Lane `lane` of start = p. */
static OCT_NOINLINE void make_place(struct ed_point *start, unsigned lane, const struct ed_point *p)
{
    static const oct_limb8 number OCT_ALIGN64 = {0, 1, 2, 3, 4, 5, 6, 7};
    const m8 others = v8_is_nonzero(v8_xor(v8_load52(number), v8_set1(lane)));
    start->x = make_choose(others, start->x, p->x);
    start->y = make_choose(others, start->y, p->y);
    start->z = make_choose(others, start->z, p->z);
    start->t = make_choose(others, start->t, p->t);
}

/* The first entry of every row; lanes without a row repeat the first of their vector. */
static OCT_NOINLINE void make_starts(struct make_workspace *w)
{
    struct ed_point *p = &w->entry[0];
    p->x = fe_widen(base_x());
    p->y = fe_biased(base_y());
    p->z = fe_biased(fe_set_small(1));
    p->t = fe_mul_wide(base_x(), base_y());
    for (unsigned row = 0; row < OCT_COMB25519_ROWS; row++) {
        if (row > 0)
            ed_double_times(p, 10);
        if (row % V8_LANES == 0)
            w->start[row / V8_LANES] = *p;
        else
            make_place(&w->start[row / V8_LANES], row % V8_LANES, p);
    }
}

/* entry[e] = (2 e + 1) times the start. */
static OCT_NOINLINE void make_multiples(struct make_workspace *w, const struct ed_point *start)
{
    struct ed_point *double_of = &w->entry[1];
    *double_of = *start;
    ed_double(double_of);
    ed_cache(&w->twice, double_of);
    w->entry[0] = *start;
    for (unsigned e = 1; e < ENTRIES; e++) {
        w->entry[e] = w->entry[e - 1];
        ed_add_cached(&w->entry[e], &w->twice);
    }
}

/* Entry e of a vector of rows, from its coordinates and 1/z. */
static OCT_NOINLINE void make_store(oct_limb8 out[OCT_COMB25519_LIMBS], const struct ed_point *entry,
                                    const fe *z_inverse)
{
    const fe x = fe_mul(fe_carry(entry->x), *z_inverse), y = fe_mul(fe_carry(entry->y), *z_inverse);
    fe_store(out, fe_canonical(fe_add(y, x)));
    fe_store(out + FE_LIMBS, fe_canonical(fe_sub(y, x)));
    fe_store(out + 2 * FE_LIMBS, fe_canonical(fe_mul(fe_mul(x, y), ed_2d())));
}

/* One inversion for the 16 z of a row (Montgomery's trick): none is zero, the points being on the curve. */
static OCT_NOINLINE void make_normalise(struct make_workspace *w, oct_comb25519_made *made, unsigned first)
{
    w->running = fe_set_small(1);
    for (unsigned e = 0; e < ENTRIES; e++) {
        w->before[e] = w->running;
        w->running = fe_mul(w->running, fe_carry(w->entry[e].z));
    }
    fe_invert(&w->running, &w->running);
    for (unsigned e = ENTRIES; e-- > 0;) {
        w->inverse = fe_mul(w->running, w->before[e]);
        w->running = fe_mul(w->running, fe_carry(w->entry[e].z));
        make_store(oct_limb8_to((*made)[e], first), &w->entry[e], &w->inverse);
    }
}

const size_t OCT_NAME(comb25519_make_workspace) = sizeof(struct make_workspace);

static OCT_NOINLINE void make_all(const struct oct_comb25519_args *args)
{
    struct make_workspace *w = args->workspace;
    make_starts(w);
    for (unsigned v = 0; v < VECTORS; v++) {
        make_multiples(w, &w->start[v]);
        make_normalise(w, &args->made[v / V8_GROUPS], v % V8_GROUPS * V8_LANES);
    }
}

void OCT_NAME(comb25519_make)(const struct oct_comb25519_args *args)
{
    const struct vec_mode mode = vec_begin();
    make_all(args);
    vec_end(mode);
}
