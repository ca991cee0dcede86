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
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "top.h"

/* A label's value: what is printable is all that is in a command's name. */
static void put_value(FILE *out, const char *value)
{
    for (; *value; value++) {
        if (*value == '"' || *value == '\\')
            fputc('\\', out);
        fputc(*value, out);
    }
}

/* To be freed; NULL without memory. */
static char *labels(const struct top_process *process, const struct oct_thread_counters *thread)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        return NULL;
    fprintf(out, "pid=\"%ld\",command=\"", (long)process->pid);
    put_value(out, process->command);
    fputc('"', out);
    if (thread != NULL && thread->state == OCT_THREAD_OTHERS)
        fputs(",thread=\"others\"", out);
    else if (thread != NULL)
        fprintf(out, ",thread=\"%" PRIu64 "\"", thread->tid);
    fclose(out);
    return text;
}

static unsigned add_threads(struct oct_counters_series *series, const struct top_process *process)
{
    unsigned count = 0;
    for (uint64_t i = 0; i < process->file.sum.slots; i++) {
        const struct oct_thread_counters *thread = &process->file.thread[i];
        if (thread->state != OCT_THREAD_FREE && thread->state != OCT_THREAD_TAKEN) {
            series[count++] =
                (struct oct_counters_series){thread->op, process->file.sum.op_count, labels(process, thread)};
        }
    }
    return count;
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
        if (request->threads) {
            count += add_threads(series + count, process);
        } else {
            series[count++] =
                (struct oct_counters_series){process->file.sum.op, process->file.sum.op_count, labels(process, NULL)};
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

/* All of it in memory, so that a file is written at once; NULL without that. */
static char *make_text(const struct top_request *request, const struct top_sample *sample)
{
    struct oct_counters_series *series = calloc((size_t)sample->count * OCT_COUNTERS_THREADS + 1, sizeof *series);
    unsigned count = series != NULL ? make_series(series, request, sample) : 0;
    char *counters = series != NULL ? oct_counters_prometheus_of(series, count) : NULL, *text = NULL;
    char *keys = keys_text(sample);
    if (counters == NULL || keys == NULL ||
        asprintf(&text,
                 "# HELP octuple_processes Processes that run under Octuple and were read.\n"
                 "# TYPE octuple_processes gauge\noctuple_processes %u\n%s%s",
                 top_running(sample), counters, keys) < 0)
        text = NULL;
    free(keys);
    for (unsigned i = 0; i < count; i++)
        free((char *)series[i].labels);
    free(series);
    free(counters);
    return text;
}

static int write_all(int fd, const char *text)
{
    size_t left = strlen(text);
    while (left > 0) {
        ssize_t n = write(fd, text, left);
        if (n < 0)
            return 0;
        text += n;
        left -= (size_t)n;
    }
    return 1;
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
    int good = write_all(fd, text) && fchmod(fd, 0644) == 0;
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
