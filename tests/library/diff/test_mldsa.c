/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * ML-DSA's kernels: every table gives what the portable one gives for an operation alone, in every lane position, with
 * 1 to 8 lanes, however attempts share them. A signature with any byte changed is not valid, in its lane alone, and nor
 * is one whose hints are malformed; a private key with any byte changed is none. SHAKE256 of messages of all lengths is
 * libcrypto's.
 */
#include "depth.h"
#include "mldsa_batch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include "run_tests.h"
#include <openssl/evp.h>
#include <openssl/rand.h>

#define OPERATIONS 8
#define MESSAGE    700

static const struct oct_mldsa_ops *table[OCT_LATTICE_BACKENDS];
static unsigned tables;
static struct mldsa_lane want[OPERATIONS], now[BATCH_LANES], *lane[BATCH_LANES];
static void *workspace;

/* Keys and signatures, each made alone on the portable table. */
static void make_reference(int set)
{
    for (int i = 0; i < OPERATIONS; i++) {
        struct mldsa_lane *alone[1] = {&want[i]};
        assert_int_equal(RAND_bytes(want[i].seed, SEED_BYTES), 1);
        assert_int_equal(RAND_bytes(want[i].rnd, SEED_BYTES), 1);
        assert_int_equal(RAND_bytes(want[i].mu, OCT_MLDSA_MU_BYTES), 1);
        mldsa_keygen(table[0], set, workspace, alone, 1);
        assert_int_equal(mldsa_expand(table[0], set, workspace, alone, 1), 0);
        assert_int_equal(mldsa_sign(table[0], set, workspace, alone, 1), 0);
        assert_int_equal(mldsa_verify(table[0], set, workspace, alone, 1, 1), 0);
    }
}

/* Lane i works on operation i + turn: all outputs, from seeds to verdicts. */
static void check_batch(const struct oct_mldsa_ops *ops, int set, unsigned lanes, unsigned turn)
{
    const struct oct_mldsa_size *size = &oct_mldsa_size[set];
    memset(now, 0xff, sizeof now);
    for (unsigned i = 0; i < lanes; i++) {
        const struct mldsa_lane *from = &want[(i + turn) % OPERATIONS];
        memcpy(now[i].seed, from->seed, SEED_BYTES);
        memcpy(now[i].rnd, from->rnd, SEED_BYTES);
        memcpy(now[i].mu, from->mu, OCT_MLDSA_MU_BYTES);
    }
    mldsa_keygen(ops, set, workspace, lane, lanes);
    for (unsigned i = 0; i < lanes; i++)
        assert_memory_equal(now[i].pk, want[(i + turn) % OPERATIONS].pk, size->pk);
    assert_int_equal(mldsa_verify(ops, set, workspace, lane, lanes, 0), (1u << lanes) - 1);
    assert_int_equal(mldsa_expand(ops, set, workspace, lane, lanes), 0);
    assert_int_equal(mldsa_sign(ops, set, workspace, lane, lanes), 0);
    for (unsigned i = 0; i < lanes; i++) {
        const struct mldsa_lane *from = &want[(i + turn) % OPERATIONS];
        assert_memory_equal(now[i].sk, from->sk, size->sk);
        assert_memory_equal(now[i].pk, from->pk, size->pk);
        assert_memory_equal(now[i].matrix, from->matrix, size->matrix * sizeof from->matrix[0]);
        assert_memory_equal(now[i].signature, from->signature, size->signature);
    }
    assert_int_equal(mldsa_verify(ops, set, workspace, lane, lanes, 0), 0);
    assert_int_equal(mldsa_verify(ops, set, workspace, lane, lanes, 1), 0);
}

static void test_lanes(void **state)
{
    (void)state;
    for (int set = 0; set < OCT_MLDSA_SETS; set++)
        for (int round = 0; round < (depth_is_quick() ? 1 : 4); round++) {
            make_reference(set);
            for (unsigned t = 0; t < tables; t++)
                for (unsigned lanes = 1; lanes <= BATCH_LANES; lanes++)
                    for (unsigned turn = 0; turn < (t == 0 ? 1 : OPERATIONS); turn++)
                        check_batch(table[t], set, lanes, turn);
        }
}

/* One key in all lanes, and the same message in two: signatures are equal where inputs are. */
static void test_one_key(void **state)
{
    (void)state;
    make_reference(OCT_MLDSA_44);
    for (unsigned t = 0; t < tables; t++) {
        for (unsigned i = 0; i < BATCH_LANES; i++) {
            now[i] = want[0];
            now[i].mu[0] ^= (uint8_t)(i / 2);
        }
        assert_int_equal(mldsa_sign(table[t], OCT_MLDSA_44, workspace, lane, BATCH_LANES), 0);
        for (unsigned i = 0; i < BATCH_LANES; i += 2) {
            assert_memory_equal(now[i].signature, now[i + 1].signature, oct_mldsa_size[OCT_MLDSA_44].signature);
            if (i > 0)
                assert_memory_not_equal(now[i].signature, now[0].signature, 32);
        }
        assert_memory_equal(now[0].signature, want[0].signature, oct_mldsa_size[OCT_MLDSA_44].signature);
    }
}

static void fill_now(void)
{
    for (unsigned i = 0; i < BATCH_LANES; i++)
        now[i] = want[i];
}

