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

struct loop loops[LOOPS_MAX];
int loop_count;
static _Thread_local int depth;

static bool by_epoll(void)
{
    return plan_is("loop", "epoll") || strncmp(plan_text("loop", "epoll"), "nested", 6) == 0;
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
    if (pipe2(loop->wake, O_NONBLOCK | O_CLOEXEC) != 0)
        fail("pipe2");
    if (!by_epoll())
        return;
    loop->epfd = epoll_create1(EPOLL_CLOEXEC);
    int around = loop->epfd;
    if (loop_is_nested() && !plan_is("loop", "nested-epoll"))
        return; /* poll() or select() waits for it, and for all else */
    if (loop_is_nested()) {
        around = loop->outer = epoll_create1(EPOLL_CLOEXEC);
        add_to(loop->outer, loop->epfd, EPOLLIN | (plan_is("outer", "et") ? EPOLLET : 0), TOKEN_INNER);
    }
    add_to(around, listener, EPOLLIN | (shared ? EPOLLONESHOT : EPOLLEXCLUSIVE), TOKEN_LISTENER);
    add_to(around, STDIN_FILENO, EPOLLIN, TOKEN_ENDS);
    add_to(around, loop->wake[0], EPOLLIN, TOKEN_WAKE);
}

static uint32_t mode(const struct conn *c)
{
    uint32_t events =
        EPOLLIN | (c->writes ? EPOLLOUT : 0) | (plan_number("rdhup", 0) || plan_number("gone", 0) ? EPOLLRDHUP : 0);
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
    c->watched = c->taken = false;
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
    if (loop->quit) {
        pthread_mutex_unlock(&loop->lock);
        loop_adopt(&loops[0], c);
        return;
    }
    loop->member[loop->members++] = c;
    c->loop = loop;
    if (c->phase != PHASE_OVER && !c->parked && !c->victim)
        loop_watch(c);
    pthread_mutex_unlock(&loop->lock);
    (void)!write(loop->wake[1], "", 1);
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
                  &(struct epoll_event){.events = EPOLLIN | EPOLLONESHOT, .data.u64 = TOKEN_LISTENER});
}

static void end_of_input(struct loop *loop)
{
    loop->over = true;
    if (loop->epfd >= 0 && (loop->outer >= 0 || !loop_is_nested()))
        epoll_ctl(loop->outer >= 0 ? loop->outer : loop->epfd, EPOLL_CTL_DEL, STDIN_FILENO, NULL);
    (void)!write(loop->wake[1], "", 1);
}

static void wakened(const struct loop *loop)
{
    char text[64];
    while (!loop->over && read(loop->wake[0], text, sizeof text) > 0)
        ;
}

static void turn(struct loop *loop, struct conn *c)
{
    const bool takes = plan_number("takes", 0) != 0 && !c->busy;
    if (takes)
        loop_unwatch(c);
    c->taken = takes;
    conn_turn(c);
    if (c->taken && c->loop == loop && c->phase != PHASE_OVER)
        loop_watch(c);
    c->taken = false;
}

static void dispatch(struct loop *loop, int token)
{
    if (token == TOKEN_LISTENER) {
        welcome(loop);
    } else if (token == TOKEN_ENDS) {
        end_of_input(loop);
    } else if (token == TOKEN_WAKE) {
        wakened(loop);
    } else {
        struct conn *c = &conns[token % GUESTS];
        if (c->loop != loop || !c->watched)
            return;
        if ((token & TOKEN_GONE) != 0 && !c->busy)
            conn_close(c, "gone");
        else
            turn(loop, c);
    }
}

static void dispatch_all(struct loop *loop, const int *tokens, int n)
{
    int inner[TOKENS];
    const bool reverse = plan_number("reverse", 0) != 0;
    for (int i = 0; i < n; i++) {
        const int token = tokens[reverse ? n - 1 - i : i];
        if (token == TOKEN_INNER) {
            const int more = wait_epoll(loop->epfd, inner, 0);
            loop->pending =
                more > 0 && loop->outer >= 0 && plan_is("outer", "et"); /* the outer instance does not tell again */
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
    int tokens[TOKENS + 1];
    if (depth >= NESTING_MAX)
        return;
    depth++;
    int n = wait_any(loop, tokens, soon(loop, timeout));
    if (loop->pending) {
        n = n > 0 ? n : 0;
        tokens[n++] = TOKEN_INNER;
    }
    dispatch_all(loop, tokens, n);
    go_on(loop);
    if (depth == 1)
        end_bury(false);
    depth--;
}

void loop_run(struct loop *loop)
{
    long end = 0;
    depth = 0; /* a child may begin in the midst of its parent's loops */
    while ((end == 0 || now_ms() < end) && !quits_now(loop)) {
        if (loop->over && end == 0)
            end = now_ms() + LONGEST_MS;
        if ((end != 0 || loop->alone) && loop->members == 0)
            break;
        loop_turn(loop, end != 0 ? 10 : plan_number("timeout", -1));
    }
}
