/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Eight operations of ML-DSA at a table's kernels, with memory of their own: what the tests of these share. */
#ifndef OCT_TESTS_MLDSA_BATCH_H
#define OCT_TESTS_MLDSA_BATCH_H

#include "base/base.h"
#include "ops/mldsa.h"

#include <stdlib.h>
#include <string.h>

#define BATCH_LANES 8
#define SEED_BYTES  OCT_MLDSA_SEED_BYTES

/* One operation of each kind, with its key as bytes and expanded. */
struct mldsa_lane {
    int32_t matrix[OCT_MLDSA_MAX_MATRIX_NUMBERS] OCT_ALIGN64, t1[OCT_MLDSA_MAX_T1_NUMBERS] OCT_ALIGN64;
    int32_t secrets[OCT_MLDSA_MAX_SECRET_NUMBERS] OCT_ALIGN64;
    uint8_t seed[SEED_BYTES], rnd[SEED_BYTES], mu[OCT_MLDSA_MU_BYTES];
    uint8_t pk[OCT_MLDSA_MAX_PK_BYTES], sk[OCT_MLDSA_MAX_SK_BYTES];
    uint8_t signature[OCT_MLDSA_MAX_SIGNATURE_BYTES];
};

/* Enough for every kernel of a table. */
static inline void *mldsa_workspace(const struct oct_mldsa_ops *ops)
{
    size_t size = *ops->shake256_workspace;
    for (int set = 0; set < OCT_MLDSA_SETS; set++)
        size = *ops->set[set].workspace > size ? *ops->set[set].workspace : size;
    void *p = aligned_alloc(64, (size + 63) / 64 * 64);
    if (!p)
        abort();
    return p;
}

#define MLDSA_EACH_LANE(...)                                                                                           \
    do {                                                                                                               \
        for (unsigned i = 0; i < lanes; i++) {                                                                         \
            struct mldsa_lane *l = lane[i];                                                                            \
            __VA_ARGS__                                                                                                \
        }                                                                                                              \
    } while (0)

static inline void mldsa_keygen(const struct oct_mldsa_ops *ops, int set, void *workspace,
                                struct mldsa_lane *const lane[], unsigned lanes)
{
    struct oct_mldsa_keygen_args args = {.workspace = workspace, .lanes = lanes};
    MLDSA_EACH_LANE(args.seed[i] = l->seed; args.pk[i] = l->pk; args.sk[i] = l->sk;);
    ops->set[set].keygen(&args);
}
/* The lanes whose private key is none. */
static inline unsigned mldsa_expand(const struct oct_mldsa_ops *ops, int set, void *workspace,
                                    struct mldsa_lane *const lane[], unsigned lanes)
{
    unsigned bad = 0;
    MLDSA_EACH_LANE(const struct oct_mldsa_expand_args args = {workspace, l->sk, l->pk, l->matrix, l->t1, l->secrets};
                    bad |= ops->set[set].expand(&args) << i;);
    return bad;
}
static inline void mldsa_expand_public(const struct oct_mldsa_ops *ops, int set, void *workspace,
                                       struct mldsa_lane *const lane[], unsigned lanes)
{
    MLDSA_EACH_LANE(const struct oct_mldsa_expand_args args = {workspace, NULL, l->pk, l->matrix, l->t1, NULL};
                    (void)ops->set[set].expand(&args););
}
static inline unsigned mldsa_sign(const struct oct_mldsa_ops *ops, int set, void *workspace,
                                  struct mldsa_lane *const lane[], unsigned lanes)
{
    struct oct_mldsa_sign_args args = {.workspace = workspace, .lanes = lanes};
    MLDSA_EACH_LANE(args.matrix[i] = l->matrix; args.secrets[i] = l->secrets;
                    args.key_seed[i] = l->sk + OCT_MLDSA_SK_K_AT; args.rnd[i] = l->rnd; args.mu[i] = l->mu;
                    args.signature[i] = l->signature;);
    return ops->set[set].sign(&args);
}
/* The lanes whose signature is not valid; with expanded keys or of bytes. */
static inline unsigned mldsa_verify(const struct oct_mldsa_ops *ops, int set, void *workspace,
                                    struct mldsa_lane *const lane[], unsigned lanes, int kept)
{
    struct oct_mldsa_verify_args args = {.workspace = workspace, .lanes = lanes};
    MLDSA_EACH_LANE(args.matrix[i] = kept ? l->matrix : NULL; args.t1[i] = kept ? l->t1 : NULL; args.pk[i] = l->pk;
                    args.mu[i] = l->mu; args.signature[i] = l->signature;);
    return ops->set[set].verify(&args);
}

/* SHAKE256 of one message in two parts: 64 bytes. */
static inline void mldsa_shake256(const struct oct_mldsa_ops *ops, void *workspace, uint8_t *out, const uint8_t *head,
                                  size_t head_len, const uint8_t *body, size_t body_len)
{
    const struct oct_shake256_args args = {.workspace = workspace,
                                           .lanes = 1,
                                           .head = {head},
                                           .head_len = {head_len},
                                           .body = {body},
                                           .body_len = {body_len},
                                           .out = {out}};
    ops->shake256(&args);
}

#endif
