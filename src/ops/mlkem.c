/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* ML-KEM's tables, and which of them this process uses. */
#include "ops/mlkem.h"

#include "cpu/cpu.h"
#include "ops/ops.h"

#include <pthread.h>
#include <stdatomic.h>

#define SET(backend, bits)                                                                                             \
    {                                                                                                                  \
        oct_##backend##_mlkem##bits##_keygen, oct_##backend##_mlkem##bits##_encaps,                                    \
            oct_##backend##_mlkem##bits##_decaps, oct_##backend##_mlkem##bits##_check,                                 \
            &oct_##backend##_mlkem##bits##_workspace                                                                   \
    }
#define TABLE(backend)                                                                                                 \
    static const struct oct_mlkem_ops table_##backend = {                                                              \
        .name = #backend,                                                                                              \
        .set = {[OCT_MLKEM_768] = SET(backend, 768), [OCT_MLKEM_1024] = SET(backend, 1024)},                           \
        .keccak = oct_##backend##_keccak,                                                                              \
        .keccak_workspace = &oct_##backend##_keccak_workspace,                                                         \
    }

TABLE(c);
#if defined(OCT_HAVE_AVX512_TABLE)
TABLE(avx512);
#endif

#define SIZE(k)                                                                                                        \
    {                                                                                                                  \
        OCT_MLKEM_EK_BYTES(k), OCT_MLKEM_DK_BYTES(k), OCT_MLKEM_CT_BYTES(k)                                            \
    }
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

static pthread_once_t once = PTHREAD_ONCE_INIT;
static const struct oct_mlkem_ops *selected;
static const char *selected_reason;

/* Once: asking the CPU takes longer than an operation where a hypervisor answers. */
static void choose(void)
{
    const struct oct_ops *ops = oct_ops_selected();
    const char *missing = NULL;
    selected = ops == &oct_ops_c ? &table_c : NULL;
    selected_reason = oct_ops_selected_reason();
    if (ops && !selected) {
        selected = avx512_table(&missing);
        selected_reason = missing ? missing : selected_reason;
    }
}

const struct oct_mlkem_ops *oct_mlkem_selected(const char **reason)
{
    pthread_once(&once, choose);
    if (reason)
        *reason = selected_reason;
    return selected;
}

/* Threads that ask at once all test, and come to the same verdict. */
const struct oct_mlkem_ops *oct_mlkem_anywhere(enum oct_mlkem_set set)
{
    static _Atomic int verdict[OCT_MLKEM_SETS];
    enum { UNTESTED, GOOD, BAD };
    const struct oct_mlkem_ops *ops = oct_mlkem_selected(NULL) ? oct_mlkem_selected(NULL) : &table_c;
    int known = atomic_load_explicit(&verdict[set], memory_order_relaxed);
    if (known == UNTESTED) {
        known = oct_mlkem_known_answer(ops, set) == 0 ? GOOD : BAD;
        atomic_store_explicit(&verdict[set], known, memory_order_relaxed);
    }
    return known == GOOD ? ops : NULL;
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
