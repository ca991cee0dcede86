/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
#include "rsa_keys.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NEED(x)                                                                                                        \
    do {                                                                                                               \
        if (!(x)) {                                                                                                    \
            fprintf(stderr, "%s:%d: %s failed\n", __FILE__, __LINE__, #x);                                             \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

static struct oct_bytes put(uint8_t *bytes, const BIGNUM *x)
{
    return (struct oct_bytes){bytes, (size_t)BN_bn2bin(x, bytes)};
}

/* dp, dq, qinv, d and the byte strings, from e, p, q. */
static void complete(struct test_rsa *key)
{
    BN_CTX *ctx = BN_CTX_new();
    BIGNUM *p1 = BN_dup(key->p), *q1 = BN_dup(key->q), *phi = BN_new();
    key->n = BN_new(), key->d = BN_new(), key->dp = BN_new(), key->dq = BN_new(), key->qinv = BN_new();
    NEED(BN_sub_word(p1, 1) && BN_sub_word(q1, 1) && BN_mul(phi, p1, q1, ctx) && BN_mul(key->n, key->p, key->q, ctx));
    NEED(BN_mod_inverse(key->d, key->e, phi, ctx) && BN_mod(key->dp, key->d, p1, ctx) &&
         BN_mod(key->dq, key->d, q1, ctx) && BN_mod_inverse(key->qinv, key->q, key->p, ctx));
    BN_free(p1), BN_free(q1), BN_free(phi), BN_CTX_free(ctx);
    key->numbers = (struct oct_rsa_numbers){.n = put(key->bytes[0], key->n),
                                            .e = put(key->bytes[1], key->e),
                                            .p = put(key->bytes[2], key->p),
                                            .q = put(key->bytes[3], key->q),
                                            .dp = put(key->bytes[4], key->dp),
                                            .dq = put(key->bytes[5], key->dq),
                                            .qinv = put(key->bytes[6], key->qinv)};
}

static int has_small_divisor(const BIGNUM *p)
{
    BN_ULONG d = 3;
    while (d < 2000 && BN_mod_word(p, d) != 0)
        d += 2;
    return d < 2000;
}

/* p - 1 has no divisor in common with e, and 2^(p-1) = 1 mod p: of random numbers of this length, those that are not
 * prime never have that. What libcrypto asks of a prime besides takes longer than all of a test. */
static int is_good_prime(const BIGNUM *p, const BIGNUM *e, BN_CTX *ctx)
{
    BIGNUM *p1 = BN_dup(p), *x = BN_new(), *two = BN_new();
    NEED(BN_sub_word(p1, 1) && BN_set_word(two, 2) && BN_gcd(x, p1, e, ctx));
    int good = BN_is_one(x);
    if (good) {
        NEED(BN_mod_exp(x, two, p1, p, ctx));
        good = BN_is_one(x);
    }
    BN_free(p1), BN_free(x), BN_free(two);
    return good;
}

/* Both top bits are set, so that the product of two has exactly twice the bits. */
static BIGNUM *make_prime(unsigned bits, const BIGNUM *e, BN_CTX *ctx)
{
    BIGNUM *p = BN_new();
    do {
        NEED(BN_rand(p, (int)bits, BN_RAND_TOP_TWO, BN_RAND_BOTTOM_ODD));
    } while (has_small_divisor(p) || !is_good_prime(p, e, ctx));
    return p;
}

static void make_keys(struct test_rsa key[], const unsigned pair[][2], unsigned count, BIGNUM *const prime[],
                      const unsigned long e[])
{
    for (unsigned i = 0; i < count; i++) {
        memset(&key[i], 0, sizeof key[i]);
        key[i].e = BN_new();
        NEED(BN_set_word(key[i].e, e[i]));
        key[i].p = BN_dup(prime[pair[i][0]]);
        key[i].q = BN_dup(prime[pair[i][1]]);
        complete(&key[i]);
    }
}

void test_rsa_make(struct test_rsa *key, unsigned bits, unsigned long e)
{
    static const unsigned pair[1][2] = {{0, 1}};
    BN_CTX *ctx = BN_CTX_new();
    BIGNUM *product = BN_new(), *prime[2];
    NEED(BN_set_word(product, e));
    for (unsigned i = 0; i < 2; i++)
        prime[i] = make_prime(bits / 2, product, ctx);
    make_keys(key, pair, 1, prime, &e);
    for (unsigned i = 0; i < 2; i++)
        BN_free(prime[i]);
    BN_free(product), BN_CTX_free(ctx);
}

void test_rsa_make_eight(struct test_rsa key[8], unsigned bits, const unsigned long e[8])
{
    static const unsigned pair[8][2] = {{0, 1}, {2, 3}, {0, 2}, {1, 3}, {1, 0}, {3, 2}, {2, 0}, {3, 1}};
    BN_CTX *ctx = BN_CTX_new();
    BIGNUM *product = BN_new(), *prime[4];
    NEED(BN_one(product));
    for (unsigned i = 0; i < 8; i++)
        NEED(BN_mul_word(product, e[i]));
    for (unsigned i = 0; i < 4; i++)
        prime[i] = make_prime(bits / 2, product, ctx);
    make_keys(key, pair, 8, prime, e);
    for (unsigned i = 0; i < 4; i++)
        BN_free(prime[i]);
    BN_free(product), BN_CTX_free(ctx);
}

void test_rsa_free(struct test_rsa *key)
{
    BIGNUM *all[] = {key->n, key->e, key->d, key->p, key->q, key->dp, key->dq, key->qinv};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        BN_free(all[i]);
}

void test_rsa_power(uint8_t *out, const uint8_t *in, size_t len, const BIGNUM *exponent, const BIGNUM *n)
{
    BN_CTX *ctx = BN_CTX_new();
    BIGNUM *x = BN_bin2bn(in, (int)len, NULL), *r = BN_new();
    NEED(x && r && BN_mod_exp(r, x, exponent, n, ctx));
    NEED(BN_bn2binpad(r, out, (int)len) == (int)len);
    BN_free(x), BN_free(r), BN_CTX_free(ctx);
}

void test_rsa_private(uint8_t *out, const uint8_t *in, size_t len, const struct test_rsa *key)
{
    BN_CTX *ctx = BN_CTX_new();
    BIGNUM *x = BN_bin2bn(in, (int)len, NULL), *mp = BN_new(), *r = BN_new(), *h = BN_new();
    NEED(x && mp && r && h && BN_mod_exp(mp, x, key->dp, key->p, ctx) && BN_mod_exp(r, x, key->dq, key->q, ctx));
    NEED(BN_mod_sub(h, mp, r, key->p, ctx) && BN_mod_mul(h, h, key->qinv, key->p, ctx));
    NEED(BN_mul(h, h, key->q, ctx) && BN_add(r, r, h) && BN_bn2binpad(r, out, (int)len) == (int)len);
    BN_free(x), BN_free(mp), BN_free(r), BN_free(h), BN_CTX_free(ctx);
}

void test_rsa_below_n(uint8_t *out, size_t len, const struct test_rsa *key)
{
    BIGNUM *x = BN_new();
    NEED(x && BN_rand_range(x, key->n) && BN_bn2binpad(x, out, (int)len) == (int)len);
    BN_free(x);
}
