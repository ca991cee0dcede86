/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Lists of names, as OpenSSL's providers write them. */
#ifndef OCT_PROVIDER_NAMES_H
#define OCT_PROVIDER_NAMES_H

#include <stdbool.h>
#include <string.h>
#include <strings.h>

/* Whether a list of names that colons divide has this one. */
static inline bool oct_names_have(const char *names, const char *name)
{
    const size_t len = strlen(name);

    for (; names != NULL; names = strchr(names, ':')) {
        names += *names == ':';
        if (strncasecmp(names, name, len) == 0 && (names[len] == '\0' || names[len] == ':'))
            return true;
    }
    return false;
}

#endif
