/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Where a thread's own stack lies. The main thread's reaches from what the kernel has put on its top down to the limit;
 * it is found without /proc, which a jail may not have. A call that comes on any other stack (a coroutine's, a
 * signal's) is not to be paused: that stack may be gone when it should go on.
 */
#include "handshake/slice.h"
#include "handshake/thread.h"

#include <pthread.h>
#include <sys/auxv.h>
#include <sys/resource.h>

/* The kernel keeps at least twice as much below the top free of other mappings, whatever the limit. */
#define MAIN_MAX ((uintptr_t)64 * 1024 * 1024)

struct range {
    uintptr_t low, high;
};

static struct range thread_stack(void)
{
    struct range range = {0, 0};
    pthread_attr_t attributes;
    void *low;
    size_t size;

    if (pthread_getattr_np(pthread_self(), &attributes) != 0)
        return range;
    if (pthread_attr_getstack(&attributes, &low, &size) == 0)
        range = (struct range){(uintptr_t)low, (uintptr_t)low + size};
    pthread_attr_destroy(&attributes);
    return range;
}

static bool is_in(struct range range, uintptr_t here)
{
    return here >= range.low && here < range.high;
}

uintptr_t oct_own_stack(struct oct_thread *t, uintptr_t here)
{
    if (t->stack_high == 0) {
        /* The main thread's: the random bytes that each process gets lie above its first frame. */
        const uintptr_t high = (uintptr_t)getauxval(AT_RANDOM);
        struct rlimit limit;
        uintptr_t size = MAIN_MAX;
        if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur < size)
            size = (uintptr_t)limit.rlim_cur;
        struct range range = {high - size, high};
        if (!is_in(range, here))
            range = thread_stack();
        t->stack_low = range.low;
        t->stack_high = range.high;
    }
    const struct range own = {t->stack_low, t->stack_high};
    return !t->visited && is_in(own, here) ? t->stack_low : 0;
}
