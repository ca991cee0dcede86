/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Somebody else's provider, for tests: it has some of OpenSSL's own algorithms under its name, as AWS-LC's provider
 * has its own.
 */
#include <openssl/core.h>
#include <openssl/core_dispatch.h>
#include <openssl/crypto.h>
#include <openssl/provider.h>

static OSSL_PROVIDER *within;

/* All that is OpenSSL's of these kinds, with another property. */
static const OSSL_ALGORITHM *query(void *context, int operation, int *no_cache)
{
    static OSSL_ALGORITHM lists[32][128];
    const OSSL_ALGORITHM *from;
    size_t n = 0;
    (void)context;
    *no_cache = 0;
    if (operation != OSSL_OP_KEYMGMT && operation != OSSL_OP_SIGNATURE && operation != OSSL_OP_KEYEXCH &&
        operation != OSSL_OP_CIPHER && operation != OSSL_OP_DIGEST && operation != OSSL_OP_MAC)
        return NULL;
    from = OSSL_PROVIDER_query_operation(within, operation, no_cache);
    for (; from != NULL && from->algorithm_names != NULL && n < 127; from++) {
        lists[operation][n] = *from;
        lists[operation][n++].property_definition = "provider=other";
    }
    return lists[operation];
}

static const OSSL_DISPATCH table[] = {{OSSL_FUNC_PROVIDER_QUERY_OPERATION, (void (*)(void))query}, {0, NULL}};

OSSL_provider_init_fn OSSL_provider_init;

int OSSL_provider_init(const OSSL_CORE_HANDLE *handle, const OSSL_DISPATCH *in, const OSSL_DISPATCH **out,
                       void **context)
{
    static char some;
    OSSL_LIB_CTX *apart = OSSL_LIB_CTX_new();
    (void)handle, (void)in;
    within = OSSL_PROVIDER_load(apart, "default");
    *context = &some;
    *out = table;
    return within != NULL;
}
