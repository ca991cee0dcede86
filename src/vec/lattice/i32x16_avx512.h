/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The AVX-512 backend of the contract of 32-bit numbers: F, BW, DQ, VL, and VBMI besides. */
#ifndef OCT_VEC_I32X16_AVX512_H
#define OCT_VEC_I32X16_AVX512_H

#include "vec/lattice/units_avx512.h"

#include <string.h>

typedef __m512i i32x16;
/* Products of even lanes, and of odd ones. */
typedef struct {
    __m512i even, odd;
} sum64x16;

#include "vec/lattice/numbers_units.h"

OCT_INLINE i32x16 i32x16_set1(int32_t x)
{
    return _mm512_set1_epi32(x);
}
VEC_2(i32x16, i32x16_add, _mm512_add_epi32(a, b))
VEC_2(i32x16, i32x16_sub, _mm512_sub_epi32(a, b))
VEC_1(i32x16, i32x16_abs, _mm512_abs_epi32(a))
VEC_2(i32x16, i32x16_min, _mm512_min_epi32(a, b))
VEC_2(i32x16, i32x16_max, _mm512_max_epi32(a, b))
VEC_2(i32x16, i32x16_mullo, _mm512_mullo_epi32(a, b))
VEC_2(i32x16, i32x16_mullo_wrap, _mm512_mullo_epi32(a, b))
OCT_INLINE sum64x16 sum64x16_mul(i32x16 a, i32x16 b)
{
    return (sum64x16){_mm512_mul_epi32(a, b), _mm512_mul_epi32(_mm512_srli_epi64(a, 32), _mm512_srli_epi64(b, 32))};
}
VEC_2(sum64x16, sum64x16_add, (sum64x16){_mm512_add_epi64(a.even, b.even), _mm512_add_epi64(a.odd, b.odd)})
OCT_INLINE i32x16 sum64x16_low_wrap(sum64x16 a)
{
    return _mm512_mask_shuffle_epi32(a.even, 0xaaaa, a.odd, _MM_PERM_CCAA);
}
OCT_INLINE i32x16 sum64x16_high(sum64x16 a)
{
    return _mm512_mask_shuffle_epi32(a.odd, 0x5555, a.even, _MM_PERM_DDBB);
}
VEC_2(i32x16, i32x16_mulhi, sum64x16_high(sum64x16_mul(a, b)))
VEC_BY(i32x16, i32x16_sll, _mm512_slli_epi32(a, bits))
VEC_BY(i32x16, i32x16_sra, _mm512_srai_epi32(a, bits))
OCT_INLINE i32x16 i32x16_and(i32x16 a, int32_t mask)
{
    return _mm512_and_si512(a, _mm512_set1_epi32(mask));
}
/* Without a sign, a negative number is larger than any sum that is not. */
OCT_INLINE i32x16 i32x16_add_if_negative(i32x16 a, int32_t x)
{
    return _mm512_min_epu32(a, _mm512_add_epi32(a, _mm512_set1_epi32(x)));
}
OCT_INLINE i32x16 i32x16_sub_above(i32x16 a, int32_t limit, int32_t x)
{
    return _mm512_mask_sub_epi32(a, _mm512_cmpgt_epi32_mask(a, _mm512_set1_epi32(limit)), a, _mm512_set1_epi32(x));
}
OCT_INLINE i32x16 i32x16_is_above(i32x16 a, int32_t limit)
{
    return _mm512_maskz_set1_epi32(_mm512_cmpgt_epi32_mask(a, _mm512_set1_epi32(limit)), 1);
}
OCT_INLINE i32x16 i32x16_lookup16(const int32_t table[I32X16_LANES], i32x16 a)
{
    return _mm512_permutexvar_epi32(a, _mm512_load_si512(table));
}

/* A number goes to the word that has the bytes it is in, and is shifted down to its first bit. */
#define I32X16_BYTE_OF(bits, n)  ((n) / 4 * (bits) / 8 + (n) % 4)
#define I32X16_SHIFT_OF(bits, n) ((n) * (bits) % 8)
struct i32x16_load_table {
    uint8_t byte[64];
    int32_t shift[16];
};
#define I32X16_LOAD_TABLE(bits)                                                                                        \
    {                                                                                                                  \
        UNITS_BYTES(I32X16_BYTE_OF, bits), UNITS_SIXTEEN(I32X16_SHIFT_OF, bits)                                        \
    }
/* The place of a width in the tables. */
OCT_INLINE unsigned i32x16_width(unsigned bits)
{
    return bits < 6 ? bits - 3 : bits == 6 ? 2 : bits == 10 ? 3 : bits == 13 ? 4 : bits == 18 ? 5 : bits == 20 ? 6 : 7;
}
OCT_INLINE i32x16 i32x16_load_bits(const uint8_t *p, unsigned bits)
{
    static const struct i32x16_load_table tables[8] OCT_ALIGN64 = {
        I32X16_LOAD_TABLE(3),  I32X16_LOAD_TABLE(4),  I32X16_LOAD_TABLE(6),  I32X16_LOAD_TABLE(10),
        I32X16_LOAD_TABLE(13), I32X16_LOAD_TABLE(18), I32X16_LOAD_TABLE(20), I32X16_LOAD_TABLE(24),
    };
    if (bits == 1) {
        uint16_t k;
        memcpy(&k, p, sizeof k);
        return _mm512_maskz_set1_epi32(k, 1);
    }
    const struct i32x16_load_table *table = &tables[i32x16_width(bits)];
    const __m512i in = _mm512_maskz_loadu_epi8(((uint64_t)1 << 2 * bits) - 1, p);
    const __m512i bytes = _mm512_permutexvar_epi8(_mm512_load_si512(table->byte), in);
    const __m512i found = _mm512_srlv_epi32(bytes, _mm512_load_si512(table->shift));
    return _mm512_and_si512(found, _mm512_set1_epi32((1 << bits) - 1));
}

