/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * See rsa_sieve.h. A candidate modulo a product of primes is the sum of its words times powers of 2^64. These are taken
 * downwards in Montgomery's way, so that all are times the same power of two, which changes no odd divisor. No division
 * is used: its time depends on the numbers.
 */
#include "api/rsa_sieve.h"

#include "base/checkmem.h"

#include <string.h>

/* Products between two looks at what came of them. */
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
    if (sieve->groups == 0 || (u128)sieve->group[last].product * prime >> 58 != 0) {
        last = sieve->groups++;
        OCT_ASSERT(last < OCT_SIEVE_GROUPS);
        sieve->group[last].product = 1;
        sieve->group[last].first = index;
        sieve->group[last].count = 0;
    }
    sieve->group[last].product *= prime;
    sieve->group[last].count++;
}

/* (high * 2^64 + low) / 2^64 mod the product, below high + product + 1. */
static uint64_t reduce(const struct oct_rsa_sieve *sieve, unsigned group, uint64_t high, uint64_t low)
{
    const uint64_t m = low * sieve->group[group].k0;
    return high + (uint64_t)(((u128)m * sieve->group[group].product + low) >> 64);
}

static void add_powers(struct oct_rsa_sieve *sieve, unsigned group)
{
    uint64_t power = 1;
    for (size_t i = sieve->words; i-- > 0;) {
        sieve->group[group].power[i] = power;
        power = reduce(sieve, group, 0, power);
    }
}

void oct_rsa_sieve_make(struct oct_rsa_sieve *sieve, size_t words)
{
    uint8_t *composite = sieve->composite;
    unsigned primes = 0;
    OCT_ASSERT(words <= OCT_SIEVE_WORDS);
    memset(composite, 0, sizeof sieve->composite);
    sieve->words = words;
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
    for (unsigned i = 0; i < sieve->groups; i++) {
        sieve->group[i].k0 = 0 - inverse_word(sieve->group[i].product);
        add_powers(sieve, i);
    }
}

/* 1 if a prime of the group divides n, else 0. Up to 32 products of 64 and 58 bits do not overflow their sum. */
static uint64_t divided(const struct oct_rsa_sieve *sieve, unsigned group, const uint64_t *n)
{
    const unsigned first = sieve->group[group].first, end = first + sieve->group[group].count;
    const uint64_t *power = sieve->group[group].power;
    uint64_t any = 0;
    u128 sum = 0;
    for (size_t i = 0; i < sieve->words; i++)
        sum += (u128)n[i] * power[i];
    const uint64_t x = oct_value_barrier(reduce(sieve, group, (uint64_t)(sum >> 64), (uint64_t)sum));
    for (unsigned i = first; i < end; i++)
        any |= x * sieve->prime[i].inverse <= sieve->prime[i].limit;
    return any;
}

bool oct_rsa_sieve_passes(const struct oct_rsa_sieve *sieve, const uint64_t *n)
{
    uint64_t any = 0;
    for (unsigned group = 0; group < sieve->groups && !any; group += TOGETHER) {
        for (unsigned i = group; i < group + TOGETHER && i < sieve->groups; i++)
            any |= divided(sieve, i, n);
        /* That a candidate is no prime says nothing of those that are, each of which is drawn afresh. */
        OCT_DECLASSIFY(&any, sizeof any);
    }
    return !any;
}
