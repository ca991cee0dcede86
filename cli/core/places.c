/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The search for the two shared objects, see places.h. The order decides which one wins when several versions are
 * installed: the executable's own neighbours, so that a build tree never picks up an installed provider.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <unistd.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/provider.h>
#include "places.h"

#define CANDIDATES 5

const char *place_file(enum place what)
{
    static const char *const files[] = {"liboctuple-async.so", "octuple.so"};
    return files[what];
}

static void candidate(char path[PATH_MAX], const char *base, const char *folder, const char *file)
{
    if ((size_t)snprintf(path, PATH_MAX, "%s%s/%s", base, folder, file) >= PATH_MAX)
        path[0] = '\0';
}

/* Fills in the paths to look at, best first; an unusable one is empty. Returns how many. */
static int candidates(enum place what, char path[CANDIDATES][PATH_MAX])
{
    char prefix[PATH_MAX];
    static const char *const installed[] = {OCT_INSTALL_FULL_LIBDIR, OCT_INSTALL_MODULES};
    const char *file = place_file(what);
    const char *modules = OPENSSL_info(OPENSSL_INFO_MODULES_DIR);
    int n = 0;
    /* The folder above the executable's own: the root of the build tree or the installation prefix. */
    const ssize_t len = readlink("/proc/self/exe", prefix, PATH_MAX - 1);
    const char *name = (const char *)getauxval(AT_EXECFN);
    bool known = len > 0;
    if (known)
        prefix[len] = '\0';
    else /* no /proc: by the name that the kernel was given, from the folder that is still the same */
        known = name != NULL && realpath(name, prefix) != NULL;
    for (int up = 0; up < 2 && known; up++) {
        char *slash = strrchr(prefix, '/');
        known = slash != NULL;
        if (known)
            *slash = '\0';
    }
    if (known) {
        candidate(path[n++], prefix, "/lib", file);
        if (OCT_INSTALL_LIBDIR[0] != '/') {
            candidate(path[n++], prefix,
                      what == PLACE_SHIM ? "/" OCT_INSTALL_LIBDIR : "/" OCT_INSTALL_LIBDIR "/ossl-modules", file);
        }
    }
    candidate(path[n++], installed[what], "", file);
    if (what == PLACE_PROVIDER && modules != NULL)
        candidate(path[n++], modules, "", file);
    return n;
}

int place_find(enum place what, char path[PATH_MAX])
{
    char tried[CANDIDATES][PATH_MAX];
    int n = candidates(what, tried);
    for (int i = 0; i < n; i++)
        if (tried[i][0] != '\0' && access(tried[i], R_OK) == 0 && realpath(tried[i], path) != NULL)
            return 1;
    return 0;
}

void place_tell_tried(enum place what, const char *indent)
{
    char tried[CANDIDATES][PATH_MAX];
    int n = candidates(what, tried);
    for (int i = 0; i < n; i++) {
        int seen = tried[i][0] == '\0';
        for (int j = 0; j < i; j++)
            seen |= strcmp(tried[i], tried[j]) == 0;
        if (!seen)
            fprintf(stderr, "%s%s\n", indent, tried[i]);
    }
}

OSSL_PROVIDER *place_load_provider(OSSL_LIB_CTX *ctx, const char *path)
{
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%s", path);
    *strrchr(folder, '/') = '\0';
    return OSSL_PROVIDER_set_default_search_path(ctx, folder) ? OSSL_PROVIDER_load(ctx, "octuple") : NULL;
}

const char *place_try_provider(const char *path)
{
    static char why[256];
    OSSL_LIB_CTX *ctx = OSSL_LIB_CTX_new();
    OSSL_PROVIDER *loaded = ctx != NULL ? place_load_provider(ctx, path) : NULL;
    if (loaded == NULL) {
        /* The first error of the queue is the loader's own; what follows it only repeats that something failed. */
        const char *data = NULL;
        unsigned long code = ERR_get_error_all(NULL, NULL, NULL, &data, NULL);
        const char *reason = ERR_reason_error_string(code);
        snprintf(why, sizeof why, "%s", data != NULL && *data ? data : reason != NULL ? reason : "unknown error");
        ERR_clear_error();
    } else {
        OSSL_PROVIDER_unload(loaded);
    }
    OSSL_LIB_CTX_free(ctx);
    return loaded != NULL ? NULL : why;
}
