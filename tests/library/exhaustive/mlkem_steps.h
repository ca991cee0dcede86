/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The steps of ML-KEM's kernels on plain arrays, once for each backend: 32 lanes, or polynomials of 256 numbers. */
#ifndef OCT_TESTS_MLKEM_STEPS_H
#define OCT_TESTS_MLKEM_STEPS_H

#include <stdint.h>

#define LANES 32
#define N     256

struct mlkem_steps {
    const char *name;
    void (*multiply)(int16_t out[LANES], const int16_t a[LANES], int16_t factor);
    void (*reduce)(int16_t out[LANES], const int16_t a[LANES]);
    void (*canonical)(int16_t out[LANES], const int16_t a[LANES]);
    void (*compress)(int16_t out[LANES], const int16_t a[LANES], unsigned d);
    void (*decompress)(int16_t out[LANES], const int16_t a[LANES], unsigned d);
    void (*noise)(int16_t out[LANES], const uint8_t bytes[16]);
    void (*load_bits)(int16_t out[LANES], const uint8_t *bytes, unsigned bits);
    void (*store_bits)(uint8_t *bytes, const int16_t a[LANES], unsigned bits);
    unsigned (*accept)(int16_t out[LANES], const int16_t a[LANES]);
    void (*forward)(int16_t a[2][N]);
    void (*backward)(int16_t a[2][N]);
    /* a * b of transformed polynomials, / 2^16. */
    void (*product)(int16_t out[N], const int16_t a[N], const int16_t b[N]);
    /* Matrix elements from the blocks behind the third alone: of seeds 32 bytes long, and the two bytes 0. */
    void (*more)(int16_t out[8][N], const uint8_t seed[8][32]);
};

#define STEPS_DECLARE(backend) extern const struct mlkem_steps steps_##backend
STEPS_DECLARE(c);
STEPS_DECLARE(avx512);
STEPS_DECLARE(avx2);

#endif
