/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Samples: which processes are meant, and what their counters are now. A process stands for itself and all that it
 * started, so that nginx's master is its workers too.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include "src/base/clock.h"
#include "cli/core/counters.h"
#include "cli/core/process.h"
#include "top.h"

/* Without memory there is one process less to be seen. */
static struct top_process *append(struct top_sample *sample)
{
    if (sample->count == sample->room) {
        unsigned room = sample->room * 2 + 16;
        void *more = realloc(sample->process, room * sizeof(struct top_process *));
        if (more == NULL)
            return NULL;
        sample->process = more;
        sample->room = room;
    }
    struct top_process *process = malloc(sizeof *process);
    if (process != NULL)
        sample->process[sample->count++] = process;
    return process;
}

static void take_name(struct top_process *process)
{
    memcpy(process->command, process->file.sum.command, sizeof process->command);
    process->command[sizeof process->command - 1] = '\0';
    cli_clean(process->command);
}

static const struct top_process *of_pid(const struct top_sample *sample, pid_t pid)
{
    for (unsigned i = 0; sample != NULL && i < sample->count; i++)
        if (sample->process[i]->pid == pid)
            return sample->process[i];
    return NULL;
}

const struct top_process *top_find(const struct top_sample *sample, const struct top_process *process)
{
    const struct top_process *found = of_pid(sample, process->pid);
    return found != NULL && found->file.sum.started == process->file.sum.started ? found : NULL;
}

static enum counters_result add_process(struct top_sample *sample, pid_t pid, const struct top_sample *before)
{
    const struct top_process *last = of_pid(before, pid);
    struct top_process *process;
    if (of_pid(sample, pid) != NULL)
        return COUNTERS_READ;
    if ((process = append(sample)) == NULL)
        return COUNTERS_NONE;
    process->pid = pid;
    process->ended = 0;
    process->where = last != NULL ? last->where : 0;
    enum counters_result result = counters_of_process(&process->file, pid, &process->where);
    if (result == COUNTERS_READ) {
        take_name(process);
        return result;
    }
    free(process);
    sample->count--;
    sample->forbidden += result == COUNTERS_NOT_PERMITTED;
    sample->other_versions += result == COUNTERS_OTHER_VERSION;
    return result;
}

static void add_file(void *arg, const struct oct_counters_file *file)
{
    struct top_sample *sample = arg;
    pid_t pid = (pid_t)file->sum.pid;
    uint64_t ticks = process_start_ticks(pid); /* 0: no such process */
    struct top_process *process = of_pid(sample, pid) == NULL ? append(sample) : NULL;
    if (process != NULL) {
        process->pid = pid;
        process->where = 0;
        process->ended = ticks == 0 || file->sum.start_ticks != ticks;
        process->file.sum = file->sum;
        process->file.keys = file->keys;
        process->file.stays = file->stays;
        process->file.hellos = file->hellos;
        memcpy(process->file.thread, file->thread, file->sum.slots * sizeof file->thread[0]);
        take_name(process);
    }
}

/* What the processes of one target gave. */
struct seen {
    unsigned processes, read, not_started, forbidden, other_versions;
};

static void add_tree(struct top_sample *sample, pid_t root, const struct top_sample *before, struct seen *seen)
{
    static pid_t pids[PROCESS_MAX];
    unsigned count = process_tree(root, pids, PROCESS_MAX);
    for (unsigned i = 0; i < count; i++) {
        enum counters_result result = add_process(sample, pids[i], before);
        seen->processes++;
        seen->read += result == COUNTERS_READ;
        seen->not_started += result == COUNTERS_NOT_STARTED;
        seen->forbidden += result == COUNTERS_NOT_PERMITTED;
        seen->other_versions += result == COUNTERS_OTHER_VERSION;
    }
}

static void add_named(struct top_sample *sample, const char *name, const struct top_sample *before, struct seen *seen)
{
    static pid_t pids[PROCESS_MAX];
    unsigned count = process_all(pids, PROCESS_MAX);
    for (unsigned i = 0; i < count; i++)
        if (name == NULL)
            seen->read += add_process(sample, pids[i], before) == COUNTERS_READ;
        else if (process_has_name(pids[i], name))
            add_tree(sample, pids[i], before, seen);
}

