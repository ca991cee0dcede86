/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* X25519 key management: OpenSSL's entry points over the key object, with the rules of OpenSSL's own X25519. */
#include "provider/contexts/keygen.h"
#include "provider/core/dispatch.h"
#include "provider/core/param.h"
#include "provider/core/provider.h"
#include "x25519.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/params.h>
#include <stdbool.h>
#include <string.h>

/* What OpenSSL's own says of itself: RFC 7748's numbers. */
#define BITS          253
#define SECURITY_BITS 128

/* The 32 bytes of a parameter, borrowed; NULL if it is not that. */
static const uint8_t *get_bytes(const OSSL_PARAM *p)
{
    if (p == NULL || p->data_type != OSSL_PARAM_OCTET_STRING || p->data_size != OCT_X25519_BYTES)
        return NULL;
    return p->data;
}

static int import_private(struct oct_prov_x25519 *key, const OSSL_PARAM *p)
{
    const uint8_t *bytes = get_bytes(p);
    uint8_t *private_key = bytes == NULL ? NULL : oct_prov_x25519_private(key);

    if (private_key == NULL)
        return 0;
    memcpy(private_key, bytes, OCT_X25519_BYTES);
    key->base.has_private = 1;
    return 1;
}

/* The public key is taken as it is given, next to a private one too: computing it is what import is spared. */
static int import_public(struct oct_prov_x25519 *key, const OSSL_PARAM *p)
{
    const uint8_t *bytes = get_bytes(p);

    if (p == NULL)
        return key->base.has_public = key->base.has_private &&
                                      oct_x25519_fallback_public(key->base.prov, key->public_key, key->private_key);
    if (bytes == NULL)
        return 0;
    memcpy(key->public_key, bytes, OCT_X25519_BYTES);
    return key->base.has_public = 1;
}

static int x25519_import(void *keydata, int selection, const OSSL_PARAM params[])
{
    struct oct_prov_x25519 *key = keydata;
    const OSSL_PARAM *public_key = OSSL_PARAM_locate_const(params, OSSL_PKEY_PARAM_PUB_KEY);
    const OSSL_PARAM *private_key = OSSL_PARAM_locate_const(params, OSSL_PKEY_PARAM_PRIV_KEY);

    if (key == NULL || (selection & OSSL_KEYMGMT_SELECT_KEYPAIR) == 0)
        return 0;
    if ((selection & OSSL_KEYMGMT_SELECT_PRIVATE_KEY) == 0)
        private_key = NULL;
    oct_prov_x25519_forget_private(key);
    if ((private_key == NULL || import_private(key, private_key)) && import_public(key, public_key))
        return 1;
    oct_prov_x25519_forget_private(key);
    key->base.has_public = 0;
    return OCT_RAISE(key->base.prov, OCT_REASON_KEY_IMPORT);
}

static int x25519_export(void *keydata, int selection, OSSL_CALLBACK *callback, void *arg)
{
    struct oct_prov_x25519 *key = keydata;
    OSSL_PARAM params[3], *p = params;

    if (key == NULL || (selection & OSSL_KEYMGMT_SELECT_KEYPAIR) == 0)
        return 0;
    if (key->base.has_public)
        *p++ = OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, key->public_key, OCT_X25519_BYTES);
    if (key->base.has_private && (selection & OSSL_KEYMGMT_SELECT_PRIVATE_KEY) != 0)
        *p++ = OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PRIV_KEY, key->private_key, OCT_X25519_BYTES);
    *p = OSSL_PARAM_construct_end();
    return callback(params, arg);
}

static const OSSL_PARAM *x25519_types(int selection)
{
    static const OSSL_PARAM types[] = {
        OSSL_PARAM_octet_string(OSSL_PKEY_PARAM_PUB_KEY, NULL, 0),
        OSSL_PARAM_octet_string(OSSL_PKEY_PARAM_PRIV_KEY, NULL, 0),
        OSSL_PARAM_END,
    };
    return (selection & OSSL_KEYMGMT_SELECT_KEYPAIR) != 0 ? types : NULL;
}

