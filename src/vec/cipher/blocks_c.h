/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The portable backend of blocks.h: four blocks in words. It exists to be checked (sanitizers, valgrind, secret
 * marking, differential tests) and to let everything build and pass on any CPU; it is not meant to be fast.
 *
 * No table is read: the S-box is computed, on 64 bytes at once as eight planes of bits (inversion in GF(2^8) as the
 * power 254, then the affine map), and carry-less products come from integer products of operands whose bits stand
 * four apart, so that no carry reaches the next bit that counts.
 */
#ifndef OCT_VEC_BLOCKS_C_H
#define OCT_VEC_BLOCKS_C_H

#include <string.h>

#define OCT_NAME(name) oct_c_##name
#define VEC_UNROLL
#define VEC_STEP      static __attribute__((noinline, unused))
#define BV_LANES      4
#define BV_MID        3
#define BV_BULK       8
#define BV_HOLDS_BULK 1

typedef struct {
    uint64_t w[2];
} b1;
typedef struct {
    b1 p[BV_LANES];
} bv;

#define BV_EACH(i)                                                                                                     \
    OCT_UNROLL                                                                                                         \
    for (int i = 0; i < BV_LANES; i++)

OCT_INLINE b1 b1_zero(void)
{
    return (b1){{0, 0}};
}
OCT_INLINE b1 b1_set(uint64_t low, uint64_t high)
{
    return (b1){{low, high}};
}
OCT_INLINE b1 b1_set32(uint32_t word)
{
    const uint64_t twice = word | (uint64_t)word << 32;
    return b1_set(twice, twice);
}
OCT_INLINE uint32_t b1_get32(b1 a)
{
    return (uint32_t)a.w[0];
}
OCT_INLINE uint64_t b1_any(b1 a)
{
    return a.w[0] | a.w[1];
}
OCT_INLINE b1 b1_load(const uint8_t *p)
{
    b1 r;
    memcpy(&r, p, 16);
    return r;
}
OCT_INLINE void b1_store(uint8_t *p, b1 a)
{
    memcpy(p, &a, 16);
}
OCT_INLINE b1 b1_load_part(const uint8_t *p, size_t n)
{
    b1 r = b1_zero();
    if (n)
        memcpy(&r, p, n);
    return r;
}
VEC_2(b1, b1_xor, b1_set(a.w[0] ^ b.w[0], a.w[1] ^ b.w[1]))
VEC_2(b1, b1_or, b1_set(a.w[0] | b.w[0], a.w[1] | b.w[1]))
VEC_1(b1, b1_reverse, b1_set(__builtin_bswap64(a.w[1]), __builtin_bswap64(a.w[0])))
VEC_1(b1, b1_swap, b1_set(a.w[1], a.w[0]))
OCT_INLINE uint64_t blocks_add32(uint64_t a, uint64_t b)
{
    return (uint64_t)((uint32_t)(a >> 32) + (uint32_t)(b >> 32)) << 32 | (uint32_t)((uint32_t)a + (uint32_t)b);
}
VEC_2(b1, b1_add32, b1_set(blocks_add32(a.w[0], b.w[0]), blocks_add32(a.w[1], b.w[1])))
OCT_INLINE b1 b1_double(b1 a)
{
    const uint64_t all = oct_value_barrier((uint64_t)0 - (oct_value_barrier(a.w[1]) >> 63));
    return b1_set((a.w[0] << 1) ^ (all & 1), (a.w[1] << 1 | a.w[0] >> 63) ^ (all & 0xc200000000000000));
}
OCT_INLINE b1 b1_number(uint64_t number)
{
    number = __builtin_bswap64(number);
    return b1_set(number << 32, number >> 32);
}

/* --- carry-less products */

/* The lower 64 bits. A column of an integer product sums at most sixteen ones; only the highest one can have so many,
 * and its carry leaves the word. */
