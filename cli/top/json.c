/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * `octuple top` for scripts: the counters as they are, one object on one line for each sample. The names of members are
 * stable; new ones may be added.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <time.h>
#include <jansson.h>
#include "cli/core/keys.h"
#include "cli/core/hellos.h"
#include "cli/core/stays.h"
#include "top.h"

/* Operations of the writer's version. */
static json_t *operations(const struct oct_op_counters *all, uint64_t count)
{
    json_t *array = json_array();
    for (int op = 0; op < OCT_COUNTERS_OPS && (uint64_t)op < count; op++) {
        const struct oct_op_counters *n = &all[op];
        json_t *batches = json_array();
        char name[32];
        snprintf(name, sizeof name, "operation-%d", op);
        for (int i = 0; i < OCT_LANES; i++)
            json_array_append_new(batches, json_integer((json_int_t)n->flushes[i]));
        json_array_append_new(array, json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:I}", "name",
                                               op < OCT_OP_COUNT ? oct_op_name(op) : name, "submitted",
                                               (json_int_t)n->submitted, "done", (json_int_t)n->done, "failed",
                                               (json_int_t)n->failed, "fallback", (json_int_t)n->fallback, "cancelled",
                                               (json_int_t)n->cancelled, "recomputed", (json_int_t)n->recomputed,
                                               "waiting", (json_int_t)n->waiting, "batches", batches,
                                               "lane_nanoseconds", (json_int_t)n->lane_nanoseconds));
    }
    return array;
}

static json_t *threads(const struct oct_counters_file *file)
{
    json_t *array = json_array();
    for (uint64_t i = 0; i < file->sum.slots; i++) {
        const struct oct_thread_counters *thread = &file->thread[i];
        if (thread->state == OCT_THREAD_FREE || thread->state == OCT_THREAD_TAKEN)
            continue;
        const char *state = thread->state == OCT_THREAD_ALIVE   ? "running"
                            : thread->state == OCT_THREAD_ENDED ? "ended"
                                                                : "others";
        json_array_append_new(array, json_pack("{s:I, s:s, s:f, s:o}", "tid", (json_int_t)thread->tid, "state", state,
                                               "started", (double)thread->started / 1e9, "operations",
                                               operations(thread->op, file->sum.op_count)));
    }
    return array;
}

static json_t *process(const struct top_request *request, const struct top_process *one)
{
    const struct oct_counters *sum = &one->file.sum;
    json_t *object =
        json_pack("{s:i, s:s, s:s, s:f, s:o, s:o, s:o, s:o}", "pid", (int)one->pid, "command", one->command, "state",
                  one->ended ? "ended" : "running", "started", (double)sum->started / 1e9, "operations",
                  operations(sum->op, sum->op_count), "keys", keys_json(&one->file.keys), "handshakes",
                  stays_json(&one->file.stays), "hellos", hellos_json(&one->file.hellos));
    if (request->threads)
        json_object_set_new(object, "threads", threads(&one->file));
    return object;
}

int top_print_json(const struct top_request *request, const struct top_sample *sample)
{
    struct timespec t;
    json_t *array = json_array();
    clock_gettime(CLOCK_REALTIME, &t);
    for (unsigned i = 0; i < sample->count; i++)
        json_array_append_new(array, process(request, sample->process[i]));
    json_t *object =
        json_pack("{s:f, s:i, s:i, s:o}", "time", (double)t.tv_sec + (double)t.tv_nsec / 1e9, "not_permitted",
                  (int)sample->forbidden, "other_versions", (int)sample->other_versions, "processes", array);
    char *line = object != NULL ? json_dumps(object, JSON_COMPACT) : NULL;
    json_decref(object);
    if (line == NULL) {
        cli_say(TOP_WHO, "cannot make JSON: no memory");
        return CLI_FAILED;
    }
    puts(line);
    fflush(stdout);
    free(line);
    return CLI_OK;
}
