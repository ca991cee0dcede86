/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Messages and questions that several commands have.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include "cli.h"

void cli_say(const char *who, const char *format, ...)
{
    char *text = NULL;
    va_list args;
    va_start(args, format);
    int len = vasprintf(&text, format, args);
    va_end(args);
    fprintf(stderr, "%s: %s\n", who, len >= 0 ? cli_clean(text) : "no memory");
    free(len >= 0 ? text : NULL);
}

int cli_see_help(const char *who)
{
    fprintf(stderr, "Try '%s --help'.\n", who);
    return CLI_USAGE;
}

int cli_print(const char *text)
{
    fputs(text, stdout);
    return CLI_OK;
}

unsigned cli_operations_on(void)
{
    unsigned on = 0;
    for (int op = 0; op < OCT_OP_COUNT; op++)
        on += oct_op_is_on(op) != 0;
    return on;
}

const char *cli_nothing_on_reason(void)
{
    static struct oct_cpu_info cpu;
    oct_cpu_info_get(&cpu);
    /* With a table and still nothing on, every known-answer test failed: the first one's reason stands for all. */
    return cpu.table[0] == 'n' ? cpu.table_reason : oct_op_reason(0);
}
