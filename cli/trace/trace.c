/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * `octuple trace`: watches the TLS calls and operations of a running process from outside, by bpftrace. Nothing in the
 * process is changed, stopped or restarted.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "trace.h"

static int exists(const char *path)
{
    return access(path, F_OK) == 0;
}

/* CLI_OK, or CLI_CANNOT_TRACE after saying what the machine lacks for bpftrace, and how to mend it. */
static int check_machine(const char *who)
{
    const char *path = getenv("PATH"), *end;
    char file[PATH_MAX];
    struct stat st;
    bool found = false;
    /* As the shell would find it. */
    for (; !found && path != NULL && *path != '\0'; path = *end != '\0' ? end + 1 : end) {
        end = path + strcspn(path, ":");
        snprintf(file, sizeof file, "%.*s/bpftrace", (int)(end - path), path);
        found = stat(file, &st) == 0 && S_ISREG(st.st_mode) && access(file, X_OK) == 0;
    }
    if (!found) {
        cli_say(who, "bpftrace is not installed: 'apt-get install bpftrace'");
    } else if (geteuid() != 0) {
        cli_say(who, "tracing needs root: run it by sudo");
    } else if (!exists("/sys/bus/event_source/devices/uprobe/type")) {
        cli_say(who, "this kernel has no uprobes (CONFIG_UPROBE_EVENTS), or /sys is not mounted: nothing can be "
                     "traced");
    } else if (!exists("/sys/kernel/tracing/events") && !exists("/sys/kernel/debug/tracing/events")) {
        cli_say(who, "tracefs is not mounted: 'mount -t tracefs tracefs /sys/kernel/tracing'; in a container, trace "
                     "from outside of it");
    } else {
        return CLI_OK;
    }
    return CLI_CANNOT_TRACE;
}

int cli_trace(int argc, char **argv)
{
    static struct trace_target target;
    struct trace_options options = {0};
    unsigned probes = 0;
    int code = trace_options_read(&options, argc, argv);
    if (code >= 0)
        return code;
    code = trace_target_find(&target, &options);
    if (code != CLI_OK)
        return code;
    char *program = trace_program(&target, &options, &probes);
    if (program == NULL) {
        cli_say(options.who, "no memory");
        return CLI_FAILED;
    }
    if (probes == 0) {
        cli_say(options.who, "there is nothing here that can be watched without harm%s%s",
                target.why[0] != '\0' ? ": " : "", target.why);
        code = CLI_NOT_TRACEABLE;
    } else if (options.print) {
        code = cli_print(program);
    } else if ((code = check_machine(options.who)) == CLI_OK) {
        code = options.tool == TRACE_LATENCY ? trace_show_latency(program, &options, &target)
                                             : trace_show_events(program, &options, &target);
    }
    free(program);
    return code;
}
