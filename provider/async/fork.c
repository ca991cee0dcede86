/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See fork.h. */
#include "fork.h"

#include <pthread.h>

/* Only the forking thread lives on in the child, so nobody else reads it while it changes. */
static unsigned generation;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void count_fork(void)
{
    generation++;
}

static void watch(void)
{
    pthread_atfork(NULL, NULL, count_fork);
}

unsigned oct_fork_generation(void)
{
    pthread_once(&once, watch);
    return generation;
}
