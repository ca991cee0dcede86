/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Leaving no secret behind in vector registers; in assembly, which no compiler takes for needless. */
#ifndef OCT_VEC_CLEAR_H
#define OCT_VEC_CLEAR_H

#include "base/base.h"

/* The sixteen of AVX, all of their width. To write the lower half clears the rest, and zeros that way come from
 * renaming; vzeroall, which does the same, takes longer than a short record may. */
OCT_INLINE void vec_clear_low_registers(void)
{
    __asm__ volatile("vpxor %%xmm0, %%xmm0, %%xmm0\n\tvpxor %%xmm1, %%xmm1, %%xmm1\n\t"
                     "vpxor %%xmm2, %%xmm2, %%xmm2\n\tvpxor %%xmm3, %%xmm3, %%xmm3\n\t"
                     "vpxor %%xmm4, %%xmm4, %%xmm4\n\tvpxor %%xmm5, %%xmm5, %%xmm5\n\t"
                     "vpxor %%xmm6, %%xmm6, %%xmm6\n\tvpxor %%xmm7, %%xmm7, %%xmm7\n\t"
                     "vpxor %%xmm8, %%xmm8, %%xmm8\n\tvpxor %%xmm9, %%xmm9, %%xmm9\n\t"
                     "vpxor %%xmm10, %%xmm10, %%xmm10\n\tvpxor %%xmm11, %%xmm11, %%xmm11\n\t"
                     "vpxor %%xmm12, %%xmm12, %%xmm12\n\tvpxor %%xmm13, %%xmm13, %%xmm13\n\t"
                     "vpxor %%xmm14, %%xmm14, %%xmm14\n\tvpxor %%xmm15, %%xmm15, %%xmm15\n\tvzeroupper"
                     :
                     :
                     : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11",
                       "xmm12", "xmm13", "xmm14", "xmm15");
}

#if defined(__AVX512VL__)
/* The sixteen that AVX-512 adds. To write the lowest quarter of one clears the rest. */
OCT_INLINE void vec_clear_high_registers(void)
{
    __asm__ volatile("vpxorq %%xmm16, %%xmm16, %%xmm16\n\tvpxorq %%xmm17, %%xmm17, %%xmm17\n\t"
                     "vpxorq %%xmm18, %%xmm18, %%xmm18\n\tvpxorq %%xmm19, %%xmm19, %%xmm19\n\t"
                     "vpxorq %%xmm20, %%xmm20, %%xmm20\n\tvpxorq %%xmm21, %%xmm21, %%xmm21\n\t"
                     "vpxorq %%xmm22, %%xmm22, %%xmm22\n\tvpxorq %%xmm23, %%xmm23, %%xmm23\n\t"
                     "vpxorq %%xmm24, %%xmm24, %%xmm24\n\tvpxorq %%xmm25, %%xmm25, %%xmm25\n\t"
                     "vpxorq %%xmm26, %%xmm26, %%xmm26\n\tvpxorq %%xmm27, %%xmm27, %%xmm27\n\t"
                     "vpxorq %%xmm28, %%xmm28, %%xmm28\n\tvpxorq %%xmm29, %%xmm29, %%xmm29\n\t"
                     "vpxorq %%xmm30, %%xmm30, %%xmm30\n\tvpxorq %%xmm31, %%xmm31, %%xmm31"
                     :
                     :
                     : "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm24", "xmm25",
                       "xmm26", "xmm27", "xmm28", "xmm29", "xmm30", "xmm31");
}
OCT_INLINE void vec_clear_masks(void)
{
    __asm__ volatile("kxorw %%k1, %%k1, %%k1\n\tkxorw %%k2, %%k2, %%k2\n\tkxorw %%k3, %%k3, %%k3\n\t"
                     "kxorw %%k4, %%k4, %%k4\n\tkxorw %%k5, %%k5, %%k5\n\tkxorw %%k6, %%k6, %%k6\n\t"
                     "kxorw %%k7, %%k7, %%k7"
                     :
                     :
                     : "k1", "k2", "k3", "k4", "k5", "k6", "k7");
}
#endif

#endif
