/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* ML-DSA's tables, and which of them this process uses. */
#include "ops/mldsa.h"

#include "ops/lattice.h"

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

static const struct oct_mldsa_ops tables[OCT_LATTICE_BACKENDS] = {
    [OCT_LATTICE_C] = TABLE(c),
#if defined(OCT_HAVE_AVX512_TABLE)
    [OCT_LATTICE_AVX2] = TABLE(avx2),
    [OCT_LATTICE_AVX512] = TABLE(avx512),
#endif
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
    const int backend = oct_lattice_selected(reason);
    return backend == OCT_LATTICE_NONE ? NULL : &tables[backend];
}

unsigned oct_mldsa_runnable(const struct oct_mldsa_ops *table[OCT_LATTICE_BACKENDS])
{
    int backend[OCT_LATTICE_BACKENDS];
    const unsigned count = oct_lattice_runnable(backend);
    for (unsigned i = 0; i < count; i++)
        table[i] = &tables[backend[i]];
    return count;
}
