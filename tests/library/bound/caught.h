/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* A planted defect is caught: what the proof reports leads back to where setjmp(caught) stands. Include this once in a
 * program, behind the kernel's steps. */
#ifndef OCT_TESTS_CAUGHT_H
#define OCT_TESTS_CAUGHT_H

#include <setjmp.h>
#include <stdint.h>

uint64_t oct_bound_checked;
static jmp_buf caught;
static const char *failed_operation;

void oct_bound_failed(const char *operation, __int128 lo, __int128 hi)
{
    (void)lo, (void)hi;
    failed_operation = operation;
    longjmp(caught, 1);
}

#endif
