/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Whom to trace: a process and its descendants, or all of a name, and where their libraries are. A process in a
 * container has its own files, which are found below /proc/PID/root.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cli/core/process.h"
#include "trace.h"

void trace_target_path(const struct trace_target *target, char *to, size_t room, const char *path)
{
    snprintf(to, room, "%s%s", path[0] != '\0' && target->facts.apart ? target->facts.root : "", path);
}

static int find_processes(struct trace_target *target, const struct trace_options *options)
{
    static pid_t all[PROCESS_MAX];
    if (options->pid != 0) {
        target->count = process_tree(options->pid, target->pids, TRACE_MAX_PROCESSES);
        if (target->count == 0) /* looking at it will say why */
            target->pids[target->count++] = options->pid;
        return CLI_OK;
    }
    const unsigned count = process_all(all, PROCESS_MAX);
    for (unsigned i = 0; i < count && target->count < TRACE_MAX_PROCESSES; i++)
        if (process_has_name(all[i], options->command))
            target->pids[target->count++] = all[i];
    if (target->count == 0) {
        cli_say(options->who, "no process is called '%s'; see 'ps -eo pid,comm'", options->command);
        return CLI_FAILED;
    }
    return CLI_OK;
}

/* The first process of them that has OpenSSL; else `facts` are those of the first. */
static int look(struct trace_target *target, const char *who)
{
    int error = facts_look(&target->facts, target->pids[0]);
    for (unsigned i = 1; i < target->count && target->facts.libraries.ssl[0] == '\0'; i++) {
        struct facts other = {0};
        if (facts_look(&other, target->pids[i]) == 0 && other.libraries.ssl[0] != '\0') {
            target->facts = other;
            error = 0;
        }
    }
    target->seen = target->facts.pid;
    if (error == EACCES || error == EPERM) {
        cli_say(who, "looking into process %ld is not permitted: %s", (long)target->pids[0], cli_who_may_look());
    } else if (error != 0) {
        cli_say(who, "there is no process %ld with a program in it (%s); see 'ps %ld'", (long)target->pids[0],
                strerror(error), (long)target->pids[0]);
    }
    return error == 0 ? CLI_OK : CLI_FAILED;
}

/* OpenSSL's shared libraries are what can be traced. */
static int check_library(const struct trace_target *target, const char *who)
{
    const struct facts_libraries *libraries = &target->facts.libraries;
    const long pid = (long)target->seen;
    if (libraries->ssl[0] != '\0' && target->facts.openssl.major == 0) {
        cli_say(who, "process %ld uses %s, not OpenSSL: its functions are other ones, and are not traced", pid,
                target->facts.openssl.version[0] != '\0' ? target->facts.openssl.version : "an unknown TLS library");
    } else if (libraries->stale[0] != '\0') {
        cli_say(who, "process %ld runs %s, which was replaced on disk since: restart it, then trace it", pid,
                libraries->stale);
    } else if (libraries->ssl[0] != '\0') {
        return CLI_OK;
    } else if (libraries->other != NULL) {
        cli_say(who, "process %ld (%s) has %s%s, and no shared libssl: there is nothing that can be traced", pid,
                target->facts.program, libraries->other, libraries->other_inside ? " linked into it" : "");
    } else {
        cli_say(who, "process %ld (%s) has no libssl: it does no TLS (yet), or its TLS library is linked into it", pid,
                target->facts.program);
    }
    return CLI_NOT_TRACEABLE;
}

static bool has_probe(const char *file, const char *name)
{
    struct trace_elf *elf = trace_elf_open(file);
    int has = elf != NULL && trace_elf_has_probe(elf, name);
    trace_elf_close(elf);
    return has;
}

static int find_files(struct trace_target *target, const char *who)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._+-";
    const char *const paths[] = {target->ssl, target->crypto, target->shim, target->provider, target->octuple};
    const struct facts_libraries *libraries = &target->facts.libraries;
    trace_target_path(target, target->ssl, sizeof target->ssl, libraries->ssl);
    trace_target_path(target, target->crypto, sizeof target->crypto, libraries->crypto);
    trace_target_path(target, target->shim, sizeof target->shim, libraries->shim);
    trace_target_path(target, target->provider, sizeof target->provider, libraries->provider);
    trace_target_path(target, target->octuple, sizeof target->octuple, libraries->octuple);
    target->calls = has_probe(target->shim, "call");
    target->keys = has_probe(target->shim, "key");
    target->operations = has_probe(target->provider, "operation");
    target->batches = has_probe(target->octuple, "flush");
    /* Paths go into the program's text: one that a process chose itself must not be able to say anything else there. */
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        if (paths[i][strspn(paths[i], letters)] != '\0') {
            cli_say(who, "bpftrace cannot be given the path '%s'", paths[i]);
            return CLI_NOT_TRACEABLE;
        }
    }
    return CLI_OK;
}

int trace_target_find(struct trace_target *target, const struct trace_options *options)
{
    const char *who = options->who;
    int code = find_processes(target, options);
    code = code == CLI_OK ? look(target, who) : code;
    code = code == CLI_OK ? check_library(target, who) : code;
    code = code == CLI_OK ? find_files(target, who) : code;
    if (code != CLI_OK)
        return code;
    trace_fibres_judge(target);
    if ((target->shim[0] != '\0' && !target->calls) || (target->octuple[0] != '\0' && !target->batches)) {
        cli_say(who, "Octuple in this process lacks probe points (built without systemtap-sdt-dev, or older): not all "
                     "that it does is shown");
    }
    if (target->returns != TRACE_RETURNS_ALL && !target->calls) {
        cli_say(who, "%s, so that functions %s are traced at their begin only: their latency is not known", target->why,
                target->returns == TRACE_RETURNS_OUTER ? "inside of handshakes" : "of this library");
    }
    return CLI_OK;
}
