/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The counters in Prometheus's text format, version 0.0.4: one metric family after the other, each with a series per
 * operation, of one process or thread after the other. */
#include "trace/counters.h"

#include "base/base.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name, *help, *type;
    size_t offset;
} families[] = {
    {"jobs_submitted_total", "Jobs given to a queue.", "counter", offsetof(struct oct_op_counters, submitted)},
    {"jobs_done_total", "Jobs completed in lanes with a good result.", "counter",
     offsetof(struct oct_op_counters, done)},
    {"jobs_failed_total", "Jobs completed with an error.", "counter", offsetof(struct oct_op_counters, failed)},
    {"operations_fallback_total", "Operations left to the fallback implementation.", "counter",
     offsetof(struct oct_op_counters, fallback)},
    {"jobs_cancelled_total", "Jobs cancelled before they ran.", "counter", offsetof(struct oct_op_counters, cancelled)},
    {"lanes_recomputed_total", "Lanes whose result failed its check once.", "counter",
     offsetof(struct oct_op_counters, recomputed)},
    {"jobs_waiting", "Jobs that wait now.", "gauge", offsetof(struct oct_op_counters, waiting)},
};

struct writer {
    FILE *out;
    const struct oct_counters_series *series;
    size_t count;
};

static void head(const struct writer *w, const char *name, const char *help, const char *type)
{
    fprintf(w->out, "# HELP octuple_%s %s\n# TYPE octuple_%s %s\n", name, help, name, type);
}

/* Up to the end of the operation's label. A later version's counters may have an operation without a name here. */
static void line(const struct writer *w, const char *name, const struct oct_counters_series *series, int op)
{
    const char *labels = series->labels != NULL ? series->labels : "";
    fprintf(w->out, "octuple_%s{%s%s", name, labels, labels[0] ? "," : "");
    if (op < OCT_OP_COUNT)
        fprintf(w->out, "op=\"%s\"", oct_op_name(op));
    else
        fprintf(w->out, "op=\"operation-%d\"", op);
}

static int op_count(const struct oct_counters_series *series)
{
    return series->op_count < OCT_COUNTERS_OPS ? (int)series->op_count : OCT_COUNTERS_OPS;
}

static void write_family(const struct writer *w, const char *name, size_t offset)
{
    for (size_t i = 0; i < w->count; i++)
        for (int op = 0; op < op_count(&w->series[i]); op++) {
            line(w, name, &w->series[i], op);
            fprintf(w->out, "} %" PRIu64 "\n", *(const uint64_t *)((const char *)&w->series[i].op[op] + offset));
        }
}

static void write_flushes(const struct writer *w)
{
    head(w, "batches_total", "Batches run, by the number of jobs in them.", "counter");
    for (size_t i = 0; i < w->count; i++)
        for (int op = 0; op < op_count(&w->series[i]); op++)
            for (int n = 0; n < OCT_LANES; n++) {
                line(w, "batches_total", &w->series[i], op);
                fprintf(w->out, ",jobs=\"%d\"} %" PRIu64 "\n", n + 1, w->series[i].op[op].flushes[n]);
            }
}

static void write_seconds(const struct writer *w)
{
    const uint64_t second = 1000000000;
    head(w, "batch_seconds_total", "Time spent in batches.", "counter");
    for (size_t i = 0; i < w->count; i++)
        for (int op = 0; op < op_count(&w->series[i]); op++) {
            const uint64_t n = w->series[i].op[op].lane_nanoseconds;
            line(w, "batch_seconds_total", &w->series[i], op);
            fprintf(w->out, "} %" PRIu64 ".%09" PRIu64 "\n", n / second, n % second);
        }
}

static void write_all(const struct writer *w)
{
    for (size_t i = 0; i < OCT_ARRAY_LEN(families); i++) {
        head(w, families[i].name, families[i].help, families[i].type);
        write_family(w, families[i].name, families[i].offset);
    }
    write_flushes(w);
    write_seconds(w);
}

char *oct_counters_prometheus_of(const struct oct_counters_series *series, size_t count)
{
    char *text = NULL;
    size_t len;
    struct writer w = {open_memstream(&text, &len), series, count};

    if (w.out == NULL)
        return NULL;
    write_all(&w);
    int bad = ferror(w.out);
    if (fclose(w.out) != 0 || bad) {
        free(text);
        return NULL;
    }
    return text;
}

/* Takes the first text, and the other behind it. */
static char *joined(char *first, const char *second)
{
    const size_t begin = first != NULL ? strlen(first) : 0, more = second != NULL ? strlen(second) + 1 : 0;
    char *both = first != NULL && second != NULL ? realloc(first, begin + more) : NULL;
    if (both == NULL)
        free(first);
    else
        memcpy(both + begin, second, more);
    return both;
}

char *oct_counters_prometheus(void)
{
    struct oct_key_counters keys;
    struct oct_counters c;

    oct_counters_read(&c);
    oct_counters_read_keys(&keys);
    char *text = oct_counters_prometheus_of(&(struct oct_counters_series){c.op, OCT_OP_COUNT, ""}, 1);
    char *more = oct_counters_prometheus_of_keys(&(struct oct_key_series){&keys, ""}, 1);
    text = joined(text, more);
    free(more);
    return text;
}
