/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The backend of wide.h for every CPU: the compiler's numbers of 128 bits. */
#ifndef OCT_VEC_WIDE_C_H
#define OCT_VEC_WIDE_C_H

typedef uint64_t digit;
typedef unsigned __int128 wide;

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
    return a;
}
OCT_INLINE wide wide_add(wide a, digit b)
{
    return a + b;
}
OCT_INLINE wide wide_multiply_add(wide sum, digit a, digit b)
{
    return sum + (wide)a * b;
}
OCT_INLINE digit wide_low(wide a)
{
    return (digit)a;
}
OCT_INLINE digit wide_high(wide a)
{
    return (digit)(a >> 64);
}

#endif
