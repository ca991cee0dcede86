/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The products of the vector contract (src/vec/vec.h), of each backend, for tests. Numbers are limbs of eight lanes,
 * 64-byte aligned. */
#ifndef OCT_TESTS_EXHAUSTIVE_EXACT_H
#define OCT_TESTS_EXHAUSTIVE_EXACT_H

#include <stdint.h>

enum exact_form {
    EXACT_PRODUCT,
    EXACT_ADD,
    EXACT_UPPER,
    EXACT_UPPER_ADD,
    EXACT_SQUARE,
    EXACT_FOLDED,
    EXACT_FOLDED_SQUARE,
    EXACT_FORMS
};

/* Products are folded of numbers with few limbs; what is added to column k. */
#define EXACT_FOLDED_MOST 5
#define EXACT_FOLD        19
#define EXACT_PLUS(k)     (((uint64_t)7 << 50) + (k))

/* The sizes that kernels use: limbs, and bits of a limb's weight. */
#define EXACT_EACH_SIZE(each)                                                                                          \
    each(1, 52) each(4, 52) each(5, 52) each(8, 52) each(20, 52) each(1, 51) each(5, 51) each(8, 51)
/* Powers of two: place in the result, bits. */
#define EXACT_POWERS           7
#define EXACT_EACH_POWER(each) each(0, 1) each(1, 20) each(2, 24) each(3, 32) each(4, 36) each(5, 44) each(6, 51)

struct exact_ops {
    const char *name;
    /* madd52lo, madd52hi, mul52lo_trunc, and the two with a first factor whose higher bits are set, to be ignored. */
    void (*single)(uint64_t r[5][8], const uint64_t acc[8], const uint64_t a[8], const uint64_t b[8]);
    /* madd52lo_pow2, madd52hi_pow2. */
    void (*powers)(uint64_t r[EXACT_POWERS][2][8], const uint64_t acc[8], const uint64_t a[8]);
    /* r[2*n], r[n] where it is folded, from x[n], y[n] and, with the forms that add, from what r was. */
    void (*whole)(uint64_t (*r)[8], uint64_t (*const x)[8], uint64_t (*const y)[8], int n, unsigned bits,
                  enum exact_form form);
};

#endif
