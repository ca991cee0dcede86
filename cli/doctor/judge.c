/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Findings, from facts. One for each thing that has to be so for operations to go through lanes, in the order in which
 * they build on each other: the first problem is the one to solve first.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <openssl/opensslv.h>
#include "cli/core/launch/launch.h"
#include "cli/core/places.h"
#include "doctor.h"

struct row {
    enum doctor_level level;
    const char *name, *advice;
};

static const struct row rows[] = {
#define DOCTOR_FINDING(id, level, name, format, advice) [DOCTOR_##id] = {DOCTOR_##level, name, advice},
#define DOCTOR_ADVICE(id, name, when, advice)
#include "findings.def"
#undef DOCTOR_FINDING
#undef DOCTOR_ADVICE
};

/* One that finds no place is counted, and not told: what came first is to be solved first. */
static void __attribute__((format(printf, 3, 0)))
put(struct doctor_report *report, struct row row, const char *format, va_list args)
{
    report->problems += row.level == DOCTOR_PROBLEM;
    if (report->count == sizeof report->finding / sizeof report->finding[0])
        return;
    struct doctor_finding *finding = &report->finding[report->count++];
    *finding = (struct doctor_finding){.name = row.name, .level = row.level, .advice = row.advice};
    vsnprintf(finding->text, sizeof finding->text, format, args);
    cli_clean(finding->text);
}

void doctor_add(struct doctor_report *report, enum doctor_level level, const char *name, const char *advice,
                const char *format, ...)
{
    va_list args;
    va_start(args, format);
    put(report, (struct row){level, name, advice}, format, args);
    va_end(args);
}

void doctor_say(struct doctor_report *report, enum doctor_row row, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    put(report, rows[row], format, args);
    va_end(args);
}

static bool is_off(const struct doctor_target *target, const char *variable)
{
    const char *value = facts_env(&target->facts, variable);
    return value != NULL && !strcmp(value, "off");
}

static void judge_cpu(struct doctor_report *report, const struct doctor_target *target)
{
    static struct oct_cpu_info cpu;
    const char *why;
    oct_cpu_info_get(&cpu);
    const char *table = oct_setting_row(OCT_SETTING_TABLE)->variable, *value = oct_setting(OCT_SETTING_TABLE);
    if (is_off(target, table)) {
        doctor_say(report, SAY(CPU_OFF), table);
    } else if (cli_operations_on() == 0 && value != NULL && strcmp(value, "auto") != 0) {
        doctor_say(report, SAY(CPU_SETTING), cpu.brand, cli_nothing_on_reason());
    } else if (cli_operations_on() == 0) {
        doctor_say(report, SAY(CPU_NOTHING), cpu.brand, cli_nothing_on_reason());
    } else {
        doctor_add(report, DOCTOR_OK, "cpu", NULL, "%s: table %s (%s), %u of %d operations on, ciphers on %d bits",
                   cpu.brand, cpu.table, cpu.table_reason, cli_operations_on(), OCT_OP_COUNT, oct_cipher_width(&why));
    }
}

void doctor_take_settings(const struct doctor_target *target)
{
    static const enum oct_setting read_by_library[] = {OCT_SETTING_TABLE, OCT_SETTING_WIDTH};
    for (size_t i = 0; i < sizeof read_by_library / sizeof read_by_library[0]; i++) {
        const char *variable = oct_setting_row(read_by_library[i])->variable;
        const char *value = target->facts.secure ? NULL : facts_env(&target->facts, variable);
        if (target->facts.environment == NULL)
            continue; /* it is ours */
        if (value != NULL)
            setenv(variable, value, 1);
        else
            unsetenv(variable);
    }
}

