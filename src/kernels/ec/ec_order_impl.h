/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Montgomery reduction modulo the order n of the group, which has no shape to use: EC_ORDER_K0 = -1/n mod 2^52.
 * The carry of column i is taken as (t + 2^52 - 1) >> 52 without waiting for m_i * n, which clears exactly its low 52
 * bits.
 */
OCT_INLINE void fn_reduce(struct num *r, v8 z[2 * LIMBS], v8 y[2 * LIMBS])
{
    const v8 mask = v8_set1(V8_LIMB_MASK), k0 = v8_set1(EC_ORDER_K0);
    VEC_UNROLL
    for (int i = 0; i < LIMBS; i++) {
        const v8 t = v8_add(z[i], y[i]);
        const v8 m = v8_mul52lo_trunc(t, k0);
        z[i + 1] = v8_add(z[i + 1], v8_sra(v8_add(t, mask), 52));
        y[i + 1] = v8_madd52hi(y[i + 1], m, v8_set1(fn_modulus[0]));
        VEC_UNROLL
        for (int j = 1; j < LIMBS; j++) {
            z[i + j] = v8_madd52lo(z[i + j], m, v8_set1(fn_modulus[j]));
            y[i + j + 1] = v8_madd52hi(y[i + j + 1], m, v8_set1(fn_modulus[j]));
        }
    }
    VEC_UNROLL
    for (int j = 0; j < LIMBS; j++)
        r->l[j] = v8_add(z[LIMBS + j], y[LIMBS + j]);
}

VEC_STEP void fn_carry(struct num *r)
{
    num_carry(r);
}
