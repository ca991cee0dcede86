/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The sponge's contract for the bound proof: words have no bounds, so these only count that they ran. */
#ifndef OCT_VEC_SPONGE_BOUND_H
#define OCT_VEC_SPONGE_BOUND_H

OCT_INLINE w8 w8_xor(w8 a, w8 b)
{
    (void)a, (void)b;
    return w8_any();
}
VEC_2(w8, w8_or, w8_xor(a, b))
VEC_2(w8, w8_and, w8_xor(a, b))
VEC_3(w8, w8_chi, w8_xor3(a, b, c))
OCT_INLINE m8 w8_is_nonzero(w8 a)
{
    (void)a;
    return (m8){1};
}
OCT_INLINE w8 w8_select(m8 m, w8 a, w8 b)
{
    (void)m;
    return w8_xor(a, b);
}
OCT_INLINE m8 w8_is_above(w8 a, w8 b)
{
    (void)a, (void)b;
    return (m8){1};
}
VEC_2(w8, w8_sllv, w8_xor(a, b))
OCT_INLINE void w8_transpose(w8 to[V8_LANES], const w8 from[V8_LANES])
{
    (void)from;
    for (int i = 0; i < V8_LANES; i++)
        to[i] = w8_any();
}
OCT_INLINE w8 w8_load_row(const uint8_t *p, unsigned words)
{
    (void)p, (void)words;
    return w8_any();
}
OCT_INLINE void w8_store_row(uint8_t *p, w8 a, unsigned words)
{
    (void)p, (void)a, (void)words;
}

#endif
