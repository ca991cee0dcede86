/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The contract of 32-bit numbers on registers of 256 bits: sixteen lanes are two of them. */
#ifndef OCT_VEC_I32X16_YMM_H
#define OCT_VEC_I32X16_YMM_H

#include "vec/lattice/units_ymm.h"

typedef struct units i32x16;
/* Products of even lanes, and of odd ones. */
typedef struct {
    struct units even, odd;
} sum64x16;

#include "vec/lattice/numbers_units.h"

OCT_INLINE i32x16 i32x16_set1(int32_t x)
{
    return (i32x16){{_mm256_set1_epi32(x), _mm256_set1_epi32(x)}};
}
PARTS_2(i32x16, i32x16_add, _mm256_add_epi32(x, y))
PARTS_2(i32x16, i32x16_sub, _mm256_sub_epi32(x, y))
PARTS_2(i32x16, i32x16_min, _mm256_min_epi32(x, y))
PARTS_2(i32x16, i32x16_max, _mm256_max_epi32(x, y))
PARTS_2(i32x16, i32x16_mullo, _mm256_mullo_epi32(x, y))
PARTS_2(i32x16, i32x16_mullo_wrap, _mm256_mullo_epi32(x, y))
PARTS_1(i32x16, i32x16_abs, _mm256_abs_epi32(x))
OCT_INLINE sum64x16 sum64x16_mul(i32x16 a, i32x16 b)
{
    sum64x16 r;
    UNITS_EACH(i)
    {
        r.even.p[i] = _mm256_mul_epi32(a.p[i], b.p[i]);
        r.odd.p[i] = _mm256_mul_epi32(_mm256_srli_epi64(a.p[i], 32), _mm256_srli_epi64(b.p[i], 32));
    }
    return r;
}
OCT_INLINE sum64x16 sum64x16_add(sum64x16 a, sum64x16 b)
{
    UNITS_EACH(i)
    {
        a.even.p[i] = _mm256_add_epi64(a.even.p[i], b.even.p[i]);
        a.odd.p[i] = _mm256_add_epi64(a.odd.p[i], b.odd.p[i]);
    }
    return a;
}
OCT_INLINE i32x16 sum64x16_low_wrap(sum64x16 a)
{
    UNITS_EACH(i) a.even.p[i] = _mm256_blend_epi32(a.even.p[i], _mm256_slli_epi64(a.odd.p[i], 32), 0xaa);
    return a.even;
}
OCT_INLINE i32x16 sum64x16_high(sum64x16 a)
{
    UNITS_EACH(i) a.odd.p[i] = _mm256_blend_epi32(_mm256_srli_epi64(a.even.p[i], 32), a.odd.p[i], 0xaa);
    return a.odd;
}
VEC_2(i32x16, i32x16_mulhi, sum64x16_high(sum64x16_mul(a, b)))
PARTS_BY(i32x16, i32x16_sll, _mm256_slli_epi32(x, (int)bits))
PARTS_BY(i32x16, i32x16_sra, _mm256_srai_epi32(x, (int)bits))
OCT_INLINE i32x16 i32x16_and(i32x16 a, int32_t mask)
{
    UNITS_EACH(i) a.p[i] = _mm256_and_si256(a.p[i], _mm256_set1_epi32(mask));
    return a;
}
/* Without a sign, a negative number is larger than any sum that is not. */
OCT_INLINE i32x16 i32x16_add_if_negative(i32x16 a, int32_t x)
{
    UNITS_EACH(i) a.p[i] = _mm256_min_epu32(a.p[i], _mm256_add_epi32(a.p[i], _mm256_set1_epi32(x)));
    return a;
}
OCT_INLINE i32x16 i32x16_sub_above(i32x16 a, int32_t limit, int32_t x)
{
    UNITS_EACH(i)
    {
        const __m256i above = _mm256_cmpgt_epi32(a.p[i], _mm256_set1_epi32(limit));
        a.p[i] = _mm256_sub_epi32(a.p[i], _mm256_and_si256(above, _mm256_set1_epi32(x)));
    }
    return a;
}
OCT_INLINE i32x16 i32x16_is_above(i32x16 a, int32_t limit)
{
    UNITS_EACH(i) a.p[i] = _mm256_srli_epi32(_mm256_cmpgt_epi32(a.p[i], _mm256_set1_epi32(limit)), 31);
    return a;
}
OCT_INLINE i32x16 i32x16_lookup16(const int32_t table[I32X16_LANES], i32x16 a)
{
    const struct units t = units_load(table);
    UNITS_EACH(i)
    {
        const __m256 low = _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(t.p[0], a.p[i]));
        const __m256 high = _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(t.p[1], a.p[i]));
        const __m256 bit3 = _mm256_castsi256_ps(_mm256_slli_epi32(a.p[i], 28));
        a.p[i] = _mm256_castps_si256(_mm256_blendv_ps(low, high, bit3));
    }
    return a;
}

