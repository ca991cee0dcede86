/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See lattice.h. */
#include "ops/lattice.h"

#include "cpu/cpu.h"
#include "ops/ops.h"

#include <pthread.h>

/* NULL if this CPU can run a backend, else why not. */
static const char *missing_for(enum oct_lattice_backend backend)
{
#if defined(OCT_HAVE_AVX512_TABLE)
    struct oct_cpu cpu;
    if (backend == OCT_LATTICE_C)
        return NULL;
    oct_cpu_detect(&cpu);
    return backend == OCT_LATTICE_AVX512 ? oct_cpu_missing_for_lattice_avx512(&cpu) : oct_cpu_missing_for_avx2(&cpu);
#else
    return backend == OCT_LATTICE_C ? NULL : "this build has no tables of vectors";
#endif
}

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int selected = OCT_LATTICE_NONE;
static const char *selected_reason;

/* The widest that the table goes with. */
static int fitting(const struct oct_ops *ops)
{
    if (ops == &oct_ops_c)
        return OCT_LATTICE_C;
#if defined(OCT_HAVE_AVX512_TABLE)
    if (ops == &oct_ops_avx512 && !missing_for(OCT_LATTICE_AVX512))
        return OCT_LATTICE_AVX512;
#endif
    return missing_for(OCT_LATTICE_AVX2) ? OCT_LATTICE_NONE : OCT_LATTICE_AVX2;
}

/* Once: asking the CPU takes longer than an operation where a hypervisor answers. */
static void choose(void)
{
    const struct oct_ops *ops = oct_ops_selected();
    selected_reason = oct_ops_selected_reason();
    if (!ops)
        return;
    selected = fitting(ops);
    if (selected == OCT_LATTICE_NONE)
        selected_reason = missing_for(OCT_LATTICE_AVX2);
}

int oct_lattice_selected(const char **reason)
{
    pthread_once(&once, choose);
    if (reason)
        *reason = selected_reason;
    return selected;
}

unsigned oct_lattice_runnable(int backend[OCT_LATTICE_BACKENDS])
{
    unsigned count = 0;
    for (int i = 0; i < OCT_LATTICE_BACKENDS; i++)
        if (i == OCT_LATTICE_C || (oct_ops_selected() != &oct_ops_c && !missing_for((enum oct_lattice_backend)i)))
            backend[count++] = i;
    return count;
}
