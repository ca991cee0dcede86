/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* A curve: its two moduli, its points, divisions, and the equations of its signatures. CURVE and SCHEME name headers.
 */
#include CURVE
#include "kernels/ec/ec_invert_impl.h"
#include "kernels/ec/ec_point_impl.h"
#include "kernels/ec/ec_derive_impl.h"
#include "kernels/ec/ec_wide_impl.h"
#include SCHEME

#include "ec_numbers.h"

/* --- points */

/* X and Y are below 2.01 * 2^EC_BITS, and Z below 2.7 times that: prove.py shows that results are too. */
static void coordinate(struct num *r, const char *name)
{
    const uint64_t hundredths = name[0] == 'Z' ? 270 : 201;
    proof_input(r->l, LIMBS - 1, name, V8_LIMB_MASK);
    proof_input(r->l + LIMBS - 1, 1, name, (hundredths << (EC_BITS - 52 * (LIMBS - 1))) / 100);
    proof_number_is(name, r->l, LIMBS, 52);
}
static void point_input(struct point *p, const char *x, const char *y, const char *z)
{
    coordinate(&p->x, x);
    coordinate(&p->y, y);
    coordinate(&p->z, z);
}
static void output_point(const struct point *p)
{
    proof_output(p->x.l, LIMBS, "x");
    proof_output(p->y.l, LIMBS, "y");
    proof_output(p->z.l, LIMBS, "z");
}
static m8 sign(void)
{
    v8 m[1];
    proof_input(m, 1, "negative", 1);
    return v8_test_bit(m[0], 0);
}

static void prove_points(void)
{
    struct point p, q;
    proof_begin("point_double");
    point_input(&p, "X1", "Y1", "Z1");
    point_double(&q, &p);
    output_point(&q);

    proof_begin("point_add");
    point_input(&p, "X1", "Y1", "Z1");
    point_input(&q, "X2", "Y2", "Z2");
    point_add(&p, &p, &q, sign());
    output_point(&p);

    proof_begin("point_add_mixed");
    point_input(&p, "X1", "Y1", "Z1");
    coordinate(&q.x, "X2");
    coordinate(&q.y, "Y2");
    point_add_mixed(&p, &p, &q.x, &q.y, sign());
    output_point(&p);
}

/* --- divisions: what a batch does to f, g and d, e, for any matrix */

static struct gcd gcd;

static void any_number(struct num *r, const char *name)
{
    proof_input(r->l, LIMBS, name, V8_LIMB_MASK);
}
static void gcd_input(const uint64_t m[LIMBS], uint64_t k0)
{
    for (int j = 0; j < LIMBS; j++)
        gcd.m[j] = m[j];
    gcd.k0 = k0;
    any_number(&gcd.f, "f");
    any_number(&gcd.g, "g");
    any_number(&gcd.d, "d");
    any_number(&gcd.e, "e");
    proof_input(&gcd.u, 1, "u", (uint64_t)2 << GCD_STEPS);
    proof_input(&gcd.v, 1, "v", (uint64_t)2 << GCD_STEPS);
    proof_input(&gcd.q, 1, "q", (uint64_t)2 << GCD_STEPS);
    proof_input(&gcd.r, 1, "r", (uint64_t)2 << GCD_STEPS);
}
static void prove_gcd(const char *name, const uint64_t m[LIMBS], uint64_t k0)
{
    struct num r;
    char title[32];
    snprintf(title, sizeof title, "%s_gcd_fg", name);
    proof_begin(title);
    gcd_input(m, k0);
    gcd_update_fg(&gcd);
    proof_output(gcd.f.l, LIMBS, "x");
    proof_output(gcd.g.l, LIMBS, "y");
    snprintf(title, sizeof title, "%s_gcd_de", name);
    proof_begin(title);
    gcd_input(m, k0);
    gcd_update_de(&gcd);
    proof_output(gcd.d.l, LIMBS, "x");
    proof_output(gcd.e.l, LIMBS, "y");
    snprintf(title, sizeof title, "%s_gcd_finish", name);
    proof_begin(title);
    gcd_input(m, k0);
    gcd_finish(&r, &gcd);
    proof_output(r.l, LIMBS, "x");
}
/* The matrix of a batch, from any two lowest limbs and any state of the divisions. */
static void prove_gcd_divide(void)
{
    proof_begin("gcd_divide");
    proof_input(gcd.f.l, 1, "f", V8_LIMB_MASK);
    proof_input(gcd.g.l, 1, "g", V8_LIMB_MASK);
    proof_input(&gcd.zeta, 1, "zeta", 4000);
    gcd.zeta = v8_sub(gcd.zeta, v8_set1(2000));
    gcd_divide_1(&gcd);
    proof_output(&gcd.u, 1, "u");
    proof_output(&gcd.v, 1, "v");
    proof_output(&gcd.q, 1, "q");
    proof_output(&gcd.r, 1, "r");
    proof_output(&gcd.zeta, 1, "zeta");
}

/* --- signatures */

/* Below 2^EC_BITS times `hundredths` / 100. */
static void below(struct num *r, const char *name, uint64_t hundredths)
{
    proof_input(r->l, LIMBS - 1, name, V8_LIMB_MASK);
    proof_input(r->l + LIMBS - 1, 1, name, (hundredths << (EC_BITS - 52 * (LIMBS - 1))) / 100);
    proof_number_is(name, r->l, LIMBS, 52);
}

static void prove_scheme(void)
{
    struct num s, r, e, d, k;
    proof_begin("scheme_s");
    below(&s, "I", 200);
    below(&r, "R", 100);
    below(&e, "E", 100);
    below(&d, "D", 100);
    below(&k, "K", 100);
    scheme_s(&s, &r, &e, &d, &k);
    proof_output(s.l, LIMBS, "s");
#ifdef SM2
    proof_begin("scheme_add");
    below(&r, "R", 100);
    below(&k, "K", 100);
    scheme_add(&s, &r, &k);
    proof_output(s.l, LIMBS, "s");
    proof_begin("scheme_sub");
    below(&r, "R", 100);
    below(&k, "K", 100);
    scheme_sub(&s, &r, &k);
    proof_output(s.l, LIMBS, "s");
#endif
}

int main(void)
{
    struct num r;
    /* What the formulas multiply is below 4*2^EC_BITS on 256 bits, where R is 16 times that. */
    PROVE_MOD(fp, EC_BITS - 52 * (LIMBS - 1) + (EC_BITS == 256 ? 2 : 4), LIMBS == 5 ? 52 : 25);
    PROVE_MOD(fn, EC_BITS - 52 * (LIMBS - 1) + (EC_BITS == 256 ? 2 : 4), 52);
    proof_begin("fp_settle");
    r = columns_below("a", 58, EC_BITS == 256 ? 58 : 26);
    fp_settle(&r);
    result(&r);
    prove_numbers();
    prove_load_wide();
    prove_points();
    prove_gcd("fp", fp_modulus, EC_FIELD_K0);
    prove_gcd("fn", fn_modulus, EC_ORDER_K0);
    prove_gcd_divide();
    prove_scheme();
    return 0;
}
