/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* What the process has counted of its handshakes, and the last word: nothing stands in the way only where, under load,
 * most operations ran together with others, or most handshakes waited for others and more than a quarter of the
 * operations ran together. */
#include <inttypes.h>
#include <stdio.h>
#include "cli/core/stays.h"
#include "doctor.h"

#define NAME "handshakes"
/* Fewer operations, and fewer handshakes, say nothing of a load. */
#define LOAD_LEAST 16

/* Most of the full handshakes waited for others. */
static bool waited(const struct oct_stay_counters *stays)
{
    return stays->doors == 0 && stays->paused * 2 >= stays_full(stays);
}

void doctor_judge_handshakes(struct doctor_report *report, const struct doctor_target *target)
{
    const struct oct_stay_counters *stays = &target->lanes.stays;
    const uint64_t full = stays_full(stays);
    const unsigned why = stays_why(stays);
    char text[1024] = "";
    size_t at = 0;
    if (full == 0 && stays->doors == 0 && stays->resumed == 0)
        return;
    if (stays->doors != 0 && stays->stayed[why] == 0)
        at = (size_t)snprintf(text, sizeof text, "; %s", stays_row(why)->text);
    for (unsigned i = 0, reason = OCT_STAY_COUNT; i < 2; i++) {
        reason = stays_greatest(stays, reason);
        if (reason != OCT_STAY_COUNT && at < sizeof text)
            at += (size_t)snprintf(text + at, sizeof text - at, "; of %" PRIu64 ", %s", stays->stayed[reason],
                                   stays_row(reason)->text);
    }
    const bool served = waited(stays);
    doctor_add(report, served ? DOCTOR_OK : DOCTOR_NOTE, NAME,
               served || why == OCT_STAY_COUNT ? NULL : stays_row(why)->advice,
               "%" PRIu64 " full handshakes, of which %" PRIu64 " waited for others; %" PRIu64 " resumed%s", full,
               stays->paused, stays->resumed, text);
}

bool doctor_runs_together(const struct doctor_lanes *lanes)
{
    return lanes->together * 2 > lanes->asked && lanes->asked >= LOAD_LEAST;
}

const char *doctor_verdict(const struct doctor_report *report, const struct doctor_target *target, char *text,
                           size_t room)
{
    const struct doctor_lanes *lanes = &target->lanes;
    const uint64_t all = lanes->asked, full = stays_full(&lanes->stays);
    const unsigned reason = stays_why(&lanes->stays);
    int odd = 0;
    if (report->problems > 0) {
        snprintf(text, room, "%u problem%s, of which the first is to be solved first", report->problems,
                 report->problems > 1 ? "s" : "");
        return "problem";
    }
    for (unsigned i = 0; i < target->ports.count; i++)
        odd = target->ports.port[i].odd_rsa != 0 ? target->ports.port[i].odd_rsa : odd;
    if (odd != 0) {
        snprintf(text, room, "most of the work runs by itself: RSA keys of %d bits have no lanes", odd);
        return "fallback";
    }
    const bool most_waited = full >= LOAD_LEAST && waited(&lanes->stays);
    if ((doctor_runs_together(lanes) && (full > 0 || lanes->stays.resumed == 0)) ||
        (most_waited && lanes->together * 4 > lanes->asked)) {
        snprintf(text, room, "nothing stands in the way");
        return "ok";
    }
    if (lanes->read == 0 && lanes->unreadable > 0) {
        snprintf(text, room, "no load seen: its counters cannot be read");
        return "no-load";
    }
    if (full < LOAD_LEAST && lanes->stays.doors == 0 && lanes->stays.resumed > full) {
        snprintf(text, room, "no load seen yet: of %" PRIu64 " sessions, %" PRIu64 " were resumed",
                 full + lanes->stays.resumed, lanes->stays.resumed);
        return "no-load";
    }
    if (lanes->stays.doors == 0 && ((all < LOAD_LEAST && full < LOAD_LEAST) || reason == OCT_STAY_ALONE)) {
        snprintf(text, room, full == 0 ? "no load seen yet" : "no load seen yet: %" PRIu64 " handshakes, few at once",
                 full);
        return "no-load";
    }
    snprintf(text, room, "most operations ran by themselves: %s",
             reason == OCT_STAY_COUNT || most_waited ? "few came while another one waited" : stays_row(reason)->text);
    return "fallback";
}
