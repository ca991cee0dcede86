/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See server.h. */
#include "server.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* Where descriptors are moved to. select() knows none from 1024 on. */
#define HIGH 400

bool move_descriptor(struct conn *c, const char *how)
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

void between(struct conn *c)
{
    c->has_waited = true;
    (void)act(c, AT_WAIT);
}
