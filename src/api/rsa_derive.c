/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See rsa_derive.h; FIPS 186-5, A.1.1 and A.1.3. */
#include "api/rsa_derive.h"

#include "base/big.h"

#include <string.h>

typedef unsigned __int128 u128;

/* x - e if that is not negative, else x. */
static uint64_t less_e(uint64_t x)
{
    const uint64_t less = x - OCT_RSA_E, keep = oct_mask_nonzero(less >> 63);
    return (x & keep) | (less & ~keep);
}

/* x mod e for x < 2^34, as 2^16 is -1. */
static uint64_t mod_e_small(uint64_t x)
{
    x = (x & 0xffff) + (x >> 32) + OCT_RSA_E - (x >> 16 & 0xffff);
    return less_e(less_e(x));
}

uint64_t oct_rsa_mod_e(const uint64_t *x, size_t words)
{
    uint64_t sum = (uint64_t)OCT_RSA_E << 8; /* more than what is taken away */
    for (size_t i = 0; i < words; i++)
        sum += (x[i] & 0xffff) + (x[i] >> 32 & 0xffff) - (x[i] >> 16 & 0xffff) - (x[i] >> 48);
    return mod_e_small(sum);
}

/* 1/x mod e = x^(e-2), for 0 < x < e; e - 2 = 2^16 - 1. */
static uint64_t invert_mod_e(uint64_t x)
{
    uint64_t r = 1;
    for (int i = 0; i < 16; i++)
        r = mod_e_small(mod_e_small(r * r) * x);
    return r;
}

/* r = 1/e mod m, for m of `words` words that e does not divide: (1 + k*m)/e where k makes that whole. r is below m, and
 * has a word more to work in. */
static void invert_e(uint64_t *r, const uint64_t *m, size_t words)
{
    const uint64_t k = OCT_RSA_E - invert_mod_e(oct_rsa_mod_e(m, words));
    const uint64_t inverse = 0xffff0000ffff0001; /* 1/e mod 2^64 */
    uint64_t carry = 1, borrow = 0;
    for (size_t i = 0; i <= words; i++) {
        const u128 x = (u128)(i < words ? m[i] : 0) * k + carry;
        const u128 y = (u128)(uint64_t)x - borrow;
        r[i] = (uint64_t)y * inverse;
        carry = (uint64_t)(x >> 64);
        borrow = (uint64_t)(((u128)r[i] * OCT_RSA_E) >> 64) + (uint64_t)(y >> 127);
    }
}

static void select_words(uint64_t *r, uint64_t mask, const uint64_t *a, size_t words)
{
    for (size_t i = 0; i < words; i++)
        r[i] = (a[i] & mask) | (r[i] & ~mask);
}

/* a /= 2 where the mask says so. */
static void halve(uint64_t *a, uint64_t mask, size_t words)
{
    for (size_t i = 0; i < words; i++) {
        const uint64_t half = a[i] >> 1 | (i + 1 < words ? a[i + 1] << 63 : 0);
        a[i] = (half & mask) | (a[i] & ~mask);
    }
}

/* a << twos for a secret number of bits below OCT_RSA_MAX_COMMON_TWOS. */
static void shift_left(uint64_t *a, uint64_t twos, size_t words)
{
    for (size_t i = words; i-- > 0;)
        a[i] = a[i] << twos | (i > 0 ? a[i - 1] >> 1 >> (63 - twos) : 0);
}

/* a = gcd(a, b), and b is used up. Stein's: each step halves one of them at least, so that one is zero after as many
 * steps as both have bits. less is scratch: 2 * words. */
static void common_divisor(uint64_t *a, uint64_t *b, uint64_t *less, size_t words)
{
    uint64_t twos = 0;
    for (size_t step = 0; step < 128 * words; step++) {
        const uint64_t both_odd = oct_mask_nonzero(a[0] & b[0] & 1);
        const uint64_t a_less = oct_mask_nonzero(oct_big_sub(less, a, b, words));
        (void)oct_big_sub(less + words, b, a, words);
        select_words(a, both_odd & ~a_less, less, words);
        select_words(b, both_odd & a_less, less + words, words);
        const uint64_t a_even = ~oct_mask_nonzero(a[0] & 1), b_even = ~oct_mask_nonzero(b[0] & 1);
        twos += a_even & b_even & 1;
        halve(a, a_even, words);
        halve(b, b_even, words);
    }
    for (size_t i = 0; i < words; i++)
        a[i] |= b[i];
    shift_left(a, twos & (OCT_RSA_MAX_COMMON_TWOS - 1), words);
}

