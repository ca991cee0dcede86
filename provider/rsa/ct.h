/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Masks for code that must not branch on secrets or index by them: a mask is all ones (true) or all zeros (false).
 * Arguments are below 2^63.
 */
#ifndef OCT_PROVIDER_CT_H
#define OCT_PROVIDER_CT_H

#include "base/base.h"

OCT_INLINE uint64_t ct_is_zero(uint64_t a)
{
    return ~oct_mask_nonzero(a);
}

OCT_INLINE uint64_t ct_eq(uint64_t a, uint64_t b)
{
    return ct_is_zero(a ^ b);
}

OCT_INLINE uint64_t ct_lt(uint64_t a, uint64_t b)
{
    /* a is often a loop counter: behind the barrier, gcc does not count by a - b, which is secret when b is. */
    return oct_value_barrier((uint64_t)0 - ((oct_value_barrier(a) - b) >> 63));
}

OCT_INLINE uint64_t ct_ge(uint64_t a, uint64_t b)
{
    return ~ct_lt(a, b);
}

/* mask ? a : b */
OCT_INLINE uint64_t ct_select(uint64_t mask, uint64_t a, uint64_t b)
{
    return b ^ (oct_value_barrier(mask) & (a ^ b));
}

OCT_INLINE uint8_t ct_select_8(uint64_t mask, uint8_t a, uint8_t b)
{
    return (uint8_t)ct_select(mask, a, b);
}

#endif
