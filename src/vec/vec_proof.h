/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The proof backend of the vector contract, for tests only: a v8 is the number of a line in a record of all operations.
 * As no lane ever wraps (vec_bound.h), a lane is an integer, and the record a list of equations between integers, for
 * all inputs. tests/library/proof/prove.py shows that what a kernel step is meant to compute follows from them. All
 * lanes are alike here; memory holds the numbers of lines.
 */
#ifndef OCT_VEC_PROOF_H
#define OCT_VEC_PROOF_H

#define OCT_NAME(name) oct_proof_##name
#define VEC_UNROLL
#define VEC_STEP    static inline __attribute__((unused))
#define VEC_CHAIN   static inline __attribute__((unused))
#define VEC_FENCE() ((void)0)

typedef struct {
    int line;
} v8, m8, w8;

/* Writes `operation a b c constant`, and returns the number of that line. */
int oct_proof_record(const char *operation, int a, int b, int c, uint64_t constant);
/* What a word of memory holds: such a number. */
#define PROOF_TAG ((uint64_t)0xabcde << 44)

/* These limbs of `bits` bits are one number, which prove.py then knows by one name. */
void oct_proof_number(const v8 *limbs, int n, unsigned bits);
#define V8_NUMBER(limbs, n, bits) oct_proof_number(limbs, n, bits)

OCT_INLINE v8 proof_op(const char *operation, v8 a, v8 b, uint64_t constant)
{
    return (v8){oct_proof_record(operation, a.line, b.line, 0, constant)};
}
OCT_INLINE v8 v8_set1(uint64_t x)
{
    return (v8){oct_proof_record("constant", 0, 0, 0, x)};
}
OCT_INLINE v8 v8_zero(void)
{
    return v8_set1(0);
}
OCT_INLINE v8 v8_load52(const uint64_t p[V8_LANES])
{
    if ((p[0] ^ PROOF_TAG) >> 44 == 0)
        return (v8){(int)(p[0] ^ PROOF_TAG)};
    return v8_set1(p[0]);
}
OCT_INLINE void v8_store52(uint64_t p[V8_LANES], v8 a)
{
    for (int i = 0; i < V8_LANES; i++)
        p[i] = PROOF_TAG ^ (uint64_t)proof_op("limb", a, a, V8_LIMB_MASK).line;
}
VEC_2(v8, v8_add, proof_op("add", a, b, 0))
VEC_2(v8, v8_sub, proof_op("sub", a, b, 0))
VEC_2(v8, v8_or, proof_op("or", a, b, 0))
VEC_2(v8, v8_xor, proof_op("xor", a, b, 0))
VEC_BY(v8, v8_low, proof_op("low", a, a, bits))
VEC_1(v8, v8_low52, v8_low(a, 52))
VEC_BY(v8, v8_sll, proof_op("times", a, a, (uint64_t)1 << bits))
VEC_BY(v8, v8_sra, proof_op("sra", a, a, bits))
VEC_BY(v8, v8_srl, proof_op("srl", a, a, bits))
VEC_3(v8, v8_madd52lo, (v8){oct_proof_record("madd52lo", a.line, b.line, c.line, 0)})
VEC_3(v8, v8_madd52hi, (v8){oct_proof_record("madd52hi", a.line, b.line, c.line, 0)})
VEC_2(v8, v8_mul52lo_trunc, proof_op("mul52lo", a, b, 0))
VEC_3(v8, v8_madd52lo_trunc, v8_madd52lo(a, v8_low52(b), c))
VEC_3(v8, v8_madd52hi_trunc, v8_madd52hi(a, v8_low52(b), c))
OCT_INLINE v8 v8_madd52lo_pow2(v8 acc, v8 a, unsigned bits)
{
    return v8_madd52lo_trunc(acc, a, v8_set1((uint64_t)1 << bits));
}
OCT_INLINE v8 v8_madd52hi_pow2(v8 acc, v8 a, unsigned bits)
{
    return v8_madd52hi_trunc(acc, a, v8_set1((uint64_t)1 << bits));
}
OCT_INLINE v8 v8_mul_small(v8 a, uint32_t c)
{
    return proof_op("times", a, a, c);
}
OCT_INLINE v8 v8_mul_short(v8 a, uint32_t c)
{
    return proof_op("short", a, a, c);
}
/* Where a product is split is the backend's affair: `split` is some number h for each, `remainder` x*y - 2^bits * h.
 * Bounds of columns are those of the contract, which the bound proof goes by. */
