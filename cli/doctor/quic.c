/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The finding on handshakes of QUIC: whether they pause, where they go on, or why they do not. There is none where no
 * connection has come. */
#include <inttypes.h>
#include "doctor.h"

#define NAME "quic"

static void judge_paused(struct doctor_report *report, const struct oct_quic_counters *quic, const char *where)
{
    const bool none = quic->connections > 0 && quic->stayed == quic->connections;
    doctor_add(report, none ? DOCTOR_NOTE : DOCTOR_OK, NAME, none ? doctor_advice_QUIC_STAYED : NULL,
               "%" PRIu64 " connections, %" PRIu64 " pauses, each of which goes on where %s; %" PRIu64
               " stayed synchronous, %" PRIu64 " ended while paused, %" PRIu64 " failed behind a pause",
               quic->connections, quic->pauses, where, quic->stayed, quic->freed, quic->failed);
}

void doctor_judge_quic(struct doctor_report *report, const struct doctor_target *target)
{
    const struct oct_quic_counters *quic = &target->lanes.quic;
    switch (quic->state) {
    case OCT_QUIC_STATE_NONE:
        return;
    case OCT_QUIC_STATE_UNKNOWN:
        doctor_say(report, SAY(QUIC_UNKNOWN));
        return;
    case OCT_QUIC_STATE_OFF:
        doctor_say(report, SAY(QUIC_OFF));
        return;
    case OCT_QUIC_STATE_WAIT:
        judge_paused(report, quic, "its thread waits for events");
        return;
    case OCT_QUIC_STATE_SOCKET:
        judge_paused(report, quic, "its own socket is read");
        return;
    default:
        doctor_add(report, DOCTOR_NOTE, NAME, NULL, "its handshakes of QUIC are served in a way of another version");
    }
}
