/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The portable backend of the sponge's contract. */
#ifndef OCT_VEC_SPONGE_C_H
#define OCT_VEC_SPONGE_C_H

PARTS_2(w8, w8_xor, x ^ y)
PARTS_2(w8, w8_or, x | y)
PARTS_2(w8, w8_and, x &y)
PARTS_3(w8, w8_chi, x ^ (~y & z))
OCT_INLINE m8 w8_is_nonzero(w8 a)
{
    m8 m;
    V8_EACH(i) m.p[i] = oct_mask_nonzero(a.p[i]);
    return m;
}
OCT_INLINE w8 w8_select(m8 m, w8 a, w8 b)
{
    V8_EACH(i) a.p[i] = b.p[i] ^ ((a.p[i] ^ b.p[i]) & m.p[i]);
    return a;
}
OCT_INLINE m8 w8_is_above(w8 a, w8 b)
{
    m8 m;
    V8_EACH(i) m.p[i] = oct_mask_nonzero((b.p[i] - a.p[i]) >> 63);
    return m;
}
PARTS_2(w8, w8_sllv, (x << (y & 63)) & ~oct_mask_nonzero(y >> 6))
OCT_INLINE void w8_transpose(w8 to[V8_LANES], const w8 from[V8_LANES])
{
    w8 r[V8_LANES];
    for (int j = 0; j < V8_LANES; j++)
        V8_EACH(i) r[j].p[i] = from[i].p[j];
    for (int j = 0; j < V8_LANES; j++)
        to[j] = r[j];
}
OCT_INLINE w8 w8_load_row(const uint8_t *p, unsigned words)
{
    w8 r = w8_set1(0);
    for (unsigned j = 0; j < words; j++)
        for (unsigned k = 8; k-- > 0;)
            r.p[j] = r.p[j] << 8 | p[8 * j + k];
    return r;
}
OCT_INLINE void w8_store_row(uint8_t *p, w8 a, unsigned words)
{
    for (unsigned j = 0; j < words; j++)
        for (unsigned k = 0; k < 8; k++)
            p[8 * j + k] = (uint8_t)(a.p[j] >> (8 * k));
}

#endif
