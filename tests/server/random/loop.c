/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See server.h. */
#include "server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <unistd.h>

#define TOKENS   64
#define LISTENER (GUESTS + 0)
#define ENDS     (GUESTS + 1)
#define WAKE     (GUESTS + 2)
#define INNER    (GUESTS + 3)

struct loop loops[LOOPS_MAX];
int loop_count;
static int wake[LOOPS_MAX][2];
static _Thread_local int depth;

static bool by_epoll(void)
{
    return plan_is("loop", "epoll") || strncmp(plan_text("loop", "epoll"), "nested", 6) == 0;
}

static bool is_nested(void)
{
    return strncmp(plan_text("loop", "epoll"), "nested", 6) == 0;
}

static void add_to(int epfd, int fd, uint32_t events, int token)
{
    struct epoll_event event = {.events = events, .data.u64 = (uint64_t)token};
    if (fd >= 0 && epoll_ctl(epfd, EPOLL_CTL_ADD, fd, &event) != 0)
        fail("epoll_ctl");
}

void loop_open(struct loop *loop, int index, int listener, bool shared)
{
    *loop = (struct loop){.epfd = -1, .outer = -1, .index = index, .listener = listener, .shared = shared};
    pthread_mutex_init(&loop->lock, NULL);
    if (pipe2(wake[index], O_NONBLOCK | O_CLOEXEC) != 0)
        fail("pipe2");
    if (!by_epoll())
        return;
    loop->epfd = epoll_create1(EPOLL_CLOEXEC);
    int around = loop->epfd;
    if (is_nested()) {
        around = loop->outer = epoll_create1(EPOLL_CLOEXEC);
        add_to(loop->outer, loop->epfd, EPOLLIN | (plan_is("outer", "et") ? EPOLLET : 0), INNER);
    }
    add_to(around, listener, EPOLLIN | (shared ? EPOLLONESHOT : EPOLLEXCLUSIVE), LISTENER);
    add_to(around, STDIN_FILENO, EPOLLIN, ENDS);
    add_to(around, wake[index][0], EPOLLIN, WAKE);
}

static uint32_t mode(const struct conn *c)
{
    uint32_t events = EPOLLIN | (c->writes ? EPOLLOUT : 0) | (plan_number("rdhup", 0) ? EPOLLRDHUP : 0);
    if (plan_is("mode", "et"))
        return events | EPOLLET | (plan_number("out", 0) ? EPOLLOUT : 0);
    if (plan_is("mode", "oneshot") || c->loop->shared)
        return events | EPOLLONESHOT;
    if (plan_is("mode", "exclusive"))
        return (events & (EPOLLIN | EPOLLOUT)) | EPOLLEXCLUSIVE;
    return events;
}

void loop_watch(struct conn *c)
{
    const bool before = c->watched;
    c->watched = true; /* another thread may get its event at once */
    if (!before && c->loop->epfd >= 0)
        add_to(c->loop->epfd, c->fd, mode(c), c->id);
}

void loop_unwatch(struct conn *c)
{
    if (c->watched && c->loop->epfd >= 0)
        epoll_ctl(c->loop->epfd, EPOLL_CTL_DEL, c->fd, NULL);
    c->watched = false;
}

void loop_rearm(struct conn *c)
{
    const uint32_t events = mode(c);
    struct epoll_event event = {.events = events, .data.u64 = (uint64_t)c->id};
    if (!c->watched || c->loop->epfd < 0 || c->phase == PHASE_OVER)
        return;
    if ((events & EPOLLEXCLUSIVE) != 0) {
        if (!c->writes)
            return;
        loop_unwatch(c);
        loop_watch(c);
    } else if ((events & EPOLLONESHOT) != 0 || c->writes) {
        epoll_ctl(c->loop->epfd, EPOLL_CTL_MOD, c->fd, &event);
    }
}

void loop_adopt(struct loop *loop, struct conn *c)
{
    pthread_mutex_lock(&loop->lock);
    loop->member[loop->members++] = c;
    c->loop = loop;
    if (c->phase != PHASE_OVER && !c->parked)
        loop_watch(c);
    pthread_mutex_unlock(&loop->lock);
    (void)!write(wake[loop->index][1], "", 1);
}

void loop_forget(struct conn *c)
{
    struct loop *loop = c->loop;
    pthread_mutex_lock(&loop->lock);
    loop_unwatch(c);
    for (int i = 0; i < loop->members; i++)
        if (loop->member[i] == c)
            loop->member[i--] = loop->member[--loop->members];
    pthread_mutex_unlock(&loop->lock);
}

static int guest_of(int fd)
{
    struct sockaddr_in address;
    socklen_t length = sizeof address;
    if (getpeername(fd, (struct sockaddr *)&address, &length) != 0)
        return -1;
    const uint32_t host = ntohl(address.sin_addr.s_addr);
    return host >> 8 == 0x7f0001 ? (int)(host & 0xff) : -1;
}

static void welcome(struct loop *loop)
{
    const int at_most = plan_number("multi", 1) ? GUESTS : 1;
    for (int i = 0; i < at_most; i++) {
        const int fd = accept4(loop->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd < 0)
            break;
        const int id = guest_of(fd);
        if (id < 0 || conns[id].phase != PHASE_NONE) {
            close(fd);
            continue;
        }
        if (plan_number("reload", 0) == id)
            context_reload();
        struct loop *of = plan_is("accept", "first") ? &loops[id % loop_count] : loop;
        struct conn *c = conn_open(of, fd, id);
        (void)act(c, AT_ACCEPT);
        if (serves_by_fork()) {
            child_serves(c);
            continue;
        }
        const bool eager = plan_number("eager", 0) != 0 && of == loop;
        loop_adopt(of, c);
        if (eager)
            conn_turn(c);
    }
    if (loop->shared)
        epoll_ctl(loop->epfd, EPOLL_CTL_MOD, loop->listener,
                  &(struct epoll_event){.events = EPOLLIN | EPOLLONESHOT, .data.u64 = LISTENER});
}

