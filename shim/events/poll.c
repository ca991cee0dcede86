/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * poll() and select() in a thread that also uses epoll. A program may register a socket with epoll and yet wait for it
 * here, in the middle of a handshake: it must not wait for a job that only epoll_wait() would run. The jobs run first,
 * and what is ready then is reported with what else is.
 *
 * Or it waits here for the descriptor of an epoll instance, and looks there when that can be read. Then this is its
 * event loop, and jobs run when it would sleep (events.c). A thread that has nothing paused goes straight through.
 */
#include "events/events.h"

#include "fds/fds.h"
#include "events/handover.h"
#include "handshake/above.h"
#include "handshake/handed.h"
#include "handshake/thread.h"

#define MICRO 1000000

#define HOOK __attribute__((visibility("default")))

/* One call. */
struct call {
    struct pollfd *fds; /* of poll() and ppoll(), n of them */
    nfds_t n;
    fd_set *set[3]; /* of select() and pselect(): to read, to write, exceptions, up to n */
    fd_set asked[3];
    bool selects;
    bool socket;     /* it waits for the socket of a paused handshake, */
    bool instance;   /* for the descriptor of an epoll instance */
    int64_t timeout; /* nanoseconds, negative for ever */
    int64_t since;
    const sigset_t *mask;
};

static int64_t nanoseconds(const struct timespec *t)
{
    if (t == NULL)
        return -1;
    return t->tv_sec < INT64_MAX / OCT_NANO ? t->tv_sec * OCT_NANO + t->tv_nsec : INT64_MAX;
}

/* The kernel refuses others. */
static bool is_valid(const struct timespec *t)
{
    return t == NULL || (t->tv_sec >= 0 && t->tv_nsec >= 0 && t->tv_nsec < OCT_NANO);
}

/* The descriptor in place i, if the call waits for it to be readable, else -1. */
static int wish_at(const struct call *c, nfds_t i)
{
    if (c->selects)
        return FD_ISSET((int)i, &c->asked[0]) ? (int)i : -1;
    return (c->fds[i].events & (POLLIN | POLLRDNORM)) != 0 ? c->fds[i].fd : -1;
}

/* ready: and its operation is done. */
static bool is_paused(const struct oct_thread *t, int fd, bool ready)
{
    const struct oct_conn *conn = t->away != NULL ? oct_fd_conn(fd, t->id) : NULL;
    return conn != NULL && conn->ssl != NULL &&
           (oct_conn_is_due(conn->state) || oct_conn_is_ended(conn->state) ||
            (!ready && conn->state == OCT_CONN_PAUSED));
}

static void sets_copy(struct call *c)
{
    for (int i = 0; c->selects && i < 3; i++)
        if (c->set[i] != NULL)
            c->asked[i] = *c->set[i];
}

static int call_real(const struct call *c, int64_t timeout, const sigset_t *mask)
{
    struct timespec time = {.tv_sec = timeout / OCT_NANO, .tv_nsec = timeout % OCT_NANO};
    const struct timespec *limit = timeout < 0 ? NULL : &time;
    if (c->selects)
        return oct_libc()->pselect((int)c->n, c->set[0], c->set[1], c->set[2], limit, mask);
    return oct_libc()->ppoll(c->fds, c->n, limit, mask);
}

static int64_t rest(const struct call *c)
{
    int64_t spent = oct_events_now() - c->since;
    if (c->timeout < 0)
        return -1;
    return c->timeout > spent ? c->timeout - spent : 0;
}

static bool is_made(const struct call *c, struct oct_thread *t, int fd, bool sleep)
{
    return fd >= 0 &&
           (is_paused(t, fd, true) || (c->instance && oct_fd_is_instance(fd) && oct_made_inside(t, fd, sleep)));
}

static bool any_made(const struct call *c, struct oct_thread *t, bool sleep)
{
    bool found = false;
    for (nfds_t i = 0; i < c->n; i++)
        found |= is_made(c, t, wish_at(c, i), sleep);
    return found;
}

