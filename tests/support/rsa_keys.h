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

/* A fresh key; e is 65537 unless another odd number is given. Aborts the test on failure. */
void test_rsa_make(struct test_rsa *key, unsigned bits, unsigned long e);
/* The same numbers with p and q exchanged (and qinv made anew). */
void test_rsa_swap_primes(struct test_rsa *swapped, const struct test_rsa *key);
void test_rsa_free(struct test_rsa *key);

/* out = in^exponent mod n by libcrypto, as `len` big-endian bytes. */
void test_rsa_power(uint8_t *out, const uint8_t *in, size_t len, const BIGNUM *exponent, const BIGNUM *n);
/* A random number below n. */
void test_rsa_below_n(uint8_t *out, size_t len, const struct test_rsa *key);

#endif
