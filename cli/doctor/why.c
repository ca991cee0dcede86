/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Why a server takes no post-quantum group. Its OpenSSL must have one, or the provider must bring one; and where
 * OpenSSL does not offer it by itself, somebody has to name it: the configuration of OpenSSL, or that of the server,
 * which is not read here.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "conf.h"
#include "doctor.h"

#define NAME "post-quantum"

/* 3.0.10 as 0x03000a; 0 if it is not known. */
#define VERSION(major, minor, patch) ((major) << 16 | (minor) << 8 | (patch))
#define FIRST_WITH_PROVIDER          VERSION(3, 0, 10)
#define FIRST_WITH_GROUPS            VERSION(3, 5, 0)

static unsigned long version_of(const struct doctor_target *target)
{
    const char *at = strchr(target->facts.openssl.version, ' ');
    unsigned long part[3] = {0};
    for (size_t i = 0; i < 3 && at != NULL && target->facts.openssl.major != 0; i++) {
        char *end;
        part[i] = strtoul(at + 1, &end, 10);
        at = *end == '.' ? end : NULL;
    }
    return VERSION(part[0], part[1], part[2]);
}

/* What to write, for the servers that we know. */
static const char *advice_for(const struct doctor_target *target)
{
    static const char *const known[][2] = {
        {"nginx", doctor_advice_GROUPS_NGINX},       {"haproxy", doctor_advice_GROUPS_HAPROXY},
        {"apache2", doctor_advice_GROUPS_APACHE},    {"httpd", doctor_advice_GROUPS_APACHE},
        {"lighttpd", doctor_advice_GROUPS_LIGHTTPD},
    };
    const char *slash = strrchr(target->facts.program, '/');
    const char *name = slash != NULL ? slash + 1 : target->facts.program;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (!strcmp(name, known[i][0]))
            return known[i][1];
    return doctor_advice_GROUPS_ELSEWHERE;
}

/* As the provider reads its settings (provider/core/settings.c). */
static bool is_switched_off(const CONF *conf, const char *section)
{
    static const char *const off[] = {"off", "no", "false", "0"};
    const STACK_OF(CONF_VALUE) *settings = section != NULL ? NCONF_get_section(conf, section) : NULL;
    bool found = false;
    for (int i = 0; i < sk_CONF_VALUE_num(settings); i++) {
        const CONF_VALUE *setting = sk_CONF_VALUE_value(settings, i);
        for (size_t k = 0; k < sizeof off / sizeof off[0] && !strcmp(setting->name, "hybrid-groups"); k++)
            found |= !strcasecmp(setting->value, off[k]);
    }
    return found;
}

/* Does the configuration keep such groups out, if it is known? */
static void judge_config(struct doctor_report *report, const struct doctor_target *target, const char *where)
{
    const bool needs_us = version_of(target) < FIRST_WITH_GROUPS;
    struct config_roots roots = {0};
    const struct config_root *root = &roots.root[0];
    char file[PATH_MAX] = "";
    CONF *conf = NCONF_new(NULL);
    const bool known = conf != NULL && doctor_load_config(conf, file, target);
    if (known)
        config_read(&roots, conf);
    /* Lists of OpenSSL 3.5 may also name what it has by itself. */
    const char *groups = root->groups;
    const bool named = groups != NULL && (strcasestr(groups, "MLKEM") != NULL || strcasestr(groups, "DEFAULT") != NULL);
    const char *keep = facts_env(&target->facts, oct_setting_row(OCT_SETTING_GROUPS)->variable);
    if (needs_us && keep != NULL && !strcmp(keep, "keep")) {
        doctor_add(
            report, DOCTOR_NOTE, NAME, advice_for(target),
            "none at %s: %s=keep in its environment, and OpenSSL before 3.5 takes a provider's groups only where "
            "they are named",
            where, oct_setting_row(OCT_SETTING_GROUPS)->variable);
    } else if (known && needs_us && is_switched_off(conf, root->octuple_section)) {
        doctor_say(report, SAY(GROUPS_SWITCHED_OFF), where, file);
    } else if (groups != NULL && !named) {
        doctor_say(report, SAY(GROUPS_LISTED), where, file, groups);
    } else {
        doctor_add(report, DOCTOR_NOTE, NAME, advice_for(target),
                   "none at %s, though nothing in the configuration of OpenSSL keeps it out: the server names its own "
                   "groups or curves, or it started before the configuration said so",
                   where);
    }
    NCONF_free(conf);
}

void doctor_judge_why(struct doctor_report *report, const struct doctor_target *target, const char *where,
                      bool elsewhere)
{
    const unsigned long version = version_of(target);
    if (target->facts.pid == 0) {
        doctor_say(report, SAY(GROUPS_NO_PROCESS), where);
    } else if (elsewhere) {
        doctor_add(report, DOCTOR_NOTE, NAME, advice_for(target),
                   "none at %s, but at another port of this server: its own settings for this one decide", where);
    } else if (version == 0) {
        doctor_add(report, DOCTOR_NOTE, NAME, NULL, "none at %s: that is for the server's TLS library to decide, %s",
                   where, target->facts.libraries.other != NULL ? target->facts.libraries.other : "which is not known");
    } else if (version < FIRST_WITH_PROVIDER) {
        doctor_say(report, SAY(GROUPS_OLD_OPENSSL), where, target->facts.openssl.version);
    } else if (version < FIRST_WITH_GROUPS && target->facts.libraries.provider[0] == '\0') {
        doctor_say(report, SAY(GROUPS_NO_PROVIDER), where, target->facts.openssl.version);
    } else {
        judge_config(report, target, where);
    }
}
