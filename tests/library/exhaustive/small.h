/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Small cyclic groups on curves y^2 = x^3 - 3x + b over the fields of P-256 and P-384, by libcrypto's arithmetic.
 *
 * b = 0: p = 3 mod 4, so the curve is supersingular and has p + 1 points: 2^96 and 2^32 divide that, 97 divides it for
 * P-384. For P-256 an odd order comes from the curve with complex multiplication by discriminant -12 (j = 54000), whose
 * number of points p + 1 - t follows from 4p = t^2 + 12 v^2. small_open() checks the order of what it finds.
 */
#ifndef OCT_TESTS_EXHAUSTIVE_SMALL_H
#define OCT_TESTS_EXHAUSTIVE_SMALL_H

#include "group.h"

#include <openssl/bn.h>
#include <openssl/ec.h>

#define SMALL_MAX_ORDER 128
/* Each point in this many ways: the first with Z = 1 (not infinity, which has X and Y of its own in each). */
#define SMALL_FORMS 3

struct small_point {
    uint64_t x[GROUP_MAX_LIMBS], y[GROUP_MAX_LIMBS], z[GROUP_MAX_LIMBS];
};

struct small {
    unsigned order, limbs;
    BIGNUM *p;
    BN_CTX *ctx;
    EC_GROUP *group;
    struct small_point point[SMALL_MAX_ORDER][SMALL_FORMS]; /* [i] is i times the generator */
};

/* order: 64 or 97. */
void small_open(struct small *s, int curve, unsigned order);
void small_close(struct small *s);

#endif
