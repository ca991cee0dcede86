/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Ed25519 verification around the points of small order, on every table: the kernel with every pair of them in place of
 * public key and commitment and every residue of the challenge, the same added to honest keys and commitments; and
 * every encoding that is not canonical, or of no point. The kernel's equation has no cofactor, so k is to be taken
 * modulo l and not modulo l times anything.
 */
#include "api/ed25519_internal.h"
#include "ed_ref.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>
#include "run_tests.h"

#define TORSION 8
#define LIMBS   OCT_ED25519_LIMBS
#define WIDE    OCT_ED25519_WIDE_LIMBS

static const struct oct_ops *table[OCT_OPS_TABLES];
static unsigned tables;
static struct ed_ref torsion[TORSION]; /* i times a point of order 8 */

static int setup(void **state)
{
    struct ed_ref generator;
    (void)state;
    tables = oct_ops_runnable(table);
    ed_ref_open();
    ed_ref_new(&generator);
    ed_ref_torsion(&generator);
    for (int i = 0; i < TORSION; i++)
        ed_ref_new(&torsion[i]);
    for (int i = 1; i < TORSION; i++)
        ed_ref_add(&torsion[i], &torsion[i - 1], &generator);
    ed_ref_free(&generator);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    for (int i = 0; i < TORSION; i++)
        ed_ref_free(&torsion[i]);
    ed_ref_close();
    return 0;
}

/* One batch for the kernel. */
struct batch {
    oct_limb8 wide[WIDE], s[LIMBS], a[LIMBS], r[LIMBS];
    unsigned lane, wanted;
};

static void put_bits(oct_limb8 *x, unsigned lane, unsigned limbs, unsigned bits, const uint8_t *bytes, unsigned len)
{
    for (unsigned i = 0; i < limbs; i++) {
        x[i][lane] = 0;
        for (unsigned j = 0; j < (i + 1 < limbs || bits == 52 ? bits : 52); j++) {
            const unsigned at = bits * i + j;
            if (at < 8 * len)
                x[i][lane] |= (uint64_t)(bytes[at / 8] >> at % 8 & 1) << j;
        }
    }
}

static void put_number(oct_limb8 *x, unsigned lane, unsigned limbs, const BIGNUM *n)
{
    uint8_t bytes[65];
    assert_true(BN_bn2lebinpad(n, bytes, sizeof bytes) > 0);
    put_bits(x, lane, limbs, 52, bytes, sizeof bytes);
}

static void run_batch(struct batch *b)
{
    for (unsigned t = 0; t < tables; t++) {
        void *workspace = aligned_alloc(64, (*table[t]->ed25519_verify[0].workspace + 63) / 64 * 64);
        const struct oct_ed25519_verify_args args = {workspace, oct_comb25519(table[t]), b->wide, b->s, b->a, b->r};
        assert_true(workspace && args.comb);
        assert_int_equal(table[t]->ed25519_verify[0].run(&args), b->wanted);
        free(workspace);
    }
    b->lane = b->wanted = 0;
}

/* One more lane; the eighth runs the batch. */
static void add_lane(struct batch *b, const BIGNUM *k, const BIGNUM *s, const uint8_t a[32], const uint8_t r[32],
                     int valid)
{
    put_number(b->wide, b->lane, WIDE, k);
    put_number(b->s, b->lane, LIMBS, s);
    put_bits(b->a, b->lane, LIMBS, 51, a, 32);
    put_bits(b->r, b->lane, LIMBS, 51, r, 32);
    b->wanted |= (unsigned)valid << b->lane;
    if (++b->lane == OCT_LANES)
        run_batch(b);
}

/* Every pair of small points added to a key and a commitment, for a challenge k: valid just if R's is -k times A's. */
static void every_pair(struct batch *b, const BIGNUM *k, const BIGNUM *secret, const BIGNUM *nonce)
{
    uint8_t a[TORSION][32], r[TORSION][32];
    struct ed_ref p, base;
    BIGNUM *s = BN_new(), *reduced = BN_new();
    BN_CTX *ctx = BN_CTX_new();
    ed_ref_new(&p);
    ed_ref_new(&base);
    ed_ref_base(&base);
    assert_true(s && reduced && ctx && BN_mod(reduced, k, ed_ref_order, ctx));
    assert_true(BN_mod_mul(s, reduced, secret, ed_ref_order, ctx) && BN_mod_add(s, s, nonce, ed_ref_order, ctx));
    for (int side = 0; side < 2; side++) {
        ed_ref_multiply(&p, side ? nonce : secret, &base);
        for (int i = 0; i < TORSION; i++) {
            struct ed_ref sum;
            ed_ref_new(&sum);
            ed_ref_add(&sum, &p, &torsion[i]);
            ed_ref_encode(side ? r[i] : a[i], &sum);
            ed_ref_free(&sum);
        }
    }
    const unsigned residue = (unsigned)BN_mod_word(reduced, TORSION);
    for (unsigned i = 0; i < TORSION; i++)
        for (unsigned j = 0; j < TORSION; j++)
            add_lane(b, k, s, a[i], r[j], (residue * i + j) % TORSION == 0);
    ed_ref_free(&p);
    ed_ref_free(&base);
    BN_free(s);
    BN_free(reduced);
    BN_CTX_free(ctx);
}

