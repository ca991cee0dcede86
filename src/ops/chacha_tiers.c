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

#define BIT(feature) ((uint32_t)1 << OCT_CPU_##feature)
#define AVX512       (BIT(AVX512F) | BIT(AVX512BW) | BIT(AVX512DQ) | BIT(AVX512VL) | BIT(AVX512IFMA) | BIT(BMI2))
#endif

unsigned oct_aead_chacha_tiers(struct oct_aead_tier tier[OCT_AEAD_TIERS])
{
    unsigned count = 0;
#if defined(OCT_HAVE_VECTOR_TIERS)
    tier[count++] = (struct oct_aead_tier){&ops_zmm, 512, AVX512};
#endif
#if defined(OCT_HAVE_NARROW_TIERS)
    tier[count++] = (struct oct_aead_tier){&ops_vl256, 256, AVX512};
#endif
    tier[count++] = (struct oct_aead_tier){&ops_c, 0, 0};
    return count;
}
