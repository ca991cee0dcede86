/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The ChaCha20-Poly1305 kernels of every tier: oct_<tier>_chacha20poly1305_<verb>. */
#ifndef OCT_KERNELS_CHACHA20POLY1305_H
#define OCT_KERNELS_CHACHA20POLY1305_H

#include "kernels/aead.h"

#define OCT_CHACHA20POLY1305_KERNELS(name)                                                                             \
    oct_aead_expand_fn name##_expand;                                                                                  \
    oct_aead_seal_fn name##_seal;                                                                                      \
    oct_aead_open_fn name##_open;                                                                                      \
    oct_aead_burst_fn name##_seal_burst, name##_open_burst;                                                            \
    oct_aead_mask_fn name##_mask;                                                                                      \
    oct_aead_stream_fn name##_start, name##_aad, name##_stream_seal, name##_stream_open, name##_finish;                \
    void name##_clear_registers(void);

OCT_CHACHA20POLY1305_KERNELS(oct_zmm_chacha20poly1305)
OCT_CHACHA20POLY1305_KERNELS(oct_vl256_chacha20poly1305)
OCT_CHACHA20POLY1305_KERNELS(oct_avx2_chacha20poly1305)
OCT_CHACHA20POLY1305_KERNELS(oct_c_chacha20poly1305)
OCT_CHACHA20POLY1305_KERNELS(oct_c64_chacha20poly1305)
/* Tests only. */
OCT_CHACHA20POLY1305_KERNELS(oct_bound_chacha20poly1305)

#endif
