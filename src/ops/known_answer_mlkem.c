/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Known-answer tests of ML-KEM, as in known_answer.c: seeds and messages are a stream of splitmix64 from a stated
 * seed, the answer is a digest of eight key pairs, encapsulations and decapsulations, good ones and those that are
 * rejected. tools/check-known-answers computes it anew. A key with a number that is not below q, and a key with a
 * wrong hash, have to be found in their lanes.
 *
 * The digest of the pairs alone is known too: a client's first hello waits for no more than that.
 */
#include "ops/known_answer.h"
#include "ops/mlkem.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define LANES    8
#define SEED     OCT_MLKEM_SEED_BYTES
#define BAD_LANE 3

static const uint64_t known_answer[OCT_MLKEM_SETS] = {
    [OCT_MLKEM_768] = 0x3d1f036ac7a0563b,
    [OCT_MLKEM_1024] = 0xc5e9b37807517e33,
};
enum { PAIRS_768 = OCT_MLKEM_768, PAIRS_1024 = OCT_MLKEM_1024 };
static const uint64_t known_pairs[OCT_MLKEM_SETS] = {
    [PAIRS_768] = 0x88459e530419c6b4,
    [PAIRS_1024] = 0xf1260f345f8aefcf,
};

struct numbers {
    uint8_t d[LANES][SEED], z[LANES][SEED], m[LANES][SEED], secret[LANES][SEED];
    uint8_t ek[LANES][OCT_MLKEM_MAX_EK_BYTES], dk[LANES][OCT_MLKEM_MAX_DK_BYTES], ct[LANES][OCT_MLKEM_MAX_CT_BYTES];
};

struct subject {
    const struct oct_mlkem_ops *ops;
    struct numbers *x;
    void *workspace;
    enum oct_mlkem_set set;
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
    struct oct_mlkem_keygen_args args = {.workspace = s->workspace, .lanes = LANES};
    uint64_t stream = 0x6f637475706c65a0 + (uint64_t)s->set;
    for (int i = 0; i < LANES; i++) {
        oct_known_draw_bytes(s->x->d[i], SEED, &stream);
        oct_known_draw_bytes(s->x->z[i], SEED, &stream);
        oct_known_draw_bytes(s->x->m[i], SEED, &stream);
        args.d[i] = s->x->d[i];
        args.z[i] = s->x->z[i];
        args.ek[i] = s->x->ek[i];
        args.dk[i] = s->x->dk[i];
    }
    s->ops->set[s->set].keygen(&args);
    add(s, s->x->ek[0], sizeof s->x->ek[0], oct_mlkem_size[s->set].ek);
    add(s, s->x->dk[0], sizeof s->x->dk[0], oct_mlkem_size[s->set].dk);
}

static unsigned encapsulate(struct subject *s)
{
    struct oct_mlkem_encaps_args args = {.workspace = s->workspace, .lanes = LANES};
    for (int i = 0; i < LANES; i++) {
        args.ek[i] = s->x->ek[i];
        args.m[i] = s->x->m[i];
        args.ct[i] = s->x->ct[i];
        args.secret[i] = s->x->secret[i];
    }
    const unsigned bad = s->ops->set[s->set].encaps(&args);
    add(s, s->x->ct[0], sizeof s->x->ct[0], oct_mlkem_size[s->set].ct);
    add(s, s->x->secret[0], SEED, SEED);
    return bad;
}

static void decapsulate(struct subject *s)
{
    struct oct_mlkem_decaps_args args = {.workspace = s->workspace, .lanes = LANES};
    for (int i = 0; i < LANES; i++) {
        args.dk[i] = s->x->dk[i];
        args.ct[i] = s->x->ct[i];
        args.secret[i] = s->x->secret[i];
    }
    s->ops->set[s->set].decaps(&args);
    add(s, s->x->secret[0], SEED, SEED);
}

static unsigned check_keys(struct subject *s)
{
    struct oct_mlkem_check_args args = {.workspace = s->workspace, .lanes = LANES};
    for (int i = 0; i < LANES; i++)
        args.dk[i] = s->x->dk[i];
    return s->ops->set[s->set].check(&args);
}

/* The masks of what is invalid, once of good keys, once of bad ones, which give zeros. */
static bool run_all(struct subject *s)
{
    bool good = check_keys(s) == 0 && encapsulate(s) == 0;
    decapsulate(s);
    for (int lane = 0; lane < LANES; lane++)
        s->x->ct[lane][0] ^= 1;
    decapsulate(s);
    s->x->dk[BAD_LANE][oct_mlkem_size[s->set].dk - 64] ^= 1;
    memset(s->x->ek[BAD_LANE], 0xff, 3);
    good &= check_keys(s) == 1u << BAD_LANE;
    good &= encapsulate(s) == 1u << BAD_LANE;
    return good && s->digest == known_answer[s->set];
}

static int run(const struct oct_mlkem_ops *ops, enum oct_mlkem_set set, bool pairs_only)
{
    struct subject s = {.ops = ops, .set = set, .digest = 0xcbf29ce484222325};
    bool good = false;
    s.x = aligned_alloc(64, (sizeof *s.x + 63) / 64 * 64);
    s.workspace = aligned_alloc(64, (*ops->set[set].workspace + 63) / 64 * 64);
    if (s.x && s.workspace) {
        make_keys(&s);
        good = s.digest == known_pairs[set] && (pairs_only || run_all(&s));
    }
    free(s.workspace);
    free(s.x);
    return good ? 0 : -1;
}

int oct_mlkem_known_answer(const struct oct_mlkem_ops *ops, enum oct_mlkem_set set)
{
    return run(ops, set, false);
}

int oct_mlkem_known_pairs(const struct oct_mlkem_ops *ops, enum oct_mlkem_set set)
{
    return run(ops, set, true);
}
