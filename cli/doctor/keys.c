/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The finding on keys that live elsewhere: whether they are asked for, and for a process whether they are served, or
 * why not. There is none where neither the setting nor such a key is in sight.
 */
#include "keys.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli/core/keys.h"

#define NAME "keys"

static const char use_setting[] =
    "start it with OCTUPLE_KEYS=16 in its environment, if a device is slow (docs/keys.md)";

static const char *const ways[] = {"not known yet", "in helper threads", "pauses by itself", "inside the call"};

/* What to do where most of them ran inside the call for this reason. */
static const char *const advice_on[OCT_KEYS_INSIDE_COUNT] = {
    [OCT_KEYS_INSIDE_NO_LOOP] = "its threads wait for the device: only event loops on epoll are served",
    [OCT_KEYS_INSIDE_NO_FIBRE] = "look again under load: a process's first handshake is not paused",
    [OCT_KEYS_INSIDE_NO_WAKING] = "its event loop is not one on epoll with a socket of its own for each connection",
    [OCT_KEYS_INSIDE_NO_THREAD] = "allow it more threads (ulimit -u, systemd: TasksMax=)",
    [OCT_KEYS_INSIDE_EXCEPTED] = "take except=NAME out of OCTUPLE_KEYS, if that was not meant",
    [OCT_KEYS_INSIDE_NO_MEMORY] = "give it more memory",
};

static void judge_counted(struct doctor_report *report, const struct oct_key_counters *keys)
{
    char why[512], owners[512] = "";
    unsigned most = 0;
    size_t at = 0;
    for (unsigned reason = 1; reason < OCT_KEYS_INSIDE_COUNT; reason++)
        most = keys->inside[reason] > keys->inside[most] ? reason : most;
    /* More than half of all: then there may be something to do. */
    const char *advice = 2 * keys->inside[most] > keys->begun ? advice_on[most] : NULL;
    if (advice == NULL && keys->timed_out != 0)
        advice = "look at the device, or allow it more time by timeout=MILLISECONDS in OCTUPLE_KEYS";
    keys_reasons(why, sizeof why, keys);
    for (unsigned i = 0; i < OCT_KEYS_OWNERS && keys->owner[i].operations != 0 && at < sizeof owners; i++) {
        const struct oct_key_owner_counters *owner = &keys->owner[i];
        at += (size_t)snprintf(
            owners + at, sizeof owners - at, "; %.*s: %s, %.2f ms each", (int)sizeof owner->name, owner->name,
            owner->way < sizeof ways / sizeof ways[0] ? ways[owner->way] : "in a way of another version",
            (double)owner->nanoseconds / (double)owner->operations / 1e6);
    }
    doctor_add(report, advice != NULL ? DOCTOR_NOTE : DOCTOR_OK, NAME, advice,
               "%" PRIu64 " operations with keys in devices: %" PRIu64 " in helper threads, %" PRIu64
               " paused by themselves, %" PRIu64 " inside the call%s%s%s; %" PRIu64 " failed, %" PRIu64
               " timed out, %" PRIu64 " called off%s",
               keys->begun, keys->by_threads, keys->by_pausing, keys_inside(keys), why[0] != '\0' ? " (" : "", why,
               why[0] != '\0' ? ")" : "", keys->failed, keys->timed_out, keys->called_off, owners);
}

void doctor_judge_keys(struct doctor_report *report, const struct doctor_target *target)
{
    static struct doctor_keys keys;
    const struct oct_key_counters *counted = &target->lanes.keys;
    const char *setting = facts_env(&target->facts, "OCTUPLE_KEYS");
    doctor_keys_find(&keys, target);
    const char *sight = keys.found[0] != '\0' ? keys.found : "none in its configuration";
    if (counted->state == OCT_KEYS_STATE_OFF) {
        /* Of a program that does not run, or that nobody may look into. */
        if (setting != NULL && strtoul(setting, NULL, 10) != 0) {
            doctor_add(report, DOCTOR_OK, NAME, NULL, "OCTUPLE_KEYS=%s is set; such keys: %s", setting, sight);
        } else if (keys.found[0] != '\0') {
            doctor_add(report, DOCTOR_NOTE, NAME, use_setting,
                       "its keys may be in devices (%s), and OCTUPLE_KEYS is not set: operations with such keys block "
                       "it",
                       keys.found);
        }
    } else if (counted->begun > 0) {
        judge_counted(report, counted);
    } else if (counted->state == OCT_KEYS_STATE_UNDECIDED) {
        doctor_add(report, DOCTOR_NOTE, NAME, "look again after a handshake",
                   "OCTUPLE_KEYS is set, and no TLS handshake has come yet; such keys: %s", sight);
    } else if (counted->state == OCT_KEYS_STATE_SERVED) {
        doctor_add(report, DOCTOR_NOTE, NAME, "look again after a handshake that is not resumed",
                   "OCTUPLE_KEYS is set, and no operation has come with a key that lives elsewhere; such keys: %s",
                   sight);
    } else {
        doctor_add(report, DOCTOR_NOTE, NAME, "solve what is said above",
                   "OCTUPLE_KEYS is set, but the shim cannot serve keys in this process: %s",
                   counted->state == OCT_KEYS_STATE_NO_SHIM ? "it is not at work there"
                                                            : "its OpenSSL lacks what is needed");
    }
}
