/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See lattice.h. */
#include "ops/lattice.h"

#include "cpu/cpu.h"
#include "ops/ops.h"

#include <pthread.h>

/* NULL if this CPU can run the avx512 backend, else why not. */
static const char *missing_for_avx512(void)
{
#if defined(OCT_HAVE_AVX512_TABLE)
    struct oct_cpu cpu;
    oct_cpu_detect(&cpu);
    return oct_cpu_missing_for_avx512_w32(&cpu);
#else
    return "this build has no avx512 table";
#endif
}

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int selected = OCT_LATTICE_NONE;
static const char *selected_reason;

/* Once: asking the CPU takes longer than an operation where a hypervisor answers. */
static void choose(void)
{
    const struct oct_ops *ops = oct_ops_selected();
    selected_reason = oct_ops_selected_reason();
    if (ops == &oct_ops_c)
        selected = OCT_LATTICE_C;
    if (!ops || ops == &oct_ops_c)
        return;
    const char *missing = missing_for_avx512();
    selected = missing ? OCT_LATTICE_NONE : OCT_LATTICE_AVX512;
    selected_reason = missing ? missing : selected_reason;
}

int oct_lattice_selected(const char **reason)
{
    pthread_once(&once, choose);
    if (reason)
        *reason = selected_reason;
    return selected;
}

unsigned oct_lattice_runnable(void)
{
    return oct_ops_selected() == &oct_ops_c || missing_for_avx512() ? OCT_LATTICE_AVX512 : OCT_LATTICE_BACKENDS;
}
