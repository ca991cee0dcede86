/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * `octuple trace`: watches the TLS calls and operations of a running process from outside, by bpftrace. Nothing in the
 * process is changed, stopped or restarted.
 */
#include <stdlib.h>
#include "trace.h"

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
    } else if ((code = trace_needs_check(options.who)) == CLI_OK) {
        code = options.tool == TRACE_LATENCY ? trace_show_latency(program, &options, &target)
                                             : trace_show_events(program, &options, &target);
    }
    free(program);
    return code;
}
