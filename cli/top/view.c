/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * What `octuple top` shows people: what happened between two samples, or since the processes started, by operation, by
 * process and by thread.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "cli/core/hellos.h"
#include "cli/core/stays.h"
#include "top.h"

#define WORDS (sizeof(struct oct_op_counters) / sizeof(uint64_t))

/* to += now - before; what waits is no count, and is as it is. */
static void add(struct oct_op_counters *to, const struct oct_op_counters *now, const struct oct_op_counters *before)
{
    uint64_t *sum = (uint64_t *)to;
    const uint64_t *n = (const uint64_t *)now, *b = (const uint64_t *)before;
    const uint64_t waiting = to->waiting + now->waiting;
    for (size_t i = 0; i < WORDS; i++)
        sum[i] += n[i] - (b != NULL ? b[i] : 0);
    to->waiting = waiting;
}

static void add_all(struct oct_op_counters *to, const struct oct_op_counters *now, const struct oct_op_counters *before)
{
    for (int op = 0; op < OCT_COUNTERS_OPS; op++)
        add(to, &now[op], before != NULL ? &before[op] : NULL);
}

static int any(const struct oct_op_counters *n)
{
    return (n->submitted | n->done | n->failed | n->fallback | n->waiting) != 0;
}

/* Operations of which there was one ever, though perhaps not lately. */
static void operations(FILE *out, const struct top_form *form, const struct top_sample *now,
                       const struct top_sample *before)
{
    int shown = 0;
    for (int op = 0; op < OCT_COUNTERS_OPS; op++) {
        struct top_row row = {0};
        int ever = 0;
        for (unsigned i = 0; i < now->count; i++) {
            const struct top_process *last = top_find(before, now->process[i]);
            const struct oct_op_counters *n = &now->process[i]->file.sum.op[op];
            add(&row.n, n, last != NULL ? &last->file.sum.op[op] : NULL);
            ever |= any(n);
        }
        if (ever) {
            if (op < OCT_OP_COUNT)
                snprintf(row.label, sizeof row.label, "%s", oct_op_name(op));
            else
                snprintf(row.label, sizeof row.label, "operation-%d", op);
            top_table_row(out, form, &row);
            shown++;
        }
    }
    if (!shown)
        fputs("no operation has come yet\n", out);
}

static void process_row(struct top_row *row, const struct top_process *process, const struct top_sample *before)
{
    const struct top_process *last = top_find(before, process);
    *row = (struct top_row){0};
    snprintf(row->label, sizeof row->label, "%ld %s%s", (long)process->pid, process->ended ? "ended " : "",
             process->command);
    add_all(&row->n, process->file.sum.op, last != NULL ? last->file.sum.op : NULL);
}

static const struct oct_thread_counters *same_thread(const struct top_process *in,
                                                     const struct oct_thread_counters *thread)
{
    for (uint64_t i = 0; in != NULL && i < in->file.sum.slots; i++) {
        const struct oct_thread_counters *other = &in->file.thread[i];
        if (other->tid == thread->tid && other->started == thread->started && other->state != OCT_THREAD_TAKEN)
            return other;
    }
    return NULL;
}

static void threads(FILE *out, const struct top_form *form, const struct top_process *process,
                    const struct top_sample *before)
{
    const struct top_process *last = top_find(before, process);
    for (uint64_t i = 0; i < process->file.sum.slots; i++) {
        const struct oct_thread_counters *thread = &process->file.thread[i], *old = same_thread(last, thread);
        struct top_row row = {0}, ever = {0};
        add_all(&ever.n, thread->op, NULL);
        if (thread->state == OCT_THREAD_FREE || thread->state == OCT_THREAD_TAKEN || !any(&ever.n))
            continue;
        add_all(&row.n, thread->op, old != NULL ? old->op : NULL);
        if (thread->state == OCT_THREAD_OTHERS) {
            snprintf(row.label, sizeof row.label, " others");
        } else {
            snprintf(row.label, sizeof row.label, " %" PRIu64 "%s", thread->tid,
                     thread->state == OCT_THREAD_ENDED ? " ended" : "");
        }
        top_table_row(out, form, &row);
    }
}

