/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Words of 32 bits in records (vec_proof.h), all lanes alike. Memory holds the numbers of lines. */
#ifndef OCT_VEC_U32X16_PROOF_H
#define OCT_VEC_U32X16_PROOF_H

#define PROOF_TAG32 ((uint32_t)0xab << 24)
typedef struct {
    int line;
} u32x16;

#define PROOF_WORD32(name, a, b, c, constant)                                                                          \
    (u32x16)                                                                                                           \
    {                                                                                                                  \
        oct_proof_record("word32_" name, (a).line, (b).line, (c).line, constant)                                       \
    }

OCT_INLINE u32x16 u32x16_set1(uint32_t x)
{
    return (u32x16){oct_proof_record("word32_constant", 0, 0, 0, x)};
}
OCT_INLINE u32x16 u32x16_load(const uint32_t p[U32X16_LANES])
{
    return (p[0] ^ PROOF_TAG32) >> 24 == 0 ? (u32x16){(int)(p[0] ^ PROOF_TAG32)} : u32x16_set1(p[0]);
}
OCT_INLINE void u32x16_store(uint32_t p[U32X16_LANES], u32x16 a)
{
    for (int i = 0; i < U32X16_LANES; i++)
        p[i] = PROOF_TAG32 ^ (uint32_t)a.line;
}
OCT_INLINE void u32x16_load_be(u32x16 word[16], const uint8_t *const lane[U32X16_LANES], size_t at)
{
    for (int j = 0; j < 16; j++)
        word[j] = u32x16_load((const uint32_t *)(const void *)(lane[0] + at + 4 * (size_t)j));
}
VEC_2(u32x16, u32x16_add, PROOF_WORD32("add", a, b, a, 0))
VEC_2(u32x16, u32x16_xor, PROOF_WORD32("xor", a, b, a, 0))
VEC_3(u32x16, u32x16_xor3, u32x16_xor(u32x16_xor(a, b), c))
VEC_BY(u32x16, u32x16_rol, PROOF_WORD32("ror", a, a, a, 32 - bits))
VEC_3(u32x16, u32x16_choose, PROOF_WORD32("choose", a, b, c, 0))
VEC_3(u32x16, u32x16_majority, PROOF_WORD32("majority", a, b, c, 0))

#endif
