/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * octuple-threads: private operations by many threads that block, through EVP, with OpenSSL's own provider and with
 * Octuple's, by turns in one process and by the same threads, so that what the machine does meanwhile meets both. A
 * ratio is the median over the pairs of neighbouring turns; latencies are over all turns of a side. See
 * bench/README.md.
 *
 * Exit status: 0, 1 if anything failed or a result was wrong, 2 for wrong usage.
 */
#include "measure.h"
#include "sides.h"

#include <getopt.h>
#include <openssl/crypto.h>
#include <openssl/provider.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_THREADS 1024

static const char *const side_name[SIDES] = {"stock", "octuple"};

struct options {
    const char *modules, *op;
    struct plan plan; /* threads: 0 for the usual numbers */
    unsigned cpus;    /* 0 for all */
    int json;
};

static void report(const struct options *o, enum work_op op, unsigned threads, const struct result *r)
{
    static const char *separator = "";

    if (o->json)
        printf("%s\n {\"op\": \"%s\", \"cpus\": %u, \"threads\": %u, \"work_us\": %u, \"ratio\": %.3f, "
               "\"cpu_ratio\": %.3f",
               separator, work_op_name[op], o->cpus, threads, o->plan.work_us, r->ratio, r->cpu_ratio);
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
    int ok = work_keys_make(&keys[STOCK], libctx[STOCK], op) &&
             work_keys_copy(&keys[OCTUPLE], libctx[OCTUPLE], &keys[STOCK]);

    for (size_t i = 0; ok && i < (o->plan.threads ? 1 : sizeof usual / sizeof *usual); i++) {
        struct plan plan = o->plan;
        struct result r;
        if (plan.threads == 0)
            plan.threads = usual[i];
        ok = measure(&plan, keys, &r);
        if (ok)
            report(o, op, plan.threads, &r);
    }
    if (!ok)
        fprintf(stderr, "octuple-threads: %s: failed\n", work_op_name[op]);
    for (enum side of = 0; of < SIDES; of++)
        work_keys_free(&keys[of]);
    return ok;
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
        {"json", no_argument, NULL, 'j'},
        {"op", required_argument, NULL, 'o'},
        {"threads", required_argument, NULL, 't'},
        {"cpus", required_argument, NULL, 'c'},
        {"work", required_argument, NULL, 'w'},
        {"turns", required_argument, NULL, 'n'},
        {"milliseconds", required_argument, NULL, 'm'},
        {NULL, 0, NULL, 0},
    };
    int letter;

    while ((letter = getopt_long(argc, argv, "", known, NULL)) != -1) {
        const unsigned number = optarg == NULL ? 0 : (unsigned)strtoul(optarg, NULL, 10);
        switch (letter) {
        case 'j':
            o->json = 1;
            break;
        case 'o':
            o->op = optarg;
            break;
        case 't':
            o->plan.threads = number;
            break;
        case 'c':
            o->cpus = number;
            break;
        case 'w':
            o->plan.work_us = number;
            break;
        case 'n':
            o->plan.turns = number;
            break;
        case 'm':
            o->plan.milliseconds = number;
            break;
        default:
            return 0;
        }
    }
    o->modules = argv[optind];
    return argc - optind == 1 && o->plan.turns > 0 && o->plan.turns <= MAX_TURNS && o->plan.threads <= MAX_THREADS;
}

int main(int argc, char **argv)
{
    struct options o = {.plan = {.turns = 9, .milliseconds = 100}};
    OSSL_LIB_CTX *libctx[SIDES];
    int ok = 1;

    if (!parse(&o, argc, argv))
        return usage();
    libctx[STOCK] = sides_libctx(NULL, NULL);
    libctx[OCTUPLE] = sides_libctx(o.modules, "?octuple.serves=yes");
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
