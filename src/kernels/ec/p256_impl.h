/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * P-256 (SP 800-186, 3.2.1.3): constants, and the reduction modulo p = 2^256 - 2^224 + 2^192 + 2^96 - 1.
 *
 * R = 2^260 = 16*2^256: only four bits of room. So values are kept small: a settled number is below 2.01p, a product of
 * carried a, b below (ab/16p^2 + 1)p. Top limbs tell the value (2^48 is 2^256), and the bound proof follows them.
 */
#define LIMBS       5
#define EC_BITS     256
#define EC_PRODUCT  VEC_STEP
#define EC_FIELD_K0 1
#define EC_ORDER_K0 0x1c8aaee00bc4f
#include "kernels/ec/ec_num_impl.h"

static const uint64_t fp_modulus[LIMBS] = {0xfffffffffffff, 0xfffffffffff, 0, 0x1000000000, 0xffffffff0000};
static const uint64_t fp_rr[LIMBS] = {0x300, 0xffffffff00000, 0xffffefffffffb, 0xfdfffffffffff, 0x4ffffff};
static const uint64_t fn_modulus[LIMBS] = {0x9cac2fc632551, 0xada7179e84f3b, 0xfffffffbce6fa, 0xfffffffff,
                                           0xffffffff0000};
static const uint64_t fn_rr[LIMBS] = {0x5cc0dea6dc3ba, 0x192a067d8a084, 0xbec59615571bb, 0x1fc245b2392b6,
                                      0xe12d9559d956};
static const uint64_t ec_b[LIMBS] = {0xe3c3e27d2604b, 0xb0cc53b0f63bc, 0x69886bc651d06, 0x93e7b3ebbd557,
                                     0x5ac635d8aa3a};
static const uint64_t ec_gx[LIMBS] = {0x13945d898c296, 0x812deb33a0f4a, 0x3a440f277037d, 0x4247f8bce6e56,
                                      0x6b17d1f2e12c};
static const uint64_t ec_gy[LIMBS] = {0x6406837bf51f5, 0x576b315ececbb, 0xc0f9e162bce33, 0x7f9b8ee7eb4a7,
                                      0x4fe342e2fe1a};

/*
 * p = -1 mod 2^52, so the multiple of p that clears column i is the column itself, m = t mod 2^52: t + m*p is
 * (t >> 52) * 2^52 + m*(2^96 + 2^192 + 2^256 - 2^224), in columns 1 and 2, 3 and 4, 4 and 5 from here.
 */
OCT_INLINE void fp_reduce(struct num *r, v8 z[2 * LIMBS], v8 y[2 * LIMBS])
{
    const v8 c256 = v8_set1(((uint64_t)1 << 48) - ((uint64_t)1 << 16));
    VEC_UNROLL
    for (int i = 0; i < LIMBS; i++) {
        const v8 t = v8_add(z[i], y[i]);
        z[i + 1] = v8_add(z[i + 1], v8_sra(t, 52));
        z[i + 1] = v8_madd52lo_pow2(z[i + 1], t, 44);
        y[i + 2] = v8_madd52hi_pow2(y[i + 2], t, 44);
        y[i + 3] = v8_madd52lo_pow2(y[i + 3], t, 36);
        z[i + 4] = v8_madd52hi_pow2(z[i + 4], t, 36);
        y[i + 4] = v8_madd52lo_trunc(y[i + 4], t, c256);
        z[i + 5] = v8_madd52hi_trunc(z[i + 5], t, c256);
    }
    VEC_UNROLL
    for (int j = 0; j < LIMBS; j++)
        r->l[j] = v8_add(z[LIMBS + j], y[LIMBS + j]);
}

VEC_STEP void fp_carry(struct num *r)
{
    num_carry(r);
}

/*
 * Columns of any sign, carried and brought to 2^256 .. 2*2^256, give or take 2^232. With q + 1 the multiple of 2^256 in
 * the top limb, takes q*p away: q*2^256 from the top, which leaves one 2^256 there, and q*(2^224 - 2^192 - 2^96 + 1)
 * back.
 */
VEC_STEP void fp_settle(struct num *x)
{
    const v8 one = v8_set1((uint64_t)1 << 48);
    const v8 q = v8_sub(v8_sra(x->l[4], 48), v8_set1(1));
    x->l[0] = v8_add(x->l[0], q);
    x->l[1] = v8_sub(x->l[1], v8_sll(q, 44));
    x->l[3] = v8_sub(x->l[3], v8_sll(q, 36));
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
