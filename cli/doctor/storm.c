/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Whether more clients come than the server can bear, so that they leave before it comes to them. What has left once is
 * no news; so a server of which some have is looked at again for a second. A backlog of a third of a second's
 * handshakes keeps waits below what clients bear, as all others are not answered before there is room.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include "cli/core/hellos.h"
#include "cli/core/stays.h"
#include "doctor.h"

#define NAME "storm"
/* So many in a second are more than those that leave anyhow. */
#define LEAST         8
#define BACKLOG_LEAST 16

static const struct {
    const char *program, *setting;
} settings[] = {
    {"nginx", "backlog= of listen"},       {"haproxy", "backlog"},
    {"redis-server", "tcp-backlog"},       {"valkey-server", "tcp-backlog"},
    {"apache2", "ListenBacklog"},          {"httpd", "ListenBacklog"},
    {"lighttpd", "server.listen-backlog"}, {"mosquitto", "net.core.somaxconn of its network namespace"},
};

static const char *setting_of(const char *program)
{
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++)
        if (strcmp(program, settings[i].program) == 0)
            return settings[i].setting;
    return "the backlog of its listen()";
}

static uint64_t lost(const struct doctor_lanes *lanes)
{
    return lanes->hellos.gone + lanes->hellos.refused;
}

static uint64_t served(const struct doctor_lanes *lanes)
{
    return stays_full(&lanes->stays) + lanes->stays.resumed;
}

/* A third of a second's handshakes. Those that have begun count, though clients may have left them since: so many the
 * server can compute. */
static uint64_t backlog(const struct doctor_lanes *before, const struct doctor_lanes *now)
{
    const uint64_t begun = hellos_begun(&now->hellos) - hellos_begun(&before->hellos);
    const uint64_t ended = served(now) - served(before), most = begun > ended ? begun : ended;
    return most * 3 / 10 > BACKLOG_LEAST ? most * 3 / 10 : BACKLOG_LEAST;
}

void doctor_judge_storm(struct doctor_report *report, const struct doctor_target *target)
{
    static struct doctor_target later;
    const char *program = strrchr(target->facts.program, '/');
    static char advice[160]; /* the report keeps it */
    char number[24];
    if (lost(&target->lanes) == 0)
        return;
    later = *target;
    if (target->facts.pid != 0) {
        nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
        doctor_lanes_of_target(&later);
    }
    const uint64_t left = lost(&later.lanes) - lost(&target->lanes),
                   rate = served(&later.lanes) - served(&target->lanes);
    if (later.lanes.read == 0 || lost(&later.lanes) < lost(&target->lanes) || left < LEAST) {
        doctor_add(report, DOCTOR_OK, NAME, NULL,
                   "%" PRIu64 " clients left before their handshake began, and cost next to nothing",
                   lost(&target->lanes));
        return;
    }
    snprintf(number, sizeof number, "%" PRIu64, backlog(&target->lanes, &later.lanes));
    snprintf(advice, sizeof advice, doctor_advice_STORM,
             setting_of(program != NULL ? program + 1 : target->facts.program), number);
    doctor_add(report, DOCTOR_NOTE, NAME, advice,
               "it is in a storm: in a second %" PRIu64 " clients left before their handshake began, and %" PRIu64
               " were served",
               left, rate);
}
