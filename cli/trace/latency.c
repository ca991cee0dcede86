/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * `octuple trace latency`: the sums stay in the kernel, in maps that only grow, so that none is lost between printing
 * and clearing; what an interval had is what came since the one before.
 */
#include <stdlib.h>
#include <string.h>
#include "trace.h"

#define MAX_ROWS 128

struct latency {
    const struct trace_options *options;
    struct trace_row rows[MAX_ROWS];
    unsigned count, intervals;
};

/* "KEY,OK", of whose row these are the sums; NULL for anything else, and where there are too many. */
static struct trace_sums *sums_of(struct latency *latency, const char *name)
{
    char *end;
    const unsigned key = (unsigned)strtoul(name, &end, 10);
    const unsigned ok = *end == ',' ? (unsigned)strtoul(end + 1, NULL, 10) : 2;
    unsigned i;
    if (ok > 1)
        return NULL;
    for (i = 0; i < latency->count && latency->rows[i].key != key; i++) {
    }
    if (i == MAX_ROWS)
        return NULL;
    if (i == latency->count)
        latency->rows[latency->count++].key = key;
    return &latency->rows[i].sums[ok];
}

static uint64_t member(const json_t *object, const char *name)
{
    return (uint64_t)json_integer_value(json_object_get(object, name));
}

static void map(void *state, const char *name, const json_t *value)
{
    struct latency *latency = state;
    const char *key;
    json_t *one, *bucket;
    size_t i;
    if (strcmp(name, "@s") != 0 && strcmp(name, "@h") != 0)
        return;
    json_object_foreach((json_t *)(uintptr_t)value, key, one)
    {
        struct trace_sums *sums = sums_of(latency, key);
        if (sums == NULL)
            continue;
        if (name[1] == 's') {
            sums->count = member(one, "count");
            sums->total_ns = member(one, "total");
            continue;
        }
        /* Buckets go by powers of two; what they count begins at `min`. */
        json_array_foreach(one, i, bucket)
        {
            const json_t *min = json_object_get(bucket, "min");
            unsigned number = 0;
            for (uint64_t from = (uint64_t)json_integer_value(min); from != 0; from >>= 1)
                number++;
            if (json_is_integer(min) && json_integer_value(min) >= 0 && number < TRACE_BUCKETS)
                sums->bucket[number] = member(bucket, "count");
        }
    }
}

static void text(void *state, const char *line)
{
    struct latency *latency = state;
    if (strcmp(line, "interval\n") != 0)
        return;
    trace_print_rows(latency->rows, latency->count, latency->options, ++latency->intervals);
    for (unsigned i = 0; i < latency->count; i++)
        memcpy(latency->rows[i].before, latency->rows[i].sums, sizeof latency->rows[i].before);
}

static void ready(void *state)
{
    const struct latency *latency = state;
    cli_say(latency->options->who, "tracing%s", latency->options->seconds != 0 ? "" : "; Ctrl-C ends it");
}

static void idle(void *state)
{
    (void)state;
    fflush(stdout);
}

static int by_key(const void *a, const void *b)
{
    const struct trace_row *x = a, *y = b;
    return x->key < y->key ? -1 : x->key > y->key;
}

int trace_show_latency(const char *program, const struct trace_options *options, struct trace_target *target)
{
    static struct latency latency;
    const struct trace_sink sink = {text, map, ready, idle, &latency};
    latency.options = options;
    int code = trace_run(program, options, target, &sink);
    if (code == CLI_CANNOT_TRACE)
        return code;
    for (unsigned i = 0; i < latency.count; i++)
        memset(latency.rows[i].before, 0, sizeof latency.rows[i].before);
    qsort(latency.rows, latency.count, sizeof latency.rows[0], by_key);
    trace_print_rows(latency.rows, latency.count, options, 0);
    return code;
}