/*
 * Two or, where 64 bits bear it, four numbers become one item. Where an item is no whole bytes the odd ones are shifted
 * by half a byte, and the byte that two items share is put together from both. Byte 7 of the first item is zero.
 */
#define I32X16_ITEM(bits)         ((bits) > 13 ? 2 * (bits) : 4 * (bits))
#define I32X16_ITEM_STEP(bits)    ((bits) > 13 ? 8 : 16)
#define I32X16_ITEM_BYTE(b, k, n) (I32X16_ITEM_STEP(b) * (k) + (n)-I32X16_ITEM(b) * (k) / 8)
#define I32X16_K_FIRST(b, n)      (8 * (n) / I32X16_ITEM(b))
#define I32X16_K_LAST(b, n)       ((8 * (n) + 7) / I32X16_ITEM(b))
#define I32X16_FIRST(b, n)        (I32X16_ITEM_BYTE(b, I32X16_K_FIRST(b, n), n) & 63)
#define I32X16_LAST(b, n)                                                                                              \
    (I32X16_K_LAST(b, n) == I32X16_K_FIRST(b, n) ? 7 : I32X16_ITEM_BYTE(b, I32X16_K_LAST(b, n), n) & 63)
#define I32X16_STORE_TABLE(bits)                                                                                       \
    {                                                                                                                  \
        UNITS_BYTES(I32X16_FIRST, bits), UNITS_BYTES(I32X16_LAST, bits)                                                \
    }
OCT_INLINE __m512i i32x16_items(i32x16 a, unsigned bits)
{
    const __m512i low = _mm512_and_si512(a, _mm512_set1_epi64(0xffffffff));
    const __m512i pairs = _mm512_or_si512(low, _mm512_slli_epi64(_mm512_srli_epi64(a, 32), bits));
    return bits > 13 ? pairs : _mm512_or_si512(pairs, _mm512_slli_epi64(_mm512_unpackhi_epi64(pairs, pairs), 2 * bits));
}
OCT_INLINE __m512i i32x16_shift_odd_items(__m512i items, unsigned bits)
{
    return _mm512_sllv_epi64(items, bits > 13 ? _mm512_set_epi64(4, 0, 4, 0, 4, 0, 4, 0)
                                              : _mm512_set_epi64(0, 4, 0, 0, 0, 4, 0, 0));
}
OCT_INLINE void i32x16_store_bits(uint8_t *p, i32x16 a, unsigned bits)
{
    static const uint8_t tables[7][2][64] OCT_ALIGN64 = {
        I32X16_STORE_TABLE(3),  I32X16_STORE_TABLE(4),  I32X16_STORE_TABLE(6),  I32X16_STORE_TABLE(10),
        I32X16_STORE_TABLE(13), I32X16_STORE_TABLE(18), I32X16_STORE_TABLE(20),
    };
    if (bits == 1) {
        const uint16_t k = _mm512_test_epi32_mask(a, a);
        memcpy(p, &k, sizeof k);
        return;
    }
    const uint8_t(*table)[64] = tables[i32x16_width(bits)];
    __m512i bytes;
    if (I32X16_ITEM(bits) % 8 == 0) {
        bytes = _mm512_permutexvar_epi8(_mm512_load_si512(table[0]), i32x16_items(a, bits));
    } else {
        const __m512i items = i32x16_shift_odd_items(i32x16_items(a, bits), bits);
        bytes = _mm512_or_si512(_mm512_permutexvar_epi8(_mm512_load_si512(table[0]), items),
                                _mm512_permutexvar_epi8(_mm512_load_si512(table[1]), items));
    }
    _mm512_mask_storeu_epi8(p, ((uint64_t)1 << 2 * bits) - 1, bytes);
}

OCT_INLINE unsigned i32x16_store_below_declassify(int32_t *to, i32x16 a, int32_t limit)
{
    const __mmask16 k = _mm512_cmplt_epi32_mask(a, _mm512_set1_epi32(limit));
    _mm512_storeu_si512(to, _mm512_maskz_compress_epi32(k, a));
    return (unsigned)__builtin_popcount(k);
}
OCT_INLINE unsigned i32x16_any_above_declassify(i32x16 a, int32_t limit)
{
    return _mm512_cmpgt_epi32_mask(a, _mm512_set1_epi32(limit)) != 0;
}
OCT_INLINE unsigned i32x16_sum_above_declassify(i32x16 a, int32_t limit)
{
    return _mm512_reduce_add_epi32(a) > limit;
}

#endif
