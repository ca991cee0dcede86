/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The sponge's contract on registers of 256 bits: eight words are two of them. */
#ifndef OCT_VEC_SPONGE_YMM_H
#define OCT_VEC_SPONGE_YMM_H

VEC_2(w8, w8_xor, v8_xor(a, b))
VEC_2(w8, w8_or, v8_or(a, b))
VEC_2(w8, w8_and, ymm_and(a, b))
PARTS_3(w8, w8_chi, _mm256_xor_si256(x, _mm256_andnot_si256(y, z)))
OCT_INLINE m8 w8_is_nonzero(w8 a)
{
    return v8_is_nonzero(a);
}
OCT_INLINE w8 w8_select(m8 m, w8 a, w8 b)
{
    return v8_select(m, a, b);
}
OCT_INLINE m8 w8_is_above(w8 a, w8 b)
{
    return v8_is_negative(v8_sub(b, a));
}
PARTS_2(w8, w8_sllv, _mm256_sllv_epi64(x, y))
OCT_INLINE void w8_transpose(w8 to[8], const w8 from[8])
{
    __m256i t[2][2][4];
    VEC_UNROLL
    for (int h = 0; h < 2; h++) {
        VEC_UNROLL
        for (int q = 0; q < 2; q++)
            ymm_transpose4(t[h][q], from[4 * h].p[q], from[4 * h + 1].p[q], from[4 * h + 2].p[q], from[4 * h + 3].p[q]);
    }
    VEC_UNROLL
    for (int h = 0; h < 2; h++) {
        VEC_UNROLL
        for (int j = 0; j < 8; j++)
            to[j].p[h] = t[h][j / 4][j % 4];
    }
}
/* Which of four words, from number `at` on, are among the first `words`. */
OCT_INLINE __m256i sponge_first(unsigned words, unsigned at)
{
    return _mm256_cmpgt_epi64(_mm256_set1_epi64x((long long)words - (long long)at), _mm256_setr_epi64x(0, 1, 2, 3));
}
OCT_INLINE w8 w8_load_row(const uint8_t *p, unsigned words)
{
    w8 r;
    YMM_EACH(i)
    {
        const void *from = p + 32 * i;
        r.p[i] =
            words == 8 ? _mm256_loadu_si256(from) : _mm256_maskload_epi64(from, sponge_first(words, 4u * (unsigned)i));
    }
    return r;
}
OCT_INLINE void w8_store_row(uint8_t *p, w8 a, unsigned words)
{
    YMM_EACH(i)
    {
        void *to = p + 32 * i;
        if (words == 8)
            _mm256_storeu_si256(to, a.p[i]);
        else
            _mm256_maskstore_epi64(to, sponge_first(words, 4u * (unsigned)i), a.p[i]);
    }
}

#endif
