/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See slice.h. A callback may leave a slice by longjmp(), or run on a stack of its own: the place of the stack tells.
 * Coroutines that share the stack, as Python's greenlets do, leave a callback and come back with the same bytes there:
 * a mark in the slice tells whose they are. */
#include "base/slice.h"

#include "base/thread_mode.h"

static _Thread_local struct oct_slice *entered;

struct oct_slice *oct_slice_current(void)
{
    const uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    struct oct_slice *slice = entered;
    if (slice == NULL || here < slice->low || here >= slice->top)
        return NULL;
    return *(const void *const *)slice->top == slice->mark ? slice : NULL;
}

void oct_slice_enter(struct oct_slice *slice)
{
    entered = slice;
}

void oct_slice_forget(const struct oct_slice *slice)
{
    if (entered == slice)
        entered = NULL;
}

bool oct_slice_may_pause(struct oct_slice *slice, enum oct_slice_work work)
{
    return oct_thread_mode(true) == OCT_THREAD_EVENT_LOOP && slice->may_pause(slice, work);
}

bool oct_slice_pause(struct oct_slice *slice, const struct oct_slice_wait *wait, void *arg)
{
    if (oct_thread_is_draining())
        return false;
    slice->told = false;
    slice->wait = wait;
    slice->arg = arg;
    slice->paused = true;
    const bool left = slice->leave(slice);
    slice->paused = false;
    return left && slice->told;
}

void oct_slice_tell(struct oct_slice *slice)
{
    if (!slice->paused || slice->told)
        return;
    slice->told = true;
    slice->can_go_on(slice);
}

void oct_slice_moved(const struct oct_slice *slice, uintptr_t low, ptrdiff_t by)
{
    if (slice->paused && slice->wait->moved != NULL)
        slice->wait->moved(slice->arg, low, slice->top, by);
}

void oct_slice_lose(struct oct_slice *slice)
{
    if (!slice->paused)
        return;
    slice->paused = false;
    slice->wait->lost(slice->arg);
}
