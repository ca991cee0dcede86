/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* What products by double-precision FMA leave above their halves (ymm_fma.h). */
#ifndef OCT_VEC_FMA_BIAS_H
#define OCT_VEC_FMA_BIAS_H

#define FMA_LOW        0x4330000000000000u                                        /* 2^52 as a double */
#define FMA_HIGH(bits) ((bits) == 52 ? 0x4670000000000000u : 0x4660000000000000u) /* 2^104, or 2^103 for 51 bits */

#endif
