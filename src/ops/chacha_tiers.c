/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The tables of ChaCha20-Poly1305, and what each tier of it needs of the CPU. */
#include "kernels/chacha/chacha20poly1305.h"
#include "ops/aead.h"

#define KERNEL(tier, verb) oct_##tier##_chacha20poly1305_##verb
#define TIER(tier_, text)                                                                                              \
    static const struct oct_aead_ops ops_##tier_ = {                                                                   \
        .tier = text,                                                                                                  \
        .expand = KERNEL(tier_, expand),                                                                               \
        .seal = KERNEL(tier_, seal),                                                                                   \
        .open = KERNEL(tier_, open),                                                                                   \
        .seal_burst = KERNEL(tier_, seal_burst),                                                                       \
        .open_burst = KERNEL(tier_, open_burst),                                                                       \
        .mask = KERNEL(tier_, mask),                                                                                   \
        .start = KERNEL(tier_, start),                                                                                 \
        .aad = KERNEL(tier_, aad),                                                                                     \
        .stream_seal = KERNEL(tier_, stream_seal),                                                                     \
        .stream_open = KERNEL(tier_, stream_open),                                                                     \
        .finish = KERNEL(tier_, finish),                                                                               \
        .window_bytes = OCT_CHACHA20POLY1305_WINDOW,                                                                   \
        .grain_bytes = OCT_CHACHA20POLY1305_GRAIN,                                                                     \
        .state_bytes = OCT_CHACHA20POLY1305_STATE_BYTES,                                                               \
        .clear_registers = KERNEL(tier_, clear_registers),                                                             \
    };

TIER(c, "c")
#if defined(OCT_HAVE_VECTOR_TIERS)
TIER(zmm, "zmm")
#if defined(OCT_HAVE_NARROW_TIERS)
TIER(vl256, "ymm")
#endif
#endif

/* AVX-512 with IFMA, whatever the width. */
#define NEEDS                                                                                                          \
    (OCT_TIER_NEEDS(AVX512F) | OCT_TIER_NEEDS(AVX512BW) | OCT_TIER_NEEDS(AVX512DQ) | OCT_TIER_NEEDS(AVX512VL) |        \
     OCT_TIER_NEEDS(AVX512IFMA) | OCT_TIER_NEEDS(BMI2))

const struct oct_aead_tier oct_aead_chacha_tiers[OCT_AEAD_TIERS] = {
    OCT_TIER_WIDE(&ops_zmm, 512, NEEDS) OCT_TIER_NARROW(&ops_vl256, 256, NEEDS){&ops_c, 0, 0}};
