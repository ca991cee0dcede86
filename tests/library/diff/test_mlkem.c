/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * ML-KEM's kernels: every table gives what the portable one gives for an operation alone, in every lane position,
 * with 1 to 8 lanes and hostile neighbours; keys that are none are found, whichever of their numbers is wrong; a
 * ciphertext with any byte changed gives the secret of implicit rejection, by libcrypto's SHAKE256. Unused lanes'
 * outputs are zero.
 */
#include "depth.h"
#include "mlkem_batch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>
#include "run_tests.h"
#include <openssl/evp.h>
#include <openssl/rand.h>

#define OPERATIONS 8

static const struct oct_mlkem_ops *table[OCT_LATTICE_BACKENDS];
static unsigned tables;
static struct mlkem_lane want[OPERATIONS], now[BATCH_LANES];
static void *workspace;

static void zero_is(const uint8_t *p, size_t len)
{
    for (size_t i = 0; i < len; i++)
        assert_int_equal(p[i], 0);
}

/* Key pairs, ciphertexts and secrets, each made alone on the portable table. */
static void make_reference(int set)
{
    for (int i = 0; i < OPERATIONS; i++) {
        struct mlkem_lane *alone[1] = {&want[i]};
        assert_int_equal(RAND_bytes(want[i].d, 3 * SEED_BYTES), 1);
        mlkem_keygen(table[0], set, workspace, alone, 1);
        assert_int_equal(mlkem_check(table[0], set, workspace, alone, 1), 0);
        assert_int_equal(mlkem_encaps(table[0], set, workspace, alone, 1), 0);
        memcpy(now[0].secret, want[i].secret, SEED_BYTES);
        mlkem_decaps(table[0], set, workspace, alone, 1);
        assert_memory_equal(want[i].secret, now[0].secret, SEED_BYTES);
    }
}

/* Lane i works on operation (i + turn), but lane `hostile`, if used, on what is nothing. */
static void check_batch(const struct oct_mlkem_ops *ops, int set, unsigned lanes, unsigned turn, unsigned hostile)
{
    const struct oct_mlkem_size *size = &oct_mlkem_size[set];
    struct mlkem_lane *lane[BATCH_LANES];
    memset(now, 0xff, sizeof now);
    for (unsigned i = 0; i < lanes; i++) {
        const struct mlkem_lane *from = &want[(i + turn) % OPERATIONS];
        lane[i] = &now[i];
        if (i != hostile)
            memcpy(now[i].d, from->d, 3 * SEED_BYTES);
    }
    mlkem_keygen(ops, set, workspace, lane, lanes);
    for (unsigned i = 0; i < lanes; i++) {
        const struct mlkem_lane *from = &want[(i + turn) % OPERATIONS];
        if (i != hostile) {
            assert_memory_equal(now[i].ek, from->ek, size->ek);
            assert_memory_equal(now[i].dk, from->dk, size->dk);
        } else {
            memset(now[i].ek, 0xff, size->ek);
            memset(now[i].dk, 0xff, size->dk);
        }
    }
    const unsigned bad = hostile < lanes ? 1u << hostile : 0;
    assert_int_equal(mlkem_check(ops, set, workspace, lane, lanes), bad);
    assert_int_equal(mlkem_encaps(ops, set, workspace, lane, lanes), bad);
    for (unsigned i = 0; i < lanes; i++)
        if (i == hostile) {
            zero_is(now[i].ct, size->ct);
            zero_is(now[i].secret, SEED_BYTES);
            memset(now[i].ct, 0xff, size->ct);
        } else {
            assert_memory_equal(now[i].ct, want[(i + turn) % OPERATIONS].ct, size->ct);
            assert_memory_equal(now[i].secret, want[(i + turn) % OPERATIONS].secret, SEED_BYTES);
            memset(now[i].secret, 0, SEED_BYTES);
        }
    mlkem_decaps(ops, set, workspace, lane, lanes);
    for (unsigned i = 0; i < lanes; i++)
        if (i != hostile)
            assert_memory_equal(now[i].secret, want[(i + turn) % OPERATIONS].secret, SEED_BYTES);
}

