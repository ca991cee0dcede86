/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* EC key management: OpenSSL's entry points over the key object, with the rules of OpenSSL's own EC keys. */
#include "provider/contexts/ec_forms.h"
#include "provider/contexts/keygen.h"
#include "provider/core/dispatch.h"
#include "ec.h"
#include "provider/core/provider.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <string.h>

#define EC_SELECTIONS (OSSL_KEYMGMT_SELECT_KEYPAIR | OSSL_KEYMGMT_SELECT_ALL_PARAMETERS)

static int ec_has(const void *keydata, int selection)
{
    const struct oct_prov_ec *key = keydata;

    if (!oct_prov_key_has(key, selection))
        return 0;
    return (selection & OSSL_KEYMGMT_SELECT_DOMAIN_PARAMETERS) == 0 || key->is_fallback || key->curve >= 0;
}

/* Only an object that nobody else holds can change. */
static int ec_import(void *keydata, int selection, const OSSL_PARAM params[])
{
    struct oct_prov_ec *key = keydata;

    if (key == NULL || (selection & OSSL_KEYMGMT_SELECT_DOMAIN_PARAMETERS) == 0)
        return 0;
    if (!oct_prov_key_is_unshared(&key->base))
        return OCT_RAISE(key->base.prov, OCT_REASON_KEY_IMPORT);
    return oct_prov_ec_import(key, selection, params);
}

static int ec_export(void *keydata, int selection, OSSL_CALLBACK *callback, void *arg)
{
    const struct oct_prov_ec *key = keydata;
    EVP_PKEY *fallback = key == NULL ? NULL : oct_prov_ec_fallback(key);
    return fallback != NULL && EVP_PKEY_export(fallback, selection, callback, arg);
}

static int same_private(EVP_PKEY *a, EVP_PKEY *b)
{
    BIGNUM *x = NULL, *y = NULL;
    int same = a != NULL && b != NULL && EVP_PKEY_get_bn_param(a, OSSL_PKEY_PARAM_PRIV_KEY, &x) &&
               EVP_PKEY_get_bn_param(b, OSSL_PKEY_PARAM_PRIV_KEY, &y) && BN_cmp(x, y) == 0;

    BN_clear_free(x);
    BN_clear_free(y);
    return same;
}

/* Numbers alone on the same curve, of a handshake's keys, need no key of OpenSSL's. */
static int same_group(const struct oct_prov_ec *a, const struct oct_prov_ec *b)
{
    EVP_PKEY *x, *y;

    if (a->curve >= 0 && b->curve >= 0)
        return a->curve == b->curve;
    x = oct_prov_ec_fallback(a);
    y = oct_prov_ec_fallback(b);
    return x != NULL && y != NULL && EVP_PKEY_parameters_eq(x, y) == 1;
}

/* As OpenSSL's own: the public keys if both have one, else the private ones. */
static int ec_match(const void *keydata1, const void *keydata2, int selection)
{
    const struct oct_prov_ec *a = keydata1, *b = keydata2;
    EVP_PKEY *x, *y;

    if (a == NULL || b == NULL || !ec_has(a, OSSL_KEYMGMT_SELECT_DOMAIN_PARAMETERS) ||
        !ec_has(b, OSSL_KEYMGMT_SELECT_DOMAIN_PARAMETERS))
        return 0;
    if ((selection & OSSL_KEYMGMT_SELECT_DOMAIN_PARAMETERS) != 0 && !same_group(a, b))
        return 0;
    if ((selection & OSSL_KEYMGMT_SELECT_KEYPAIR) == 0)
        return 1;
    if ((selection & OSSL_KEYMGMT_SELECT_PUBLIC_KEY) != 0 && a->base.has_public && b->base.has_public)
        return (x = oct_prov_ec_fallback(a)) != NULL && (y = oct_prov_ec_fallback(b)) != NULL && EVP_PKEY_eq(x, y) == 1;
    return (selection & OSSL_KEYMGMT_SELECT_PRIVATE_KEY) != 0 && a->base.has_private && b->base.has_private &&
           same_private(oct_prov_ec_fallback(a), oct_prov_ec_fallback(b));
}

static int check(EVP_PKEY_CTX *ctx, int selection, int quick)
{
    int ok = 1;

    if ((selection & OSSL_KEYMGMT_SELECT_DOMAIN_PARAMETERS) != 0)
        ok = (quick ? EVP_PKEY_param_check_quick(ctx) : EVP_PKEY_param_check(ctx)) > 0;
    if (ok && (selection & OSSL_KEYMGMT_SELECT_PUBLIC_KEY) != 0)
        ok = (quick ? EVP_PKEY_public_check_quick(ctx) : EVP_PKEY_public_check(ctx)) > 0;
    if (ok && (selection & OSSL_KEYMGMT_SELECT_PRIVATE_KEY) != 0)
        ok = EVP_PKEY_private_check(ctx) > 0;
    if (ok && (selection & OSSL_KEYMGMT_SELECT_KEYPAIR) == OSSL_KEYMGMT_SELECT_KEYPAIR)
        ok = EVP_PKEY_pairwise_check(ctx) > 0;
    return ok;
}

/* A public key that is numbers alone was checked when it was set: the groups have cofactor 1, so that each point of the
 * curve but infinity has order n, and multiplying it by n (as OpenSSL 3.0 does here, once in each handshake) would tell
 * nothing. */
