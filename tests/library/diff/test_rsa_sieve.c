/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The parts of RSA key generation, each against libcrypto: the sieve on numbers with one small divisor and with none;
 * the strong test of the kernel, on primes with many factors 2 below them, on composites, and with bases that lie; what
 * is derived of p and q, also where p-1 and q-1 have much in common.
 */
#include "depth.h"
#include "api/rsa_derive.h"
#include "api/rsa_internal.h"
#include "api/rsa_sieve.h"
#include "base/big.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include "run_tests.h"
#include <openssl/bn.h>

static BN_CTX *ctx;
static const struct oct_ops *table[OCT_OPS_TABLES];
static unsigned tables;

static void to_words(uint64_t *word, size_t words, const BIGNUM *x)
{
    uint8_t bytes[8 * OCT_BIG_MAX_WORDS];
    assert_int_equal(BN_bn2binpad(x, bytes, (int)(8 * words)), 8 * words);
    (void)oct_big_from_bytes(word, words, bytes, 8 * words);
}

static BIGNUM *from_words(const uint64_t *word, size_t words)
{
    uint8_t bytes[8 * OCT_BIG_MAX_WORDS];
    oct_big_to_bytes(bytes, 8 * words, word, words);
    return BN_bin2bn(bytes, (int)(8 * words), NULL);
}

/* Whether an odd prime below OCT_SIEVE_END divides x, one after the other. */
static bool has_small_divisor(const BIGNUM *x)
{
    for (BN_ULONG d = 3; d < OCT_SIEVE_END; d += 2)
        if (BN_mod_word(x, d) == 0)
            return true;
    return false;
}

static void test_sieve(void **state)
{
    static struct oct_rsa_sieve sieve;
    uint64_t word[OCT_SIEVE_WORDS];
    BIGNUM *x = BN_new();
    unsigned passed = 0, counted = 0;
    (void)state;
    for (size_t words = 16; words <= 32; words += 8) {
        oct_rsa_sieve_make(&sieve, words);
        for (unsigned i = 0; i < amount(1000, 300, 100); i++, counted++) {
            BN_rand(x, (int)(64 * words), BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ODD);
            to_words(word, words, x);
            const bool passes = oct_rsa_sieve_passes(&sieve, word);
            assert_int_equal(passes, !has_small_divisor(x));
            passed += passes;
        }
    }
    print_message("%u of %u passed\n", passed, counted);
    assert_true(passed > 0);
    BN_free(x);
}

/* Each prime of the sieve by itself: a prime of nearly full length times that. */
static void test_sieve_knows_each(void **state)
{
    static struct oct_rsa_sieve sieve;
    uint64_t word[16];
    BIGNUM *big = BN_new(), *x = BN_new();
    unsigned known = 0;
    (void)state;
    oct_rsa_sieve_make(&sieve, 16);
    assert_true(BN_generate_prime_ex(big, 1000, 0, NULL, NULL, NULL));
    to_words(word, 16, big);
    assert_true(oct_rsa_sieve_passes(&sieve, word));
    for (BN_ULONG d = 3; d < 18000; d += 2) {
        BN_copy(x, big);
        assert_true(BN_mul_word(x, d));
        to_words(word, 16, x);
        bool is_prime = true;
        for (BN_ULONG f = 3; f * f <= d; f += 2)
            is_prime = is_prime && d % f != 0;
        if (is_prime && d < OCT_SIEVE_END)
            known++;
        if (is_prime)
            assert_int_equal(oct_rsa_sieve_passes(&sieve, word), d >= OCT_SIEVE_END);
    }
    assert_int_equal(known, OCT_SIEVE_PRIMES);
    BN_free(big);
    BN_free(x);
}

/* Miller-Rabin as FIPS 186-5 has it. */
static bool is_strong(const BIGNUM *n, const BIGNUM *base)
{
    BIGNUM *minus = BN_dup(n), *odd = BN_new(), *z = BN_new();
    bool strong = false;
    int twos = 0;
    BN_sub_word(minus, 1);
    while (!BN_is_bit_set(minus, twos))
        twos++;
    BN_rshift(odd, minus, twos);
    BN_mod_exp(z, base, odd, n, ctx);
    strong = BN_is_one(z);
    for (int i = 0; i < twos && !strong; i++) {
        strong = BN_cmp(z, minus) == 0;
        BN_mod_sqr(z, z, n, ctx);
    }
    BN_free(minus);
    BN_free(odd);
    BN_free(z);
    return strong;
}