static void test_lanes(void **state)
{
    (void)state;
    for (int set = 0; set < OCT_MLKEM_SETS; set++)
        for (int round = 0; round < (depth_is_quick() ? 1 : 4); round++) {
            make_reference(set);
            for (unsigned t = 0; t < tables; t++)
                for (unsigned lanes = 1; lanes <= BATCH_LANES; lanes++)
                    for (unsigned turn = 0; turn < (t == 0 ? 2 : OPERATIONS); turn++)
                        check_batch(table[t], set, lanes, turn, (turn + (unsigned)round) % (lanes + 1));
        }
}

/* Many keys on both tables: such as need a fourth block for their matrix are among them. */
static void test_many_keys(void **state)
{
    static struct mlkem_lane other[BATCH_LANES];
    struct mlkem_lane *a[BATCH_LANES], *b[BATCH_LANES];
    (void)state;
    for (unsigned i = 0; i < BATCH_LANES; i++) {
        a[i] = &now[i];
        b[i] = &other[i];
    }
    for (int round = 0; round < (depth_is_quick() ? 20 : 200) && tables > 1; round++) {
        const int set = round % OCT_MLKEM_SETS;
        for (unsigned i = 0; i < BATCH_LANES; i++) {
            assert_int_equal(RAND_bytes(now[i].d, 3 * SEED_BYTES), 1);
            memcpy(other[i].d, now[i].d, 3 * SEED_BYTES);
        }
        mlkem_keygen(table[0], set, workspace, a, BATCH_LANES);
        mlkem_keygen(table[1], set, workspace, b, BATCH_LANES);
        for (unsigned i = 0; i < BATCH_LANES; i++)
            assert_memory_equal(now[i].dk, other[i].dk, oct_mlkem_size[set].dk);
    }
}

/* Number `at` of an encapsulation key. */
static void put_number(uint8_t *ek, unsigned at, unsigned number)
{
    uint8_t *p = ek + 3 * (at / 2);
    if (at % 2) {
        p[1] = (uint8_t)((p[1] & 0x0f) | number << 4);
        p[2] = (uint8_t)(number >> 4);
    } else {
        p[0] = (uint8_t)number;
        p[1] = (uint8_t)((p[1] & 0xf0) | number >> 8);
    }
}

/* Each number of a key in turn is q or more, in lanes in turn; q - 1 is good. */
static void test_modulus(void **state)
{
    struct mlkem_lane *lane[BATCH_LANES];
    (void)state;
    for (unsigned i = 0; i < BATCH_LANES; i++)
        lane[i] = &now[i];
    for (unsigned t = 0; t < tables; t++)
        for (int set = 0; set < OCT_MLKEM_SETS; set++) {
            const unsigned numbers = (unsigned)(oct_mlkem_size[set].ek - 32) / 3 * 2;
            memset(now, 0, sizeof now);
            for (unsigned at = 0; at < numbers; at += t == 0 ? 7 : 1) {
                const unsigned i = at % BATCH_LANES, number = at % 3 == 0 ? 4095 : at % 3 == 1 ? 3329 : 3330 + at % 700;
                put_number(now[i].ek, at, number);
                put_number(now[(i + 1) % BATCH_LANES].ek, at, 3328);
                assert_int_equal(mlkem_encaps(table[t], set, workspace, lane, BATCH_LANES), 1u << i);
                zero_is(now[i].ct, oct_mlkem_size[set].ct);
                zero_is(now[i].secret, SEED_BYTES);
                put_number(now[i].ek, at, 0);
            }
        }
}

