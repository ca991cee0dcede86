/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See server.h. Each function of OpenSSL that the server calls is a jump to what dlsym() has found. */
#include "server.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define REACHED(name)                                                                                                  \
    void *reached_##name;                                                                                              \
    __asm__(".text\n.globl " #name "\n.type " #name ", @function\n" #name ":\n\tjmp *reached_" #name "(%rip)\n");
#include "reached.h"
#undef REACHED

static const struct {
    const char *name;
    void **place;
} all[] = {
#define REACHED(name) {#name, &reached_##name},
#include "reached.h"
#undef REACHED
};

void reach(const char *how)
{
    const bool in_all = strcmp(how, "default") == 0, by_version = strcmp(how, "version") == 0;
    void *library = dlopen(REACHED_LIBRARY, RTLD_LAZY | (in_all ? RTLD_GLOBAL : RTLD_LOCAL));
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (by_version)
            *all[i].place = dlvsym(library, all[i].name, REACHED_VERSION); /* later ones have others */
        if (*all[i].place == NULL)
            *all[i].place = dlsym(in_all ? RTLD_DEFAULT : library, all[i].name);
        if (*all[i].place == NULL) {
            fprintf(stderr, "%s\n", dlerror());
            _exit(3);
        }
    }
}
