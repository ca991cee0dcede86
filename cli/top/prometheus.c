/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * `octuple top` for Prometheus: what the library says of itself, oct_counters_prometheus_of(), for each process that
 * runs, or each of its threads. A process that has ended is left out: its series would stay for ever.
 *
 * A file is replaced as a whole, by renaming, so that node_exporter's textfile collector never reads half of one.
 */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "cli/core/hellos.h"
#include "cli/core/stays.h"
#include "top.h"

/* To be freed; NULL without memory. */
static char *labels(const struct top_process *process, const struct oct_thread_counters *thread)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        return NULL;
    fprintf(out, "pid=\"%ld\",command=\"", (long)process->pid);
    /* A label's value: what is printable is all that is in a command's name. */
    for (const char *c = process->command; *c != '\0'; c++) {
        if (*c == '"' || *c == '\\')
            fputc('\\', out);
        fputc(*c, out);
    }
    fputc('"', out);
    if (thread != NULL && thread->state == OCT_THREAD_OTHERS)
        fputs(",thread=\"others\"", out);
    else if (thread != NULL)
        fprintf(out, ",thread=\"%" PRIu64 "\"", thread->tid);
    fclose(out);
    return text;
}

/* Owned labels; room for all threads of all processes. */
static unsigned make_series(struct oct_counters_series *series, const struct top_request *request,
                            const struct top_sample *sample)
{
    unsigned count = 0;
    for (unsigned i = 0; i < sample->count; i++) {
        const struct top_process *process = sample->process[i];
        if (process->ended)
            continue;
        const uint64_t op_count = process->file.sum.op_count;
        if (!request->threads)
            series[count++] = (struct oct_counters_series){process->file.sum.op, op_count, labels(process, NULL)};
        for (uint64_t j = 0; request->threads && j < process->file.sum.slots; j++) {
            const struct oct_thread_counters *thread = &process->file.thread[j];
            if (thread->state != OCT_THREAD_FREE && thread->state != OCT_THREAD_TAKEN)
                series[count++] = (struct oct_counters_series){thread->op, op_count, labels(process, thread)};
        }
    }
    return count;
}

/* Of processes, never of threads: helpers serve them all. To be freed; NULL without memory. */
static char *keys_text(const struct top_sample *sample)
{
    struct oct_key_series *series = calloc((size_t)sample->count + 1, sizeof *series);
    size_t count = 0;
    for (unsigned i = 0; series != NULL && i < sample->count; i++) {
        const struct top_process *process = sample->process[i];
        if (!process->ended)
            series[count++] = (struct oct_key_series){&process->file.keys, labels(process, NULL)};
    }
    char *text = series != NULL ? oct_counters_prometheus_of_keys(series, count) : NULL;
    for (size_t i = 0; i < count; i++)
        free((char *)series[i].labels);
    free(series);
    return text;
}

/* Why handshakes waited for nobody, of processes that have counted some. To be freed; NULL without memory. */
static char *handshakes_text(const struct top_sample *sample)
{
    static const char name[] = "octuple_handshakes_total";
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        return NULL;
    fprintf(out, "# HELP %s Full handshakes by what they waited for: others, or nobody and why.\n# TYPE %s counter\n",
            name, name);
    for (unsigned i = 0; i < sample->count; i++) {
        const struct oct_stay_counters *stays = &sample->process[i]->file.stays;
        char *label = sample->process[i]->ended || stays->form == 0 ? NULL : labels(sample->process[i], NULL);
        if (label != NULL)
            fprintf(out, "%s{%s,waited=\"others\"} %" PRIu64 "\n", name, label, stays->paused);
        for (unsigned k = 0; label != NULL && k < OCT_STAY_COUNT; k++)
            fprintf(out, "%s{%s,waited=\"%s\"} %" PRIu64 "\n", name, label, stays_row(k)->name, stays->stayed[k]);
        free(label);
    }
    fclose(out);
    return text;
}

static void hello_total(FILE *out, const struct top_sample *sample, const char *name, const char *help, size_t offset)
{
    fprintf(out, "# HELP %s %s\n# TYPE %s counter\n", name, help, name);
    for (unsigned i = 0; i < sample->count; i++) {
        const struct oct_hello_counters *hellos = &sample->process[i]->file.hellos;
        char *label = sample->process[i]->ended || hellos->form == 0 ? NULL : labels(sample->process[i], NULL);
        if (label != NULL)
            fprintf(out, "%s{%s} %" PRIu64 "\n", name, label, *(const uint64_t *)((const char *)hellos + offset));
        free(label);
    }
}