OCT_INLINE uint64_t blocks_product_low(uint64_t a, uint64_t b)
{
    const uint64_t every4 = 0x1111111111111111;
    uint64_t r = 0;
    for (int i = 0; i < 4; i++) {
        uint64_t column = 0;
        for (int j = 0; j < 4; j++)
            column ^= (a & every4 << j) * (b & every4 << ((4 + i - j) & 3));
        r |= column & every4 << i;
    }
    return r;
}
OCT_INLINE uint64_t blocks_mirror(uint64_t a)
{
    a = (a & 0x5555555555555555) << 1 | (a >> 1 & 0x5555555555555555);
    a = (a & 0x3333333333333333) << 2 | (a >> 2 & 0x3333333333333333);
    a = (a & 0x0f0f0f0f0f0f0f0f) << 4 | (a >> 4 & 0x0f0f0f0f0f0f0f0f);
    return __builtin_bswap64(a);
}
/* The upper bits are the lower bits of the mirrored operands' product. */
static __attribute__((noinline, unused)) b1 blocks_product(uint64_t a, uint64_t b)
{
    return b1_set(blocks_product_low(a, b), blocks_mirror(blocks_product_low(blocks_mirror(a), blocks_mirror(b))) >> 1);
}
VEC_2(b1, b1_mul_low, blocks_product(a.w[0], b.w[0]))
VEC_2(b1, b1_mul_high, blocks_product(a.w[1], b.w[1]))
VEC_2(b1, b1_mul_mixed, blocks_product(a.w[0], b.w[1]))

/* --- AES */

/* Bits `mask` of *high with the bits of *low that stand `shift` above them, exchanged. */
OCT_INLINE void blocks_exchange(uint64_t *low, uint64_t *high, unsigned shift, uint64_t mask)
{
    const uint64_t change = (*low >> shift ^ *high) & mask;
    *high ^= change;
    *low ^= change << shift;
}
/* From bytes to planes of bits, in some order of the bytes, and back again: it is its own reverse. */
OCT_INLINE void blocks_planes(uint64_t q[8])
{
    for (int i = 0; i < 8; i += 2)
        blocks_exchange(&q[i], &q[i + 1], 1, 0x5555555555555555);
    for (int i = 0; i < 8; i++)
        if (!(i & 2))
            blocks_exchange(&q[i], &q[i + 2], 2, 0x3333333333333333);
    for (int i = 0; i < 4; i++)
        blocks_exchange(&q[i], &q[i + 4], 4, 0x0f0f0f0f0f0f0f0f);
}
/* Modulo x^8 + x^4 + x^3 + x + 1. */
OCT_INLINE void blocks_field_reduce(uint64_t r[8], uint64_t c[15])
{
    for (int i = 14; i >= 8; i--) {
        c[i - 4] ^= c[i];
        c[i - 5] ^= c[i];
        c[i - 7] ^= c[i];
        c[i - 8] ^= c[i];
    }
    memcpy(r, c, 8 * sizeof c[0]);
}
static __attribute__((noinline, unused)) void blocks_field_mul(uint64_t r[8], const uint64_t a[8], const uint64_t b[8])
{
    uint64_t c[15] = {0};
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++)
            c[i + j] ^= a[i] & b[j];
    blocks_field_reduce(r, c);
}
static __attribute__((noinline, unused)) void blocks_field_square(uint64_t r[8], const uint64_t a[8], int times)
{
    memcpy(r, a, 8 * sizeof r[0]);
    for (; times > 0; times--) {
        uint64_t c[15] = {0};
        for (int i = 0; i < 8; i++)
            c[2 * i] = r[i];
        blocks_field_reduce(r, c);
    }
}
/* The S-box: x^254 = x^240 * x^14, then the affine map. */
static __attribute__((noinline, unused)) void blocks_substitute(uint64_t x[8])
{
    uint64_t a2[8], a12[8], a[8], b[8];
    blocks_field_square(a2, x, 1);
    blocks_field_mul(a, a2, x);
    blocks_field_square(a12, a, 2);
    blocks_field_mul(b, a12, a);
    blocks_field_square(a, b, 4);
    blocks_field_mul(b, a12, a2);
    blocks_field_mul(a2, a, b);
    for (int i = 0; i < 8; i++) {
        x[i] = a2[i] ^ a2[(i + 4) & 7] ^ a2[(i + 5) & 7] ^ a2[(i + 6) & 7] ^ a2[(i + 7) & 7];
        x[i] ^= (uint64_t)0 - (0x63 >> i & 1);
    }
}
OCT_INLINE uint8_t blocks_double_byte(uint8_t a)
{
    return (uint8_t)(a << 1 ^ (a >> 7) * 0x1b);
}
/* ShiftRows of one block, and MixColumns unless it is the last round. */
OCT_INLINE void blocks_columns(uint8_t out[16], const uint8_t in[16], int last)
{
    for (int column = 0; column < 4; column++) {
        uint8_t a[4];
        for (int row = 0; row < 4; row++)
            a[row] = in[(4 * (column + row) + row) & 15];
        const uint8_t all = a[0] ^ a[1] ^ a[2] ^ a[3];
        for (int row = 0; row < 4; row++)
            out[4 * column + row] = last ? a[row] : a[row] ^ all ^ blocks_double_byte(a[row] ^ a[(row + 1) & 3]);
    }
}
static __attribute__((noinline, unused)) bv blocks_round(bv a, int last)
{
    uint64_t q[8];
    uint8_t from[64], to[64];
    memcpy(q, &a, sizeof q);
    blocks_planes(q);
    blocks_substitute(q);
    blocks_planes(q);
    memcpy(from, q, sizeof from);
    for (int i = 0; i < 4; i++)
        blocks_columns(to + 16 * i, from + 16 * i, last);
    memcpy(&a, to, sizeof a);
    return a;
}

