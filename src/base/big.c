/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
#include "base/big.h"

#include <string.h>

#define LIMB_MASK (((uint64_t)1 << 52) - 1)

uint64_t oct_big_from_bytes(uint64_t *r, size_t words, const uint8_t *bytes, size_t len)
{
    uint64_t excess = 0;
    size_t i = 0;
    memset(r, 0, words * sizeof *r);
    for (; i + 8 <= len && i / 8 < words; i += 8) {
        uint64_t word;
        memcpy(&word, bytes + len - i - 8, sizeof word);
        r[i / 8] = __builtin_bswap64(word);
    }
    for (; i < len; i++) {
        const uint8_t byte = bytes[len - 1 - i];
        if (i / 8 < words)
            r[i / 8] |= (uint64_t)byte << (8 * (i % 8));
        else
            excess |= byte;
    }
    return ~oct_mask_nonzero(excess);
}

void oct_big_to_bytes(uint8_t *bytes, size_t len, const uint64_t *a, size_t words)
{
    size_t i = 0;
    for (; i + 8 <= len && i / 8 < words; i += 8) {
        const uint64_t word = __builtin_bswap64(a[i / 8]);
        memcpy(bytes + len - i - 8, &word, sizeof word);
    }
    for (; i < len; i++)
        bytes[len - 1 - i] = i / 8 < words ? (uint8_t)(a[i / 8] >> (8 * (i % 8))) : 0;
}

void oct_big_to_limbs52(uint64_t *limb, size_t limbs, const uint64_t *a, size_t words)
{
    for (size_t i = 0; i < limbs; i++) {
        const size_t word = 52 * i / 64, shift = 52 * i % 64;
        uint64_t x = word < words ? a[word] >> shift : 0;
        if (shift > 12 && word + 1 < words)
            x |= a[word + 1] << (64 - shift);
        limb[i] = x & LIMB_MASK;
    }
}

void oct_big_from_limbs52(uint64_t *r, size_t words, const uint64_t *limb, size_t limbs)
{
    memset(r, 0, words * sizeof *r);
    for (size_t i = 0; i < limbs; i++) {
        const size_t word = 52 * i / 64, shift = 52 * i % 64;
        if (word < words)
            r[word] |= limb[i] << shift;
        if (shift > 12 && word + 1 < words)
            r[word + 1] |= limb[i] >> (64 - shift);
    }
}

uint64_t oct_big_is_zero(const uint64_t *a, size_t words)
{
    uint64_t any = 0;
    for (size_t i = 0; i < words; i++)
        any |= a[i];
    return ~oct_mask_nonzero(any);
}

uint64_t oct_big_equal(const uint64_t *a, const uint64_t *b, size_t words)
{
    uint64_t difference = 0;
    for (size_t i = 0; i < words; i++)
        difference |= a[i] ^ b[i];
    return ~oct_mask_nonzero(difference);
}

OCT_INLINE uint64_t sub_step(uint64_t *r, uint64_t a, uint64_t b, uint64_t borrow)
{
    const unsigned __int128 d = (unsigned __int128)a - b - borrow;
    *r = (uint64_t)d;
    return (uint64_t)(d >> 64) & 1;
}

uint64_t oct_big_less(const uint64_t *a, const uint64_t *b, size_t words)
{
    uint64_t borrow = 0, unused;
    for (size_t i = 0; i < words; i++)
        borrow = sub_step(&unused, a[i], b[i], borrow);
    return oct_mask_nonzero(borrow);
}

uint64_t oct_big_sub(uint64_t *r, const uint64_t *a, const uint64_t *b, size_t words)
{
    uint64_t borrow = 0;
    for (size_t i = 0; i < words; i++)
        borrow = sub_step(&r[i], a[i], b[i], borrow);
    return borrow;
}

void oct_big_mul(uint64_t *r, const uint64_t *a, size_t a_words, const uint64_t *b, size_t b_words)
{
    memset(r, 0, (a_words + b_words) * sizeof *r);
    for (size_t i = 0; i < a_words; i++) {
        uint64_t carry = 0;
        for (size_t j = 0; j < b_words; j++) {
            const unsigned __int128 x = (unsigned __int128)a[i] * b[j] + r[i + j] + carry;
            r[i + j] = (uint64_t)x;
            carry = (uint64_t)(x >> 64);
        }
        r[i + b_words] = carry;
    }
}

