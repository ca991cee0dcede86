/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Made-up events: of connections whose operation is done, and what they make of the instances around. An epoll instance
 * may be registered in another, which is slept on; then that one says that the inner one can be read, and the program
 * looks there. A made-up event is seen the same way: in each instance of the chain, as the registrations have it,
 * until the program has got it from the innermost.
 *
 * Where an instance is edge-triggered in the one around, the program hears once of all that is in it. So it has to
 * find all of it there, the kernel's events and the made-up ones. It is notified again of what it could not find yet.
 *
 * The reverse is left out: what the kernel says of the sockets of paused handshakes.
 */
#include "events/events.h"

#include "fds/fds.h"
#include "handshake/above.h"
#include "handshake/thread.h"

#include "base/policy.h"

/* Of how many instances inside one a call may notify; further ones follow in the next. */
#define INNER_MAX 16

#define READABLE (EPOLLIN | EPOLLRDNORM)

/* One step of the way from a socket to an instance: fd is registered so. Depth 0 is the socket's own registration. */
struct step {
    int fd;
    unsigned depth;
    struct oct_registration at;
};

/* The step into epfd on the way from a socket of that generation. announced: edge-triggered steps that were notified
 * already, behind which nothing is seen. */
static bool find(struct step *s, int fd, uint32_t generation, int epfd, unsigned announced)
{
    *s = (struct step){.fd = fd};
    for (; s->depth < OCT_NESTS_MAX; s->depth++) {
        if (!oct_fd_registered(s->fd, &s->at))
            return false;
        if (s->depth == 0 ? s->at.generation != generation : !oct_fd_tells(&s->at))
            return false;
        if ((s->at.events & EPOLLET) != 0 && (announced & 1u << s->depth) != 0)
            return false;
        if (s->at.epfd == epfd)
            return true;
        if (!oct_fd_any_nested())
            return false;
        s->fd = s->at.epfd;
    }
    return false;
}

/* A connection whose socket is not waited for to be readable is seen nowhere. */
static bool find_conn(struct step *s, struct oct_conn *conn, int epfd)
{
    struct oct_registration at;
    return oct_finish_has_socket(conn) && oct_fd_registered(conn->socket.fd, &at) && (at.events & READABLE) != 0 &&
           find(s, conn->socket.fd, conn->socket.generation, epfd, conn->announced);
}

static bool notified_lately(const struct oct_thread *t, const struct oct_conn *conn)
{
    return conn->notified != 0 && t->round - conn->notified < OCT_POLICY_NOTIFY_ROUNDS;
}

/* The events of one call so far. */
struct notified {
    struct epoll_event *events;
    int kernel, n;        /* of the kernel, and in all */
    int inner[INNER_MAX]; /* descriptors of instances */
    int inner_count;
};

static bool kernel_notified(const struct notified *notified, const struct step *s)
{
    for (int i = 0; i < notified->kernel; i++)
        if (notified->events[i].data.u64 == s->at.data.u64)
            return true;
    return false;
}

static void notify(struct notified *notified, const struct step *s)
{
    notified->events[notified->n].events = s->at.events & READABLE;
    notified->events[notified->n].data = s->at.data;
    notified->n++;
}

/* One event for an instance, however many connections in it are ready. The next event of conn comes there. */
static void notify_inner(struct notified *notified, struct oct_conn *conn, const struct step *s)
{
    int i = 0;
    while (i < notified->inner_count && notified->inner[i] != s->fd)
        i++;
    if (i == notified->inner_count) {
        if (notified->inner_count == INNER_MAX)
            return;
        notified->inner[notified->inner_count++] = s->fd;
        notify(notified, s);
    }
    conn->announced |= (uint8_t)(1u << s->depth);
    conn->notified = 0;
}

/* Edge-triggered servers hear of it once. The others again and again, until they have resumed the connection, and each
 * goes to the end of the line. */
