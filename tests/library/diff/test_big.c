/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The big numbers behind keys, against libcrypto's: remainders and powers of two, of all lengths that keys have. */
#include "base/big.h"

#include <openssl/bn.h>
#include <openssl/rand.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>
#include "run_tests.h"

#define MAX_WORDS 64

static BN_CTX *ctx;

static int set_up(void **state)
{
    (void)state;
    ctx = BN_CTX_new();
    return ctx == NULL;
}

static int tear_down(void **state)
{
    (void)state;
    BN_CTX_free(ctx);
    return 0;
}

static BIGNUM *number(const uint64_t *words, size_t count)
{
    BIGNUM *n = BN_lebin2bn((const uint8_t *)words, (int)(count * sizeof *words), NULL);
    assert_non_null(n);
    return n;
}

/* A modulus as keys have them: the top bit set; now and then almost a power of two, or little more than half of one. */
static void modulus(uint64_t *m, size_t words, unsigned round)
{
    memset(m, round % 4 == 1 ? 0xff : 0, words * sizeof *m);
    if (round % 4 >= 2)
        assert_int_equal(RAND_bytes((uint8_t *)m, (int)(words * sizeof *m)), 1);
    m[words - 1] |= (uint64_t)1 << 63;
}

static void expect_words(const uint64_t *got, const BIGNUM *want, size_t words)
{
    uint64_t right[MAX_WORDS];
    assert_int_equal(BN_bn2lebinpad(want, (uint8_t *)right, (int)(words * sizeof *right)),
                     (int)(words * sizeof *right));
    assert_memory_equal(got, right, words * sizeof *right);
}

static void try_mod(size_t a_words, size_t words, unsigned round)
{
    uint64_t a[MAX_WORDS], m[MAX_WORDS], r[MAX_WORDS];
    modulus(m, words, round);
    memset(a, 0xff, sizeof a);
    if (round % 3 != 0)
        assert_int_equal(RAND_bytes((uint8_t *)a, (int)(a_words * sizeof *a)), 1);
    oct_big_mod(r, a, a_words, m, words);
    BIGNUM *x = number(a, a_words), *y = number(m, words);
    assert_int_equal(BN_nnmod(x, x, y, ctx), 1);
    expect_words(r, x, words);
    BN_free(x);
    BN_free(y);
}

static void test_mod(void **state)
{
    static const size_t lengths[] = {1, 2, 16, 24, 32};
    (void)state;
    for (unsigned round = 0; round < 24; round++)
        for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
            for (size_t more = 0; more <= lengths[i]; more += 1 + lengths[i] / 4)
                try_mod(lengths[i] + more, lengths[i], round);
}

/* a: 0, 1, m - 1 or anything below m. */
static void try_double(size_t words, size_t times, unsigned round)
{
    uint64_t a[MAX_WORDS] = {round & 1}, m[MAX_WORDS];
    modulus(m, words, round);
    m[0] |= 1;
    BIGNUM *y = number(m, words), *x = number(a, words);
    if (round % 3 == 1)
        assert_int_equal(BN_sub(x, y, BN_value_one()), 1);
    else if (round % 3 == 2)
        assert_int_equal(BN_rand_range(x, y), 1);
    assert_int_equal(BN_bn2lebinpad(x, (uint8_t *)a, (int)(words * sizeof *a)), (int)(words * sizeof *a));
    oct_big_double_mod(a, times, m, words);
    assert_int_equal(BN_mod_lshift(x, x, (int)times, y, ctx), 1);
    expect_words(a, x, words);
    BN_free(x);
    BN_free(y);
}

static void test_double(void **state)
{
    static const size_t lengths[] = {1, 2, 16, 24, 32, 48, 64}, times[] = {1, 2, 3, 64, 97, 1040, 1056, 2112};
    (void)state;
    for (unsigned round = 0; round < 12; round++)
        for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
            for (size_t j = 0; j < sizeof times / sizeof *times; j++)
                try_double(lengths[i], times[j], round);
}

int main(void)
{
    return RUN_TESTS(set_up, tear_down, test_mod, test_double);
}
