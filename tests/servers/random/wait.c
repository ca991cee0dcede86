/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See server.h. The calls that wait. */
#include "server.h"

#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <unistd.h>

#define EVENTS 64 /* at a time */

bool loop_is_nested(void)
{
    return strncmp(plan_text("loop", "epoll"), "nested", 6) == 0;
}

int wait_epoll(int epfd, int *tokens, int timeout)
{
    struct epoll_event events[EVENTS];
    const struct timespec time = {timeout / 1000, timeout % 1000 * 1000000l};
    const int at_most = plan_number("batch", EVENTS);
    int n;
    if (plan_is("wait", "epoll_pwait"))
        n = epoll_pwait(epfd, events, at_most, timeout, NULL);
    else if (plan_is("wait", "epoll_pwait2"))
        n = epoll_pwait2(epfd, events, at_most, timeout < 0 ? NULL : &time, NULL);
    else
        n = epoll_wait(epfd, events, at_most, timeout);
    for (int i = 0; i < n; i++) {
        tokens[i] = (int)events[i].data.u64;
        if (tokens[i] < GUESTS && plan_number("gone", 0) != 0 &&
            (events[i].events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0)
            tokens[i] |= TOKEN_GONE;
    }
    return n;
}

/* What a loop without epoll waits for. */
static int gather(struct loop *loop, struct pollfd *fds, int *tokens)
{
    int n = 0;
    if (loop->epfd >= 0) {
        fds[n] = (struct pollfd){.fd = loop->epfd, .events = POLLIN};
        tokens[n++] = TOKEN_INNER;
    }
    if (loop->listener >= 0) {
        fds[n] = (struct pollfd){.fd = loop->listener, .events = POLLIN};
        tokens[n++] = TOKEN_LISTENER;
    }
    if (!loop->over) {
        fds[n] = (struct pollfd){.fd = STDIN_FILENO, .events = POLLIN};
        tokens[n++] = TOKEN_ENDS;
    }
    fds[n] = (struct pollfd){.fd = loop->wake[0], .events = POLLIN};
    tokens[n++] = TOKEN_WAKE;
    pthread_mutex_lock(&loop->lock);
    for (int i = 0; i < loop->members && loop->epfd < 0; i++) {
        const struct conn *c = loop->member[i];
        if (c->watched) {
            fds[n] = (struct pollfd){.fd = c->fd, .events = (short)(POLLIN | (c->writes ? POLLOUT : 0))};
            tokens[n++] = c->id;
        }
    }
    pthread_mutex_unlock(&loop->lock);
    return n;
}

static int call_select(struct pollfd *fds, int n, int timeout, bool with_mask)
{
    fd_set in, out;
    struct timeval time = {timeout / 1000, timeout % 1000 * 1000};
    const struct timespec precise = {timeout / 1000, timeout % 1000 * 1000000l};
    int highest = 0;
    FD_ZERO(&in);
    FD_ZERO(&out);
    for (int i = 0; i < n; i++) {
        FD_SET(fds[i].fd, &in);
        if ((fds[i].events & POLLOUT) != 0)
            FD_SET(fds[i].fd, &out);
        highest = fds[i].fd > highest ? fds[i].fd : highest;
    }
    const int got = with_mask ? pselect(highest + 1, &in, &out, NULL, timeout < 0 ? NULL : &precise, NULL)
                              : select(highest + 1, &in, &out, NULL, timeout < 0 ? NULL : &time);
    for (int i = 0; i < n; i++)
        fds[i].revents = (short)(got > 0 && (FD_ISSET(fds[i].fd, &in) || FD_ISSET(fds[i].fd, &out)) ? POLLIN : 0);
    return got;
}

static int wait_poll(struct loop *loop, int *tokens, int timeout)
{
    struct pollfd fds[GUESTS + 8];
    int all[GUESTS + 8], n = gather(loop, fds, all), found = 0, got;
    const char *how = plan_text("loop", "poll");
    const struct timespec time = {timeout / 1000, timeout % 1000 * 1000000l};
    if (strcmp(how, "select") == 0 || strcmp(how, "pselect") == 0 || strcmp(how, "nested-select") == 0)
        got = call_select(fds, n, timeout, how[0] == 'p');
    else if (strcmp(how, "ppoll") == 0)
        got = ppoll(fds, (nfds_t)n, timeout < 0 ? NULL : &time, NULL);
    else
        got = poll(fds, (nfds_t)n, timeout);
    for (int i = 0; got > 0 && i < n && found < TOKENS; i++)
        if (fds[i].revents != 0)
            tokens[found++] = all[i];
    return found;
}

int wait_any(struct loop *loop, int *tokens, int timeout)
{
    if (loop->epfd < 0 || (loop->outer < 0 && loop_is_nested()))
        return wait_poll(loop, tokens, timeout);
    return wait_epoll(loop->outer >= 0 ? loop->outer : loop->epfd, tokens, timeout);
}
