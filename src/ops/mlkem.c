/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* ML-KEM's tables, and which of them this process uses. */
#include "ops/mlkem.h"

#include <stdatomic.h>

#define SET(backend, bits)                                                                                             \
    {                                                                                                                  \
        oct_##backend##_mlkem##bits##_keygen, oct_##backend##_mlkem##bits##_encaps,                                    \
            oct_##backend##_mlkem##bits##_decaps, oct_##backend##_mlkem##bits##_check,                                 \
            &oct_##backend##_mlkem##bits##_workspace                                                                   \
    }
#define TABLE(backend)                                                                                                 \
    {                                                                                                                  \
        .name = #backend, .set = {[OCT_MLKEM_768] = SET(backend, 768), [OCT_MLKEM_1024] = SET(backend, 1024)},         \
        .keccak = oct_##backend##_keccak, .keccak_workspace = &oct_##backend##_keccak_workspace,                       \
    }

static const struct oct_mlkem_ops ops_c = TABLE(c);
#if defined(OCT_HAVE_AVX512_TABLE)
static const struct oct_mlkem_ops ops_avx2 = TABLE(avx2), ops_avx512 = TABLE(avx512);
#endif

const struct oct_row oct_rows_mlkem[] = {
#if defined(OCT_HAVE_AVX512_TABLE)
    {.ops = &ops_avx512, .needs = OCT_NEEDS_LATTICE512},
    {.ops = &ops_avx2, .needs = OCT_NEEDS_AVX2},
#endif
    {.ops = &ops_c},
    {.ops = NULL},
};

#define SIZE(k)                                                                                                        \
    {                                                                                                                  \
        OCT_MLKEM_EK_BYTES(k), OCT_MLKEM_DK_BYTES(k), OCT_MLKEM_CT_BYTES(k)                                            \
    }
const struct oct_mlkem_size oct_mlkem_size[OCT_MLKEM_SETS] = {[OCT_MLKEM_768] = SIZE(3), [OCT_MLKEM_1024] = SIZE(4)};

const struct oct_mlkem_ops *oct_mlkem_selected(const char **reason)
{
    return oct_selected(OCT_SELECT_MLKEM, reason);
}

/* Threads that ask at once all test, and come to the same verdict. */
const struct oct_mlkem_ops *oct_mlkem_anywhere(enum oct_mlkem_set set)
{
    static _Atomic int verdict[OCT_MLKEM_SETS];
    enum { UNTESTED, GOOD, BAD };
    const struct oct_mlkem_ops *ops = oct_mlkem_selected(NULL) ? oct_mlkem_selected(NULL) : &ops_c;
    int known = atomic_load_explicit(&verdict[set], memory_order_relaxed);
    if (known == UNTESTED) {
        known = oct_mlkem_known_answer(ops, set) == 0 ? GOOD : BAD;
        atomic_store_explicit(&verdict[set], known, memory_order_relaxed);
    }
    return known == GOOD ? ops : NULL;
}

unsigned oct_mlkem_runnable(const struct oct_mlkem_ops *table[OCT_LATTICE_BACKENDS])
{
    unsigned count = 0;
    for (; oct_runnable(OCT_SELECT_MLKEM, count); count++)
        table[count] = oct_runnable(OCT_SELECT_MLKEM, count);
    return count;
}
