/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Where the time of ML-KEM goes: cycles of a batch of eight, and an operation's share, for whole operations on every
 * table that this CPU runs, and for the steps of encapsulation with ML-KEM-768 on vectors. Cycles are the core's:
 * ticks of the time stamp counter, scaled by what a chain of additions takes. The best of many rounds counts.
 */
#include "base/base.h"
#include "mlkem_steps.h"
#include "ops/mlkem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <x86intrin.h>

#define LANES  8
#define ROUNDS 400

static uint8_t seed[3][LANES][OCT_MLKEM_SEED_BYTES], secret[LANES][OCT_MLKEM_SECRET_BYTES];
static uint8_t ek[LANES][OCT_MLKEM_MAX_EK_BYTES], dk[LANES][OCT_MLKEM_MAX_DK_BYTES], ct[LANES][OCT_MLKEM_MAX_CT_BYTES];
static int16_t matrix[LANES][OCT_MLKEM_MATRIX_NUMBERS(4)] OCT_ALIGN64;
static struct oct_mlkem_keygen_args keygen_args = {.lanes = LANES};
static struct oct_mlkem_encaps_args encaps_args = {.lanes = LANES};
static struct oct_mlkem_decaps_args decaps_args = {.lanes = LANES};
static struct oct_mlkem_check_args check_args = {.lanes = LANES};
static const struct oct_mlkem_ops *ops;
static int set;

static void prepare(void *workspace)
{
    keygen_args.workspace = encaps_args.workspace = decaps_args.workspace = check_args.workspace = workspace;
    for (int i = 0; i < LANES; i++) {
        memset(seed[0][i], i + 1, sizeof seed[0][i]);
        keygen_args.d[i] = seed[0][i];
        keygen_args.z[i] = seed[1][i];
        encaps_args.m[i] = seed[2][i];
        keygen_args.ek[i] = ek[i];
        encaps_args.ek[i] = ek[i];
        keygen_args.dk[i] = dk[i];
        keygen_args.matrix[i] = matrix[i];
        decaps_args.dk[i] = check_args.dk[i] = dk[i];
        encaps_args.ct[i] = ct[i];
        decaps_args.ct[i] = ct[i];
        encaps_args.secret[i] = decaps_args.secret[i] = secret[i];
    }
}

static void keygen(void)
{
    ops->set[set].keygen(&keygen_args);
}
static void encaps(void)
{
    if (ops->set[set].encaps(&encaps_args))
        abort();
}
static void decaps(void)
{
    ops->set[set].decaps(&decaps_args);
}
/* With the matrix that the key keeps. */
static void decaps_kept(void)
{
    struct oct_mlkem_decaps_args args = decaps_args;
    for (int i = 0; i < LANES; i++)
        args.matrix[i] = matrix[i];
    ops->set[set].decaps(&args);
}
static void check(void)
{
    if (ops->set[set].check(&check_args))
        abort();
}
/* What callers do after each batch. */
static void clear(void)
{
    oct_cleanse(keygen_args.workspace, *ops->set[set].workspace);
}

static const struct work {
    const char *name;
    void (*run)(void);
} works[] = {{"keygen", keygen},           {"encaps", encaps}, {"decaps", decaps},
             {"with matrix", decaps_kept}, {"check", check},   {"clear workspace", clear}};

/* Core cycles per tick. */
static double tick(void)
{
    uint64_t best = ~(uint64_t)0;
    for (int r = 0; r < 50; r++) {
        uint64_t x = 1, t = __rdtsc();
        for (int i = 0; i < 1000; i++)
            __asm__ volatile("add %0, %0\n\tadd %0, %0\n\tadd %0, %0\n\tadd %0, %0\n\tadd %0, %0" : "+r"(x));
        t = __rdtsc() - t;
        best = t < best ? t : best;
    }
    return 5000.0 / (double)best;
}

#if defined(OCT_HAVE_AVX512_TABLE)
/* Each step many times in turn, as its first time is with cold caches. */
static void measure_steps(void)
{
    const double scale = tick();
    void *workspace = aligned_alloc(64, (speed_step_workspace + 63) / 64 * 64);
    if (!workspace)
        abort();
    memset(workspace, 0, speed_step_workspace);
    printf("avx512, steps of ML-KEM-768\n");
    for (size_t i = 0; i < speed_step_count; i++) {
        const struct speed_step *s = &speed_steps[i];
        uint64_t best = ~(uint64_t)0;
        for (int r = 0; r < 4 * ROUNDS; r++) {
            uint64_t ticks = __rdtsc();
            for (int k = 0; k < 8; k++)
                s->run(workspace);
            ticks = __rdtsc() - ticks;
            best = ticks < best ? ticks : best;
        }
        const double cycles = (double)best * scale / 8, each = cycles / s->operations;
        printf("  %-27s %7.0f cycles, %6.0f an operation, %2u times: %6.0f\n", s->name, cycles, each, s->times,
               each * s->times);
    }
    free(workspace);
}
#endif

int main(void)
{
    const struct oct_mlkem_ops *table[OCT_LATTICE_BACKENDS];
    const unsigned tables = oct_mlkem_runnable(table);
    for (unsigned t = 0; t < tables; t++)
        for (set = 0; set < OCT_MLKEM_SETS; set++) {
            uint64_t best[OCT_ARRAY_LEN(works)];
            const double scale = tick();
            ops = table[t];
            void *workspace = aligned_alloc(64, (*ops->set[set].workspace + 63) / 64 * 64);
            if (!workspace)
                return 1;
            prepare(workspace);
            for (int r = 0; r < (strcmp(ops->name, "c") == 0 ? 3 : ROUNDS); r++)
                for (size_t i = 0; i < OCT_ARRAY_LEN(works); i++) {
                    uint64_t ticks = __rdtsc();
                    works[i].run();
                    ticks = __rdtsc() - ticks;
                    best[i] = r == 0 || ticks < best[i] ? ticks : best[i];
                }
            printf("%s, ML-KEM-%d, workspace %zu bytes\n", ops->name, set ? 1024 : 768, *ops->set[set].workspace);
            for (size_t i = 0; i < OCT_ARRAY_LEN(works); i++)
                printf("  %-16s %9.0f cycles, %8.0f an operation\n", works[i].name, (double)best[i] * scale,
                       (double)best[i] * scale / LANES);
            free(workspace);
        }
#if defined(OCT_HAVE_AVX512_TABLE)
    if (tables > 1)
        measure_steps();
#endif
    return 0;
}
