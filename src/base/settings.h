/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The environment variables of settings.def, for all who read them: library, provider, shim and commands. All of it is
 * inline, because the shim and the commands link nothing of the library but its public functions.
 */
#ifndef OCT_BASE_SETTINGS_H
#define OCT_BASE_SETTINGS_H

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum oct_setting {
#define OCT_SETTING(name, values, otherwise, meaning, readers, more) OCT_SETTING_##name,
#include "settings.def"
    OCT_SETTING_COUNT
};

struct oct_setting_row {
    const char *variable;
    const char *values, *otherwise, *meaning, *readers;
    const char *wrong; /* what to say of a value that is none of these words */
};

static inline const struct oct_setting_row *oct_setting_row(enum oct_setting which)
{
#define OCT_SETTING(name, values, otherwise, meaning, readers, more)                                                   \
    {"OCTUPLE_" #name, values, otherwise, meaning, readers, "OCTUPLE_" #name " has a value that is none of " values},
    static const struct oct_setting_row rows[] = {
#include "settings.def"
    };
    return &rows[which];
}

/* What may stand behind the value of a setting, as ",option=value". */
struct oct_setting_option_row {
    enum oct_setting of;
    const char *option, *values;
};

enum oct_setting_option_number {
#define OCT_SETTING_OPTION(name, option, values, otherwise, meaning) OCT_SETTING_OPTION_##name##_##option,
#include "settings.def"
    OCT_SETTING_OPTION_COUNT
};

static inline const struct oct_setting_option_row *oct_setting_option_row(enum oct_setting_option_number which)
{
#define OCT_SETTING_OPTION(name, option, values, otherwise, meaning) {OCT_SETTING_##name, #option, values},
    static const struct oct_setting_option_row rows[] = {
#include "settings.def"
    };
    return &rows[which];
}

/* Its value as the environment has it at this moment; NULL if it is not set or empty, or if the program runs with
 * raised privileges: then the environment is not ours to trust. */
static inline const char *oct_setting(enum oct_setting which)
{
    const char *value = secure_getenv(oct_setting_row(which)->variable);
    return value != NULL && value[0] != '\0' ? value : NULL;
}

/* The first option NAME=VALUE behind a comma at `from` or later: its value, *len bytes of it; NULL if there is none.
 * `from` is a setting's value or an earlier result, and may be NULL. */
static inline const char *oct_setting_option(const char *from, const char *name, size_t *len)
{
    const size_t n = strlen(name);
    while (from != NULL && (from = strchr(from, ',')) != NULL) {
        from++;
        if (strncmp(from, name, n) == 0 && from[n] == '=') {
            *len = strcspn(from + n + 1, ",");
            return from + n + 1;
        }
    }
    return NULL;
}

#endif