/* quotient = a / m, bit by bit. rest and less are scratch. */
static void divide(uint64_t *quotient, const uint64_t *a, const uint64_t *m, uint64_t *rest, uint64_t *less,
                   size_t words)
{
    memset(rest, 0, words * sizeof *rest);
    memset(quotient, 0, words * sizeof *quotient);
    for (size_t bit = 64 * words; bit-- > 0;) {
        uint64_t carry = a[bit / 64] >> (bit % 64) & 1;
        for (size_t i = 0; i < words; i++) {
            const uint64_t top = rest[i] >> 63;
            rest[i] = rest[i] << 1 | carry;
            carry = top;
        }
        const uint64_t borrow = oct_big_sub(less, rest, m, words);
        const uint64_t fits = ~oct_mask_nonzero(borrow & (carry ^ 1));
        select_words(rest, fits, less, words);
        quotient[bit / 64] |= (fits & 1) << (bit % 64);
    }
}

uint64_t oct_rsa_far_apart(const uint64_t *p, const uint64_t *q, size_t words)
{
    uint64_t difference[OCT_RSA_MAX_PRIME_WORDS], other[OCT_RSA_MAX_PRIME_WORDS];
    uint64_t limit[OCT_RSA_MAX_PRIME_WORDS] = {0};
    const size_t bit = 64 * words - OCT_RSA_MIN_APART;
    limit[bit / 64] = (uint64_t)1 << (bit % 64);
    (void)oct_big_sub(other, q, p, words);
    const uint64_t p_less = oct_mask_nonzero(oct_big_sub(difference, p, q, words));
    select_words(difference, p_less, other, words);
    const uint64_t far = oct_big_less(limit, difference, words);
    oct_cleanse(difference, sizeof difference);
    oct_cleanse(other, sizeof other);
    return far;
}

/* lcm = (p-1) * ((q-1) / gcd(p-1, q-1)), 2*words; p and q are odd. */
static void common_multiple(uint64_t *lcm, const uint64_t *p, const uint64_t *q, uint64_t *scratch, size_t words)
{
    uint64_t *a = scratch, *b = a + words, *quotient = b + words, *rest = quotient + words, *less = rest + words;
    memcpy(a, p, words * sizeof *a);
    memcpy(b, q, words * sizeof *b);
    a[0] ^= 1;
    b[0] ^= 1;
    common_divisor(a, b, less, words);
    memcpy(b, q, words * sizeof *b);
    b[0] ^= 1;
    divide(quotient, b, a, rest, less, words);
    memcpy(b, p, words * sizeof *b);
    b[0] ^= 1;
    oct_big_mul(lcm, b, words, quotient, words);
}

uint64_t oct_rsa_derive(struct oct_rsa_derived *r, const uint64_t *p, const uint64_t *q, size_t words)
{
    const uint64_t *const prime[2] = {p, q};
    uint64_t *lcm = r->n, *less_one = r->scratch, *wide = less_one + OCT_RSA_MAX_PRIME_WORDS;
    common_multiple(lcm, p, q, r->scratch, words);
    invert_e(wide, lcm, 2 * words);
    memcpy(r->d, wide, 2 * words * sizeof *wide);
    for (int i = 0; i < 2; i++) {
        memcpy(less_one, prime[i], words * sizeof *less_one);
        less_one[0] ^= 1;
        invert_e(wide, less_one, words);
        memcpy(r->exp[i], wide, words * sizeof *wide);
    }
    oct_big_mul(r->n, p, words, q, words);
    oct_scrub_stack();
    return ~oct_big_is_zero(r->d + words, words);
}
