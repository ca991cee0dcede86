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

static const char *const ways[] = {"not known yet", "in helper threads", "pauses by itself", "inside the call"};

/* What to do where most of them ran inside the call for this reason. */
static const char *const advice_on[OCT_KEYS_INSIDE_COUNT] = {
#define ON(reason) [OCT_KEYS_INSIDE_##reason] = doctor_advice_KEYS_##reason
    ON(NO_LOOP), ON(NO_FIBRE), ON(NO_WAKING), ON(NO_THREAD), ON(EXCEPTED), ON(NO_MEMORY),
#undef ON
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
        advice = doctor_advice_KEYS_TIMED_OUT;
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
        if (setting != NULL && strtoul(setting, NULL, 10) != 0)
            doctor_add(report, DOCTOR_OK, NAME, NULL, "OCTUPLE_KEYS=%s is set; such keys: %s", setting, sight);
        else if (keys.found[0] != '\0')
            doctor_say(report, SAY(KEYS_UNSET), keys.found);
    } else if (counted->begun > 0) {
        judge_counted(report, counted);
    } else if (counted->state == OCT_KEYS_STATE_UNDECIDED) {
        doctor_say(report, SAY(KEYS_UNDECIDED), sight);
    } else if (counted->state == OCT_KEYS_STATE_SERVED) {
        doctor_say(report, SAY(KEYS_NOT_YET), sight);
    } else {
        doctor_say(report, SAY(KEYS_UNABLE),
                   counted->state == OCT_KEYS_STATE_NO_SHIM ? "it is not at work there"
                                                            : "its OpenSSL lacks what is needed");
    }
}
