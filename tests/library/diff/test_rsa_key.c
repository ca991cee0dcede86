/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Keys and calls that are not right: each gives its documented error and touches nothing else. */
#include "api/rsa_internal.h"
#include "rsa_keys.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>
#include "run_tests.h"

static struct test_rsa good[OCT_RSA_SIZES];
static struct oct_rsa_key *const untouched = (struct oct_rsa_key *)0x1234;

static int make(void **state)
{
    (void)state;
    for (unsigned size = 0; size < OCT_RSA_SIZES; size++)
        test_rsa_make(&good[size], oct_rsa_bits(size), 65537);
    return 0;
}

static int unmake(void **state)
{
    (void)state;
    for (unsigned size = 0; size < OCT_RSA_SIZES; size++)
        test_rsa_free(&good[size]);
    return 0;
}

static void expect(const struct oct_rsa_numbers *numbers, int status)
{
    struct oct_rsa_key *key = untouched;
    assert_int_equal(oct_rsa_key_new(&key, numbers), status);
    if (status != OCT_OK)
        assert_ptr_equal(key, untouched);
    else
        oct_rsa_key_free(key);
}

/* A copy of one number that may be changed. */
static uint8_t *copy(struct oct_bytes *number)
{
    static uint8_t bytes[4][600];
    static unsigned next;
    uint8_t *p = bytes[next++ % 4];
    memcpy(p, number->data, number->len);
    number->data = p;
    return p;
}

static void test_good_keys(void **state)
{
    (void)state;
    for (unsigned size = 0; size < OCT_RSA_SIZES; size++) {
        struct oct_rsa_key *key;
        struct oct_rsa_numbers public = {.n = good[size].numbers.n, .e = good[size].numbers.e};
        assert_int_equal(oct_rsa_key_new(&key, &good[size].numbers), OCT_OK);
        assert_int_equal(oct_rsa_key_bits(key), oct_rsa_bits(size));
        assert_int_equal(oct_rsa_key_is_private(key), 1);
        assert_true(oct_rsa_key_memory(key) <= 16 * 1024);
        oct_rsa_key_up_ref(key);
        oct_rsa_key_free(key);
        assert_int_equal(oct_rsa_key_bits(key), oct_rsa_bits(size));
        oct_rsa_key_free(key);
        assert_int_equal(oct_rsa_key_new(&key, &public), OCT_OK);
        assert_int_equal(oct_rsa_key_is_private(key), 0);
        oct_rsa_key_free(key);
    }
}

static void test_leading_zeros(void **state)
{
    static uint8_t padded[300];
    struct oct_rsa_numbers x = good[0].numbers;
    (void)state;
    memcpy(padded + 44, x.n.data, 256);
    x.n = (struct oct_bytes){padded, 300};
    expect(&x, OCT_OK);
    memset(padded, 0, sizeof padded);
    memcpy(padded + 300 - x.p.len, x.p.data, x.p.len);
    x.n = good[0].numbers.n;
    x.p = (struct oct_bytes){padded, 300};
    expect(&x, OCT_OK);
}

static void test_null(void **state)
{
    struct oct_rsa_key *key = untouched;
    struct oct_rsa_numbers x = good[0].numbers;
    (void)state;
    assert_int_equal(oct_rsa_key_new(NULL, &x), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_rsa_key_new(&key, NULL), OCT_ERR_ARGUMENT);
    assert_ptr_equal(key, untouched);
    x.n.data = NULL;
    expect(&x, OCT_ERR_ARGUMENT);
    x = good[0].numbers, x.e.data = NULL;
    expect(&x, OCT_ERR_ARGUMENT);
    x = good[0].numbers, x.qinv = (struct oct_bytes){NULL, 0};
    expect(&x, OCT_ERR_KEY);
    x = good[0].numbers, x.p = (struct oct_bytes){NULL, 128};
    expect(&x, OCT_ERR_KEY);
    x = good[0].numbers, x.n.len = 0;
    expect(&x, OCT_ERR_KEY);
    oct_rsa_key_free(NULL);
}

static void test_even_numbers(void **state)
{
    struct oct_bytes *part[4];
    struct oct_rsa_numbers x;
    (void)state;
    for (int i = 0; i < 4; i++) {
        x = good[0].numbers;
        part[0] = &x.n, part[1] = &x.e, part[2] = &x.p, part[3] = &x.q;
        copy(part[i])[part[i]->len - 1] ^= 1;
        expect(&x, OCT_ERR_KEY);
    }
}

static void test_exponents(void **state)
{
    static const uint8_t one[] = {1}, zero[] = {0}, large[] = {1, 0, 0, 0, 1}, other[] = {3};
    struct oct_rsa_numbers x = good[0].numbers;
    (void)state;
    x.e = (struct oct_bytes){one, 1};
    expect(&x, OCT_ERR_KEY);
    x.e = (struct oct_bytes){zero, 1};
    expect(&x, OCT_ERR_KEY);
    x.e = (struct oct_bytes){large, 5};
    expect(&x, OCT_ERR_UNSUPPORTED);
    x.e = (struct oct_bytes){other, 1};
    expect(&x, OCT_ERR_KEY);
}