/* As OpenSSL's own: the public keys if both have one, else the private ones. The group is the same always. */
static int x25519_match(const void *keydata1, const void *keydata2, int selection)
{
    const struct oct_prov_x25519 *a = keydata1, *b = keydata2;

    if (a == NULL || b == NULL)
        return 0;
    if ((selection & OSSL_KEYMGMT_SELECT_KEYPAIR) == 0)
        return 1;
    if ((selection & OSSL_KEYMGMT_SELECT_PUBLIC_KEY) != 0 && a->base.has_public && b->base.has_public)
        return CRYPTO_memcmp(a->public_key, b->public_key, OCT_X25519_BYTES) == 0;
    return (selection & OSSL_KEYMGMT_SELECT_PRIVATE_KEY) != 0 && a->base.has_private && b->base.has_private &&
           CRYPTO_memcmp(a->private_key, b->private_key, OCT_X25519_BYTES) == 0;
}

/* Any 32 bytes are a public key, and any are a private one. */
static int x25519_validate(const void *keydata, int selection, int type)
{
    const struct oct_prov_x25519 *key = keydata;
    uint8_t public_key[OCT_X25519_BYTES];

    (void)type;
    if (!oct_prov_key_has(key, selection))
        return 0;
    if ((selection & OSSL_KEYMGMT_SELECT_KEYPAIR) != OSSL_KEYMGMT_SELECT_KEYPAIR)
        return 1;
    return oct_x25519_fallback_public(key->base.prov, public_key, key->private_key) &&
           CRYPTO_memcmp(public_key, key->public_key, OCT_X25519_BYTES) == 0;
}

/* A copy and not one more reference: setting a public key changes an object. */
static void *x25519_dup(const void *keydata, int selection)
{
    const struct oct_prov_x25519 *key = keydata;
    struct oct_prov_x25519 *copy = key == NULL ? NULL : oct_prov_x25519_new(key->base.prov);

    if (copy == NULL)
        return NULL;
    if ((selection & OSSL_KEYMGMT_SELECT_PUBLIC_KEY) != 0) {
        memcpy(copy->public_key, key->public_key, OCT_X25519_BYTES);
        copy->base.has_public = key->base.has_public;
    }
    if ((selection & OSSL_KEYMGMT_SELECT_PRIVATE_KEY) == 0 || !key->base.has_private)
        return copy;
    if (oct_prov_x25519_private(copy) == NULL) {
        oct_prov_key_free(copy);
        return NULL;
    }
    memcpy(copy->private_key, key->private_key, OCT_X25519_BYTES);
    copy->base.has_private = 1;
    return copy;
}

static int give_bytes(OSSL_PARAM params[], const char *name, const uint8_t *bytes, int has)
{
    OSSL_PARAM *p = OSSL_PARAM_locate(params, name);
    return p == NULL || !has || OSSL_PARAM_set_octet_string(p, bytes, OCT_X25519_BYTES);
}

static int x25519_get_params(void *keydata, OSSL_PARAM params[])
{
    const struct oct_prov_x25519 *key = keydata;

    return key != NULL && oct_param_give_int(params, OSSL_PKEY_PARAM_BITS, BITS) &&
           oct_param_give_int(params, OSSL_PKEY_PARAM_SECURITY_BITS, SECURITY_BITS) &&
#ifdef OSSL_PKEY_PARAM_SECURITY_CATEGORY
           oct_param_give_int(params, OSSL_PKEY_PARAM_SECURITY_CATEGORY, 0) &&
#endif
           oct_param_give_int(params, OSSL_PKEY_PARAM_MAX_SIZE, OCT_X25519_BYTES) &&
           give_bytes(params, OSSL_PKEY_PARAM_ENCODED_PUBLIC_KEY, key->public_key, key->base.has_public) &&
           give_bytes(params, OSSL_PKEY_PARAM_PUB_KEY, key->public_key, key->base.has_public) &&
           give_bytes(params, OSSL_PKEY_PARAM_PRIV_KEY, key->private_key, key->base.has_private);
}

