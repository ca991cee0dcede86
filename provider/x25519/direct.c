/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See direct.h. */
#include "direct.h"

#include "provider/core/names.h"

#include <openssl/core_names.h>
#include <openssl/params.h>
#include <string.h>

static const OSSL_DISPATCH *find_table(const OSSL_PROVIDER *provider, int operation)
{
    int no_cache = 0;
    const OSSL_ALGORITHM *algorithm = OSSL_PROVIDER_query_operation(provider, operation, &no_cache);

    for (; algorithm != NULL && algorithm->algorithm_names != NULL; algorithm++)
        if (oct_names_have(algorithm->algorithm_names, "X25519"))
            return algorithm->implementation;
    return NULL;
}

static void take_keymgmt(struct oct_x25519_direct *direct, const OSSL_DISPATCH *entry)
{
    for (; entry != NULL && entry->function_id != 0; entry++)
        if (entry->function_id == OSSL_FUNC_KEYMGMT_NEW)
            direct->key_new = OSSL_FUNC_keymgmt_new(entry);
        else if (entry->function_id == OSSL_FUNC_KEYMGMT_FREE)
            direct->key_free = OSSL_FUNC_keymgmt_free(entry);
        else if (entry->function_id == OSSL_FUNC_KEYMGMT_IMPORT)
            direct->key_import = OSSL_FUNC_keymgmt_import(entry);
}

static void take_exchange(struct oct_x25519_direct *direct, const OSSL_DISPATCH *entry)
{
    for (; entry != NULL && entry->function_id != 0; entry++)
        if (entry->function_id == OSSL_FUNC_KEYEXCH_NEWCTX)
            direct->newctx = OSSL_FUNC_keyexch_newctx(entry);
        else if (entry->function_id == OSSL_FUNC_KEYEXCH_FREECTX)
            direct->freectx = OSSL_FUNC_keyexch_freectx(entry);
        else if (entry->function_id == OSSL_FUNC_KEYEXCH_INIT)
            direct->init = OSSL_FUNC_keyexch_init(entry);
        else if (entry->function_id == OSSL_FUNC_KEYEXCH_SET_PEER)
            direct->set_peer = OSSL_FUNC_keyexch_set_peer(entry);
        else if (entry->function_id == OSSL_FUNC_KEYEXCH_DERIVE)
            direct->derive = OSSL_FUNC_keyexch_derive(entry);
}

int oct_x25519_direct_find(struct oct_x25519_direct *direct, const OSSL_PROVIDER *provider)
{
    memset(direct, 0, sizeof *direct);
    direct->provctx = OSSL_PROVIDER_get0_provider_ctx(provider);
    take_keymgmt(direct, find_table(provider, OSSL_OP_KEYMGMT));
    take_exchange(direct, find_table(provider, OSSL_OP_KEYEXCH));
    if (direct->key_new && direct->key_free && direct->key_import && direct->newctx && direct->freectx &&
        direct->init && direct->set_peer && direct->derive)
        return 1;
    memset(direct, 0, sizeof *direct);
    return 0;
}

/* A key of the default provider; private_key may be NULL. */
static void *key_make(const struct oct_x25519_direct *direct, const uint8_t *public_key, const uint8_t *private_key)
{
    void *key = direct->key_new(direct->provctx);
    OSSL_PARAM params[3], *p = params;
    int selection = OSSL_KEYMGMT_SELECT_PUBLIC_KEY;

    *p++ = OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, (void *)public_key, OCT_X25519_BYTES);
    if (private_key != NULL) {
        *p++ = OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PRIV_KEY, (void *)private_key, OCT_X25519_BYTES);
        selection = OSSL_KEYMGMT_SELECT_KEYPAIR;
    }
    *p = OSSL_PARAM_construct_end();
    if (key == NULL || direct->key_import(key, selection, params))
        return key;
    direct->key_free(key);
    return NULL;
}

/* The exchange takes references of its own. Functions of these tables take no NULL, as those of EVP do. */
static int derive_from(const struct oct_x25519_direct *direct, void *own, void *peer, uint8_t secret[OCT_X25519_BYTES])
{
    void *ctx = direct->newctx(direct->provctx);
    size_t len = OCT_X25519_BYTES;
    int ok;

    if (ctx == NULL)
        return -1;
    ok = direct->init(ctx, own, NULL) && direct->set_peer(ctx, peer) &&
         direct->derive(ctx, secret, &len, OCT_X25519_BYTES) && len == OCT_X25519_BYTES;
    direct->freectx(ctx);
    return ok;
}

int oct_x25519_direct_derive(const struct oct_x25519_direct *direct, uint8_t secret[OCT_X25519_BYTES],
                             const uint8_t private_key[OCT_X25519_BYTES], const uint8_t public_key[OCT_X25519_BYTES],
                             const uint8_t peer[OCT_X25519_BYTES])
{
    void *own, *other;
    int ok;

    if (direct->derive == NULL)
        return 0;
    own = key_make(direct, public_key, private_key);
    other = key_make(direct, peer, NULL);
    ok = own == NULL || other == NULL ? -1 : derive_from(direct, own, other, secret);
    if (own != NULL)
        direct->key_free(own);
    if (other != NULL)
        direct->key_free(other);
    return ok;
}
