/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * RSA key management: OpenSSL's entry points over the key object. Parameters, exports, checks and lists of what exists
 * are those of OpenSSL's own implementation, asked in the private context, so that they are those of the version of
 * OpenSSL that runs.
 */
#include "provider/contexts/keygen.h"
#include "provider/core/dispatch.h"
#include "provider/core/provider.h"
#include "rsa.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <string.h>

#define RSA_SELECTIONS (OSSL_KEYMGMT_SELECT_KEYPAIR | OSSL_KEYMGMT_SELECT_OTHER_PARAMETERS)

/* Only an object that nobody else holds can change. RSA keys proper have no parameters to import alone. */
static int rsa_import(void *keydata, int selection, const OSSL_PARAM params[])
{
    struct oct_prov_rsa *key = keydata;

    if (key == NULL || (selection & RSA_SELECTIONS) == 0)
        return 0;
    if ((selection & OSSL_KEYMGMT_SELECT_KEYPAIR) == 0)
        return 1;
    if (!oct_prov_key_is_unshared(&key->base))
        return OCT_RAISE(key->base.prov, OCT_REASON_KEY_IMPORT);
    return oct_prov_rsa_import(key, selection, params);
}

static int rsa_export(void *keydata, int selection, OSSL_CALLBACK *callback, void *arg)
{
    struct oct_prov_rsa *key = keydata;

    if (key == NULL || key->fallback == NULL || (selection & RSA_SELECTIONS) == 0)
        return 0;
    return EVP_PKEY_export(key->fallback, selection, callback, arg);
}

/* What OpenSSL's own RSA takes and gives; there is no public way to ask it without a key. */
static const OSSL_PARAM *rsa_types(int selection)
{
    static const OSSL_PARAM both[] = {
        OSSL_PARAM_BN(OSSL_PKEY_PARAM_RSA_N, NULL, 0), OSSL_PARAM_BN(OSSL_PKEY_PARAM_RSA_E, NULL, 0),
        OSSL_PARAM_BN(OSSL_PKEY_PARAM_RSA_D, NULL, 0),
#define EACH_OF_TEN(name)                                                                                              \
    OSSL_PARAM_BN(name "1", NULL, 0), OSSL_PARAM_BN(name "2", NULL, 0), OSSL_PARAM_BN(name "3", NULL, 0),              \
        OSSL_PARAM_BN(name "4", NULL, 0), OSSL_PARAM_BN(name "5", NULL, 0), OSSL_PARAM_BN(name "6", NULL, 0),          \
        OSSL_PARAM_BN(name "7", NULL, 0), OSSL_PARAM_BN(name "8", NULL, 0), OSSL_PARAM_BN(name "9", NULL, 0)
        EACH_OF_TEN(OSSL_PKEY_PARAM_RSA_FACTOR),       OSSL_PARAM_BN(OSSL_PKEY_PARAM_RSA_FACTOR10, NULL, 0),
        EACH_OF_TEN(OSSL_PKEY_PARAM_RSA_EXPONENT),     OSSL_PARAM_BN(OSSL_PKEY_PARAM_RSA_EXPONENT10, NULL, 0),
        EACH_OF_TEN(OSSL_PKEY_PARAM_RSA_COEFFICIENT),  OSSL_PARAM_END,
    };
    static const OSSL_PARAM public_only[] = {
        OSSL_PARAM_BN(OSSL_PKEY_PARAM_RSA_N, NULL, 0),
        OSSL_PARAM_BN(OSSL_PKEY_PARAM_RSA_E, NULL, 0),
        OSSL_PARAM_END,
    };
    if ((selection & OSSL_KEYMGMT_SELECT_PRIVATE_KEY) != 0)
        return both;
    return (selection & OSSL_KEYMGMT_SELECT_PUBLIC_KEY) != 0 ? public_only : NULL;
}

static int same_number(const struct oct_prov_rsa *a, const struct oct_prov_rsa *b, const char *name)
{
    BIGNUM *x = NULL, *y = NULL;
    int same = EVP_PKEY_get_bn_param(a->fallback, name, &x) && EVP_PKEY_get_bn_param(b->fallback, name, &y) &&
               BN_cmp(x, y) == 0;

    BN_clear_free(x);
    BN_clear_free(y);
    return same;
}

