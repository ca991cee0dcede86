/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See server.h. */
#include "server.h"

#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

/* Where descriptors are moved to. select() knows none from 1024 on. */
#define HIGH 400

static bool move_descriptor(struct conn *c, const char *how)
{
    const int old = c->fd;
    const bool watched = c->watched;
    int to;
    if (strcmp(how, "dup") == 0)
        to = dup(old);
    else if (strcmp(how, "dup2") == 0)
        to = dup2(old, HIGH + c->id + (c->fd == HIGH + c->id ? GUESTS : 0));
    else if (strcmp(how, "dup3") == 0)
        to = dup3(old, HIGH + c->id + (c->fd == HIGH + c->id ? GUESTS : 0), O_CLOEXEC);
    else if (strcmp(how, "dupfd") == 0)
        to = fcntl(old, F_DUPFD_CLOEXEC, HIGH);
    else
        return false;
    if (to < 0)
        fail("dup");
    loop_unwatch(c);
    if (plan_draw(c->id, how, 2) == 0) {
        close(old);
        transport_move(c, to);
    } else {
        transport_move(c, to);
        close(old);
    }
    if (watched)
        loop_watch(c);
    return true;
}

static void victimize(struct conn *c, int unwatched)
{
    c->victim = true;
    if (unwatched || plan_is("mode", "") || plan_is("mode", "level") || c->loop->epfd < 0)
        loop_unwatch(c);
}

static void park(struct conn *c, int rounds)
{
    loop_unwatch(c);
    c->parked = true;
    c->wait_rounds = rounds > 0 ? rounds : 1;
}

/* At its socket, in one of the ways in which programs do. */
static void look_at_socket(const struct conn *c, int way)
{
    char text[8];
    int n = 0;
    struct iovec part = {text, sizeof text};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (way == 0)
        (void)recv(c->fd, text, sizeof text, MSG_PEEK | MSG_DONTWAIT);
    else if (way == 1)
        (void)ioctl(c->fd, FIONREAD, &n);
    else if (way == 2)
        (void)recvmsg(c->fd, &message, MSG_PEEK | MSG_DONTWAIT);
    else
        (void)poll(&(struct pollfd){.fd = c->fd, .events = POLLIN}, 1, 0);
}

/* What is known of the object is forgotten in the middle, and it is called once more. Its client cannot know. */
static void clear(struct conn *c)
{
    if (SSL_clear(c->ssl) == 1)
        (void)SSL_accept(c->ssl);
    conn_close(c, "cleared");
}

/* What becomes of its next call, which is made at once. */
static bool act_on_call(struct conn *c, const struct rule *r)
{
    const char *what = r->act;
    if (strcmp(what, "spin") == 0) {
        c->spins = true;
        c->spin_us = r->amount;
    } else if (strcmp(what, "door") == 0) {
        c->door = c->phase == PHASE_HANDSHAKE ? r->amount : DOOR_NONE;
    } else if (strcmp(what, "block") == 0) {
        if (said_of(c->id)->echoed ==
            0) /* what comes behind is the client's end, for which all others may have to wait */
            block_begin(c, r->amount);
    } else {
        return false;
    }
    return true;
}

static bool act_on_object(struct conn *c, const struct rule *r)
{
    const char *what = r->act;
    if (strcmp(what, "look") == 0)
        look_at_socket(c, r->amount);
    else if (strcmp(what, "swap") == 0)
        trust_swap(c, r->amount);
    else if (strcmp(what, "hold") == 0)
        sessions_hold(c->ssl);
    else if (strcmp(what, "clear") == 0)
        clear(c);
    else if (strcmp(what, "copy") == 0 && c->copy == NULL)
        c->copy = SSL_dup(c->ssl);
    else
        return false;
    if (r->amount == 0)
        end_copy(c);
    return true;
}

bool act_between(struct conn *c, const struct rule *r)
{
    const char *what = r->act;
    if (c->coroutine != NULL && strcmp(what, "yield") == 0)
        return coroutine_yield(c);
    if (move_descriptor(c, what) || act_on_call(c, r) || act_on_object(c, r))
        return true;
    if (strcmp(what, "ctl") == 0) {
        loop_unwatch(c);
        loop_watch(c);
    } else if (strcmp(what, "rearm") == 0) {
        loop_rearm(c);
    } else if (strcmp(what, "move") == 0) {
        c->move_to = &loops[((struct loop *)c->loop)->index ^ 1];
    } else if (strcmp(what, "drop") == 0) {
        conn_close(c, "dropped");
    } else if (strcmp(what, "victim") == 0) {
        victimize(c, r->amount);
    } else if (strcmp(what, "park") == 0) {
        park(c, r->amount);
    } else if (strcmp(what, "forkserve") == 0) {
        child_serves(c);
    } else {
        return false;
    }
    return true;
}

void between(struct conn *c)
{
    c->has_waited = true;
    c->loop->wants++;
    quits_make("wait");
    jmp_buf *jump = c->jump;
    c->jump = NULL; /* no call of it is on the stack, as far as its server knows */
    (void)act(c, AT_WAIT);
    c->jump = jump;
}