static void end_of_input(struct loop *loop)
{
    loop->over = true;
    if (loop->epfd >= 0)
        epoll_ctl(loop->outer >= 0 ? loop->outer : loop->epfd, EPOLL_CTL_DEL, STDIN_FILENO, NULL);
    (void)!write(wake[loop->index][1], "", 1);
}

static void wakened(const struct loop *loop)
{
    char text[64];
    while (!loop->over && read(wake[loop->index][0], text, sizeof text) > 0)
        ;
}

static void dispatch(struct loop *loop, int token)
{
    if (token == LISTENER) {
        welcome(loop);
    } else if (token == ENDS) {
        end_of_input(loop);
    } else if (token == WAKE) {
        wakened(loop);
    } else {
        struct conn *c = &conns[token];
        if (c->loop == loop && c->watched)
            conn_turn(c);
    }
}

static int wait_epoll(int epfd, int *tokens, int timeout)
{
    struct epoll_event events[TOKENS];
    const struct timespec time = {timeout / 1000, timeout % 1000 * 1000000l};
    const int at_most = plan_number("batch", TOKENS);
    int n;
    if (plan_is("wait", "epoll_pwait"))
        n = epoll_pwait(epfd, events, at_most, timeout, NULL);
    else if (plan_is("wait", "epoll_pwait2"))
        n = epoll_pwait2(epfd, events, at_most, timeout < 0 ? NULL : &time, NULL);
    else
        n = epoll_wait(epfd, events, at_most, timeout);
    for (int i = 0; i < n; i++)
        tokens[i] = (int)events[i].data.u64;
    return n;
}

/* What a loop without epoll waits for. */
static int gather(struct loop *loop, struct pollfd *fds, int *tokens)
{
    int n = 0;
    if (loop->outer >= 0 || loop->epfd >= 0) {
        fds[n] = (struct pollfd){.fd = loop->epfd, .events = POLLIN};
        tokens[n++] = INNER;
    }
    if (loop->listener >= 0) {
        fds[n] = (struct pollfd){.fd = loop->listener, .events = POLLIN};
        tokens[n++] = LISTENER;
    }
    if (!loop->over) {
        fds[n] = (struct pollfd){.fd = STDIN_FILENO, .events = POLLIN};
        tokens[n++] = ENDS;
    }
    fds[n] = (struct pollfd){.fd = wake[loop->index][0], .events = POLLIN};
    tokens[n++] = WAKE;
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

static int wait_any(struct loop *loop, int *tokens, int timeout)
{
    const bool outer_epoll = loop->epfd >= 0 && (!is_nested() || plan_is("loop", "nested-epoll"));
    if (!outer_epoll)
        return wait_poll(loop, tokens, timeout);
    return wait_epoll(loop->outer >= 0 ? loop->outer : loop->epfd, tokens, timeout);
}

static void dispatch_all(struct loop *loop, const int *tokens, int n)
{
    int inner[TOKENS];
    const bool reverse = plan_number("reverse", 0) != 0;
    for (int i = 0; i < n; i++) {
        const int token = tokens[reverse ? n - 1 - i : i];
        if (token == INNER) {
            const int more = wait_epoll(loop->epfd, inner, 0);
            loop->pending = more > 0 && plan_is("outer", "et"); /* the outer instance does not tell again */
            dispatch_all(loop, inner, more);
        } else {
            dispatch(loop, token);
        }
    }
}

/* Those that the loop goes on with by itself. Any of them may be over when its turn comes. */
static void go_on(struct loop *loop)
{
    struct conn *due[GUESTS];
    int n = 0;
    const long now = now_ms();
    pthread_mutex_lock(&loop->lock);
    for (int i = 0; i < loop->members; i++) {
        struct conn *c = loop->member[i];
        if ((c->wait_rounds > 0 && --c->wait_rounds == 0) || (c->victim && now - c->since_ms > VICTIM_MS))
            due[n++] = c;
    }
    pthread_mutex_unlock(&loop->lock);
    for (int i = 0; i < n; i++)
        conn_due(due[i]);
}

static int soon(struct loop *loop, int timeout)
{
    pthread_mutex_lock(&loop->lock);
    for (int i = 0; i < loop->members; i++)
        if (loop->member[i]->wait_rounds > 0)
            timeout = timeout == 0 ? 0 : 1;
        else if (loop->member[i]->victim && (timeout < 0 || timeout > 10))
            timeout = 10;
    pthread_mutex_unlock(&loop->lock);
    return loop->pending ? 0 : timeout;
}

void loop_turn(struct loop *loop, int timeout)
{
    int tokens[GUESTS + 8];
    if (depth >= NESTING_MAX)
        return;
    depth++;
    int n = wait_any(loop, tokens, soon(loop, timeout));
    if (loop->pending) {
        n = n > 0 ? n : 0;
        tokens[n++] = INNER;
    }
    dispatch_all(loop, tokens, n);
    go_on(loop);
    if (depth == 1)
        conn_bury(false);
    depth--;
}

void loop_run(struct loop *loop)
{
    long end = 0;
    while (end == 0 || now_ms() < end) {
        if (loop->over && end == 0)
            end = now_ms() + LONGEST_MS;
        if ((end != 0 || loop->alone) && loop->members == 0)
            break;
        loop_turn(loop, end != 0 ? 10 : plan_number("timeout", -1));
    }
}