OCT_INLINE void v8_product_from(v8 *r, const v8 *x, const v8 *y, int n, int from, int add, unsigned bits)
{
    v8 column[41];
    for (int k = 0; k < 2 * n; k++)
        column[k] = add && k >= from ? r[k - from] : v8_zero();
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            const v8 high = proof_op("split", x[i], y[j], bits);
            const v8 low = {oct_proof_record("remainder", x[i].line, y[j].line, high.line, bits)};
            column[i + j] = v8_add(column[i + j], low);
            column[i + j + 1] = v8_add(column[i + j + 1], high);
        }
    for (int k = from; k < 2 * n; k++)
        r[k - from] = column[k];
}
OCT_INLINE void v8_square(v8 *r, const v8 *x, int n, unsigned bits)
{
    v8_product_from(r, x, x, n, 0, 0, bits);
}
OCT_INLINE v8 v8_lookup_shared16(const uint64_t table[16], v8 index)
{
    (void)table;
    return proof_op("any", index, index, V8_LIMB_MASK);
}
OCT_INLINE v8 v8_swap_halves(v8 a)
{
    return a;
}
OCT_INLINE m8 v8_is_negative(v8 a)
{
    return (m8){oct_proof_record("negative", a.line, 0, 0, 0)};
}
OCT_INLINE m8 v8_is_nonzero(v8 a)
{
    return (m8){oct_proof_record("nonzero", a.line, 0, 0, 0)};
}
OCT_INLINE m8 v8_test_bit(v8 a, unsigned bit)
{
    return (m8){oct_proof_record("bit", a.line, 0, 0, bit)};
}
OCT_INLINE v8 v8_select(m8 m, v8 a, v8 b)
{
    return (v8){oct_proof_record("select", m.line, a.line, b.line, 0)};
}
VEC_2(m8, m8_or, (m8){oct_proof_record("m_or", a.line, b.line, 0, 0)})
VEC_2(m8, m8_and, (m8){oct_proof_record("m_and", a.line, b.line, 0, 0)})
VEC_1(m8, m8_not, (m8){oct_proof_record("m_not", a.line, 0, 0, 0)})
OCT_INLINE unsigned m8_declassify(m8 m)
{
    (void)m;
    return 0;
}
OCT_INLINE v8 v8_proved_bound(v8 a, uint64_t max)
{
    return proof_op("proved", a, a, max);
}
OCT_INLINE v8 v8_argument_bound(v8 a, uint64_t max)
{
    return proof_op("argument", a, a, max);
}
OCT_INLINE void v8_clear_registers(void)
{
}

/* Words of 64 bits, all lanes alike: lines that begin with `word`. Bytes of memory hold numbers of lines as limbs do.
 */
#define PROOF_WORD(name, a, b, c, constant)                                                                            \
    (v8)                                                                                                               \
    {                                                                                                                  \
        oct_proof_record("word64_" name, (a).line, (b).line, (c).line, constant)                                       \
    }
OCT_INLINE w8 w8_set1(uint64_t x)
{
    return (w8){oct_proof_record("word64_constant", 0, 0, 0, x)};
}
OCT_INLINE w8 w8_load(const uint64_t p[V8_LANES])
{
    return (p[0] ^ PROOF_TAG) >> 44 == 0 ? (w8){(int)(p[0] ^ PROOF_TAG)} : w8_set1(p[0]);
}
OCT_INLINE void w8_store(uint64_t p[V8_LANES], w8 a)
{
    for (int i = 0; i < V8_LANES; i++)
        p[i] = PROOF_TAG ^ (uint64_t)a.line;
}
/* The inputs of a message are what its bytes say, big-endian already. */
OCT_INLINE void w8_load_be(w8 word[8], const uint8_t *const lane[V8_LANES], size_t at)
{
    for (int j = 0; j < 8; j++)
        word[j] = w8_load((const uint64_t *)(const void *)(lane[0] + at + 8 * (size_t)j));
}
VEC_2(w8, w8_add, PROOF_WORD("add", a, b, a, 0))
VEC_3(w8, w8_xor3, PROOF_WORD("xor", PROOF_WORD("xor", a, b, a, 0), c, a, 0))
VEC_BY(w8, w8_ror, PROOF_WORD("ror", a, a, a, bits))
VEC_BY(w8, w8_srl, PROOF_WORD("shr", a, a, a, bits))
VEC_3(w8, w8_choose, PROOF_WORD("choose", a, b, c, 0))
VEC_3(w8, w8_majority, PROOF_WORD("majority", a, b, c, 0))

#endif
