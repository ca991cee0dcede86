/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * octuple-threads: private operations by many threads that block, through EVP, with OpenSSL's own provider and with Octuple's, by
 * turns in one process and by the same threads, so that what the machine does meanwhile meets both. A ratio is the
 * median over the pairs of neighbouring turns; latencies are over all turns of a side. See bench/README.md.
 *
 * Exit status: 0, 1 if anything failed or a result was wrong, 2 for wrong usage.
 */
#include "work.h"

#include "../loadgen/hist.h"

#include <getopt.h>
#include <openssl/crypto.h>
#include <openssl/provider.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MAX_THREADS 1024
#define MAX_TURNS   1000

enum side { STOCK, OCTUPLE, SIDES };
static const char *const side_name[SIDES] = {"stock", "octuple"};

struct options {
    const char *modules, *op;
    unsigned threads, cpus, turns, milliseconds, work_us; /* threads: 0 for the usual numbers; cpus: 0 for all */
    int json;
};

struct result {
    double per_s[SIDES], ratio;
    double cpu_us[SIDES], cpu_ratio; /* CPU time of the process for each operation */
    uint64_t p50[SIDES], p99[SIDES];
};

struct worker {
    pthread_t thread;
    struct work work[SIDES];
    struct oct_hist hist[SIDES];
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
        oct_hist_add(&me->hist[side], now_ns(CLOCK_MONOTONIC) - began);
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

static struct turn one_turn(const struct options *o, const struct worker *worker, unsigned threads, enum side of)
{
    const unsigned milliseconds = o->milliseconds + 2 * threads; /* so that each thread has its turn */
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

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *value, size_t n)
{
    qsort(value, n, sizeof *value, by_size);
    return value[n / 2];
}

static void quantiles(const struct worker *worker, unsigned threads, enum side of, struct result *r)
{
    struct oct_hist *sum = calloc(1, sizeof *sum);

    for (unsigned i = 0; sum != NULL && i < threads; i++) {
        const struct oct_hist *hist = &worker[i].hist[of];
        sum->count += hist->count;
        sum->max = hist->max > sum->max ? hist->max : sum->max;
        for (unsigned b = 0; b < OCT_HIST_BUCKETS; b++)
            sum->bucket[b] += hist->bucket[b];
    }
    r->p50[of] = sum == NULL ? 0 : oct_hist_quantile(sum, 0.5);
    r->p99[of] = sum == NULL ? 0 : oct_hist_quantile(sum, 0.99);
    free(sum);
}

/* The first pair of turns warms up and is not counted. */
static void take_turns(const struct options *o, struct worker *worker, unsigned threads, struct result *r)
{
    static double per_s[SIDES][MAX_TURNS], cpu_us[SIDES][MAX_TURNS], ratio[MAX_TURNS], cpu_ratio[MAX_TURNS];

    for (unsigned i = 0; i <= o->turns; i++) {
        const unsigned at = i == 0 ? 0 : i - 1;
        for (enum side of = 0; of < SIDES; of++) {
            const struct turn turn = one_turn(o, worker, threads, of);
            per_s[of][at] = turn.per_s;
            cpu_us[of][at] = turn.cpu_us;
        }
        ratio[at] = per_s[OCTUPLE][at] / per_s[STOCK][at];
        cpu_ratio[at] = cpu_us[STOCK][at] / cpu_us[OCTUPLE][at];
        for (unsigned t = 0; i == 0 && t < threads; t++)
            memset(worker[t].hist, 0, sizeof worker[t].hist);
    }
    for (enum side of = 0; of < SIDES; of++) {
        r->per_s[of] = median(per_s[of], o->turns);
        r->cpu_us[of] = median(cpu_us[of], o->turns);
        quantiles(worker, threads, of, r);
    }
    r->ratio = median(ratio, o->turns);
    r->cpu_ratio = median(cpu_ratio, o->turns);
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

static int measure(const struct options *o, const struct work_keys keys[SIDES], unsigned threads, struct result *r)
{
    struct worker *worker = calloc(threads, sizeof *worker);
    int ok;

    pthread_barrier_init(&gate, NULL, threads + 1);
    over = 0;
    ok = worker != NULL && workers_open(worker, threads, keys);
    if (ok) {
        take_turns(o, worker, threads, r);
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

static void report(const struct options *o, enum work_op op, unsigned threads, const struct result *r)
{
    static const char *separator = "";

    if (o->json)
        printf("%s\n {\"op\": \"%s\", \"cpus\": %u, \"threads\": %u, \"work_us\": %u, \"ratio\": %.3f, \"cpu_ratio\": %.3f",
               separator, work_op_name[op], o->cpus, threads, o->work_us, r->ratio, r->cpu_ratio);
    else
        printf("%-16s %4u %7u %6.2f %6.2f", work_op_name[op], o->cpus, threads, r->ratio, r->cpu_ratio);
    for (enum side of = 0; of < SIDES; of++)
        printf(o->json ? ", \"%s\": {\"per_s\": %.0f, \"cpu_us\": %.1f, \"p50_us\": %.1f, \"p99_us\": %.1f}"
                       : "  %s %7.0f %6.1f %7.0f %7.0f",
               side_name[of], r->per_s[of], r->cpu_us[of], 1e-3 * (double)r->p50[of], 1e-3 * (double)r->p99[of]);
    puts(o->json ? "}" : "");
    separator = ",";
    fflush(stdout);
}

static int every_number(const struct options *o, OSSL_LIB_CTX *const libctx[SIDES], enum work_op op)
{
    static const unsigned usual[] = {1, 2, 4, 8, 64, 256};
    struct work_keys keys[SIDES] = {{0}};
    int ok = work_keys_make(&keys[STOCK], libctx[STOCK], op) && work_keys_copy(&keys[OCTUPLE], libctx[OCTUPLE], &keys[STOCK]);

    for (size_t i = 0; ok && i < (o->threads ? 1 : sizeof usual / sizeof *usual); i++) {
        const unsigned threads = o->threads ? o->threads : usual[i];
        struct result r;
        ok = measure(o, keys, threads, &r);
        if (ok)
            report(o, op, threads, &r);
    }
    if (!ok)
        fprintf(stderr, "octuple-threads: %s: failed\n", work_op_name[op]);
    for (enum side of = 0; of < SIDES; of++)
        work_keys_free(&keys[of]);
    return ok;
}

static OSSL_LIB_CTX *new_libctx(const char *modules)
{
    OSSL_LIB_CTX *ctx = OSSL_LIB_CTX_new();

    if (ctx == NULL || OSSL_PROVIDER_load(ctx, "default") == NULL)
        return NULL;
    if (modules != NULL && (!OSSL_PROVIDER_set_default_search_path(ctx, modules) ||
                            OSSL_PROVIDER_load(ctx, "octuple") == NULL ||
                            !EVP_set_default_properties(ctx, "?provider=octuple")))
        return NULL;
    return ctx;
}

/* To the first of the CPUs that we may use. 0 if there are fewer. */
static int pin(unsigned cpus)
{
    cpu_set_t may, set;

    CPU_ZERO(&set);
    if (cpus == 0)
        return 1;
    if (sched_getaffinity(0, sizeof may, &may) != 0 || CPU_COUNT(&may) < (int)cpus)
        return 0;
    for (int cpu = 0; CPU_COUNT(&set) < (int)cpus; cpu++)
        if (CPU_ISSET(cpu, &may))
            CPU_SET(cpu, &set);
    return sched_setaffinity(0, sizeof set, &set) == 0;
}

static int usage(void)
{
    fputs("usage: octuple-threads [--json] [--op NAME] [--threads N] [--cpus N] [--work MICROSECONDS] [--turns N]\n"
          "                       [--milliseconds N] FOLDER-OF-octuple.so\n",
          stderr);
    return 2;
}

static int parse(struct options *o, int argc, char **argv)
{
    static const struct option known[] = {
        {"json", no_argument, NULL, 'j'},       {"op", required_argument, NULL, 'o'},
        {"threads", required_argument, NULL, 't'}, {"cpus", required_argument, NULL, 'c'},
        {"work", required_argument, NULL, 'w'}, {"turns", required_argument, NULL, 'n'},
        {"milliseconds", required_argument, NULL, 'm'}, {NULL, 0, NULL, 0},
    };
    int letter;

    while ((letter = getopt_long(argc, argv, "", known, NULL)) != -1) {
        const unsigned number = optarg == NULL ? 0 : (unsigned)strtoul(optarg, NULL, 10);
        switch (letter) {
        case 'j': o->json = 1; break;
        case 'o': o->op = optarg; break;
        case 't': o->threads = number; break;
        case 'c': o->cpus = number; break;
        case 'w': o->work_us = number; break;
        case 'n': o->turns = number; break;
        case 'm': o->milliseconds = number; break;
        default: return 0;
        }
    }
    o->modules = argv[optind];
    return argc - optind == 1 && o->turns > 0 && o->turns <= MAX_TURNS && o->threads <= MAX_THREADS;
}

int main(int argc, char **argv)
{
    struct options o = {.turns = 9, .milliseconds = 100};
    OSSL_LIB_CTX *libctx[SIDES];
    int ok = 1;

    if (!parse(&o, argc, argv))
        return usage();
    work_us = o.work_us;
    libctx[STOCK] = new_libctx(NULL);
    libctx[OCTUPLE] = new_libctx(o.modules);
    if (libctx[STOCK] == NULL || libctx[OCTUPLE] == NULL || !pin(o.cpus)) {
        fprintf(stderr, "octuple-threads: no %s/octuple.so, or not so many CPUs\n", o.modules);
        return 1;
    }
    fputs(o.json ? "[" : "operation        cpus threads  ratio    cpu  side:  per s cpu us     p50     p99 (us)\n",
          stdout);
    for (enum work_op op = 0; op < WORK_OPS; op++)
        if (o.op == NULL || strcmp(o.op, work_op_name[op]) == 0)
            ok &= every_number(&o, libctx, op);
    if (o.json)
        puts("\n]");
    return ok ? 0 : 1;
}
