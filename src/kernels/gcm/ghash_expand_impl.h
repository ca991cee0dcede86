/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* What GHASH keeps of a key. */
#ifndef OCT_KERNELS_GHASH_EXPAND_IMPL_H
#define OCT_KERNELS_GHASH_EXPAND_IMPL_H

#include "kernels/gcm/ghash_impl.h"

/* All powers from H, which is AES of the block of zeros, its bytes reversed: a vector of them at a time. */
static OCT_NOINLINE void ghash_expand(struct gcm_key *key, b1 h)
{
    const b1 h1 = b1_double(h);
    b1 power = h1;
    for (size_t e = 1; e <= BV_LANES; e++) {
        b1_store(key->power[GHASH_POWERS - e], power);
        power = e < BV_LANES ? ghash_mul(power, h1) : power;
    }
    const bv step = bv_set1(power);
    bv powers = ghash_powers(key, BV_LANES);
    for (size_t e = 2 * BV_LANES; e <= GHASH_POWERS; e += BV_LANES) {
        powers = ghash_lanes_mul(powers, step);
        bv_store(key->power[GHASH_POWERS - e], powers);
    }
    for (size_t n = 1; n <= BV_BULK; n++)
        bv_store(key->wide[BV_BULK - n], bv_broadcast(ghash_power(key, BV_LANES * n)));
    for (size_t i = 0; i < BV_BULK; i += 2)
        bv_store(key->middle[i / 2], ghash_middle(bv_load(key->wide[i]), bv_load(key->wide[i + 1])));
}

#endif