/* What the process has not heeded. A wrong table is the reason why nothing is served, and was said. */
static void judge_settings(struct doctor_report *report, const struct doctor_target *target)
{
    const char *table = oct_setting_row(OCT_SETTING_TABLE)->variable;
    const bool said = cli_operations_on() == 0;
    unsigned count = 0;
    char text[512];
    for (const char *at = NULL; (at = facts_env_next(&target->facts, at)) != NULL && count < OCT_SETTING_COUNT;) {
        if ((said && !strncmp(at, table, strlen(table))) ||
            !cli_settings_wrong(text, sizeof text, at, target->facts.root))
            continue;
        count++;
        doctor_add(report, DOCTOR_NOTE, "settings", doctor_advice_SETTING_WRONG, "%s", text);
    }
}

/* One that runs: for a command, `octuple run` has said so. True if Octuple leaves it as it is. */
static bool judge_program(struct doctor_report *report, const struct doctor_target *target)
{
    char path[sizeof target->facts.root + sizeof target->facts.program];
    snprintf(path, sizeof path, "%s%s", target->facts.root, target->facts.program);
    const char *why = target->facts.pid != 0 ? launch_look(path).plainly : NULL;
    if (why != NULL)
        doctor_say(report, SAY(PROGRAM_LEFT), target->facts.program, why);
    return why != NULL;
}

/* A program that calls liboctuple by itself, as those with the bindings for Go, Java and Rust do. */
static bool is_bound(const struct doctor_target *target)
{
    const struct facts_libraries *libraries = &target->facts.libraries;
    return libraries->octuple[0] != '\0' && libraries->shim[0] == '\0' && libraries->provider[0] == '\0';
}

static void judge_library(struct doctor_report *report, const struct doctor_target *target)
{
    const struct facts_libraries *libraries = &target->facts.libraries;
    const bool has_openssl = libraries->crypto[0] != '\0' && !is_bound(target);
    const char *fork = target->facts.copies > 0 ? target->facts.copy[0].other : NULL;
    if (facts_is_awslc(&target->facts)) {
        doctor_add(report, DOCTOR_OK, "tls-library", NULL,
                   "AWS-LC, dynamically linked: %s; RSA runs in lanes, and needs no provider there", libraries->ssl);
    } else if (has_openssl && target->facts.openssl.other != NULL) {
        doctor_say(report, SAY(LIBRARY_FOREIGN), target->facts.openssl.other);
    } else if (has_openssl && libraries->stale[0] != '\0') {
        doctor_say(report, SAY(LIBRARY_STALE), libraries->stale);
    } else if (has_openssl && libraries->ssl[0] == '\0') {
        doctor_add(report, DOCTOR_NOTE, "tls-library", NULL,
                   "%s without libssl: the provider serves its operations one by one, and there are no handshakes to "
                   "gather",
                   libraries->crypto);
    } else if (has_openssl) {
        doctor_add(report, DOCTOR_OK, "tls-library", NULL, "OpenSSL, dynamically linked: %s%s%s", libraries->ssl,
                   libraries->other != NULL ? "; besides, and not served: " : "",
                   libraries->other != NULL ? libraries->other : "");
    } else if (is_bound(target)) {
        doctor_add(report, DOCTOR_OK, "tls-library", NULL,
                   "%s, and %s is in the process: a binding of Octuple serves it, without the shim",
                   libraries->other != NULL ? libraries->other : "not OpenSSL", libraries->octuple);
    } else if (libraries->other != NULL && libraries->other_inside) {
        doctor_say(report, SAY(LIBRARY_INSIDE), libraries->other);
    } else if (libraries->other != NULL) {
        doctor_say(report, SAY(LIBRARY_FOREIGN), libraries->other);
    } else if (fork != NULL) {
        doctor_say(report, SAY(LIBRARY_FOREIGN), fork);
    } else if (target->facts.copies > 0) {
        doctor_say(report, SAY(LIBRARY_BROUGHT));
    } else if (target->facts.is_static) {
        doctor_say(report, SAY(LIBRARY_STATIC));
    } else if (target->facts.pid != 0) {
        doctor_say(report, SAY(LIBRARY_NONE));
    } else {
        doctor_say(report, SAY(LIBRARY_NOT_NEEDED));
    }
}

