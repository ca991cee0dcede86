/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The AVX-512 backend of the sponge's contract (F, BW, DQ, VL). */
#ifndef OCT_VEC_SPONGE_AVX512_H
#define OCT_VEC_SPONGE_AVX512_H

VEC_2(w8, w8_xor, _mm512_xor_si512(a, b))
VEC_2(w8, w8_or, _mm512_or_si512(a, b))
VEC_2(w8, w8_and, _mm512_and_si512(a, b))
VEC_3(w8, w8_chi, _mm512_ternarylogic_epi64(a, b, c, 0xd2))
OCT_INLINE m8 w8_is_nonzero(w8 a)
{
    return (m8){_mm512_test_epi64_mask(a, a)};
}
OCT_INLINE w8 w8_select(m8 m, w8 a, w8 b)
{
    return _mm512_mask_blend_epi64(m.k, b, a);
}
OCT_INLINE m8 w8_is_above(w8 a, w8 b)
{
    return (m8){_mm512_cmpgt_epi64_mask(a, b)};
}
VEC_2(w8, w8_sllv, _mm512_sllv_epi64(a, b))
OCT_INLINE void w8_transpose(w8 to[V8_LANES], const w8 from[V8_LANES])
{
    w8 low[4], high[4];
    VEC_UNROLL
    for (int i = 0; i < 4; i++) {
        low[i] = _mm512_unpacklo_epi64(from[2 * i], from[2 * i + 1]);
        high[i] = _mm512_unpackhi_epi64(from[2 * i], from[2 * i + 1]);
    }
    w8_transpose_pairs(to, low[0], low[1], low[2], low[3]);
    w8_transpose_pairs(to + 1, high[0], high[1], high[2], high[3]);
}
OCT_INLINE w8 w8_load_row(const uint8_t *p, unsigned words)
{
    if (words == V8_LANES)
        return _mm512_loadu_si512(p);
    return _mm512_maskz_loadu_epi64((__mmask8)((1u << words) - 1), p);
}
OCT_INLINE void w8_store_row(uint8_t *p, w8 a, unsigned words)
{
    if (words == V8_LANES)
        _mm512_storeu_si512(p, a);
    else
        _mm512_mask_storeu_epi64(p, (__mmask8)((1u << words) - 1), a);
}

#endif
