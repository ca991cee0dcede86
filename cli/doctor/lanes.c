/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Whether operations really went through lanes: sums of processes' counters.
 */
#include <string.h>
#include "cli/core/counters.h"
#include "cli/core/hellos.h"
#include "cli/core/keys.h"
#include "cli/core/process.h"
#include "cli/core/stays.h"
#include "doctor.h"

static void sum(void *arg, const struct oct_counters_file *file)
{
    struct doctor_lanes *lanes = arg;
    uint64_t count = file->sum.op_count < OCT_COUNTERS_OPS ? file->sum.op_count : OCT_COUNTERS_OPS;
    struct oct_quic_counters *quic = &lanes->quic;
    struct oct_memory_counters *memory = &lanes->memory;
    lanes->read++;
    stays_add(&lanes->stays, &file->stays, NULL);
    hellos_add(&lanes->hellos, &file->hellos, NULL);
    keys_add(&lanes->keys, &file->keys, NULL);
    keys_add_owners(&lanes->keys, &file->keys);
    quic->state = file->quic.state != OCT_QUIC_STATE_NONE ? file->quic.state : quic->state;
    quic->connections += file->quic.connections;
    quic->pauses += file->quic.pauses;
    quic->stayed += file->quic.stayed;
    quic->freed += file->quic.freed;
    quic->failed += file->quic.failed;
    /* Where some process may pause, that is said. */
    memory->state = file->memory.state > memory->state ? file->memory.state : memory->state;
    memory->connections += file->memory.connections;
    memory->pauses += file->memory.pauses;
    memory->handed += file->memory.handed;
    for (int i = 0; i < OCT_MEMORY_STAYS; i++)
        memory->stayed[i] += file->memory.stayed[i];
    for (uint64_t op = 0; op < count; op++) {
        const struct oct_op_counters *one = &file->sum.op[op];
        lanes->lanes += one->done;
        lanes->fallback += one->fallback;
        lanes->failed += one->failed;
        const char *name = oct_op_name((int)op);
        const bool ahead = name != NULL && strstr(name, "keygen") != NULL;
        lanes->asked += ahead ? 0 : one->done + one->fallback;
        for (int n = 0; n < OCT_LANES; n++) {
            lanes->batches += one->flushes[n];
            lanes->together += n > 0 && !ahead ? one->flushes[n] * (uint64_t)(n + 1) : 0;
        }
    }
}

void doctor_lanes_of_target(struct doctor_target *target)
{
    static pid_t pids[PROCESS_MAX];
    static struct oct_counters_file file;
    unsigned count = process_tree(target->facts.asked, pids, PROCESS_MAX);
    target->lanes = (struct doctor_lanes){0};
    for (unsigned i = 0; i < count; i++) {
        uint64_t where = 0;
        enum counters_result result = counters_of_process(&file, pids[i], &where);
        if (result == COUNTERS_READ)
            sum(&target->lanes, &file);
        else if (result == COUNTERS_NOT_STARTED)
            target->lanes.read++;
        target->lanes.other_versions += result == COUNTERS_OTHER_VERSION;
        target->lanes.unreadable += result == COUNTERS_OTHER_VERSION || result == COUNTERS_NOT_PERMITTED;
    }
}

void doctor_lanes_of_folder(struct doctor_lanes *lanes, const char *folder)
{
    struct counters_left left = {0};
    counters_of_folder(folder, sum, lanes, &left);
    lanes->other_versions += left.other_versions;
    lanes->unreadable += left.other_versions + left.cut;
}
