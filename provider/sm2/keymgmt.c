/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* SM2 key management: OpenSSL's entry points over the key object, with the rules of OpenSSL's own SM2 keys. */
#include "sm2.h"
#include "provider/contexts/ec_forms.h"
#include "provider/contexts/keygen.h"
#include "provider/core/dispatch.h"
#include "provider/core/provider.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/params.h>

#define SELECTIONS (OSSL_KEYMGMT_SELECT_KEYPAIR | OSSL_KEYMGMT_SELECT_ALL_PARAMETERS)

static void *sm2_new(void *provctx)
{
    return oct_prov_sm2_new(provctx, OCT_SM2_NAME);
}

static void *group_new(void *provctx)
{
    return oct_prov_sm2_new(provctx, OCT_SM2_GROUP);
}

static int sm2_has(const void *keydata, int selection)
{
    const struct oct_prov_sm2 *key = keydata;

    if (!oct_prov_key_has(key, selection))
        return 0;
    return (selection & OSSL_KEYMGMT_SELECT_DOMAIN_PARAMETERS) == 0 || key->fallback != NULL;
}

/* Only an object that nobody else holds can change. */
static int sm2_import(void *keydata, int selection, const OSSL_PARAM params[])
{
    struct oct_prov_sm2 *key = keydata;

    if (key == NULL || (selection & OSSL_KEYMGMT_SELECT_DOMAIN_PARAMETERS) == 0)
        return 0;
    if (!oct_prov_key_is_unshared(&key->base))
        return OCT_RAISE(key->base.prov, OCT_REASON_KEY_IMPORT);
    return oct_prov_sm2_import(key, selection, params);
}

static int sm2_export(void *keydata, int selection, OSSL_CALLBACK *callback, void *arg)
{
    const struct oct_prov_sm2 *key = keydata;
    return key != NULL && key->fallback != NULL && EVP_PKEY_export(key->fallback, selection, callback, arg);
}

/* As OpenSSL's own: the public keys if both have one, else the private ones. */
static int sm2_match(const void *keydata1, const void *keydata2, int selection)
{
    const struct oct_prov_sm2 *a = keydata1, *b = keydata2;

    if (a == NULL || b == NULL || a->fallback == NULL || b->fallback == NULL)
        return 0;
    if ((selection & OSSL_KEYMGMT_SELECT_KEYPAIR) == 0)
        return 1;
    if ((selection & OSSL_KEYMGMT_SELECT_PUBLIC_KEY) != 0 && a->base.has_public && b->base.has_public)
        return EVP_PKEY_eq(a->fallback, b->fallback) == 1;
    return (selection & OSSL_KEYMGMT_SELECT_PRIVATE_KEY) != 0 && a->base.has_private && b->base.has_private &&
           a->has_numbers && b->has_numbers && CRYPTO_memcmp(a->private_key, b->private_key, OCT_SM2_BYTES) == 0;
}

static int check_parameters(struct oct_prov *prov, EVP_PKEY *fallback, int quick)
{
    EVP_PKEY_CTX *ctx = oct_fallback_key_ctx(prov, fallback);
    const int ok = ctx != NULL && (quick ? EVP_PKEY_param_check_quick(ctx) : EVP_PKEY_param_check(ctx)) > 0;

    EVP_PKEY_CTX_free(ctx);
    return ok;
}

static int sm2_validate(const void *keydata, int selection, int type)
{
    const struct oct_prov_sm2 *key = keydata;

    if ((selection & SELECTIONS) == 0)
        return 1;
    if (!sm2_has(key, selection))
        return 0;
    if ((selection & OSSL_KEYMGMT_SELECT_DOMAIN_PARAMETERS) != 0 &&
        !check_parameters(key->base.prov, key->fallback, type == OSSL_KEYMGMT_VALIDATE_QUICK_CHECK))
        return 0;
    return (selection & OSSL_KEYMGMT_SELECT_KEYPAIR) == 0 ||
           oct_fallback_validate(key->base.prov, key->fallback, selection, type);
}

static int copy_parts(struct oct_prov_sm2 *copy, const struct oct_prov_sm2 *key, int selection)
{
    OSSL_PARAM *params = NULL;
    int parts = EVP_PKEY_KEY_PARAMETERS, ok;

    if ((selection & OSSL_KEYMGMT_SELECT_PRIVATE_KEY) != 0 && key->base.has_private)
        parts = EVP_PKEY_KEYPAIR;
    else if ((selection & OSSL_KEYMGMT_SELECT_PUBLIC_KEY) != 0 && key->base.has_public)
        parts = EVP_PKEY_PUBLIC_KEY;
    ok = EVP_PKEY_todata(key->fallback, parts, &params) && oct_prov_sm2_import(copy, parts, params);
    OSSL_PARAM_free(params);
    return ok;
}