/* Eight moduli on each of two sides, their exponents and bases, and what the kernel makes of them. */
struct batch {
    OCT_ALIGN64 oct_limb8 n[2][40], rr[2][40], exp[2][40], base[2][40], power[2][40], k0[2][1], strong[2][1];
    BIGNUM *number[16], *exponent[16], *witness[16];
};

static void put(oct_limb8 *x, unsigned lane, size_t limbs, const BIGNUM *bn, size_t words)
{
    uint64_t word[OCT_BIG_MAX_WORDS], limb[40];
    to_words(word, words, bn);
    oct_big_to_limbs52(limb, limbs, word, words);
    for (size_t i = 0; i < limbs; i++)
        x[i][lane] = limb[i];
}

static void run_batch(const struct oct_ops *ops, unsigned size, struct batch *b, unsigned vectors)
{
    const size_t limbs = oct_rsa_prime_limbs(size), words = oct_rsa_bits(size) / 128;
    struct oct_rsa_strong_args args = {.crt.vectors = vectors};
    args.crt.workspace = aligned_alloc(64, (*ops->rsa_crt[size].workspace + 63) / 64 * 64);
    for (unsigned i = 0; i < 8 * vectors; i++) {
        uint64_t word[OCT_BIG_MAX_WORDS], rr[40];
        to_words(word, words, b->number[i]);
        oct_rsa_set_rr(rr, limbs, word, words);
        put(b->n[i / 8], i % 8, limbs, b->number[i], words);
        put(b->exp[i / 8], i % 8, limbs, b->exponent[i], words);
        put(b->base[i / 8], i % 8, limbs, b->witness[i], words + 1);
        for (size_t j = 0; j < limbs; j++)
            b->rr[i / 8][j][i % 8] = rr[j];
        b->k0[i / 8][0][i % 8] = oct_big_montgomery_k0(word[0]);
    }
    for (unsigned v = 0; v < vectors; v++) {
        args.crt.side[v].n = b->n[v];
        args.crt.side[v].rr = b->rr[v];
        args.crt.side[v].k0 = b->k0[v];
        args.crt.side[v].exp = b->exp[v];
        args.crt.side[v].c = b->base[v];
        args.result[v].power = b->power[v];
        args.result[v].strong = b->strong[v];
    }
    ops->rsa_keygen[size].run(&args);
    free(args.crt.workspace);
}

/* A prime p of so many bits with exactly `twos` factors 2 in p - 1. */
static void prime_above_twos(BIGNUM *p, int bits, int twos)
{
    do {
        BN_rand(p, bits, BN_RAND_TOP_TWO, BN_RAND_BOTTOM_ANY);
        for (int i = 1; i < twos; i++)
            BN_clear_bit(p, i);
        BN_set_bit(p, 0);
        BN_set_bit(p, twos);
    } while (BN_check_prime(p, ctx, NULL) != 1);
}

/* Lane i: 0..7 primes with other numbers of twos, 8 a product of two primes, 9 any odd composite, 10 a prime with the
 * largest base, 11 to 13 composites with bases 1, -1 and 0, 14 a prime beyond what the test looks at, 15 another
 * exponent. Large primes are dear: where `few` are wanted, some come twice. */
