/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The words of ciphers in records (vec_proof.h), lane by lane, as rows are turned. Memory holds the numbers of lines; a
 * counter is an input that numbers may be added to before it comes into lanes. */
#ifndef OCT_VEC_WORDS_PROOF_H
#define OCT_VEC_WORDS_PROOF_H

#if TIER_WIDE
#define WORDS_LANES 8
#else
#define WORDS_LANES 16
#endif
typedef struct {
    int line[WORDS_LANES];
} words;

int oct_proof_record(const char *operation, int a, int b, int c, uint64_t constant);
/* The line of the counter plus a number. */
int oct_proof_counter(uint32_t plus);
#define PROOF_TAG32     ((uint32_t)0xab << 24)
#define PROOF_COUNTER32 ((uint32_t)0xac << 24)

OCT_INLINE int proof_word(uint32_t x)
{
    if ((x ^ PROOF_TAG32) >> 24 == 0)
        return (int)(x ^ PROOF_TAG32);
    if ((x ^ PROOF_COUNTER32) >> 24 == 0)
        return oct_proof_counter(x ^ PROOF_COUNTER32);
    return oct_proof_record("word32_constant", 0, 0, 0, x);
}
#define PROOF_WORDS(r, value)                                                                                          \
    words r;                                                                                                           \
    for (unsigned i = 0; i < WORDS_LANES; i++)                                                                         \
    r.line[i] = value

OCT_INLINE words words_set1(uint32_t x)
{
    PROOF_WORDS(r, proof_word(x));
    return r;
}
OCT_INLINE words words_lane_numbers(void)
{
    PROOF_WORDS(r, proof_word(i));
    return r;
}
OCT_INLINE words words_set_rows(const uint32_t row[4])
{
    PROOF_WORDS(r, proof_word(row[i % 4]));
    return r;
}
OCT_INLINE words words_row_numbers(uint32_t first)
{
    PROOF_WORDS(r, proof_word(i % 4 ? 0 : first + i / 4));
    return r;
}
OCT_INLINE words words_add(words a, words b)
{
    PROOF_WORDS(r, oct_proof_record("word32_add", a.line[i], b.line[i], 0, 0));
    return r;
}
OCT_INLINE words words_xor(words a, words b)
{
    PROOF_WORDS(r, oct_proof_record("word32_xor", a.line[i], b.line[i], 0, 0));
    return r;
}
OCT_INLINE words words_rol(words a, unsigned bits)
{
    PROOF_WORDS(r, oct_proof_record("word32_ror", a.line[i], 0, 0, 32 - bits));
    return r;
}
OCT_INLINE words words_turn_rows(words a, unsigned n)
{
    PROOF_WORDS(r, a.line[i / 4 * 4 + (i + n) % 4]);
    return r;
}
/* As in words_c.h. */
OCT_INLINE void words_to_blocks(words *x, unsigned count, unsigned of)
{
    words t[16];
    for (unsigned n = 0; n < count * WORDS_LANES; n++)
        t[n / WORDS_LANES].line[n % WORDS_LANES] = x[n % 16 / of].line[n / 16 * of + n % of];
    memcpy(x, t, count * sizeof *x);
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
    PROOF_WORDS(r, proof_word(tier_load32(p + 4 * i)));
    return r;
}
OCT_INLINE void words_store(uint8_t *p, words a)
{
    for (unsigned i = 0; i < WORDS_LANES; i++)
        tier_store32(p + 4 * i, PROOF_TAG32 ^ (uint32_t)a.line[i]);
}
OCT_INLINE void words_store_away(uint8_t *p, words a)
{
    words_store(p, a);
}
/* Parts of whole words. */
OCT_INLINE words words_load_part(const uint8_t *p, size_t len)
{
    PROOF_WORDS(r, proof_word(4 * i < len ? tier_load32(p + 4 * i) : 0));
    return r;
}
OCT_INLINE void words_store_part(uint8_t *p, words a, size_t len)
{
    for (unsigned i = 0; 4 * i < len; i++)
        tier_store32(p + 4 * i, PROOF_TAG32 ^ (uint32_t)a.line[i]);
}

#endif