/* --- vectors */

OCT_INLINE bv bv_zero(void)
{
    return (bv){{{{0, 0}}}};
}
OCT_INLINE bv bv_set1(b1 a)
{
    return (bv){{a, a, a, a}};
}
OCT_INLINE bv bv_broadcast(const uint8_t *p)
{
    return bv_set1(b1_load(p));
}
OCT_INLINE bv bv_first_lane(b1 a)
{
    bv r = bv_zero();
    r.p[0] = a;
    return r;
}
OCT_INLINE b1 bv_first(bv a)
{
    return a.p[0];
}
OCT_INLINE b1 bv_fold(bv a)
{
    return b1_xor(b1_xor(a.p[0], a.p[1]), b1_xor(a.p[2], a.p[3]));
}
OCT_INLINE b1 bv_lane(bv a, const int i)
{
    return a.p[i];
}
OCT_INLINE bv bv_blend(bv a, const int i, bv b)
{
    a.p[i] = b.p[i];
    return a;
}
OCT_INLINE bv bv_fold4(bv a, bv b, bv c, bv d)
{
    return (bv){{bv_fold(a), bv_fold(b), bv_fold(c), bv_fold(d)}};
}
OCT_INLINE bv bv_number(uint64_t number)
{
    return bv_set1(b1_number(number));
}
OCT_INLINE bv bv_last_bytes(const uint8_t n0, const uint8_t n1, const uint8_t n2, const uint8_t n3)
{
    return (bv){
        {{{0, (uint64_t)n0 << 56}}, {{0, (uint64_t)n1 << 56}}, {{0, (uint64_t)n2 << 56}}, {{0, (uint64_t)n3 << 56}}}};
}
OCT_INLINE bv bv_xor_lower(bv a, bv b, bv c)
{
    return (bv){{b1_xor(a.p[0], b.p[0]), b1_xor(a.p[1], b.p[1]), c.p[2], c.p[3]}};
}
PARTS_2(bv, bv_and, b1_set(x.w[0] & y.w[0], x.w[1] & y.w[1]))
OCT_INLINE bv bv_first_bytes(const size_t n[4])
{
    bv r = bv_zero();
    BV_EACH(i) memset(&r.p[i], 0xff, n[i]);
    return r;
}
OCT_INLINE void bv_transpose(bv x[4])
{
    bv r[4];
    BV_EACH(i) BV_EACH(j) r[j].p[i] = x[i].p[j];
    memcpy(x, r, sizeof r);
}
OCT_INLINE bv bv_put(bv a, size_t i, b1 block)
{
    a.p[i] = block;
    return a;
}
OCT_INLINE bv bv_lane_numbers(void)
{
    return (bv){{{{0, 0}}, {{1, 0}}, {{2, 0}}, {{3, 0}}}};
}
OCT_INLINE bv bv_load_part(const uint8_t *p, size_t n)
{
    bv r = bv_zero();
    if (n)
        memcpy(&r, p, n);
    return r;
}
OCT_INLINE bv bv_load_ending(const uint8_t *p, size_t n)
{
    bv r = bv_zero();
    if (n)
        memcpy(&r.p[BV_LANES - (n + 15) / 16], p, n);
    return r;
}
OCT_INLINE bv bv_load(const uint8_t *p)
{
    return bv_load_part(p, 64);
}
OCT_INLINE void bv_store_part(uint8_t *p, bv a, size_t n)
{
    if (n)
        memcpy(p, &a, n);
}
OCT_INLINE void bv_store(uint8_t *p, bv a)
{
    bv_store_part(p, a, 64);
}
OCT_INLINE bv bv_keep(bv a, size_t n)
{
    bv r = bv_zero();
    memcpy(&r, &a, n);
    return r;
}
OCT_INLINE bv bv_load_above(const uint8_t *p, size_t n)
{
    bv r = bv_zero();
    if (n)
        memcpy(&r.p[1], p, n);
    return r;
}
OCT_INLINE void bv_store_above(uint8_t *p, bv a, size_t n)
{
    if (n)
        memcpy(p, &a.p[1], n);
}
OCT_INLINE bv bv_keep_above(bv a, size_t n)
{
    bv r = bv_zero();
    memcpy(&r.p[1], &a.p[1], n);
    return r;
}

