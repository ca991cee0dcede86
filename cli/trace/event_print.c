/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Events for people, and for scripts. The names of members are stable; new ones may be added. */
#include <stdlib.h>
#include <string.h>
#include "event.h"

static json_t *microseconds(uint64_t ns)
{
    return json_real((double)ns / 1000);
}

static void set(json_t *object, const char *name, json_t *value)
{
    json_object_set_new(object, name, value);
}

void trace_event_print_json(const struct trace_event *event, const struct trace_options *options)
{
    char connection[20], hex[2 * TRACE_MAX_DATA + 1] = "";
    json_t *object = json_pack("{s:o, s:I, s:I, s:s%, s:s}", "time_us", microseconds(event->time), "pid",
                               (json_int_t)event->pid, "tid", (json_int_t)event->tid, "command", event->command,
                               strlen(event->command), "function", event->function);
    if (event->operation != NULL)
        set(object, "operation", json_string(event->operation));
    if (event->lanes != 0)
        set(object, "lanes", json_integer(event->lanes));
    if (event->reason != NULL)
        set(object, "reason", json_string(event->reason));
    set(object, "latency_us", event->has_latency ? microseconds(event->ns) : json_null());
    if (event->has_result || event->begin_only)
        set(object, "result", event->has_result ? json_integer(event->result) : json_null());
    if (event->has_device) {
        set(object, "line_us", microseconds(event->line_ns));
        set(object, "device_us", microseconds(event->device_ns));
    }
    if (event->length >= 0)
        set(object, "length", json_integer(event->length));
    if (event->connection != 0) {
        snprintf(connection, sizeof connection, "0x%llx", (unsigned long long)event->connection);
        set(object, "connection", json_string(connection));
    }
    if (options->plaintext && event->length >= 0) {
        for (unsigned i = 0; i < event->data_size; i++)
            snprintf(hex + 2 * (size_t)i, 3, "%02x", event->data[i]);
        set(object, "data", json_string(hex));
    }
    char *line = object != NULL ? json_dumps(object, JSON_REAL_PRECISION(15)) : NULL;
    puts(line != NULL ? line : "{}");
    free(line);
    json_decref(object);
}

static void print_data(const struct trace_event *event, int hex)
{
    for (unsigned at = 0; at < event->data_size; at += hex ? 16 : event->data_size) {
        unsigned end = hex && at + 16 < event->data_size ? at + 16 : event->data_size;
        if (hex) {
            printf("  %04x ", at);
            for (unsigned i = at; i < at + 16; i++)
                printf(i < end ? " %02x" : "   ", i < end ? event->data[i] : 0);
        }
        fputs("  ", stdout);
        for (unsigned i = at; i < end; i++) {
            /* Nothing of a stranger's bytes may move the terminal. */
            int plain = event->data[i] >= ' ' && event->data[i] < 0x7f;
            putchar(plain ? event->data[i] : !hex && event->data[i] == '\n' ? '\n' : '.');
        }
        putchar('\n');
    }
    if (event->length > (int64_t)event->data_size)
        printf("  ... %lld bytes more\n", (long long)event->length - event->data_size);
}

void trace_event_print_head(void)
{
    printf("%-15s %7s %7s %-15s %10s %6s %-14s %s\n", "TIME(s)", "PID", "TID", "COMMAND", "LATENCY us", "RESULT",
           "CONNECTION", "WHAT");
}

void trace_event_print_text(const struct trace_event *event, const struct trace_options *options)
{
    char connection[20] = "", latency[24] = "-", result[24] = "-", length[32] = "";
    if (event->connection != 0)
        snprintf(connection, sizeof connection, "0x%llx", (unsigned long long)event->connection);
    if (event->has_latency)
        snprintf(latency, sizeof latency, "%.1f", (double)event->ns / 1000);
    if (event->has_result)
        snprintf(result, sizeof result, "%lld", (long long)event->result);
    if (event->length >= 0)
        snprintf(length, sizeof length, " %lld bytes", (long long)event->length);
    printf("%-15.6f %7u %7u %-15s %10s %6s %-14s %s%s%s%s", (double)event->time / 1e9, event->pid, event->tid,
           event->command, latency, result, connection, event->function, length, event->operation != NULL ? " " : "",
           event->operation != NULL ? event->operation : "");
    if (event->lanes != 0)
        printf(", %d lanes", event->lanes);
    if (event->has_device) {
        printf(", %.1f us in line, %.1f us in the device", (double)event->line_ns / 1000,
               (double)event->device_ns / 1000);
    }
    printf("%s%s\n", event->reason != NULL ? ", " : "", event->reason != NULL ? event->reason : "");
    if (options->plaintext)
        print_data(event, options->hex);
}
