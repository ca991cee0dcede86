/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Blocks in records (vec_proof.h), one lane: what GHASH and SM4 take of blocks.h. Sixteen bytes of memory hold the
 * number of a line. */
#ifndef OCT_VEC_BLOCKS_PROOF_H
#define OCT_VEC_BLOCKS_PROOF_H

#define OCT_NAME(name) oct_proof_##name
#define VEC_UNROLL
#define VEC_STEP static inline

#include <string.h>

typedef struct {
    int line;
} b1;

int oct_proof_record(const char *operation, int a, int b, int c, uint64_t constant);
#define PROOF_TAG_BLOCK ((uint64_t)0xabcdb << 44)

OCT_INLINE b1 proof_block(const char *operation, b1 a, b1 b, uint64_t constant)
{
    return (b1){oct_proof_record(operation, a.line, b.line, 0, constant)};
}
VEC_2(b1, b1_xor, proof_block("block_xor", a, b, 0))
OCT_INLINE b1 b1_set(uint64_t low, uint64_t high)
{
    const b1 none = {0};
    return b1_xor(proof_block("block_low", none, none, low), proof_block("block_high", none, none, high));
}
OCT_INLINE b1 b1_zero(void)
{
    return b1_set(0, 0);
}
OCT_INLINE b1 b1_load(const uint8_t *p)
{
    uint64_t w[2];
    memcpy(w, p, sizeof w);
    return (w[0] ^ PROOF_TAG_BLOCK) >> 44 == 0 ? (b1){(int)(w[0] ^ PROOF_TAG_BLOCK)} : b1_set(w[0], w[1]);
}
OCT_INLINE void b1_store(uint8_t *p, b1 a)
{
    const uint64_t w[2] = {PROOF_TAG_BLOCK ^ (uint64_t)a.line, 0};
    memcpy(p, w, sizeof w);
}
VEC_1(b1, b1_swap, proof_block("block_swap", a, a, 0))
VEC_2(b1, b1_mul_low, proof_block("block_product", a, b, 0))
VEC_2(b1, b1_mul_high, proof_block("block_product", a, b, 3))
VEC_2(b1, b1_mul_mixed, proof_block("block_product", a, b, 2))
VEC_1(b1, b1_double, proof_block("block_double", a, a, 0))

#include "vec/cipher/blocks_one.h"

VEC_2(bv, bv_lower_halves, proof_block("block_lower", a, b, 0))
VEC_2(bv, bv_upper_halves, proof_block("block_upper", a, b, 0))

#endif
