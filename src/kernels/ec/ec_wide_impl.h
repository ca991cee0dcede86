/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* 512 bits modulo the order n of the group. Include after ec_mod_impl.h with MOD_PREFIX fn. */

/* r = x mod n, below n: from lo + hi*R, lo*R is lo times R^2 and hi*R*R is hi times R^2 twice. */
static void fn_load_wide(struct num *r, const oct_limb8 *x)
{
    struct num lo, hi;
    for (int j = 0; j < LIMBS; j++) {
        lo.l[j] = v8_load52(x[j]);
        hi.l[j] = LIMBS + j < OCT_EC_NONCE_LIMBS ? v8_load52(x[LIMBS + j]) : v8_zero();
    }
    fn_to_mont(&hi, &hi);
    fn_to_mont(&hi, &hi);
    fn_to_mont(&lo, &lo);
    num_add(r, &lo, &hi);
    num_carry(r);
    fn_from_mont(r, r);
}
