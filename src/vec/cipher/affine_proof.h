/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* What SM4's rounds take of affine.h, in records (blocks_proof.h). Four bytes of memory, where a word of them goes
 * everywhere, are the number of a word that is an input. */
#ifndef OCT_VEC_AFFINE_PROOF_H
#define OCT_VEC_AFFINE_PROOF_H

OCT_INLINE bv bv_map(bv a, const uint64_t map)
{
    return proof_block("block_map", a, a, map);
}
OCT_INLINE bv bv_map_inverse(bv a, const uint64_t map)
{
    return proof_block("block_inverse", a, a, map);
}
OCT_INLINE bv bv_broadcast32(const uint8_t *p)
{
    const bv none = {0};
    uint32_t number;
    memcpy(&number, p, sizeof number);
    return proof_block("block_word", none, none, number);
}
OCT_INLINE bv bv_turn32(bv a, const int n)
{
    return proof_block("block_turn", a, a, (uint64_t)n);
}
OCT_INLINE void bv_transpose32(bv x[4])
{
    const bv a = x[0], b = x[1], c = x[2], d = x[3];
    for (int i = 0; i < 4; i++)
        x[i].line = oct_proof_record("block_column", a.line, b.line, c.line, (uint64_t)(4 * d.line + i));
}
/* Of one lane. */
OCT_INLINE void bv_transpose(bv x[BV_LANES])
{
    (void)x;
}

#endif
