/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* What the two halves of ML-DSA's API share: what is in a key, and a batch in its workspace. */
#ifndef OCT_API_MLDSA_INTERNAL_H
#define OCT_API_MLDSA_INTERNAL_H

#include "api/operation.h"
#include "api/workspace.h"
#include "ops/mldsa.h"

#include <stdbool.h>

/* The secret half of a private key, in guarded memory: one size for all sets. */
struct oct_mldsa_secret {
    int32_t numbers[OCT_MLDSA_MAX_SECRET_NUMBERS] OCT_ALIGN64;
    uint8_t seed[OCT_MLDSA_SEED_BYTES]; /* K */
};

struct oct_mldsa_key {
    int set;
    struct oct_mldsa_secret *secret; /* NULL: a public key */
    uint8_t pk[OCT_MLDSA_MAX_PK_BYTES], tr[OCT_MLDSA_MU_BYTES];
    int32_t t1[OCT_MLDSA_MAX_T1_NUMBERS] OCT_ALIGN64;
    int32_t matrix[] OCT_ALIGN64;
};

struct oct_mldsa_batch {
    const struct oct_mldsa_ops *ops;
    struct oct_workspace *workspace;
    void *kernel;
    int set;
};

static inline bool oct_mldsa_is_set(int set)
{
    return set >= 0 && set < OCT_MLDSA_SETS;
}

/* A batch with `extra` bytes besides what the kernels want: OCT_OK, OCT_ERR_UNSUPPORTED, OCT_ERR_MEMORY. */
int oct_mldsa_batch_open(struct oct_mldsa_batch *b, int set, size_t extra);
void oct_mldsa_batch_close(struct oct_mldsa_batch *b);

/* Signs by the given kernels, or by those that serve (NULL): tests put faults into a copy of a table. */
int oct_mldsa_sign_on(const struct oct_mldsa_ops *ops, const struct oct_operation *operation,
                      const struct oct_mldsa_sign_lane lane[], unsigned lanes, struct oct_lanes *result);

#endif
