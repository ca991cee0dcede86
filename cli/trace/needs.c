/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* What a machine must have for bpftrace to trace functions of libraries on it, each with how to mend it. */
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

int trace_needs_check(const char *who)
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
