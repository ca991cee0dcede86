/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Which table this process uses: decided once, by CPU and by OCTUPLE_TABLE. */
#include "base/settings.h"
#include "cpu/cpu.h"
#include "ops/ops.h"

#include <pthread.h>
#include <string.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static const struct oct_ops *selected;
static const char *reason;

struct candidate {
    const struct oct_ops *table;
    const char *(*missing)(const struct oct_cpu *cpu);
    int automatic; /* chosen where nobody wishes for it */
    const char *has, *wished;
};

/* Tables of vectors, the best one first. A CPU without AVX-512 needs ifma256 in the form of AVX-IFMA. */
static const struct candidate candidates[] = {
#if defined(OCT_HAVE_AVX512_TABLE)
    {&oct_ops_avx512, oct_cpu_missing_for_avx512_ifma, 1, "the CPU has AVX-512 with IFMA", "OCTUPLE_TABLE=avx512"},
#if defined(OCT_HAVE_MIDDLE_TABLES)
    {&oct_ops_ifma256, oct_cpu_missing_for_ifma256,
#if defined(OCT_HAVE_AVXIFMA_TABLE)
     1,
#else
     0,
#endif
     "the CPU has AVX-IFMA, and no AVX-512", "OCTUPLE_TABLE=ifma256"},
    {&oct_ops_avx512f, oct_cpu_missing_for_avx512f, 1, "the CPU has AVX-512, without IFMA", "OCTUPLE_TABLE=avx512f"},
#endif
    {&oct_ops_avx2, oct_cpu_missing_for_avx2, 1, "the CPU has AVX2 and FMA, and no AVX-512", "OCTUPLE_TABLE=avx2"},
#else
    {NULL, NULL, 0, NULL, NULL},
#endif
};

/* The best table of this CPU. */
static void choose_best(const struct oct_cpu *cpu)
{
    reason = "this build has no tables of vectors";
    for (size_t i = 0; i < OCT_ARRAY_LEN(candidates); i++) {
        const struct candidate *c = &candidates[i];
        if (!c->table || !c->automatic)
            continue;
        const char *missing = c->missing(cpu);
        reason = missing ? missing : c->has;
        if (!missing) {
            selected = c->table;
            return;
        }
    }
}

/* The one that OCTUPLE_TABLE names, if the CPU can run it. */
static void choose_named(const struct oct_cpu *cpu, const char *wish)
{
    reason = oct_setting_row(OCT_SETTING_TABLE)->wrong;
    for (size_t i = 0; i < OCT_ARRAY_LEN(candidates); i++) {
        const struct candidate *c = &candidates[i];
        if (!c->table || strcmp(wish, c->table->name) != 0)
            continue;
        const char *missing = c->missing(cpu);
        reason = missing ? missing : c->wished;
        selected = missing ? NULL : c->table;
    }
}

static void choose(void)
{
    const char *wish = oct_setting(OCT_SETTING_TABLE);
    struct oct_cpu cpu;
    oct_cpu_detect(&cpu);
    if (!wish || strcmp(wish, "auto") == 0) {
        choose_best(&cpu);
    } else if (strcmp(wish, "c") == 0) {
        selected = &oct_ops_c;
        reason = "OCTUPLE_TABLE=c: the portable table, for tests";
    } else if (strcmp(wish, "off") == 0) {
        reason = "OCTUPLE_TABLE=off";
    } else {
        choose_named(&cpu, wish);
    }
}

const struct oct_ops *oct_ops_selected(void)
{
    pthread_once(&once, choose);
    return selected;
}

const char *oct_ops_selected_reason(void)
{
    pthread_once(&once, choose);
    return reason;
}

unsigned oct_ops_runnable(const struct oct_ops *table[OCT_OPS_TABLES])
{
    struct oct_cpu cpu;
    unsigned count = 0;
    table[count++] = &oct_ops_c;
    if (oct_ops_selected() == &oct_ops_c)
        return count;
    oct_cpu_detect(&cpu);
    for (size_t i = OCT_ARRAY_LEN(candidates); i-- > 0;)
        if (candidates[i].table && !candidates[i].missing(&cpu))
            table[count++] = candidates[i].table;
    return count;
}