/* A copy and not one more reference: setting parameters changes an object. */
static void *sm2_dup(const void *keydata, int selection)
{
    const struct oct_prov_sm2 *key = keydata;
    struct oct_prov_sm2 *copy = key == NULL ? NULL : oct_prov_sm2_new(key->base.prov, key->type);

    if (copy == NULL || key->fallback == NULL || copy_parts(copy, key, selection))
        return copy;
    oct_prov_key_free(copy);
    return NULL;
}

static int sm2_get_params(void *keydata, OSSL_PARAM params[])
{
    const struct oct_prov_sm2 *key = keydata;
    return key != NULL && key->fallback != NULL && EVP_PKEY_get_params(key->fallback, params);
}

static const OSSL_PARAM *sm2_gettable_params(void *provctx)
{
    return oct_fallback_gettable(provctx, OCT_FAMILY_sm2);
}

static int sm2_set_params(void *keydata, const OSSL_PARAM params[])
{
    struct oct_prov_sm2 *key = keydata;

    if (key == NULL)
        return 0;
    if (params == NULL || params[0].key == NULL)
        return 1;
    return key->fallback != NULL && EVP_PKEY_set_params(key->fallback, (OSSL_PARAM *)params) > 0 &&
           oct_prov_sm2_set_fallback(key, key->fallback);
}

static const OSSL_PARAM *sm2_settable_params(void *provctx)
{
    return oct_fallback_settable(provctx, OCT_FAMILY_sm2);
}

/* There is no key exchange over keys of this type in OpenSSL, and encryption is its own. */
static const char *sm2_query_operation_name(int operation)
{
    return operation == OSSL_OP_SIGNATURE ? OCT_SM2_NAME : NULL;
}

static const char *group_query_operation_name(int operation)
{
    return operation == OSSL_OP_KEYEXCH ? OCT_SM2_GROUP : NULL;
}

#define KEYMGMT_TABLE(type, gen_init_type)                                                                             \
    {                                                                                                                  \
        OCT_KEYMGMT_ENTRY(NEW, new, type##_new), OCT_KEYMGMT_ENTRY(FREE, free, oct_prov_key_free),                     \
            OCT_KEYMGMT_ENTRY(LOAD, load, oct_prov_key_load), OCT_KEYMGMT_ENTRY(HAS, has, sm2_has),                    \
            OCT_KEYMGMT_ENTRY(IMPORT, import, sm2_import),                                                             \
            OCT_KEYMGMT_ENTRY(IMPORT_TYPES, import_types, oct_ec_types),                                               \
            OCT_KEYMGMT_ENTRY(EXPORT, export, sm2_export),                                                             \
            OCT_KEYMGMT_ENTRY(EXPORT_TYPES, export_types, oct_ec_types), OCT_KEYMGMT_ENTRY(MATCH, match, sm2_match),   \
            OCT_KEYMGMT_ENTRY(VALIDATE, validate, sm2_validate), OCT_KEYMGMT_ENTRY(DUP, dup, sm2_dup),                 \
            OCT_KEYMGMT_ENTRY(GET_PARAMS, get_params, sm2_get_params),                                                 \
            OCT_KEYMGMT_ENTRY(GETTABLE_PARAMS, gettable_params, sm2_gettable_params),                                  \
            OCT_KEYMGMT_ENTRY(SET_PARAMS, set_params, sm2_set_params),                                                 \
            OCT_KEYMGMT_ENTRY(SETTABLE_PARAMS, settable_params, sm2_settable_params),                                  \
            OCT_KEYMGMT_ENTRY(QUERY_OPERATION_NAME, query_operation_name, type##_query_operation_name),                \
            OCT_KEYMGMT_ENTRY(GEN_INIT, gen_init, gen_init_type),                                                      \
            OCT_KEYMGMT_ENTRY(GEN_SET_TEMPLATE, gen_set_template, oct_sm2_gen_set_template),                           \
            OCT_KEYMGMT_ENTRY(GEN_SET_PARAMS, gen_set_params, oct_sm2_gen_set_params),                                 \
            OCT_KEYMGMT_ENTRY(GEN_SETTABLE_PARAMS, gen_settable_params, oct_sm2_gen_settable_params),                  \
            OCT_KEYMGMT_ENTRY(GEN, gen, oct_sm2_gen), OCT_KEYMGMT_ENTRY(GEN_CLEANUP, gen_cleanup, oct_keygen_cleanup), \
            OCT_DISPATCH_END,                                                                                          \
    }

const OSSL_DISPATCH oct_sm2_keymgmt_table[] = KEYMGMT_TABLE(sm2, oct_sm2_gen_init);
const OSSL_DISPATCH oct_sm2_group_table[] = KEYMGMT_TABLE(group, oct_sm2_group_gen_init);
