/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See load.h. One thread, one epoll set, one slot per connection that may be under way. */
#include "load.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#define SECOND       1000000000u
#define EVENTS       64
#define SWEEP        (SECOND / 20)   /* how often timeouts are looked for */
#define SWEEP_DOOMED (SECOND / 5000) /* the same while connections wait for their end */
#define BACKOFF      (SECOND / 1000) /* before the next connection when one could not be made */
#define GRACE        (SECOND / 50)   /* open loop: for beginning what was due just before the end */

struct load {
    struct load_run *run;
    struct load_result *result;
    struct load_conn *conn;
    uint32_t *free_slot; /* a stack */
    unsigned free_count;
    unsigned doomed;     /* at the most so many wait for their planned end */
    uint64_t begin, end; /* end: of beginning connections */
    uint64_t due;        /* open loop: when the next is due */
    uint64_t hold;       /* not before this */
    uint64_t next_sweep;
};

static bool under_way(const struct load *load)
{
    return load->free_count < load->run->options->connections;
}

static bool may_begin(const struct load *load, uint64_t now)
{
    const struct load_options *options = load->run->options;
    if (options->handshakes && load->result->begun >= options->handshakes)
        return false;
    return options->rate > 0 ? load->due < load->end && now < load->end + GRACE : now < load->end;
}

static void note_failure(struct load_run *run, const struct load_conn *conn)
{
    if (!run->first_failure[0])
        snprintf(run->first_failure, sizeof run->first_failure, "%s", conn->why ? conn->why : "");
}

static void conclude(struct load *load, uint32_t slot, enum load_verdict verdict)
{
    struct load_conn *conn = &load->conn[slot];
    if (verdict == LOAD_GOING) {
        load->doomed += conn->state == LOAD_STATE_DOOMED;
        return;
    }
    if (verdict == LOAD_COMPLETED)
        load_hist_add(&load->result->latency, load_now() - conn->scheduled);
    if (verdict > LOAD_ABORTED)
        note_failure(load->run, conn);
    if (verdict == LOAD_FAILED_CONNECT)
        load->hold = load_now() + BACKOFF;
    load->result->verdict[verdict]++;
    load_conn_close(conn, verdict != LOAD_ABORTED || conn->abort_by_reset);
    load->free_slot[load->free_count++] = slot;
}

static void begin_one(struct load *load)
{
    uint32_t slot = load->free_slot[--load->free_count];
    uint64_t scheduled = load->run->options->rate > 0 ? load->due : 0;
    enum load_verdict verdict = load_conn_start(&load->conn[slot], slot, load->result->begun++, scheduled);
    conclude(load, slot, verdict);
}

/* The time between two events of a Poisson process. */
static uint64_t interval(struct load_run *run)
{
    double uniform = ((double)(load_run_random(run) >> 11) + 0.5) / 9007199254740992.0;
    return (uint64_t)(-log(uniform) / run->options->rate * SECOND);
}

/* Begins what may begin, at most as many as there are slots, so that events get their turn. */
static void begin_due(struct load *load, uint64_t now)
{
    bool open_loop = load->run->options->rate > 0;
    for (unsigned i = load->free_count; i > 0 && load->free_count > 0 && now >= load->hold; i--) {
        if (!may_begin(load, now) || (open_loop && load->due > now))
            return;
        begin_one(load);
        if (open_loop)
            load->due += interval(load->run);
    }
}

static void sweep(struct load *load, uint64_t now)
{
    uint64_t timeout = (uint64_t)(load->run->options->timeout * SECOND);
    if (now < load->next_sweep)
        return;
    load->doomed = 0;
    for (uint32_t slot = 0; slot < load->run->options->connections; slot++) {
        struct load_conn *conn = &load->conn[slot];
        if (conn->state == LOAD_STATE_FREE)
            continue;
        if (conn->state == LOAD_STATE_DOOMED) {
            conclude(load, slot, now >= conn->doomed_at ? LOAD_ABORTED : LOAD_GOING);
        } else if (now - conn->started > timeout) {
            conn->why = "no answer in time";
            conclude(load, slot, LOAD_FAILED_TIMEOUT);
        }
    }
    load->next_sweep = now + (load->doomed ? SWEEP_DOOMED : SWEEP);
}

