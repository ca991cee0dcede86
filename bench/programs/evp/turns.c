/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See turns.h. */
#include "turns.h"

#include "sides.h"

#include <stdlib.h>
#include <time.h>

#define TURN_NS 30000.0

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

/* `units` units of work, and nanoseconds for each thing in them; negative if one failed. */
static double turn(const struct unit *u, size_t units)
{
    double spent = 0;

    for (size_t i = 0; i < units; i++) {
        if (!u->prepare(u->work))
            return -1;
        const double began = now_ns();
        const int ok = u->run(u->work);
        spent += now_ns() - began;
        if (!ok)
            return -1;
    }
    return spent / (double)(units * u->count);
}

int turns_measure(const struct unit *stock, const struct unit *octuple, int (*same)(const void *a, const void *b),
                  size_t turns, struct result *r)
{
    static double a[TURNS_MAX], b[TURNS_MAX], ratio[TURNS_MAX];
    const double first = turn(stock, 2);
    int ok = first > 0 && turn(octuple, 2) > 0 && same(stock->work, octuple->work);
    const size_t units = ok ? 1 + (size_t)(TURN_NS / (first * (double)stock->count)) : 1;

    for (size_t i = 0; i < turns; i++) {
        a[i] = turn(stock, units);
        b[i] = turn(octuple, units);
        ratio[i] = a[i] / b[i];
        ok &= a[i] > 0 && b[i] > 0;
    }
    *r = (struct result){sides_median(a, turns), sides_median(b, turns), sides_median(ratio, turns)};
    return ok;
}
