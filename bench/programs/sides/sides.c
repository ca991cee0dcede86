/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See sides.h. */
#include "sides.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/provider.h>
#include <stdlib.h>

OSSL_LIB_CTX *sides_libctx(const char *modules, const char *properties)
{
    OSSL_LIB_CTX *ctx = OSSL_LIB_CTX_new();

    if (ctx == NULL || OSSL_PROVIDER_load(ctx, "default") == NULL)
        return NULL;
    if (modules != NULL && (!OSSL_PROVIDER_set_default_search_path(ctx, modules) ||
                            OSSL_PROVIDER_load(ctx, "octuple") == NULL || !EVP_set_default_properties(ctx, properties)))
        return NULL;
    return ctx;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double sides_median(double *value, size_t n)
{
    qsort(value, n, sizeof *value, by_size);
    return value[n / 2];
}
