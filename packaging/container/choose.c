/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The module that the container bundle's configuration names: becomes the provider of the tree for the OpenSSL that
 * loads it. A provider is linked to one libcrypto. Another one could not load it, and would take the whole
 * configuration for broken: nginx, for one, would not start. This module is linked to none. What it needs to know the
 * libcrypto tells it.
 *
 * Where the bundle has no tree for that OpenSSL, or its provider cannot be loaded, the program has a provider that
 * offers nothing. It is told so if its OpenSSL is the system's: whoever has a copy inside was not meant, and prints
 * what it prints without us.
 */
#include "provider/core/caller.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHOSEN "%s/glibc-openssl%ld/lib/ossl-modules/octuple.so"

OSSL_provider_init_fn OSSL_provider_init;

static const OSSL_DISPATCH offers_nothing[] = {{0, NULL}};

/* This module is in BUNDLE/TREE/lib/ossl-modules, by whatever links it is reached. */
static bool find_bundle(char bundle[PATH_MAX])
{
    Dl_info self;
    if (dladdr((const void *)find_bundle, &self) == 0 || realpath(self.dli_fname, bundle) == NULL)
        return false;
    for (int up = 0; up < 4; up++) {
        char *slash = strrchr(bundle, '/');
        if (slash == NULL)
            return false;
        *slash = '\0';
    }
    return true;
}

static OSSL_provider_init_fn *find_provider(const char *version, bool tells)
{
    char bundle[PATH_MAX], path[PATH_MAX];
    const long major = strtol(version, NULL, 10);
    const char *why = "its folder was not found";

    if (find_bundle(bundle) && snprintf(path, sizeof path, CHOSEN, bundle, major) < PATH_MAX) {
        void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        OSSL_provider_init_fn *init = NULL;
        if (module != NULL)
            *(void **)&init = dlsym(module, "OSSL_provider_init");
        if (init != NULL)
            return init;
        why = dlerror();
    }
    if (tells)
        fprintf(stderr, "octuple: the bundle has nothing for OpenSSL %s, and leaves all to it: %s\n", version, why);
    return NULL;
}

int OSSL_provider_init(const OSSL_CORE_HANDLE *handle, const OSSL_DISPATCH *in, const OSSL_DISPATCH **out,
                       void **provctx)
{
    static char nothing;
    OSSL_FUNC_core_get_params_fn *get_params = oct_caller_get_params(in);
    const char *version = oct_caller_version(handle, get_params);
    OSSL_provider_init_fn *init = find_provider(version ? version : "", oct_caller_is_shared(get_params));

    if (init != NULL)
        return init(handle, in, out, provctx);
    *provctx = &nothing;
    *out = offers_nothing;
    return 1;
}