/* The sum of all that is shown: how much of it lanes do. */
static void verdict(FILE *out, const struct top_form *form, const struct oct_op_counters *n)
{
    const double all = (double)(n->done + n->fallback + n->failed), lanes = (double)n->lane_nanoseconds / 1e9;
    fprintf(out, "%.0f operations%s, %.0f%% in lanes, %.1f in a batch, %" PRIu64 " waiting, ",
            form->seconds > 0 ? all / form->seconds : all, form->seconds > 0 ? "/s" : "",
            all > 0 ? 100 * (double)n->done / all : 0, top_fill(n), n->waiting);
    if (form->seconds > 0)
        fprintf(out, "%.0f%% of a CPU in lanes\n", 100 * lanes / form->seconds);
    else
        fprintf(out, "%.1f s in lanes\n", lanes);
}

/* What it is about. */
static void about(FILE *out, const struct top_form *form, const struct top_sample *now)
{
    char clock[16];
    time_t wall = time(NULL);
    struct tm local;
    unsigned running = top_running(now);
    strftime(clock, sizeof clock, "%H:%M:%S", localtime_r(&wall, &local));
    fprintf(out, "octuple top %s  %s, %u running, %u ended", clock, now->count > 0 ? now->process[0]->command : "",
            running, now->count - running);
    if (form->seconds > 0)
        fprintf(out, ", last %.1f s", form->seconds);
    else
        fputs(", since the start", out);
    if (now->forbidden > 0)
        fprintf(out, ", %u not permitted", now->forbidden);
    if (now->other_versions > 0)
        fprintf(out, ", %u of another version", now->other_versions);
    fputc('\n', out);
}

/* How many handshakes waited for others, and why the rest did not, where there were any. */
static void handshakes(FILE *out, const struct top_sample *now, const struct top_sample *before)
{
    struct oct_stay_counters all = {0};
    const char *divider = ";";
    for (unsigned i = 0; i < now->count; i++) {
        const struct top_process *last = top_find(before, now->process[i]);
        stays_add(&all, &now->process[i]->file.stays, last != NULL ? &last->file.stays : NULL);
    }
    const uint64_t full = stays_full(&all);
    if (full == 0 && all.resumed == 0)
        return;
    fprintf(out, "%" PRIu64 " full handshakes, %" PRIu64 " waited for others, %" PRIu64 " resumed", full, all.paused,
            all.resumed);
    for (unsigned i = 0; i < OCT_STAY_COUNT; i++)
        if (all.stayed[i] != 0) {
            fprintf(out, "%s %s %" PRIu64, divider, stays_row(i)->name, all.stayed[i]);
            divider = ",";
        }
    fputc('\n', out);
}

/* How long hellos waited, and whose clients did not, where there is something to say. */
static void hellos(FILE *out, const struct top_sample *now, const struct top_sample *before)
{
    struct oct_hello_counters all = {0};
    for (unsigned i = 0; i < now->count; i++) {
        const struct top_process *last = top_find(before, now->process[i]);
        hellos_add(&all, &now->process[i]->file.hellos, last != NULL ? &last->file.hellos : NULL);
    }
    const uint64_t begun = hellos_begun(&all);
    if (begun != 0 || all.gone != 0 || all.refused != 0)
        fprintf(out,
                "hellos waited %.0f ms on average, %" PRIu64 " of %" PRIu64 " longer than 100 ms; %" PRIu64
                " left, %" PRIu64 " turned away\n",
                begun != 0 ? (double)all.milliseconds / (double)begun : 0.0, hellos_over(&all, 100), begun, all.gone,
                all.refused);
}

void top_view(FILE *out, const struct top_form *form, const struct top_request *request, const struct top_sample *now,
              const struct top_sample *before)
{
    struct top_form timed = *form;
    struct top_row all = {0}, one;
    timed.seconds = before != NULL ? (double)(now->at - before->at) / 1e9 : 0;
    for (unsigned i = 0; i < now->count; i++) {
        process_row(&one, now->process[i], before);
        add(&all.n, &one.n, NULL);
    }
    verdict(out, &timed, &all.n);
    about(out, &timed, now);
    handshakes(out, now, before);
    hellos(out, now, before);
    top_keys(out, &timed, now, before);
    fputs(form->keys ? "q: quit  t: threads\n" : "\n", out);
    top_table_head(out, &timed, "OPERATION");
    operations(out, &timed, now, before);
    if (now->count <= 1 && !request->threads)
        return;
    fputc('\n', out);
    top_table_head(out, &timed, request->threads ? "PROCESS, THREADS" : "PROCESS");
    for (unsigned i = 0; i < now->count; i++) {
        process_row(&one, now->process[i], before);
        top_table_row(out, &timed, &one);
        if (request->threads)
            threads(out, &timed, now->process[i], before);
    }
}
