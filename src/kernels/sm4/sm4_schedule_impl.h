/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* SM4's key schedule (GB/T 32907-2016, 7.3). */
#ifndef OCT_KERNELS_SM4_SCHEDULE_IMPL_H
#define OCT_KERNELS_SM4_SCHEDULE_IMPL_H

#include "kernels/sm4/sm4_impl.h"

/* The S-box on the four bytes of a word. */
OCT_INLINE uint32_t sm4_substitute(uint32_t word)
{
    const bv x = bv_xor(bv_map(bv_set32(word), SM4_ENTER), bv_set32(SM4_ADD));
    return b1_get32(bv_first(bv_map_inverse(x, SM4_BOX))) ^ SM4_BOX_ADD;
}

OCT_INLINE uint32_t sm4_rotate(uint32_t word, int n)
{
    return word << n | word >> (32 - n);
}

/* CK of round i: bytes 7 * (4i + j) mod 256. */
OCT_INLINE uint32_t sm4_constant(const unsigned i)
{
    uint32_t word = 0;
    for (unsigned j = 0; j < 4; j++)
        word = word << 8 | (uint8_t)(7 * (4 * i + j));
    return word;
}

/* Whether words i + 1 to i + 3 have an odd number of shares of a round's constant. */
OCT_INLINE uint32_t sm4_shares(const unsigned i)
{
    return ((i + 1) / 4 + (i + 2) / 4 + (i + 3) / 4) & 1;
}

/* Round keys from 16 bytes, as the rounds want them. */
static OCT_NOINLINE void sm4_expand(uint8_t (*key)[4], const uint8_t *bytes)
{
    static const uint32_t fk[4] = {0xa3b1bac6, 0x56aa3350, 0x677d9197, 0xb27022dc};
    uint32_t k[4];
    for (int i = 0; i < 4; i++) {
        memcpy(&k[i], bytes + 4 * i, 4);
        k[i] = __builtin_bswap32(k[i]) ^ fk[i];
    }
    for (unsigned i = 0; i < SM4_ROUNDS; i++) {
        const uint32_t b = sm4_substitute(k[(i + 1) & 3] ^ k[(i + 2) & 3] ^ k[(i + 3) & 3] ^ sm4_constant(i));
        k[i & 3] ^= b ^ sm4_rotate(b, 13) ^ sm4_rotate(b, 23);
        const bv entered = bv_map(bv_set32(__builtin_bswap32(k[i & 3])), SM4_ENTER);
        const uint32_t word = b1_get32(bv_first(entered)) ^ SM4_ADD ^ (sm4_shares(i) * SM4_SHARE);
        memcpy(key[i], &word, 4);
    }
    oct_cleanse(k, sizeof k);
}

#endif