/* Is there no room for the file of one process? */
static bool is_full(const char *folder)
{
    struct statvfs st;
    return statvfs(folder, &st) == 0 && (uint64_t)st.f_bavail * st.f_frsize < sizeof(struct oct_counters_file);
}

static void add_folder(struct top_sample *sample, const char *folder, int tell)
{
    unsigned before = sample->count;
    struct counters_left left = {0};
    int error = counters_of_folder(folder, add_file, sample, &left);
    sample->other_versions += left.other_versions;
    if (!tell || sample->count > before)
        return;
    if (error != 0) {
        cli_say(TOP_WHO, "cannot read %s: %s", folder, strerror(error));
    } else if (left.other_versions > 0) {
        cli_say(TOP_WHO, "the counters in %s are of another version of Octuple: use the command of that version",
                folder);
    } else if (left.cut > 0) {
        cli_say(TOP_WHO, "somebody has shortened the files in %s: what still runs shows its counters to root", folder);
    } else if (is_full(folder)) {
        cli_say(TOP_WHO, "there are no counters in %s, and no room: the disk is full, so that no server can make them",
                folder);
    } else {
        cli_say(TOP_WHO, "there are no counters in %s: start a server with OCTUPLE_COUNTERS=%s", folder, folder);
    }
}

static void add_target(struct top_sample *sample, const char *target, const struct top_sample *before, int tell)
{
    struct seen seen = {0};
    if (strchr(target, '/') != NULL || !strcmp(target, ".") || !strcmp(target, "..")) {
        add_folder(sample, target, tell);
        return;
    }
    if (process_as_pid(target) != 0)
        add_tree(sample, process_as_pid(target), before, &seen);
    else
        add_named(sample, target, before, &seen);
    if (!tell || seen.read > 0)
        return;
    if (seen.processes == 0 && process_as_pid(target) != 0) {
        cli_say(TOP_WHO, "there is no process %s", target);
    } else if (seen.processes == 0) {
        cli_say(TOP_WHO, "no process has the name '%s' (a folder is named with a slash: ./%s)", target, target);
    } else if (seen.other_versions > 0) {
        cli_say(TOP_WHO,
                "%s counts in another form than this command reads: restart it, or use the command of its version",
                target);
    } else if (seen.forbidden > 0) {
        cli_say(TOP_WHO, "looking into %s is not permitted: %s, or start it with OCTUPLE_COUNTERS=FOLDER", target,
                cli_who_may_look());
    } else if (seen.not_started > 0) {
        cli_say(TOP_WHO, "%s has Octuple in it, and has not used it yet", target);
    } else {
        cli_say(TOP_WHO, "%s is not under Octuple: 'octuple doctor' says what keeps it out", target);
    }
}

static int by_pid(const void *a, const void *b)
{
    const pid_t one = (*(struct top_process *const *)a)->pid, other = (*(struct top_process *const *)b)->pid;
    return (one > other) - (one < other);
}

void top_gather(struct top_sample *sample, const struct top_request *request, const struct top_sample *before, int tell)
{
    struct seen seen = {0};
    *sample = (struct top_sample){.at = oct_clock_nanoseconds()};
    for (unsigned i = 0; i < request->targets; i++)
        add_target(sample, request->target[i], before, tell);
    if (request->targets == 0) {
        add_named(sample, NULL, before, &seen);
        if (tell && seen.read == 0) {
            cli_say(TOP_WHO, "no process under Octuple %s%s",
                    sample->forbidden > 0 ? "may be looked into: " : "is running",
                    sample->forbidden > 0 ? cli_who_may_look() : "");
        }
    }
    if (sample->count > 1)
        qsort(sample->process, sample->count, sizeof sample->process[0], by_pid);
}

void top_sample_free(struct top_sample *sample)
{
    for (unsigned i = 0; i < sample->count; i++)
        free(sample->process[i]);
    free(sample->process);
    *sample = (struct top_sample){0};
}

unsigned top_running(const struct top_sample *sample)
{
    unsigned running = 0;
    for (unsigned i = 0; i < sample->count; i++)
        running += !sample->process[i]->ended;
    return running;
}
