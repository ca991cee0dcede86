/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The backend of wide.h for every x86-64 CPU. Sums carry by themselves: gcc keeps numbers of 128 bits in memory. */
#ifndef OCT_VEC_WIDE_C_H
#define OCT_VEC_WIDE_C_H

#include <immintrin.h>

typedef uint64_t digit;
typedef struct {
    digit low, high;
} wide;

OCT_INLINE digit digit_set(uint64_t x)
{
    return x;
}
OCT_INLINE digit digit_load(const uint64_t *p, uint64_t most)
{
    (void)most;
    return *p;
}
OCT_INLINE void digit_store(uint64_t *p, digit a, uint64_t most)
{
    (void)most;
    *p = a;
}
OCT_INLINE digit digit_load_bytes(const uint8_t *p)
{
    return tier_load64(p);
}
VEC_2(digit, digit_add, a + b)
VEC_2(digit, digit_multiply, a *b)
VEC_BY(digit, digit_low, a &(((uint64_t)1 << bits) - 1))
VEC_BY(digit, digit_sll, a << bits)
VEC_BY(digit, digit_srl, a >> bits)
OCT_INLINE wide wide_of(digit a)
{
    return (wide){a, 0};
}
OCT_INLINE wide wide_sum(wide a, digit low, digit high)
{
#ifdef __clang__ /* it needs no help, and its MemorySanitizer knows nothing of the instruction */
    const unsigned __int128 sum = (((unsigned __int128)a.high << 64) | a.low) + (((unsigned __int128)high << 64) | low);
    return (wide){(digit)sum, (digit)(sum >> 64)};
#else
    unsigned long long to_low, to_high;
    _addcarry_u64(_addcarry_u64(0, a.low, low, &to_low), a.high, high, &to_high);
    return (wide){to_low, to_high};
#endif
}
OCT_INLINE wide wide_add(wide a, digit b)
{
    return wide_sum(a, b, 0);
}
OCT_INLINE wide wide_multiply_add(wide sum, digit a, digit b)
{
    const unsigned __int128 product = (unsigned __int128)a * b;
    return wide_sum(sum, (digit)product, (digit)(product >> 64));
}
OCT_INLINE digit wide_low(wide a)
{
    return a.low;
}
OCT_INLINE digit wide_high(wide a)
{
    return a.high;
}

#ifndef __clang__    /* as above */
#define WIDE_CARRIES /* in flags: as numbers each would cost three instructions */
OCT_INLINE void wide_add_number(digit h[3], digit a, digit b, digit c)
{
    unsigned long long low, middle, high;
    unsigned char carry = _addcarry_u64(0, h[0], a, &low);
    carry = _addcarry_u64(carry, h[1], b, &middle);
    (void)_addcarry_u64(carry, h[2], c, &high);
    h[0] = low;
    h[1] = middle;
    h[2] = high;
}
#endif

#endif
