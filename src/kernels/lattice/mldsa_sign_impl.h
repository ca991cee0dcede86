/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * ML-DSA signatures (FIPS 204, algorithm 7). An attempt succeeds once in four or five times, so lanes are not bound to
 * signatures: each holds a pair of a signature and the number of an attempt. All open signatures have a lane at least;
 * lanes that are left over try the attempts that would come next. Of the attempts of a signature the first good one in
 * order wins, so signatures are those of one attempt after the other.
 */
#ifndef OCT_KERNELS_MLDSA_SIGN_IMPL_H
#define OCT_KERNELS_MLDSA_SIGN_IMPL_H

#include "kernels/lattice/mldsa_ball_impl.h"

/* The least that FIPS 204, appendix C, lets an implementation give up after. */
#define SIGN_ATTEMPTS 814

/* Which lane tries what. Everything here is public. */
struct sign_plan {
    unsigned open;                /* signatures without a good attempt, as bits */
    unsigned signature[V8_LANES]; /* of each lane */
    unsigned attempts[V8_LANES];  /* of each signature, so far */
    unsigned failed;
};

/* The next eight pairs, in the order of attempts for each signature. */
VEC_CHAIN void sign_assign(struct mldsa_workspace *w, struct sign_plan *plan)
{
    unsigned at = 0;
    for (unsigned lane = 0; lane < V8_LANES; lane++) {
        while (!(plan->open >> at & 1))
            at = (at + 1) % V8_LANES;
        plan->signature[lane] = at;
        w->sample.tail[lane] = (uint64_t)L * plan->attempts[at]++;
        at = (at + 1) % V8_LANES;
    }
}

/* The masks' seeds, H(K || rnd || mu), of each signature. */
VEC_CHAIN void sign_seeds(struct mldsa_workspace *w, const struct oct_mldsa_sign_args *args)
{
    keccak_clear(w->state);
    mldsa_load_words(w->state, SEED_WORDS, args->key_seed, args->lanes);
    mldsa_load_words(w->state + SEED_WORDS, SEED_WORDS, args->rnd, args->lanes);
    mldsa_load_words(w->state + 2 * SEED_WORDS, HASH_WORDS, args->mu, args->lanes);
    keccak_pad(w->state, 2 * SEED_WORDS + HASH_WORDS, KECCAK_RATE_SHAKE256, KECCAK_SUFFIX_SHAKE);
    keccak_permute(w->state, w->state);
    mldsa_words_to_rows(w->mask_seed, w->state);
}

/* The seed of masks and mu of each lane's signature. */
VEC_CHAIN void sign_fill_lanes(struct mldsa_workspace *w, const struct oct_mldsa_sign_args *args,
                               const struct sign_plan *plan)
{
    for (unsigned lane = 0; lane < V8_LANES; lane++) {
        memcpy(w->c_seed[lane], w->mask_seed[plan->signature[lane]], ROW_BYTES);
        memcpy(w->mu[lane], args->mu[plan->signature[lane]], OCT_MLDSA_MU_BYTES);
    }
}

/* The masks y of all lanes. Their seeds are where those of challenges will be. */
VEC_CHAIN void sign_masks(struct mldsa_workspace *w)
{
    mldsa_rows_to_words(w->seed, w->c_seed);
    for (unsigned j = 0; j < L; j++) {
        sample_mask(&w->sample, w->seed);
        for (unsigned lane = 0; lane < V8_LANES; lane++) {
            for (int i = 0; i < NTT_VECTORS; i++)
                i32x16_store(w->y[lane][j] + I32X16_LANES * i,
                             code_load_from(w->sample.bytes[lane] + 2 * Z_BITS * i, Z_BITS, GAMMA1), -GAMMA1, GAMMA1);
            w->sample.tail[lane]++;
        }
    }
}

static OCT_NOINLINE void sign_transform_mask(struct mldsa_workspace *w, unsigned lane, unsigned j)
{
    ntt_poly p;
    VEC_UNROLL
    for (int i = 0; i < NTT_VECTORS; i++)
        p[i] = i32x16_load(w->y[lane][j] + I32X16_LANES * i, -GAMMA1, GAMMA1);
    ntt_forward(p);
    ntt_store(w->hat[j], p);
}

/* A row of w = A y: its low part, and the high one encoded. */
static OCT_NOINLINE void sign_commit_row(struct mldsa_workspace *w, const int32_t *row, unsigned lane, unsigned i)
{
    ntt_poly p;
    mldsa_row(p, row, w->hat);
    VEC_UNROLL
    for (int v = 0; v < NTT_VECTORS; v++) {
        const i32x16 high = code_high(p[v]);
        i32x16_store(w->low[lane][i] + I32X16_LANES * v, code_low(p[v], high), -LOWER_MAX, LOWER_MAX);
        i32x16_store_bits(w->high[lane] + W1_BYTES * i + 2 * W_BITS * v, high, W_BITS);
    }
}

