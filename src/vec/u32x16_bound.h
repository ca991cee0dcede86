/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The contract of 32-bit words for the bound proof: words have no bounds, so these only count that they ran. */
#ifndef OCT_VEC_U32X16_BOUND_H
#define OCT_VEC_U32X16_BOUND_H

typedef struct {
    int none;
} u32x16;

OCT_INLINE u32x16 u32x16_any(void)
{
    oct_bound_checked++;
    return (u32x16){0};
}
OCT_INLINE u32x16 u32x16_set1(uint32_t x)
{
    (void)x;
    return u32x16_any();
}
OCT_INLINE u32x16 u32x16_load(const uint32_t p[U32X16_LANES])
{
    (void)p;
    return u32x16_any();
}
OCT_INLINE void u32x16_store(uint32_t p[U32X16_LANES], u32x16 a)
{
    (void)p, (void)a;
}
OCT_INLINE void u32x16_load_be(u32x16 word[16], const uint8_t *const lane[U32X16_LANES], size_t at)
{
    (void)lane, (void)at;
    for (int j = 0; j < 16; j++)
        word[j] = u32x16_any();
}
OCT_INLINE u32x16 u32x16_add(u32x16 a, u32x16 b)
{
    (void)a, (void)b;
    return u32x16_any();
}
VEC_2(u32x16, u32x16_xor, u32x16_add(a, b))
OCT_INLINE u32x16 u32x16_xor3(u32x16 a, u32x16 b, u32x16 c)
{
    (void)c;
    return u32x16_add(a, b);
}
OCT_INLINE u32x16 u32x16_rol(u32x16 a, unsigned bits)
{
    (void)bits;
    return u32x16_add(a, a);
}
VEC_3(u32x16, u32x16_choose, u32x16_xor3(a, b, c))
VEC_3(u32x16, u32x16_majority, u32x16_xor3(a, b, c))

#endif
