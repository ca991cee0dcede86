/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* What words_x86.h does without AVX-512: rotations as shuffles of bytes or two shifts, parts by loads and stores that
 * overlap. */
#ifndef OCT_VEC_WORDS_AVX2_H
#define OCT_VEC_WORDS_AVX2_H

/* Where each byte of a word comes from. gcc would keep these in registers, and have sixteen words of state in the other
 * fourteen: a sixth of the time of eight blocks. In one object, or it would keep two addresses, and Poly1305 needs the
 * register. */
static const __m256i words_from[2] = {
    {0x0504070601000302, 0x0d0c0f0e09080b0a, 0x0504070601000302, 0x0d0c0f0e09080b0a},
    {0x0605040702010003, 0x0e0d0c0f0a09080b, 0x0605040702010003, 0x0e0d0c0f0a09080b},
};
OCT_INLINE words words_shuffle(words a, const __m256i *from)
{
    __asm__("vpshufb %[from], %[a], %[r]" : [r] "=x"(a) : [a] "x"(a), [from] "m"(*from));
    return a;
}
OCT_INLINE words words_rol(words a, unsigned bits)
{
    return bits == 16   ? words_shuffle(a, &words_from[0])
           : bits == 8  ? words_shuffle(a, &words_from[1])
           : bits == 12 ? _mm256_or_si256(_mm256_slli_epi32(a, 12), _mm256_srli_epi32(a, 20))
                        : _mm256_or_si256(_mm256_slli_epi32(a, 7), _mm256_srli_epi32(a, 25));
}

/* The first `len` bytes of one row of sixteen, len of 0 .. 16. */
OCT_INLINE __m128i words_load_row_part(const uint8_t *p, size_t len)
{
    uint64_t low = 0, high = 0;
    if (len == 16)
        return _mm_loadu_si128((const __m128i *)p);
    if (len >= 8) {
        low = tier_load64(p);
        high = len > 8 ? tier_load64(p + len - 8) >> (128 - 8 * len) : 0;
    } else if (len >= 4) {
        low = tier_load32(p) | (uint64_t)tier_load32(p + len - 4) << (8 * len - 32);
    } else if (len > 0) {
        low = p[0] | (uint64_t)p[len / 2] << (8 * (len / 2)) | (uint64_t)p[len - 1] << (8 * len - 8);
    }
    return _mm_set_epi64x((long long)high, (long long)low);
}
OCT_INLINE void words_store_row_part(uint8_t *p, __m128i a, size_t len)
{
    const uint64_t low = (uint64_t)_mm_cvtsi128_si64(a), high = (uint64_t)_mm_extract_epi64(a, 1);
    if (len == 16) {
        _mm_storeu_si128((__m128i *)p, a);
    } else if (len >= 8) {
        if (len > 8)
            tier_store64(p + len - 8, low >> (8 * len - 64) | high << (128 - 8 * len));
        tier_store64(p, low);
    } else if (len >= 4) {
        tier_store32(p + len - 4, (uint32_t)(low >> (8 * len - 32)));
        tier_store32(p, (uint32_t)low);
    } else if (len > 0) {
        p[len - 1] = (uint8_t)(low >> (8 * len - 8));
        p[len / 2] = (uint8_t)(low >> (8 * (len / 2)));
        p[0] = (uint8_t)low;
    }
}
OCT_INLINE words words_load_part(const uint8_t *p, size_t len)
{
    const size_t low = len < 16 ? len : 16;
    const words a = _mm256_zextsi128_si256(words_load_row_part(p, low));
    return len > 16 ? _mm256_inserti128_si256(a, words_load_row_part(p + 16, len - 16), 1) : a;
}
OCT_INLINE void words_store_part(uint8_t *p, words a, size_t len)
{
    words_store_row_part(p, _mm256_castsi256_si128(a), len < 16 ? len : 16);
    if (len > 16)
        words_store_row_part(p + 16, _mm256_extracti128_si256(a, 1), len - 16);
}
OCT_INLINE words words_keep(words a, size_t len)
{
    const words numbers = _mm256_set_epi8(31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13,
                                          12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    return _mm256_and_si256(a, _mm256_cmpgt_epi8(_mm256_set1_epi8((char)len), numbers));
}
OCT_INLINE void words_clear_registers(void)
{
    vec_clear_low_registers();
}

#endif
