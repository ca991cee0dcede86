/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* ML-DSA's constants, in the form that Montgomery products with R = 2^32 take; all are expressions of q. */
#ifndef OCT_KERNELS_MLDSA_NUMBERS_H
#define OCT_KERNELS_MLDSA_NUMBERS_H

#include <stdint.h>

#define MLDSA_Q    8380417
#define MLDSA_N    256
#define MLDSA_D    13        /* bits of t that a public key leaves out */
#define MLDSA_QINV 58728449u /* 1/q mod 2^32 */
_Static_assert(MLDSA_Q *MLDSA_QINV == 1, "1/q");

/* x mod q for x >= 0, around zero: -4190208 .. 4190208. */
#define MLDSA_HALF        ((MLDSA_Q - 1) / 2)
#define MLDSA_CENTERED(x) ((int32_t)(((x) + MLDSA_HALF) % MLDSA_Q - MLDSA_HALF))
#define MLDSA_R           (((int64_t)1 << 32) % MLDSA_Q)
/* x * R mod q, the factor that multiplies by x; and its product with 1/q mod 2^32. */
#define MLDSA_FACTOR(x)     MLDSA_CENTERED((x)*MLDSA_R)
#define MLDSA_TIMES_QINV(f) ((int32_t)((uint32_t)(f)*MLDSA_QINV))
/* Sums of products come with 1/R, which the inverse transform takes back with its 1/256. */
#define MLDSA_DOWN_256 (8347681 * MLDSA_R % MLDSA_Q)
_Static_assert((int64_t)256 * 8347681 % MLDSA_Q == 1, "1/256");

/* The bounds of what stands in memory: the matrix, what the forward transform makes, and what the inverse makes. */
#define MLDSA_MATRIX_MAX  (MLDSA_Q - 1)
#define MLDSA_FORWARD_MAX (6 * MLDSA_Q)
#define MLDSA_BACK_MAX    (MLDSA_Q - 1)

#endif
