/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Where the server would sleep. A call returns either made-up events, of connections whose operation is done, or the
 * kernel's, in turn if there are both: so neither starves, and no descriptor is twice in one array (a server that frees
 * what the first event was about could not know the second).
 *
 * Jobs that wait are run when the kernel has nothing and the server would sleep: nobody waits for company. Where a paused
 * handshake has more to read (TLS 1.2 clients send three messages at once), or its program also asks whether it may write,
 * the kernel tells a level-triggered program so all the time: such events are left out, and the kernel repeats them
 * afterwards. Two kinds of server would not get
 * to sleep: one that only ever looks (timeout 0, because it always has something else to do), and one to which
 * something happens all the time. For them the wait is bounded: while handshakes move, company is on its way, and a job may wait
 * for it as long as clients wait anyhow in a server as busy as that; when none has moved for a while, none will come.
 */
#include "events.h"

#include "fds.h"
#include "thread.h"

#include <errno.h>

/* In a server that finds something to do each time: how long a job may wait (oct_queue_poll_waited()), and how long all of them after a
 * handshake has moved. */
#define BUSY_NANOSECONDS  5000000
#define STILL_NANOSECONDS 1000000
#define EMPTY_POLLS       3

/* A level-triggered server hears of a connection again after so many rounds, or when it would sleep. To be told in each
 * round would cost those much that take few of their connections in one (HAProxy: one handshake). */
#define TOLD_ROUNDS 64

#define NANO 1000000000ll

static int64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * NANO + t.tv_nsec;
}

static int wait_at_once(const struct oct_wait *w)
{
    static const struct timespec zero;
    struct oct_wait at_once = *w;
    at_once.timeout = 0;
    at_once.time = &zero;
    return oct_wait_real(&at_once);
}

static bool would_sleep(const struct oct_wait *w)
{
    return w->kind == OCT_PWAIT2 ? w->time == NULL || w->time->tv_sec != 0 || w->time->tv_nsec != 0 : w->timeout != 0;
}

/* The program's timeout, less what was spent since. Rounded up: a server's timers must not find themselves early. */
static int wait_rest(const struct oct_wait *w, int64_t since)
{
    struct oct_wait rest = *w;
    struct timespec left;
    int64_t spent = now() - since, time;

    if (w->kind == OCT_PWAIT2 && w->time != NULL) {
        time = w->time->tv_sec * NANO + w->time->tv_nsec - spent;
        time = time > 0 ? time : 0;
        left = (struct timespec){.tv_sec = time / NANO, .tv_nsec = time % NANO};
        rest.time = &left;
    } else if (w->timeout > 0) {
        time = w->timeout * (NANO / 1000) - spent;
        rest.timeout = time > 0 ? (int)((time + NANO / 1000 - 1) / (NANO / 1000)) : 0;
    }
    return oct_wait_real(&rest);
}

/* The event that conn's server would get if its socket were readable now; false if it would get none. */
static bool event_of(const struct oct_conn *conn, int epfd, struct epoll_event *event, bool *edge)
{
    struct oct_registration at;
    if (conn->ssl == NULL || !oct_fd_registered(conn->fd, &at) || at.epfd != epfd ||
        at.generation != conn->fd_generation)
        return false;
    event->events = at.events & (EPOLLIN | EPOLLRDNORM);
    event->data = at.data;
    *edge = (at.events & EPOLLET) != 0;
    return event->events != 0;
}

static bool told_lately(const struct oct_thread *t, const struct oct_conn *conn)
{
    return conn->told != 0 && t->round - conn->told < TOLD_ROUNDS;
}

/* Edge-triggered servers hear of it once. The others again and again, until they have resumed the connection, and each
 * goes to the end of the line. */
static int deliver(struct oct_thread *t, const struct oct_wait *w, bool sleep)
{
    struct oct_conn *conn = t->ready, *next, *again = NULL, **again_end = &again;
    int n = 0;
    for (; conn != NULL && n < w->max; conn = next) {
        bool edge;
        next = conn->ready_next;
        if ((!sleep && told_lately(t, conn)) || !event_of(conn, w->epfd, &w->events[n], &edge))
            continue;
        n++;
        oct_thread_ready_remove(t, conn);
        if (!edge) {
            conn->ready_next = NULL;
            *again_end = conn;
            again_end = &conn->ready_next;
        }
    }
    for (conn = again; conn != NULL; conn = next) {
        next = conn->ready_next;
        oct_thread_ready_add(t, conn);
        conn->told = t->round;
    }
    t->real_first = n > 0;
    return n;
}