static int add_made(const struct call *c, struct oct_thread *t, bool sleep, int count)
{
    for (nfds_t i = 0; i < c->n; i++) {
        if (!is_made(c, t, wish_at(c, i), sleep))
            continue;
        /* What the kernel said of it is filled in already. It is counted here if that was nothing. */
        if (c->selects) {
            count += !FD_ISSET((int)i, c->set[0]);
            FD_SET((int)i, c->set[0]);
        } else {
            count += c->fds[i].revents == 0;
            c->fds[i].revents |= (short)(c->fds[i].events & (POLLIN | POLLRDNORM));
        }
    }
    return count;
}

/* An event loop's call: asks the kernel first. */
static int loop(struct call *c, struct oct_thread *t, struct oct_held *held)
{
    int count = call_real(c, 0, c->mask), above = 0;
    if (count < 0)
        return count;
    for (nfds_t i = 0; count > 0 && t->suppressed_count > 0 && i < c->n; i++) {
        int fd = wish_at(c, i);
        bool said = fd >= 0 && (c->selects ? FD_ISSET(fd, c->set[0]) : c->fds[i].revents != 0);
        above += said && oct_made_is_above_suppressed(t, fd);
    }
    /* All that it has found are instances that may have no news (oct_made_all_above_suppressed()). */
    bool idle = above == count, sleep = idle && c->timeout != 0;
    if (sleep)
        oct_events_run(t, held);
    else
        oct_events_run_if_due(t, c->since, idle);
    if (sleep && count == 0 && !any_made(c, t, true))
        oct_events_finish(t);
    if (any_made(c, t, sleep))
        return add_made(c, t, sleep, count);
    if (count > 0 || !sleep)
        return count;
    for (int i = 0; c->selects && i < 3; i++)
        if (c->set[i] != NULL)
            *c->set[i] = c->asked[i];
    return call_real(c, rest(c), held->on && c->mask == NULL ? &held->program : c->mask);
}

static int work(struct call *c, struct oct_thread *t)
{
    struct oct_held held = {.on = false};
    int count;

    oct_drain_orphans(t);
    if (c->instance && !c->socket) {
        count = loop(c, t, &held);
    } else { /* it waits for a socket in mid-handshake, or for something else altogether */
        oct_events_run(t, &held);
        bool some = any_made(c, t, true);
        count = call_real(c, some ? 0 : rest(c), held.on && c->mask == NULL ? &held.program : c->mask);
        if (some && count >= 0)
            count = add_made(c, t, true, count);
    }
    oct_events_release(&held);
    return count;
}

/* Connections that other threads have handed to instances that the program waits for here. */
static void adopt(struct call *c)
{
    struct oct_thread *t = oct_handed_any() ? oct_thread_get() : NULL;
    if (t == NULL)
        return;
    sets_copy(c);
    for (nfds_t i = 0; i < c->n; i++)
        if (oct_fd_is_instance(wish_at(c, i)))
            oct_handover_adopt(t, oct_fd_original(wish_at(c, i)));
}

/* The thread, if there is something of it to be done in this call. */
static struct oct_thread *begin(struct call *c)
{
    if (!oct_shim_watching() || (c->selects && c->n > FD_SETSIZE))
        return NULL;
    adopt(c);
    struct oct_thread *t = oct_thread_peek();
    if (t == NULL)
        return NULL;
    oct_thread_next_round(t);
    if (t->away == NULL && oct_thread_waiting() == 0)
        return NULL;
    if (oct_keys_part != NULL && c->timeout != 0)
        oct_keys_part->finish(t);
    if (oct_keys_part != NULL)
        oct_keys_part->collect(t);
    oct_finish_wanted(t);
    if (t->ready != NULL)
        oct_finish_moved(t, -1);
    sets_copy(c);
    c->since = oct_events_now();
    for (nfds_t i = 0; i < c->n; i++) {
        int fd = wish_at(c, i);
        bool instance = fd >= 0 && oct_fd_is_instance(fd);
        c->instance = c->instance || instance;
        c->socket = c->socket || (fd >= 0 && is_paused(t, fd, false));
        if (instance && c->timeout != 0)
            oct_fd_waits(fd, t->id, true);
    }
    bool some = t->ready != NULL || t->out != 0 || oct_thread_waiting() != 0;
    return c->socket || (some && (c->instance || c->timeout != 0)) ? t : NULL;
}

/* Behind a call that went straight through, and that the kernel found in order: the thread sleeps on the instances in
 * it. Of select()'s, on those that can be read now, and so will be looked at. */
