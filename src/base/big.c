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

/* a = 2a + bit mod m, for a < m. */
static void double_add_mod(uint64_t *a, uint64_t bit, const uint64_t *m, size_t words)
{
    uint64_t reduced[OCT_BIG_MAX_WORDS];
    uint64_t carry = bit;
    for (size_t i = 0; i < words; i++) {
        const uint64_t top = a[i] >> 63;
        a[i] = a[i] << 1 | carry;
        carry = top;
    }
    const uint64_t borrow = oct_big_sub(reduced, a, m, words);
    /* 2a + bit < m only if nothing was carried out and the subtraction borrowed. */
    const uint64_t keep = oct_mask_nonzero(borrow & (carry ^ 1));
    for (size_t i = 0; i < words; i++)
        a[i] = (a[i] & keep) | (reduced[i] & ~keep);
}

void oct_big_mod(uint64_t *r, const uint64_t *a, size_t a_words, const uint64_t *m, size_t m_words)
{
    OCT_ASSERT(m_words < OCT_BIG_MAX_WORDS);
    memset(r, 0, m_words * sizeof *r);
    for (size_t i = 64 * a_words; i-- > 0;)
        double_add_mod(r, a[i / 64] >> (i % 64) & 1, m, m_words);
    oct_scrub_stack();
}

void oct_big_double_mod(uint64_t *a, size_t times, const uint64_t *m, size_t words)
{
    OCT_ASSERT(words < OCT_BIG_MAX_WORDS);
    while (times-- > 0)
        double_add_mod(a, 0, m, words);
    oct_scrub_stack();
}

uint64_t oct_big_montgomery_k0(uint64_t m0)
{
    /* Newton: each step doubles the bits of 1/m0 that are right; m0 itself is right to 3 bits. */
    uint64_t inverse = m0;
    for (int i = 0; i < 5; i++)
        inverse *= 2 - m0 * inverse;
    return (0 - inverse) & LIMB_MASK;
}
