/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* A curve's two moduli. Include after the curve's own header; FIELD if it has a field. */
#include "proof.h"

#ifndef TWICE
#define TWICE EC_BITS /* what is below 2^TWICE is below both moduli, twice */
#endif

/* Carried: the top limb is below 2^TOP. */
static struct num carried_below(const char *name, int top)
{
    struct num r;
    proof_input(r.l, LIMBS - 1, name, V8_LIMB_MASK);
    proof_input(r.l + LIMBS - 1, 1, name, ((uint64_t)1 << top) - 1);
    return r;
}
/* Columns of -2^bits .. 2^bits-1, the top one of as many of `top`. */
static struct num columns_below(const char *name, int bits, int top)
{
    struct num r;
    for (int i = 0; i < LIMBS; i++) {
        const uint64_t bias = (uint64_t)1 << (i + 1 < LIMBS ? bits : top);
        proof_input(r.l + i, 1, name, 2 * bias - 1);
        r.l[i] = v8_sub(r.l[i], v8_set1(bias));
    }
    return r;
}
static struct num columns(const char *name, int bits)
{
    return columns_below(name, bits, bits);
}
static void result(const struct num *r)
{
    proof_output(r->l, LIMBS, "r");
}

#define PROVE_MOD(mod, top, wide)                                                                                      \
    do {                                                                                                               \
        struct num r, a, b;                                                                                            \
        proof_begin(#mod "_mul");                                                                                      \
        a = carried_below("a", top), b = carried_below("b", top);                                                      \
        mod##_mul(&r, &a, &b);                                                                                         \
        result(&r);                                                                                                    \
        proof_begin(#mod "_sqr");                                                                                      \
        a = carried_below("a", top);                                                                                   \
        mod##_sqr(&r, &a);                                                                                             \
        result(&r);                                                                                                    \
        proof_begin(#mod "_mul_carry");                                                                                \
        a = carried_below("a", top), b = carried_below("b", top);                                                      \
        mod##_mul_carry(&r, &a, &b);                                                                                   \
        result(&r);                                                                                                    \
        proof_begin(#mod "_sqr_carry");                                                                                \
        a = carried_below("a", top);                                                                                   \
        mod##_sqr_carry(&r, &a);                                                                                       \
        result(&r);                                                                                                    \
        proof_begin(#mod "_to_mont");                                                                                  \
        a = carried_below("a", wide);                                                                                  \
        mod##_to_mont(&r, &a);                                                                                         \
        result(&r);                                                                                                    \
        proof_begin(#mod "_from_mont");                                                                                \
        a = carried_below("a", wide);                                                                                  \
        mod##_from_mont(&r, &a);                                                                                       \
        result(&r);                                                                                                    \
        proof_begin(#mod "_reduce_once");                                                                              \
        a = carried_below("a", TWICE - 52 * (LIMBS - 1));                                                              \
        num_reduce_once(&a, mod##_modulus);                                                                            \
        result(&a);                                                                                                    \
    } while (0)

static void prove_numbers(void)
{
    struct num r, a, b;
    proof_begin("num_add");
    a = columns("a", 60), b = columns("b", 60);
    num_add(&r, &a, &b);
    result(&r);
    proof_begin("num_sub");
    a = columns("a", 60), b = columns("b", 60);
    num_sub(&r, &a, &b);
    result(&r);
    proof_begin("num_sll3");
    a = columns("a", 59);
    num_sll(&r, &a, 3);
    result(&r);
    proof_begin("num_carry");
    r = columns("a", 60);
    num_carry(&r);
    result(&r);
    proof_begin("num_negate_if");
    v8 m[1];
    proof_input(m, 1, "m", 1);
    a = columns("a", 60);
    num_negate_if(&r, v8_test_bit(m[0], 0), &a);
    result(&r);
}

static void prove_load_wide(void)
{
    static oct_limb8 x[16];
    proof_begin("fn_load_wide");
    v8 in[10];
    proof_input(in, 9, "a", V8_LIMB_MASK);
    proof_input(in + 9, 1, "a", ((uint64_t)1 << (512 - 9 * 52)) - 1);
    for (int i = 0; i < 10; i++)
        x[i][0] = PROOF_TAG ^ (uint64_t)in[i].line;
    struct num r;
    fn_load_wide(&r, (const oct_limb8 *)x);
    result(&r);
}
