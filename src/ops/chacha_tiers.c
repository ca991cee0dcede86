/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The tables of ChaCha20-Poly1305, and what each tier of it needs of the CPU. */
#include "kernels/chacha/chacha20poly1305.h"
#include "ops/aead.h"

#define KERNEL(tier, verb) oct_##tier##_chacha20poly1305_##verb
#define TIER(tier_, text, seal_, open_)                                                                                \
    static const struct oct_aead_ops ops_##tier_ = {                                                                   \
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

TIER(c, "c", KERNEL(c, seal), KERNEL(c, open))
#if defined(OCT_HAVE_VECTOR_TIERS) && defined(OCT_HAVE_NARROW_TIERS)
TIER(vl256, "ymm", KERNEL(vl256, seal), KERNEL(vl256, open))

/* Text that, with the block of Poly1305's key, fills eight lanes of 32 bits. So much fits into ymm, and zmm would be
 * half empty: no faster where a CPU has pipes of 512 bits, a fifth slower where it runs each half on its own (Zen 4).
 * The tiers expand a key to the same form. */
#define SHORT (7 * (size_t)64)

static int zmm_seal(const void *key, const uint8_t *nonce, const uint8_t *aad, size_t aad_len, const uint8_t *in,
                    size_t len, uint8_t *out, uint8_t *tag)
{
    oct_aead_seal_fn *kernel = len <= SHORT ? KERNEL(vl256, seal) : KERNEL(zmm, seal);
    return kernel(key, nonce, aad, aad_len, in, len, out, tag);
}

static uint64_t zmm_open(const void *key, const uint8_t *nonce, const uint8_t *aad, size_t aad_len, const uint8_t *in,
                         size_t len, uint8_t *out, const uint8_t *tag)
{
    oct_aead_open_fn *kernel = len <= SHORT ? KERNEL(vl256, open) : KERNEL(zmm, open);
    return kernel(key, nonce, aad, aad_len, in, len, out, tag);
}

TIER(zmm, "zmm", zmm_seal, zmm_open)
#elif defined(OCT_HAVE_VECTOR_TIERS)
TIER(zmm, "zmm", KERNEL(zmm, seal), KERNEL(zmm, open))
#endif

/* AVX-512 with IFMA, whatever the width. */
const struct oct_row oct_rows_chacha[OCT_AEAD_ROWS] = {OCT_ROW_ZMM(&ops_zmm, OCT_NEEDS_AVX512)
                                                           OCT_ROW_YMM(&ops_vl256, OCT_NEEDS_AVX512){.ops = &ops_c}};
