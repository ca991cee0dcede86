/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The tables of `octuple top`: the same columns for operations, processes and threads, from the left as many as fit.
 */
#include <string.h>
#include "top.h"

#define LABEL_WIDTH 17

double top_fill(const struct oct_op_counters *n)
{
    double batches = 0, lanes = 0;
    for (int i = 0; i < OCT_LANES; i++) {
        batches += (double)n->flushes[i];
        lanes += (double)n->flushes[i] * (i + 1);
    }
    return batches > 0 ? lanes / batches : 0;
}

/* At most eight characters. */
static void number(FILE *out, int width, double value)
{
    if (value >= 1e10)
        fprintf(out, "%*.1fG", width - 1, value / 1e9);
    else if (value >= 1e7)
        fprintf(out, "%*.1fM", width - 1, value / 1e6);
    else
        fprintf(out, "%*.*f", width, value < 10 && value != (double)(uint64_t)value ? 1 : 0, value);
}

static void rate(FILE *out, const struct top_form *form, int width, uint64_t n)
{
    number(out, width, form->seconds > 0 ? (double)n / form->seconds : (double)n);
}

static void put_operations(FILE *out, const struct top_form *form, int width, const struct oct_op_counters *n)
{
    rate(out, form, width, n->done + n->fallback + n->failed);
}

static void put_batch(FILE *out, const struct top_form *form, int width, const struct oct_op_counters *n)
{
    (void)form;
    if (top_fill(n) > 0)
        fprintf(out, "%*.1f", width, top_fill(n));
    else
        fprintf(out, "%*s", width, "-");
}

/* A bar for each number of jobs, as high as their share of the batches beside that of the most frequent number. */
static void put_bars(FILE *out, const struct top_form *form, int width, const struct oct_op_counters *n)
{
    static const char *const block[] = {".", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    const unsigned top = form->utf8 ? 8 : 9;
    uint64_t most = 1;
    (void)width;
    for (int i = 0; i < OCT_LANES; i++)
        most = n->flushes[i] > most ? n->flushes[i] : most;
    for (int i = 0; i < OCT_LANES; i++) {
        unsigned height = (unsigned)((double)n->flushes[i] / (double)most * top + 0.999);
        height = height > top ? top : height;
        if (form->utf8)
            fputs(block[height], out);
        else
            fputc(height > 0 ? '0' + (int)height : '.', out);
    }
}

static void put_fallback(FILE *out, const struct top_form *form, int width, const struct oct_op_counters *n)
{
    rate(out, form, width, n->fallback);
}

static void put_waiting(FILE *out, const struct top_form *form, int width, const struct oct_op_counters *n)
{
    (void)form;
    number(out, width, (double)n->waiting);
}

/* Per cent of one CPU, or seconds. */
static void put_cpu(FILE *out, const struct top_form *form, int width, const struct oct_op_counters *n)
{
    double seconds = (double)n->lane_nanoseconds / 1e9;
    fprintf(out, "%*.1f", width, form->seconds > 0 ? 100 * seconds / form->seconds : seconds);
}

/* Never a rate: each one counts. */
static void put_failed(FILE *out, const struct top_form *form, int width, const struct oct_op_counters *n)
{
    (void)form;
    number(out, width, (double)n->failed);
}

static void put_recomputed(FILE *out, const struct top_form *form, int width, const struct oct_op_counters *n)
{
    (void)form;
    number(out, width, (double)n->recomputed);
}

/* In the order of who looks: 80 columns are enough for all. */
static const struct column {
    const char *rate, *total; /* heads */
    int width;
    void (*put)(FILE *out, const struct top_form *form, int width, const struct oct_op_counters *n);
} columns[] = {
    {"ops/s", "ops", 9, put_operations},    {"batch", "batch", 5, put_batch},
    {"fill 1-8", "fill 1-8", 8, put_bars},  {"fallback/s", "fallback", 8, put_fallback},
    {"waiting", "waiting", 7, put_waiting}, {"CPU %", "CPU s", 6, put_cpu},
    {"failed", "failed", 6, put_failed},    {"redone", "redone", 6, put_recomputed},
};
#define COLUMNS (sizeof columns / sizeof columns[0])

static size_t columns_that_fit(const struct top_form *form)
{
    unsigned used = LABEL_WIDTH;
    size_t n = 0;
    while (n < COLUMNS && used + 1 + (unsigned)columns[n].width <= form->columns)
        used += 1 + (unsigned)columns[n++].width;
    return n;
}

void top_table_head(FILE *out, const struct top_form *form, const char *label)
{
    fprintf(out, "%s%-*.*s", form->inverse ? "\033[7m" : "", LABEL_WIDTH, LABEL_WIDTH, label);
    for (size_t i = 0; i < columns_that_fit(form); i++)
        fprintf(out, " %*s", columns[i].width, form->seconds > 0 ? columns[i].rate : columns[i].total);
    fprintf(out, "%s\n", form->inverse ? "\033[0m" : "");
}

void top_table_row(FILE *out, const struct top_form *form, const struct top_row *row)
{
    fprintf(out, "%-*.*s", LABEL_WIDTH, LABEL_WIDTH, row->label);
    for (size_t i = 0; i < columns_that_fit(form); i++) {
        fputc(' ', out);
        columns[i].put(out, form, columns[i].width, &row->n);
    }
    fputc('\n', out);
}
