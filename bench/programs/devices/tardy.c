/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * A provider of the test: OpenSSL's own RSA keys and signatures under another provider's name, each signature as late
 * as delay.h says. With `?provider=tardy` any server's PEM file becomes a key in a device. It blocks; with
 * OCTUPLE_TEST_DEVICE_PAUSES=1 it pauses the asynchronous job that it finds itself in. OCTUPLE_TEST_CARD_IDLE=1 is as
 * for card.c.
 */
#include "delay.h"

#include <openssl/core_dispatch.h>
#include <openssl/crypto.h>
#include <openssl/provider.h>
#include <stdlib.h>
#include <string.h>

#define FUNCTIONS 64

static OSSL_DISPATCH signature[FUNCTIONS];
static OSSL_ALGORITHM keys[2], signatures[2];
static OSSL_FUNC_signature_digest_sign_final_fn *final;
static device_wait *wait_for = device_nap;
static int idle;

/* The same one for everybody, which costs the processor nothing. */
static int idle_final(void *context, unsigned char *out, size_t *length)
{
    if (!final(context, NULL, length, 0))
        return 0;
    memset(out, 1, *length);
    return 1;
}

static int finish(void *context, unsigned char *out, size_t *length, size_t size)
{
    if (out != NULL && !device_works(wait_for))
        return 0;
    return out != NULL && idle ? idle_final(context, out, length) : final(context, out, length, size);
}

static const OSSL_ALGORITHM *find(const OSSL_PROVIDER *provider, int operation)
{
    int no_cache;
    const OSSL_ALGORITHM *a = OSSL_PROVIDER_query_operation(provider, operation, &no_cache);
    while (a != NULL && a->algorithm_names != NULL && strncmp(a->algorithm_names, "RSA:", 4) != 0)
        a++;
    return a != NULL && a->algorithm_names != NULL ? a : NULL;
}

static int fill(const OSSL_PROVIDER *provider)
{
    const OSSL_ALGORITHM *key = find(provider, OSSL_OP_KEYMGMT), *sign = find(provider, OSSL_OP_SIGNATURE);
    int n = 0;

    if (key == NULL || sign == NULL)
        return 0;
    for (const OSSL_DISPATCH *d = sign->implementation; d->function_id != 0 && n < FUNCTIONS - 1; d++, n++) {
        signature[n] = *d;
        if (d->function_id != OSSL_FUNC_SIGNATURE_DIGEST_SIGN_FINAL)
            continue;
        final = OSSL_FUNC_signature_digest_sign_final(d);
        signature[n].function = (void (*)(void))finish;
    }
    keys[0] = (OSSL_ALGORITHM){key->algorithm_names, "provider=tardy", key->implementation, NULL};
    signatures[0] = (OSSL_ALGORITHM){sign->algorithm_names, "provider=tardy", signature, NULL};
    return final != NULL;
}

static const OSSL_ALGORITHM *query(void *context, int operation, int *no_cache)
{
    (void)context;
    *no_cache = 0;
    return operation == OSSL_OP_KEYMGMT ? keys : operation == OSSL_OP_SIGNATURE ? signatures : NULL;
}

static const OSSL_DISPATCH own[] = {{OSSL_FUNC_PROVIDER_QUERY_OPERATION, (void (*)(void))query}, {0, NULL}};

__attribute__((visibility("default"))) int OSSL_provider_init(const OSSL_CORE_HANDLE *handle, const OSSL_DISPATCH *in,
                                                              const OSSL_DISPATCH **out, void **context);

int OSSL_provider_init(const OSSL_CORE_HANDLE *handle, const OSSL_DISPATCH *in, const OSSL_DISPATCH **out,
                       void **context)
{
    OSSL_LIB_CTX *library = OSSL_LIB_CTX_new();
    OSSL_PROVIDER *provider = library != NULL ? OSSL_PROVIDER_load(library, "default") : NULL;

    (void)handle, (void)in;
    device_settings();
    idle = getenv("OCTUPLE_TEST_CARD_IDLE") != NULL;
    if (getenv("OCTUPLE_TEST_DEVICE_PAUSES") != NULL)
        wait_for = device_pause;
    if (provider == NULL || !fill(provider))
        return 0;
    *context = OSSL_PROVIDER_get0_provider_ctx(provider);
    *out = own;
    return 1;
}
