/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The counters in Prometheus's text format, version 0.0.4: one metric family after the other, each with a series per
 * operation. */
#include "trace/counters.h"

#include "base/base.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const struct {
    const char *name, *help;
    size_t offset;
} families[] = {
    {"jobs_submitted", "Jobs given to a queue.", offsetof(struct oct_op_counters, submitted)},
    {"jobs_done", "Jobs completed in lanes with a good result.", offsetof(struct oct_op_counters, done)},
    {"jobs_failed", "Jobs completed with an error.", offsetof(struct oct_op_counters, failed)},
    {"operations_plain", "Operations left to the plain implementation.", offsetof(struct oct_op_counters, plain)},
    {"jobs_cancelled", "Jobs cancelled before they ran.", offsetof(struct oct_op_counters, cancelled)},
    {"lanes_recomputed", "Lanes whose result failed its check once.", offsetof(struct oct_op_counters, recomputed)},
};

static void head(FILE *f, const char *name, const char *help)
{
    fprintf(f, "# HELP octuple_%s_total %s\n# TYPE octuple_%s_total counter\n", name, help, name);
}

static void write_families(FILE *f, const struct oct_counters *c)
{
    for (size_t i = 0; i < OCT_ARRAY_LEN(families); i++) {
        head(f, families[i].name, families[i].help);
        for (int op = 0; op < OCT_OP_COUNT; op++)
            fprintf(f, "octuple_%s_total{op=\"%s\"} %" PRIu64 "\n", families[i].name, oct_op_name(op),
                    *(const uint64_t *)((const char *)&c->op[op] + families[i].offset));
    }
}

static void write_flushes(FILE *f, const struct oct_counters *c)
{
    head(f, "batches", "Batches run, by the number of jobs in them.");
    for (int op = 0; op < OCT_OP_COUNT; op++)
        for (int n = 0; n < OCT_LANES; n++)
            fprintf(f, "octuple_batches_total{op=\"%s\",jobs=\"%d\"} %" PRIu64 "\n", oct_op_name(op), n + 1,
                    c->op[op].flushes[n]);
}

static void write_seconds(FILE *f, const struct oct_counters *c)
{
    const uint64_t second = 1000000000;
    head(f, "batch_seconds", "Time spent in batches.");
    for (int op = 0; op < OCT_OP_COUNT; op++)
        fprintf(f, "octuple_batch_seconds_total{op=\"%s\"} %" PRIu64 ".%09" PRIu64 "\n", oct_op_name(op),
                c->op[op].lane_nanoseconds / second, c->op[op].lane_nanoseconds % second);
}

char *oct_counters_prometheus(void)
{
    struct oct_counters c;
    char *text = NULL;
    size_t len;

    oct_counters_read(&c);
    FILE *f = open_memstream(&text, &len);
    if (f == NULL)
        return NULL;
    write_families(f, &c);
    write_flushes(f, &c);
    write_seconds(f, &c);
    int bad = ferror(f);
    if (fclose(f) != 0 || bad) {
        free(text);
        return NULL;
    }
    return text;
}
