/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The finding on handshakes whose bytes come through memory: how many pause, or why they do not. There is none where no
 * such handshake has come to an operation beside others. */
#include <inttypes.h>
#include <stdio.h>
#include "doctor.h"

#define NAME "memory"

static const struct {
    const char *what, *advice; /* of all that did not pause; NULL: it is as it has to be */
} reasons[OCT_MEMORY_STAY_COUNT] = {
    [OCT_MEMORY_STAY_SOCKET] = {doctor_when_MEMORY_SOCKET, doctor_advice_MEMORY_SOCKET},
    [OCT_MEMORY_STAY_VERSION] = {doctor_when_MEMORY_VERSION, doctor_advice_MEMORY_VERSION},
    [OCT_MEMORY_STAY_EARLY] = {"operations did not pause: they came with early data", NULL},
    [OCT_MEMORY_STAY_MORE] = {"operations did not pause: they had more to read than one whole message", NULL},
};

void doctor_judge_memory(struct doctor_report *report, const struct doctor_target *target)
{
    const struct oct_memory_counters *memory = &target->lanes.memory;
    char text[512] = "";
    int most = 0;
    size_t at = 0;
    if (memory->state == OCT_MEMORY_STATE_OFF) {
        doctor_say(report, SAY(MEMORY_OFF));
        return;
    }
    if (memory->state == OCT_MEMORY_STATE_NONE)
        return;
    for (int i = 0; i < OCT_MEMORY_STAY_COUNT; i++) {
        most = memory->stayed[i] > memory->stayed[most] ? i : most;
        if (memory->stayed[i] != 0 && at < sizeof text)
            at += (size_t)snprintf(text + at, sizeof text - at, "; %" PRIu64 " %s", memory->stayed[i], reasons[i].what);
    }
    const bool none = memory->pauses == 0 && memory->stayed[most] != 0;
    doctor_add(report, none ? DOCTOR_NOTE : DOCTOR_OK, NAME, none ? reasons[most].advice : NULL,
               "%" PRIu64 " pauses in %" PRIu64 " handshakes through memory, of which %" PRIu64
               " went over to another thread%s",
               memory->pauses, memory->connections, memory->handed, text);
}
