/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The steps of ML-DSA's kernels on plain arrays, once for each set and backend: 16 lanes, or polynomials of 256
 * numbers.
 */
#ifndef OCT_TESTS_MLDSA_STEPS_H
#define OCT_TESTS_MLDSA_STEPS_H

#include <stdint.h>

#define LANES 16
#define N     256

struct mldsa_steps {
    int set;
    void (*multiply)(int32_t out[LANES], const int32_t a[LANES], int32_t factor);
    void (*canonical)(int32_t out[LANES], const int32_t a[LANES]);
    void (*round)(int32_t high[LANES], int32_t low[LANES], const int32_t r[LANES]);
    void (*use_hint)(int32_t out[LANES], const int32_t r[LANES], const int32_t hint[LANES]);
    void (*make_hint)(int32_t out[LANES], const int32_t low[LANES], const int32_t high[LANES]);
    void (*split_t)(int32_t t1[LANES], int32_t t0[LANES], const int32_t t[LANES]);
    void (*load_bits)(int32_t out[LANES], const uint8_t *bytes, unsigned bits);
    void (*store_bits)(uint8_t *bytes, const int32_t a[LANES], unsigned bits);
    unsigned (*accept)(int32_t out[LANES], const int32_t a[LANES], int32_t limit);
    void (*forward)(int32_t a[N]);
    /* A transform by its definition, put into the order of forward(). */
    void (*order)(int32_t out[N], const int32_t a[N]);
    /* The product of two transformed polynomials, transformed back. */
    void (*product)(int32_t out[N], const int32_t a[N], const int32_t b[N]);
};

#define STEPS_DECLARE(set, backend) extern const struct mldsa_steps mldsa_steps_##set##_##backend
STEPS_DECLARE(44, c);
STEPS_DECLARE(65, c);
STEPS_DECLARE(44, avx512);
STEPS_DECLARE(44, avx2);
STEPS_DECLARE(65, avx512);
STEPS_DECLARE(65, avx2);

#endif