static void fill_batch(struct batch *b, int bits, unsigned round, bool few)
{
    static const int twos[8] = {1, 4, 10, 15, 2, 3, 7, 14};
    for (unsigned i = 0; i < 16; i++) {
        b->number[i] = BN_new();
        b->witness[i] = BN_new();
        if (few && ((i >= 4 && i < 8) || i == 10 || i == 15))
            BN_copy(b->number[i], b->number[i % 4]);
        else if (i < 8)
            prime_above_twos(b->number[i], bits, twos[(i + round) % 8]);
        else if (i == 10 || i == 14 || i == 15)
            prime_above_twos(b->number[i], bits, i == 14 ? 17 : 1 + (int)round % 3);
        else
            do /* one in some hundred odd numbers is a prime */
                BN_rand(b->number[i], bits, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ODD);
            while (BN_check_prime(b->number[i], ctx, NULL) == 1);
        BN_rand(b->witness[i], bits + OCT_RSA_BASE_BITS, BN_RAND_TOP_ANY, BN_RAND_BOTTOM_ANY);
        b->exponent[i] = BN_dup(b->number[i]);
        BN_sub_word(b->exponent[i], 1);
    }
    BIGNUM *p = BN_new(), *q = BN_new();
    BN_generate_prime_ex(p, bits / 2, 0, NULL, NULL, NULL);
    BN_generate_prime_ex(q, bits / 2, 0, NULL, NULL, NULL);
    BN_mul(b->number[8], p, q, ctx);
    BN_copy(b->exponent[8], b->number[8]);
    BN_sub_word(b->exponent[8], 1);
    BN_free(p);
    BN_free(q);
    BN_one(b->witness[10]);
    BN_lshift(b->witness[10], b->witness[10], bits + OCT_RSA_BASE_BITS);
    BN_sub_word(b->witness[10], 1);
    BN_one(b->witness[11]);
    BN_copy(b->witness[12], b->exponent[12]);
    BN_zero(b->witness[13]);
    BN_rand(b->exponent[15], bits, BN_RAND_TOP_ANY, BN_RAND_BOTTOM_ANY);
}

static void check_batch(const struct batch *b, size_t limbs, unsigned lanes, unsigned *strong)
{
    BIGNUM *want = BN_new();
    for (unsigned i = 0; i < lanes; i++) {
        uint64_t limb[40], word[32];
        for (size_t j = 0; j < limbs; j++)
            limb[j] = b->power[i / 8][j][i % 8];
        oct_big_from_limbs52(word, 32, limb, limbs);
        BIGNUM *power = from_words(word, 32);
        BN_mod_exp(want, b->witness[i], b->exponent[i], b->number[i], ctx);
        assert_int_equal(BN_cmp(power, want), 0);
        if (i < 14)
            assert_int_equal(b->strong[i / 8][0][i % 8], is_strong(b->number[i], b->witness[i]));
        *strong += i < 14 && b->strong[i / 8][0][i % 8];
        BN_free(power);
    }
    BN_free(want);
}

static void test_strong(void **state)
{
    static struct batch b;
    (void)state;
    for (unsigned size = 0; size < OCT_RSA_SIZES; size++)
        for (unsigned round = 0; round < amount(3, 1, 1); round++) {
            fill_batch(&b, (int)oct_rsa_bits(size) / 2, round, size > 0 && !depth_is_exhaustive());
            /* In brief the portable table has the smallest size alone. */
            for (unsigned t = table[0] == &oct_ops_c && size > 0 && depth_is_quick(); t < tables; t++)
                for (unsigned vectors = 1; vectors <= 2; vectors++) {
                    unsigned strong = 0;
                    run_batch(table[t], size, &b, vectors);
                    check_batch(&b, oct_rsa_prime_limbs(size), 8 * vectors, &strong);
                    assert_int_equal(strong, vectors == 1 ? 8 : 11); /* the primes, and the bases 1 and -1 */
                }
            for (unsigned i = 0; i < 16; i++) {
                BN_free(b.number[i]);
                BN_free(b.exponent[i]);
                BN_free(b.witness[i]);
            }
        }
}

