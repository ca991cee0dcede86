/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The part of the program for Octuple's own probe points (src/trace): calls as the program makes them, told by the shim
 * when they are over; operations with what they waited, by the provider; and batches, by the library.
 */
#include "trace.h"

/* A probe point's begin, up to where its action stands. */
static void begin(FILE *out, const char *file, const char *name)
{
    fprintf(out, "usdt:%s:octuple:%s /" TRACE_FILTER, file, name);
}

static void write_calls(FILE *out, const struct trace_options *options, const char *file)
{
    const int sniff = options->tool == TRACE_SNIFF, shows = sniff && options->plaintext;
    begin(out, file, "call");
    if (options->connection != 0)
        fprintf(out, " && arg1 == 0x%llx", (unsigned long long)options->connection);
    if (options->tool == TRACE_LATENCY) {
        fputs("/ { $ok = (int64)arg2 > 0 ? 1 : 0; @s[(uint64)(arg0 - 1), (uint64)$ok] = stats(arg3);"
              " @h[(uint64)(arg0 - 1), (uint64)$ok] = hist(arg3 / 1000); }\n",
              out);
        return;
    }
    fprintf(out, "/ { printf(\"e %%d %%llu %%d %%d %%llx %%d %%llu%s%s|%%s\\n\", arg0 - 1, nsecs, pid, tid, arg1, arg2",
            sniff ? " %llu" : "", shows ? " %rh" : "");
    fprintf(out, ", arg3%s%s, comm); }\n", sniff ? ", arg5" : "", shows ? ", buf(arg4, arg5)" : "");
}

static void write_sums(FILE *out, const char *ok, const char *ns, unsigned base)
{
    fprintf(out,
            "/ { $ok = %s; $key = (uint64)(arg0 + %u); @s[$key, (uint64)$ok] = stats(%s);"
            " @h[$key, (uint64)$ok] = hist(%s / 1000); }\n",
            ok, base + 1, ns, ns);
}

/* With keys that live elsewhere: what the handshake was paused for, and of that the line and the device. */
static void write_keys(FILE *out, const struct trace_options *options, const char *file)
{
    begin(out, file, "key");
    if (options->connection != 0)
        fprintf(out, " && arg0 == 0x%llx", (unsigned long long)options->connection);
    if (options->tool == TRACE_SNOOP) {
        fputs("/ { printf(\"key %d %llu %d %d %llx %d %llu %llu %llu|%s\\n\", arg1, nsecs, pid, tid, arg0, arg2, arg3,"
              " arg4, arg5, comm); }\n",
              out);
        return;
    }
    fputs("/ { $ok = arg2 > 0 ? 1 : 0;", out);
    for (unsigned part = 0; part < 3; part++) {
        fprintf(out, " @s[(uint64)%u, (uint64)$ok] = stats(arg%u); @h[(uint64)%u, (uint64)$ok] = hist(arg%u / 1000);",
                TRACE_KEY_DEVICE + part, 3 + part, TRACE_KEY_DEVICE + part, 3 + part);
    }
    fputs(" }\n", out);
}

/* "NAME OPERATION TIME PID TID ...": what else there is to say is one or two numbers. */
static unsigned write_batches(FILE *out, const struct trace_options *options, const char *file)
{
    static const struct {
        const char *name, *form, *arguments;
    } events[] = {
        {"flush", " %d %d %llu", ", arg1, arg2, arg3"},
        {"submit", " %d", ", arg2"},
        {"done", " %d", ", arg2"},
        {"single", "", ""},
        {"fallback", " %d", ", arg2"},
        {"cancel", "", ""},
    };
    const unsigned count = options->tool == TRACE_LATENCY ? 1 : sizeof events / sizeof events[0];
    for (unsigned i = 0; i < count; i++) {
        begin(out, file, events[i].name);
        if (options->tool == TRACE_LATENCY) {
            write_sums(out, "1", "arg3", TRACE_KEY_BATCH);
            continue;
        }
        fprintf(out, "/ { printf(\"%s %%d %%llu %%d %%d%s|%%s\\n\", arg0, nsecs, pid, tid%s, comm); }\n",
                events[i].name, events[i].form, events[i].arguments);
    }
    return count;
}

unsigned trace_program_octuple(FILE *out, const struct trace_options *options, const struct trace_target *target)
{
    unsigned probes = 0;
    if (target->calls) {
        write_calls(out, options, target->shim);
        probes++;
    }
    if (target->keys && options->tool != TRACE_SNIFF) {
        write_keys(out, options, target->shim);
        probes++;
    }
    /* These know nothing of connections, and sniff is about calls alone. */
    if (options->tool == TRACE_SNIFF || options->connection != 0)
        return probes;
    if (target->operations) {
        begin(out, target->provider, "operation");
        if (options->tool == TRACE_LATENCY)
            write_sums(out, "arg1 > 0 ? 1 : 0", "arg2", TRACE_KEY_OPERATION);
        else
            fputs("/ { printf(\"o %d %llu %d %d %d %llu|%s\\n\", arg0, nsecs, pid, tid, arg1, arg2, comm); }\n", out);
        probes++;
    }
    return target->batches ? probes + write_batches(out, options, target->octuple) : probes;
}
