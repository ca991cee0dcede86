/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The tables of SM4, and what each tier of it needs of the CPU. */
#include "kernels/sm4.h"
#include "ops/aead.h"

#define MODES(name)                                                                                                    \
    static const struct oct_sm4_ops name##_modes = {                                                                   \
        .expand = oct_##name##_sm4_expand,                                                                             \
        .ctr = oct_##name##_sm4_ctr,                                                                                   \
        .cbc_open = oct_##name##_sm4_cbc_open,                                                                         \
        .chain = oct_##name##_sm4_chain,                                                                               \
        .ccm_seal = oct_##name##_sm4ccm_seal_many,                                                                     \
        .ccm_open = oct_##name##_sm4ccm_open_many,                                                                     \
    }
#define GCM(name)                                                                                                      \
    {                                                                                                                  \
        .tier = #name, .sm4 = &name##_modes, .expand = oct_##name##_sm4gcm_expand, .seal = oct_##name##_sm4gcm_seal,   \
        .open = oct_##name##_sm4gcm_open, .open_first = oct_##name##_sm4gcm_open_first, .first_bytes = OCT_GCM_FIRST,  \
        .start = oct_##name##_sm4gcm_start, .aad = oct_##name##_sm4gcm_aad,                                            \
        .stream_seal = oct_##name##_sm4gcm_stream_seal, .stream_open = oct_##name##_sm4gcm_stream_open,                \
        .finish = oct_##name##_sm4gcm_finish, .window_bytes = OCT_SM4GCM_WINDOW, .grain_bytes = OCT_GCM_GRAIN,         \
        .state_bytes = OCT_SM4GCM_STATE_BYTES, .clear_registers = oct_##name##_sm4_clear_registers,                    \
    }
/* Whole records only: CCM wants to know lengths before anything else. */
#define CCM(name)                                                                                                      \
    {                                                                                                                  \
        .tier = #name, .sm4 = &name##_modes, .expand = oct_##name##_sm4ccm_expand, .seal = oct_##name##_sm4ccm_seal,   \
        .open = oct_##name##_sm4ccm_open, .clear_registers = oct_##name##_sm4_clear_registers,                         \
    }
#define TABLES(name)                                                                                                   \
    MODES(name);                                                                                                       \
    static const struct oct_aead_ops name##_tables[2] = {GCM(name), CCM(name)}

TABLES(c);

#if defined(OCT_HAVE_VECTOR_TIERS)
TABLES(zmm);
#if defined(OCT_HAVE_NARROW_TIERS)
TABLES(ymm);
#endif

#define NEED(feature) ((uint32_t)1 << OCT_CPU_##feature)
#define NEED_XMM      (NEED(AES) | NEED(PCLMULQDQ) | NEED(AVX2) | NEED(BMI2) | NEED(GFNI))
#define NEED_YMM      (NEED_XMM | NEED(VAES) | NEED(VPCLMULQDQ))
#define NEED_ZMM      (NEED_YMM | NEED(AVX512F) | NEED(AVX512BW) | NEED(AVX512DQ) | NEED(AVX512VL))
#endif

unsigned oct_aead_sm4_tiers(int aead, struct oct_aead_tier tier[OCT_AEAD_TIERS])
{
    const int ccm = aead == OCT_AEAD_SM4_CCM;
    unsigned count = 0;
#if defined(OCT_HAVE_VECTOR_TIERS)
    tier[count++] = (struct oct_aead_tier){&zmm_tables[ccm], 512, NEED_ZMM};
#endif
#if defined(OCT_HAVE_NARROW_TIERS)
    tier[count++] = (struct oct_aead_tier){&ymm_tables[ccm], 256, NEED_YMM};
#endif
    tier[count++] = (struct oct_aead_tier){&c_tables[ccm], 0, 0};
    return count;
}
