/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The contract of 32-bit words for the bound proof: words have no bounds, so these only count that they ran. */
#ifndef OCT_VEC_W16_BOUND_H
#define OCT_VEC_W16_BOUND_H

typedef struct {
    int none;
} w16;

OCT_INLINE w16 w16_any(void)
{
    oct_bound_checked++;
    return (w16){0};
}
OCT_INLINE w16 w16_set1(uint32_t x)
{
    (void)x;
    return w16_any();
}
OCT_INLINE w16 w16_load(const uint32_t p[W16_LANES])
{
    (void)p;
    return w16_any();
}
OCT_INLINE void w16_store(uint32_t p[W16_LANES], w16 a)
{
    (void)p, (void)a;
}
OCT_INLINE void w16_load_be(w16 word[16], const uint8_t *const lane[W16_LANES], size_t at)
{
    (void)lane, (void)at;
    for (int j = 0; j < 16; j++)
        word[j] = w16_any();
}
OCT_INLINE w16 w16_add(w16 a, w16 b)
{
    (void)a, (void)b;
    return w16_any();
}
OCT_INLINE w16 w16_xor(w16 a, w16 b)
{
    return w16_add(a, b);
}
OCT_INLINE w16 w16_xor3(w16 a, w16 b, w16 c)
{
    (void)c;
    return w16_add(a, b);
}
OCT_INLINE w16 w16_rol(w16 a, unsigned bits)
{
    (void)bits;
    return w16_add(a, a);
}
OCT_INLINE w16 w16_choose(w16 a, w16 b, w16 c)
{
    return w16_xor3(a, b, c);
}
OCT_INLINE w16 w16_majority(w16 a, w16 b, w16 c)
{
    return w16_xor3(a, b, c);
}

#endif
