/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The zmm and ymm backends of affine.h. What differs besides the width of registers is in affine_zmm.h and
 * affine_ymm.h.
 */
#ifndef OCT_VEC_AFFINE_X86_H
#define OCT_VEC_AFFINE_X86_H

OCT_INLINE bv bv_map(bv a, const uint64_t map)
{
    return MM(gf2p8affine_epi64_epi8)(a, MM_SET1_64(map), 0);
}
OCT_INLINE bv bv_map_inverse(bv a, const uint64_t map)
{
    return MM(gf2p8affineinv_epi64_epi8)(a, MM_SET1_64(map), 0);
}
OCT_INLINE bv bv_set32(uint32_t word)
{
    return MM(set1_epi32)((int)word);
}
VEC_1(bv, bv_reverse32,
      MM(shuffle_epi8)(a, bv_set1(_mm_set_epi8(12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3))))
OCT_INLINE void bv_transpose32(bv x[4])
{
    mm_transpose32(x, x);
}

#if defined(OCT_BACKEND_ZMM)
#include "vec/cipher/affine_zmm.h"
#else
#include "vec/cipher/affine_ymm.h"
#endif

#endif