/* As OpenSSL's own: e always; then n if the public key was asked for and both have it, else d. */
static int rsa_match(const void *keydata1, const void *keydata2, int selection)
{
    const struct oct_prov_rsa *a = keydata1, *b = keydata2;

    if (a == NULL || b == NULL || a->fallback == NULL || b->fallback == NULL)
        return a == b;
    if ((selection & OSSL_KEYMGMT_SELECT_KEYPAIR) == 0 || a == b)
        return 1;
    if (!same_number(a, b, OSSL_PKEY_PARAM_RSA_E))
        return 0;
    if ((selection & OSSL_KEYMGMT_SELECT_PUBLIC_KEY) != 0 || !a->base.has_private || !b->base.has_private)
        return same_number(a, b, OSSL_PKEY_PARAM_RSA_N);
    return same_number(a, b, OSSL_PKEY_PARAM_RSA_D);
}

static int rsa_validate(const void *keydata, int selection, int type)
{
    const struct oct_prov_rsa *key = keydata;
    return key != NULL && oct_fallback_validate(key->base.prov, key->fallback, selection, type);
}

/* The public part of a private key, as a key of its own. */
static int import_public(const OSSL_PARAM params[], void *arg)
{
    return oct_prov_rsa_import(arg, OSSL_KEYMGMT_SELECT_PUBLIC_KEY, params);
}

static void *rsa_dup(const void *keydata, int selection)
{
    struct oct_prov_rsa *key = (struct oct_prov_rsa *)keydata;
    return key == NULL ? NULL : oct_prov_key_dup(&key->base, key->fallback, selection, oct_prov_rsa_new, import_public);
}

static int rsa_get_params(void *keydata, OSSL_PARAM params[])
{
    struct oct_prov_rsa *key = keydata;
    return key != NULL && key->fallback != NULL && EVP_PKEY_get_params(key->fallback, params);
}

static const OSSL_PARAM *rsa_gettable_params(void *provctx)
{
    return oct_fallback_gettable(provctx, OCT_FAMILY_rsa);
}

static const char *rsa_query_operation_name(int operation)
{
    (void)operation;
    return "RSA";
}

const OSSL_DISPATCH oct_rsa_keymgmt_table[] = {
    OCT_KEYMGMT_ENTRY(NEW, new, oct_prov_rsa_new),
    OCT_KEYMGMT_ENTRY(FREE, free, oct_prov_key_free),
    OCT_KEYMGMT_ENTRY(LOAD, load, oct_prov_key_load),
    OCT_KEYMGMT_ENTRY(HAS, has, oct_prov_key_has),
    OCT_KEYMGMT_ENTRY(IMPORT, import, rsa_import),
    OCT_KEYMGMT_ENTRY(IMPORT_TYPES, import_types, rsa_types),
    OCT_KEYMGMT_ENTRY(EXPORT, export, rsa_export),
    OCT_KEYMGMT_ENTRY(EXPORT_TYPES, export_types, rsa_types),
    OCT_KEYMGMT_ENTRY(MATCH, match, rsa_match),
    OCT_KEYMGMT_ENTRY(VALIDATE, validate, rsa_validate),
    OCT_KEYMGMT_ENTRY(DUP, dup, rsa_dup),
    OCT_KEYMGMT_ENTRY(GET_PARAMS, get_params, rsa_get_params),
    OCT_KEYMGMT_ENTRY(GETTABLE_PARAMS, gettable_params, rsa_gettable_params),
    OCT_KEYMGMT_ENTRY(QUERY_OPERATION_NAME, query_operation_name, rsa_query_operation_name),
    OCT_KEYMGMT_ENTRY(GEN_INIT, gen_init, oct_rsa_gen_init),
    OCT_KEYMGMT_ENTRY(GEN_SET_PARAMS, gen_set_params, oct_rsa_gen_set_params),
    OCT_KEYMGMT_ENTRY(GEN_SETTABLE_PARAMS, gen_settable_params, oct_rsa_gen_settable_params),
    OCT_KEYMGMT_ENTRY(GEN, gen, oct_rsa_gen),
    OCT_KEYMGMT_ENTRY(GEN_CLEANUP, gen_cleanup, oct_keygen_cleanup),
    OCT_DISPATCH_END,
};
