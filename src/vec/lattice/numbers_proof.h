/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* What the proof backends of i16x32.h and i32x16.h share: records (vec_proof.h), lane by lane. Only what transforms and
 * products take. */

OCT_INLINE NUMBERS NUMBERS_(load_table)(const NUMBERS_INT p[NUMBERS_LANES])
{
    int64_t x[NUMBERS_LANES];
    for (int i = 0; i < NUMBERS_LANES; i++)
        x[i] = p[i];
    return proof_constants(x, NUMBERS_LANES);
}
OCT_INLINE NUMBERS NUMBERS_(set1)(NUMBERS_INT x)
{
    NUMBERS_INT p[NUMBERS_LANES];
    for (int i = 0; i < NUMBERS_LANES; i++)
        p[i] = x;
    return NUMBERS_(load_table)(p);
}
OCT_INLINE NUMBERS NUMBERS_(load)(const NUMBERS_INT p[NUMBERS_LANES], int low, int high)
{
    return oct_proof_recall(p, NUMBERS_LANES, low, high);
}
OCT_INLINE void NUMBERS_(store)(NUMBERS_INT p[NUMBERS_LANES], NUMBERS a, int low, int high)
{
    proof_within(a, NUMBERS_LANES, low, high);
    oct_proof_keep(p, a);
    memset(p, 0, NUMBERS_LANES * sizeof *p); /* so that a sanitizer sees where it goes */
}
VEC_2(NUMBERS, NUMBERS_(add), proof_each("add", a, b, NUMBERS_LANES, 0, NUMBERS_BITS))
VEC_2(NUMBERS, NUMBERS_(sub), proof_each("sub", a, b, NUMBERS_LANES, 0, NUMBERS_BITS))
VEC_2(NUMBERS, NUMBERS_(mullo), proof_each("signed_product", a, b, NUMBERS_LANES, 0, NUMBERS_BITS))
VEC_2(NUMBERS, NUMBERS_(mullo_wrap), proof_each("signed_low", a, b, NUMBERS_LANES, NUMBERS_BITS, 0))
VEC_2(NUMBERS, NUMBERS_(mulhi), proof_each("signed_high", a, b, NUMBERS_LANES, NUMBERS_BITS, NUMBERS_BITS))
VEC_BY(NUMBERS, NUMBERS_(sra), proof_each("sra", a, a, NUMBERS_LANES, bits, 0))
VEC_BY(NUMBERS, NUMBERS_(sll), proof_each("times", a, a, NUMBERS_LANES, (uint64_t)1 << bits, NUMBERS_BITS))
OCT_INLINE NUMBERS NUMBERS_ (and)(NUMBERS a, NUMBERS_INT mask)
{
    return proof_each("signed_and", a, a, NUMBERS_LANES, (uint64_t)mask, 0);
}
OCT_INLINE void NUMBERS_(exchange)(NUMBERS *x, NUMBERS *y, unsigned bit)
{
    proof_exchange(x, y, NUMBERS_LANES / 16, bit);
}
OCT_INLINE void NUMBERS_(unzip)(NUMBERS *x, NUMBERS *y)
{
    proof_unzip(x, y, NUMBERS_LANES / 16);
}
OCT_INLINE NUMBERS NUMBERS_(proved_bound)(NUMBERS a, int low, int high)
{
    for (int i = 0; i < NUMBERS_LANES; i++)
        a.line[i] = oct_proof_record("proved_within", a.line[i], 0, (int)low, (uint64_t)high);
    return a;
}