/* Whole milliseconds as seconds. No floating point: its form depends on the program's locale. */
static void hello_waits(FILE *out, const struct oct_hello_counters *hellos, const char *label)
{
    static const char name[] = "octuple_hello_wait_seconds";
    uint64_t sum = 0;
    for (unsigned i = 0; i < OCT_HELLO_WAITS; i++) {
        sum += hellos->waited[i];
        if (i + 1 < OCT_HELLO_WAITS)
            fprintf(out, "%s_bucket{%s,le=\"%u.%03u\"} %" PRIu64 "\n", name, label, hellos_bound[i] / 1000,
                    hellos_bound[i] % 1000, sum);
    }
    fprintf(out,
            "%s_bucket{%s,le=\"+Inf\"} %" PRIu64 "\n%s_sum{%s} %" PRIu64 ".%03" PRIu64 "\n%s_count{%s} %" PRIu64 "\n",
            name, label, sum, name, label, hellos->milliseconds / 1000, hellos->milliseconds % 1000, name, label, sum);
}

/* To be freed; NULL without memory. */
static char *hellos_text(const struct top_sample *sample)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        return NULL;
    hello_total(out, sample, "octuple_hellos_gone_total", "Hellos whose client had left before the handshake began.",
                offsetof(struct oct_hello_counters, gone));
    hello_total(out, sample, "octuple_hellos_refused_total",
                "Hellos that were turned away, as they had waited too long.",
                offsetof(struct oct_hello_counters, refused));
    fputs("# HELP octuple_hello_wait_seconds How long hellos had waited when their handshake began.\n"
          "# TYPE octuple_hello_wait_seconds histogram\n",
          out);
    for (unsigned i = 0; i < sample->count; i++) {
        const struct top_process *one = sample->process[i];
        char *label = one->ended || one->file.hellos.form == 0 ? NULL : labels(one, NULL);
        if (label != NULL)
            hello_waits(out, &one->file.hellos, label);
        free(label);
    }
    fclose(out);
    return text;
}

/* All of it in memory, so that a file is written at once; NULL without that. */
static char *make_text(const struct top_request *request, const struct top_sample *sample)
{
    struct oct_counters_series *series = calloc((size_t)sample->count * OCT_COUNTERS_THREADS + 1, sizeof *series);
    unsigned count = series != NULL ? make_series(series, request, sample) : 0;
    char *counters = series != NULL ? oct_counters_prometheus_of(series, count) : NULL, *text = NULL;
    char *keys = keys_text(sample), *handshakes = handshakes_text(sample), *hellos = hellos_text(sample);
    if (counters == NULL || keys == NULL || handshakes == NULL || hellos == NULL ||
        asprintf(&text,
                 "# HELP octuple_processes Processes that run under Octuple and were read.\n"
                 "# TYPE octuple_processes gauge\noctuple_processes %u\n%s%s%s%s",
                 top_running(sample), counters, keys, handshakes, hellos) < 0)
        text = NULL;
    free(keys);
    free(handshakes);
    free(hellos);
    for (unsigned i = 0; i < count; i++)
        free((char *)series[i].labels);
    free(series);
    free(counters);
    return text;
}

/* Beside the file, under a name that no collector takes for one of its own. */
static int replace(const char *file, const char *text)
{
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s.XXXXXX", file) >= (int)sizeof path) {
        errno = ENAMETOOLONG;
        return 0;
    }
    int fd = mkstemp(path);
    if (fd < 0)
        return 0;
    size_t left = strlen(text);
    for (ssize_t n; left > 0 && (n = write(fd, text, left)) >= 0; left -= (size_t)n)
        text += n;
    int good = left == 0 && fchmod(fd, 0644) == 0;
    good = close(fd) == 0 && good && rename(path, file) == 0;
    if (!good) {
        int error = errno;
        unlink(path);
        errno = error;
    }
    return good;
}

int top_print_prometheus(const struct top_request *request, const struct top_sample *sample)
{
    char *text = make_text(request, sample);
    if (text == NULL) {
        cli_say(TOP_WHO, "no memory");
        return CLI_FAILED;
    }
    int good = request->output == NULL ? fputs(text, stdout) >= 0 : replace(request->output, text);
    if (!good) {
        cli_say(TOP_WHO, "cannot write %s: %s", request->output != NULL ? request->output : "the output",
                strerror(errno));
    }
    free(text);
    return good ? CLI_OK : CLI_FAILED;
}
