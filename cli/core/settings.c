/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "settings.h"

#define COLUMNS 116
#define INDENT  20

/* Words from column INDENT on, in lines of at most COLUMNS. */
void cli_settings_print(void)
{
    for (enum oct_setting which = 0; which < OCT_SETTING_COUNT; which++) {
        const struct oct_setting_row *row = oct_setting_row(which);
        char all[1024];
        size_t column = INDENT;
        snprintf(all, sizeof all, "%s (default %s): %s", row->values, row->otherwise, row->meaning);
        printf("  %-*s", INDENT - 2, row->variable);
        for (const char *text = all; *text != '\0';) {
            const size_t len = strcspn(text, " ");
            if (column > INDENT && column + 1 + len > COLUMNS) {
                printf("\n%*s", INDENT, "");
                column = INDENT;
            }
            column += (size_t)printf("%s%.*s", column > INDENT ? " " : "", (int)len, text);
            text += len + (text[len] == ' ');
        }
        putchar('\n');
    }
}

bool cli_settings_former(struct oct_setting_former_row *row, unsigned number, cli_settings_look *look,
                         const void *environment)
{
    for (enum oct_setting_former which = 0; which < OCT_SETTING_FORMER_COUNT; which++) {
        *row = *oct_setting_former_row(which);
        if (look(environment, row->variable) != NULL && number-- == 0)
            return true;
    }
    return false;
}
