/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The bpftrace program for OpenSSL's functions. It keeps to what bpftrace 0.17 (Debian 12) knows. A function's number
 * is its place in trace_functions[]; lines of events, which event_read.c reads, are "KIND NUMBER TIME PID TID
 * CONNECTION RESULT NANOSECONDS ...|COMMAND".
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "trace.h"

struct writer {
    FILE *out;
    const struct trace_options *options;
    struct trace_target *target;
    unsigned probes;
};

/* What the return needs of the call. A thread that is inside of function F is not inside of it twice. Where its return
 * must not be touched, that it was called is all that can be said. */
static void write_call(struct writer *w, unsigned number, const char *file, bool returns)
{
    const struct trace_function *function = &trace_functions[number];
    const struct trace_options *options = w->options;
    fprintf(w->out, "uprobe:%s:%s /" TRACE_FILTER, file, function->name);
    if (function->kind == TRACE_ANSWER)
        fputs(" && arg1 != 0", w->out);
    w->probes++;
    if (!returns) {
        fprintf(w->out, "/ { printf(\"b %u %%llu %%d %%d|%%s\\n\", nsecs, pid, tid, comm); }\n", number);
        return;
    }
    if (options->connection != 0) {
        fprintf(w->out, trace_is_outer(function) ? " && arg0 == 0x%llx" : " && @in[tid] == 0x%llx",
                (unsigned long long)options->connection);
    }
    fprintf(w->out, "/ { @at%u[tid] = nsecs;", number);
    if (trace_is_outer(function) && options->tool != TRACE_LATENCY)
        fprintf(w->out, " @in[tid] = arg0; @ssl%u[tid] = arg0;", number);
    if (options->tool == TRACE_SNIFF && function->kind != TRACE_HANDSHAKE)
        fprintf(w->out, " @data%u[tid] = arg1; @moved%u[tid] = arg3;", number, number);
    fputs(" }\n", w->out);
}

static void write_event(struct writer *w, unsigned number)
{
    const struct trace_function *function = &trace_functions[number];
    const int moves = w->options->tool == TRACE_SNIFF && function->kind != TRACE_HANDSHAKE;
    const int shows = moves && w->options->plaintext;
    char connection[32] = "@in[tid]";
    if (trace_is_outer(function))
        snprintf(connection, sizeof connection, "@ssl%u[tid]", number);
    fputs(" $value = (int32)retval;", w->out);
    /* Bytes moved; of SSL_read_early_data() and the like they are stored where its fourth argument says. */
    if (moves && (function->kind == TRACE_READ_EX || function->kind == TRACE_WRITE_EX))
        fprintf(w->out, " $len = $value == 1 ? *(uint64 *)uptr(@moved%u[tid]) : (uint64)0;", number);
    else if (moves)
        fputs(" $len = $value > 0 ? (uint64)$value : (uint64)0;", w->out);
    fprintf(w->out, " printf(\"e %u %%llu %%d %%d %%llx %%d %%llu%s%s|%%s\\n\", nsecs, pid, tid, %s, $value,", number,
            moves ? " %llu" : "", shows ? " %rh" : "", connection);
    fprintf(w->out, " nsecs - @at%u[tid]", number);
    if (moves)
        fputs(", $len", w->out);
    if (shows)
        fprintf(w->out, ", buf(@data%u[tid], $len)", number);
    fputs(", comm);", w->out);
}

static void write_function(struct writer *w, unsigned number, const struct trace_elf *ssl,
                           const struct trace_elf *crypto)
{
    const struct trace_function *function = &trace_functions[number];
    const struct trace_target *target = w->target;
    const enum trace_tool tool = w->options->tool;
    const bool outer = trace_is_outer(function);
    const struct trace_elf *elf = outer ? ssl : crypto;
    const char *file = outer ? target->ssl : target->crypto;
    const bool may_return =
        target->returns == TRACE_RETURNS_ALL || (target->returns == TRACE_RETURNS_OUTER && outer && !target->calls);
    if (!trace_is_wanted(tool, function) || elf == NULL || !trace_elf_defines(elf, function->name) ||
        (target->calls && number < TRACE_CALLS))
        return;
    if (!may_return) {
        if (tool == TRACE_SNOOP && w->options->connection == 0)
            write_call(w, number, file, false);
        return;
    }
    write_call(w, number, file, true);
    w->target->uses_returns = 1;
    w->probes++;
    fprintf(w->out, "uretprobe:%s:%s /@at%u[tid]/ {", file, function->name, number);
    if (tool == TRACE_LATENCY) {
        fprintf(w->out,
                " $ns = nsecs - @at%u[tid]; $ok = (int32)retval > 0 ? 1 : 0;"
                " @s[(uint64)%u, (uint64)$ok] = stats($ns); @h[(uint64)%u, (uint64)$ok] = hist($ns / 1000);",
                number, number, number);
    } else {
        write_event(w, number);
    }
    fprintf(w->out, " delete(@at%u[tid]);", number);
    if (outer && tool != TRACE_LATENCY)
        fprintf(w->out, " delete(@ssl%u[tid]);", number);
    if (tool == TRACE_SNIFF && function->kind != TRACE_HANDSHAKE)
        fprintf(w->out, " delete(@data%u[tid]); delete(@moved%u[tid]);", number, number);
    fputs(" }\n", w->out);
}

char *trace_program(struct trace_target *target, const struct trace_options *options, unsigned *probes)
{
    char *text = NULL, id[65] = "";
    size_t size;
    FILE *out = open_memstream(&text, &size);
    struct writer w = {.out = out, .options = options, .target = target};
    struct trace_elf *ssl = trace_elf_open(target->ssl), *crypto = trace_elf_open(target->crypto);
    if (out != NULL) {
        if (ssl != NULL)
            trace_elf_build_id(ssl, id);
        fprintf(out, "// libssl: %s, build-id %s\n", target->ssl, id[0] != '\0' ? id : "unknown");
        /* First of all, so that it is attached last: its first tick says that everything else is. */
        fputs("interval:ms:50 { if (@ready == 0) { @ready = 1; printf(\"ready\\n\"); } }\nBEGIN { @ready = 0;", out);
        for (unsigned i = 0; i < target->count; i++)
            fprintf(out, " @traced[(uint64)%ld] = 1;", (long)target->pids[i]);
        fputs(" }\n"
              "tracepoint:sched:sched_process_fork /@traced[(uint64)args->parent_pid]/ { "
              "@traced[(uint64)args->child_pid] = 1; }\n",
              out);
        if (options->tool == TRACE_LATENCY && options->interval != 0)
            fprintf(out, "interval:s:%u { print(@s); print(@h); printf(\"interval\\n\"); }\n", options->interval);
        for (unsigned i = 0; i < trace_function_count; i++)
            write_function(&w, i, ssl, crypto);
        *probes = w.probes + trace_program_octuple(out, options, target);
        fclose(out);
    }
    trace_elf_close(ssl);
    trace_elf_close(crypto);
    return text;
}
