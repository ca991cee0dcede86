/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* ML-KEM's tables, and which of them this process uses. */
#include "ops/mlkem.h"

#include "cpu/cpu.h"
#include "ops/ops.h"

#define SET(backend, bits)                                                                                            \
    {                                                                                                                 \
        oct_##backend##_mlkem##bits##_keygen, oct_##backend##_mlkem##bits##_encaps,                                   \
            oct_##backend##_mlkem##bits##_decaps, oct_##backend##_mlkem##bits##_check,                                \
            &oct_##backend##_mlkem##bits##_workspace                                                                  \
    }
#define TABLE(backend)                                                                                                \
    static const struct oct_mlkem_ops table_##backend = {                                                             \
        .name = #backend,                                                                                             \
        .set = {[OCT_MLKEM_768] = SET(backend, 768), [OCT_MLKEM_1024] = SET(backend, 1024)},                          \
        .keccak = oct_##backend##_keccak,                                                                             \
        .keccak_workspace = &oct_##backend##_keccak_workspace,                                                        \
    }

TABLE(c);
#if defined(OCT_HAVE_AVX512_TABLE)
TABLE(avx512);
#endif

#define SIZE(k) {OCT_MLKEM_EK_BYTES(k), OCT_MLKEM_DK_BYTES(k), OCT_MLKEM_CT_BYTES(k)}
const struct oct_mlkem_size oct_mlkem_size[OCT_MLKEM_SETS] = {[OCT_MLKEM_768] = SIZE(3), [OCT_MLKEM_1024] = SIZE(4)};

/* The avx512 table if this CPU can run it, else NULL and why. */
static const struct oct_mlkem_ops *avx512_table(const char **why)
{
#if defined(OCT_HAVE_AVX512_TABLE)
    struct oct_cpu cpu;
    oct_cpu_detect(&cpu);
    *why = oct_cpu_missing_for_avx512_w32(&cpu);
    return *why ? NULL : &table_avx512;
#else
    *why = "this build has no avx512 table";
    return NULL;
#endif
}

const struct oct_mlkem_ops *oct_mlkem_selected(const char **reason)
{
    const struct oct_ops *ops = oct_ops_selected();
    const struct oct_mlkem_ops *chosen = ops == &oct_ops_c ? &table_c : NULL;
    const char *why = oct_ops_selected_reason(), *missing = NULL;
    if (ops && !chosen) {
        chosen = avx512_table(&missing);
        why = missing ? missing : why;
    }
    if (reason)
        *reason = why;
    return chosen;
}

unsigned oct_mlkem_runnable(const struct oct_mlkem_ops *table[2])
{
    const char *why;
    unsigned count = 0;
    table[count++] = &table_c;
    const struct oct_mlkem_ops *avx512 = oct_ops_selected() == &oct_ops_c ? NULL : avx512_table(&why);
    if (avx512)
        table[count++] = avx512;
    return count;
}
