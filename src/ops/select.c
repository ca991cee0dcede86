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

/* The avx512 table if this CPU can run it, else NULL and why. */
static const struct oct_ops *avx512_table(const char **why)
{
#if defined(OCT_HAVE_AVX512_TABLE)
    struct oct_cpu cpu;
    oct_cpu_detect(&cpu);
    *why = oct_cpu_missing_for_avx512_ifma(&cpu);
    return *why ? NULL : &oct_ops_avx512;
#else
    *why = "this build has no avx512 table";
    return NULL;
#endif
}

static void choose(void)
{
    const char *wish = oct_setting(OCT_SETTING_TABLE), *missing = NULL;
    if (!wish)
        wish = "auto";
    if (strcmp(wish, "c") == 0) {
        selected = &oct_ops_c;
        reason = "OCTUPLE_TABLE=c: the portable table, for tests";
    } else if (strcmp(wish, "off") == 0) {
        reason = "OCTUPLE_TABLE=off";
    } else if (strcmp(wish, "auto") == 0 || strcmp(wish, "avx512") == 0) {
        selected = avx512_table(&missing);
        reason = selected ? "the CPU has AVX-512 with IFMA" : missing;
    } else {
        reason = oct_setting_row(OCT_SETTING_TABLE)->wrong;
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

unsigned oct_ops_runnable(const struct oct_ops *table[2])
{
    const char *why;
    unsigned count = 0;
    table[count++] = &oct_ops_c;
    const struct oct_ops *avx512 = oct_ops_selected() == &oct_ops_c ? NULL : avx512_table(&why);
    if (avx512)
        table[count++] = avx512;
    return count;
}
