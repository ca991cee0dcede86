/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See server.h. */
#include "server.h"

#include <fcntl.h>
#include <string.h>
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

bool act_between(struct conn *c, const struct rule *r)
{
    const char *what = r->act;
    if (c->coroutine != NULL && strcmp(what, "yield") == 0)
        return coroutine_yield(c);
    if (move_descriptor(c, what))
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
    (void)act(c, AT_WAIT);
}