/* How long to sleep when nothing happens. */
static uint64_t patience(const struct load *load, uint64_t now)
{
    uint64_t until = load->next_sweep;
    if (load->doomed && until > now + SWEEP_DOOMED)
        until = now + SWEEP_DOOMED;
    if (load->free_count > 0 && may_begin(load, now)) {
        uint64_t next = load->run->options->rate > 0 && load->due > load->hold ? load->due : load->hold;
        if (next < until)
            until = next;
    }
    return until > now ? until - now : 0;
}

static bool wait_and_serve(struct load *load, uint64_t now)
{
    struct epoll_event event[EVENTS];
    uint64_t sleep = patience(load, now);
    struct timespec timeout = {(time_t)(sleep / SECOND), (long)(sleep % SECOND)};
    int n = epoll_pwait2(load->run->epoll, event, EVENTS, &timeout, NULL);
    if (n < 0 && errno == ENOSYS) /* before Linux 5.11 */
        n = epoll_wait(load->run->epoll, event, EVENTS, (int)((sleep + 999999) / 1000000));
    if (n < 0 && errno != EINTR) {
        perror("octuple-load: epoll_wait");
        return false;
    }
    for (int i = 0; i < n; i++) {
        uint32_t slot = event[i].data.u32;
        struct load_conn *conn = &load->conn[slot];
        if (conn->state != LOAD_STATE_FREE && conn->state != LOAD_STATE_DOOMED)
            conclude(load, slot, load_conn_event(conn, slot, event[i].events));
    }
    return true;
}

static bool serve_all(struct load *load)
{
    const struct load_options *options = load->run->options;
    load->begin = load->due = load_now();
    load->end = options->seconds > 0 ? load->begin + (uint64_t)(options->seconds * SECOND) : UINT64_MAX - GRACE;
    for (uint64_t now = load->begin; under_way(load) || may_begin(load, now); now = load_now()) {
        begin_due(load, now);
        if (!wait_and_serve(load, now))
            return false;
        now = load_now();
        if (load->doomed && load->next_sweep > now + SWEEP_DOOMED)
            load->next_sweep = now + SWEEP_DOOMED;
        sweep(load, now);
    }
    load->result->seconds = (double)(load_now() - load->begin) / SECOND;
    while (options->rate > 0 && options->seconds > 0 && load->due < load->end &&
           (!options->handshakes || load->result->begun + load->result->overdue < options->handshakes)) {
        load->result->overdue++;
        load->due += interval(load->run);
    }
    return true;
}

static double seconds_of(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

static void note_cpu(struct load_result *result, const struct rusage *before)
{
    struct rusage after;
    getrusage(RUSAGE_SELF, &after);
    result->user_seconds = seconds_of(after.ru_utime) - seconds_of(before->ru_utime);
    result->system_seconds = seconds_of(after.ru_stime) - seconds_of(before->ru_stime);
}

bool load_load_run(struct load_run *run, struct load_result *result)
{
    unsigned connections = run->options->connections;
    struct load load = {.run = run, .result = result};
    load.conn = calloc(connections, sizeof *load.conn);
    load.free_slot = calloc(connections, sizeof *load.free_slot);
    run->epoll = epoll_create1(EPOLL_CLOEXEC);
    bool ok = load.conn && load.free_slot && run->epoll >= 0;
    for (unsigned i = 0; ok && i < connections; i++) {
        load_conn_init(&load.conn[i], run);
        load.free_slot[load.free_count++] = connections - 1 - i;
    }
    if (ok) {
        struct rusage before;
        getrusage(RUSAGE_SELF, &before);
        ok = serve_all(&load);
        note_cpu(result, &before);
    } else {
        perror("octuple-load");
    }
    for (unsigned i = 0; load.conn && i < connections; i++)
        load_conn_clear(&load.conn[i]);
    free(load.conn);
    free(load.free_slot);
    if (run->epoll >= 0)
        close(run->epoll);
    return ok;
}
