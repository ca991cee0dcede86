/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Messages and questions that several commands have.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cli.h"
#include "process.h"
#include "settings.h"

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

const char *cli_colour(enum cli_colour colour)
{
    static const char *const codes[] = {"\033[0m", "\033[32m", "\033[33m", "\033[31m"};
    const char *off = getenv("NO_COLOR"), *terminal = getenv("TERM");
    const bool has_none = (off != NULL && *off != '\0') || (terminal != NULL && !strcmp(terminal, "dumb"));
    return isatty(STDOUT_FILENO) && !has_none ? codes[colour] : "";
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
    static char text[256];
    const struct oct_setting_row *table = oct_setting_row(OCT_SETTING_TABLE);
    const char *wish = oct_setting(OCT_SETTING_TABLE);
    oct_cpu_info_get(&cpu);
    /* With a table and still nothing on, every known-answer test failed: the first one's reason stands for all. */
    if (cpu.table[0] != 'n')
        return oct_op_reason(0);
    if (wish != NULL && !strcmp(cpu.table_reason, table->wrong)) {
        snprintf(text, sizeof text, "%s=%s: it takes %s", table->variable, wish, table->values);
        return text;
    }
    /* A table that is named and cannot serve, where another might. */
    if (wish == NULL || strstr(cpu.table_reason, "OCTUPLE_TABLE") != NULL || !strcmp(wish, "auto"))
        return cpu.table_reason;
    snprintf(text, sizeof text, "OCTUPLE_TABLE asks for %s, and %s; without it the best table that this CPU has serves",
             wish, cpu.table_reason);
    return text;
}

#define CAP_SYS_PTRACE 19
const char *cli_who_may_look(void)
{
    static const char capabilities[] = "\nCapEff:";
    size_t size;
    char *text = geteuid() == 0 ? process_read(getpid(), "status", &size) : NULL;
    const char *at = text != NULL ? strstr(text, capabilities) : NULL;
    const bool lacks = at != NULL && !(strtoull(at + strlen(capabilities), NULL, 16) >> CAP_SYS_PTRACE & 1);
    free(text);
    return lacks ? "this root lacks CAP_SYS_PTRACE (Docker: --cap-add SYS_PTRACE)" : "ask as its user or as root";
}
