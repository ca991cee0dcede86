/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The counters of keys that live elsewhere in Prometheus's text format: families of their own, for those processes only
 * in which OCTUPLE_KEYS is set. */
#include "trace/counters.h"

#include "base/base.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static const struct {
    const char *name, *help, *type;
    size_t offset;
} families[] = {
    {"key_operations_total", "Operations with keys that live elsewhere.", "counter",
     offsetof(struct oct_key_counters, begun)},
    {"key_operations_done_total", "Those with a good result.", "counter", offsetof(struct oct_key_counters, done)},
    {"key_operations_failed_total", "Those in which the device has failed.", "counter",
     offsetof(struct oct_key_counters, failed)},
    {"key_operations_timed_out_total", "Those that the device has not answered in time.", "counter",
     offsetof(struct oct_key_counters, timed_out)},
    {"key_operations_called_off_total", "Those whose connection has ended meanwhile.", "counter",
     offsetof(struct oct_key_counters, called_off)},
    {"key_operations_in_flight", "Those under way now.", "gauge", offsetof(struct oct_key_counters, in_flight)},
    {"key_operations_in_line", "Those that wait for a helper thread.", "gauge",
     offsetof(struct oct_key_counters, line)},
    {"key_threads", "Helper threads that there are.", "gauge", offsetof(struct oct_key_counters, threads)},
    {"key_threads_working", "Helper threads that wait for a device.", "gauge",
     offsetof(struct oct_key_counters, working)},
    {"key_threads_limit", "Helper threads at most.", "gauge", offsetof(struct oct_key_counters, limit)},
};

static const char *const reasons[OCT_KEYS_INSIDE_COUNT] = {"no_loop",  "no_fibre", "nested",    "no_waking",
                                                           "first",    "quick",    "no_thread", "no_memory",
                                                           "excepted", "alone",    "forked",    "no_job"};

struct writer {
    FILE *out;
    const struct oct_key_series *series;
    size_t count;
};

static bool has(const struct oct_key_series *series)
{
    return series->keys->state != OCT_KEYS_STATE_OFF;
}

static void head(const struct writer *w, const char *name, const char *help, const char *type)
{
    fprintf(w->out, "# HELP octuple_%s %s\n# TYPE octuple_%s %s\n", name, help, name, type);
}

/* Up to where a label's value may follow, or the number. */
static void line(const struct writer *w, const char *name, const struct oct_key_series *series, const char *label)
{
    const char *labels = series->labels != NULL ? series->labels : "";
    fprintf(w->out, "octuple_%s{%s%s%s", name, labels, labels[0] != 0 && label[0] != 0 ? "," : "", label);
}

static void write_families(const struct writer *w)
{
    for (size_t i = 0; i < OCT_ARRAY_LEN(families); i++) {
        head(w, families[i].name, families[i].help, families[i].type);
        for (size_t k = 0; k < w->count; k++) {
            if (!has(&w->series[k]))
                continue;
            line(w, families[i].name, &w->series[k], "");
            fprintf(w->out, "} %" PRIu64 "\n",
                    *(const uint64_t *)((const char *)w->series[k].keys + families[i].offset));
        }
    }
}

static void write_inside(const struct writer *w)
{
    head(w, "key_operations_inside_total", "Operations whose thread waited for the device, by why.", "counter");
    for (size_t k = 0; k < w->count; k++)
        for (int why = 0; has(&w->series[k]) && why < OCT_KEYS_INSIDE_COUNT; why++) {
            line(w, "key_operations_inside_total", &w->series[k], "reason=");
            fprintf(w->out, "\"%s\"} %" PRIu64 "\n", reasons[why], w->series[k].keys->inside[why]);
        }
}

/* A bound is the first number of microseconds that a bucket does not hold. No floating point: its form depends on the
 * program's locale. */
static void write_buckets(const struct writer *w, const char *name, const struct oct_key_series *series,
                          const uint64_t *bucket, uint64_t nanoseconds)
{
    const uint64_t second = 1000000000;
    char full[64];
    uint64_t sum = 0;
    snprintf(full, sizeof full, "%s_bucket", name);
    for (int i = 0; i < OCT_KEYS_BUCKETS; i++) {
        sum += bucket[i];
        line(w, full, series, "le=");
        if (i < OCT_KEYS_BUCKETS - 1)
            fprintf(w->out, "\"%u.%06u\"} %" PRIu64 "\n", (1u << i) / 1000000, (1u << i) % 1000000, sum);
        else
            fprintf(w->out, "\"+Inf\"} %" PRIu64 "\n", sum);
    }
    snprintf(full, sizeof full, "%s_sum", name);
    line(w, full, series, "");
    fprintf(w->out, "} %" PRIu64 ".%09" PRIu64 "\n", nanoseconds / second, nanoseconds % second);
    snprintf(full, sizeof full, "%s_count", name);
    line(w, full, series, "");
    fprintf(w->out, "} %" PRIu64 "\n", sum);
}

static void write_times(const struct writer *w)
{
    head(w, "key_line_seconds", "What operations waited for a helper thread.", "histogram");
    for (size_t k = 0; k < w->count; k++)
        if (has(&w->series[k]))
            write_buckets(w, "key_line_seconds", &w->series[k], w->series[k].keys->line_time,
                          w->series[k].keys->line_nanoseconds);
    head(w, "key_device_seconds", "What devices took.", "histogram");
    for (size_t k = 0; k < w->count; k++)
        if (has(&w->series[k]))
            write_buckets(w, "key_device_seconds", &w->series[k], w->series[k].keys->device_time,
                          w->series[k].keys->device_nanoseconds);
}

char *oct_counters_prometheus_of_keys(const struct oct_key_series *series, size_t count)
{
    char *text = NULL;
    size_t len;
    struct writer w = {open_memstream(&text, &len), series, count};
    bool any = false;

    if (w.out == NULL)
        return NULL;
    for (size_t k = 0; k < count; k++)
        any = any || has(&series[k]);
    if (any) {
        write_families(&w);
        write_inside(&w);
        write_times(&w);
    }
    const bool bad = ferror(w.out) != 0;
    if (fclose(w.out) != 0 || bad) {
        free(text);
        return NULL;
    }
    return text;
}
