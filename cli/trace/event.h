/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* One event of `sniff` and `snoop`: read from a line of the program's output, written for people or scripts. */
#ifndef OCT_CLI_TRACE_EVENT_H
#define OCT_CLI_TRACE_EVENT_H

#include "trace.h"

#define TRACE_MAX_DATA 200

struct trace_event {
    uint64_t time, ns, connection;
    uint32_t pid, tid;
    char command[16];
    const char *function, *operation, *reason; /* static; NULL if there is none */
    int64_t result, length;                    /* length: -1 if there is none */
    int has_latency, has_result;
    int begin_only; /* that it was called is all that is known */
    int lanes;      /* 0 if there are none */
    int has_device; /* a key that lives elsewhere: */
    uint64_t line_ns, device_ns;
    unsigned data_size;
    unsigned char data[TRACE_MAX_DATA];
};

/* 0 if the line is none of an event. */
int trace_event_read(struct trace_event *event, const char *line);

void trace_event_print_head(void);
void trace_event_print_text(const struct trace_event *event, const struct trace_options *options);
void trace_event_print_json(const struct trace_event *event, const struct trace_options *options);

#endif
