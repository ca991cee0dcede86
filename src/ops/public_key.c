/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The tables of public-key operations, what each needs of the CPU, and which of them this process uses. */
#include "ops/ops.h"
#include "ops/select.h"

#define ROW(table, needs_, ports_, has_)                                                                               \
    {                                                                                                                  \
        .ops = &oct_ops_##table, .needs = needs_, .ports = OCT_PORTS_##ports_, .name = #table,                         \
        .wish = "OCTUPLE_TABLE=" #table, .has = has_                                                                   \
    }

/* A CPU without AVX-512 needs ifma256 in the form of AVX-IFMA. */
#if defined(OCT_HAVE_AVXIFMA_TABLE)
#define HAS_IFMA256 "the CPU has AVX-IFMA, and no AVX-512"
#else
#define HAS_IFMA256 NULL
#endif

const struct oct_row oct_rows_public_key[] = {
#if defined(OCT_HAVE_AVX512_TABLE)
    ROW(avx512, OCT_NEEDS_AVX512, OWN, "the CPU has AVX-512 with IFMA"),
    ROW(avx512s, OCT_NEEDS_AVX512, SHARED, "the CPU has AVX-512 with IFMA, on two ports for all of its instructions"),
#if defined(OCT_HAVE_MIDDLE_TABLES)
    ROW(ifma256, OCT_NEEDS_IFMA256, ANY, HAS_IFMA256),
    ROW(avx512f, OCT_NEEDS_AVX512F, ANY, "the CPU has AVX-512, without IFMA"),
#endif
    ROW(avx2, OCT_NEEDS_AVX2, ANY, "the CPU has AVX2 and FMA, and no AVX-512"),
#endif
    {.ops = &oct_ops_c},
    {.ops = NULL},
};

const struct oct_ops *oct_ops_selected(void)
{
    return oct_selected(OCT_SELECT_PUBLIC_KEY, NULL);
}

const char *oct_ops_selected_reason(void)
{
    const char *reason;
    oct_selected(OCT_SELECT_PUBLIC_KEY, &reason);
    return reason;
}

unsigned oct_ops_runnable(const struct oct_ops *table[OCT_OPS_TABLES])
{
    unsigned count = 0;
    for (; oct_runnable(OCT_SELECT_PUBLIC_KEY, count); count++)
        table[count] = oct_runnable(OCT_SELECT_PUBLIC_KEY, count);
    return count;
}
