/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The AES-GCM kernels of every tier: oct_<tier>_aes<bits>gcm_<verb>. */
#ifndef OCT_KERNELS_GCM_H
#define OCT_KERNELS_GCM_H

#include "kernels/aead.h"

#define OCT_GCM_KERNELS(name)                                                                                          \
    oct_aead_expand_fn name##_expand;                                                                                  \
    oct_aead_seal_fn name##_seal;                                                                                      \
    oct_aead_open_fn name##_open;                                                                                      \
    oct_aead_seal_fn name##_open_first;                                                                                \
    oct_aead_stream_fn name##_start, name##_aad, name##_stream_seal, name##_stream_open, name##_finish;
#define OCT_GCM_PACKET_KERNELS(name)                                                                                   \
    oct_aead_packets_fn name##_seal_packets, name##_open_packets;                                                      \
    oct_aead_mask_fn name##_mask;
#define OCT_GCM_TIER(tier)                                                                                             \
    OCT_GCM_KERNELS(oct_##tier##_aes128gcm)                                                                            \
    OCT_GCM_KERNELS(oct_##tier##_aes192gcm)                                                                            \
    OCT_GCM_KERNELS(oct_##tier##_aes256gcm)                                                                            \
    OCT_GCM_PACKET_KERNELS(oct_##tier##_aes128gcm)                                                                     \
    OCT_GCM_PACKET_KERNELS(oct_##tier##_aes256gcm)                                                                     \
    void oct_##tier##_gcm_clear_registers(void);

OCT_GCM_TIER(zmm)
OCT_GCM_TIER(ymm)
OCT_GCM_TIER(xmm)
OCT_GCM_TIER(c)

#endif
