/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Ed25519 signing (RFC 8032, 5.1.6), what is between its hashes: R = r B by the comb, and S = r + k a.
 *
 * The point is checked before it leaves: that its affine coordinates satisfy the curve's equation. A signature whose R
 * is wrong while its r is right would give the key away next to a good one of the same message. The check costs six
 * products; it sees whatever goes wrong in the field arithmetic of comb and inversion, nine tenths of the time, and not
 * a wrong multiple.
 */
#include "kernels/curve25519/comb25519_impl.h"
#include "kernels/curve25519/ed25519.h"
#include "kernels/curve25519/ed25519_order_impl.h"

struct base_workspace {
    struct comb_workspace comb;
    struct num scalar;
    fe x, y, z_inverse;
};

VEC_CHAIN void base_to_affine(struct base_workspace *w)
{
    w->z_inverse = fe_carry(w->comb.sum.z);
    fe_invert(&w->z_inverse, &w->z_inverse);
    w->x = fe_canonical(fe_mul(fe_carry(w->comb.sum.x), w->z_inverse));
    w->y = fe_canonical(fe_mul(fe_carry(w->comb.sum.y), w->z_inverse));
}

/* Stores the point where it is good, else 0. */
VEC_CHAIN m8 base_encode(const struct base_workspace *w, oct_limb8 *point)
{
    const m8 good = ed_is_on_curve(w->x, w->y);
    fe encoded = w->y;
    encoded.l[FE_LIMBS - 1] = v8_or(encoded.l[FE_LIMBS - 1], v8_sll(v8_low(w->x.l[0], 1), FE_BITS));
    fe_store(point, fe_select(good, encoded, fe_set_small(0)));
    return good;
}

const size_t OCT_NAME(ed25519_base_workspace) = sizeof(struct base_workspace);

/* The lanes from `first` on; which of them are good. */
static OCT_NOINLINE unsigned base_group(const struct oct_ed25519_base_args *args, unsigned first)
{
    struct base_workspace *w = args->workspace;
    oct_limb8 *scalar = oct_limb8_to(args->scalar, first);
    fn_load_wide(&w->scalar, oct_limb8_from(args->wide, first));
    for (int i = 0; i < LIMBS; i++)
        v8_store52(scalar[i], w->scalar.l[i]);
    comb_multiply(&w->comb, args->comb, w->scalar.l);
    base_to_affine(w);
    /* Whether a lane had a fault shows in the status. */
    return m8_declassify(base_encode(w, oct_limb8_to(args->point, first)));
}

unsigned OCT_NAME(ed25519_base)(const struct oct_ed25519_base_args *args)
{
    const struct vec_mode mode = vec_begin();
    unsigned good = 0;
    for (unsigned first = 0; first < 8; first += V8_LANES)
        good |= base_group(args, first) << first;
    v8_clear_registers();
    vec_end(mode);
    return good;
}

/* The lanes from `first` on. */
static OCT_NOINLINE void scalar_group(const struct oct_ed25519_scalar_args *args, unsigned first)
{
    struct num k, a, r;
    oct_limb8 *s = oct_limb8_to(args->s, first);
    fn_load_wide(&k, oct_limb8_from(args->wide, first));
    num_load(&a, oct_limb8_from(args->a, first));
    num_load(&r, oct_limb8_from(args->r, first));
    fn_to_mont(&k, &k);
    fn_to_mont(&a, &a);
    fn_to_mont(&r, &r);
    fn_mul_to(&a, &k, &a);
    num_add(&r, &r, &a);
    num_carry(&r);
    /* Each of the two is below 2 l, and anything below R is brought below l. */
    fn_from_mont(&r, &r);
    for (int i = 0; i < LIMBS; i++)
        v8_store52(s[i], r.l[i]);
}

void OCT_NAME(ed25519_scalar)(const struct oct_ed25519_scalar_args *args)
{
    const struct vec_mode mode = vec_begin();
    for (unsigned first = 0; first < 8; first += V8_LANES)
        scalar_group(args, first);
    v8_clear_registers();
    vec_end(mode);
}
