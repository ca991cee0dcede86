/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Reads events from the lines that program.c and program_octuple.c have the program print: numbers with a space between
 * them. */
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
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

/* What Octuple's own probes say; the numbers of reasons are those of src/trace/probes.h. */
static int read_probe(struct trace_event *event, const char *name, int64_t number, struct line *line)
{
    static const struct {
        const char *name, *function;
    } probes[] = {{"flush", "octuple:flush"},       {"submit", "octuple:submit"},
                  {"done", "octuple:done"},         {"single", "octuple:single"},
                  {"fallback", "octuple:fallback"}, {"cancel", "octuple:cancel"},
                  {"o", "octuple:operation"},       {"key", "octuple:key"}};
    static const char *const flush[] = {"full", "poll", "now"}, *const fallback[] = {"few", "refused"};
    const bool is_key = !strcmp(name, "key");
    for (size_t i = 0; i < sizeof probes / sizeof probes[0]; i++)
        if (!strcmp(name, probes[i].name))
            event->function = probes[i].function;
    if (!is_key)
        event->operation = number >= 0 && number < OCT_OP_COUNT ? oct_op_name((int)number) : "other";
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
    } else if (is_key || !strcmp(name, "o")) {
        event->connection = is_key ? next(line, 16) : 0;
        event->result = next_signed(line);
        event->ns = next(line, 10);
        event->line_ns = is_key ? next(line, 10) : 0;
        event->device_ns = is_key ? next(line, 10) : 0;
        event->reason = is_key ? keys_way_name((uint64_t)number) : NULL;
        event->has_latency = event->has_result = 1;
        event->has_device = is_key;
    }
    return event->function != NULL;
}

static void read_call(struct trace_event *event, enum trace_kind kind, struct line *line)
{
    event->connection = next(line, 16);
    event->result = next_signed(line);
    event->ns = next(line, 10);
    event->has_latency = event->has_result = 1;
    if (kind == TRACE_HANDSHAKE || *line->at != ' ')
        return;
    event->length = next_signed(line);
    /* Pairs of hex digits, up to the bar before the command. */
    for (const char *at = line->at; event->data_size < TRACE_MAX_DATA && *at != '|'; at++) {
        char pair[3] = {0};
        if (isxdigit((unsigned char)at[0]) && isxdigit((unsigned char)at[1])) {
            memcpy(pair, at, 2);
            event->data[event->data_size++] = (unsigned char)strtoul(pair, NULL, 16);
            at++;
        }
    }
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
    const size_t word = strcspn(text, " ");
    snprintf(kind, sizeof kind, "%.*s", (int)(word < sizeof kind ? word : sizeof kind - 1), text);
    line.at += word;
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
    return read_probe(event, kind, number, &line) && !line.bad;
}
