/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The tables of AES-GCM, and what each tier of it needs of the CPU. */
#include "kernels/gcm/gcm.h"
#include "ops/aead.h"

#define TABLE(name, bits)                                                                                              \
    {                                                                                                                  \
        .tier = #name, .expand = oct_##name##_aes##bits##gcm_expand, .seal = oct_##name##_aes##bits##gcm_seal,         \
        .open = oct_##name##_aes##bits##gcm_open, .open_first = oct_##name##_aes##bits##gcm_open_first,                \
        .first_bytes = OCT_GCM_FIRST, .seal_packets = oct_##name##_aes##bits##gcm_seal_packets,                        \
        .open_packets = oct_##name##_aes##bits##gcm_open_packets, .mask = oct_##name##_aes##bits##gcm_mask,            \
        .start = oct_##name##_aes##bits##gcm_start, .aad = oct_##name##_aes##bits##gcm_aad,                            \
        .stream_seal = oct_##name##_aes##bits##gcm_stream_seal,                                                        \
        .stream_open = oct_##name##_aes##bits##gcm_stream_open, .finish = oct_##name##_aes##bits##gcm_finish,          \
        .window_bytes = OCT_GCM_WINDOW, .grain_bytes = OCT_GCM_GRAIN, .state_bytes = OCT_GCM_STATE_BYTES,              \
        .clear_registers = oct_##name##_gcm_clear_registers,                                                           \
    }
#define TABLES(name)                                                                                                   \
    static const struct oct_aead_ops name##_tables[3] = {                                                              \
        [OCT_AEAD_AES_128_GCM] = TABLE(name, 128),                                                                     \
        [OCT_AEAD_AES_192_GCM] = TABLE(name, 192),                                                                     \
        [OCT_AEAD_AES_256_GCM] = TABLE(name, 256),                                                                     \
    }

TABLES(c);

#if defined(OCT_HAVE_VECTOR_TIERS)
TABLES(zmm);
#if defined(OCT_HAVE_NARROW_TIERS)
TABLES(ymm);
TABLES(xmm);
#endif
#endif

#define TIERS(aead)                                                                                                    \
    [aead] = {OCT_TIER_WIDE(&zmm_tables[aead], 512, OCT_TIER_NEEDS_ZMM)                                                \
                  OCT_TIER_NARROW(&ymm_tables[aead], 256, OCT_TIER_NEEDS_YMM)                                          \
                      OCT_TIER_NARROW(&xmm_tables[aead], 128, OCT_TIER_NEEDS_XMM){&c_tables[aead], 0, 0}}

const struct oct_aead_tier oct_aead_gcm_tiers[3][OCT_AEAD_TIERS] = {
    TIERS(OCT_AEAD_AES_128_GCM),
    TIERS(OCT_AEAD_AES_192_GCM),
    TIERS(OCT_AEAD_AES_256_GCM),
};
