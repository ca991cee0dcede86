/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The contract of 16-bit lanes on registers of 256 bits: 32 lanes are two of them. */
#ifndef OCT_VEC_I16X32_YMM_H
#define OCT_VEC_I16X32_YMM_H

#include "vec/lattice/units_ymm.h"

typedef struct units i16x32, sum32x16;

#include "vec/lattice/numbers_units.h"

OCT_INLINE i16x32 i16x32_set1(int16_t x)
{
    return (i16x32){{_mm256_set1_epi16(x), _mm256_set1_epi16(x)}};
}
PARTS_2(i16x32, i16x32_add, _mm256_add_epi16(x, y))
PARTS_2(i16x32, i16x32_sub, _mm256_sub_epi16(x, y))
PARTS_2(i16x32, i16x32_sub_wrap, _mm256_sub_epi16(x, y))
PARTS_2(i16x32, i16x32_mullo, _mm256_mullo_epi16(x, y))
PARTS_2(i16x32, i16x32_mullo_wrap, _mm256_mullo_epi16(x, y))
PARTS_2(i16x32, i16x32_mulhi, _mm256_mulhi_epi16(x, y))
PARTS_2(i16x32, i16x32_mulhrs, _mm256_mulhrs_epi16(x, y))
PARTS_2(i16x32, i16x32_or_wrap, _mm256_or_si256(x, y))
PARTS_BY(i16x32, i16x32_sll, _mm256_slli_epi16(x, (int)bits))
VEC_BY(i16x32, i16x32_sll_wrap, i16x32_sll(a, bits))
PARTS_BY(i16x32, i16x32_sra, _mm256_srai_epi16(x, (int)bits))
OCT_INLINE i16x32 i16x32_and(i16x32 a, int16_t mask)
{
    UNITS_EACH(i) a.p[i] = _mm256_and_si256(a.p[i], _mm256_set1_epi16(mask));
    return a;
}
OCT_INLINE i16x32 i16x32_add_above(i16x32 a, i16x32 b, int16_t limit)
{
    UNITS_EACH(i) a.p[i] = _mm256_sub_epi16(a.p[i], _mm256_cmpgt_epi16(b.p[i], _mm256_set1_epi16(limit)));
    return a;
}
/* The low bytes of the sixteen numbers are a table for VPSHUFB, and the high ones another. */
OCT_INLINE i16x32 i16x32_lookup16(const int16_t table[I16X32_LANES], i16x32 a)
{
    const __m128i *from = (const __m128i *)(const void *)table, byte = _mm_set1_epi16(0xff);
    const __m128i t = _mm_load_si128(from), u = _mm_load_si128(from + 1);
    const __m256i low = _mm256_broadcastsi128_si256(_mm_packus_epi16(_mm_and_si128(t, byte), _mm_and_si128(u, byte)));
    const __m256i high = _mm256_broadcastsi128_si256(_mm_packus_epi16(_mm_srli_epi16(t, 8), _mm_srli_epi16(u, 8)));
    UNITS_EACH(i)
    {
        const __m256i for_low = _mm256_or_si256(a.p[i], _mm256_set1_epi16((short)0x8000));
        const __m256i for_high = _mm256_or_si256(_mm256_slli_epi16(a.p[i], 8), _mm256_set1_epi16(0x80));
        a.p[i] = _mm256_or_si256(_mm256_shuffle_epi8(low, for_low), _mm256_shuffle_epi8(high, for_high));
    }
    return a;
}

OCT_INLINE void i16x32_zip(i16x32 *x, i16x32 *y)
{
    units_zip(x, y);
}
PARTS_1(i16x32, i16x32_swap, _mm256_shufflehi_epi16(_mm256_shufflelo_epi16(x, 0xb1), 0xb1))

OCT_INLINE sum32x16 sum32x16_zero(void)
{
    return (sum32x16){{_mm256_setzero_si256(), _mm256_setzero_si256()}};
}
OCT_INLINE sum32x16 sum32x16_dot(sum32x16 acc, i16x32 a, i16x32 b)
{
    UNITS_EACH(i) acc.p[i] = _mm256_add_epi32(acc.p[i], _mm256_madd_epi16(a.p[i], b.p[i]));
    return acc;
}
OCT_INLINE i16x32 sum32x16_low_wrap(sum32x16 x, sum32x16 y)
{
    UNITS_EACH(i) x.p[i] = _mm256_blend_epi16(x.p[i], _mm256_slli_epi32(y.p[i], 16), 0xaa);
    return x;
}
OCT_INLINE i16x32 sum32x16_high(sum32x16 x, sum32x16 y)
{
    UNITS_EACH(i) x.p[i] = _mm256_blend_epi16(_mm256_srli_epi32(x.p[i], 16), y.p[i], 0xaa);
    return x;
}

