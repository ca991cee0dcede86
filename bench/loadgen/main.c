/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * octuple-load: a TLS client that makes handshakes and nothing else, as cheaply as it can.
 *
 * An accelerated server does more handshakes on a core than the usual load generators, so that with them it never fills
 * its batches and what is measured is the client. This one has a TLS state machine of its own, checks no signatures,
 * and takes 50 to 100 microseconds of CPU for a handshake, most of it in the kernel.
 */
#include <sched.h>
#include <stdio.h>
#include <sys/resource.h>

#include "load.h"

static bool pin(int cpu)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    if (cpu >= 0) {
        CPU_SET((size_t)cpu, &set);
        if (sched_setaffinity(0, sizeof set, &set) != 0) {
            fprintf(stderr, "octuple-load: CPU %d is not there, or not ours to use\n", cpu);
            return false;
        }
    }
    return true;
}

/* One descriptor per connection: as many as we may have. */
static void allow_descriptors(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

static int run_load(struct load_run *run, struct load_result *result)
{
    const struct load_options *options = run->options;
    run->random = options->seed;
    load_crypto_init(&run->crypto, options->bits);
    for (unsigned i = 0; i < options->groups; i++) {
        load_exchange_init(&run->offer[i].exchange, options->group[i], options->shares);
        load_hello_init(&run->offer[i].hello, options, &run->offer[i].exchange);
    }
    int status = 3;
    if (load_load_run(run, result)) {
        load_report_print(run, result);
        const uint64_t *verdict = result->verdict;
        status = verdict[LOAD_COMPLETED] + verdict[LOAD_ABORTED] + verdict[LOAD_LEFT] == result->begun ? 0 : 1;
    }
    load_premasters_clear(&run->premasters);
    for (unsigned i = 0; i < options->groups; i++)
        load_exchange_clear(&run->offer[i].exchange);
    load_crypto_clear(&run->crypto);
    return status;
}

int main(int argc, char **argv)
{
    static struct load_run run;
    static struct load_result result;
    struct load_options options;
    int status = load_options_parse(&options, argc, argv);
    if (status >= 0)
        return status;
    if (!pin(options.cpu))
        return 3;
    allow_descriptors();
    run.options = &options;
    return run_load(&run, &result);
}
