/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Eight operations of ML-KEM at a table's kernels, with memory of their own: what the tests of these share. */
#ifndef OCT_TESTS_MLKEM_BATCH_H
#define OCT_TESTS_MLKEM_BATCH_H

#include "base/base.h"
#include "ops/mlkem.h"

#include <stdlib.h>

#define BATCH_LANES 8
#define SEED_BYTES  OCT_MLKEM_SEED_BYTES

/* One operation of each kind. */
struct mlkem_lane {
    uint8_t d[SEED_BYTES], z[SEED_BYTES], m[SEED_BYTES], secret[SEED_BYTES];
    int16_t matrix[OCT_MLKEM_MATRIX_NUMBERS(4)] OCT_ALIGN64;
    uint8_t ek[OCT_MLKEM_MAX_EK_BYTES], dk[OCT_MLKEM_MAX_DK_BYTES], ct[OCT_MLKEM_MAX_CT_BYTES];
};

static inline void *mlkem_workspace(const struct oct_mlkem_ops *ops, int set)
{
    void *p = aligned_alloc(64, (*ops->set[set].workspace + 63) / 64 * 64);
    if (!p)
        abort();
    return p;
}

#define MLKEM_EACH_LANE(...)                                                                                           \
    do {                                                                                                               \
        for (unsigned i = 0; i < lanes; i++) {                                                                         \
            struct mlkem_lane *l = lane[i];                                                                            \
            __VA_ARGS__                                                                                                \
        }                                                                                                              \
    } while (0)

static inline void mlkem_keygen(const struct oct_mlkem_ops *ops, int set, void *workspace,
                                struct mlkem_lane *const lane[], unsigned lanes)
{
    struct oct_mlkem_keygen_args args = {.workspace = workspace, .lanes = lanes};
    MLKEM_EACH_LANE(args.d[i] = l->d; args.z[i] = l->z; args.ek[i] = l->ek; args.dk[i] = l->dk;);
    ops->set[set].keygen(&args);
}
static inline unsigned mlkem_encaps(const struct oct_mlkem_ops *ops, int set, void *workspace,
                                    struct mlkem_lane *const lane[], unsigned lanes)
{
    struct oct_mlkem_encaps_args args = {.workspace = workspace, .lanes = lanes};
    MLKEM_EACH_LANE(args.ek[i] = l->ek; args.m[i] = l->m; args.ct[i] = l->ct; args.secret[i] = l->secret;);
    return ops->set[set].encaps(&args);
}
static inline void mlkem_decaps(const struct oct_mlkem_ops *ops, int set, void *workspace,
                                struct mlkem_lane *const lane[], unsigned lanes)
{
    struct oct_mlkem_decaps_args args = {.workspace = workspace, .lanes = lanes};
    MLKEM_EACH_LANE(args.dk[i] = l->dk; args.ct[i] = l->ct; args.secret[i] = l->secret;);
    ops->set[set].decaps(&args);
}
/* The same two, where a key keeps its matrix. */
static inline void mlkem_keygen_kept(const struct oct_mlkem_ops *ops, int set, void *workspace,
                                     struct mlkem_lane *const lane[], unsigned lanes)
{
    struct oct_mlkem_keygen_args args = {.workspace = workspace, .lanes = lanes};
    MLKEM_EACH_LANE(args.d[i] = l->d; args.z[i] = l->z; args.ek[i] = l->ek; args.dk[i] = l->dk;
                    args.matrix[i] = l->matrix;);
    ops->set[set].keygen(&args);
}
static inline void mlkem_decaps_kept(const struct oct_mlkem_ops *ops, int set, void *workspace,
                                     struct mlkem_lane *const lane[], unsigned lanes)
{
    struct oct_mlkem_decaps_args args = {.workspace = workspace, .lanes = lanes};
    MLKEM_EACH_LANE(args.dk[i] = l->dk; args.ct[i] = l->ct; args.secret[i] = l->secret; args.matrix[i] = l->matrix;);
    ops->set[set].decaps(&args);
}
static inline unsigned mlkem_check(const struct oct_mlkem_ops *ops, int set, void *workspace,
                                   struct mlkem_lane *const lane[], unsigned lanes)
{
    struct oct_mlkem_check_args args = {.workspace = workspace, .lanes = lanes};
    MLKEM_EACH_LANE(args.dk[i] = l->dk;);
    return ops->set[set].check(&args);
}

#endif
