/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The hooks where a program makes an SSL_CTX: the provider is loaded before the first one, which looks for its groups.
 * They stay in place without lanes, where all others are withdrawn, and then ask for the caller's libssl themselves.
 */
#include "libssl/hook.h"
#include "libssl/load.h"

#define OWN                                                                                                            \
    const struct oct_ssl_functions *own = oct_ssl_of_method(method, __builtin_return_address(0));                      \
    __attribute__((cleanup(oct_ssl_leave), unused)) const struct oct_ssl_functions *before = oct_ssl_enter(own)

OCT_HOOK SSL_CTX *SSL_CTX_new(const SSL_METHOD *method)
{
    OWN;
    if (method != NULL && !oct_load_for_tls(own, NULL))
        return NULL;
    SSL_CTX *made = own->SSL_CTX_new(method);
    oct_load_name_groups(own, NULL, made);
    return made;
}

OCT_HOOK SSL_CTX *SSL_CTX_new_ex(OSSL_LIB_CTX *ctx, const char *query, const SSL_METHOD *method)
{
    OWN;
    if (method != NULL && !oct_load_for_tls(own, ctx))
        return NULL;
    SSL_CTX *made = own->SSL_CTX_new_ex(ctx, query, method);
    oct_load_name_groups(own, ctx, made);
    return made;
}
