/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The tables of ChaCha20-Poly1305, and what each tier of it needs of the CPU. */
#include "kernels/chacha/chacha20poly1305.h"
#include "ops/aead.h"

#define KERNEL(tier, verb) oct_##tier##_chacha20poly1305_##verb
#define TIER(name, tier_, text, seal_, open_)                                                                          \
    static const struct oct_aead_ops ops_##name = {                                                                    \
        .tier = text,                                                                                                  \
        .expand = KERNEL(tier_, expand),                                                                               \
        .seal = seal_,                                                                                                 \
        .open = open_,                                                                                                 \
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

#define PLAIN_TIER(tier, text) TIER(tier, tier, text, KERNEL(tier, seal), KERNEL(tier, open))

PLAIN_TIER(c, "c")
PLAIN_TIER(c64, "c")
#if defined(OCT_HAVE_VECTOR_TIERS)
PLAIN_TIER(zmm, "zmm")
#endif
#if defined(OCT_HAVE_NARROW_TIERS)
PLAIN_TIER(vl256, "ymm")
PLAIN_TIER(avx2, "ymm")

/* Text that, with the block of Poly1305's key, fills eight lanes of 32 bits. So much fits into ymm, and zmm would be
 * half empty: a fifth slower where a CPU runs each half on its own (Zen 4), and up to a sixth quicker where it does not
 * (Emerald Rapids). The tiers expand a key to the same form. */
#define SHORT (7 * (size_t)64)

static int halved_seal(const void *key, const uint8_t *nonce, const uint8_t *aad, size_t aad_len, const uint8_t *in,
                       size_t len, uint8_t *out, uint8_t *tag)
{
    oct_aead_seal_fn *kernel = len <= SHORT ? KERNEL(vl256, seal) : KERNEL(zmm, seal);
    return kernel(key, nonce, aad, aad_len, in, len, out, tag);
}

static uint64_t halved_open(const void *key, const uint8_t *nonce, const uint8_t *aad, size_t aad_len,
                            const uint8_t *in, size_t len, uint8_t *out, const uint8_t *tag)
{
    oct_aead_open_fn *kernel = len <= SHORT ? KERNEL(vl256, open) : KERNEL(zmm, open);
    return kernel(key, nonce, aad, aad_len, in, len, out, tag);
}

TIER(halved, zmm, "zmm", halved_seal, halved_open)
#define ROW_HALVED {.ops = &ops_halved, .needs = OCT_NEEDS_AVX512, .width = 512, .halved = true},
#else
#define ROW_HALVED
#endif

/* AVX-512 with IFMA, whatever the width; else AVX2 with MULX. The portable forms of both. */
#define NEEDS_AVX2 (OCT_NEEDS(AVX2) | OCT_NEEDS(BMI2))
const struct oct_row oct_rows_chacha[OCT_CHACHA_ROWS] = {
    ROW_HALVED OCT_ROW_ZMM(&ops_zmm, OCT_NEEDS_AVX512) OCT_ROW_YMM(&ops_vl256, OCT_NEEDS_AVX512)
        OCT_ROW_YMM(&ops_avx2, NEEDS_AVX2){.ops = &ops_c},
    {.ops = &ops_c64},
};