/* What is derived of odd numbers p and q, prime or not: lcm, d, and its rests. */
static void check_derived(const BIGNUM *p, const BIGNUM *q, size_t words)
{
    static struct oct_rsa_derived r;
    uint64_t pw[32], qw[32];
    BIGNUM *p1 = BN_dup(p), *q1 = BN_dup(q), *gcd = BN_new(), *lcm = BN_new(), *want = BN_new(), *e = BN_new();
    to_words(pw, words, p);
    to_words(qw, words, q);
    BN_sub_word(p1, 1);
    BN_sub_word(q1, 1);
    BN_set_word(e, OCT_RSA_E);
    assert_int_equal(oct_rsa_mod_e(pw, words), BN_mod_word(p, OCT_RSA_E));
    if (BN_mod_word(p1, OCT_RSA_E) != 0 && BN_mod_word(q1, OCT_RSA_E) != 0) {
        const uint64_t is_long = oct_rsa_derive(&r, pw, qw, words);
        BIGNUM *d = from_words(r.d, 2 * words), *n = from_words(r.n, 2 * words);
        BN_gcd(gcd, p1, q1, ctx);
        BN_mul(lcm, p1, q1, ctx);
        BN_div(lcm, NULL, lcm, gcd, ctx);
        assert_non_null(BN_mod_inverse(want, e, lcm, ctx));
        assert_int_equal(BN_cmp(d, want), 0);
        assert_int_equal(is_long & 1, (size_t)BN_num_bits(d) > 64 * words);
        BN_mul(want, p, q, ctx);
        assert_int_equal(BN_cmp(n, want), 0);
        for (int i = 0; i < 2; i++) {
            BIGNUM *exp = from_words(r.exp[i], words);
            BN_mod(want, d, i == 0 ? p1 : q1, ctx);
            assert_int_equal(BN_cmp(exp, want), 0);
            BN_free(exp);
        }
        BN_free(d);
        BN_free(n);
    }
    BIGNUM *all[] = {p1, q1, gcd, lcm, want, e};
    for (size_t i = 0; i < OCT_ARRAY_LEN(all); i++)
        BN_free(all[i]);
}

/* x = 1 + common * random, of full length. */
static void with_factor(BIGNUM *x, const BIGNUM *common, int bits)
{
    do {
        BN_rand(x, bits - BN_num_bits(common) + 1, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ANY);
        BN_mul(x, x, common, ctx);
        BN_add_word(x, 1);
    } while (BN_num_bits(x) != bits);
}

static void test_derive(void **state)
{
    BIGNUM *p = BN_new(), *q = BN_new(), *common = BN_new();
    (void)state;
    for (int bits = 1024; bits <= 2048; bits += 512)
        for (int length = 2; length < bits - 4; length += bits / 32) {
            BN_rand(common, length, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ANY);
            BN_clear_bit(common, 0);
            for (int i = 15; i < length; i++) /* fewer than sixteen factors 2, as the sieve sees to */
                if (i == 15 && length > 16)
                    BN_set_bit(common, 13);
            do
                with_factor(p, common, bits);
            while (BN_mod_word(p, 1u << 16) == 1);
            with_factor(q, common, bits);
            check_derived(p, q, (size_t)bits / 64);
        }
    BN_free(p);
    BN_free(q);
    BN_free(common);
}

/* Just as far apart as they must be, and one less. */
static void test_far_apart(void **state)
{
    (void)state;
    for (size_t words = 16; words <= 32; words += 8) {
        uint64_t p[32] = {1}, q[32] = {1};
        const size_t bit = 64 * words - OCT_RSA_MIN_APART;
        p[words - 1] = q[words - 1] = (uint64_t)3 << 62;
        assert_int_equal(oct_rsa_far_apart(p, q, words), 0);
        p[bit / 64] += (uint64_t)1 << bit % 64;
        assert_int_equal(oct_rsa_far_apart(p, q, words), 0);
        assert_int_equal(oct_rsa_far_apart(q, p, words), 0);
        p[0] += 2;
        assert_int_equal(oct_rsa_far_apart(p, q, words), ~(uint64_t)0);
        assert_int_equal(oct_rsa_far_apart(q, p, words), ~(uint64_t)0);
    }
}

static int make(void **state)
{
    (void)state;
    tables = oct_ops_runnable(table);
    ctx = BN_CTX_new();
    return ctx == NULL;
}

static int unmake(void **state)
{
    (void)state;
    BN_CTX_free(ctx);
    return 0;
}

int main(void)
{
    return RUN_TESTS(make, unmake, test_sieve, test_sieve_knows_each, test_strong, test_derive, test_far_apart);
}
