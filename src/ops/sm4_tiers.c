/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The tables of SM4, and what each tier of it needs of the CPU. */
#include "kernels/sm4/sm4.h"
#include "ops/aead.h"

/* One record, as AEADs have it. */
static int ccm_seal(const struct oct_sm4_ops *ops, const void *key, const struct oct_aead_record *record)
{
    const struct oct_sm4_ccm_args args = {&key, OCT_AEAD_NONCE, OCT_AEAD_TAG, 1, record, NULL};
    oct_sm4_ccm_seal_records(ops, &args);
    return 0;
}

static uint64_t ccm_open(const struct oct_sm4_ops *ops, const void *key, const struct oct_aead_record *record,
                         const uint8_t *tag)
{
    uint8_t wanted[16];
    uint64_t differs = 0;
    const struct oct_sm4_ccm_args args = {&key, OCT_AEAD_NONCE, OCT_AEAD_TAG, 1, record, wanted};
    oct_sm4_ccm_open_records(ops, &args);
    for (int i = 0; i < 16; i++)
        differs |= wanted[i] ^ tag[i];
    oct_cleanse(wanted, sizeof wanted);
    return differs;
}

#define MODES(name)                                                                                                    \
    static const struct oct_sm4_ops name##_modes = {                                                                   \
        .expand = oct_##name##_sm4_expand,                                                                             \
        .ctr = oct_##name##_sm4_ctr,                                                                                   \
        .cbc_open = oct_##name##_sm4_cbc_open,                                                                         \
        .chain = oct_##name##_sm4_chain,                                                                               \
        .ctr_many = oct_##name##_sm4_ctr_many,                                                                         \
        .cbc_open_many = oct_##name##_sm4_cbc_open_many,                                                               \
        .gcm_seal_many = oct_##name##_sm4gcm_seal_many,                                                                \
        .gcm_open_many = oct_##name##_sm4gcm_open_many,                                                                \
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
        .tier = #name, .sm4 = &name##_modes, .expand = oct_##name##_sm4_expand, .seal = name##_ccm_seal,               \
        .open = name##_ccm_open, .clear_registers = oct_##name##_sm4_clear_registers,                                  \
    }
#define CCM_FUNCTIONS(name)                                                                                            \
    static int name##_ccm_seal(const void *key, const uint8_t *nonce, const uint8_t *aad, size_t aad_len,              \
                               const uint8_t *in, size_t len, uint8_t *out, uint8_t *tag)                              \
    {                                                                                                                  \
        return ccm_seal(&name##_modes, key, &(struct oct_aead_record){nonce, aad, aad_len, in, out, len, tag});        \
    }                                                                                                                  \
    static uint64_t name##_ccm_open(const void *key, const uint8_t *nonce, const uint8_t *aad, size_t aad_len,         \
                                    const uint8_t *in, size_t len, uint8_t *out, const uint8_t *tag)                   \
    {                                                                                                                  \
        return ccm_open(&name##_modes, key, &(struct oct_aead_record){nonce, aad, aad_len, in, out, len, NULL}, tag);  \
    }
#define TABLES(name)                                                                                                   \
    MODES(name);                                                                                                       \
    CCM_FUNCTIONS(name)                                                                                                \
    static const struct oct_aead_ops name##_tables[2] = {GCM(name), CCM(name)}

TABLES(c);

#if defined(OCT_HAVE_VECTOR_TIERS)
TABLES(zmm);
#if defined(OCT_HAVE_NARROW_TIERS)
TABLES(ymm);
#endif
#endif

#define ROWS(mode)                                                                                                     \
    {                                                                                                                  \
        OCT_ROW_ZMM(&zmm_tables[mode], OCT_NEEDS_ZMM | OCT_NEEDS(GFNI))                                                \
        OCT_ROW_YMM(&ymm_tables[mode], OCT_NEEDS_YMM | OCT_NEEDS(GFNI)){.ops = &c_tables[mode]},                       \
    }

const struct oct_row oct_rows_sm4_gcm[OCT_AEAD_ROWS] = ROWS(0);
const struct oct_row oct_rows_sm4_ccm[OCT_AEAD_ROWS] = ROWS(1);