static void jobs_forget(struct oct_thread *t)
{
    t->empty_polls = t->muted_count = 0;
    t->still_since = 0;
    t->jobs_seen = false;
}

/* Nobody is on the way whom the jobs could wait for. */
static bool all_due(struct oct_thread *t, int64_t time, bool sleep, bool empty)
{
    if (t->still_since == 0)
        t->still_since = time;
    t->empty_polls = empty ? t->empty_polls + 1 : 0;
    return sleep || t->empty_polls >= EMPTY_POLLS || time - t->still_since >= STILL_NANOSECONDS;
}

static void run_queue_if_due(struct oct_thread *t, int64_t time, bool sleep, bool empty)
{
    if (oct_thread_waiting() != 0 && !all_due(t, time, sleep, empty)) {
        /* However long the round took in which they came: the next may bring their company. */
        if (t->jobs_seen)
            oct_queue_poll_waited(oct_queue_thread_peek(), BUSY_NANOSECONDS);
        t->jobs_seen = true;
        return;
    }
    jobs_forget(t);
    if (oct_thread_waiting() != 0)
        oct_queue_poll(oct_queue_thread_peek());
}

void oct_events_mute(const struct oct_conn *conn, struct oct_thread *t)
{
    struct oct_registration at;
    if (t->muted_count < OCT_MUTED_MAX && oct_fd_registered(conn->fd, &at) && (at.events & EPOLLET) == 0)
        t->muted[t->muted_count++] = (struct oct_muted){at.data, conn->fd, at.generation};
}

static bool is_muted(const struct oct_thread *t, const struct epoll_event *event, int epfd)
{
    struct oct_registration at;
    for (unsigned i = 0; i < t->muted_count; i++) {
        const struct oct_muted *m = &t->muted[i];
        if (m->data.u64 == event->data.u64)
            return oct_fd_registered(m->fd, &at) && at.generation == m->generation && at.epfd == epfd &&
                   (at.events & EPOLLET) == 0;
    }
    return false;
}

/* What a handshake may wait for, and so what is no news while it is paused; errors and hang-ups always are. */
#define HANDSHAKE_WAITS_FOR (EPOLLIN | EPOLLRDNORM | EPOLLOUT | EPOLLWRNORM)

static int leave_out_muted(const struct oct_thread *t, const struct oct_wait *w, int n)
{
    int kept = 0;
    for (int i = 0; i < n; i++)
        if ((w->events[i].events & ~HANDSHAKE_WAITS_FOR) != 0 || !is_muted(t, &w->events[i], w->epfd))
            w->events[kept++] = w->events[i];
    return kept;
}

static int wait_with_work(struct oct_thread *t, const struct oct_wait *w)
{
    int64_t since = now();
    int n = wait_at_once(w);

    t->real_first = false;
    if (n < 0)
        return n;
    if (t->muted_count > 0 && oct_thread_waiting() != 0)
        n = leave_out_muted(t, w, n);
    bool sleep = n == 0 && would_sleep(w);
    run_queue_if_due(t, since, sleep, n == 0);
    if (n == 0)
        n = deliver(t, w, sleep);
    return n > 0 || !sleep ? n : wait_rest(w, since);
}

static void begin_round(struct oct_thread *t)
{
    t->waits = true;
    if (++t->round == 0)
        t->round = 1;
    if (t->moved) {
        t->empty_polls = 0;
        t->still_since = 0;
    }
    t->moved = false;
}

static int wait_in_turn(struct oct_thread *t, const struct oct_wait *w)
{
    begin_round(t);
    oct_fd_waits(w->epfd, t);
    oct_drain_orphans(t);
    if (t->ready != NULL && !t->real_first) {
        int n = deliver(t, w, false);
        if (n > 0)
            return n;
    }
    if (t->ready == NULL && oct_thread_waiting() == 0) {
        t->real_first = false;
        jobs_forget(t);
        return oct_wait_real(w);
    }
    return wait_with_work(t, w);
}

int oct_wait(const struct oct_wait *w)
{
    struct oct_thread *t = oct_thread_get();
    if (t == NULL || t->busy != 0 || w->max <= 0 || w->events == NULL)
        return oct_wait_real(w);
    return t->round_events = wait_in_turn(t, w);
}
