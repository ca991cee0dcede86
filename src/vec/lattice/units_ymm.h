/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Moves of 32-bit units between two vectors of sixteen, each two registers of 256 bits, for i16x32_ymm.h and
 * i32x16_ymm.h; and what their ways from and to bits in memory share. */
#ifndef OCT_VEC_UNITS_YMM_H
#define OCT_VEC_UNITS_YMM_H

#include <string.h>

struct units {
    __m256i p[2];
};

#define UNITS_EACH(i)                                                                                                  \
    VEC_UNROLL                                                                                                         \
    for (int i = 0; i < 2; i++)

OCT_INLINE struct units units_load(const void *p)
{
    const __m256i *from = p;
    return (struct units){{_mm256_load_si256(from), _mm256_load_si256(from + 1)}};
}
OCT_INLINE void units_store(void *p, struct units a)
{
    UNITS_EACH(i) _mm256_store_si256((__m256i *)p + i, a.p[i]);
}

OCT_INLINE void units_exchange(struct units *x, struct units *y, unsigned bit)
{
    const struct units a = *x, b = *y;
    if (bit == 3) {
        *x = (struct units){{a.p[0], b.p[0]}};
        *y = (struct units){{a.p[1], b.p[1]}};
        return;
    }
    UNITS_EACH(i)
    {
        if (bit == 2) {
            x->p[i] = _mm256_permute2x128_si256(a.p[i], b.p[i], 0x20);
            y->p[i] = _mm256_permute2x128_si256(a.p[i], b.p[i], 0x31);
        } else if (bit == 1) {
            x->p[i] = _mm256_unpacklo_epi64(a.p[i], b.p[i]);
            y->p[i] = _mm256_unpackhi_epi64(a.p[i], b.p[i]);
        } else {
            x->p[i] = _mm256_blend_epi32(a.p[i], _mm256_slli_epi64(b.p[i], 32), 0xaa);
            y->p[i] = _mm256_blend_epi32(_mm256_srli_epi64(a.p[i], 32), b.p[i], 0xaa);
        }
    }
}
OCT_INLINE void units_zip(struct units *x, struct units *y)
{
    const struct units a = *x, b = *y;
    struct units *const to[2] = {x, y};
    UNITS_EACH(i)
    {
        const __m256i low = _mm256_unpacklo_epi32(a.p[i], b.p[i]), high = _mm256_unpackhi_epi32(a.p[i], b.p[i]);
        to[i]->p[0] = _mm256_permute2x128_si256(low, high, 0x20);
        to[i]->p[1] = _mm256_permute2x128_si256(low, high, 0x31);
    }
}
/* The even units of two registers, or the odd ones. */
OCT_INLINE __m256i units_every_second(struct units a, int odd)
{
    const __m256 x = _mm256_castsi256_ps(a.p[0]), y = _mm256_castsi256_ps(a.p[1]);
    const __m256 r = odd ? _mm256_shuffle_ps(x, y, 0xdd) : _mm256_shuffle_ps(x, y, 0x88);
    return _mm256_permute4x64_epi64(_mm256_castps_si256(r), 0xd8);
}
OCT_INLINE void units_unzip(struct units *x, struct units *y)
{
    const struct units a = *x, b = *y;
    *x = (struct units){{units_every_second(a, 0), units_every_second(b, 0)}};
    *y = (struct units){{units_every_second(a, 1), units_every_second(b, 1)}};
}

/*
 * Numbers of some bits: a quarter of a vector goes to 128 bits, from a place that leaves all 16 bytes within the
 * `total` bytes that there are, or from a copy where there are fewer. Then each number is within the bytes that VPSHUFB
 * brings, and `place` bits too high. UNITS_AT: which byte of a quarter's 16 is byte k of the number `first` + n.
 */
#define UNITS_BEGIN(total, from)    ((total) < 16 ? 0 : (from) < (total)-16 ? (from) : (total)-16)
#define UNITS_PLACE(bits, number)   ((number) * (bits) % 8)
#define UNITS_BYTE(bits, number, k) ((number) * (bits) / 8 + (k))
#define UNITS_WITHIN(byte)          ((byte) < 16 ? (char)(byte) : (char)0x80)
#define UNITS_AT(bits, begin, n, k) UNITS_WITHIN(UNITS_BYTE(bits, n, k) - (begin))
OCT_INLINE __m256i units_load_quarters(const uint8_t *p, int total, int first, int second)
{
    uint8_t copy[16] = {0};
    if (total < 16) {
        memcpy(copy, p, (size_t)total);
        return _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)copy));
    }
    return _mm256_setr_m128i(_mm_loadu_si128((const __m128i *)(const void *)(p + UNITS_BEGIN(total, first))),
                             _mm_loadu_si128((const __m128i *)(const void *)(p + UNITS_BEGIN(total, second))));
}

/* Eight words of `width` (constant) bits, one behind the other: `width` bytes. */
OCT_INLINE void units_store_words(uint8_t *p, const struct units *a, unsigned width)
{
    uint64_t word[8] OCT_ALIGN64, bytes = 0;
    unsigned filled = 0;
    units_store(word, *a);
    VEC_UNROLL
    for (int i = 0; i < 8; i++) {
        bytes |= word[i] << filled;
        filled += width;
        if (filled >= 64) {
            memcpy(p, &bytes, 8);
            p += 8;
            filled -= 64;
            bytes = filled ? word[i] >> (width - filled) : 0;
        }
    }
    memcpy(p, &bytes, width % 8);
}

/* The numbers of the bits that are set in a byte, a byte for each, the lowest first. */
#define UNITS_BIT(m, b, above) ((above) << 8 * ((m) >> (b)&1) | (uint64_t)(b) * ((m) >> (b)&1))
#define UNITS_LOW(m, above)    UNITS_BIT(m, 0, UNITS_BIT(m, 1, UNITS_BIT(m, 2, UNITS_BIT(m, 3, above))))
#define UNITS_HIGH(m)          UNITS_BIT(m, 4, UNITS_BIT(m, 5, UNITS_BIT(m, 6, UNITS_BIT(m, 7, (uint64_t)0))))
#define UNITS_SET(m)           UNITS_LOW(m, UNITS_HIGH(m))
#define UNITS_SET_4(m)         UNITS_SET(m), UNITS_SET((m) + 1), UNITS_SET((m) + 2), UNITS_SET((m) + 3)
#define UNITS_SET_16(m)        UNITS_SET_4(m), UNITS_SET_4((m) + 4), UNITS_SET_4((m) + 8), UNITS_SET_4((m) + 12)
#define UNITS_SET_64(m)        UNITS_SET_16(m), UNITS_SET_16((m) + 16), UNITS_SET_16((m) + 32), UNITS_SET_16((m) + 48)
/* A number comes from a mask that is public. */
OCT_INLINE __m128i units_stay(unsigned mask)
{
    static const uint64_t set[256] = {UNITS_SET_64(0), UNITS_SET_64(64), UNITS_SET_64(128), UNITS_SET_64(192)};
    return _mm_loadl_epi64((const __m128i *)(const void *)&set[mask]);
}

#endif
