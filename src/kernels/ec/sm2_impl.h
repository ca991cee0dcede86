/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The curve of SM2 (GB/T 32918.5): constants, and the reduction modulo p = 2^256 - 2^224 - 2^96 + 2^64 - 1.
 *
 * R = 2^260, as for P-256, whose limits on values hold here: a settled number is below 2.01p, a product of carried a, b
 * below (ab/16p^2 + 1)p.
 */
#define LIMBS       5
#define EC_BITS     256
#define EC_PRODUCT  VEC_STEP
#define EC_FIELD_K0 1
#define EC_ORDER_K0 0xf9e8872350975
#include "kernels/ec/ec_num_impl.h"

static const uint64_t fp_modulus[LIMBS] = {0xfffffffffffff, 0xff00000000fff, 0xfffffffffffff, 0xfffffffffffff,
                                           0xfffffffeffff};
static const uint64_t fp_rr[LIMBS] = {0x20000000300, 0xffffffff00000, 0x100000002, 0x200000001000, 0x4000000};
static const uint64_t fn_modulus[LIMBS] = {0xbf40939d54123, 0x6b21c6052b53b, 0xfffffff7203df, 0xfffffffffffff,
                                           0xfffffffeffff};
static const uint64_t fn_rr[LIMBS] = {0xc16674a517de6, 0x507a6e5f7c418, 0xfe0d44507dc1c, 0x3b620fc84c3af,
                                      0xb5e412c02b3d};
static const uint64_t ec_b[LIMBS] = {0xcbd414d940e93, 0xf515ab8f92ddb, 0xf6509a7f39789, 0x5e344d5a9e4bc,
                                     0x28e9fa9e9d9f};
static const uint64_t ec_gx[LIMBS] = {0xa4589334c74c7, 0xbff2660be1715, 0xa39c9948fe30b, 0x81195f9904466,
                                      0x32c4ae2c1f19};
static const uint64_t ec_gy[LIMBS] = {0xf32e52139f0a0, 0x7cc62a474002d, 0xb692153d0a987, 0x779c59bdcee36,
                                      0xbc3736a2f4f6};

/*
 * p = -1 mod 2^52, so the multiple of p that clears column i is the column itself, m = t mod 2^52: t + m*p is
 * (t >> 52) * 2^52 + m*(2^256 - 2^224) - m*(2^96 - 2^64), in columns 4 and 5, and 1 and 2 from here. The negative
 * product is m*(2^104 - 2^96 + 2^64) - m*2^104, which needs no sums of its own.
 */
OCT_INLINE void fp_reduce(struct num *r, v8 z[2 * LIMBS], v8 y[2 * LIMBS])
{
    const v8 c96 = v8_set1(((uint64_t)1 << 52) - ((uint64_t)1 << 44) + ((uint64_t)1 << 12));
    const v8 c256 = v8_set1(((uint64_t)1 << 48) - ((uint64_t)1 << 16));
    VEC_UNROLL
    for (int i = 0; i < LIMBS; i++) {
        const v8 t = v8_add(z[i], y[i]);
        y[i + 1] = v8_add(y[i + 1], v8_sra(t, 52));
        z[i + 1] = v8_madd52lo_trunc(z[i + 1], t, c96);
        y[i + 2] = v8_madd52hi_trunc(y[i + 2], t, c96);
        z[i + 2] = v8_sub(z[i + 2], v8_low52(t));
        y[i + 4] = v8_madd52lo_trunc(y[i + 4], t, c256);
        z[i + 5] = v8_madd52hi_trunc(z[i + 5], t, c256);
    }
    VEC_UNROLL
    for (int j = 0; j < LIMBS; j++)
        r->l[j] = v8_add(z[LIMBS + j], y[LIMBS + j]);
}

/* Single columns of a product can be negative, which intervals carry into the top limb. The value is not, and what is
 * carried here is below 16*2^256. */
VEC_STEP void fp_carry(struct num *r)
{
    num_carry(r);
    r->l[LIMBS - 1] = v8_proved_bound(r->l[LIMBS - 1], V8_LIMB_MASK);
}

/*
 * Columns of any sign, carried and brought to 2^256 .. 2*2^256, give or take 2^232. With q + 1 the multiple of 2^256 in
 * the top limb, takes q*p away: q*2^256 from the top, which leaves one 2^256 there, and q*(2^224 + 2^96 - 2^64 + 1)
 * back.
 */
VEC_STEP void fp_settle(struct num *x)
{
    const v8 one = v8_set1((uint64_t)1 << 48);
    const v8 q = v8_sub(v8_sra(x->l[4], 48), v8_set1(1));
    x->l[0] = v8_add(x->l[0], q);
    x->l[1] = v8_add(x->l[1], v8_sub(v8_sll(q, 44), v8_sll(q, 12)));
    x->l[4] = v8_add(v8_add(v8_low(x->l[4], 48), one), v8_sll(q, 16));
    num_carry(x);
}

#include "kernels/ec/ec_order_impl.h"
#define MOD_PREFIX fp
#include "kernels/ec/ec_mod_impl.h"
#undef MOD_PREFIX
#define MOD_PREFIX fn
#include "kernels/ec/ec_mod_impl.h"
#undef MOD_PREFIX
