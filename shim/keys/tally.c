/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * What is counted of keys that live elsewhere, for `octuple top` and `octuple doctor`, and told to `octuple trace`. The
 * thread of a handshake counts how its operation ends. A helper counts what it waited for and what the device took. A
 * device that answers too late so counts too.
 */
#include "keys/tally.h"

#include "events/events.h"

#include "trace/timed.h"

OCT_TIMED_DEFINE(key);

static void add(uint64_t *counter, uint64_t n)
{
    __atomic_fetch_add(counter, n, __ATOMIC_RELAXED);
}

/* A gauge goes up, and its highest with it. */
static void rise(uint64_t *gauge, uint64_t *most)
{
    const uint64_t now = __atomic_add_fetch(gauge, 1, __ATOMIC_RELAXED);
    uint64_t before = __atomic_load_n(most, __ATOMIC_RELAXED);
    while (before < now && !__atomic_compare_exchange_n(most, &before, now, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

static void fall(uint64_t *gauge)
{
    add(gauge, (uint64_t)-1);
}

static void count_time(uint64_t bucket[OCT_KEYS_BUCKETS], uint64_t *sum, uint64_t nanoseconds)
{
    const uint64_t us = nanoseconds / 1000;
    const unsigned i = us != 0 ? 64 - (unsigned)__builtin_clzll(us) : 0;
    add(&bucket[i < OCT_KEYS_BUCKETS ? i : OCT_KEYS_BUCKETS - 1], 1);
    add(sum, nanoseconds);
}

static void count_device(uint64_t nanoseconds)
{
    struct oct_key_counters *c = oct_keys_counters();
    count_time(c->device_time, &c->device_nanoseconds, nanoseconds);
}

/* What a handshake waited for, when it goes on: in line, and for the device. */
static void tell(const struct oct_remote *op, long way, bool ok, uint64_t waited, uint64_t took)
{
    if (OCT_TIMED_WANTED(key))
        OCT_PROBE_KEY(op->conn != NULL ? op->conn->ssl : NULL, way, (long)ok, (uint64_t)(oct_events_now() - op->begun),
                      waited, took);
}

void oct_tally_inside(struct oct_remote *op, enum oct_keys_inside why, uint64_t nanoseconds, int result)
{
    struct oct_key_counters *c = oct_keys_counters();

    add(&c->begun, 1);
    add(&c->inside[why], 1);
    add(result > 0 ? &c->done : &c->failed, 1);
    oct_keys_show(op->owner, OCT_KEYS_WAY_INSIDE, nanoseconds);
    if (nanoseconds == 0)
        return;
    count_device(nanoseconds);
    tell(op, OCT_KEYS_WAY_INSIDE, result > 0, 0, nanoseconds);
}

void oct_tally_submit(struct oct_remote *op)
{
    struct oct_key_counters *c = oct_keys_counters();
    (void)op;
    rise(&c->line, &c->line_most);
}

void oct_tally_refused(struct oct_remote *op)
{
    (void)op;
    fall(&oct_keys_counters()->line);
}

bool oct_tally_cancel(struct oct_remote *op)
{
    const bool cancelled = oct_helpers_cancel(op);
    if (cancelled && op->generation == oct_helpers_generation())
        fall(&oct_keys_counters()->line);
    return cancelled;
}

void oct_tally_begin(struct oct_remote *op, enum oct_keys_way way)
{
    struct oct_key_counters *c = oct_keys_counters();

    op->way = way;
    add(&c->begun, 1);
    add(way == OCT_KEYS_WAY_THREADS ? &c->by_threads : &c->by_pausing, 1);
    rise(&c->in_flight, &c->in_flight_most);
    oct_keys_show(op->owner, way, 0);
}

int oct_tally_run(struct oct_remote *op)
{
    static _Thread_local bool known;
    struct oct_key_counters *c = oct_keys_counters();
    const int64_t begun = oct_events_now();

    if (!known)
        add(&c->threads, 1); /* a helper stays to the end of its process */
    known = true;
    op->waited = (uint64_t)(begun - op->begun);
    count_time(c->line_time, &c->line_nanoseconds, op->waited);
    add(&c->working, 1);
    fall(&c->line);
    const int result = op->call(op);
    fall(&c->working);
    count_device((uint64_t)(oct_events_now() - begun));
    return result;
}

void oct_tally_paused(struct oct_remote *op)
{
    count_device(op->took);
}

void oct_tally_end(struct oct_remote *op, enum oct_tally_end how)
{
    struct oct_key_counters *c = oct_keys_counters();
    uint64_t *const counter[] = {&c->done, &c->failed, &c->timed_out, &c->called_off};
    const bool answered = atomic_load(&op->state) == OCT_REMOTE_DONE; /* if not, the times are still the helper's */
    const uint64_t waited = answered ? op->waited : 0, took = answered ? op->took : 0;

    if (op->way == OCT_KEYS_WAY_UNKNOWN || op->tallied || op->generation != oct_helpers_generation())
        return;
    op->tallied = true;
    add(counter[how], 1);
    fall(&c->in_flight);
    if (took != 0)
        oct_keys_show(op->owner, OCT_KEYS_WAY_UNKNOWN, took);
    tell(op, op->way, how == OCT_TALLY_DONE, waited, took);
}