static const OSSL_PARAM *x25519_gettable_params(void *provctx)
{
    return oct_fallback_gettable(provctx, OCT_FAMILY_x25519);
}

/* A public key that comes from a peer. The object's private key was for another one. */
static int x25519_set_params(void *keydata, const OSSL_PARAM params[])
{
    struct oct_prov_x25519 *key = keydata;
    const OSSL_PARAM *p = params == NULL ? NULL : OSSL_PARAM_locate_const(params, OSSL_PKEY_PARAM_ENCODED_PUBLIC_KEY);
    const uint8_t *bytes = get_bytes(p);

    if (key == NULL)
        return 0;
    if (p == NULL)
        return 1;
    if (bytes == NULL)
        return OCT_RAISE(key->base.prov, OCT_REASON_INPUT_LENGTH);
    oct_prov_x25519_forget_private(key);
    memcpy(key->public_key, bytes, OCT_X25519_BYTES);
    key->base.has_public = 1;
    return 1;
}

static const OSSL_PARAM *x25519_settable_params(void *provctx)
{
    static const OSSL_PARAM params[] = {
        OSSL_PARAM_octet_string(OSSL_PKEY_PARAM_ENCODED_PUBLIC_KEY, NULL, 0),
        OSSL_PARAM_END,
    };
    (void)provctx;
    return params;
}

static const char *x25519_query_operation_name(int operation)
{
    (void)operation;
    return "X25519";
}

const OSSL_DISPATCH oct_x25519_keymgmt_table[] = {
    OCT_KEYMGMT_ENTRY(NEW, new, oct_prov_x25519_new),
    OCT_KEYMGMT_ENTRY(FREE, free, oct_prov_key_free),
    OCT_KEYMGMT_ENTRY(LOAD, load, oct_prov_key_load),
    OCT_KEYMGMT_ENTRY(HAS, has, oct_prov_key_has),
    OCT_KEYMGMT_ENTRY(IMPORT, import, x25519_import),
    OCT_KEYMGMT_ENTRY(IMPORT_TYPES, import_types, x25519_types),
    OCT_KEYMGMT_ENTRY(EXPORT, export, x25519_export),
    OCT_KEYMGMT_ENTRY(EXPORT_TYPES, export_types, x25519_types),
    OCT_KEYMGMT_ENTRY(MATCH, match, x25519_match),
    OCT_KEYMGMT_ENTRY(VALIDATE, validate, x25519_validate),
    OCT_KEYMGMT_ENTRY(DUP, dup, x25519_dup),
    OCT_KEYMGMT_ENTRY(GET_PARAMS, get_params, x25519_get_params),
    OCT_KEYMGMT_ENTRY(GETTABLE_PARAMS, gettable_params, x25519_gettable_params),
    OCT_KEYMGMT_ENTRY(SET_PARAMS, set_params, x25519_set_params),
    OCT_KEYMGMT_ENTRY(SETTABLE_PARAMS, settable_params, x25519_settable_params),
    OCT_KEYMGMT_ENTRY(QUERY_OPERATION_NAME, query_operation_name, x25519_query_operation_name),
    OCT_KEYMGMT_ENTRY(GEN_INIT, gen_init, oct_x25519_gen_init),
    OCT_KEYMGMT_ENTRY(GEN_SET_PARAMS, gen_set_params, oct_x25519_gen_set_params),
    OCT_KEYMGMT_ENTRY(GEN_SETTABLE_PARAMS, gen_settable_params, oct_x25519_gen_settable_params),
    OCT_KEYMGMT_ENTRY(GEN, gen, oct_x25519_gen),
    OCT_KEYMGMT_ENTRY(GEN_CLEANUP, gen_cleanup, oct_keygen_cleanup),
    OCT_DISPATCH_END,
};
