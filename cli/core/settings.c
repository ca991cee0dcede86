/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>
#include "settings.h"

enum provider_switch {
#define OCT_PROV_SWITCH(id, name, setting, what) SWITCH_##id,
#include "provider/core/switches.def"
};

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

/* The provider takes these too, in any case, as openssl.cnf does. */
static bool is_switch(const char *word, size_t length, const char *value, size_t n)
{
    static const char *const words[][4] = {{"on", "yes", "true", "1"}, {"off", "no", "false", "0"}};
    for (size_t i = 0; i < 2; i++)
        for (size_t k = 0; length == strlen(words[i][0]) && !strncmp(word, words[i][0], length) && k < 4; k++)
            if (n == strlen(words[i][k]) && !strncasecmp(value, words[i][k], n))
                return true;
    return false;
}

/* Is the value one of the words, a number of the size, or what cannot be judged? */
static bool is_taken(const char *values, const char *readers, const char *value, size_t n)
{
    static const char up_to[] = "a number up to ";
    unsigned long most = ULONG_MAX;
    if (!strncmp(values, "a number", strlen("a number"))) {
        char digits[16] = "";
        if (!strncmp(values, up_to, strlen(up_to)))
            most = strtoul(values + strlen(up_to), NULL, 10);
        if (n == 0 || n >= sizeof digits || strspn(value, "0123456789") < n)
            return false;
        memcpy(digits, value, n);
        return strtoul(digits, NULL, 10) <= most;
    }
    if (!strncmp(values, "a ", 2))
        return n > 0;
    for (const char *word = values; *word != '\0';) {
        const size_t length = strcspn(word, ",");
        if ((n == length && !strncmp(word, value, n)) ||
            (strstr(readers, "provider") != NULL && is_switch(word, length, value, n)))
            return true;
        word += length + strspn(word + length, ", ");
    }
    return false;
}

static bool is_wrong_option(char *text, size_t room, enum oct_setting which, const char *at, size_t n)
{
    const struct oct_setting_row *row = oct_setting_row(which);
    const size_t length = strcspn(at, "=,");
    int used = snprintf(text, room, "%s has no option '%.*s'; there are", row->variable, (int)n, at);
    for (enum oct_setting_option_number i = 0; i < OCT_SETTING_OPTION_COUNT; i++) {
        const struct oct_setting_option_row *option = oct_setting_option_row(i);
        if (option->of != which)
            continue;
        if (length == strlen(option->option) && !strncmp(at, option->option, length) && at[length] == '=') {
            snprintf(text, room, "%s has %.*s, but %s= takes %s", row->variable, (int)n, at, option->option,
                     option->values);
            return !is_taken(option->values, row->readers, at + length + 1, n - length - 1);
        }
        if (used > 0 && (size_t)used < room)
            used += snprintf(text + used, room - (size_t)used, " %s=", option->option);
    }
    return true;
}

static bool has_options(enum oct_setting which)
{
    for (enum oct_setting_option_number i = 0; i < OCT_SETTING_OPTION_COUNT; i++)
        if (oct_setting_option_row(i)->of == which)
            return true;
    return false;
}

static bool is_wrong_directory(char *text, size_t room, const char *variable, const char *value, const char *root)
{
    char path[PATH_MAX];
    struct stat st;
    /* What is not absolute begins where the program starts: here, if it is started here. */
    if (value[0] != '/' && root[0] != '\0')
        return false;
    errno = 0;
    if (snprintf(path, sizeof path, "%s%s", root, value) >= PATH_MAX)
        errno = ENAMETOOLONG;
    else if (stat(path, &st) == 0 && !S_ISDIR(st.st_mode))
        errno = ENOTDIR;
    else if (errno == 0 && root[0] == '\0')
        (void)access(path, W_OK | X_OK);
    snprintf(text, room, "%s=%s: %s, so that no counters are kept there", variable, value, strerror(errno));
    return errno != 0;
}

