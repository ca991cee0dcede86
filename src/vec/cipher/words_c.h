/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The portable backend of words.h: sixteen words, or eight, and plain loops. It is there to be checked, not to be fast.
 */
#ifndef OCT_VEC_WORDS_C_H
#define OCT_VEC_WORDS_C_H

#if TIER_WIDE
#define WORDS_LANES 8
#else
#define WORDS_LANES 16
#endif
typedef struct {
    uint32_t p[WORDS_LANES];
} words;

#define WORDS_EACH(i)                                                                                                  \
    OCT_UNROLL                                                                                                         \
    for (unsigned i = 0; i < WORDS_LANES; i++)

OCT_INLINE words words_set1(uint32_t x)
{
    words r;
    WORDS_EACH(i) r.p[i] = x;
    return r;
}
OCT_INLINE words words_lane_numbers(void)
{
    words r;
    WORDS_EACH(i) r.p[i] = i;
    return r;
}
OCT_INLINE words words_set_rows(const uint32_t row[4])
{
    words r;
    WORDS_EACH(i) r.p[i] = row[i % 4];
    return r;
}
OCT_INLINE words words_row_numbers(uint32_t first)
{
    words r;
    WORDS_EACH(i) r.p[i] = i % 4 ? 0 : first + i / 4;
    return r;
}
PARTS_2(words, words_add, x + y)
PARTS_2(words, words_xor, x ^ y)
PARTS_BY(words, words_rol, x << bits | x >> (32 - bits))
OCT_INLINE words words_turn_rows(words a, unsigned n)
{
    words r;
    WORDS_EACH(i) r.p[i] = a.p[i / 4 * 4 + (i + n) % 4];
    return r;
}
OCT_INLINE words words_put_row(words a, unsigned row, const uint8_t *p)
{
    for (unsigned i = 0; i < 4; i++)
        a.p[4 * row + i] = tier_load32(p + 4 * i);
    return a;
}
OCT_INLINE void words_store_row(uint8_t *p, words a, unsigned row)
{
    for (unsigned i = 0; i < 16; i++)
        p[i] = (uint8_t)(a.p[4 * row + i / 4] >> (8 * (i % 4)));
}
/* `count` vectors from the words of blocks: word i of block b is lane x[i / of].p[b * of + i % of]. */
OCT_INLINE void words_to_blocks(words *x, unsigned count, unsigned of)
{
    words t[16];
    for (unsigned n = 0; n < count * WORDS_LANES; n++)
        t[n / WORDS_LANES].p[n % WORDS_LANES] = x[n % 16 / of].p[n / 16 * of + n % of];
    for (unsigned i = 0; i < count; i++)
        x[i] = t[i];
}
OCT_INLINE void words_lanes_to_blocks(words x[16])
{
    words_to_blocks(x, 16, 1);
}
OCT_INLINE void words_rows_to_blocks(words x[4])
{
    words_to_blocks(x, 4, 4);
}
OCT_INLINE words words_load(const uint8_t *p)
{
    words r;
    WORDS_EACH(i)
    r.p[i] =
        (uint32_t)p[4 * i] | (uint32_t)p[4 * i + 1] << 8 | (uint32_t)p[4 * i + 2] << 16 | (uint32_t)p[4 * i + 3] << 24;
    return r;
}
OCT_INLINE words words_load_part(const uint8_t *p, size_t len)
{
    words r = words_set1(0);
    for (size_t i = 0; i < len; i++)
        r.p[i / 4] |= (uint32_t)p[i] << (8 * (i % 4));
    return r;
}
OCT_INLINE void words_store_part(uint8_t *p, words a, size_t len)
{
    for (size_t i = 0; i < len; i++)
        p[i] = (uint8_t)(a.p[i / 4] >> (8 * (i % 4)));
}
OCT_INLINE void words_store(uint8_t *p, words a)
{
    words_store_part(p, a, 4 * WORDS_LANES);
}
OCT_INLINE void words_store_away(uint8_t *p, words a)
{
    words_store(p, a);
}
OCT_INLINE words words_keep(words a, size_t len)
{
    for (size_t i = len; i < 4 * WORDS_LANES; i++)
        a.p[i / 4] &= ~((uint32_t)0xff << (8 * (i % 4)));
    return a;
}
OCT_INLINE void words_clear_registers(void)
{
}

#endif
