/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The tables of AES-GCM, and what each tier of it needs of the CPU. */
#include "kernels/gcm/gcm.h"
#include "ops/aead.h"

/* QUIC has two of the three. */
#define PACKETS(kernel)                                                                                                \
    .seal_packets = kernel##_seal_packets, .open_packets = kernel##_open_packets, .mask = kernel##_mask,
#define TABLE(name, bits, packets)                                                                                     \
    {                                                                                                                  \
        .tier = #name, .expand = oct_##name##_aes##bits##gcm_expand, .seal = oct_##name##_aes##bits##gcm_seal,         \
        .open = oct_##name##_aes##bits##gcm_open, .open_first = oct_##name##_aes##bits##gcm_open_first,                \
        .first_bytes = OCT_GCM_FIRST, .start = oct_##name##_aes##bits##gcm_start,                                      \
        .aad = oct_##name##_aes##bits##gcm_aad, .stream_seal = oct_##name##_aes##bits##gcm_stream_seal,                \
        .stream_open = oct_##name##_aes##bits##gcm_stream_open, .finish = oct_##name##_aes##bits##gcm_finish,          \
        .window_bytes = OCT_GCM_WINDOW, .grain_bytes = OCT_GCM_GRAIN, .state_bytes = OCT_GCM_STATE_BYTES,              \
        .clear_registers = oct_##name##_gcm_clear_registers, packets                                                   \
    }
#define TABLES(name)                                                                                                   \
    static const struct oct_aead_ops name##_tables[3] = {                                                              \
        [OCT_AEAD_AES_128_GCM] = TABLE(name, 128, PACKETS(oct_##name##_aes128gcm)),                                    \
        [OCT_AEAD_AES_192_GCM] = TABLE(name, 192, ),                                                                   \
        [OCT_AEAD_AES_256_GCM] = TABLE(name, 256, PACKETS(oct_##name##_aes256gcm)),                                    \
    }

TABLES(c);

#if defined(OCT_HAVE_VECTOR_TIERS)
TABLES(zmm);
#if defined(OCT_HAVE_NARROW_TIERS)
TABLES(ymm);
TABLES(xmm);
#endif
#endif

#define ROWS(aead)                                                                                                     \
    [aead] = {OCT_ROW_ZMM(&zmm_tables[aead], OCT_NEEDS_ZMM) OCT_ROW_YMM(&ymm_tables[aead], OCT_NEEDS_YMM)              \
                  OCT_ROW_XMM(&xmm_tables[aead], OCT_NEEDS_XMM){.ops = &c_tables[aead]}}

const struct oct_row oct_rows_gcm[3][OCT_AEAD_ROWS] = {
    ROWS(OCT_AEAD_AES_128_GCM),
    ROWS(OCT_AEAD_AES_192_GCM),
    ROWS(OCT_AEAD_AES_256_GCM),
};
