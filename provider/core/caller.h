/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Who loads a module: its core functions, its version, and whether it is the system's libcrypto. Here is all that the
 * provider and the module that chooses among the container's trees have in common. It needs nothing of libcrypto, since
 * the latter is linked to none.
 */
#ifndef OCT_CORE_CALLER_H
#define OCT_CORE_CALLER_H

#include <dlfcn.h>
#include <openssl/core.h>
#include <openssl/core_dispatch.h>
#include <openssl/core_names.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Its get_params(), or NULL. */
static inline OSSL_FUNC_core_get_params_fn *oct_caller_get_params(const OSSL_DISPATCH *core)
{
    for (; core->function_id != 0; core++)
        if (core->function_id == OSSL_FUNC_CORE_GET_PARAMS)
            return OSSL_FUNC_core_get_params(core);
    return NULL;
}

/* "4.0.3", which is the caller's; NULL if it does not say. */
static inline const char *oct_caller_version(const OSSL_CORE_HANDLE *handle, OSSL_FUNC_core_get_params_fn *get_params)
{
    char *version = NULL;
    OSSL_PARAM asked[2] = {{OSSL_PROV_PARAM_CORE_VERSION, OSSL_PARAM_UTF8_PTR, &version, sizeof version, 0}};
    return get_params != NULL && get_params(handle, asked) > 0 ? version : NULL;
}

/* Whether a function of the caller's is of the system's library, and of no copy that a program has inside: that one was
 * never meant, and its program prints what it prints without us. */
static inline bool oct_caller_is_shared(OSSL_FUNC_core_get_params_fn *function)
{
    Dl_info where;
    const char *slash = dladdr((const void *)function, &where) != 0 ? strrchr(where.dli_fname, '/') : NULL;
    return slash != NULL && strncmp(slash, "/libcrypto.so", 13) == 0;
}

#endif
