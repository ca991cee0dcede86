/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Findings on the copies of libssl in a process: which one is served, and why the others are not.
 */
#include <string.h>
#include "doctor.h"

#define NAME "libssl"

void doctor_judge_copies(struct doctor_report *report, const struct doctor_target *target)
{
    static const char fate[] = "not served; what uses it runs as without Octuple";
    const struct facts *facts = &target->facts;
    bool here = facts->libraries.provider[0] != '\0' || facts->libraries.shim[0] != '\0';
    for (unsigned i = 0; i < facts->copies; i++) {
        const struct facts_copy *copy = &facts->copy[i];
        if (copy->served == COPY_SERVED) {
            doctor_add(report, DOCTOR_OK, NAME, NULL, "%s is the copy that Octuple %s", copy->path,
                       here ? "serves" : "would serve");
        } else if (copy->served == COPY_ONE_OF) {
            doctor_say(report, SAY(COPY_ONE_OF), copy->path, FACTS_LIBSSL);
        } else if (copy->inside) {
            doctor_add(report, DOCTOR_NOTE, NAME, NULL, "%s has %s linked into it: %s", copy->path,
                       copy->other != NULL ? copy->other : "OpenSSL", fate);
        } else if (copy->other != NULL) {
            doctor_add(report, DOCTOR_NOTE, NAME, NULL, "%s is %s: %s", copy->path, copy->other, fate);
        } else if (strcmp(copy->soname, FACTS_LIBSSL) != 0) {
            doctor_add(report, DOCTOR_NOTE, NAME, NULL,
                       "%s is a copy that the program brings along, named %s instead of %s: %s", copy->path,
                       copy->soname[0] != '\0' ? copy->soname : "nothing", FACTS_LIBSSL, fate);
        } else {
            doctor_add(report, DOCTOR_NOTE, NAME, NULL,
                       "%s is a copy with a libcrypto of its own, %s instead of %s: %s", copy->path,
                       copy->crypto[0] != '\0' ? copy->crypto : "linked into it", FACTS_LIBCRYPTO, fate);
        }
    }
    if (facts->copies_missed > 0)
        doctor_add(report, DOCTOR_NOTE, NAME, NULL, "%u copies more", facts->copies_missed);
}