static bool is_wrong_value(char *text, size_t room, enum oct_setting which, const char *value, const char *root)
{
    const struct oct_setting_row *row = oct_setting_row(which);
    const size_t n = has_options(which) ? strcspn(value, ",") : strlen(value);
    if (value[0] == '\0')
        return false;
    if (!strcmp(row->values, "a directory"))
        return is_wrong_directory(text, room, row->variable, value, root);
    if (!is_taken(row->values, row->readers, value, n)) {
        snprintf(text, room, "%s=%s: it takes %s", row->variable, value, row->values);
        return true;
    }
    for (const char *at = value + n; *at == ',';) {
        const size_t length = strcspn(at + 1, ",");
        if (is_wrong_option(text, room, which, at + 1, length))
            return true;
        at += 1 + length;
    }
    return false;
}

/* How many letters have to be changed, left out, put in or swapped with the next, of two names of at most 31; what is
 * more than two is told as soon as that is known. */
#define NEAR 2
static unsigned distance(const char *a, const char *b)
{
    unsigned row[3][32]; /* the last, the one before it, this one */
    const size_t n = strlen(a), m = strlen(b);
    if (n > 31 || m > 31)
        return NEAR + 1;
    for (size_t j = 0; j <= m; j++)
        row[0][j] = (unsigned)j;
    for (size_t i = 1; i <= n; i++) {
        unsigned *now = row[i % 3], *last = row[(i + 2) % 3], *before = row[(i + 1) % 3];
        unsigned least = now[0] = (unsigned)i;
        for (size_t j = 1; j <= m; j++) {
            unsigned best = last[j - 1] + (a[i - 1] != b[j - 1]);
            best = last[j] + 1 < best ? last[j] + 1 : best;
            best = now[j - 1] + 1 < best ? now[j - 1] + 1 : best;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && before[j - 2] + 1 < best)
                best = before[j - 2] + 1;
            now[j] = best;
            least = best < least ? best : least;
        }
        if (least > NEAR)
            return least;
    }
    return row[n % 3][m];
}

/* A setting's name with a word behind it, as some options were once called. */
static bool has_more(const char *name, const char *variable)
{
    const size_t length = strlen(variable);
    return !strncmp(name, variable, length) && name[length] == '_';
}

/* A name that is none of ours, but nearly, or one of ours with more behind it: other programs may have names that begin
 * as ours do. */
static bool is_misspelt(char *text, size_t room, const char *name)
{
    for (enum oct_setting which = 0; which < OCT_SETTING_COUNT; which++) {
        const char *variable = oct_setting_row(which)->variable;
        if (distance(name, variable) <= NEAR || has_more(name, variable)) {
            snprintf(text, room, "%s is nothing that Octuple reads: is %s meant?", name, variable);
            return true;
        }
    }
    return false;
}

bool cli_settings_wrong(char *text, size_t room, const char *string, const char *root)
{
    char name[32];
    const size_t length = strcspn(string, "=");
    if (string[length] != '=' || length >= sizeof name)
        return false;
    memcpy(name, string, length);
    name[length] = '\0';
    for (enum oct_setting which = 0; which < OCT_SETTING_COUNT; which++)
        if (!strcmp(name, oct_setting_row(which)->variable))
            return is_wrong_value(text, room, which, string + length + 1, root);
    return is_misspelt(text, room, name);
}

const char *cli_settings_switch(const char *former)
{
    static const char *const now[] = {
#define OCT_PROV_SWITCH(id, name, setting, what) [SWITCH_##id] = (name),
#include "provider/core/switches.def"
    };
    static const struct {
        const char *name;
        enum provider_switch now;
    } formers[] = {
#define OCT_PROV_SWITCH_FORMER(name, id) {name, SWITCH_##id},
#include "provider/core/switches.def"
    };
    for (size_t i = 0; i < sizeof formers / sizeof formers[0]; i++)
        if (!strcmp(former, formers[i].name))
            return now[formers[i].now];
    return NULL;
}
