/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * poll() and select() in a thread that also uses epoll. A program may register a socket with epoll and yet wait for it
 * here, in the middle of a handshake: it must not wait for a job that only epoll_wait() would run. The jobs run first,
 * and what is ready then is reported with what else is. A thread that has nothing paused goes straight through.
 */
#include "thread.h"

#include <errno.h>
#include <signal.h>
#include <time.h>

#define HOOK __attribute__((visibility("default")))

/* True if some handshake of this thread is ready to be resumed. */
static bool run_before_sleep(void)
{
    struct oct_thread *t = oct_shim_watching() ? oct_thread_peek() : NULL;
    if (t == NULL || t->handshakes == NULL || t->busy != 0)
        return false;
    if (oct_thread_waiting() != 0)
        oct_queue_poll(oct_queue_thread_peek());
    for (const struct oct_conn *conn = t->handshakes; conn != NULL; conn = conn->next)
        if (conn->state == OCT_CONN_READY)
            return true;
    return false;
}

static bool ready(int fd)
{
    for (const struct oct_conn *conn = oct_thread_peek()->handshakes; conn != NULL; conn = conn->next)
        if (conn->state == OCT_CONN_READY && conn->ssl != NULL && conn->fd == fd)
            return true;
    return false;
}

static bool any_ready(const struct pollfd *fds, nfds_t n)
{
    for (nfds_t i = 0; i < n; i++)
        if ((fds[i].events & (POLLIN | POLLRDNORM)) != 0 && ready(fds[i].fd))
            return true;
    return false;
}

/* What the kernel said of them is filled in already. */
static int add_ready(struct pollfd *fds, nfds_t n, int count)
{
    for (nfds_t i = 0; i < n; i++) {
        short wish = fds[i].events & (POLLIN | POLLRDNORM);
        if (wish == 0 || !ready(fds[i].fd))
            continue;
        count += fds[i].revents == 0;
        fds[i].revents |= wish;
    }
    return count;
}

HOOK int poll(struct pollfd *fds, nfds_t n, int timeout)
{
    __typeof__(poll) *real = oct_libc()->poll;
    bool some = run_before_sleep() && any_ready(fds, n);
    int count = real(fds, n, some ? 0 : timeout);
    return some && count >= 0 ? add_ready(fds, n, count) : count;
}

HOOK int ppoll(struct pollfd *fds, nfds_t n, const struct timespec *timeout, const sigset_t *mask)
{
    static const struct timespec zero;
    __typeof__(ppoll) *real = oct_libc()->ppoll;
    bool some = run_before_sleep() && any_ready(fds, n);
    int count = real(fds, n, some ? &zero : timeout, mask);
    return some && count >= 0 ? add_ready(fds, n, count) : count;
}

/* The ready ones among the n lowest of `in`, in `out`; how many. */
static int select_ready(fd_set *out, const fd_set *in, int n)
{
    int count = 0;
    FD_ZERO(out);
    for (int fd = 0; in != NULL && fd < n && fd < FD_SETSIZE; fd++)
        if (FD_ISSET(fd, in) && ready(fd)) {
            FD_SET(fd, out);
            count++;
        }
    return count;
}

static int select_add(fd_set *in, const fd_set *ready_fds, int n, int count)
{
    for (int fd = 0; fd < n && fd < FD_SETSIZE; fd++)
        if (FD_ISSET(fd, ready_fds) && !FD_ISSET(fd, in)) {
            FD_SET(fd, in);
            count++;
        }
    return count;
}

HOOK int select(int n, fd_set *in, fd_set *out, fd_set *except, struct timeval *timeout)
{
    struct timeval zero = {0, 0};
    fd_set found;
    __typeof__(select) *real = oct_libc()->select;
    bool some = run_before_sleep() && select_ready(&found, in, n) > 0;
    int count = real(n, in, out, except, some ? &zero : timeout);
    return some && count >= 0 ? select_add(in, &found, n, count) : count;
}

HOOK int pselect(int n, fd_set *in, fd_set *out, fd_set *except, const struct timespec *timeout, const sigset_t *mask)
{
    static const struct timespec zero;
    fd_set found;
    __typeof__(pselect) *real = oct_libc()->pselect;
    bool some = run_before_sleep() && select_ready(&found, in, n) > 0;
    int count = real(n, in, out, except, some ? &zero : timeout, mask);
    return some && count >= 0 ? select_add(in, &found, n, count) : count;
}

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
