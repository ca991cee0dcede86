/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * How a server's thread sleeps while operations of devices are under way: on the server's own epoll instance, which can
 * be waited for as any descriptor, and on the eventfd of its watch. Nothing is added to the server's instance.
 */
#include "keys/watch.h"

#include "events/events.h"
#include "handshake/thread.h"

/* Until something has come from a device, or for the server where it waits too (w). Returns what ppoll() says. */
static int sleep_until(const struct oct_thread *t, const struct oct_wait *w, int64_t until)
{
    struct pollfd fds[] = {{.fd = w != NULL ? w->epfd : -1, .events = POLLIN},
                           {.fd = t->watch->fd, .events = POLLIN},
                           {.fd = oct_pausing_fd(t), .events = POLLIN}};
    const int64_t now = oct_events_now(), left = until > now ? until - now : 0;
    const struct timespec time = {.tv_sec = left / OCT_NANO, .tv_nsec = left % OCT_NANO};
    if (left == 0 && w == NULL)
        return 0;
    return oct_libc()->ppoll(fds, sizeof fds / sizeof fds[0], until != INT64_MAX ? &time : NULL,
                             w != NULL ? w->mask : NULL);
}

/* Some operation's time is over, or one is to be asked. */
static int64_t next_due(const struct oct_thread *t)
{
    const int64_t look = oct_pausing_due(t), over = t->watch->first != NULL ? t->watch->first->deadline : INT64_MAX;
    return look < over ? look : over;
}

int oct_watch_sleep(struct oct_thread *t, const struct oct_wait *w)
{
    const struct oct_watch *watch = t->watch;
    int64_t end = INT64_MAX;
    int n = 0;

    if (watch == NULL || watch->count == 0 || oct_libc()->ppoll == NULL)
        return oct_wait_real(w);
    if (w->kind == OCT_PWAIT2 && w->time != NULL)
        end = oct_events_now() + w->time->tv_sec * OCT_NANO + w->time->tv_nsec;
    else if (w->kind != OCT_PWAIT2 && w->timeout >= 0)
        end = oct_events_now() + w->timeout * (OCT_NANO / 1000);
    do {
        const int64_t due = next_due(t);
        if (sleep_until(t, w, due < end ? due : end) < 0)
            return -1;
        oct_watch_collect(t);
        oct_drain_orphans(t);
        n = t->ready != NULL ? oct_made_deliver(t, w, 0, true) : 0;
        if (n == 0)
            n = oct_wait_at_once(w);
    } while (n == 0 && !t->waked && oct_events_now() < end);
    return n;
}

void oct_watch_finish(struct oct_thread *t)
{
    while (t->watch != NULL && t->watch->first != NULL) {
        (void)sleep_until(t, NULL, next_due(t));
        oct_watch_collect(t);
    }
}

void oct_watch_wait(struct oct_remote *op)
{
    struct oct_thread *t = oct_thread_peek();
    struct oct_watch *watch = op->watch;

    if (atomic_load(&op->state) == OCT_REMOTE_DONE)
        return;
    if (op->pausing != NULL) {
        /* One that pauses is gone on with by its own thread, which is this one. */
        while (atomic_load(&op->state) != OCT_REMOTE_DONE) {
            (void)sleep_until(t, NULL, oct_pausing_due(t));
            oct_pausing_collect(t);
        }
        return;
    }
    pthread_mutex_lock(&watch->lock);
    while (atomic_load(&op->state) != OCT_REMOTE_DONE)
        pthread_cond_wait(&watch->done, &watch->lock);
    pthread_mutex_unlock(&watch->lock);
}
