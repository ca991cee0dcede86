/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See thread_mode.h. The thread alone reads and writes this; src/batch/thread.c resets it with the thread's queue. */
#include "base/thread_mode.h"

static _Thread_local enum oct_thread_mode served; /* BLOCKING: by nobody */
static _Thread_local bool draining;

void oct_thread_set_mode(enum oct_thread_mode mode)
{
    served = mode;
}

enum oct_thread_mode oct_thread_mode(bool on_fibre)
{
    if (served == OCT_THREAD_BLOCKING)
        return on_fibre ? OCT_THREAD_NATIVE_ASYNC : OCT_THREAD_BLOCKING;
    return on_fibre ? served : OCT_THREAD_ALONE;
}

void oct_thread_set_draining(bool on)
{
    draining = on;
}

bool oct_thread_is_draining(void)
{
    return draining;
}
