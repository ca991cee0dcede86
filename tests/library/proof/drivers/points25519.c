/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The ladder's step, the formulas of the Edwards curve, and the chains of powers. */
#include "kernels/curve25519/x25519.c"
#include "kernels/curve25519/ed25519_decode_impl.h"

#include "proof.h"

#define CARRIED (((uint64_t)1 << 51) + ((uint64_t)1 << 16) - 1)

static fe element(const char *name)
{
    fe r;
    proof_input(r.l, FE_LIMBS, name, VEC_WHOLE ? CARRIED : V8_LIMB_MASK);
    proof_number_is(name, r.l, FE_LIMBS, FE_BITS);
    return r;
}
/* Columns as products of carried factors leave them, and with the bias. */
static fe_wide wide(const char *name)
{
    fe_wide r;
    proof_input(r.c, FE_LIMBS, name, ((uint64_t)5 << 57) - 1);
    proof_number_is(name, r.c, FE_LIMBS, FE_BITS);
    return r;
}
static fe_wide biased(const char *name)
{
    fe_wide r = wide(name);
    for (int i = 0; i < FE_LIMBS; i++)
        r.c[i] = v8_add(r.c[i], v8_set1(fe_bias_column(i)));
    return r;
}
static struct ed_point ed(const char *x, const char *y, const char *z, const char *t)
{
    return (struct ed_point){.x = wide(x), .y = biased(y), .z = biased(z), .t = wide(t)};
}
static void output(const char *name, fe_wide a)
{
    proof_output(a.c, FE_LIMBS, name);
}
static void output_ed(const struct ed_point *p)
{
    output("x", p->x);
    output("y", p->y);
    output("z", p->z);
    output("t", p->t);
}

int main(void)
{
    proof_begin("ladder_step");
    {
        struct point_pair p = {.x2 = biased("X2"), .z2 = wide("Z2"), .x3 = biased("X3"), .z3 = wide("Z3")};
        v8 m[1];
        proof_input(m, 1, "change", 1);
        ladder_step(&p, element("U"), v8_test_bit(m[0], 0));
        output("x2", p.x2);
        output("z2", p.z2);
        output("x3", p.x3);
        output("z3", p.z3);
    }
    proof_begin("ed_add_affine");
    {
        struct ed_point p = ed("X1", "Y1", "Z1", "T1");
        const struct ed_affine q = {.sum = element("S2"), .difference = element("D2"), .dt2 = element("C2")};
        ed_add_affine(&p, &q);
        output_ed(&p);
    }
    proof_begin("ed_add_cached");
    {
        struct ed_point p = ed("X1", "Y1", "Z1", "T1");
        const struct ed_point q = ed("X2", "Y2", "Z2", "T2");
        struct ed_cached c;
        ed_cache(&c, &q);
        ed_add_cached(&p, &c);
        output_ed(&p);
    }
    proof_begin("ed_double");
    {
        struct ed_point p = ed("X1", "Y1", "Z1", "T1");
        ed_double(&p);
        output_ed(&p);
    }
    proof_begin("power_invert");
    {
        fe a = element("A"), r;
        fe_invert(&r, &a);
        proof_output(r.l, FE_LIMBS, "r");
    }
    proof_begin("power_decode");
    {
        struct fe2 a = {.e = {element("A"), element("B")}}, power[4];
        decode_power(power, &a);
        proof_output(power[0].e[0].l, FE_LIMBS, "r");
        proof_output(power[0].e[1].l, FE_LIMBS, "s");
    }
    return 0;
}
