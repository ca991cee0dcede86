/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * X25519 (RFC 7748) with any peer: the Montgomery ladder in x and z alone, eight at once.
 *
 * A step works on (x2 : z2) and (x3 : z3), whose difference is the peer's point. What it doubles is chosen by ten
 * blends on "this bit of the scalar differs from the one before"; what it adds needs no choice, because exchanging the
 * two points only changes the sign of a number that is squared. The four numbers stay uncarried between steps, since
 * each step begins with their sums and differences, which have to be carried anyhow.
 */
#include "kernels/curve25519/fe25519.h"

#define A24 121665 /* (486662 - 2) / 4 */

struct point_pair {
    fe_wide x2, z2, x3, z3; /* x2 and x3 with the bias: z2 and z3 are subtracted from them */
};

struct derive_workspace {
    struct point_pair pair;
    fe peer, x, z;
    v8 change[OCT_SCALAR25519_LIMBS];
};

/* Sums and differences of both points' coordinates: a = x2 + z2, b = x2 - z2, c = x3 + z3, d = x3 - z3. */
struct ladder_sums {
    fe a, b, c, d;
};

VEC_STEP void ladder_sum_up(struct ladder_sums *s, const struct point_pair *p)
{
    s->c = fe_carried_sum(p->x3, p->z3);
    s->d = fe_carried_difference(p->x3, p->z3);
    s->a = fe_carried_sum(p->x2, p->z2);
    s->b = fe_carried_difference(p->x2, p->z2);
}

/*
 * One step. `change`: the lanes that double the second point. The lines are in the order in which the processor should
 * take them up: two chains, the doubling (aa, bb, e, t) and the addition (da, cb, d2), each filling the other's
 * latency.
 */
VEC_STEP void ladder_step(struct point_pair *p, fe peer, m8 change)
{
    struct ladder_sums s;
    ladder_sum_up(&s, p);
    const fe_wide da = fe_mul_biased(s.d, s.a), cb = fe_mul_wide(s.c, s.b);
    const fe_wide aa = fe_sqr_biased(fe_select(change, s.c, s.a)), bb = fe_sqr_wide(fe_select(change, s.d, s.b));
    const fe sum = fe_carried_sum(da, cb), difference = fe_carried_difference(da, cb);
    const fe e = fe_carried_difference(aa, bb), aa_carried = fe_carry(aa), bb_carried = fe_carry(bb);
    const fe_wide t = fe_mul_small_add(aa, e, A24), d2 = fe_sqr_wide(difference);
    p->x3 = fe_sqr_biased(sum);
    p->z2 = fe_mul_wide(e, fe_carry(t));
    p->z3 = fe_mul_wide(fe_carry(d2), peer);
    p->x2 = fe_mul_biased(aa_carried, bb_carried);
}

/* The steps for bits top .. 0 of one limb of the scalar. */
static OCT_NOINLINE void ladder_limb(struct point_pair *pair, const fe *peer_in, const v8 *change, int top)
{
    struct point_pair p = *pair;
    const fe peer = *peer_in;
    for (int bit = top; bit >= 0; bit--)
        ladder_step(&p, peer, v8_test_bit(*change, (unsigned)bit));
    *pair = p;
}

/* change = scalar xor (scalar >> 1): bit t says whether bits t and t+1 differ. */
static void ladder_changes(v8 change[OCT_SCALAR25519_LIMBS], const oct_limb8 *scalar)
{
    v8 above = v8_zero();
    for (int i = OCT_SCALAR25519_LIMBS - 1; i >= 0; i--) {
        const v8 limb = v8_load52(scalar[i]);
        const v8 half = v8_or(v8_sra(limb, 1), v8_sll(v8_low(above, 1), 51));
        change[i] = v8_xor(limb, half);
        above = limb;
    }
}

/* The points at the start: infinity (1 : 0) and the peer (u : 1). */
VEC_CHAIN void ladder_start(struct derive_workspace *w, const oct_limb8 *peer)
{
    w->peer = fe_load(peer);
    VEC_UNROLL
    for (int i = 0; i < FE_LIMBS; i++)
        w->peer.l[i] = v8_argument_bound(w->peer.l[i], FE_MASK);
    w->pair.x2 = fe_biased(fe_set_small(1));
    w->pair.z2 = fe_wide_zero();
    w->pair.x3 = fe_biased(w->peer);
    w->pair.z3 = fe_widen(fe_set_small(1));
}

/* Bit 0 of a clamped scalar is 0: the result is the first point. 1/0 = 0, as the RFC wants it. */
VEC_CHAIN void ladder_finish(struct derive_workspace *w, oct_limb8 *out)
{
    w->x = fe_carry(w->pair.x2);
    w->z = fe_carry(w->pair.z2);
    fe_invert(&w->z, &w->z);
    fe_store(out, fe_canonical(fe_mul(w->x, w->z)));
}

const size_t OCT_NAME(x25519_derive_workspace) = sizeof(struct derive_workspace);

/* The lanes from `first` on. */
static OCT_NOINLINE void derive_group(const struct oct_x25519_args *args, unsigned first)
{
    struct derive_workspace *w = args->workspace;
    ladder_changes(w->change, oct_limb8_from(args->scalar, first));
    ladder_start(w, oct_limb8_from(args->peer, first));
    for (int limb = OCT_SCALAR25519_LIMBS - 1; limb >= 0; limb--)
        ladder_limb(&w->pair, &w->peer, &w->change[limb], limb == 4 ? 254 - 4 * 52 : 51);
    ladder_finish(w, oct_limb8_to(args->out, first));
}

void OCT_NAME(x25519_derive)(const struct oct_x25519_args *args)
{
    const struct vec_mode mode = vec_begin();
    for (unsigned first = 0; first < 8; first += V8_LANES)
        derive_group(args, first);
    v8_clear_registers();
    vec_end(mode);
}
