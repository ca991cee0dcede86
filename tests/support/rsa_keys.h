/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* RSA keys for tests, made by libcrypto at run time, with their numbers as bytes. */
#ifndef OCT_TESTS_RSA_KEYS_H
#define OCT_TESTS_RSA_KEYS_H

#include <octuple/rsa.h>

#include <openssl/bn.h>

struct test_rsa {
    BIGNUM *n, *e, *d, *p, *q, *dp, *dq, *qinv;
    uint8_t bytes[7][512]; /* n e p q dp dq qinv, as `numbers` points to them */
    struct oct_rsa_numbers numbers;
};

/* A fresh key with the odd exponent e. Aborts the test on failure. */
void test_rsa_make(struct test_rsa *key, unsigned bits, unsigned long e);
/* Eight different keys of four primes, which are slow to find: the last four are the first four with p and q exchanged.
 */
void test_rsa_make_eight(struct test_rsa key[8], unsigned bits, const unsigned long e[8]);
void test_rsa_free(struct test_rsa *key);

/* out = in^exponent mod n by libcrypto, as `len` big-endian bytes. */
void test_rsa_power(uint8_t *out, const uint8_t *in, size_t len, const BIGNUM *exponent, const BIGNUM *n);
/* out = in^d mod n, by libcrypto's arithmetic and the primes: the quarter of the time that in^d takes. */
void test_rsa_private(uint8_t *out, const uint8_t *in, size_t len, const struct test_rsa *key);
/* A random number below n. */
void test_rsa_below_n(uint8_t *out, size_t len, const struct test_rsa *key);

#endif
