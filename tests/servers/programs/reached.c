/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See reached.h. */
#include "reached.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reached reached;

static void *look(void *library, const char *name, const char *version)
{
    Dl_info info;
    (void)dlerror();
    void *found = version != NULL ? dlvsym(library, name, version) : dlsym(library, name);
    const char *error = dlerror();
    if (found == NULL || error != NULL) {
        fprintf(stderr, "%s: %s\n", name, error);
        exit(3);
    }
    /* What is asked for again is the same, and has the name that was asked for. */
    if (found != dlsym(library, name) || dladdr(found, &info) == 0 || strcmp(info.dli_sname, name) != 0 ||
        info.dli_saddr != found) {
        fprintf(stderr, "%s: it is found as another function\n", name);
        exit(3);
    }
    return found;
}

void reach(const char *version)
{
    void *library = dlopen("libssl.so." REACHED_MAJOR, RTLD_LAZY | RTLD_LOCAL);
    if (library == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        exit(3);
    }
#define OCT_LOOK(name)                                                                                                 \
    *(void **)&reached.name = look(library, #name, version != NULL && strncmp(#name, "ERR", 3) != 0 ? version : NULL);
    REACHED(OCT_LOOK)
#undef OCT_LOOK
}