/* A changed bit anywhere in the hash or in what it is of, and nowhere else, makes a key a bad one. */
static void test_key_hash(void **state)
{
    struct mlkem_lane *lane[BATCH_LANES];
    (void)state;
    for (int set = 0; set < OCT_MLKEM_SETS; set++) {
        const struct oct_mlkem_size *size = &oct_mlkem_size[set];
        make_reference(set);
        for (unsigned i = 0; i < BATCH_LANES; i++)
            lane[i] = &want[i];
        for (unsigned t = 0; t < tables; t++)
            for (size_t at = 0; at < size->dk; at += t == 0 ? 53 : 1) {
                const unsigned i = (unsigned)at % BATCH_LANES;
                const int covered = at >= size->ek - 32 && at < size->dk - 32;
                want[i].dk[at] ^= (uint8_t)(1u << at % 7);
                assert_int_equal(mlkem_check(table[t], set, workspace, lane, BATCH_LANES), covered ? 1u << i : 0);
                want[i].dk[at] ^= (uint8_t)(1u << at % 7);
            }
    }
}

/* SHAKE256 of z and the ciphertext. */
static void rejected(uint8_t secret[SEED_BYTES], const struct mlkem_lane *l, size_t len)
{
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    assert_true(ctx && EVP_DigestInit_ex(ctx, EVP_shake256(), NULL) == 1);
    assert_true(EVP_DigestUpdate(ctx, l->z, SEED_BYTES) == 1 && EVP_DigestUpdate(ctx, l->ct, len) == 1);
    assert_int_equal(EVP_DigestFinalXOF(ctx, secret, SEED_BYTES), 1);
    EVP_MD_CTX_free(ctx);
}

static void test_rejection(void **state)
{
    struct mlkem_lane *lane[BATCH_LANES];
    uint8_t secret[SEED_BYTES];
    (void)state;
    for (int set = 0; set < OCT_MLKEM_SETS; set++) {
        make_reference(set);
        for (unsigned t = 0; t < tables; t++)
            for (size_t at = 0; at < oct_mlkem_size[set].ct; at += t == 0 ? 61 : 1) {
                const unsigned i = (unsigned)at % BATCH_LANES;
                for (unsigned j = 0; j < BATCH_LANES; j++) {
                    now[j] = want[j];
                    lane[j] = &now[j];
                }
                now[i].ct[at] ^= (uint8_t)(1u << at % 7);
                mlkem_decaps(table[t], set, workspace, lane, BATCH_LANES);
                rejected(secret, &now[i], oct_mlkem_size[set].ct);
                for (unsigned j = 0; j < BATCH_LANES; j++)
                    assert_memory_equal(now[j].secret, j == i ? secret : want[j].secret, SEED_BYTES);
            }
    }
}

/* Keys that keep their matrix are the same keys, and give the same secrets, also of ciphertexts that are rejected. */
static void test_kept_matrix(void **state)
{
    struct mlkem_lane *lane[BATCH_LANES];
    uint8_t secret[SEED_BYTES];
    (void)state;
    for (int set = 0; set < OCT_MLKEM_SETS; set++) {
        make_reference(set);
        for (unsigned t = 0; t < tables; t++)
            for (unsigned lanes = 1; lanes <= BATCH_LANES; lanes++) {
                memset(now, 0xa5, sizeof now);
                for (unsigned i = 0; i < lanes; i++) {
                    lane[i] = &now[i];
                    memcpy(now[i].d, want[i].d, 3 * SEED_BYTES);
                    memcpy(now[i].ct, want[i].ct, sizeof now[i].ct);
                }
                now[lanes - 1].ct[lanes] ^= 1;
                mlkem_keygen_kept(table[t], set, workspace, lane, lanes);
                mlkem_decaps_kept(table[t], set, workspace, lane, lanes);
                rejected(secret, &now[lanes - 1], oct_mlkem_size[set].ct);
                for (unsigned i = 0; i < lanes; i++) {
                    assert_memory_equal(now[i].dk, want[i].dk, oct_mlkem_size[set].dk);
                    assert_memory_equal(now[i].secret, i + 1 < lanes ? want[i].secret : secret, SEED_BYTES);
                }
            }
    }
}

