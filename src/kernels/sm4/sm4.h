/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * SM4's kernels (GB/T 32907): key expansion, counter mode, chaining of blocks, and as an AEAD SM4-GCM (RFC 8998). What
 * AEAD kernels take stands in aead.h, and what it says of lengths and secrets holds here too.
 */
#ifndef OCT_KERNELS_SM4_H
#define OCT_KERNELS_SM4_H

#include "kernels/aead.h"

#define OCT_SM4_EXPANDED_BYTES 128 /* round keys; 64-byte aligned */
#define OCT_SM4_CHAINS         16  /* chains in one call */
/* As aead.h has them for other AEADs. A set of blocks is more than a window of AES-GCM's. */
#define OCT_SM4GCM_WINDOW      256
#define OCT_SM4GCM_STATE_BYTES (64 + 2 * OCT_SM4GCM_WINDOW)

/* Text in counter mode, the last 4 bytes of `block` counting: they must not pass their end before the text's last
 * block. To decrypt chained blocks (CBC), `block` is the ciphertext before the first one, and len whole blocks. */
struct oct_sm4_text_args {
    const void *key;
    const uint8_t *block;
    const uint8_t *in;
    uint8_t *out; /* `in`, or apart from it */
    size_t len;
};

/* Chains (CBC, CBC-MAC), up to OCT_SM4_CHAINS, each of `blocks` blocks: last = E(last xor block), written to `out` if
 * that is not NULL. No out overlaps another chain's; it may be its own chain's in. */
struct oct_sm4_chain_args {
    const uint8_t *key[OCT_SM4_CHAINS];
    size_t count, blocks;
    int own_keys;                  /* 0: key[0] is that of all */
    uint8_t *last[OCT_SM4_CHAINS]; /* 16 bytes, read and written */
    const uint8_t *in[OCT_SM4_CHAINS];
    uint8_t *out[OCT_SM4_CHAINS];
};

/* Texts side by side, of any lengths, each as oct_sm4_text_args has it. The call takes as long as its longest text. No
 * out overlaps another text. All lanes are filled: those from `count` on have the first one's key and block, and no
 * length.
 *
 * Records of SM4-GCM have the expanded key of that, a nonce of 12 bytes for a block, and the last three besides. Of
 * additional data and text each has at most OCT_SM4GCM_MANY_BLOCKS blocks together. Sealing writes tags; opening writes
 * what they have to be in their place, and checks none. */
#define OCT_SM4GCM_MANY_BLOCKS 39
struct oct_sm4_many_args {
    size_t count, shortest, longest; /* of `len`, of `count` texts */
    int own_keys;                    /* 0: key[0] is that of all */
    const uint8_t *key[OCT_SM4_CHAINS];
    const uint8_t *block[OCT_SM4_CHAINS];
    const uint8_t *in[OCT_SM4_CHAINS];
    uint8_t *out[OCT_SM4_CHAINS];
    size_t len[OCT_SM4_CHAINS];
    const uint8_t *aad[OCT_SM4_CHAINS];
    size_t aad_len[OCT_SM4_CHAINS];
    uint8_t *tag[OCT_SM4_CHAINS];
};

/* What own_keys has to be. A kernel is told: it has no numbers that came out of a vector. */
OCT_INLINE int oct_sm4_own_keys(const uint8_t *const *key, size_t count)
{
    uintptr_t differ = 0;
    for (size_t t = 1; t < count; t++)
        differ |= (uintptr_t)key[t] ^ (uintptr_t)key[0];
    return differ != 0;
}

typedef void oct_sm4_many_fn(const struct oct_sm4_many_args *args);
typedef void oct_sm4_text_fn(const struct oct_sm4_text_args *args);
typedef void oct_sm4_chain_fn(const struct oct_sm4_chain_args *args);

#define OCT_SM4_TIER(tier)                                                                                             \
    oct_aead_expand_fn oct_##tier##_sm4_expand;                                                                        \
    oct_sm4_text_fn oct_##tier##_sm4_ctr, oct_##tier##_sm4_cbc_open;                                                   \
    oct_sm4_chain_fn oct_##tier##_sm4_chain;                                                                           \
    oct_sm4_many_fn oct_##tier##_sm4_ctr_many, oct_##tier##_sm4_cbc_open_many;                                         \
    oct_sm4_many_fn oct_##tier##_sm4gcm_seal_many, oct_##tier##_sm4gcm_open_many;                                      \
    oct_aead_expand_fn oct_##tier##_sm4gcm_expand;                                                                     \
    oct_aead_seal_fn oct_##tier##_sm4gcm_seal, oct_##tier##_sm4gcm_open_first;                                         \
    oct_aead_open_fn oct_##tier##_sm4gcm_open;                                                                         \
    oct_aead_stream_fn oct_##tier##_sm4gcm_start, oct_##tier##_sm4gcm_aad, oct_##tier##_sm4gcm_stream_seal,            \
        oct_##tier##_sm4gcm_stream_open, oct_##tier##_sm4gcm_finish;                                                   \
    void oct_##tier##_sm4_clear_registers(void);

OCT_SM4_TIER(zmm)
OCT_SM4_TIER(ymm)
OCT_SM4_TIER(c)

#endif
