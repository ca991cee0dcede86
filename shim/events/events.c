/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Where the server would sleep. A call returns either made-up events, of connections whose operation is done, or the
 * kernel's, in turn if there are both: so neither starves, and no descriptor is twice in one array (a server that frees
 * what the first event was about could not know the second).
 *
 * Jobs that wait are run when the kernel has nothing and the server would sleep: a lone operation runs at once. Where a
 * paused handshake has more to read (TLS 1.2 clients send three messages at once), or its program also asks whether it
 * may write, the kernel tells a level-triggered program so all the time: such events are left out, and the kernel
 * repeats them afterwards. Two kinds of server would not get to sleep: one that only ever looks (timeout 0, because it
 * always has something else to do), and one to which something happens all the time. For them the wait is bounded:
 * while handshakes move, others are on their way to an operation, and a job may wait for theirs as long as clients
 * wait anyhow in a server as busy as that. When none has moved for a while, none will come.
 */
#include "events/events.h"

#include "fds/fds.h"
#include "events/handover.h"
#include "handshake/above.h"
#include "handshake/ride.h"
#include "handshake/thread.h"
#include "quic/quic.h"

#include "base/policy.h"

#define MILLI (OCT_NANO / 1000)

int64_t oct_events_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * OCT_NANO + t.tv_nsec;
}

int oct_wait_at_once(const struct oct_wait *w)
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

static int sleep_until(struct oct_thread *t, const struct oct_wait *w)
{
    return oct_keys_part != NULL ? oct_keys_part->sleep(t, w) : oct_wait_real(w);
}

/* The program's timeout, less what was spent since. Rounded up: a server's timers must not find themselves early. */
static int wait_rest(struct oct_thread *t, const struct oct_wait *w, int64_t since, const struct oct_held *held)
{
    struct oct_wait rest = *w;
    struct timespec left;
    int64_t spent = oct_events_now() - since, time;

    /* The mask that the program's call would have had. */
    if (held->on && w->kind == OCT_WAIT)
        rest.kind = OCT_PWAIT;
    if (held->on && w->mask == NULL)
        rest.mask = &held->program;
    if (w->kind == OCT_PWAIT2 && w->time != NULL) {
        time = w->time->tv_sec * OCT_NANO + w->time->tv_nsec - spent;
        time = time > 0 ? time : 0;
        left = (struct timespec){.tv_sec = time / OCT_NANO, .tv_nsec = time % OCT_NANO};
        rest.time = &left;
    } else if (w->kind != OCT_PWAIT2 && w->timeout > 0) {
        time = w->timeout * MILLI - spent;
        rest.timeout = time > 0 ? (int)((time + MILLI - 1) / MILLI) : 0;
    }
    return sleep_until(t, &rest);
}

static void jobs_forget(struct oct_thread *t)
{
    t->empty_polls = t->suppressed_count = 0;
    t->still_since = 0;
    t->jobs_seen = false;
}

void oct_events_release(const struct oct_held *held)
{
    if (held->on)
        pthread_sigmask(SIG_SETMASK, &held->program, NULL);
}

void oct_events_run(struct oct_thread *t, struct oct_held *held)
{
    /* Those that tell of an error in the code that runs cannot be held back. */
    static const int errors[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS};
    sigset_t set;

    jobs_forget(t);
    if (oct_thread_waiting() == 0)
        return;
    sigfillset(&set);
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++)
        sigdelset(&set, errors[i]);
    held->on = pthread_sigmask(SIG_BLOCK, &set, &held->program) == 0;
    oct_queue_poll(oct_queue_thread_peek());
}

void oct_events_finish(struct oct_thread *t)
{
    if (t->ready == NULL && t->out == 0)
        return;
    for (int i = 0; i < OCT_POLICY_DRAIN_TURNS; i++) {
        const unsigned before = t->finished;
        oct_finish_left(t);
        if (t->finished == before && oct_thread_waiting() == 0)
            return;
        if (oct_thread_waiting() != 0)
            oct_queue_poll(oct_queue_thread_peek());
    }
}

