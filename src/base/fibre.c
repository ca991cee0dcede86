/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See fibre.h. A callback may leave a fibre by longjmp(), or run on a stack of its own: the place of the stack tells.
 */
#include "base/fibre.h"

#include "base/thread_mode.h"

#include <stddef.h>

static _Thread_local struct oct_fibre *entered;

struct oct_fibre *oct_fibre_current(void)
{
    const uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    struct oct_fibre *fibre = entered;
    return fibre != NULL && here >= fibre->low && here < fibre->top ? fibre : NULL;
}

void oct_fibre_enter(struct oct_fibre *fibre)
{
    entered = fibre;
}

bool oct_fibre_may_pause(struct oct_fibre *fibre)
{
    return oct_thread_mode(true) == OCT_THREAD_EVENT_LOOP && fibre->may_pause(fibre);
}

bool oct_fibre_pause(struct oct_fibre *fibre, void (*lost)(void *arg), void *arg)
{
    if (oct_thread_is_draining())
        return false;
    fibre->told = false;
    fibre->lost = lost;
    fibre->arg = arg;
    fibre->paused = true;
    fibre->leave(fibre);
    fibre->paused = false;
    return fibre->told;
}

void oct_fibre_tell(struct oct_fibre *fibre)
{
    if (!fibre->paused || fibre->told)
        return;
    fibre->told = true;
    fibre->can_go_on(fibre);
}

void oct_fibre_lose(struct oct_fibre *fibre)
{
    if (!fibre->paused)
        return;
    fibre->paused = false;
    fibre->lost(fibre->arg);
}
