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

static const char *ways(uint64_t way)
{
    static const char *const text[] = {"not known yet", "in helper threads", "pauses by itself", "inside the call"};
    return way < sizeof text / sizeof text[0] ? text[way] : "in a way of another version";
}

static void owners(char *text, size_t room, const struct oct_key_counters *keys)
{
    size_t at = 0;
    text[0] = '\0';
    for (unsigned i = 0; i < OCT_KEYS_OWNERS && keys->owner[i].operations != 0 && at < room; i++) {
        const struct oct_key_owner_counters *owner = &keys->owner[i];
        at += (size_t)snprintf(text + at, room - at, "; %.*s: %s, %.2f ms each", (int)sizeof owner->name, owner->name,
                               ways(owner->way), (double)owner->nanoseconds / (double)owner->operations / 1e6);
    }
}

/* The reason why most of them ran inside the call, where more than half did. */
static const char *advice_on(const struct oct_key_counters *keys)
{
    static const char *const advice[OCT_KEYS_INSIDE_COUNT] = {
        [OCT_KEYS_INSIDE_NO_LOOP] = "its threads wait for the device: only event loops on epoll are served",
        [OCT_KEYS_INSIDE_NO_FIBRE] = "look again under load: a process's first handshake is not paused",
        [OCT_KEYS_INSIDE_NO_WAKING] = "its event loop is not one on epoll with a socket of its own for each connection",
        [OCT_KEYS_INSIDE_NO_THREAD] = "allow it more threads (ulimit -u, systemd: TasksMax=)",
        [OCT_KEYS_INSIDE_EXCEPTED] = "take except=NAME out of OCTUPLE_KEYS, if that was not meant",
        [OCT_KEYS_INSIDE_NO_MEMORY] = "give it more memory",
    };
    unsigned most = 0;
    for (unsigned why = 1; why < OCT_KEYS_INSIDE_COUNT; why++)
        most = keys->inside[why] > keys->inside[most] ? why : most;
    return 2 * keys->inside[most] > keys->begun ? advice[most] : NULL;
}

static void judge_counted(struct doctor_report *report, const struct oct_key_counters *keys)
{
    char why[512], who[512];
    const char *advice = advice_on(keys);
    keys_reasons(why, sizeof why, keys);
    owners(who, sizeof who, keys);
    doctor_add(report, advice != NULL || keys->timed_out != 0 ? DOCTOR_NOTE : DOCTOR_OK, NAME,
               advice != NULL ? advice
               : keys->timed_out != 0
                   ? "look at the device, or allow it more time by timeout=MILLISECONDS in OCTUPLE_KEYS"
                   : NULL,
               "%" PRIu64 " operations with keys in devices: %" PRIu64 " in helper threads, %" PRIu64
               " paused by themselves, %" PRIu64 " inside the call%s%s%s; %" PRIu64 " failed, %" PRIu64
               " timed out, %" PRIu64 " called off%s",
               keys->begun, keys->by_threads, keys->by_pausing, keys_inside(keys), why[0] != '\0' ? " (" : "", why,
               why[0] != '\0' ? ")" : "", keys->failed, keys->timed_out, keys->called_off, who);
}

static void judge_state(struct doctor_report *report, const struct oct_key_counters *keys,
                        const struct doctor_keys *found)
{
    const char *sight = found->found[0] != '\0' ? found->found : "none in its configuration";
    switch (keys->state) {
    case OCT_KEYS_STATE_UNDECIDED:
        doctor_add(report, DOCTOR_NOTE, NAME, "look again after a handshake",
                   "OCTUPLE_KEYS is set, and no TLS handshake has come yet; such keys: %s", sight);
        break;
    case OCT_KEYS_STATE_SERVED:
        doctor_add(report, DOCTOR_NOTE, NAME, "look again after a handshake that is not resumed",
                   "OCTUPLE_KEYS is set, and no operation has come with a key that lives elsewhere; such keys: %s",
                   sight);
        break;
    default:
        doctor_add(report, DOCTOR_NOTE, NAME, "solve what is said above",
                   "OCTUPLE_KEYS is set, but the shim cannot serve keys in this process: %s",
                   keys->state == OCT_KEYS_STATE_NO_SHIM ? "it is not at work there"
                                                         : "its OpenSSL lacks what is needed");
    }
}

/* Of a program that does not run, or that nobody may look into. */
static void judge_setting(struct doctor_report *report, const char *setting, const struct doctor_keys *found)
{
    if (setting != NULL && strtoul(setting, NULL, 10) != 0) {
        doctor_add(report, DOCTOR_OK, NAME, NULL, "OCTUPLE_KEYS=%s is set; such keys: %s", setting,
                   found->found[0] != '\0' ? found->found : "none in its configuration");
    } else if (found->found[0] != '\0') {
        doctor_add(report, DOCTOR_NOTE, NAME, use_setting,
                   "its keys may be in devices (%s), and OCTUPLE_KEYS is not set: operations with such keys block it",
                   found->found);
    }
}

void doctor_judge_keys(struct doctor_report *report, const struct doctor_target *target)
{
    static struct doctor_keys found;
    const struct oct_key_counters *keys = &target->lanes.keys;
    doctor_keys_find(&found, target);
    if (keys->state == OCT_KEYS_STATE_OFF)
        judge_setting(report, facts_env(&target->facts, "OCTUPLE_KEYS"), &found);
    else if (keys->begun > 0)
        judge_counted(report, keys);
    else
        judge_state(report, keys, &found);
}
