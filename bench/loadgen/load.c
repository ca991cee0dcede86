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
#define SWEEP_LEFT   (SECOND / 2000) /* the same for ends of patience: who leaves late would be served in that time */
#define SWEEP_DOOMED (SECOND / 5000) /* the same while connections wait for their end */
#define BACKOFF      (SECOND / 1000) /* before the next connection when one could not be made */
#define GRACE        (SECOND / 50)   /* open loop: for beginning what was due just before the end */

struct load {
    struct load_run *run;
    struct load_result *result;
    struct load_conn *conn;
    uint32_t *free_slot; /* a stack */
    unsigned free_count;
    uint64_t *until;     /* for each slot: when it is given up, ends as planned, or begins again; 0: free */
    unsigned doomed;     /* so many wait for their planned end */
    uint64_t begin, end; /* end: of beginning connections */
    uint64_t warm;       /* what ends before is not counted */
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
    if (options->handshakes && load->result->begun - load->result->came_again >= options->handshakes)
        return false;
    return options->rate > 0 ? load->due < load->end && now < load->end + GRACE : now < load->end;
}

static void note_failure(struct load_run *run, const struct load_conn *conn)
{
    if (!run->first_failure[0])
        snprintf(run->first_failure, sizeof run->first_failure, "%s", conn->why ? conn->why : "");
}

static uint64_t nanoseconds(struct load_run *run, struct load_range range)
{
    const uint64_t millisecond = SECOND / 1000;
    return range.least * millisecond + load_run_random(run) % ((range.most - range.least) * millisecond + 1);
}

/* Goodput is of those who were served before their patience was over, even if they had not left yet. */
static void completed(struct load *load, uint32_t slot)
{
    const uint64_t now = load_now();
    if (now < load->warm)
        return;
    load_hist_add(&load->result->latency, now - load->conn[slot].scheduled);
    load->result->counted += now < load->end && now <= load->until[slot];
}

/* By FIN if it left of itself, and by RST else, or the port would be in TIME_WAIT. */
static void close_one(struct load_conn *conn, enum load_verdict verdict)
{
    const bool by_fin = verdict == LOAD_LEFT || (verdict == LOAD_ABORTED && !conn->abort_by_reset);
    load_conn_close(conn, !by_fin);
}

static bool comes_again(const struct load *load, enum load_verdict verdict, uint64_t now)
{
    return load->run->options->retry.most && verdict >= LOAD_LEFT && now < load->end;
}

static void conclude(struct load *load, uint32_t slot, enum load_verdict verdict)
{
    struct load_conn *conn = &load->conn[slot];
    const bool doomed = conn->state == LOAD_STATE_DOOMED;
    if (verdict == LOAD_GOING) {
        load->doomed += doomed;
        load->until[slot] = doomed ? conn->doomed_at : load->until[slot];
        return;
    }
    const uint64_t now = load_now();
    load->doomed -= doomed;
    if (verdict == LOAD_COMPLETED)
        completed(load, slot);
    if (verdict >= LOAD_FAILED_CONNECT)
        note_failure(load->run, conn);
    if (verdict == LOAD_FAILED_CONNECT)
        load->hold = now + BACKOFF;
    load->result->verdict[verdict]++;
    close_one(conn, verdict);
    if (comes_again(load, verdict, now)) {
        load->until[slot] = now + nanoseconds(load->run, load->run->options->retry);
        return;
    }
    load->until[slot] = 0;
    load->free_slot[load->free_count++] = slot;
}

/* A client comes, for the first time or again; scheduled is when it first was to, 0: now. */
static void begin_in(struct load *load, uint32_t slot, uint64_t scheduled)
{
    const struct load_options *options = load->run->options;
    const uint64_t timeout = (uint64_t)(options->timeout * SECOND);
    const uint64_t patience = options->patience.most ? nanoseconds(load->run, options->patience) : timeout;
    const enum load_verdict verdict = load_conn_start(&load->conn[slot], slot, load->result->begun++, scheduled);
    load->until[slot] = load->conn[slot].started + (patience < timeout ? patience : timeout);
    conclude(load, slot, verdict);
}

static void begin_one(struct load *load)
{
    begin_in(load, load->free_slot[--load->free_count], load->run->options->rate > 0 ? load->due : 0);
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

static void come_again(struct load *load, uint32_t slot, uint64_t now)
{
    if (now >= load->end) {
        load->until[slot] = 0;
        load->free_slot[load->free_count++] = slot;
        return;
    }
    load->result->came_again++;
    begin_in(load, slot, load->conn[slot].scheduled);
}

/* The time of a slot has come. */
static void time_is_over(struct load *load, uint32_t slot, uint64_t now)
{
    struct load_conn *conn = &load->conn[slot];
    if (conn->state == LOAD_STATE_FREE) {
        come_again(load, slot, now);
    } else if (conn->state == LOAD_STATE_DOOMED) {
        conclude(load, slot, LOAD_ABORTED);
    } else if (now - conn->started < (uint64_t)(load->run->options->timeout * SECOND)) {
        conclude(load, slot, LOAD_LEFT);
    } else {
        conn->why = "no answer in time";
        conclude(load, slot, LOAD_FAILED_TIMEOUT);
    }
}

static void sweep(struct load *load, uint64_t now)
{
    if (now < load->next_sweep)
        return;
    for (uint32_t slot = 0; slot < load->run->options->connections; slot++)
        if (load->until[slot] && now >= load->until[slot])
            time_is_over(load, slot, now);
    const uint64_t usual = load->run->options->patience.most || load->run->options->retry.most ? SWEEP_LEFT : SWEEP;
    load->next_sweep = now + (load->doomed ? SWEEP_DOOMED : usual);
}

/* How long to sleep when nothing happens. */
static uint64_t idle_time(const struct load *load, uint64_t now)
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
    uint64_t sleep = idle_time(load, now);
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

static void note_times(struct load *load, uint64_t now)
{
    const struct load_options *options = load->run->options;
    struct load_result *result = load->result;
    const uint64_t counted_to = now < load->end ? now : load->end;
    result->seconds = (double)(now - load->begin) / SECOND;
    result->counted_seconds = counted_to > load->warm ? (double)(counted_to - load->warm) / SECOND : 0;
    while (options->rate > 0 && options->seconds > 0 && load->due < load->end &&
           (!options->handshakes || result->begun - result->came_again + result->overdue < options->handshakes)) {
        result->overdue++;
        load->due += interval(load->run);
    }
}

static bool serve_all(struct load *load)
{
    const struct load_options *options = load->run->options;
    load->begin = load->due = load_now();
    load->end = options->seconds > 0 ? load->begin + (uint64_t)(options->seconds * SECOND) : UINT64_MAX - GRACE;
    load->warm = load->begin + (uint64_t)(options->warm_up * SECOND);
    for (uint64_t now = load->begin; under_way(load) || may_begin(load, now); now = load_now()) {
        begin_due(load, now);
        if (!wait_and_serve(load, now))
            return false;
        now = load_now();
        if (load->doomed && load->next_sweep > now + SWEEP_DOOMED)
            load->next_sweep = now + SWEEP_DOOMED;
        sweep(load, now);
    }
    note_times(load, load_now());
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
    load.until = calloc(connections, sizeof *load.until);
    run->epoll = epoll_create1(EPOLL_CLOEXEC);
    bool ok = load.conn && load.free_slot && load.until && run->epoll >= 0;
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
    free(load.until);
    if (run->epoll >= 0)
        close(run->epoll);
    return ok;
}