VEC_CHAIN void sign_commit(struct mldsa_workspace *w, const int32_t *matrix, unsigned lane)
{
    for (unsigned j = 0; j < L; j++)
        sign_transform_mask(w, lane, j);
    for (unsigned i = 0; i < K; i++)
        sign_commit_row(w, matrix + MLDSA_N * L * i, lane, i);
}

/*
 * The one place where something of an attempt becomes public before it is accepted: that a polynomial has a number out
 * of range, and the attempt is rejected. Each number does that with a probability that does not depend on the key
 * (FIPS 204, 3.1 and the analysis of Dilithium that it is from).
 */
VEC_STEP unsigned sign_declassify_rejected(i32x16 largest, int32_t bound)
{
    return i32x16_any_above_declassify(largest, bound - 1);
}

/* The low part of w - c s2 in the place of w's: 1 if it is too large. */
static OCT_NOINLINE unsigned sign_reject_low(struct mldsa_workspace *w, const int32_t *s2, unsigned lane, unsigned i)
{
    i32x16 largest = i32x16_set1(0);
    ntt_poly p;
    ntt_multiply(p, w->c, s2);
    VEC_UNROLL
    for (int v = 0; v < NTT_VECTORS; v++) {
        int32_t *at = w->low[lane][i] + I32X16_LANES * v;
        const i32x16 low = i32x16_sub(i32x16_load(at, -GAMMA2, GAMMA2), p[v]);
        i32x16_store(at, low, -LOWER_MAX, LOWER_MAX);
        largest = i32x16_max(largest, i32x16_abs(low));
    }
    return sign_declassify_rejected(largest, GAMMA2 - BETA);
}

/* z = y + c s1 in the place of y: 1 if it is too large. */
static OCT_NOINLINE unsigned sign_reject_z(struct mldsa_workspace *w, const int32_t *s1, unsigned lane, unsigned j)
{
    i32x16 largest = i32x16_set1(0);
    ntt_poly p;
    ntt_multiply(p, w->c, s1);
    VEC_UNROLL
    for (int v = 0; v < NTT_VECTORS; v++) {
        int32_t *at = w->y[lane][j] + I32X16_LANES * v;
        const i32x16 z = i32x16_add(i32x16_load(at, -GAMMA1, GAMMA1), p[v]);
        i32x16_store(at, z, -MASKED_MAX, MASKED_MAX);
        largest = i32x16_max(largest, i32x16_abs(z));
    }
    return sign_declassify_rejected(largest, GAMMA1 - BETA);
}

/* The hints of one polynomial: 1 if c t0 is too large. Adds to their number in w->hints. */
static OCT_NOINLINE unsigned sign_reject_hint(struct mldsa_workspace *w, const int32_t *t0, unsigned lane, unsigned i)
{
    i32x16 largest = i32x16_set1(0), sum = i32x16_load(w->hints, 0, MLDSA_N * K);
    ntt_poly p;
    ntt_multiply(p, w->c, t0);
    VEC_UNROLL
    for (int v = 0; v < NTT_VECTORS; v++) {
        const i32x16 high = i32x16_load_bits(w->high[lane] + W1_BYTES * i + 2 * W_BITS * v, W_BITS);
        const i32x16 low = i32x16_load(w->low[lane][i] + I32X16_LANES * v, -LOWER_MAX, LOWER_MAX);
        const i32x16 hint = code_make_hint(i32x16_add(low, p[v]), high);
        i32x16_store_bits(w->hint[i] + 2 * v, hint, 1);
        sum = i32x16_add(sum, hint);
        largest = i32x16_max(largest, i32x16_abs(p[v]));
    }
    i32x16_store(w->hints, sum, 0, 2 * MLDSA_N * K);
    return sign_declassify_rejected(largest, GAMMA2);
}

/* Whether there are more hints than a signature may have: the last way to be rejected. */
VEC_CHAIN unsigned sign_declassify_many_hints(const struct mldsa_workspace *w)
{
    return i32x16_sum_above_declassify(i32x16_load(w->hints, 0, MLDSA_N * K), MLDSA_OMEGA);
}

/* Whether any polynomial of a lane's attempt rejects it, in turn. */
VEC_CHAIN unsigned sign_rejected_by_low(struct mldsa_workspace *w, const int32_t *s2, unsigned lane)
{
    for (unsigned i = 0; i < K; i++)
        if (sign_reject_low(w, s2 + MLDSA_N * i, lane, i))
            return 1;
    return 0;
}
VEC_CHAIN unsigned sign_rejected_by_z(struct mldsa_workspace *w, const int32_t *s1, unsigned lane)
{
    for (unsigned j = 0; j < L; j++)
        if (sign_reject_z(w, s1 + MLDSA_N * j, lane, j))
            return 1;
    return 0;
}
VEC_CHAIN unsigned sign_rejected_by_hints(struct mldsa_workspace *w, const int32_t *t0, unsigned lane)
{
    memset(w->hints, 0, sizeof w->hints);
    for (unsigned i = 0; i < K; i++)
        if (sign_reject_hint(w, t0 + MLDSA_N * i, lane, i))
            return 1;
    return sign_declassify_many_hints(w);
}