/* Every byte of a signature changed in turn, in lanes in turn, and every bit of mu. */
static void test_changed(void **state)
{
    (void)state;
    for (int set = 0; set < OCT_MLDSA_SETS; set++) {
        make_reference(set);
        fill_now();
        for (unsigned t = 0; t < tables; t++)
            for (size_t at = 0; at < oct_mldsa_size[set].signature; at += t == 0 ? 211 : 1) {
                const unsigned i = (unsigned)at % BATCH_LANES;
                now[i].signature[at] ^= (uint8_t)(1u << at % 8);
                assert_int_equal(mldsa_verify(table[t], set, workspace, lane, BATCH_LANES, 1), 1u << i);
                now[i].signature[at] ^= (uint8_t)(1u << at % 8);
                now[i].mu[at % OCT_MLDSA_MU_BYTES] ^= 1;
                if (at % 16 == 0)
                    assert_int_equal(mldsa_verify(table[t], set, workspace, lane, BATCH_LANES, 0), 1u << i);
                now[i].mu[at % OCT_MLDSA_MU_BYTES] ^= 1;
            }
    }
}

/* Where the hints of a set begin, and how many places and polynomials they have. */
static const struct {
    size_t places, polynomials;
} hints[OCT_MLDSA_SETS] = {{80, 4}, {55, 6}};

static unsigned verdict(unsigned t, int set)
{
    const unsigned bad = mldsa_verify(table[t], set, workspace, lane, 1, 1);
    now[0] = want[0];
    return bad;
}

/* The same hints in another encoding: places in another order, twice, behind the last; ends that fall or are too far.
 */
static void test_hints(void **state)
{
    (void)state;
    for (unsigned t = 0; t < tables; t++)
        for (int set = 0; set < OCT_MLDSA_SETS; set++) {
            make_reference(set);
            fill_now();
            uint8_t *places =
                now[0].signature + oct_mldsa_size[set].signature - hints[set].places - hints[set].polynomials;
            uint8_t *ends = places + hints[set].places;
            const size_t last = hints[set].polynomials - 1;
            assert_int_equal(verdict(t, set), 0);
            const uint8_t first = places[0];
            if (ends[0] >= 2) {
                places[0] = places[1];
                places[1] = first;
                assert_int_equal(verdict(t, set), 1);
                places[1] = places[0];
                assert_int_equal(verdict(t, set), 1);
            }
            if (ends[last] < hints[set].places) {
                places[hints[set].places - 1] = 1;
                assert_int_equal(verdict(t, set), 1);
                ends[last]++;
                assert_int_equal(verdict(t, set), 1);
            }
            ends[last] = (uint8_t)(hints[set].places + 1);
            assert_int_equal(verdict(t, set), 1);
            ends[last] = 255;
            assert_int_equal(verdict(t, set), 1);
            ends[0] = (uint8_t)(ends[1] + 1);
            assert_int_equal(verdict(t, set), 1);
        }
}

/* Every byte of a private key changed in turn: but for K, which nothing else knows of, no such key fits. */
static void test_private_keys(void **state)
{
    (void)state;
    for (int set = 0; set < OCT_MLDSA_SETS; set++) {
        make_reference(set);
        fill_now();
        for (unsigned t = 0; t < tables; t++)
            for (size_t at = 0; at < oct_mldsa_size[set].sk; at += t == 0 ? 97 : 1) {
                const int is_k = at >= OCT_MLDSA_SK_K_AT && at < OCT_MLDSA_SK_TR_AT;
                now[0].sk[at] ^= (uint8_t)(1u << at % 8);
                assert_int_equal(mldsa_expand(table[t], set, workspace, lane, 1), !is_k);
                now[0].sk[at] ^= (uint8_t)(1u << at % 8);
            }
    }
}

static void shake256(uint8_t out[64], const uint8_t *message, size_t len)
{
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    assert_true(ctx && EVP_DigestInit_ex(ctx, EVP_shake256(), NULL) == 1);
    assert_true(EVP_DigestUpdate(ctx, message, len) == 1 && EVP_DigestFinalXOF(ctx, out, 64) == 1);
    EVP_MD_CTX_free(ctx);
}

/* Messages of all lengths up to five blocks, eight different ones at a time, cut in two anywhere. */
static void test_hash(void **state)
{
    static uint8_t message[BATCH_LANES][MESSAGE], out[BATCH_LANES][64], expected[64];
    (void)state;
    assert_int_equal(RAND_bytes(message[0], sizeof message), 1);
    for (unsigned t = 0; t < tables; t++)
        for (size_t len = 0; len < MESSAGE; len++) {
            const unsigned lanes = 1 + (unsigned)len % BATCH_LANES;
            struct oct_shake256_args args = {.workspace = workspace, .lanes = lanes};
            for (unsigned i = 0; i < lanes; i++) {
                const size_t own = (len + 97 * i) % MESSAGE, cut = own * i / BATCH_LANES;
                args.head[i] = cut ? message[i] : NULL;
                args.head_len[i] = cut;
                args.body[i] = own > cut ? message[i] + cut : NULL;
                args.body_len[i] = own - cut;
                args.out[i] = out[i];
            }
            table[t]->shake256(&args);
            for (unsigned i = 0; i < lanes; i++) {
                shake256(expected, message[i], (len + 97 * i) % MESSAGE);
                assert_memory_equal(out[i], expected, sizeof expected);
            }
        }
}

static void test_known_answer(void **state)
{
    (void)state;
    for (unsigned t = 0; t < tables; t++)
        for (int set = 0; set < OCT_MLDSA_SETS; set++)
            assert_int_equal(oct_mldsa_known_answer(table[t], set), 0);
}

static int setup(void **state)
{
    (void)state;
    tables = oct_mldsa_runnable(table);
    workspace = mldsa_workspace(table[tables - 1]);
    for (unsigned i = 0; i < BATCH_LANES; i++)
        lane[i] = &now[i];
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    free(workspace);
    return 0;
}

int main(void)
{
    return RUN_TESTS(setup, teardown, test_known_answer, test_lanes, test_one_key, test_changed, test_hints,
                     test_private_keys, test_hash);
}
