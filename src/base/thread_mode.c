/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See thread_mode.h. The thread alone reads and writes its mode; src/batch/thread.c resets it with the thread's queue.
 */
#include "base/thread_mode.h"

#include <dlfcn.h>
#include <stdatomic.h>

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

/* glibc says from 2.32 on that there is one thread. It is looked for at run time: a reference, even a weak one, would
 * keep the library from loading on older ones. Where nobody says it, there may be more threads. */
bool oct_thread_is_only_one(void)
{
    static const char unknown;
    static _Atomic(const char *) says;
    const char *single = atomic_load_explicit(&says, memory_order_acquire);

    if (single == NULL) {
        single = dlsym(RTLD_DEFAULT, "__libc_single_threaded");
        single = single != NULL ? single : &unknown;
        atomic_store_explicit(&says, single, memory_order_release);
    }
    return *single != 0;
}

static atomic_bool provider_loaded;

void oct_provider_set_loaded(void)
{
    atomic_store_explicit(&provider_loaded, true, memory_order_relaxed);
}

bool oct_provider_was_loaded(void)
{
    return atomic_load_explicit(&provider_loaded, memory_order_relaxed);
}

void oct_thread_set_draining(bool on)
{
    draining = on;
}

bool oct_thread_is_draining(void)
{
    return draining;
}
