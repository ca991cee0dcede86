/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * X25519 public keys (RFC 7748): the base point's multiple by the comb on the Edwards curve, then u = (1 + y)/(1 - y) =
 * (Z + Y)/(Z - Y). Z = Y would be the identity, which no clamped scalar gives: it is a multiple of 8, so it would have
 * to be one of 8 l > 2^255.
 */
#include "kernels/curve25519/comb25519_impl.h"

struct public_workspace {
    struct comb_workspace comb;
    v8 scalar[OCT_SCALAR25519_LIMBS];
    fe numerator, denominator;
};

/* u of the sum that the comb has left. */
VEC_CHAIN void public_finish(struct public_workspace *w, oct_limb8 *out)
{
    const struct ed_point *p = &w->comb.sum;
    w->numerator = fe_carried_sum(p->z, p->y);
    w->denominator = fe_carried_difference(p->z, fe_widen(fe_carry(p->y)));
    fe_invert(&w->denominator, &w->denominator);
    fe_store(out, fe_canonical(fe_mul(w->numerator, w->denominator)));
}

const size_t OCT_NAME(x25519_public_workspace) = sizeof(struct public_workspace);

/* The lanes from `first` on. */
static OCT_NOINLINE void public_group(const struct oct_x25519_args *args, unsigned first)
{
    struct public_workspace *w = args->workspace;
    const oct_limb8 *scalar = oct_limb8_from(args->scalar, first);
    for (int i = 0; i < OCT_SCALAR25519_LIMBS; i++)
        w->scalar[i] = v8_load52(scalar[i]);
    comb_multiply(&w->comb, args->comb, w->scalar);
    public_finish(w, oct_limb8_to(args->out, first));
}

void OCT_NAME(x25519_public)(const struct oct_x25519_args *args)
{
    const struct vec_mode mode = vec_begin();
    for (unsigned first = 0; first < 8; first += V8_LANES)
        public_group(args, first);
    v8_clear_registers();
    vec_end(mode);
}
