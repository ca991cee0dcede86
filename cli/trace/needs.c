/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* What a machine must have for bpftrace to trace functions of libraries on it, each with how to mend it. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "trace.h"

static int exists(const char *path)
{
    return access(path, F_OK) == 0;
}

/* As the shell would find it. */
static int in_path(const char *program)
{
    const char *path = getenv("PATH"), *end;
    char file[PATH_MAX];
    for (; path != NULL && *path != '\0'; path = *end != '\0' ? end + 1 : end) {
        struct stat st;
        end = path + strcspn(path, ":");
        snprintf(file, sizeof file, "%.*s/%s", (int)(end - path), path, program);
        if (stat(file, &st) == 0 && S_ISREG(st.st_mode) && access(file, X_OK) == 0)
            return 1;
    }
    return 0;
}

int trace_needs_check(const char *who)
{
    if (!in_path("bpftrace")) {
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
