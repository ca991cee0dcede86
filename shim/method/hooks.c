/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * A program that has a method of its own may put it in the place of ours, and some releases keep its key beside it. So
 * nothing waits any more in a process that has called one of these with a method; and a call that waits is run to its
 * end before its object gets another key. They are AWS-LC's alone: elsewhere they are withdrawn (withdraw.c).
 */
#include "handshake/doors.h"
#include "libssl/hook.h"

#include "method/method.h"

static void note(const struct oct_ssl_functions *own, SSL *s, const struct oct_method *method)
{
    if (own->awslc == NULL)
        return;
    if (method != NULL)
        oct_door_leave_open(own);
    else if (s != NULL && oct_shim_serves(own))
        oct_finish_before(s, false);
}

#define HOOK_ADDED(result, name, parameters, arguments, object)                                                        \
    result name parameters;                                                                                            \
    OCT_HOOK result name parameters                                                                                    \
    {                                                                                                                  \
        const struct oct_ssl_functions *own = oct_ssl_of(__builtin_return_address(0));                                 \
        result(*real) parameters;                                                                                      \
        *(void **)&real = oct_symbol(own->handle, #name);                                                              \
        note(own, object, method);                                                                                     \
        return real != NULL ? real arguments : (result)0;                                                              \
    }

HOOK_ADDED(void, SSL_set_private_key_method, (SSL * s, const struct oct_method *method), (s, method), s)
HOOK_ADDED(void, SSL_CTX_set_private_key_method, (SSL_CTX * ctx, const struct oct_method *method), (ctx, method), NULL)
HOOK_ADDED(int, SSL_set_chain_and_key,
           (SSL * s, void *const *chain, size_t n, EVP_PKEY *key, const struct oct_method *method),
           (s, chain, n, key, method), s)
HOOK_ADDED(int, SSL_CTX_set_chain_and_key,
           (SSL_CTX * ctx, void *const *chain, size_t n, EVP_PKEY *key, const struct oct_method *method),
           (ctx, chain, n, key, method), NULL)