/* Is the file there for the target, which may live in another root? */
static int sees(const struct doctor_target *target, enum place what)
{
    char path[PATH_MAX], theirs[PATH_MAX + sizeof target->facts.root];
    if (!place_find(what, path))
        return 0;
    snprintf(theirs, sizeof theirs, "%s%s", target->facts.root, path);
    return access(theirs, R_OK) == 0;
}

/* What may keep Octuple out: the version of its OpenSSL, its privileges, and what it is locked into. */
static void judge_limits(struct doctor_report *report, const struct doctor_target *target)
{
    const struct facts *facts = &target->facts;
    const struct facts_openssl *openssl = &facts->openssl;
    const bool loaded = facts->libraries.shim[0] != '\0' || facts->libraries.provider[0] != '\0';
    if (openssl->major == OPENSSL_VERSION_MAJOR)
        doctor_add(report, DOCTOR_OK, "openssl-version", NULL, "%s", openssl->version);
    else if (openssl->version[0] == '\0' && facts->libraries.crypto[0] != '\0')
        doctor_say(report, SAY(VERSION_UNKNOWN), facts->libraries.crypto);
    else if (openssl->major >= 3)
        doctor_say(report, SAY(VERSION_OTHER), openssl->version, OPENSSL_VERSION_MAJOR);
    else if (openssl->version[0] != '\0' && openssl->other == NULL)
        doctor_say(report, SAY(VERSION_OLD), openssl->version);
    doctor_judge_confined(report, target);
    if (facts->apart && !loaded && !(sees(target, PLACE_SHIM) && sees(target, PLACE_PROVIDER))) {
        doctor_say(report, SAY(SANDBOX_EMPTY));
    } else if (facts->apart || facts->seccomp) {
        doctor_add(report, DOCTOR_NOTE, "sandbox", NULL,
                   "%s%s%s: a filter has to allow futex and sched_yield, and Octuple's files have to be visible",
                   facts->apart ? "a root or mounts of its own" : "", facts->apart && facts->seccomp ? ", " : "",
                   facts->seccomp ? "a seccomp filter" : "");
    }
}

static void judge_preload(struct doctor_report *report, const struct doctor_target *target)
{
    const char *preload = facts_env(&target->facts, "LD_PRELOAD");
    char path[64 + sizeof target->facts.root], *line = NULL;
    size_t room = 0;
    bool wanted = preload != NULL && strstr(preload, place_file(PLACE_SHIM)) != NULL;
    snprintf(path, sizeof path, "%s/etc/ld.so.preload", target->facts.root);
    FILE *in = wanted ? NULL : fopen(path, "re");
    while (in != NULL && !wanted && getline(&line, &room, in) > 0)
        wanted = strstr(line, place_file(PLACE_SHIM)) != NULL;
    free(line);
    if (in != NULL)
        fclose(in);
    const char *obstacle = target->facts.is_foreign ? launch_foreign : target->obstacle;
    if (obstacle != NULL) {
        doctor_add(report, DOCTOR_PROBLEM, "preload", launch_advice(obstacle), "%s %s", target->facts.program,
                   obstacle);
    } else if (target->facts.pid == 0 && wanted) {
        doctor_add(report, DOCTOR_OK, "preload", NULL, "the shim is named for preload");
    } else if (target->facts.libraries.shim[0] != '\0') {
        doctor_add(report, DOCTOR_OK, "preload", NULL, "%s is in the process", target->facts.libraries.shim);
    } else if (target->facts.libraries.provider[0] != '\0' && doctor_runs_together(&target->lanes)) {
        doctor_add(report, DOCTOR_OK, "preload", NULL,
                   "the shim is not in the process, and need not be: the program is asynchronous itself, or its "
                   "threads meet");
    } else if (target->facts.libraries.provider[0] != '\0') {
        doctor_say(report, SAY(PRELOAD_ABSENT));
    } else if (target->facts.overwritten && !wanted) {
        doctor_say(report, SAY(PRELOAD_OVERWRITTEN));
    } else if (!wanted) {
        doctor_say(report, SAY(PRELOAD_UNNAMED));
    } else {
        doctor_say(report, SAY(PRELOAD_LOST));
    }
}