/* A quarter is four numbers. Each comes with four bytes, and is shifted down to its first bit. */
#define I32X16_FOUR(F, b, at, n) F(b, at, n), F(b, at, (n) + 1), F(b, at, (n) + 2), F(b, at, (n) + 3)
#define I32X16_BYTES(b, at, n)                                                                                         \
    UNITS_AT(b, at, n, 0), UNITS_AT(b, at, n, 1), UNITS_AT(b, at, n, 2), UNITS_AT(b, at, n, 3)
#define I32X16_DOWN(b, at, n)    UNITS_PLACE(b, n)
#define I32X16_BEGIN(b, quarter) UNITS_BEGIN(2 * (b), 4 * (quarter) * (b) / 8)
#define I32X16_QUARTER(F, b, q)  I32X16_FOUR(F, b, I32X16_BEGIN(b, q), 4 * (q))
OCT_INLINE i32x16 i32x16_load_bits(const uint8_t *p, unsigned bits)
{
    const int b = (int)bits;
    i32x16 r;
    UNITS_EACH(i)
    {
        const __m256i in = units_load_quarters(p, 2 * b, 8 * i * b / 8, (8 * i + 4) * b / 8);
        const __m256i at =
            _mm256_setr_epi8(I32X16_QUARTER(I32X16_BYTES, b, 2 * i), I32X16_QUARTER(I32X16_BYTES, b, 2 * i + 1));
        const __m256i down =
            _mm256_setr_epi32(I32X16_QUARTER(I32X16_DOWN, b, 2 * i), I32X16_QUARTER(I32X16_DOWN, b, 2 * i + 1));
        r.p[i] = _mm256_srlv_epi32(_mm256_shuffle_epi8(in, at), down);
    }
    return i32x16_and(r, (1 << bits) - 1);
}
/* Two numbers become one word. */
OCT_INLINE void i32x16_store_bits(uint8_t *p, i32x16 a, unsigned bits)
{
    UNITS_EACH(i)
    {
        const __m256i low = _mm256_and_si256(a.p[i], _mm256_set1_epi64x(0xffffffff));
        a.p[i] = _mm256_or_si256(low, _mm256_slli_epi64(_mm256_srli_epi64(a.p[i], 32), (int)bits));
    }
    units_store_words(p, &a, 2 * bits);
}

OCT_INLINE unsigned i32x16_store_below_declassify(int32_t *to, i32x16 a, int32_t limit)
{
    unsigned count = 0;
    UNITS_EACH(i)
    {
        const __m256i below = _mm256_cmpgt_epi32(_mm256_set1_epi32(limit), a.p[i]);
        const unsigned mask = (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(below));
        const __m256i stay = _mm256_cvtepu8_epi32(units_stay(mask));
        _mm256_storeu_si256((__m256i *)(void *)(to + count), _mm256_permutevar8x32_epi32(a.p[i], stay));
        count += (unsigned)__builtin_popcount(mask);
    }
    return count;
}
OCT_INLINE unsigned i32x16_any_above_declassify(i32x16 a, int32_t limit)
{
    const __m256i most = _mm256_cmpgt_epi32(_mm256_max_epi32(a.p[0], a.p[1]), _mm256_set1_epi32(limit));
    return _mm256_movemask_epi8(most) != 0;
}
OCT_INLINE unsigned i32x16_sum_above_declassify(i32x16 a, int32_t limit)
{
    const __m256i eight = _mm256_add_epi32(a.p[0], a.p[1]);
    __m128i sum = _mm_add_epi32(_mm256_castsi256_si128(eight), _mm256_extracti128_si256(eight, 1));
    sum = _mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0x4e));
    sum = _mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0xb1));
    return (_mm_movemask_epi8(_mm_cmpgt_epi32(sum, _mm_set1_epi32(limit))) & 1) != 0;
}

#endif
