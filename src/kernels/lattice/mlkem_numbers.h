/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* ML-KEM's constants, in the form that Montgomery products with R = 2^16 take; all are expressions of q. */
#ifndef OCT_KERNELS_MLKEM_NUMBERS_H
#define OCT_KERNELS_MLKEM_NUMBERS_H

#include <stdint.h>

#define MLKEM_Q    3329
#define MLKEM_N    256
#define MLKEM_QINV 62209 /* 1/q mod 2^16 */
_Static_assert((MLKEM_Q * MLKEM_QINV & 0xffff) == 1, "1/q");

/* x mod q for x >= 0, around zero: -1664 .. 1664. */
#define MLKEM_CENTERED(x) (((x) + 1664) % MLKEM_Q - 1664)
#define MLKEM_R           (65536 % MLKEM_Q)
/* x * R mod q, the factor that multiplies by x; and its product with 1/q mod 2^16. */
#define MLKEM_FACTOR(x)     MLKEM_CENTERED((x)*MLKEM_R)
#define MLKEM_TIMES_QINV(f) ((int16_t)(uint16_t)((unsigned)(f)*MLKEM_QINV))
#define MLKEM_ONE           MLKEM_FACTOR(1)
/* Products of base multiplication come with 1/R: keys take it back, and inverse transforms with their 1/128. */
#define MLKEM_UP       MLKEM_R
#define MLKEM_DOWN_128 (3303 * MLKEM_R % MLKEM_Q)
_Static_assert(128 * 3303 % MLKEM_Q == 1, "1/128");

/* round(2^d / q * 2^16): the quotient of compression, a little off. */
#define MLKEM_COMPRESS(d) ((int16_t)(((2u << (16 + (d))) + MLKEM_Q) / (2 * MLKEM_Q)))

/* The bounds of what stands in memory: samples of the matrix, noise transformed and reduced, decoded bytes. */
#define MLKEM_MATRIX_MAX  (MLKEM_Q - 1)
#define MLKEM_REDUCED_MAX 2200

#endif
