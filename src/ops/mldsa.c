/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* ML-DSA's tables, and which of them this process uses. */
#include "ops/mldsa.h"

#define SET(backend, number)                                                                                           \
    {                                                                                                                  \
        oct_##backend##_mldsa##number##_keygen, oct_##backend##_mldsa##number##_expand,                                \
            oct_##backend##_mldsa##number##_sign, oct_##backend##_mldsa##number##_verify,                              \
            &oct_##backend##_mldsa##number##_workspace                                                                 \
    }
#define TABLE(backend)                                                                                                 \
    {                                                                                                                  \
        .name = #backend, .set = {[OCT_MLDSA_44] = SET(backend, 44), [OCT_MLDSA_65] = SET(backend, 65)},               \
        .shake256 = oct_##backend##_shake256, .shake256_workspace = &oct_##backend##_shake256_workspace,               \
    }

static const struct oct_mldsa_ops ops_c = TABLE(c);
#if defined(OCT_HAVE_AVX512_TABLE)
static const struct oct_mldsa_ops ops_avx2 = TABLE(avx2), ops_avx512 = TABLE(avx512);
#endif

const struct oct_row oct_rows_mldsa[] = {
#if defined(OCT_HAVE_AVX512_TABLE)
    {.ops = &ops_avx512, .needs = OCT_NEEDS_LATTICE512},
    {.ops = &ops_avx2, .needs = OCT_NEEDS_AVX2},
#endif
    {.ops = &ops_c},
    {.ops = NULL},
};

#define SIZE(k, l, eta, bytes)                                                                                         \
    {                                                                                                                  \
        OCT_MLDSA_PK_BYTES(k), OCT_MLDSA_SK_BYTES(k, l, eta), bytes, OCT_MLDSA_MATRIX_NUMBERS(k, l),                   \
            OCT_MLDSA_T1_NUMBERS(k), OCT_MLDSA_SECRET_NUMBERS(k, l)                                                    \
    }
const struct oct_mldsa_size oct_mldsa_size[OCT_MLDSA_SETS] = {
    [OCT_MLDSA_44] = SIZE(4, 4, 2, OCT_MLDSA_SIGNATURE_BYTES_44),
    [OCT_MLDSA_65] = SIZE(6, 5, 4, OCT_MLDSA_SIGNATURE_BYTES_65),
};

const struct oct_mldsa_ops *oct_mldsa_selected(const char **reason)
{
    return oct_selected(OCT_SELECT_MLDSA, reason);
}

unsigned oct_mldsa_runnable(const struct oct_mldsa_ops *table[OCT_LATTICE_BACKENDS])
{
    unsigned count = 0;
    for (; oct_runnable(OCT_SELECT_MLDSA, count); count++)
        table[count] = oct_runnable(OCT_SELECT_MLDSA, count);
    return count;
}
