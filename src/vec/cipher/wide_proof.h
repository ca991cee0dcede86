/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The proof backend of wide.h, on records as vec_proof.h makes them. Memory holds the numbers of lines; bytes hold the
 * numbers of blocks, whose words are inputs. */
#ifndef OCT_VEC_WIDE_PROOF_H
#define OCT_VEC_WIDE_PROOF_H

typedef struct {
    int line;
} digit;
typedef digit wide;

int oct_proof_record(const char *operation, int a, int b, int c, uint64_t constant);
void oct_proof_digits(const digit *digits, int n);
#define WIDE_NUMBER(digits, n) oct_proof_digits(digits, n)
/* Eight bytes of the block that stands there. */
digit oct_proof_bytes(const uint8_t *p);
#define PROOF_TAG ((uint64_t)0xabcde << 44)

OCT_INLINE digit digit_set(uint64_t x)
{
    return (digit){oct_proof_record("constant", 0, 0, 0, x)};
}
OCT_INLINE digit digit_load(const uint64_t *p, uint64_t most)
{
    (void)most;
    return (*p ^ PROOF_TAG) >> 44 == 0 ? (digit){(int)(*p ^ PROOF_TAG)} : digit_set(*p);
}
OCT_INLINE void digit_store(uint64_t *p, digit a, uint64_t most)
{
    *p = PROOF_TAG ^ (uint64_t)oct_proof_record("wide_most", a.line, 0, 0, most);
}
OCT_INLINE digit digit_load_bytes(const uint8_t *p)
{
    return oct_proof_bytes(p);
}
VEC_2(digit, digit_add, (digit){oct_proof_record("wide_add", a.line, b.line, 0, 64)})
VEC_2(digit, digit_multiply, (digit){oct_proof_record("wide_multiply_add", digit_set(0).line, a.line, b.line, 64)})
VEC_BY(digit, digit_low, (digit){oct_proof_record("wide_low", a.line, 0, 0, bits)})
VEC_BY(digit, digit_srl, (digit){oct_proof_record("wide_srl", a.line, 0, 0, bits)})
VEC_BY(digit, digit_sll, digit_multiply(a, digit_set((uint64_t)1 << bits)))
OCT_INLINE wide wide_of(digit a)
{
    return a;
}
OCT_INLINE wide wide_add(wide a, digit b)
{
    return (wide){oct_proof_record("wide_add", a.line, b.line, 0, 128)};
}
OCT_INLINE wide wide_multiply_add(wide sum, digit a, digit b)
{
    return (wide){oct_proof_record("wide_multiply_add", sum.line, a.line, b.line, 128)};
}
OCT_INLINE digit wide_low(wide a)
{
    return digit_low(a, 64);
}
OCT_INLINE digit wide_high(wide a)
{
    return digit_srl(a, 64);
}

#endif
