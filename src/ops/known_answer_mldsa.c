/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Known-answer tests of ML-DSA, as in known_answer.c: seeds, randomness and messages are a stream of splitmix64 from a
 * stated seed, the answer is a digest of eight key pairs and signatures, whose attempts share the lanes.
 * tools/check-known-answers computes it anew. Signatures are verified with expanded keys and with bytes; one that was
 * changed, and a private key with a changed number, have to be found.
 */
#include "ops/known_answer.h"
#include "ops/mldsa.h"

#include <stdlib.h>
#include <string.h>

#define LANES    8
#define BYTES    32
#define BAD_LANE 5

static const uint64_t known_answer[OCT_MLDSA_SETS] = {
    [OCT_MLDSA_44] = 0x3d90d8d180422077,
    [OCT_MLDSA_65] = 0x135eba6f4d4d82d2,
};

struct numbers {
    int32_t matrix[LANES][OCT_MLDSA_MAX_MATRIX_NUMBERS] OCT_ALIGN64, t1[LANES][OCT_MLDSA_MAX_T1_NUMBERS] OCT_ALIGN64;
    int32_t secrets[LANES][OCT_MLDSA_MAX_SECRET_NUMBERS] OCT_ALIGN64;
    uint8_t seed[LANES][BYTES], rnd[LANES][BYTES], message[LANES][BYTES], mu[LANES][OCT_MLDSA_MU_BYTES];
    uint8_t pk[LANES][OCT_MLDSA_MAX_PK_BYTES], sk[LANES][OCT_MLDSA_MAX_SK_BYTES];
    uint8_t signature[LANES][OCT_MLDSA_MAX_SIGNATURE_BYTES];
};

struct subject {
    const struct oct_mldsa_ops *ops;
    struct numbers *x;
    void *workspace;
    enum oct_mldsa_set set;
    uint64_t digest;
};

/* Of each lane `len` bytes. */
static void add(struct subject *s, const uint8_t *bytes, size_t stride, size_t len)
{
    for (size_t lane = 0; lane < LANES; lane++)
        s->digest = oct_known_digest_bytes(s->digest, bytes + stride * lane, len);
}

static void make_keys(struct subject *s)
{
    struct oct_mldsa_keygen_args args = {.workspace = s->workspace, .lanes = LANES};
    uint64_t stream = 0x6f637475706c65b0 + (uint64_t)s->set;
    for (int i = 0; i < LANES; i++) {
        oct_known_draw_bytes(s->x->seed[i], BYTES, &stream);
        oct_known_draw_bytes(s->x->rnd[i], BYTES, &stream);
        oct_known_draw_bytes(s->x->message[i], BYTES, &stream);
        args.seed[i] = s->x->seed[i];
        args.pk[i] = s->x->pk[i];
        args.sk[i] = s->x->sk[i];
    }
    s->ops->set[s->set].keygen(&args);
    add(s, s->x->pk[0], sizeof s->x->pk[0], oct_mldsa_size[s->set].pk);
    add(s, s->x->sk[0], sizeof s->x->sk[0], oct_mldsa_size[s->set].sk);
}

static unsigned expand(struct subject *s, int i)
{
    uint8_t pk[OCT_MLDSA_MAX_PK_BYTES];
    const struct oct_mldsa_expand_args args = {.workspace = s->workspace,
                                               .sk = s->x->sk[i],
                                               .pk = pk,
                                               .matrix = s->x->matrix[i],
                                               .t1 = s->x->t1[i],
                                               .secrets = s->x->secrets[i]};
    return s->ops->set[s->set].expand(&args) || memcmp(pk, s->x->pk[i], oct_mldsa_size[s->set].pk) != 0;
}

/* mu of tr and a message, which is the lane's own 32 bytes and those of the lanes behind it. */
static void hash(struct subject *s)
{
    struct oct_shake256_args args = {.workspace = s->workspace, .lanes = LANES};
    for (int i = 0; i < LANES; i++) {
        args.head[i] = s->x->sk[i] + OCT_MLDSA_SK_TR_AT;
        args.head_len[i] = OCT_MLDSA_MU_BYTES;
        args.body[i] = s->x->message[i];
        args.body_len[i] = (size_t)(LANES - i) * BYTES;
        args.out[i] = s->x->mu[i];
    }
    s->ops->shake256(&args);
}

static unsigned sign(struct subject *s)
{
    struct oct_mldsa_sign_args args = {.workspace = s->workspace, .lanes = LANES};
    for (int i = 0; i < LANES; i++) {
        args.matrix[i] = s->x->matrix[i];
        args.secrets[i] = s->x->secrets[i];
        args.key_seed[i] = s->x->sk[i] + OCT_MLDSA_SK_K_AT;
        args.rnd[i] = s->x->rnd[i];
        args.mu[i] = s->x->mu[i];
        args.signature[i] = s->x->signature[i];
    }
    const unsigned failed = s->ops->set[s->set].sign(&args);
    add(s, s->x->signature[0], sizeof s->x->signature[0], oct_mldsa_size[s->set].signature);
    return failed;
}

/* The lanes that are not valid; every other lane with an expanded key. */
static unsigned verify(struct subject *s)
{
    struct oct_mldsa_verify_args args = {.workspace = s->workspace, .lanes = LANES};
    for (int i = 0; i < LANES; i++) {
        args.pk[i] = s->x->pk[i];
        args.matrix[i] = i % 2 ? s->x->matrix[i] : NULL;
        args.t1[i] = i % 2 ? s->x->t1[i] : NULL;
        args.mu[i] = s->x->mu[i];
        args.signature[i] = s->x->signature[i];
    }
    return s->ops->set[s->set].verify(&args);
}

static int run(struct subject *s)
{
    unsigned bad = 0;
    make_keys(s);
    for (int i = 0; i < LANES; i++)
        bad |= expand(s, i);
    hash(s);
    bad |= sign(s);
    bad |= verify(s);
    s->x->signature[BAD_LANE][0] ^= 1;
    s->x->signature[BAD_LANE - 1][oct_mldsa_size[s->set].signature - 1] ^= 0x80;
    s->x->sk[BAD_LANE][200] ^= 1;
    return !bad && verify(s) == 3u << (BAD_LANE - 1) && expand(s, BAD_LANE) == 1;
}

static size_t workspace_bytes(const struct oct_mldsa_ops *ops, int set)
{
    const size_t a = *ops->set[set].workspace, b = *ops->shake256_workspace;
    return ((a > b ? a : b) + 63) / 64 * 64;
}

int oct_mldsa_known_answer(const struct oct_mldsa_ops *ops, enum oct_mldsa_set set)
{
    struct subject s = {.ops = ops, .set = set, .digest = 0xcbf29ce484222325};
    int good = 0;
    s.x = aligned_alloc(64, (sizeof *s.x + 63) / 64 * 64);
    s.workspace = aligned_alloc(64, workspace_bytes(ops, set));
    if (s.x && s.workspace)
        good = run(&s);
    free(s.workspace);
    free(s.x);
    return good && s.digest == known_answer[set] ? 0 : -1;
}
