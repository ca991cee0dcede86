/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* What lies in this process's own memory: whether a secret stays behind. */
#ifndef OCT_TEST_OWN_MEMORY_H
#define OCT_TEST_OWN_MEMORY_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* False under AddressSanitizer, which lets nobody look everywhere. */
#ifdef __SANITIZE_ADDRESS__
static const bool own_memory_shows = false;
#else
static const bool own_memory_shows = true;
#endif

/* How often the bytes lie there, but for stacks and what cannot be written. */
static inline unsigned own_memory_count(const void *bytes, size_t n)
{
    char line[256], rights[8], name[128];
    const unsigned char *from, *to, *at;
    unsigned count = 0;
    FILE *maps = fopen("/proc/self/maps", "re");

    while (maps != NULL && fgets(line, sizeof line, maps) != NULL) {
        *name = '\0';
        if (sscanf(line, "%p-%p %7s %*s %*s %*s %127s", (void **)&from, (void **)&to, rights, name) < 3 ||
            strncmp(rights, "rw", 2) != 0 || strncmp(name, "[stack", 6) == 0 || strncmp(name, "[v", 2) == 0)
            continue;
        for (; (at = memmem(from, (size_t)(to - from), bytes, n)) != NULL; from = at + 1)
            count++;
    }
    if (maps != NULL)
        fclose(maps);
    return count;
}

#endif
