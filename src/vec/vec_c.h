/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The portable backend of the vector contract: eight words and plain loops. It exists to be checked (sanitizers,
 * valgrind, secret marking, differential tests) and to let everything build and pass on any CPU; it is not meant to be
 * fast. Multiplicands are truncated to 52 bits exactly as the IFMA instructions do it.
 */
#ifndef OCT_VEC_C_H
#define OCT_VEC_C_H

#if defined(OCT_ROWS)
#define OCT_NAME(name) oct_cs_##name
#else
#define OCT_NAME(name) oct_c_##name
#endif
#define VEC_UNROLL
/* A function of its own: vectors are memory here, and one frame with those of many steps would be too large. */
#define VEC_STEP    static __attribute__((noinline, unused))
#define VEC_CHAIN   static __attribute__((noinline, unused))
#define VEC_FENCE() ((void)0)

typedef struct {
    uint64_t p[V8_LANES];
} v8;
/* All ones or all zeros in each word. */
typedef struct {
    uint64_t p[V8_LANES];
} m8;
typedef struct {
    uint64_t p[V8_LANES];
} w8;

#define V8_EACH(i)                                                                                                     \
    OCT_UNROLL                                                                                                         \
    for (int i = 0; i < V8_LANES; i++)

OCT_INLINE v8 v8_set1(uint64_t x)
{
    v8 r;
    V8_EACH(i) r.p[i] = x;
    return r;
}
OCT_INLINE v8 v8_zero(void)
{
    return v8_set1(0);
}
OCT_INLINE v8 v8_load52(const uint64_t p[V8_LANES])
{
    v8 r;
    V8_EACH(i) r.p[i] = p[i];
    return r;
}
OCT_INLINE void v8_store52(uint64_t p[V8_LANES], v8 a)
{
    V8_EACH(i) p[i] = a.p[i];
}
PARTS_2(v8, v8_add, x + y)
PARTS_2(v8, v8_sub, x - y)
PARTS_2(v8, v8_or, x | y)
PARTS_2(v8, v8_xor, x ^ y)
PARTS_BY(v8, v8_low, x &(((uint64_t)1 << bits) - 1))
VEC_1(v8, v8_low52, v8_low(a, 52))
PARTS_BY(v8, v8_sll, x << bits)
PARTS_BY(v8, v8_sra, (uint64_t)((int64_t)x >> bits))
PARTS_BY(v8, v8_srl, x >> bits)
OCT_INLINE unsigned __int128 v8_product52(uint64_t a, uint64_t b)
{
    return (unsigned __int128)(a & V8_LIMB_MASK) * (b & V8_LIMB_MASK);
}
PARTS_3(v8, v8_madd52lo, x + ((uint64_t)v8_product52(y, z) & V8_LIMB_MASK))
PARTS_3(v8, v8_madd52hi, x + (uint64_t)(v8_product52(y, z) >> 52))
VEC_2(v8, v8_mul52lo_trunc, v8_madd52lo(v8_zero(), a, b))
OCT_INLINE v8 v8_mul_small(v8 a, uint32_t c)
{
    V8_EACH(i) a.p[i] *= c;
    return a;
}
OCT_INLINE v8 v8_mul_short(v8 a, uint32_t c)
{
    V8_EACH(i) a.p[i] = (uint64_t)(uint32_t)a.p[i] * c;
    return a;
}
VEC_3(v8, v8_madd52lo_trunc, v8_madd52lo(a, b, c))
VEC_3(v8, v8_madd52hi_trunc, v8_madd52hi(a, b, c))
OCT_INLINE v8 v8_madd52lo_pow2(v8 acc, v8 a, unsigned bits)
{
    return v8_madd52lo(acc, a, v8_set1((uint64_t)1 << bits));
}
OCT_INLINE v8 v8_madd52hi_pow2(v8 acc, v8 a, unsigned bits)
{
    return v8_madd52hi(acc, a, v8_set1((uint64_t)1 << bits));
}
OCT_INLINE v8 v8_lookup_shared16(const uint64_t table[16], v8 index)
{
    v8 r = v8_zero();
    for (uint64_t entry = 0; entry < 16; entry++)
        V8_EACH(i) r.p[i] |= table[entry] & ~oct_mask_nonzero(index.p[i] ^ entry);
    return r;
}
OCT_INLINE v8 v8_swap_halves(v8 a)
{
    v8 r;
    V8_EACH(i) r.p[i] = a.p[i ^ 4];
    return r;
}
OCT_INLINE m8 v8_is_negative(v8 a)
{
    m8 m;
    V8_EACH(i) m.p[i] = oct_value_barrier((uint64_t)0 - (oct_value_barrier(a.p[i]) >> 63));
    return m;
}
OCT_INLINE m8 v8_is_nonzero(v8 a)
{
    m8 m;
    V8_EACH(i) m.p[i] = oct_mask_nonzero(a.p[i]);
    return m;
}
OCT_INLINE m8 v8_test_bit(v8 a, unsigned bit)
{
    m8 m;
    V8_EACH(i) m.p[i] = oct_value_barrier((uint64_t)0 - ((a.p[i] >> bit) & 1));
    return m;
}
OCT_INLINE v8 v8_select(m8 m, v8 a, v8 b)
{
    V8_EACH(i) a.p[i] = b.p[i] ^ ((a.p[i] ^ b.p[i]) & m.p[i]);
    return a;
}
PARTS_2(m8, m8_or, x | y)
PARTS_2(m8, m8_and, x &y)
PARTS_1(m8, m8_not, ~x)
OCT_INLINE unsigned m8_declassify(m8 m)
{
    unsigned r = 0;
    V8_EACH(i) r |= (unsigned)(m.p[i] & 1) << i;
    OCT_DECLASSIFY(&r, sizeof r);
    return r;
}
/* Under secret marking the comparison would itself be a branch on a secret; the bound is checked in all other runs. */
OCT_INLINE v8 v8_proved_bound(v8 a, uint64_t max)
{
    if (!OCT_CHECKMEM_ON())
        V8_EACH(i) OCT_ASSERT(a.p[i] <= max);
    return a;
}
OCT_INLINE v8 v8_argument_bound(v8 a, uint64_t max)
{
    return v8_proved_bound(a, max);
}
OCT_INLINE void v8_clear_registers(void)
{
}
OCT_INLINE w8 w8_set1(uint64_t x)
{
    w8 r;
    V8_EACH(i) r.p[i] = x;
    return r;
}
OCT_INLINE w8 w8_load(const uint64_t p[V8_LANES])
{
    w8 r;
    V8_EACH(i) r.p[i] = p[i];
    return r;
}
OCT_INLINE void w8_store(uint64_t p[V8_LANES], w8 a)
{
    V8_EACH(i) p[i] = a.p[i];
}
PARTS_2(w8, w8_add, x + y)
PARTS_3(w8, w8_xor3, x ^ (y ^ z))
PARTS_BY(w8, w8_ror, x >> bits | x << (64 - bits))
PARTS_BY(w8, w8_srl, x >> bits)
PARTS_3(w8, w8_choose, (x & y) ^ (~x & z))
PARTS_3(w8, w8_majority, (x & y) | (z & (x | y)))
OCT_INLINE void w8_load_be(w8 word[8], const uint8_t *const lane[V8_LANES], size_t at)
{
    for (int j = 0; j < 8; j++)
        V8_EACH(i)
        {
            word[j].p[i] = 0;
            for (int k = 0; k < 8; k++)
                word[j].p[i] = word[j].p[i] << 8 | lane[i][at + 8 * (size_t)j + (size_t)k];
        }
}

#endif