/* k of 0 .. 15, of l - 8 .. l + 7, and of just below 2^512: all residues, even and odd, reduced and not. */
static void every_challenge(const BIGNUM *secret, const BIGNUM *nonce)
{
    struct batch b OCT_ALIGN64 = {.lane = 0};
    BIGNUM *k = BN_new();
    assert_non_null(k);
    for (unsigned i = 0; i < 16; i++) {
        assert_true(BN_set_word(k, i));
        every_pair(&b, k, secret, nonce);
        assert_true(BN_copy(k, ed_ref_order) && BN_sub_word(k, 8) && BN_add_word(k, i));
        every_pair(&b, k, secret, nonce);
        assert_true(BN_one(k) && BN_lshift(k, k, 512) && BN_sub_word(k, i + 1));
        every_pair(&b, k, secret, nonce);
    }
    assert_int_equal(b.lane, 0);
    BN_free(k);
}

/* Nothing but small points: R = -k A, s = 0. */
static void test_small_points(void **state)
{
    BIGNUM *zero = BN_new();
    (void)state;
    assert_true(zero && BN_set_word(zero, 0));
    every_challenge(zero, zero);
    BN_free(zero);
}

static void test_mixed_points(void **state)
{
    BIGNUM *secret = BN_new(), *nonce = BN_new();
    (void)state;
    assert_true(BN_rand_range(secret, ed_ref_order) && BN_rand_range(nonce, ed_ref_order));
    every_challenge(secret, nonce);
    BN_free(secret);
    BN_free(nonce);
}

/* s = 0 and k = 0: any A will do if it is a point, and R has to be the identity. So the verdict is that on the
 * encodings. */
static void check_encoding(struct batch *b, const uint8_t encoding[32], int is_point)
{
    static const uint8_t identity[32] = {1};
    BIGNUM *zero = BN_new();
    assert_true(zero && BN_set_word(zero, 0));
    add_lane(b, zero, zero, encoding, identity, is_point);
    add_lane(b, zero, zero, identity, encoding, is_point && memcmp(encoding, identity, 32) == 0);
    BN_free(zero);
}

/* All of y = p .. 2^255 - 1, with both signs; x = 0 with a sign; and small y of which half are on the curve. */
static void test_encodings(void **state)
{
    struct batch b OCT_ALIGN64 = {.lane = 0};
    uint8_t encoding[32];
    unsigned points = 0;
    (void)state;
    for (int sign = 0; sign < 2; sign++)
        for (unsigned y = 0; y < 19; y++) {
            memset(encoding, 0xff, 32);
            encoding[0] = (uint8_t)(0xed + y);
            encoding[31] = sign ? 0xff : 0x7f;
            check_encoding(&b, encoding, 0);
        }
    for (int sign = 0; sign < 2; sign++) {
        memset(encoding, 0, 32);
        encoding[0] = 1;
        encoding[31] = sign ? 0x80 : 0;
        check_encoding(&b, encoding, !sign);
        memset(encoding, 0xff, 32);
        encoding[0] = 0xec;
        encoding[31] = sign ? 0xff : 0x7f;
        check_encoding(&b, encoding, !sign);
    }
    for (unsigned y = 2; y < 256; y++) {
        struct ed_ref p;
        BIGNUM *number = BN_new();
        ed_ref_new(&p);
        assert_true(number && BN_set_word(number, y));
        const int found = ed_ref_from_y(&p, number);
        memset(encoding, 0, 32);
        encoding[0] = (uint8_t)y;
        encoding[31] = y & 1 ? 0x80 : 0;
        check_encoding(&b, encoding, found);
        points += (unsigned)found;
        ed_ref_free(&p);
        BN_free(number);
    }
    assert_true(points > 80 && points < 180);
    memset(encoding, 0, 32);
    encoding[0] = 1;
    while (b.lane)
        check_encoding(&b, encoding, 1);
}

int main(void)
{
    return RUN_TESTS(setup, teardown, test_small_points, test_mixed_points, test_encodings);
}
