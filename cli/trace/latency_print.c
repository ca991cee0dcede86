/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The tables and histograms of `octuple trace latency`, for people and for scripts. */
#include <stdlib.h>
#include <string.h>
#include "trace.h"

static uint64_t bucket_from(unsigned bucket)
{
    return bucket == 0 ? 0 : (uint64_t)1 << (bucket - 1);
}

static struct trace_sums since(const struct trace_row *row, unsigned ok)
{
    struct trace_sums part = row->sums[ok];
    part.count -= row->before[ok].count;
    part.total_ns -= row->before[ok].total_ns;
    for (unsigned i = 0; i < TRACE_BUCKETS; i++)
        part.bucket[i] -= row->before[ok].bucket[i];
    return part;
}

static double average_us(const struct trace_sums *sums)
{
    return sums->count != 0 ? (double)sums->total_ns / (double)sums->count / 1000 : 0;
}

static void print_half(const char *what, const struct trace_sums *sums)
{
    uint64_t most = 1;
    unsigned first = TRACE_BUCKETS, last = 0;
    if (sums->count == 0)
        return;
    printf("  %-6s %10llu calls %12.1f us on average %14.0f us in all\n", what, (unsigned long long)sums->count,
           average_us(sums), (double)sums->total_ns / 1000);
    for (unsigned i = 0; i < TRACE_BUCKETS; i++) {
        if (sums->bucket[i] != 0) {
            first = first == TRACE_BUCKETS ? i : first;
            last = i;
            most = sums->bucket[i] > most ? sums->bucket[i] : most;
        }
    }
    for (unsigned i = first; i <= last && i < TRACE_BUCKETS; i++) {
        printf("  %10llu .. %-10llu %10llu |%.*s\n", (unsigned long long)bucket_from(i), 1ull << i,
               (unsigned long long)sums->bucket[i], (int)(40 * sums->bucket[i] / most),
               "****************************************");
    }
}

static json_t *half(const struct trace_sums *sums)
{
    json_t *histogram = json_array();
    for (unsigned i = 0; i < TRACE_BUCKETS; i++) {
        if (sums->bucket[i] != 0) {
            json_t *bucket = json_pack("{s:I, s:I, s:I}", "from_us", (json_int_t)bucket_from(i), "to_us",
                                       (json_int_t)1 << i, "count", (json_int_t)sums->bucket[i]);
            json_array_append_new(histogram, bucket);
        }
    }
    return json_pack("{s:I, s:f, s:f, s:o}", "count", (json_int_t)sums->count, "average_us", average_us(sums),
                     "total_us", (double)sums->total_ns / 1000, "histogram", histogram);
}

static void print_json(const struct trace_row *rows, unsigned count, unsigned interval)
{
    json_t *functions = json_array(), *object = json_object();
    for (unsigned i = 0; i < count; i++) {
        const char *name, *operation;
        const struct trace_sums failed = since(&rows[i], 0), ok = since(&rows[i], 1);
        trace_key_name(rows[i].key, &name, &operation);
        json_t *function = json_pack("{s:s}", "function", name);
        if (operation != NULL)
            json_object_set_new(function, "operation", json_string(operation));
        json_object_set_new(function, "ok", half(&ok));
        json_object_set_new(function, "failed", half(&failed));
        json_array_append_new(functions, function);
    }
    json_object_set_new(object, interval != 0 ? "interval" : "total",
                        interval != 0 ? json_integer(interval) : json_true());
    json_object_set_new(object, "functions", functions);
    char *line = json_dumps(object, JSON_REAL_PRECISION(12));
    puts(line != NULL ? line : "{}");
    fflush(stdout);
    free(line);
    json_decref(object);
}

void trace_print_rows(const struct trace_row *rows, unsigned count, const struct trace_options *options,
                      unsigned interval)
{
    if (options->json) {
        print_json(rows, count, interval);
        return;
    }
    if (interval != 0)
        printf("--- interval %u, of %u s\n", interval, options->interval);
    else
        puts("--- all; latencies in us");
    for (unsigned i = 0; i < count; i++) {
        const char *function, *operation;
        const struct trace_sums failed = since(&rows[i], 0), ok = since(&rows[i], 1);
        trace_key_name(rows[i].key, &function, &operation);
        if (failed.count + ok.count != 0) {
            printf("%s%s%s\n", function, operation != NULL ? " " : "", operation != NULL ? operation : "");
            print_half("ok", &ok);
            print_half("failed", &failed);
        }
    }
    fflush(stdout);
}
