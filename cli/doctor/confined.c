/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * What confines a process, and why its dynamic linker has dropped the preload: the kernel sets AT_SECURE where a
 * program starts with more rights than who started it, or in another domain of SELinux or profile of AppArmor.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include "doctor.h"

#define DOMAIN_MAX 128

/* "system_u:system_r:httpd_t:s0" of SELinux, or "nginx (enforce)" of AppArmor. */
static bool is_selinux(const char *label)
{
    const char *colon = strchr(label, ':');
    return colon != NULL && strchr(colon + 1, ':') != NULL && strchr(label, '(') == NULL;
}

/* The third part of a context. */
static void domain_of(char domain[DOMAIN_MAX], const char *label)
{
    const char *at = strchr(label, ':');
    at = at != NULL ? strchr(at + 1, ':') : NULL;
    snprintf(domain, DOMAIN_MAX, "%.*s", at != NULL ? (int)strcspn(at + 1, ":") : 0, at != NULL ? at + 1 : "");
}

static bool is_confined_by_apparmor(const char *label)
{
    return label[0] != '\0' && !is_selinux(label) && strncmp(label, "unconfined", strlen("unconfined")) != 0;
}

static void judge_secure(struct doctor_report *report, const struct facts *facts)
{
    char path[sizeof facts->root + sizeof facts->program], before[DOMAIN_MAX], now[DOMAIN_MAX];
    struct stat st;
    snprintf(path, sizeof path, "%s%s", facts->root, facts->program);
    const bool is_there = stat(path, &st) == 0;
    domain_of(before, facts->label_before);
    domain_of(now, facts->label);
    if (is_there && (st.st_mode & (S_ISUID | S_ISGID)))
        doctor_say(report, SAY(SECURE_SETUID), st.st_mode & S_ISUID ? "set-user-ID" : "set-group-ID");
    else if (is_there && getxattr(path, "security.capability", NULL, 0) > 0)
        doctor_say(report, SAY(SECURE_CAPABILITIES));
    else if (is_selinux(facts->label) && before[0] != '\0' && strcmp(before, now) != 0)
        doctor_say(report, SAY(SECURE_SELINUX), before, now);
    else if (is_confined_by_apparmor(facts->label))
        doctor_say(report, SAY(SECURE_APPARMOR), facts->label);
    else
        doctor_say(report, SAY(SECURE_RAISED));
}

void doctor_judge_confined(struct doctor_report *report, const struct doctor_target *target)
{
    const struct facts *facts = &target->facts;
    if (facts->secure)
        judge_secure(report, facts);
    if (is_selinux(facts->label)) {
        char domain[DOMAIN_MAX];
        domain_of(domain, facts->label);
        doctor_add(report, DOCTOR_OK, "confinement", NULL, "SELinux: its domain is %s", domain);
    } else if (is_confined_by_apparmor(facts->label)) {
        const bool there = facts->libraries.shim[0] != '\0' && facts->libraries.provider[0] != '\0';
        if (there)
            doctor_add(report, DOCTOR_OK, "confinement", NULL, "AppArmor: its profile is %s", facts->label);
        else
            doctor_say(report, SAY(CONFINED_APPARMOR), facts->label);
    }
}