static int end(struct call *c, int count)
{
    if (!oct_shim_watching() || count < 0 || c->timeout == 0 || (c->selects && c->n > FD_SETSIZE))
        return count;
    sets_copy(c);
    for (nfds_t i = 0; i < c->n; i++) {
        int fd = wish_at(c, i);
        const struct oct_thread *t = fd >= 0 && oct_fd_is_instance(fd) ? oct_thread_get() : NULL;
        if (t != NULL)
            oct_fd_waits(fd, t->id, true);
    }
    return count;
}

HOOK int poll(struct pollfd *fds, nfds_t n, int timeout)
{
    struct call c = {.fds = fds, .n = n, .timeout = timeout < 0 ? -1 : timeout * (OCT_NANO / 1000)};
    struct oct_thread *t = begin(&c);
    return t != NULL ? work(&c, t) : end(&c, oct_libc()->poll(fds, n, timeout));
}

HOOK int ppoll(struct pollfd *fds, nfds_t n, const struct timespec *timeout, const sigset_t *mask)
{
    __typeof__(ppoll) *real = oct_libc()->ppoll;
    if (!is_valid(timeout))
        return real(fds, n, timeout, mask);
    struct call c = {.fds = fds, .n = n, .timeout = nanoseconds(timeout), .mask = mask};
    struct oct_thread *t = begin(&c);
    return t != NULL ? work(&c, t) : end(&c, real(fds, n, timeout, mask));
}

HOOK int select(int n, fd_set *in, fd_set *out, fd_set *except, struct timeval *timeout)
{
    __typeof__(select) *real = oct_libc()->select;
    struct timespec time = {0};
    if (timeout != NULL && (timeout->tv_sec < 0 || timeout->tv_usec < 0))
        return real(n, in, out, except, timeout);
    if (timeout != NULL) /* more microseconds than a second has are allowed here */
        time = (struct timespec){.tv_sec = timeout->tv_sec + timeout->tv_usec / MICRO,
                                 .tv_nsec = timeout->tv_usec % MICRO * 1000};
    struct call c = {.set = {in, out, except},
                     .n = (nfds_t)n,
                     .selects = true,
                     .timeout = nanoseconds(timeout != NULL ? &time : NULL)};
    struct oct_thread *t = begin(&c);
    if (t == NULL)
        return end(&c, real(n, in, out, except, timeout));
    int count = work(&c, t);
    const int64_t left = rest(&c); /* the kernel leaves there what has not been waited */
    if (timeout != NULL)
        *timeout = (struct timeval){.tv_sec = left / OCT_NANO, .tv_usec = left % OCT_NANO / 1000};
    return count;
}

HOOK int pselect(int n, fd_set *in, fd_set *out, fd_set *except, const struct timespec *timeout, const sigset_t *mask)
{
    __typeof__(pselect) *real = oct_libc()->pselect;
    if (!is_valid(timeout))
        return real(n, in, out, except, timeout, mask);
    struct call c = {
        .set = {in, out, except}, .n = (nfds_t)n, .selects = true, .timeout = nanoseconds(timeout), .mask = mask};
    struct oct_thread *t = begin(&c);
    return t != NULL ? work(&c, t) : end(&c, real(n, in, out, except, timeout, mask));
}

#if defined(__GLIBC__)
/* What poll() and ppoll() are called in programs built with _FORTIFY_SOURCE. */
int __poll_chk(struct pollfd *fds, nfds_t n, int timeout, size_t bytes);
int __ppoll_chk(struct pollfd *fds, nfds_t n, const struct timespec *timeout, const sigset_t *mask, size_t bytes);
_Noreturn void __chk_fail(void);

HOOK int __poll_chk(struct pollfd *fds, nfds_t n, int timeout, size_t bytes)
{
    if (bytes / sizeof *fds < n)
        __chk_fail();
    return poll(fds, n, timeout);
}

HOOK int __ppoll_chk(struct pollfd *fds, nfds_t n, const struct timespec *timeout, const sigset_t *mask, size_t bytes)
{
    if (bytes / sizeof *fds < n)
        __chk_fail();
    return ppoll(fds, n, timeout, mask);
}
#endif