/* Lane by lane. */
#define BV_BY_LANE2(name)                                                                                              \
    OCT_INLINE bv bv_##name(bv a, bv b)                                                                                \
    {                                                                                                                  \
        BV_EACH(i) a.p[i] = b1_##name(a.p[i], b.p[i]);                                                                 \
        return a;                                                                                                      \
    }
#define BV_BY_LANE1(name)                                                                                              \
    OCT_INLINE bv bv_##name(bv a)                                                                                      \
    {                                                                                                                  \
        BV_EACH(i) a.p[i] = b1_##name(a.p[i]);                                                                         \
        return a;                                                                                                      \
    }
BV_BY_LANE2(xor)
BV_BY_LANE2(add32)
BV_BY_LANE1(reverse)
BV_BY_LANE1(swap)

/* Words `wa` of a's lanes times words `wb` of b's: a function of its own, or kernels would take minutes to compile. */
static __attribute__((noinline, unused)) bv blocks_products(bv a, bv b, int wa, int wb)
{
    BV_EACH(i) a.p[i] = blocks_product(a.p[i].w[wa], b.p[i].w[wb]);
    return a;
}
VEC_2(bv, bv_mul_low, blocks_products(a, b, 0, 0))
VEC_2(bv, bv_mul_high, blocks_products(a, b, 1, 1))
VEC_2(bv, bv_mul_mixed, blocks_products(a, b, 0, 1))
OCT_INLINE bv bv_pair(b1 lane0, b1 lane1)
{
    return (bv){{lane0, lane1, b1_zero(), b1_zero()}};
}
VEC_2(bv, bv_pair_mul_low, bv_mul_low(a, b))
VEC_2(bv, bv_pair_mul_high, bv_mul_high(a, b))
VEC_2(bv, bv_pair_mul_mixed, bv_xor(bv_mul_mixed(a, b), bv_mul_mixed(b, a)))
VEC_3(bv, bv_xor3, bv_xor(bv_xor(a, b), c))
PARTS_2(bv, bv_lower_halves, b1_set(x.w[0], y.w[0]))
PARTS_2(bv, bv_upper_halves, b1_set(x.w[1], y.w[1]))
VEC_2(bv, bv_aes, bv_xor(blocks_round(a, 0), b))
VEC_2(bv, bv_aes_last, bv_xor(blocks_round(a, 1), b))
VEC_2(b1, b1_aes, b1_xor(bv_first(blocks_round(bv_first_lane(a), 0)), b))
VEC_2(b1, b1_aes_last, b1_xor(bv_first(blocks_round(bv_first_lane(a), 1)), b))
OCT_INLINE void blocks_loads_first(void)
{
}
OCT_INLINE void blocks_clear_registers(void)
{
}
OCT_INLINE void blocks_clear_low_registers(void)
{
}

#endif
