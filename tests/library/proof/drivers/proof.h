/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* What a driver of the proof says besides the operations: which numbers go in, and which come out. */
#ifndef OCT_TESTS_PROOF_H
#define OCT_TESTS_PROOF_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Functions of kernels that are entered (gcc's -finstrument-functions), each once a record. */
static const void *proof_entered[1024];

__attribute__((no_instrument_function)) void __cyg_profile_func_enter(const void *function, const void *caller)
{
    int i = 0;
    (void)caller;
    while (i < 1024 && proof_entered[i] && proof_entered[i] != function)
        i++;
    if (i == 1024)
        abort();
    if (!proof_entered[i])
        printf("enter %p\n", function);
    proof_entered[i] = function;
}
__attribute__((no_instrument_function)) void __cyg_profile_func_exit(const void *function, const void *caller)
{
    (void)function, (void)caller;
}

static int proof_lines;

int oct_proof_record(const char *operation, int a, int b, int c, uint64_t constant)
{
    printf("%s %d %d %d %" PRIu64 "\n", operation, a, b, c, constant);
    return proof_lines++;
}

static void proof_number_is(const char *name, const v8 *limbs, int n, unsigned bits)
{
    printf("number:%u:%s", bits, name);
    for (int i = 0; i < n; i++)
        printf(" %d", limbs[i].line);
    printf("\n");
}
void oct_proof_number(const v8 *limbs, int n, unsigned bits)
{
    proof_number_is("", limbs, n, bits);
}

/* Lines `begin NAME`, and claims of prove.py about it end at the next one. Numbers of lines start again. */
static inline void proof_begin(const char *name)
{
    printf("begin %s\n", name);
    proof_lines = 0;
    for (int i = 0; i < 1024; i++)
        proof_entered[i] = NULL;
}
/* x[i] = a number of 0 .. max, the limb i of the input `name`. */
static inline void proof_input(v8 *x, int n, const char *name, uint64_t max)
{
    for (int i = 0; i < n; i++) {
        printf("input:%s:%d ", name, i);
        x[i].line = oct_proof_record("", 0, 0, 0, max);
    }
}
static inline void proof_output(const v8 *x, int n, const char *name)
{
    for (int i = 0; i < n; i++)
        printf("output:%s:%d %d 0 0 0\n", name, i, x[i].line);
}
/* Says that n0 * k0 = -1 mod 2^52. */
static inline void proof_montgomery(v8 n0, v8 k0)
{
    printf("montgomery %d %d 0 0\n", n0.line, k0.line);
}

#endif
