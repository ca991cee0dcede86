/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Trial division of candidates for primes. */
#ifndef OCT_API_RSA_SIEVE_H
#define OCT_API_RSA_SIEVE_H

#include "base/base.h"

#include <stdbool.h>

/* The odd primes below OCT_SIEVE_END, and how many products below 2^58 they make when they are multiplied in order, at
 * the most. */
#define OCT_SIEVE_END    17864
#define OCT_SIEVE_PRIMES 2047
#define OCT_SIEVE_GROUPS 560
#define OCT_SIEVE_WORDS  32

struct oct_rsa_sieve {
    unsigned groups;
    size_t words;
    struct {
        uint64_t product, k0; /* of primes from `first` on; -1/product mod 2^64 */
        unsigned first, count;
        uint64_t power[OCT_SIEVE_WORDS]; /* of 2^64, all times the same one, mod product; at most product + 1 */
    } group[OCT_SIEVE_GROUPS];
    struct {
        uint64_t inverse, limit; /* x is a multiple of the prime if x * inverse mod 2^64 <= limit */
    } prime[OCT_SIEVE_PRIMES];
    uint8_t composite[OCT_SIEVE_END / 2]; /* entry i for 2*i + 1, while it is made */
};

/* For numbers of so many words. Nothing in it is secret, and it takes some microseconds. */
void oct_rsa_sieve_make(struct oct_rsa_sieve *sieve, size_t words);

/*
 * Whether none of the primes divides n. How long it takes shows by which of them an n is divided that
 * does not pass, and nothing of one that does.
 */
bool oct_rsa_sieve_passes(const struct oct_rsa_sieve *sieve, const uint64_t *n);

#endif
