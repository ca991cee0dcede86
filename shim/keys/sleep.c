/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * How a server's thread sleeps while operations of devices are under way: on the server's own epoll instance, which can
 * be waited for as any descriptor, and on the eventfd of its watch. Nothing is added to the server's instance.
 */
#include "keys/watch.h"

#include "events/events.h"
#include "handshake/thread.h"

static int64_t end_of(const struct oct_wait *w, int64_t now)
{
    if (w->kind == OCT_PWAIT2)
        return w->time != NULL ? now + w->time->tv_sec * OCT_NANO + w->time->tv_nsec : INT64_MAX;
    return w->timeout >= 0 ? now + w->timeout * (OCT_NANO / 1000) : INT64_MAX;
}

static int look(const struct oct_wait *w)
{
    static const struct timespec zero;
    struct oct_wait at_once = *w;
    at_once.timeout = 0;
    at_once.time = &zero;
    return oct_wait_real(&at_once);
}

/* Returns what ppoll() says. */
static int sleep_until(const struct oct_thread *t, const struct oct_wait *w, int64_t until)
{
    struct pollfd fds[] = {{.fd = w->epfd, .events = POLLIN},
                           {.fd = t->watch->fd, .events = POLLIN},
                           {.fd = oct_pausing_fd(t), .events = POLLIN}};
    const int64_t now = oct_events_now(), left = until > now ? until - now : 0;
    const struct timespec time = {.tv_sec = left / OCT_NANO, .tv_nsec = left % OCT_NANO};
    return oct_libc()->ppoll(fds, sizeof fds / sizeof fds[0], until != INT64_MAX ? &time : NULL, w->mask);
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
    const int64_t end = watch != NULL ? end_of(w, oct_events_now()) : 0;
    int n = 0;

    if (watch == NULL || watch->count == 0 || oct_libc()->ppoll == NULL)
        return oct_wait_real(w);
    do {
        const int64_t due = next_due(t);
        if (sleep_until(t, w, due < end ? due : end) < 0)
            return -1;
        oct_watch_collect(t);
        oct_drain_orphans(t);
        n = t->ready != NULL ? oct_made_deliver(t, w, 0, true) : 0;
        if (n == 0)
            n = look(w);
    } while (n == 0 && !t->waked && oct_events_now() < end);
    return n;
}

/* Until something has come from a device. */
static void sleep_on_devices(const struct oct_thread *t, int64_t until)
{
    struct pollfd fds[] = {{.fd = t->watch->fd, .events = POLLIN}, {.fd = oct_pausing_fd(t), .events = POLLIN}};
    const int64_t left = until - oct_events_now();
    const struct timespec time = {.tv_sec = left / OCT_NANO, .tv_nsec = left % OCT_NANO};
    if (left > 0)
        (void)oct_libc()->ppoll(fds, 2, until != INT64_MAX ? &time : NULL, NULL);
}

void oct_watch_finish(struct oct_thread *t)
{
    while (t->watch != NULL && t->watch->first != NULL) {
        sleep_on_devices(t, next_due(t));
        oct_watch_collect(t);
    }
}

/* One that pauses is gone on with by its own thread, which is this one. */
static void wait_for_job(const struct oct_remote *op)
{
    struct oct_thread *t = oct_thread_peek();
    while (atomic_load(&op->state) != OCT_REMOTE_DONE) {
        sleep_on_devices(t, oct_pausing_due(t));
        oct_pausing_collect(t);
    }
}

void oct_watch_wait(struct oct_remote *op)
{
    struct oct_watch *watch = op->watch;

    if (atomic_load(&op->state) == OCT_REMOTE_DONE)
        return;
    if (op->pausing != NULL) {
        wait_for_job(op);
        return;
    }
    pthread_mutex_lock(&watch->lock);
    while (atomic_load(&op->state) != OCT_REMOTE_DONE)
        pthread_cond_wait(&watch->done, &watch->lock);
    pthread_mutex_unlock(&watch->lock);
}
