/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * See server.h. Threads that end while handshakes are under way, and give their connections to the first thread: as
 * the last that they do, or in the destructor of an object of theirs, which looks at them before (`quits-in=end`).
 * That object is there from the thread's begin on, from its first callback, or from its first wait (`quits-from`).
 */
#include "server.h"

#include <string.h>
#include <unistd.h>

/* What a compiler of C++ calls for an object that is thread_local. */
extern int __cxa_thread_atexit_impl(void (*end)(void *), void *object, void *image);
extern void *__dso_handle;

static _Thread_local struct {
    struct loop *loop;
    bool made, over;
} own;

static struct conn *some_member(struct loop *loop)
{
    pthread_mutex_lock(&loop->lock);
    loop->quit = true;
    struct conn *c = loop->members > 0 ? loop->member[0] : NULL;
    pthread_mutex_unlock(&loop->lock);
    return c;
}

static void hand_over(struct loop *loop)
{
    struct conn *c;
    while ((c = some_member(loop)) != NULL) {
        loop_forget(c);
        loop_adopt(&loops[0], c);
    }
}

static void end(void *unused)
{
    struct loop *loop = own.loop;
    (void)unused;
    if (loop->quits) {
        for (int i = 0; i < loop->members; i++)
            look_at(loop->member[i]);
        hand_over(loop);
    }
    own.over = true;
}

void quits_make(const char *moment)
{
    if (own.loop == NULL || own.made || !plan_is("quits-from", moment))
        return;
    own.made = true;
    __cxa_thread_atexit_impl(end, NULL, &__dso_handle);
}

void quits_begin(struct loop *loop)
{
    if (plan_number("quits", 0) == 0)
        return;
    own.loop = loop;
    quits_make("begin");
}

bool quits_now(struct loop *loop)
{
    loop->quits = own.loop == loop && plan_number("quits", 0) <= loop->wants;
    return loop->quits;
}

void quits_end(struct loop *loop)
{
    if (!loop->quits)
        return;
    if (!own.made || !plan_is("quits-in", "end"))
        hand_over(loop);
}

bool quits_over(void)
{
    return own.over;
}
