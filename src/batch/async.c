/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* What shim and provider tell each other about the thread. */
#include <octuple/async.h>

static __thread int draining;

void oct_async_set_draining(int on)
{
    draining = on != 0;
}

int oct_async_draining(void)
{
    return draining;
}
