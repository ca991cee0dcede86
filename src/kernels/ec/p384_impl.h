/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * P-384 (SP 800-186, 3.2.1.4): constants, and the reduction modulo p = 2^384 - 2^128 - 2^96 + 2^32 - 1.
 *
 * R = 2^416: 32 bits of room, more than the formulas of P-256 need; the same invariants hold.
 */
#define LIMBS       8
#define EC_BITS     384
#define EC_PRODUCT  VEC_CHAIN
#define EC_FIELD_K0 (((uint64_t)1 << 32) + 1)
#define EC_ORDER_K0 0x46089e88fdc45
#include "kernels/ec/ec_num_impl.h"

#define F52 0xfffffffffffff
static const uint64_t fp_modulus[LIMBS] = {0xffffffff, 0xff00000000000, 0xffffffeffffff, F52, F52, F52, F52, 0xfffff};
static const uint64_t fp_rr[LIMBS] = {0, 0xfe00000001000, 0xffffff, 0x20, 0xfffffffe0000, 0x20000000, 0x100, 0};
static const uint64_t fn_modulus[LIMBS] = {
    0xc196accc52973, 0xb248b0a77aece, 0x4372ddf581a0d, 0xffffc7634d81f, F52, F52, F52, 0xfffff};
static const uint64_t fn_rr[LIMBS] = {0x34124f50ddb2d, 0xc974971bd0d8d, 0x2118942bfd3cc, 0x9f43be8072178,
                                      0x5bf030606de60, 0xd49174aab1cc,  0xb7a28266895d4, 0x3fb05};
static const uint64_t ec_b[LIMBS] = {0x5c8edd3ec2aef, 0x8d8a2ed19d2a8, 0x13875ac65639,  0x41120314088f5,
                                     0x9181d9c6efe81, 0x8e056be3f82d1, 0xfa7e23ee7e498, 0xb3312};
static const uint64_t ec_gx[LIMBS] = {0x45e3872760ab7, 0x5dbf55296c3a5, 0x2542a385502f2, 0x9b9859f741e08,
                                      0x46e1d3b628ba7, 0xb1c71ef320ad7, 0xa22be8b05378e, 0xaa87c};
static const uint64_t ec_gy[LIMBS] = {0x31d7c90ea0e5f, 0xce1d7e819d7a4, 0x5f0b8c00a60b1, 0x147ce9da3113b,
                                      0x9f8f41dbd289a, 0x9e98bf9292dc2, 0xe4a96262c6f5d, 0x3617d};
#undef F52

/*
 * -1/p = 2^32 + 1 mod 2^52, so m = t*(2^32 + 1) mod 2^52 clears column i, which s = t + (t*2^32 mod 2^52) tells along
 * with its carry: t - m + (m*2^32 mod 2^52) = s - m, as the low 20 bits of m and t agree, and m is s mod 2^52. What is
 * left of m*p is m*2^32 >> 52 in column 1, m*2^20 in column 7, and -m*2^44 in column 1, -m*2^24 in column 2, which are
 * gathered in w.
 */
OCT_INLINE void fp_reduce(struct num *r, v8 z[2 * LIMBS], v8 y[2 * LIMBS])
{
    v8 w[LIMBS + 3];
    VEC_UNROLL
    for (int i = 0; i < LIMBS + 3; i++)
        w[i] = v8_zero();
    VEC_UNROLL
    for (int i = 0; i < LIMBS; i++) {
        const v8 t = v8_sub(v8_add(z[i], y[i]), w[i]);
        const v8 s = v8_madd52lo_pow2(t, t, 32);
        z[i + 1] = v8_add(z[i + 1], v8_sra(s, 52));
        y[i + 1] = v8_madd52hi_pow2(y[i + 1], s, 32);
        w[i + 1] = v8_madd52lo_pow2(w[i + 1], s, 44);
        w[i + 2] = v8_madd52hi_pow2(w[i + 2], s, 44);
        w[i + 2] = v8_madd52lo_pow2(w[i + 2], s, 24);
        w[i + 3] = v8_madd52hi_pow2(w[i + 3], s, 24);
        z[i + 7] = v8_madd52lo_pow2(z[i + 7], s, 20);
        y[i + 8] = v8_madd52hi_pow2(y[i + 8], s, 20);
    }
    VEC_UNROLL
    for (int j = 0; j < LIMBS; j++) {
        r->l[j] = v8_add(z[LIMBS + j], y[LIMBS + j]);
        if (j < 3)
            r->l[j] = v8_sub(r->l[j], w[LIMBS + j]);
    }
}

/* Single columns of a product can be negative, which intervals carry into the top limb. The value is not, and what is
 * carried here is below 16*2^384. */
VEC_STEP void fp_carry(struct num *r)
{
    num_carry(r);
    r->l[LIMBS - 1] = v8_proved_bound(r->l[LIMBS - 1], ((uint64_t)1 << 24) - 1);
}

/*
 * Columns of any sign, carried and brought to 2^384 .. 2*2^384, give or take 2^150. With q + 1 the multiple of 2^384 in
 * the top limb, takes q*p away: q*2^384 from the top, which leaves one 2^384 there, and q*(2^128 + 2^96 - 2^32 + 1)
 * back.
 */
VEC_STEP void fp_settle(struct num *x)
{
    const v8 one = v8_set1((uint64_t)1 << 20);
    const v8 q = v8_sub(v8_sra(x->l[7], 20), v8_set1(1));
    x->l[0] = v8_add(x->l[0], v8_sub(q, v8_sll(q, 32)));
    x->l[1] = v8_add(x->l[1], v8_sll(q, 44));
    x->l[2] = v8_add(x->l[2], v8_sll(q, 24));
    x->l[7] = v8_add(v8_low(x->l[7], 20), one);
    num_carry(x);
}

#include "kernels/ec/ec_order_impl.h"
#define MOD_PREFIX fp
#include "kernels/ec/ec_mod_impl.h"
#undef MOD_PREFIX
#define MOD_PREFIX fn
#include "kernels/ec/ec_mod_impl.h"
#undef MOD_PREFIX