/* r = a mod m, for a (with its carry, the word above) < 2m. r may be a. */
static void reduce_once(uint64_t *r, const uint64_t *a, uint64_t carry, const uint64_t *m, size_t words)
{
    uint64_t reduced[OCT_BIG_MAX_WORDS];
    const uint64_t borrow = oct_big_sub(reduced, a, m, words);
    /* a < m only if there is no carry and the subtraction borrowed. */
    const uint64_t keep = oct_mask_nonzero(borrow & (carry ^ 1));
    for (size_t i = 0; i < words; i++)
        r[i] = (a[i] & keep) | (reduced[i] & ~keep);
}

/* a = 2a + bit mod m, for a < m. */
static void double_add_mod(uint64_t *a, uint64_t bit, const uint64_t *m, size_t words)
{
    uint64_t carry = bit;
    for (size_t i = 0; i < words; i++) {
        const uint64_t top = a[i] >> 63;
        a[i] = a[i] << 1 | carry;
        carry = top;
    }
    reduce_once(a, a, carry, m, words);
}

/* What m's length leaves of a is below 2m, and taken at once; the words below it come bit by bit. */
void oct_big_mod(uint64_t *r, const uint64_t *a, size_t a_words, const uint64_t *m, size_t m_words)
{
    const size_t below = a_words > m_words ? a_words - m_words : 0;
    OCT_ASSERT(m_words < OCT_BIG_MAX_WORDS);
    memset(r, 0, m_words * sizeof *r);
    memcpy(r, a + below, (a_words - below) * sizeof *r);
    reduce_once(r, r, 0, m, m_words);
    for (size_t i = 64 * below; i-- > 0;)
        double_add_mod(r, a[i / 64] >> (i % 64) & 1, m, m_words);
    oct_scrub_stack();
}

/* 1/m0 mod 2^64, for odd m0: each step doubles the bits that are right, and m0 itself is right to 3. */
static uint64_t inverse_word(uint64_t m0)
{
    uint64_t inverse = m0;
    for (int i = 0; i < 5; i++)
        inverse *= 2 - m0 * inverse;
    return inverse;
}

/* t = (t + a * b) / 2^64, where k makes the lowest word vanish; t and its carry stay below 2m. */
static uint64_t mont_step(uint64_t *t, uint64_t carry, uint64_t a, const uint64_t *b, const uint64_t *m, uint64_t k0,
                          size_t words)
{
    unsigned __int128 x = (unsigned __int128)a * b[0] + t[0];
    const uint64_t k = (uint64_t)x * k0;
    unsigned __int128 y = (unsigned __int128)k * m[0] + (uint64_t)x;
    for (size_t i = 1; i < words; i++) {
        x = (unsigned __int128)a * b[i] + t[i] + (uint64_t)(x >> 64);
        y = (unsigned __int128)k * m[i] + (uint64_t)x + (uint64_t)(y >> 64);
        t[i - 1] = (uint64_t)y;
    }
    const unsigned __int128 top = (unsigned __int128)carry + (uint64_t)(x >> 64) + (uint64_t)(y >> 64);
    t[words - 1] = (uint64_t)top;
    return (uint64_t)(top >> 64);
}

/* r = a * b / 2^(64*words) mod m, for a, b < m; r may be either. */
static void mont_mul(uint64_t *r, const uint64_t *a, const uint64_t *b, const uint64_t *m, size_t words)
{
    const uint64_t k0 = 0 - inverse_word(m[0]);
    uint64_t t[OCT_BIG_MAX_WORDS] = {0}, carry = 0;
    for (size_t i = 0; i < words; i++)
        carry = mont_step(t, carry, a[i], b, m, k0, words);
    reduce_once(r, t, carry, m, words);
}

/* With R = 2^(64*words): R mod m is m's complement; doubled a few times and then squared in Montgomery's way it is
 * 2^times R, whose product with a is what is asked for. Doubling a itself would take `times` passes. */
void oct_big_double_mod(uint64_t *a, size_t times, const uint64_t *m, size_t words)
{
    uint64_t power[OCT_BIG_MAX_WORDS] = {0};
    unsigned squarings = 0;
    OCT_ASSERT(words < OCT_BIG_MAX_WORDS && times > 0);
    for (; times % 2 == 0; times /= 2)
        squarings++;
    (void)oct_big_sub(power, power, m, words);
    while (times-- > 0)
        double_add_mod(power, 0, m, words);
    while (squarings-- > 0)
        mont_mul(power, power, power, m, words);
    mont_mul(a, a, power, m, words);
    oct_scrub_stack();
}

uint64_t oct_big_montgomery_k0(uint64_t m0)
{
    return (0 - inverse_word(m0)) & LIMB_MASK;
}
