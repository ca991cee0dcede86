/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * liboctuple comes with libssl, and not with the shim: most processes that are started under the preload have no TLS,
 * and a second library is what would cost them most. Its functions are called as if the shim were linked to it; each
 * call is a jump, as to any other library.
 */
#include "libssl/library.h"

#include "layout.h"

#include <dlfcn.h>
#include <limits.h>
#include <octuple/octuple.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Before it is here. What the shim asks then is whether it can be served. */
OCT_AT_START static long nothing(void)
{
    return 0;
}

#define OCT_LIBRARY(name)                                                                                              \
    __attribute__((visibility("hidden"))) extern void *oct_library_##name;                                             \
    void *oct_library_##name = (void *)nothing;                                                                        \
    __asm__(".pushsection .text.startup,\"ax\",@progbits\n"                                                            \
            ".globl " #name "\n.hidden " #name "\n.type " #name ", @function\n" #name ":\n\t"                          \
            "endbr64\n\t"                                                                                              \
            "jmp *oct_library_" #name "(%rip)\n"                                                                       \
            ".size " #name ", . - " #name "\n"                                                                         \
            ".popsection");
#include "libssl/library.def"
#undef OCT_LIBRARY

/* Of the whole interface, which a program may use itself. */
extern __typeof__(oct_op_name) oct_op_name __attribute__((weak));

/* The program's own, or that beside this library: who looks by a name lets ld.so read beyond a string of its own, for
 * which valgrind blames the program. One that was preloaded by a relative name may have been anywhere. */
static void *open_library(void)
{
    char path[PATH_MAX], here[PATH_MAX] = "";
    void *library = oct_op_name != NULL ? dlopen(OCT_LIBRARY_FILE, RTLD_NOW | RTLD_LOCAL) : NULL;
    Dl_info self;
    if (library == NULL && dladdr((const void *)open_library, &self) != 0 && self.dli_fname[0] == '/' &&
        realpath(self.dli_fname, here) != NULL) {
        *strrchr(here, '/') = '\0';
        if (snprintf(path, sizeof path, "%s/%s", here, OCT_LIBRARY_FILE) < (int)sizeof path)
            library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    }
    return library != NULL ? library : dlopen(OCT_LIBRARY_FILE, RTLD_NOW | RTLD_LOCAL);
}

static bool here, confined;

void oct_library_confine(void)
{
    __atomic_store_n(&confined, true, __ATOMIC_RELAXED);
}

bool oct_library_is_confined(void)
{
    return __atomic_load_n(&confined, __ATOMIC_RELAXED);
}

static void load(void)
{
    void *library = oct_library_is_confined() ? NULL : open_library();
    bool complete = library != NULL;
#define OCT_LIBRARY(name)                                                                                              \
    void *found_##name = complete ? dlsym(library, #name) : NULL;                                                      \
    complete = complete && found_##name != NULL;
#include "libssl/library.def"
#undef OCT_LIBRARY
    if (!complete)
        return;
#define OCT_LIBRARY(name) oct_library_##name = found_##name;
#include "libssl/library.def"
#undef OCT_LIBRARY
    here = oct_version_fits(OCT_VERSION_TEXT, "shim");
}

bool oct_library_load(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return here;
}
