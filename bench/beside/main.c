/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Octuple beside one other library: what both have, in turns in one process, with Octuple's checks and clearing as they
 * always are. Results are compared before anything is timed. What comes out is JSON, an object a line: first
 * {"library", "note"}, then {"name", "unit", "pairs"} with the rates of every pair of turns, Octuple's first. A row
 * that the peer gets wrong has a "reason" instead of pairs; `octuple speed` compares what Octuple gives with OpenSSL.
 *
 * Exit status: 0, 1 if Octuple failed or keys could not be made, 2 for wrong usage, 77 if the peer or Octuple cannot
 * run here.
 */
#include "beside.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define NOT_HERE    77
#define MAX_SECONDS 60.0

struct options {
    const char *only;
    double seconds;
    int list;
};

int beside_fill(void *out, size_t len)
{
    unsigned char *at = out;
    while (len > 0) {
        const ssize_t got = getrandom(at, len, 0);
        if (got <= 0)
            return 0;
        at += got;
        len -= (size_t)got;
    }
    return 1;
}

int beside_without_avx512(void)
{
    const char *table = getenv("OCTUPLE_TABLE");
    return table != NULL && (strcmp(table, "avx2") == 0 || strcmp(table, "ifma256") == 0);
}

static int told(const struct beside_row *row, const char *what)
{
    fprintf(stderr, "beside: %s: %s\n", row->name, what);
    return 0;
}

static void print_pairs(const struct beside_row *row, const struct beside_pairs *pairs)
{
    printf("{\"name\": \"%s\", \"unit\": \"%s\", \"pairs\": [", row->name, row->unit);
    for (unsigned i = 0; i < pairs->n; i++)
        printf("%s[%.6g, %.6g]", i == 0 ? "" : ", ", pairs->octuple[i], pairs->peer[i]);
    puts("]}");
    fflush(stdout);
}

/* The peer's failures are no failures of the measurement. */
static int print_reason(const struct beside_row *row, const char *reason)
{
    printf("{\"name\": \"%s\", \"unit\": \"%s\", \"reason\": \"%s\"}\n", row->name, row->unit, reason);
    return 1;
}

static int measure_state(const struct beside_row *row, void *state, double seconds)
{
    static struct beside_pairs pairs;

    if (row->octuple(state) == 0)
        return told(row, "Octuple failed");
    if (row->peer(state) == 0)
        return print_reason(row, "the peer's operation fails");
    if (!row->same(state))
        return print_reason(row, "results differ, so nothing was timed");
    if (!beside_take_turns(row, state, seconds, &pairs))
        return told(row, "failed while it was timed");
    print_pairs(row, &pairs);
    return 1;
}

static int measure(const struct beside_row *row, double seconds)
{
    const char *off = beside_peer.off != NULL ? beside_peer.off(row) : NULL;

    if (off != NULL)
        return print_reason(row, off);
    void *state = row->open(row);
    const int ok = state != NULL ? measure_state(row, state, seconds) : told(row, "could not be prepared");

    if (state != NULL)
        row->close(state);
    return ok;
}

static void print_library(const char *library, const char *note)
{
    printf("{\"library\": \"%s\", \"note\": ", library);
    if (note == NULL)
        puts("null}");
    else
        printf("\"%s\"}\n", note);
}

static int each_row(const struct options *o)
{
    int ok = 1;

    for (size_t i = 0; beside_peer.families[i] != NULL; i++)
        for (const struct beside_row *row = beside_peer.families[i]; row->name != NULL; row++) {
            if (strstr(row->name, o->only) == NULL)
                continue;
            if (o->list)
                puts(row->name);
            else
                ok &= measure(row, o->seconds);
        }
    return ok;
}

static int parse(struct options *o, int argc, char **argv)
{
    static const struct option known[] = {
        {"only", required_argument, NULL, 'o'},
        {"seconds", required_argument, NULL, 's'},
        {"list", no_argument, NULL, 'l'},
        {NULL, 0, NULL, 0},
    };
    static char none[] = "";
    char *end = none;
    int letter;

    while ((letter = getopt_long(argc, argv, "", known, NULL)) != -1)
        switch (letter) {
        case 'o':
            o->only = optarg;
            break;
        case 's':
            o->seconds = strtod(optarg, &end);
            break;
        case 'l':
            o->list = 1;
            break;
        default:
            return 0;
        }
    return optind == argc && *end == '\0' && o->seconds > 0 && o->seconds <= MAX_SECONDS;
}

int main(int argc, char **argv)
{
    struct options o = {.only = "", .seconds = 0.6};
    const char *reason;

    if (!parse(&o, argc, argv)) {
        fputs("usage: beside [--list] [--only TEXT-IN-NAME] [--seconds S]\n", stderr);
        return 2;
    }
    reason = beside_peer.why_not();
    if (reason != NULL && !o.list) {
        fprintf(stderr, "%s\n", reason);
        return NOT_HERE;
    }
    if (!o.list)
        print_library(beside_peer.version(), beside_peer.note());
    return each_row(&o) ? 0 : 1;
}
