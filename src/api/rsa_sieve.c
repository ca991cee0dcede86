/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * See rsa_sieve.h. A candidate is reduced modulo a product of primes in Montgomery's way, from its lowest word on. That
 * leaves candidate * 2^(-64*words), which has the same odd divisors. No division is used: their time depends on
 * numbers.
 */
#include "api/rsa_sieve.h"

#include "base/checkmem.h"

#include <string.h>

/* Products that are worked on side by side, as each is a chain of multiplications. */
#define TOGETHER 4

typedef unsigned __int128 u128;

/* 1/m mod 2^64 for odd m: each step doubles the bits that are right, and m itself is right to 3. */
static uint64_t inverse_word(uint64_t m)
{
    uint64_t inverse = m;
    for (int i = 0; i < 5; i++)
        inverse *= 2 - m * inverse;
    return inverse;
}

static void add_prime(struct oct_rsa_sieve *sieve, unsigned index, uint64_t prime)
{
    unsigned last = sieve->groups - 1;
    sieve->prime[index].inverse = inverse_word(prime);
    sieve->prime[index].limit = ~(uint64_t)0 / prime;
    if (sieve->groups == 0 || (u128)sieve->group[last].product * prime >> 63 != 0) {
        last = sieve->groups++;
        OCT_ASSERT(last < OCT_SIEVE_GROUPS);
        sieve->group[last].product = 1;
        sieve->group[last].first = index;
        sieve->group[last].count = 0;
    }
    sieve->group[last].product *= prime;
    sieve->group[last].count++;
}

void oct_rsa_sieve_make(struct oct_rsa_sieve *sieve)
{
    uint8_t *composite = sieve->composite;
    unsigned primes = 0;
    memset(composite, 0, sizeof sieve->composite);
    sieve->groups = 0;
    for (unsigned i = 1; i < OCT_SIEVE_END / 2; i++) {
        const unsigned prime = 2 * i + 1;
        if (composite[i])
            continue;
        OCT_ASSERT(primes < OCT_SIEVE_PRIMES);
        add_prime(sieve, primes++, prime);
        for (unsigned j = prime * prime / 2; j < OCT_SIEVE_END / 2; j += prime)
            composite[j] = 1;
    }
    OCT_ASSERT(primes == OCT_SIEVE_PRIMES);
    for (unsigned i = 0; i < sieve->groups; i++)
        sieve->group[i].k0 = 0 - inverse_word(sieve->group[i].product);
}

/* All ones if a prime of the group divides x. */
static uint64_t divided(const struct oct_rsa_sieve *sieve, unsigned group, uint64_t x)
{
    const unsigned first = sieve->group[group].first, end = first + sieve->group[group].count;
    uint64_t any = 0;
    for (unsigned i = first; i < end; i++) {
        const u128 room = (u128)sieve->prime[i].limit - x * sieve->prime[i].inverse;
        any |= ~(uint64_t)(room >> 64);
    }
    return any;
}

/* The residues of n modulo TOGETHER products from `group` on, all times the same power of two, at most product + 1. */
static void residues(uint64_t t[TOGETHER], const struct oct_rsa_sieve *sieve, unsigned group, const uint64_t *n,
                     size_t words)
{
    uint64_t product[TOGETHER], k0[TOGETHER];
    for (unsigned i = 0; i < TOGETHER; i++) {
        product[i] = sieve->group[group + i].product;
        k0[i] = sieve->group[group + i].k0;
        t[i] = 0;
    }
    for (size_t j = 0; j < words; j++)
        for (unsigned i = 0; i < TOGETHER; i++) {
            const u128 x = (u128)t[i] + n[j];
            const uint64_t m = (uint64_t)x * k0[i];
            t[i] = (uint64_t)(((u128)m * product[i] + (uint64_t)x) >> 64) + (uint64_t)(x >> 64);
        }
}

bool oct_rsa_sieve_passes(const struct oct_rsa_sieve *sieve, const uint64_t *n, size_t words)
{
    uint64_t t[TOGETHER], any = 0;
    for (unsigned group = 0; group < sieve->groups && !any; group += TOGETHER) {
        /* The last ones may be done twice. */
        const unsigned from = group + TOGETHER <= sieve->groups ? group : sieve->groups - TOGETHER;
        residues(t, sieve, from, n, words);
        for (unsigned i = 0; i < TOGETHER; i++)
            any |= divided(sieve, from + i, t[i]);
        /* That a candidate is no prime says nothing of those that are, each of which is drawn afresh. */
        OCT_DECLASSIFY(&any, sizeof any);
    }
    oct_cleanse(t, sizeof t);
    return !any;
}