/*
 * A quarter, eight numbers, is `bits` bytes. Each number comes with two bytes, is brought to the top of its lane by a
 * product, and down by a shift. Of eleven bits some are in a third byte, where the second byte's go down first.
 */
#define I16X32_FOUR(F, b, at, n)   F(b, at, n), F(b, at, (n) + 1), F(b, at, (n) + 2), F(b, at, (n) + 3)
#define I16X32_EIGHT(F, b, at, n)  I16X32_FOUR(F, b, at, n), I16X32_FOUR(F, b, at, (n) + 4)
#define I16X32_PAIR(b, at, n)      UNITS_AT(b, at, n, 0), UNITS_AT(b, at, n, 1)
#define I16X32_THIRD(b, at, n)     UNITS_AT(b, at, n, 2), (char)0x80
#define I16X32_UP_BY(b, n)         (16 - (b)-UNITS_PLACE(b, n))
#define I16X32_UP(b, at, n)        (short)(I16X32_UP_BY(b, n) >= 0 ? 1u << (I16X32_UP_BY(b, n) & 15) : 0)
#define I16X32_DOWN(b, at, n)      (short)(I16X32_UP_BY(b, n) < 0 ? 1u << (I16X32_UP_BY(b, n) & 15) : 0)
#define I16X32_BEGIN(b, quarter)   UNITS_BEGIN(4 * (b), (quarter) * (b))
#define I16X32_BYTES(F, b, q)      I16X32_EIGHT(F, b, I16X32_BEGIN(b, q), 8 * (q))
#define I16X32_HALF_BYTES(F, b, i) _mm256_setr_epi8(I16X32_BYTES(F, b, 2 * (i)), I16X32_BYTES(F, b, 2 * (i) + 1))
OCT_INLINE i16x32 i16x32_load_bits(const uint8_t *p, unsigned bits)
{
    const int b = (int)bits;
    const __m256i up = _mm256_broadcastsi128_si256(_mm_setr_epi16(I16X32_EIGHT(I16X32_UP, b, 0, 0)));
    i16x32 r;
    UNITS_EACH(i)
    {
        const __m256i in = units_load_quarters(p, 4 * b, 2 * i * b, (2 * i + 1) * b);
        const __m256i pair = _mm256_shuffle_epi8(in, I16X32_HALF_BYTES(I16X32_PAIR, b, i));
        __m256i top = _mm256_mullo_epi16(pair, up);
        if (b == 11) {
            const __m256i down = _mm256_broadcastsi128_si256(_mm_setr_epi16(I16X32_EIGHT(I16X32_DOWN, b, 0, 0)));
            const __m256i third = _mm256_shuffle_epi8(in, I16X32_HALF_BYTES(I16X32_THIRD, b, i));
            top =
                _mm256_or_si256(top, _mm256_or_si256(_mm256_mulhi_epu16(pair, down), _mm256_mullo_epi16(third, down)));
        }
        r.p[i] = _mm256_srli_epi16(top, 16 - b);
    }
    return r;
}
/* Four numbers become one word. */
OCT_INLINE void i16x32_store_bits(uint8_t *p, i16x32 a, unsigned bits)
{
    UNITS_EACH(i)
    {
        const __m256i pairs = _mm256_madd_epi16(a.p[i], _mm256_set1_epi32((int)(1u << bits << 16 | 1)));
        const __m256i close = _mm256_sllv_epi32(pairs, _mm256_set1_epi64x(32 - 2 * bits));
        a.p[i] = _mm256_srli_epi64(close, (int)(32 - 2 * bits));
    }
    units_store_words(p, &a, 4 * bits);
}

OCT_INLINE unsigned i16x32_store_below_public(int16_t *to, i16x32 a, int16_t limit)
{
    unsigned count = 0;
    UNITS_EACH(i)
    {
        const __m256i below = _mm256_cmpgt_epi16(_mm256_set1_epi16(limit), a.p[i]);
        const unsigned mask = (unsigned)_mm256_movemask_epi8(_mm256_packs_epi16(below, _mm256_setzero_si256()));
        const __m128i half[2] = {_mm256_castsi256_si128(a.p[i]), _mm256_extracti128_si256(a.p[i], 1)};
        VEC_UNROLL
        for (int h = 0; h < 2; h++) {
            const unsigned here = mask >> 16 * h & 255;
            const __m128i twice = _mm_add_epi8(units_stay(here), units_stay(here));
            const __m128i bytes = _mm_unpacklo_epi8(twice, _mm_add_epi8(twice, _mm_set1_epi8(1)));
            _mm_storeu_si128((__m128i *)(void *)(to + count), _mm_shuffle_epi8(half[h], bytes));
            count += (unsigned)__builtin_popcount(here);
        }
    }
    return count;
}

#endif