/* The provider, without which nothing works, and then what its lanes did. */
static void judge_work(struct doctor_report *report, const struct doctor_target *target)
{
    const struct doctor_lanes *lanes = &target->lanes;
    const char *provider = target->facts.libraries.provider;
    if (is_bound(target) || facts_is_awslc(&target->facts)) {
        /* It was said what serves it. */
    } else if (target->facts.pid != 0 && provider[0] != '\0') {
        doctor_add(report, DOCTOR_OK, "provider", NULL, "%s is in the process", provider);
    } else if (target->facts.pid != 0 && target->waited >= 0 && lanes->read > 0) {
        doctor_add(report, DOCTOR_OK, "provider", NULL,
                   "the command used Octuple, and ended before the provider was seen in it");
    } else if (target->facts.pid != 0) {
        doctor_say(report, SAY(PROVIDER_ABSENT));
    }
    if (lanes->lanes > 0) {
        double fill = lanes->batches > 0 ? (double)lanes->lanes / (double)lanes->batches : 0;
        doctor_add(report, DOCTOR_OK, "lanes", NULL,
                   "%" PRIu64 " operations went through lanes, %.1f in a batch on average; %" PRIu64
                   " fell back, %" PRIu64 " failed (%u processes)",
                   lanes->lanes, fill, lanes->fallback, lanes->failed, lanes->read);
    } else if (lanes->fallback > 0) {
        doctor_say(report, SAY(LANES_ALONE), lanes->fallback);
    } else if (lanes->read > 0) {
        doctor_say(report, SAY(LANES_NOT_YET), lanes->read);
    } else if (lanes->other_versions > 0) {
        doctor_say(report, SAY(LANES_OTHER_VERSION));
    } else if (lanes->unreadable > 0) {
        doctor_say(report, SAY(LANES_UNREADABLE));
    } else {
        doctor_say(report, SAY(LANES_ABSENT));
    }
}

void doctor_judge(struct doctor_report *report, const struct doctor_target *target)
{
    const bool has_openssl = target->facts.libraries.crypto[0] != '\0' && target->facts.openssl.other == NULL;
    judge_cpu(report, target);
    judge_settings(report, target);
    const bool left = judge_program(report, target);
    judge_library(report, target);
    doctor_judge_copies(report, target);
    judge_limits(report, target);
    if (!left && !is_bound(target))
        judge_preload(report, target);
    if (!left && has_openssl && !is_bound(target))
        doctor_judge_config(report, target);
    const bool awslc = facts_is_awslc(&target->facts);
    if (!left && (has_openssl || awslc || is_bound(target)) && (target->facts.pid != 0 || target->waited >= 0))
        judge_work(report, target);
    if (!left && (has_openssl || awslc))
        doctor_judge_handshakes(report, target);
    if (!left && has_openssl) {
        doctor_judge_storm(report, target);
        doctor_judge_keys(report, target);
        doctor_judge_quic(report, target);
        doctor_judge_memory(report, target);
    }
    doctor_judge_ports(report, target);
    if (target->waited > 0 && WIFSIGNALED(target->waited))
        doctor_add(report, DOCTOR_NOTE, "command", NULL, "it was ended by signal %d", WTERMSIG(target->waited));
    else if (target->waited > 0 && WEXITSTATUS(target->waited) != 0)
        doctor_say(report, SAY(COMMAND_STATUS), WEXITSTATUS(target->waited));
}
