/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
#include "kernels/curve25519/fe25519.h"

#include "proof.h"

static fe any(const char *name)
{
    fe r;
    proof_input(r.l, FE_LIMBS, name, V8_LIMB_MASK);
    return r;
}
/* What only one factor of a whole product may not be: 2^51.9. */
static fe narrow(const char *name)
{
    fe r;
    proof_input(r.l, FE_LIMBS, name, VEC_WHOLE ? (uint64_t)1 << 51 : V8_LIMB_MASK);
    return r;
}
static fe carried(const char *name)
{
    fe r;
    proof_input(r.l, FE_LIMBS, name, ((uint64_t)1 << 51) + ((uint64_t)1 << 16) - 1);
    return r;
}
static fe_wide wide(const char *name, int bits)
{
    fe_wide r;
    proof_input(r.c, FE_LIMBS, name, ((uint64_t)1 << bits) - 1);
    return r;
}
#define RESULT(name, value)                                                                                            \
    do {                                                                                                               \
        const fe r_ = value;                                                                                           \
        proof_output(r_.l, FE_LIMBS, name);                                                                            \
    } while (0)
#define RESULT_WIDE(name, value)                                                                                       \
    do {                                                                                                               \
        const fe_wide r_ = value;                                                                                      \
        proof_output(r_.c, FE_LIMBS, name);                                                                            \
    } while (0)

int main(void)
{
    proof_begin("fe_mul");
    RESULT("r", fe_mul(narrow("a"), any("b")));
    proof_begin("fe_sqr");
    RESULT("r", fe_sqr(narrow("a")));
    proof_begin("fe_mul_wide");
    RESULT_WIDE("r", fe_mul_wide(narrow("a"), any("b")));
    proof_begin("fe_mul_biased");
    RESULT_WIDE("r", fe_mul_biased(narrow("a"), any("b")));
    proof_begin("fe_sqr_wide");
    RESULT_WIDE("r", fe_sqr_wide(narrow("a")));
    proof_begin("fe_sqr_biased");
    RESULT_WIDE("r", fe_sqr_biased(narrow("a")));
    proof_begin("fe_add");
    RESULT("r", fe_add(any("a"), any("b")));
    proof_begin("fe_sub");
    RESULT("r", fe_sub(any("a"), any("b")));
    proof_begin("fe_carry");
    RESULT("r", fe_carry(wide("a", 62)));
    proof_begin("fe_narrow");
    RESULT("r", fe_narrow(any("a")));
    proof_begin("fe_carried_sum");
    RESULT("r", fe_carried_sum(wide("a", 61), wide("b", 61)));
    proof_begin("fe_carried_difference");
    {
        const fe_wide a = fe_mul_biased(carried("a"), carried("b")), b = fe_mul_wide(carried("c"), carried("d"));
        RESULT("r", fe_carried_difference(a, b));
    }
    proof_begin("fe_biased");
    RESULT_WIDE("r", fe_biased(any("a")));
    proof_begin("fe_mul_small_add");
    RESULT_WIDE("r", fe_mul_small_add(wide("a", 62), any("b"), 121665));
    proof_begin("fe_canonical");
    RESULT("r", fe_canonical(any("a")));
    proof_begin("fe_select");
    {
        v8 m[1];
        proof_input(m, 1, "m", 1);
        RESULT("r", fe_select(v8_test_bit(m[0], 0), any("a"), any("b")));
    }
    return 0;
}