static int ec_validate(const void *keydata, int selection, int type)
{
    const struct oct_prov_ec *key = keydata;
    EVP_PKEY_CTX *ctx;
    EVP_PKEY *fallback;
    int ok;

    if ((selection & EC_SELECTIONS) == 0)
        return 1;
    if (!ec_has(key, selection))
        return 0;
    if (!key->is_fallback && key->curve >= 0 && (selection & OSSL_KEYMGMT_SELECT_PRIVATE_KEY) == 0)
        return 1;
    fallback = oct_prov_ec_fallback(key);
    ctx = oct_fallback_key_ctx(key->base.prov, fallback);
    ok = ctx != NULL && check(ctx, selection, type == OSSL_KEYMGMT_VALIDATE_QUICK_CHECK);
    EVP_PKEY_CTX_free(ctx);
    return ok;
}

static int dup_numbers(struct oct_prov_ec *copy, const struct oct_prov_ec *key, int selection)
{
    copy->curve = key->curve;
    if ((selection & OSSL_KEYMGMT_SELECT_PUBLIC_KEY) != 0) {
        memcpy(copy->public_key, key->public_key, sizeof copy->public_key);
        copy->base.has_public = key->base.has_public;
    }
    if ((selection & OSSL_KEYMGMT_SELECT_PRIVATE_KEY) == 0 || !key->base.has_private)
        return 1;
    if (oct_prov_ec_private(copy) == NULL)
        return 0;
    memcpy(copy->private_key, key->private_key, OCT_EC_MAX_BYTES);
    return copy->base.has_private = 1;
}

static int import_all(const OSSL_PARAM params[], void *arg)
{
    return oct_prov_ec_import(arg, EVP_PKEY_KEYPAIR, params);
}

static int import_public(const OSSL_PARAM params[], void *arg)
{
    return oct_prov_ec_import(arg, EVP_PKEY_PUBLIC_KEY, params);
}

static int import_parameters(const OSSL_PARAM params[], void *arg)
{
    return oct_prov_ec_import(arg, EVP_PKEY_KEY_PARAMETERS, params);
}

static int dup_fallback(struct oct_prov_ec *copy, EVP_PKEY *fallback, int selection)
{
    if ((selection & OSSL_KEYMGMT_SELECT_PRIVATE_KEY) != 0)
        return EVP_PKEY_export(fallback, EVP_PKEY_KEYPAIR, import_all, copy);
    if ((selection & OSSL_KEYMGMT_SELECT_PUBLIC_KEY) != 0)
        return EVP_PKEY_export(fallback, EVP_PKEY_PUBLIC_KEY, import_public, copy);
    return EVP_PKEY_export(fallback, EVP_PKEY_KEY_PARAMETERS, import_parameters, copy);
}

/* A copy and not one more reference: setting parameters changes an object. */
static void *ec_dup(const void *keydata, int selection)
{
    const struct oct_prov_ec *key = keydata;
    struct oct_prov_ec *copy = key == NULL ? NULL : oct_prov_ec_new(key->base.prov);
    int ok = 1;

    if (copy == NULL)
        return NULL;
    if (key->is_fallback)
        ok = dup_fallback(copy, oct_prov_ec_fallback(key), selection);
    else if (key->curve >= 0)
        ok = dup_numbers(copy, key, selection);
    if (ok)
        return copy;
    oct_prov_key_free(copy);
    return NULL;
}

static const char *ec_query_operation_name(int operation)
{
    if (operation == OSSL_OP_KEYEXCH)
        return "ECDH";
    return operation == OSSL_OP_SIGNATURE ? "ECDSA" : NULL;
}

const OSSL_DISPATCH oct_ec_keymgmt_table[] = {
    OCT_KEYMGMT_ENTRY(NEW, new, oct_prov_ec_new),
    OCT_KEYMGMT_ENTRY(FREE, free, oct_prov_key_free),
    OCT_KEYMGMT_ENTRY(LOAD, load, oct_prov_key_load),
    OCT_KEYMGMT_ENTRY(HAS, has, ec_has),
    OCT_KEYMGMT_ENTRY(IMPORT, import, ec_import),
    OCT_KEYMGMT_ENTRY(IMPORT_TYPES, import_types, oct_ec_types),
    OCT_KEYMGMT_ENTRY(EXPORT, export, ec_export),
    OCT_KEYMGMT_ENTRY(EXPORT_TYPES, export_types, oct_ec_types),
    OCT_KEYMGMT_ENTRY(MATCH, match, ec_match),
    OCT_KEYMGMT_ENTRY(VALIDATE, validate, ec_validate),
    OCT_KEYMGMT_ENTRY(DUP, dup, ec_dup),
    OCT_KEYMGMT_ENTRY(GET_PARAMS, get_params, oct_ec_get_params),
    OCT_KEYMGMT_ENTRY(GETTABLE_PARAMS, gettable_params, oct_ec_gettable_params),
    OCT_KEYMGMT_ENTRY(SET_PARAMS, set_params, oct_ec_set_params),
    OCT_KEYMGMT_ENTRY(SETTABLE_PARAMS, settable_params, oct_ec_settable_params),
    OCT_KEYMGMT_ENTRY(QUERY_OPERATION_NAME, query_operation_name, ec_query_operation_name),
    OCT_KEYMGMT_ENTRY(GEN_INIT, gen_init, oct_ec_gen_init),
    OCT_KEYMGMT_ENTRY(GEN_SET_TEMPLATE, gen_set_template, oct_ec_gen_set_template),
    OCT_KEYMGMT_ENTRY(GEN_SET_PARAMS, gen_set_params, oct_ec_gen_set_params),
    OCT_KEYMGMT_ENTRY(GEN_SETTABLE_PARAMS, gen_settable_params, oct_ec_gen_settable_params),
    OCT_KEYMGMT_ENTRY(GEN, gen, oct_ec_gen),
    OCT_KEYMGMT_ENTRY(GEN_CLEANUP, gen_cleanup, oct_keygen_cleanup),
    OCT_DISPATCH_END,
};
