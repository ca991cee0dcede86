/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The lines of `sniff` and `snoop`. Each CPU has its own way from the kernel to bpftrace, so events may overtake each
 * other: they are kept for a moment and shown in the order of their time. That is CLOCK_MONOTONIC's, when a call was
 * over.
 */
#include <stdlib.h>
#include <string.h>
#include "event.h"

#define KEEP_NS 200000000u

struct events {
    const struct trace_options *options;
    struct trace_event *list;
    size_t count, room;
    uint64_t newest, lines;
};

static int by_time(const void *a, const void *b)
{
    const struct trace_event *x = a, *y = b;
    return x->time < y->time ? -1 : x->time > y->time;
}

/* Prints what is older than `until`. */
static void release(struct events *events, uint64_t until)
{
    size_t n = 0;
    qsort(events->list, events->count, sizeof *events->list, by_time);
    for (; n < events->count && events->list[n].time <= until; n++) {
        if (events->options->json) {
            trace_event_print_json(&events->list[n], events->options);
            continue;
        }
        if (events->lines++ == 0)
            trace_event_print_head();
        trace_event_print_text(&events->list[n], events->options);
    }
    events->count -= n;
    memmove(events->list, events->list + n, events->count * sizeof *events->list);
}

static void take(void *state, const char *text)
{
    struct events *events = state;
    if (events->count == events->room) {
        size_t room = events->room * 2 + 256;
        struct trace_event *more = realloc(events->list, room * sizeof *more);
        if (more == NULL) {
            release(events, UINT64_MAX);
            return;
        }
        events->list = more;
        events->room = room;
    }
    struct trace_event *event = &events->list[events->count];
    if (!trace_event_read(event, text))
        return;
    events->newest = event->time > events->newest ? event->time : events->newest;
    if (event->time + 2 * KEEP_NS < events->newest || events->list[0].time + 2 * KEEP_NS < events->newest) {
        events->count++;
        release(events, events->newest - KEEP_NS);
    } else {
        events->count++;
    }
}

static void idle(void *state)
{
    release(state, UINT64_MAX);
    fflush(stdout);
}

static void ready(void *state)
{
    const struct events *events = state;
    cli_say(events->options->who, "tracing%s", events->options->seconds != 0 ? "" : "; Ctrl-C ends it");
}

static void ignore_map(void *state, const char *name, const json_t *value)
{
    (void)state, (void)name, (void)value;
}

int trace_show_events(const char *program, const struct trace_options *options, struct trace_target *target)
{
    struct events events = {.options = options};
    const struct trace_sink sink = {take, ignore_map, ready, idle, &events};
    int code = trace_run(program, options, target, &sink);
    release(&events, UINT64_MAX);
    free(events.list);
    return code;
}
