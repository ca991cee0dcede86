/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Reads events from the lines that program.c and program_octuple.c have the program print: numbers with a space between
 * them. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "cli/core/keys.h"
#include "event.h"

/* What is left of a line. `bad` once a number was missing. */
struct line {
    const char *at;
    int bad;
};

static uint64_t next(struct line *line, int base)
{
    char *end;
    errno = 0;
    uint64_t value = strtoull(line->at, &end, base); /* a minus sign wraps: the cast of who asks brings it back */
    line->bad |= end == line->at || errno != 0;
    line->at = end;
    return value;
}

static int64_t next_signed(struct line *line)
{
    return (int64_t)next(line, 10);
}

static const char *reason_name(const char *const *names, size_t count, int64_t reason)
{
    return reason > 0 && (uint64_t)reason <= count ? names[reason - 1] : "unknown";
}

/* What the library says of its queue; the numbers of reasons are those of src/trace/probes.h. */
static int read_probe(struct trace_event *event, const char *name, struct line *line)
{
    static const struct {
        const char *name, *function;
    } probes[] = {{"flush", "octuple:flush"},   {"submit", "octuple:submit"},     {"done", "octuple:done"},
                  {"single", "octuple:single"}, {"fallback", "octuple:fallback"}, {"cancel", "octuple:cancel"}};
    static const char *const flush[] = {"full", "poll", "now"}, *const fallback[] = {"few", "refused"};
    for (size_t i = 0; i < sizeof probes / sizeof probes[0]; i++)
        if (!strcmp(name, probes[i].name))
            event->function = probes[i].function;
    if (!strcmp(name, "flush")) {
        event->lanes = (int)next_signed(line);
        event->reason = reason_name(flush, 3, next_signed(line));
        event->ns = next(line, 10);
        event->has_latency = 1;
    } else if (!strcmp(name, "fallback")) {
        event->reason = reason_name(fallback, 2, next_signed(line));
    } else if (!strcmp(name, "done")) {
        event->result = next_signed(line);
        event->has_result = 1;
    }
    return event->function != NULL;
}

/* Pairs of hex digits, up to the bar before the command. */
static void read_data(struct trace_event *event, const char *at)
{
    while (event->data_size < TRACE_MAX_DATA && *at != '|') {
        char pair[3] = {0};
        if (isxdigit((unsigned char)at[0]) && isxdigit((unsigned char)at[1])) {
            memcpy(pair, at, 2);
            event->data[event->data_size++] = (unsigned char)strtoul(pair, NULL, 16);
            at++;
        }
        at++;
    }
}

static void read_call(struct trace_event *event, enum trace_kind kind, struct line *line)
{
    event->connection = next(line, 16);
    event->result = next_signed(line);
    event->ns = next(line, 10);
    event->has_latency = event->has_result = 1;
    if (kind != TRACE_HANDSHAKE && *line->at == ' ') {
        event->length = next_signed(line);
        read_data(event, line->at);
    }
}

static void read_operation(struct trace_event *event, struct line *line)
{
    event->function = "octuple:operation";
    event->result = next_signed(line);
    event->ns = next(line, 10);
    event->has_latency = event->has_result = 1;
}

static void read_key(struct trace_event *event, int64_t way, struct line *line)
{
    event->function = "octuple:key";
    event->reason = keys_way_name((uint64_t)way);
    event->connection = next(line, 16);
    event->result = next_signed(line);
    event->ns = next(line, 10);
    event->line_ns = next(line, 10);
    event->device_ns = next(line, 10);
    event->has_latency = event->has_result = event->has_device = 1;
}

/* The line's first word: at most 15 letters. */
static void read_word(char word[16], struct line *line)
{
    size_t len = strcspn(line->at, " ");
    snprintf(word, 16, "%.*s", (int)(len < 16 ? len : 15), line->at);
    line->at += len;
}

/* "KIND NUMBER TIME PID TID ...|COMMAND" */
int trace_event_read(struct trace_event *event, const char *text)
{
    char kind[16];
    struct line line = {.at = text};
    const char *bar = strchr(text, '|');
    *event = (struct trace_event){.length = -1};
    if (bar == NULL)
        return 0;
    read_word(kind, &line);
    const int64_t number = next_signed(&line);
    event->time = next(&line, 10);
    event->pid = (uint32_t)next(&line, 10);
    event->tid = (uint32_t)next(&line, 10);
    snprintf(event->command, sizeof event->command, "%.*s", (int)strcspn(bar + 1, "\n"), bar + 1);
    cli_clean(event->command);
    if (!strcmp(kind, "e") || !strcmp(kind, "b")) {
        if (number < 0 || number >= (int64_t)trace_function_count)
            return 0;
        event->function = trace_functions[number].name;
        event->begin_only = kind[0] == 'b';
        if (!event->begin_only)
            read_call(event, trace_functions[number].kind, &line);
        return !line.bad;
    }
    if (!strcmp(kind, "key")) {
        read_key(event, number, &line);
        return !line.bad;
    }
    event->operation = number >= 0 && number < OCT_OP_COUNT ? oct_op_name((int)number) : "other";
    if (!strcmp(kind, "o")) {
        read_operation(event, &line);
        return !line.bad;
    }
    return read_probe(event, kind, &line) && !line.bad;
}