void oct_events_run_if_due(struct oct_thread *t, int64_t time, bool empty)
{
    if (oct_thread_waiting() == 0) {
        jobs_forget(t);
        return;
    }
    if (t->still_since == 0)
        t->still_since = time;
    t->empty_polls = empty ? t->empty_polls + 1 : 0;
    if (t->empty_polls >= OCT_POLICY_EMPTY_POLLS || time - t->still_since >= OCT_POLICY_STILL_WAIT) {
        /* Nobody is on the way whom the jobs could wait for. */
        jobs_forget(t);
        oct_queue_poll(oct_queue_thread_peek());
        return;
    }
    /* However long the round took in which they came: the next may bring others. */
    if (t->jobs_seen)
        oct_queue_poll_waited(oct_queue_thread_peek(), OCT_POLICY_BUSY_WAIT);
    t->jobs_seen = true;
}

/* Where an instance inside is all that the kernel has, and perhaps has it for paused handshakes only, there may be
 * nothing to do. Its event stands all the same: an edge comes once. */
static int wait_with_work(struct oct_thread *t, const struct oct_wait *w, bool went_on)
{
    struct oct_held held = {.on = false};
    int64_t since = oct_events_now();
    int n = oct_wait_at_once(w);
    bool idle = n == 0;

    t->real_first = false;
    if (n < 0)
        return n;
    if (t->suppressed_count > 0 && oct_thread_waiting() != 0) {
        n = oct_made_leave_out(t, w, n);
        idle = oct_made_all_above_suppressed(t, w, n);
    }
    bool sleep = idle && would_sleep(w);
    if (sleep)
        oct_events_run(t, &held);
    else
        oct_events_run_if_due(t, since, idle);
    went_on |= oct_quic_resume(t, sleep) != 0;
    if (n == 0 || (t->ready != NULL && oct_made_edge_around(w->epfd)))
        n = oct_made_deliver(t, w, n, sleep);
    if (n == 0 && sleep) {
        oct_events_finish(t);
        n = t->ready != NULL ? oct_made_deliver(t, w, 0, true) : 0;
    }
    if (n == 0 && sleep && !went_on)
        n = wait_rest(t, w, since, &held);
    oct_events_release(&held);
    return n;
}

static int wait_in_turn(struct oct_thread *t, const struct oct_wait *w)
{
    t->waits = true;
    oct_thread_next_round(t);
    if (t->moved) {
        t->empty_polls = 0;
        t->still_since = 0;
    }
    t->moved = false;
    oct_fd_waits(w->epfd, t->id, would_sleep(w));
    oct_handover_adopt(t, w->epfd);
    oct_drain_orphans(t);
    /* What has gone on is for the program to send before it sleeps, even if there is no event for it. */
    const bool went_on = t->ready != NULL && oct_quic_resume(t, false) != 0;
    if (t->ready != NULL && !(t->real_first && t->made_epfd == w->epfd) && !oct_made_edge_around(w->epfd)) {
        int n = oct_made_deliver(t, w, 0, false);
        if (n > 0)
            return n;
    }
    if (t->ready == NULL && t->out == 0 && oct_thread_waiting() == 0) {
        t->real_first = false;
        jobs_forget(t);
        if (went_on)
            return oct_wait_at_once(w);
        return would_sleep(w) ? sleep_until(t, w) : oct_wait_real(w);
    }
    return wait_with_work(t, w, went_on);
}

int oct_wait(const struct oct_wait *w)
{
    struct oct_thread *t = oct_thread_get();
    if (t == NULL || w->max <= 0 || w->events == NULL)
        return oct_wait_real(w);
    if (oct_keys_part != NULL)
        oct_keys_part->collect(t);
    t->withheld.fd_and_1 = 0; /* a jump may have left the call */
    oct_ride_go(t);
    oct_finish_wanted(t);
    if (t->limbo != NULL)
        oct_conn_empty_limbo(t, false);
    if (t->ready != NULL)
        oct_finish_moved(t, w->epfd);
    t->waked = false;
    t->round_events = wait_in_turn(t, w);
    if (t->waked && t->round_events == 0 && t->ready != NULL)
        t->round_events = oct_made_deliver(t, w, 0, true);
    if (t->ready != NULL && oct_fd_any_nested())
        oct_made_notify_again(t, w->epfd);
    return t->round_events;
}