int oct_made_deliver(struct oct_thread *t, const struct oct_wait *w, int n, bool sleep)
{
    struct oct_conn *conn = t->ready, *next, *again = NULL, **again_end = &again;
    struct notified notified = {.events = w->events, .kernel = n, .n = n};
    /* Devices may answer many at a time. The server's other events then do not wait for all of these handshakes. */
    const bool some = oct_keys_part != NULL && oct_keys_part->seen() && w->max - n > OCT_POLICY_KEYS_ROUND;
    const int most = some ? n + OCT_POLICY_KEYS_ROUND : w->max;
    struct step s;

    for (; conn != NULL && notified.n < most; conn = next) {
        next = conn->ready_next;
        if ((!sleep && notified_lately(t, conn)) || conn->notices >= OCT_POLICY_NOTICES ||
            !find_conn(&s, conn, w->epfd) || kernel_notified(&notified, &s))
            continue;
        if (s.depth > 0) {
            notify_inner(&notified, conn, &s);
            continue;
        }
        notify(&notified, &s);
        conn->notices += sleep;
        if ((s.at.events & EPOLLET) != 0) {
            oct_thread_event_out(t, conn);
        } else {
            oct_thread_event_drop(t, conn);
            conn->ready_next = NULL;
            *again_end = conn;
            again_end = &conn->ready_next;
        }
    }
    for (conn = again; conn != NULL; conn = next) {
        next = conn->ready_next;
        oct_thread_ready_add(t, conn);
        conn->notified = t->round;
    }
    t->real_first = notified.n > n;
    t->made_epfd = w->epfd;
    return notified.n;
}

bool oct_made_edge_around(int epfd)
{
    struct oct_registration at;
    for (int depth = 0; depth < OCT_NESTS_MAX && oct_fd_any_nested(); depth++) {
        if (!oct_fd_registered(epfd, &at) || at.events == 0)
            return false;
        if ((at.events & EPOLLET) != 0)
            return true;
        epfd = at.epfd;
    }
    return false;
}

void oct_made_notify_again(struct oct_thread *t, int epfd)
{
    struct step s;
    for (struct oct_conn *conn = t->ready; conn != NULL; conn = conn->ready_next)
        if (conn->announced != 0 && conn->notified != t->round &&
            find(&s, conn->socket.fd, conn->socket.generation, epfd, 0) && s.depth == 0)
            conn->announced = 0;
}

bool oct_made_inside(struct oct_thread *t, int epfd, bool sleep)
{
    struct step s;
    bool found = false;
    for (struct oct_conn *conn = t->ready; conn != NULL; conn = conn->ready_next)
        if ((sleep || !notified_lately(t, conn)) && find_conn(&s, conn, epfd)) {
            conn->notified = 0;
            found = true;
        }
    return found;
}

/* What a handshake may wait for, and so what is no news while it is paused; errors and hang-ups always are. */
#define HANDSHAKE_WAITS_FOR (EPOLLIN | EPOLLRDNORM | EPOLLOUT | EPOLLWRNORM)

int oct_made_leave_out(const struct oct_thread *t, const struct oct_wait *w, int n)
{
    struct oct_registration at;
    int kept = 0;
    for (int i = 0; i < n; i++) {
        const struct oct_suppressed *m = t->suppressed, *end = m + t->suppressed_count;
        while (m != end && m->data.u64 != w->events[i].data.u64)
            m++;
        const bool no_news = (w->events[i].events & ~HANDSHAKE_WAITS_FOR) == 0 && m != end &&
                             oct_fd_registered(m->fd, &at) && at.generation == m->generation && at.epfd == w->epfd &&
                             (at.events & EPOLLET) == 0;
        if (!no_news)
            w->events[kept++] = w->events[i];
    }
    return kept;
}

/* epfd leads to the socket of a paused handshake; with an event, by the instance inside that the event is of. */
static bool is_above(const struct oct_thread *t, int epfd, const struct epoll_event *event)
{
    struct step s;
    for (unsigned i = 0; i < t->suppressed_count; i++)
        if (find(&s, t->suppressed[i].fd, t->suppressed[i].generation, epfd, 0) &&
            (event == NULL || (s.depth > 0 && s.at.data.u64 == event->data.u64)))
            return true;
    return false;
}

bool oct_made_all_above_suppressed(const struct oct_thread *t, const struct oct_wait *w, int n)
{
    if (n > 0 && !oct_fd_any_nested())
        return false;
    for (int i = 0; i < n; i++)
        if (!is_above(t, w->epfd, &w->events[i]))
            return false;
    return true;
}

bool oct_made_is_above_suppressed(const struct oct_thread *t, int epfd)
{
    return is_above(t, epfd, NULL);
}
