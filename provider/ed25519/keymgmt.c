/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Ed25519 key management: OpenSSL's entry points over the key object. Parameters, exports, checks and lists of what
 * exists are those of OpenSSL's own implementation, asked in the private context, so that they are those of the version
 * of OpenSSL that runs.
 */
#include "provider/contexts/keygen.h"
#include "provider/core/dispatch.h"
#include "ed25519.h"
#include "provider/core/param.h"
#include "provider/core/provider.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/params.h>
#include <string.h>

/* What OpenSSL's own says of a key that is still empty. */
#define BITS          256
#define SECURITY_BITS 128

/* Only an object that nobody else holds, and that is empty, can change. */
static int ed25519_import(void *keydata, int selection, const OSSL_PARAM params[])
{
    struct oct_prov_ed25519 *key = keydata;

    if (key == NULL || (selection & OSSL_KEYMGMT_SELECT_KEYPAIR) == 0)
        return 0;
    if (!oct_prov_key_is_unshared(&key->base) || key->fallback != NULL)
        return OCT_RAISE(key->base.prov, OCT_REASON_KEY_IMPORT);
    return oct_prov_ed25519_import(key, selection, params);
}

static int ed25519_export(void *keydata, int selection, OSSL_CALLBACK *callback, void *arg)
{
    const struct oct_prov_ed25519 *key = keydata;

    if (key == NULL || key->fallback == NULL || (selection & OSSL_KEYMGMT_SELECT_KEYPAIR) == 0)
        return 0;
    return EVP_PKEY_export(key->fallback, selection, callback, arg);
}

static const OSSL_PARAM *ed25519_types(int selection)
{
    static const OSSL_PARAM types[] = {
        OSSL_PARAM_octet_string(OSSL_PKEY_PARAM_PUB_KEY, NULL, 0),
        OSSL_PARAM_octet_string(OSSL_PKEY_PARAM_PRIV_KEY, NULL, 0),
        OSSL_PARAM_END,
    };
    return (selection & OSSL_KEYMGMT_SELECT_KEYPAIR) != 0 ? types : NULL;
}

static int same_seed(const struct oct_prov_ed25519 *a, const struct oct_prov_ed25519 *b)
{
    uint8_t x[OCT_ED25519_SEED_BYTES], y[OCT_ED25519_SEED_BYTES];
    const int same = a->base.has_private && b->base.has_private && oct_ed25519_fallback_seed(a, x) &&
                     oct_ed25519_fallback_seed(b, y) && CRYPTO_memcmp(x, y, sizeof x) == 0;

    OPENSSL_cleanse(x, sizeof x);
    OPENSSL_cleanse(y, sizeof y);
    return same;
}

/* As OpenSSL's own: the public keys if both have one, else the private ones. */
static int ed25519_match(const void *keydata1, const void *keydata2, int selection)
{
    const struct oct_prov_ed25519 *a = keydata1, *b = keydata2;

    if (a == NULL || b == NULL)
        return 0;
    if ((selection & OSSL_KEYMGMT_SELECT_KEYPAIR) == 0)
        return 1;
    if ((selection & OSSL_KEYMGMT_SELECT_PUBLIC_KEY) != 0 && a->fallback != NULL && b->fallback != NULL)
        return memcmp(a->public_key, b->public_key, sizeof a->public_key) == 0;
    return (selection & OSSL_KEYMGMT_SELECT_PRIVATE_KEY) != 0 && same_seed(a, b);
}

static int ed25519_validate(const void *keydata, int selection, int type)
{
    const struct oct_prov_ed25519 *key = keydata;
    return oct_prov_key_has(key, selection) && oct_fallback_validate(key->base.prov, key->fallback, selection, type);
}

/* The public part of a private key, as a key of its own. */
static int import_public(const OSSL_PARAM params[], void *arg)
{
    return oct_prov_ed25519_import(arg, OSSL_KEYMGMT_SELECT_PUBLIC_KEY, params);
}

static void *ed25519_dup(const void *keydata, int selection)
{
    struct oct_prov_ed25519 *key = (struct oct_prov_ed25519 *)keydata;
    return key == NULL ? NULL
                       : oct_prov_key_dup(&key->base, key->fallback, selection, oct_prov_ed25519_new, import_public);
}

