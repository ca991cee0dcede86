/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See measure.h. */
#include "measure.h"

#include "../loadgen/hist.h"
#include "sides.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct worker {
    pthread_t thread;
    struct work work[SIDES];
    struct load_hist hist[SIDES];
    const struct work_keys *stock;
    int failed;
};

/* One measurement: main opens and closes the gate before and after each turn. */
static pthread_barrier_t gate;
static enum side side;
static int over;
static atomic_int stop;
static unsigned work_us;

static uint64_t now_ns(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* What else a server does for a connection. */
static void other_work(void)
{
    const uint64_t end = now_ns(CLOCK_THREAD_CPUTIME_ID) + 1000u * work_us;
    while (work_us != 0 && now_ns(CLOCK_THREAD_CPUTIME_ID) < end)
        ;
}

static void take_turn(struct worker *me)
{
    struct work *work = &me->work[side];

    do {
        const uint64_t began = now_ns(CLOCK_MONOTONIC);
        me->failed |= !work_do(work);
        load_hist_add(&me->hist[side], now_ns(CLOCK_MONOTONIC) - began);
        other_work();
    } while (!atomic_load_explicit(&stop, memory_order_relaxed));
}

static void *worker_main(void *arg)
{
    struct worker *me = arg;

    for (;;) {
        pthread_barrier_wait(&gate);
        if (over)
            return NULL;
        take_turn(me);
        pthread_barrier_wait(&gate);
        pthread_barrier_wait(&gate); /* between the two nobody runs, and main reads the clocks */
        me->failed |= !work_is_right(&me->work[side], me->stock);
        pthread_barrier_wait(&gate);
    }
}

static uint64_t operations(const struct worker *worker, unsigned threads, enum side of)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < threads; i++)
        sum += worker[i].hist[of].count;
    return sum;
}

struct turn {
    double per_s, cpu_us;
};

static struct turn one_turn(const struct plan *plan, const struct worker *worker, enum side of)
{
    const unsigned threads = plan->threads, milliseconds = plan->milliseconds + 2 * threads;
    const struct timespec length = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    const uint64_t before = operations(worker, threads, of);
    uint64_t began, took, cpu;
    double done;

    side = of;
    stop = 0;
    began = now_ns(CLOCK_MONOTONIC);
    cpu = now_ns(CLOCK_PROCESS_CPUTIME_ID);
    pthread_barrier_wait(&gate);
    nanosleep(&length, NULL);
    stop = 1;
    pthread_barrier_wait(&gate);
    took = now_ns(CLOCK_MONOTONIC) - began;
    cpu = now_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    pthread_barrier_wait(&gate);
    pthread_barrier_wait(&gate);
    done = (double)(operations(worker, threads, of) - before);
    return (struct turn){1e9 * done / (double)took, 1e-3 * (double)cpu / done};
}

static void quantiles(const struct worker *worker, unsigned threads, enum side of, struct result *r)
{
    struct load_hist *sum = calloc(1, sizeof *sum);

    for (unsigned i = 0; sum != NULL && i < threads; i++) {
        const struct load_hist *hist = &worker[i].hist[of];
        sum->count += hist->count;
        sum->max = hist->max > sum->max ? hist->max : sum->max;
        for (unsigned b = 0; b < LOAD_HIST_BUCKETS; b++)
            sum->bucket[b] += hist->bucket[b];
    }
    r->p50[of] = sum == NULL ? 0 : load_hist_quantile(sum, 0.5);
    r->p99[of] = sum == NULL ? 0 : load_hist_quantile(sum, 0.99);
    free(sum);
}

/* The first pair of turns warms up and is not counted. */
static void take_turns(const struct plan *plan, struct worker *worker, struct result *r)
{
    static double per_s[SIDES][MAX_TURNS], cpu_us[SIDES][MAX_TURNS], ratio[MAX_TURNS], cpu_ratio[MAX_TURNS];

    for (unsigned i = 0; i <= plan->turns; i++) {
        const unsigned at = i == 0 ? 0 : i - 1;
        for (enum side of = 0; of < SIDES; of++) {
            const struct turn turn = one_turn(plan, worker, of);
            per_s[of][at] = turn.per_s;
            cpu_us[of][at] = turn.cpu_us;
        }
        ratio[at] = per_s[OCTUPLE][at] / per_s[STOCK][at];
        cpu_ratio[at] = cpu_us[STOCK][at] / cpu_us[OCTUPLE][at];
        for (unsigned t = 0; i == 0 && t < plan->threads; t++)
            memset(worker[t].hist, 0, sizeof worker[t].hist);
    }
    for (enum side of = 0; of < SIDES; of++) {
        r->per_s[of] = sides_median(per_s[of], plan->turns);
        r->cpu_us[of] = sides_median(cpu_us[of], plan->turns);
        quantiles(worker, plan->threads, of, r);
    }
    r->ratio = sides_median(ratio, plan->turns);
    r->cpu_ratio = sides_median(cpu_ratio, plan->turns);
}

static int workers_open(struct worker *worker, unsigned threads, const struct work_keys keys[SIDES])
{
    int ok = 1;

    for (unsigned i = 0; i < threads; i++) {
        worker[i].stock = &keys[STOCK];
        for (enum side of = 0; of < SIDES; of++)
            ok = work_open(&worker[i].work[of], &keys[of]) && ok;
    }
    for (unsigned i = 0; ok && i < threads; i++)
        if (pthread_create(&worker[i].thread, NULL, worker_main, &worker[i]) != 0)
            abort(); /* the others wait at the gate */
    return ok;
}

int measure(const struct plan *plan, const struct work_keys keys[SIDES], struct result *r)
{
    const unsigned threads = plan->threads;
    struct worker *worker = calloc(threads, sizeof *worker);
    int ok;

    pthread_barrier_init(&gate, NULL, threads + 1);
    over = 0;
    work_us = plan->work_us;
    ok = worker != NULL && workers_open(worker, threads, keys);
    if (ok) {
        take_turns(plan, worker, r);
        over = 1;
        pthread_barrier_wait(&gate);
    }
    for (unsigned i = 0; worker != NULL && i < threads; i++) {
        if (ok)
            pthread_join(worker[i].thread, NULL);
        for (enum side of = 0; of < SIDES; of++)
            work_close(&worker[i].work[of]);
    }
    for (unsigned i = 0; ok && i < threads; i++)
        ok = !worker[i].failed;
    pthread_barrier_destroy(&gate);
    free(worker);
    return ok;
}
