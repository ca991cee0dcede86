/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The bound backend of wide.h: a number is the largest that it can be for any input. What memory is said to hold is
 * proved where it is stored, and believed where it is loaded. */
#ifndef OCT_VEC_WIDE_BOUND_H
#define OCT_VEC_WIDE_BOUND_H

/* All below 2^127, so that sums of two do not wrap around here. */
typedef struct {
    unsigned __int128 most;
} digit;
typedef digit wide;

void oct_bound_failed(const char *operation, __int128 lo, __int128 hi);
extern uint64_t oct_bound_checked;

OCT_INLINE digit wide_below(const char *operation, unsigned __int128 most, unsigned bits)
{
    oct_bound_checked++;
    if (most >> bits)
        oct_bound_failed(operation, 0, (__int128)most);
    return (digit){most};
}
/* A product of digits: itself below 2^128. */
OCT_INLINE unsigned __int128 wide_product(digit a, digit b)
{
    return (unsigned __int128)(uint64_t)a.most * (uint64_t)b.most;
}
OCT_INLINE digit digit_set(uint64_t x)
{
    return (digit){x};
}
OCT_INLINE digit digit_load(const uint64_t *p, uint64_t most)
{
    (void)p;
    return (digit){most};
}
OCT_INLINE void digit_store(uint64_t *p, digit a, uint64_t most)
{
    (void)p;
    oct_bound_checked++;
    if (a.most > most)
        oct_bound_failed("store", 0, (__int128)a.most);
}
OCT_INLINE digit digit_load_bytes(const uint8_t *p)
{
    (void)p;
    return (digit){~(uint64_t)0};
}
VEC_2(digit, digit_add, wide_below("digit_add", a.most + b.most, 64))
VEC_2(digit, digit_multiply, wide_below("digit_multiply", wide_product(a, b), 64))
OCT_INLINE digit digit_low(digit a, unsigned bits)
{
    const unsigned __int128 mask = ((unsigned __int128)1 << bits) - 1;
    return (digit){a.most < mask ? a.most : mask};
}
VEC_BY(digit, digit_sll, wide_below("digit_sll", a.most << bits, 64))
VEC_BY(digit, digit_srl, (digit){a.most >> bits})
OCT_INLINE wide wide_of(digit a)
{
    return a;
}
OCT_INLINE wide wide_add(wide a, digit b)
{
    return wide_below("wide_add", a.most + b.most, 127);
}
OCT_INLINE wide wide_multiply_add(wide sum, digit a, digit b)
{
    wide_below("wide_multiply", wide_product(a, b), 127);
    return wide_below("wide_multiply_add", sum.most + wide_product(a, b), 127);
}
OCT_INLINE digit wide_low(wide a)
{
    return digit_low(a, 64);
}
OCT_INLINE digit wide_high(wide a)
{
    return digit_srl(a, 64);
}

#endif