/* The digest is empty, not absent: with that libssl and `openssl req` know that none is to be named. */
static int empty_get_params(OSSL_PARAM params[])
{
    return oct_param_give_int(params, OSSL_PKEY_PARAM_BITS, BITS) &&
           oct_param_give_int(params, OSSL_PKEY_PARAM_SECURITY_BITS, SECURITY_BITS) &&
           oct_param_give_int(params, OSSL_PKEY_PARAM_MAX_SIZE, OCT_ED25519_SIGNATURE_BYTES) &&
           oct_param_give_text(params, OSSL_PKEY_PARAM_MANDATORY_DIGEST, "");
}

static int ed25519_get_params(void *keydata, OSSL_PARAM params[])
{
    const struct oct_prov_ed25519 *key = keydata;

    if (key == NULL)
        return 0;
    return key->fallback == NULL ? empty_get_params(params) : EVP_PKEY_get_params(key->fallback, params);
}

static const OSSL_PARAM *ed25519_gettable_params(void *provctx)
{
    return oct_fallback_gettable(provctx, OCT_FAMILY_ed25519);
}

/* OpenSSL's own has nothing that can be set, and says yes to whatever is asked for. */
static int ed25519_set_params(void *keydata, const OSSL_PARAM params[])
{
    (void)params;
    return keydata != NULL;
}

static const OSSL_PARAM *ed25519_settable_params(void *provctx)
{
    return oct_fallback_settable(provctx, OCT_FAMILY_ed25519);
}

static const char *ed25519_query_operation_name(int operation)
{
    (void)operation;
    return "ED25519";
}

const OSSL_DISPATCH oct_ed25519_keymgmt_table[] = {
    OCT_KEYMGMT_ENTRY(NEW, new, oct_prov_ed25519_new),
    OCT_KEYMGMT_ENTRY(FREE, free, oct_prov_key_free),
    OCT_KEYMGMT_ENTRY(LOAD, load, oct_prov_key_load),
    OCT_KEYMGMT_ENTRY(HAS, has, oct_prov_key_has),
    OCT_KEYMGMT_ENTRY(IMPORT, import, ed25519_import),
    OCT_KEYMGMT_ENTRY(IMPORT_TYPES, import_types, ed25519_types),
    OCT_KEYMGMT_ENTRY(EXPORT, export, ed25519_export),
    OCT_KEYMGMT_ENTRY(EXPORT_TYPES, export_types, ed25519_types),
    OCT_KEYMGMT_ENTRY(MATCH, match, ed25519_match),
    OCT_KEYMGMT_ENTRY(VALIDATE, validate, ed25519_validate),
    OCT_KEYMGMT_ENTRY(DUP, dup, ed25519_dup),
    OCT_KEYMGMT_ENTRY(GET_PARAMS, get_params, ed25519_get_params),
    OCT_KEYMGMT_ENTRY(GETTABLE_PARAMS, gettable_params, ed25519_gettable_params),
    OCT_KEYMGMT_ENTRY(SET_PARAMS, set_params, ed25519_set_params),
    OCT_KEYMGMT_ENTRY(SETTABLE_PARAMS, settable_params, ed25519_settable_params),
    OCT_KEYMGMT_ENTRY(QUERY_OPERATION_NAME, query_operation_name, ed25519_query_operation_name),
    OCT_KEYMGMT_ENTRY(GEN_INIT, gen_init, oct_ed25519_gen_init),
    OCT_KEYMGMT_ENTRY(GEN_SET_PARAMS, gen_set_params, oct_ed25519_gen_set_params),
    OCT_KEYMGMT_ENTRY(GEN_SETTABLE_PARAMS, gen_settable_params, oct_ed25519_gen_settable_params),
    OCT_KEYMGMT_ENTRY(GEN, gen, oct_ed25519_gen),
    OCT_KEYMGMT_ENTRY(GEN_CLEANUP, gen_cleanup, oct_keygen_cleanup),
    OCT_DISPATCH_END,
};