/* p = q, p and q exchanged without their companions, n of another key, CRT values that are off by one or too large. */
static void test_wrong_relations(void **state)
{
    struct oct_rsa_numbers x = good[0].numbers;
    (void)state;
    x.q = x.p;
    expect(&x, OCT_ERR_KEY);
    x = good[0].numbers, x.p = good[0].numbers.q, x.q = good[0].numbers.p;
    expect(&x, OCT_ERR_KEY);
    x = good[0].numbers, copy(&x.n)[5] ^= 4;
    expect(&x, OCT_ERR_KEY);
    struct oct_bytes *part[3];
    for (int i = 0; i < 3; i++)
        for (int bit = 0; bit < 8; bit += 3) {
            x = good[0].numbers;
            part[0] = &x.dp, part[1] = &x.dq, part[2] = &x.qinv;
            uint8_t *bytes = copy(part[i]);
            bytes[part[i]->len / 2] ^= (uint8_t)(1 << bit);
            expect(&x, OCT_ERR_KEY);
        }
    x = good[0].numbers, x.qinv = x.n; /* far too long */
    expect(&x, OCT_ERR_KEY);
    x = good[0].numbers, x.dp = x.p; /* not below p */
    expect(&x, OCT_ERR_KEY);
}

/* p^2 in place of p*q: both primes the same, everything else in order. */
static void test_square_modulus(void **state)
{
    static uint8_t n[256];
    BN_CTX *ctx = BN_CTX_new();
    BIGNUM *square = BN_new();
    struct oct_rsa_numbers x = good[0].numbers;
    (void)state;
    assert_true(BN_sqr(square, good[0].p, ctx));
    if (BN_num_bits(square) == 2048) {
        BN_bn2binpad(square, n, sizeof n);
        x.n = (struct oct_bytes){n, sizeof n};
        x.q = x.p, x.dq = x.dp;
        expect(&x, OCT_ERR_KEY);
    }
    BN_free(square), BN_CTX_free(ctx);
}

static void test_sizes(void **state)
{
    (void)state;
    static const unsigned bits[] = {1024, 2046, 2050, 2304};
    for (size_t i = 0; i < sizeof bits / sizeof bits[0]; i++) {
        struct test_rsa odd;
        test_rsa_make(&odd, bits[i], 65537);
        expect(&odd.numbers, OCT_ERR_UNSUPPORTED);
        test_rsa_free(&odd);
    }
    static uint8_t huge[1024];
    memset(huge, 0xff, sizeof huge);
    struct oct_rsa_numbers x = good[0].numbers;
    x.n = (struct oct_bytes){huge, sizeof huge};
    expect(&x, OCT_ERR_UNSUPPORTED);
}

struct call {
    struct oct_rsa_key *key, *other, *public;
    uint8_t in[512], out[512];
    struct oct_rsa_lane lane[9];
    struct oct_lanes result;
};

static void reset(struct call *c)
{
    memset(c->in, 0, sizeof c->in);
    memset(c->out, 0xaa, sizeof c->out);
    c->in[511] = c->in[255] = 2;
    c->result = (struct oct_lanes){0x5a, 0xa5};
    for (int i = 0; i < 9; i++)
        c->lane[i] = (struct oct_rsa_lane){c->key, c->in, c->out};
}

static void expect_refused(struct call *c, unsigned lanes, int private, int status)
{
    assert_int_equal(private ? oct_rsa_private_x8(c->lane, lanes, &c->result)
                             : oct_rsa_public_x8(c->lane, lanes, &c->result),
                     status);
    assert_int_equal(c->result.ok, 0x5a);
    assert_int_equal(c->result.invalid, 0xa5);
    for (size_t i = 0; i < sizeof c->out; i++)
        assert_int_equal(c->out[i], 0xaa);
}

static void test_calls(void **state)
{
    static struct call c;
    struct oct_rsa_numbers public = {.n = good[0].numbers.n, .e = good[0].numbers.e};
    (void)state;
    assert_int_equal(oct_rsa_key_new(&c.key, &good[0].numbers), OCT_OK);
    assert_int_equal(oct_rsa_key_new(&c.other, &good[1].numbers), OCT_OK);
    assert_int_equal(oct_rsa_key_new(&c.public, &public), OCT_OK);
    for (int private = 0; private < 2; private ++) {
        reset(&c);
        expect_refused(&c, 0, private, OCT_ERR_ARGUMENT);
        expect_refused(&c, 9, private, OCT_ERR_ARGUMENT);
        expect_refused(&c, 0xffffffff, private, OCT_ERR_ARGUMENT);
        c.lane[3].key = NULL;
        expect_refused(&c, 4, private, OCT_ERR_ARGUMENT);
        reset(&c), c.lane[0].in = NULL;
        expect_refused(&c, 1, private, OCT_ERR_ARGUMENT);
        reset(&c), c.lane[7].out = NULL;
        expect_refused(&c, 8, private, OCT_ERR_ARGUMENT);
        reset(&c), c.lane[5].key = c.other;
        expect_refused(&c, 6, private, OCT_ERR_ARGUMENT);
        reset(&c);
        assert_int_equal(private ? oct_rsa_private_x8(NULL, 1, &c.result) : oct_rsa_public_x8(NULL, 1, &c.result),
                         OCT_ERR_ARGUMENT);
        assert_int_equal(private ? oct_rsa_private_x8(c.lane, 1, NULL) : oct_rsa_public_x8(c.lane, 1, NULL),
                         OCT_ERR_ARGUMENT);
    }
    reset(&c), c.lane[1].key = c.public;
    expect_refused(&c, 2, 1, OCT_ERR_ARGUMENT);
    oct_rsa_key_free(c.key), oct_rsa_key_free(c.other), oct_rsa_key_free(c.public);
}

int main(void)
{
    return RUN_TESTS(make, unmake, test_good_keys, test_leading_zeros, test_null, test_even_numbers, test_exponents,
                     test_wrong_relations, test_square_modulus, test_sizes, test_calls);
}