/* Outputs of unused lanes become zero; where there are none nothing is written. */
static void test_unused(void **state)
{
    (void)state;
    for (unsigned t = 0; t < tables; t++)
        for (int set = 0; set < OCT_MLKEM_SETS; set++)
            for (unsigned used = 1; used < BATCH_LANES; used++) {
                struct oct_mlkem_keygen_args keygen = {.workspace = workspace, .lanes = used};
                struct oct_mlkem_encaps_args encaps = {.workspace = workspace, .lanes = used};
                struct oct_mlkem_decaps_args decaps = {.workspace = workspace, .lanes = used};
                memset(now, 0xa5, sizeof now);
                for (unsigned i = 0; i < BATCH_LANES; i++) {
                    keygen.d[i] = keygen.z[i] = encaps.m[i] = i < used ? now[i].d : NULL;
                    keygen.ek[i] = now[i].ek;
                    encaps.ek[i] = i < used ? now[i].ek : NULL;
                    keygen.dk[i] = now[i].dk;
                    decaps.dk[i] = i < used ? now[i].dk : NULL;
                    encaps.ct[i] = now[i].ct;
                    decaps.ct[i] = i < used ? now[i].ct : NULL;
                    encaps.secret[i] = decaps.secret[i] = now[i].secret;
                }
                table[t]->set[set].keygen(&keygen);
                assert_int_equal(table[t]->set[set].encaps(&encaps), 0);
                for (unsigned i = used; i < BATCH_LANES; i++) {
                    zero_is(now[i].secret, SEED_BYTES);
                    memset(now[i].secret, 0xa5, SEED_BYTES);
                }
                table[t]->set[set].decaps(&decaps);
                for (unsigned i = used; i < BATCH_LANES; i++) {
                    zero_is(now[i].ek, oct_mlkem_size[set].ek);
                    zero_is(now[i].dk, oct_mlkem_size[set].dk);
                    zero_is(now[i].ct, oct_mlkem_size[set].ct);
                    zero_is(now[i].secret, SEED_BYTES);
                }
            }
}

static void test_known_answer(void **state)
{
    (void)state;
    for (unsigned t = 0; t < tables; t++)
        for (int set = 0; set < OCT_MLKEM_SETS; set++)
            assert_int_equal(oct_mlkem_known_answer(table[t], set), 0);
}

static oct_mlkem_keygen_fn *right;

/* One bit of the last lane's key is wrong. */
static void make_wrong(const struct oct_mlkem_keygen_args *args)
{
    right(args);
    args->dk[args->lanes - 1][100] ^= 4;
}

static unsigned refuse(const struct oct_mlkem_encaps_args *args)
{
    (void)args;
    return 0xff;
}

/* That of key pairs alone finds a fault in making them, and no other. */
static void test_known_pairs(void **state)
{
    (void)state;
    for (unsigned t = 0; t < tables; t++)
        for (int set = 0; set < OCT_MLKEM_SETS; set++) {
            struct oct_mlkem_ops ops = *table[t];
            assert_int_equal(oct_mlkem_known_pairs(&ops, set), 0);
            ops.set[set].encaps = refuse;
            assert_int_equal(oct_mlkem_known_pairs(&ops, set), 0);
            assert_int_not_equal(oct_mlkem_known_answer(&ops, set), 0);
            ops = *table[t];
            right = ops.set[set].keygen;
            ops.set[set].keygen = make_wrong;
            assert_int_not_equal(oct_mlkem_known_pairs(&ops, set), 0);
            assert_int_not_equal(oct_mlkem_known_answer(&ops, set), 0);
        }
}

static int setup(void **state)
{
    size_t size = 0;
    (void)state;
    tables = oct_mlkem_runnable(table);
    for (unsigned t = 0; t < tables; t++)
        for (int set = 0; set < OCT_MLKEM_SETS; set++)
            size = *table[t]->set[set].workspace > size ? *table[t]->set[set].workspace : size;
    workspace = aligned_alloc(64, (size + 63) / 64 * 64);
    return workspace ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    free(workspace);
    return 0;
}

int main(void)
{
    return RUN_TESTS(setup, teardown, test_known_answer, test_known_pairs, test_lanes, test_many_keys, test_modulus,
                     test_key_hash, test_rejection, test_kept_matrix, test_unused);
}