/* Whether a lane's attempt is good; z and the hints then are in their places. What rejects most comes first. */
VEC_CHAIN unsigned sign_respond(struct mldsa_workspace *w, const int32_t *secrets, unsigned lane)
{
    const int32_t *s2 = secrets + MLDSA_N * L, *t0 = s2 + MLDSA_N * K;
    ball_transform(w, lane, 0);
    return !sign_rejected_by_low(w, s2, lane) && !sign_rejected_by_z(w, secrets, lane) &&
           !sign_rejected_by_hints(w, t0, lane);
}

/* What an accepted attempt shows to everybody. */
VEC_CHAIN void sign_declassify_accepted(struct mldsa_workspace *w, unsigned lane)
{
    OCT_DECLASSIFY(w->c_seed[lane], MLDSA_C_BYTES);
    OCT_DECLASSIFY(w->y[lane], sizeof w->y[lane]);
    OCT_DECLASSIFY(w->hint, sizeof w->hint);
}

/* FIPS 204, algorithm 20: the places of the hints, and behind these where each polynomial's end. */
static OCT_NOINLINE void sign_encode_hints(uint8_t *to, uint8_t (*hint)[HINT_BYTES])
{
    unsigned n = 0;
    memset(to, 0, MLDSA_OMEGA + K);
    for (unsigned i = 0; i < K; i++) {
        for (unsigned place = 0; place < MLDSA_N; place++)
            if (n < MLDSA_OMEGA && (hint[i][place / 8] >> place % 8 & 1))
                to[n++] = (uint8_t)place;
        to[MLDSA_OMEGA + i] = (uint8_t)n;
    }
}

static OCT_NOINLINE void sign_encode(struct mldsa_workspace *w, uint8_t *signature, unsigned lane)
{
    sign_declassify_accepted(w, lane);
    memcpy(signature, w->c_seed[lane], MLDSA_C_BYTES);
    for (unsigned j = 0; j < L; j++)
        for (int v = 0; v < NTT_VECTORS; v++) {
            const i32x16 z = i32x16_load(w->y[lane][j] + I32X16_LANES * v, BETA - GAMMA1 + 1, GAMMA1 - BETA - 1);
            code_store_from(signature + SIG_Z_AT + Z_BYTES * j + 2 * Z_BITS * v, z, Z_BITS, GAMMA1);
        }
    sign_encode_hints(signature + SIG_HINT_AT, w->hint);
}

/* Eight attempts up to their challenges. */
VEC_CHAIN void sign_attempts(struct mldsa_workspace *w, const struct oct_mldsa_sign_args *args, struct sign_plan *plan)
{
    sign_assign(w, plan);
    sign_fill_lanes(w, args, plan);
    sign_masks(w);
    for (unsigned lane = 0; lane < V8_LANES; lane++)
        sign_commit(w, args->matrix[plan->signature[lane]], lane);
    mldsa_hash_high(w);
    mldsa_words_to_rows(w->c_seed, w->state);
    ball_sample(w, w->state);
}

/* The signatures that have a good attempt now, or too many bad ones, are closed. */
VEC_CHAIN void sign_close(struct mldsa_workspace *w, const struct oct_mldsa_sign_args *args, struct sign_plan *plan)
{
    for (unsigned lane = 0; lane < V8_LANES; lane++) {
        const unsigned i = plan->signature[lane];
        if ((plan->open >> i & 1) && sign_respond(w, args->secrets[i], lane)) {
            sign_encode(w, args->signature[i], lane);
            plan->open &= ~(1u << i);
        }
    }
    for (unsigned i = 0; i < V8_LANES; i++)
        if ((plan->open >> i & 1) && plan->attempts[i] >= SIGN_ATTEMPTS) {
            memset(args->signature[i], 0, SIG_BYTES);
            plan->open &= ~(1u << i);
            plan->failed |= 1u << i;
        }
}

/* Returns the signatures that failed. */
VEC_CHAIN unsigned sign_all(struct mldsa_workspace *w, const struct oct_mldsa_sign_args *args)
{
    struct sign_plan plan = {.open = (1u << args->lanes) - 1};
    while (plan.open) {
        sign_attempts(w, args, &plan);
        sign_close(w, args, &plan);
    }
    return plan.failed;
}

unsigned NAME(MLDSA_SET, sign)(const struct oct_mldsa_sign_args *args)
{
    struct mldsa_workspace *w = args->workspace;
    sign_seeds(w, args);
    const unsigned failed = sign_all(w, args);
    v8_clear_registers();
    return failed;
}

#endif
