/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Who begins a connection when. Closed loop: as soon as one is over the next begins, so that as many as --connections
 * are always under way; the server is saturated and its capacity is seen. Open loop (--rate): connections begin at
 * random moments (a Poisson process) whatever the server does, and a latency counts from the moment at which the
 * connection was due, not from the one at which a free place was found, so that a server that falls behind cannot hide
 * it.
 *
 * A client that was not served may come again (--retry). Until then it keeps its place, and its latency counts from the
 * first time.
 */
#ifndef OCTUPLE_LOADGEN_LOAD_H
#define OCTUPLE_LOADGEN_LOAD_H

#include "conn.h"
#include "hist.h"

struct load_result {
    uint64_t verdict[LOAD_VERDICTS];     /* [LOAD_GOING]: none */
    uint64_t begun;                      /* came_again included */
    uint64_t came_again;                 /* clients that had left or failed */
    uint64_t overdue;                    /* open loop: were due before the end, but found no free place */
    double seconds;                      /* from the first connection to the last verdict */
    double user_seconds, system_seconds; /* of this process meanwhile */
    uint64_t counted;                    /* completed between the warm-up and the last moment of beginning any */
    double counted_seconds;              /* from the one to the other */
    struct load_hist latency;            /* of those completed after the warm-up */
};

/* Runs the load to its end; false if it could not begin (told on stderr). */
bool load_load_run(struct load_run *run, struct load_result *result);

/* Prints what came of it to stdout: text, or one line of JSON. */
void load_report_print(const struct load_run *run, const struct load_result *result);

#endif
