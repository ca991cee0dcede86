/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * `octuple top`: its parts. top.c is the command; gather.c takes samples of processes' counters; view.c makes tables of
 * two samples, table.c writes them; keys.c has the lines on keys that live elsewhere; screen.c is the terminal; json.c
 * and prometheus.c are for programs.
 */
#ifndef OCT_CLI_TOP_H
#define OCT_CLI_TOP_H

#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>
#include <octuple/counters.h>
#include "cli/core/cli.h"

#define TOP_WHO "octuple top"

int cli_top(int argc, char **argv);

struct top_request {
    char **target;       /* PID, NAME or FOLDER */
    unsigned targets;    /* 0: every process that can be looked into */
    double interval;     /* seconds */
    unsigned long count; /* of samples; 0: until it ends */
    int once, json, prometheus, threads;
    const char *output; /* a file for Prometheus's text; NULL: stdout */
};

struct top_process {
    pid_t pid;
    int ended;
    uint64_t where;   /* in its memory; 0: it was read from a file */
    char command[16]; /* printable UTF-8 */
    struct oct_counters_file file;
};

/* What is there at one moment. */
struct top_sample {
    struct top_process **process; /* owned */
    unsigned count, room;
    uint64_t at;                        /* monotonic nanoseconds */
    unsigned forbidden, other_versions; /* processes that were not read, or files */
};

/* Takes a sample. `before` (NULL: none) says where counters were last time. With `tell`, each target that gives nothing
 * is told with the reason. */
void top_gather(struct top_sample *sample, const struct top_request *request, const struct top_sample *before,
                int tell);
void top_sample_free(struct top_sample *sample);

/* How many of them run. */
unsigned top_running(const struct top_sample *sample);

/* The same process in another sample, or NULL; that sample may be NULL. */
const struct top_process *top_find(const struct top_sample *sample, const struct top_process *process);

/* One line of a table. */
struct top_row {
    char label[40];
    struct oct_op_counters n;
};

/* How tables are written. */
struct top_form {
    unsigned columns;
    double seconds; /* that the numbers are of, for rates; 0: numbers since the start */
    int utf8;       /* bars of block elements, else digits */
    int inverse;    /* heads of tables in reverse video */
    int keys;       /* say which there are */
};

void top_table_head(FILE *out, const struct top_form *form, const char *label);
void top_table_row(FILE *out, const struct top_form *form, const struct top_row *row);

/* Lanes per batch; 0 if there was none. */
double top_fill(const struct oct_op_counters *n);

/* All of a sample as text; before: the sample that rates are from, NULL for numbers since the start. */
void top_view(FILE *out, const struct top_form *form, const struct top_request *request, const struct top_sample *now,
              const struct top_sample *before);

/* Lines on keys that live elsewhere, where there are any. */
void top_keys(FILE *out, const struct top_form *form, const struct top_sample *now, const struct top_sample *before);

/* The terminal: raw, on its other screen, until top_screen_end(), the end of the process or a signal. */
int top_screen_possible(void);
int top_screen_begin(void);
void top_screen_end(void);
/* Shows the text; what does not fit is cut. */
void top_screen_show(const char *text);
unsigned top_screen_columns(void);
/* Waits until the time is over, a key is hit, the size changes or a signal comes. */
enum top_event { TOP_TIME, TOP_KEY_QUIT, TOP_KEY_THREADS, TOP_REDRAW };
enum top_event top_wait(uint64_t until);

int top_print_json(const struct top_request *request, const struct top_sample *sample);
int top_print_prometheus(const struct top_request *request, const struct top_sample *sample);

#endif
