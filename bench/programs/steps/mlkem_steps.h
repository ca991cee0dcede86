/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The steps that ML-KEM-768 is made of, on the avx512 backend: each works on a workspace that is no key's. */
#ifndef OCT_TESTS_SPEED_MLKEM_STEPS_H
#define OCT_TESTS_SPEED_MLKEM_STEPS_H

#include <stddef.h>

struct speed_step {
    const char *name;
    void (*run)(void *workspace);
    unsigned operations, times; /* for how many operations a call is, and how often an encapsulation has it */
};

extern const struct speed_step speed_steps[];
extern const size_t speed_step_count, speed_step_workspace;

#endif
