/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See fallback.h. */
#include "names.h"
#include "provider.h"

#include <dlfcn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <openssl/rand.h>
#include <stdbool.h>

void oct_fallback_free(struct oct_fallback *fallback)
{
    if (fallback == NULL)
        return;
    for (int f = 0; f < OCT_FAMILIES; f++) {
        EVP_KEYMGMT_free(fallback->keymgmt[f]);
        if (fallback->part[f] != NULL)
            oct_prov_families[f]->close(fallback->part[f]);
    }
    if (fallback->default_provider != NULL)
        OSSL_PROVIDER_unload(fallback->default_provider);
    OSSL_LIB_CTX_free(fallback->ctx);
    OPENSSL_free(fallback);
}

void oct_fallback_leave(struct oct_fallback *fallback)
{
    static struct oct_fallback *left;
    Dl_info where;

    if (fallback == NULL)
        return;
    fallback->left_before = left;
    left = fallback;
    if (dladdr((void *)&left, &where) != 0)
        (void)dlopen(where.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

static bool has_keymgmt(const OSSL_PROVIDER *provider, const char *name)
{
    int no_cache = 0;
    const OSSL_ALGORITHM *algorithm = OSSL_PROVIDER_query_operation(provider, OSSL_OP_KEYMGMT, &no_cache);

    for (; algorithm != NULL && algorithm->algorithm_names != NULL; algorithm++)
        if (oct_names_have(algorithm->algorithm_names, name))
            return true;
    return false;
}

/* An OpenSSL that was built without an algorithm has no key management of it: its family then finds NULL. What OpenSSL
 * has and does not give now there is no memory for. It would not give that in this context any more. */
static bool add_family(struct oct_fallback *fallback, int f)
{
    const struct oct_prov_family *family = oct_prov_families[f];

    if (family->keymgmt != NULL) {
        if (!has_keymgmt(fallback->default_provider, family->keymgmt))
            return true;
        fallback->keymgmt[f] = EVP_KEYMGMT_fetch(fallback->ctx, family->keymgmt, NULL);
        if (fallback->keymgmt[f] == NULL)
            return false;
    }
    if (family->open != NULL)
        fallback->part[f] = family->open(fallback);
    return family->open == NULL || fallback->part[f] != NULL;
}

/* All of it or NULL: nothing is added later to what other threads read. */
static struct oct_fallback *fallback_make(void)
{
    struct oct_fallback *fallback = OPENSSL_zalloc(sizeof *fallback);
    bool ok = fallback != NULL;

    if (ok)
        fallback->ctx = OSSL_LIB_CTX_new();
    if (ok && fallback->ctx != NULL)
        fallback->default_provider = OSSL_PROVIDER_load(fallback->ctx, "default");
    /* For OpenSSL's own choice, which is CTR-DRBG, it would set up every cipher that it has: here none is needed. */
    ok = ok && fallback->default_provider != NULL &&
         RAND_set_DRBG_type(fallback->ctx, "HASH-DRBG", NULL, NULL, "SHA2-256");
    for (int f = 0; ok && f < OCT_FAMILIES; f++)
        ok = add_family(fallback, f);
    if (ok)
        return fallback;
    oct_fallback_free(fallback);
    return NULL;
}

const struct oct_fallback *oct_fallback_get(struct oct_prov *prov)
{
    struct oct_fallback *fallback = atomic_load_explicit(&prov->fallback, memory_order_acquire), *first = NULL;

    if (fallback != NULL)
        return fallback;
    fallback = fallback_make();
    if (fallback == NULL) {
        OCT_RAISE(prov, OCT_REASON_FALLBACK_CONTEXT);
        return NULL;
    }
    if (atomic_compare_exchange_strong(&prov->fallback, &first, fallback))
        return fallback;
    oct_fallback_free(fallback);
    return first;
}

OSSL_LIB_CTX *oct_fallback_ctx(struct oct_prov *prov)
{
    const struct oct_fallback *fallback = oct_fallback_get(prov);
    return fallback == NULL ? NULL : fallback->ctx;
}

void *oct_fallback_part(struct oct_prov *prov, int family)
{
    const struct oct_fallback *fallback = oct_fallback_get(prov);
    return fallback == NULL ? NULL : fallback->part[family];
}

EVP_KEYMGMT *oct_fallback_keymgmt(struct oct_prov *prov, int family)
{
    const struct oct_fallback *fallback = oct_fallback_get(prov);
    return fallback == NULL ? NULL : fallback->keymgmt[family];
}

const OSSL_PARAM *oct_fallback_gettable(struct oct_prov *prov, int family)
{
    const EVP_KEYMGMT *keymgmt = oct_fallback_keymgmt(prov, family);
    return keymgmt == NULL ? NULL : EVP_KEYMGMT_gettable_params(keymgmt);
}

const OSSL_PARAM *oct_fallback_settable(struct oct_prov *prov, int family)
{
    const EVP_KEYMGMT *keymgmt = oct_fallback_keymgmt(prov, family);
    return keymgmt == NULL ? NULL : EVP_KEYMGMT_settable_params(keymgmt);
}

const OSSL_PARAM *oct_fallback_gen_settable(struct oct_prov *prov, int family)
{
    const EVP_KEYMGMT *keymgmt = oct_fallback_keymgmt(prov, family);
    return keymgmt == NULL ? NULL : EVP_KEYMGMT_gen_settable_params(keymgmt);
}

EVP_PKEY_CTX *oct_fallback_named_ctx(struct oct_prov *prov, const char *name)
{
    OSSL_LIB_CTX *libctx = oct_fallback_ctx(prov);
    return libctx == NULL ? NULL : EVP_PKEY_CTX_new_from_name(libctx, name, NULL);
}

EVP_PKEY_CTX *oct_fallback_new_ctx(struct oct_prov *prov, int family)
{
    return oct_fallback_named_ctx(prov, oct_prov_families[family]->keymgmt);
}

EVP_PKEY_CTX *oct_fallback_key_ctx(struct oct_prov *prov, EVP_PKEY *key)
{
    OSSL_LIB_CTX *libctx = key == NULL ? NULL : oct_fallback_ctx(prov);
    return libctx == NULL ? NULL : EVP_PKEY_CTX_new_from_pkey(libctx, key, NULL);
}

EVP_PKEY *oct_fallback_import_named(struct oct_prov *prov, const char *name, int selection, const OSSL_PARAM params[])
{
    EVP_PKEY_CTX *ctx = oct_fallback_named_ctx(prov, name);
    EVP_PKEY *key = NULL;

    if (ctx != NULL && EVP_PKEY_fromdata_init(ctx) > 0 &&
        EVP_PKEY_fromdata(ctx, &key, selection, (OSSL_PARAM *)params) <= 0)
        key = NULL;
    EVP_PKEY_CTX_free(ctx);
    return oct_fallback_whole(key);
}

EVP_PKEY *oct_fallback_import(struct oct_prov *prov, int family, int selection, const OSSL_PARAM params[])
{
    return oct_fallback_import_named(prov, oct_prov_families[family]->keymgmt, selection, params);
}

int oct_fallback_ask(EVP_PKEY *key, OSSL_PARAM *asked)
{
    OSSL_PARAM params[2] = {*asked, OSSL_PARAM_construct_end()};

    if (EVP_PKEY_get_params(key, params) <= 0)
        return -1;
    *asked = params[0];
    return OSSL_PARAM_modified(asked);
}

/* Bits and size are 0 of a modulus of zero, too: then OpenSSL says so again. */
static bool is_whole(EVP_PKEY *key)
{
    int bits = -1, size = -1;
    OSSL_PARAM ask_bits = OSSL_PARAM_construct_int(OSSL_PKEY_PARAM_BITS, &bits),
               ask_size = OSSL_PARAM_construct_int(OSSL_PKEY_PARAM_MAX_SIZE, &size);
    const int noted_bits = EVP_PKEY_get_bits(key), noted_size = EVP_PKEY_get_size(key);

    if (noted_bits > 0 && noted_size > 0)
        return true;
    return oct_fallback_ask(key, &ask_bits) > 0 && oct_fallback_ask(key, &ask_size) > 0 && bits == noted_bits &&
           size == noted_size;
}

EVP_PKEY *oct_fallback_whole(EVP_PKEY *key)
{
    bool ok;

    if (key == NULL)
        return NULL;
    ERR_set_mark();
    ok = is_whole(key);
    ERR_pop_to_mark();
    if (ok)
        return key;
    EVP_PKEY_free(key);
    return NULL;
}

static int validate(EVP_PKEY_CTX *ctx, int selection, int quick)
{
    if ((selection & OSSL_KEYMGMT_SELECT_KEYPAIR) == OSSL_KEYMGMT_SELECT_KEYPAIR)
        return EVP_PKEY_pairwise_check(ctx) > 0;
    if ((selection & OSSL_KEYMGMT_SELECT_PRIVATE_KEY) != 0)
        return EVP_PKEY_private_check(ctx) > 0;
    if ((selection & OSSL_KEYMGMT_SELECT_PUBLIC_KEY) != 0)
        return (quick ? EVP_PKEY_public_check_quick(ctx) : EVP_PKEY_public_check(ctx)) > 0;
    return 1;
}

int oct_fallback_validate(struct oct_prov *prov, EVP_PKEY *key, int selection, int type)
{
    EVP_PKEY_CTX *ctx = oct_fallback_key_ctx(prov, key);
    const int ok = ctx != NULL && validate(ctx, selection, type == OSSL_KEYMGMT_VALIDATE_QUICK_CHECK);

    EVP_PKEY_CTX_free(ctx);
    return ok;
}
