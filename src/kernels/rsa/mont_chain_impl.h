/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Montgomery's chain of dependent steps, for STRIP columns. Include after `#define STRIP`.
 *
 * The carry out of column k is taken as (c_k + 2^52 - 1) >> 52 without waiting for m_k, since adding m_k*n clears
 * exactly the low 52 bits.
 */
#include "vec/vec.h"

/* The multiples m of n that clear the columns c[0..STRIP-1]; returns the carry into column STRIP. */
OCT_INLINE v8 mont_chain(v8 c[STRIP], v8 m[STRIP], const v8 *n, v8 k0)
{
    const v8 mask = v8_set1(V8_LIMB_MASK);
    v8 carry = v8_zero();
    VEC_UNROLL
    for (int k = 0; k < STRIP; k++) {
        m[k] = v8_mul52lo_trunc(c[k], k0);
        carry = v8_sra(v8_add(c[k], mask), 52);
        if (k + 1 == STRIP)
            break;
        carry = v8_madd52hi(carry, n[0], m[k]);
        c[k + 1] = v8_add(v8_madd52lo(c[k + 1], n[1], m[k]), carry);
        VEC_UNROLL
        for (int j = 2; j + k < STRIP; j++) {
            c[k + j] = v8_madd52lo(c[k + j], n[j], m[k]);
            c[k + j] = v8_madd52hi(c[k + j], n[j - 1], m[k]);
        }
    }
    return carry;
}
