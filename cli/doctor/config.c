/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The OpenSSL configuration of a target: which file it reads, and whether that keeps the provider out, which the shim
 * loads by itself. One that brings the provider in its own way has it as it says.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <openssl/err.h>
#include "conf.h"
#include "doctor.h"

#define NAME "configuration"

/* As the target itself names it. Set-user-id programs are not led by their environment. */
static void find_file(char file[PATH_MAX], const struct doctor_target *target)
{
    const char *named = target->facts.secure ? NULL : facts_env(&target->facts, "OPENSSL_CONF");
    if (target->facts.noted && target->facts.noted_config[0] != '\0')
        named = target->facts.noted_config;
    if (named != NULL)
        snprintf(file, PATH_MAX, "%s", named);
    else if (snprintf(file, PATH_MAX, "%s/openssl.cnf", target->facts.openssl.folder) >= PATH_MAX)
        file[0] = '\0';
}

/* As we reach it: what is not absolute begins at the folder in which the process is now. */
static int reach(char *path, size_t room, const struct doctor_target *target, const char *file)
{
    int len = file[0] == '/' || target->facts.root[0] == '\0'
                  ? snprintf(path, room, "%s%s", file[0] == '/' ? target->facts.root : "", file)
                  : snprintf(path, room, "/proc/%ld/cwd/%s", (long)target->facts.pid, file);
    return len > 0 && (size_t)len < room;
}

/* Its environment is gone, OpenSSL keeps no name of the file, and our library is not there or cannot be read. */
static bool is_unknown(const struct doctor_target *target)
{
    return target->facts.overwritten && !target->facts.noted && facts_env(&target->facts, "OPENSSL_CONF") == NULL;
}

bool doctor_load_config(CONF *conf, char file[PATH_MAX], const struct doctor_target *target)
{
    char path[PATH_MAX + 64];
    if (is_unknown(target))
        return false;
    find_file(file, target);
    bool loaded = file[0] != '\0' && reach(path, sizeof path, target, file) && NCONF_load(conf, path, NULL) > 0;
    ERR_clear_error();
    return loaded;
}

static void judge_preference(struct doctor_report *report, const char *file, const struct config_root *root)
{
    const char *properties = root->properties != NULL ? root->properties : "";
    if (root->fips_mode || config_asks_fips(properties)) {
        doctor_say(report, SAY(CONFIG_FIPS), file);
    } else if (strstr(properties, CONFIG_PREFERENCE) != NULL) {
        doctor_add(report, DOCTOR_OK, NAME, NULL,
                   "%s activates the providers octuple and default, and prefers octuple by default_properties = %s "
                   "(so their order does not matter)",
                   file, properties);
    } else if (strstr(properties, CONFIG_OLD_PREFERENCE) != NULL) {
        doctor_say(report, SAY(CONFIG_OLD), file, properties);
    } else if (strstr(properties, "provider=octuple") != NULL || strstr(properties, "octuple.serves=yes") != NULL) {
        doctor_say(report, SAY(CONFIG_DEMANDED), file, properties);
    } else {
        doctor_say(report, SAY(CONFIG_UNPREFERRED), file, *properties ? properties : "none");
    }
}

/* The configuration activates the provider. */
static void judge_own(struct doctor_report *report, const struct doctor_target *target, const char *file,
                      const struct config_root *root)
{
    const char *module = root->octuple_module;
    char path[PATH_MAX];
    /* OpenSSL looks for other names in a folder of its own. A name with $LIB is the dynamic linker's to complete. */
    const bool module_is_missing = module != NULL && module[0] == '/' && strchr(module, '$') == NULL &&
                                   (!reach(path, sizeof path, target, module) || access(path, R_OK) != 0);
    if (module_is_missing)
        doctor_say(report, SAY(CONFIG_MODULE), file, module);
    else if (!root->default_active)
        doctor_say(report, SAY(CONFIG_NO_DEFAULT), file);
    else
        judge_preference(report, file, root);
}

/* The first of our switches that has another name now. */
static void judge_switches(struct doctor_report *report, const CONF *conf, const char *file, const char *section)
{
    const STACK_OF(CONF_VALUE) *settings = section != NULL ? NCONF_get_section(conf, section) : NULL;
    for (int i = 0; i < sk_CONF_VALUE_num(settings); i++) {
        const char *name = sk_CONF_VALUE_value(settings, i)->name, *now = cli_settings_switch(name);
        if (now != NULL) {
            doctor_say(report, SAY(CONFIG_SWITCH), file, name, now);
            return;
        }
    }
}

static void judge_root(struct doctor_report *report, const struct doctor_target *target, const char *file,
                       const struct config_root *root)
{
    if (root->octuple_active)
        judge_own(report, target, file, root);
    else if (root->others_active && !root->default_active)
        doctor_say(report, SAY(CONFIG_OTHERS), file);
    else if (root->fips_mode || config_asks_fips(root->properties))
        judge_preference(report, file, root);
    else
        doctor_add(report, DOCTOR_OK, NAME, NULL, "%s keeps nothing out, and need not name the provider", file);
}

void doctor_judge_config(struct doctor_report *report, const struct doctor_target *target)
{
    char file[PATH_MAX], path[PATH_MAX + 64];
    if (is_unknown(target)) {
        doctor_add(report, DOCTOR_OK, NAME, NULL,
                   "which one was read is not known: the program has overwritten its environment");
        return;
    }
    find_file(file, target);
    if (file[0] == '\0') {
        doctor_add(report, DOCTOR_OK, NAME, NULL, "OPENSSL_CONF is empty: OpenSSL reads no configuration");
        return;
    }
    if (!reach(path, sizeof path, target, file) || access(path, R_OK) != 0) {
        doctor_say(report, SAY(CONFIG_ABSENT), file, strerror(errno));
        return;
    }
    struct config_roots roots;
    long line = -1;
    CONF *conf = NCONF_new(NULL);
    if (conf != NULL && NCONF_load(conf, path, &line) > 0) {
        config_read(&roots, conf);
        judge_root(report, target, file, &roots.root[0]);
        judge_switches(report, conf, file, roots.root[0].octuple_section);
    } else {
        const char *reason = ERR_reason_error_string(ERR_peek_last_error());
        doctor_say(report, SAY(CONFIG_WRONG), file, reason != NULL ? reason : "unknown error", line);
    }
    ERR_clear_error();
    NCONF_free(conf);
}
