/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The kernels' point arithmetic, laid open for groups with few points: one set of functions for each curve's field and
 * each backend (group.c, compiled several times).
 */
#ifndef OCT_TESTS_EXHAUSTIVE_GROUP_H
#define OCT_TESTS_EXHAUSTIVE_GROUP_H

#include "kernels/limb8.h"

#include <stddef.h>

#define GROUP_LANES     8
#define GROUP_MAX_LIMBS 8

/* Jacobian coordinates below p, not in Montgomery form, another point in each lane; z = 0 is infinity. */
struct group_points {
    oct_limb8 x[GROUP_MAX_LIMBS], y[GROUP_MAX_LIMBS], z[GROUP_MAX_LIMBS];
} __attribute__((aligned(64)));

/* Affine, 0 for infinity; and lanes whose X is 0 modulo p. */
struct group_result {
    oct_limb8 x[GROUP_MAX_LIMBS], y[GROUP_MAX_LIMBS];
    unsigned finite, x_is_zero;
} __attribute__((aligned(64)));

enum group_formula { GROUP_DOUBLE, GROUP_ADD, GROUP_MIXED, GROUP_COMPLETE, GROUP_MIXED_COMPLETE, GROUP_FORMULAS };

struct group_ops {
    const char *name;
    int curve;
    unsigned limbs, bits;
    /* p + q, in the lanes of `negative` p - q; GROUP_DOUBLE: 2p. With `alias` the result goes where p was. */
    void (*apply)(struct group_result *r, enum group_formula formula, const struct group_points *p,
                  const struct group_points *q, unsigned negative, int alias);
    /* scalar * p as ECDH does it, but with complete additions; odd scalars. */
    void (*multiply)(struct group_result *r, const struct group_points *p, const oct_limb8 *scalar);
    /* The comb of the affine point in lane 0, allocated; and scalar * point by it, for odd scalars. */
    void *(*comb_new)(const struct group_points *p);
    void (*comb_multiply)(struct group_result *r, const void *comb, const oct_limb8 *scalar);
    /* The sum of verification: u1 * the comb's point + u2 * q, in the lanes of `differ` u1 * .. - u2 * q, for odd u1
     * and u2. Returns the lanes where its x modulo the curve's own n is r. */
    unsigned (*verify)(struct group_result *sum, const void *comb, const struct group_points *q, const oct_limb8 *u1,
                       const oct_limb8 *u2, unsigned differ, const oct_limb8 *r);
};

#define GROUP_OPS_OF(backend) extern const struct group_ops group_p256_##backend, group_p384_##backend;
GROUP_OPS_OF(c)
GROUP_OPS_OF(avx512)
GROUP_OPS_OF(avx512f)
GROUP_OPS_OF(ifma256)
GROUP_OPS_OF(avx2)

#endif
