/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * ML-DSA key management: OpenSSL's entry points over the key object. Parameters, exports, checks and lists of what
 * exists are those of OpenSSL's own implementation, asked in the private context, so that they are those of the version
 * of OpenSSL that runs.
 */
#include "mldsa.h"
#include "provider/contexts/keygen.h"
#include "provider/core/dispatch.h"
#include "provider/core/param.h"
#include "provider/core/provider.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/params.h>
#include <string.h>

static void *mldsa44_new(void *provctx)
{
    return oct_prov_mldsa_new(provctx, OCT_MLDSA_44);
}

static void *mldsa65_new(void *provctx)
{
    return oct_prov_mldsa_new(provctx, OCT_MLDSA_65);
}

/* Only an object that nobody else holds, and that is empty, can change. */
static int mldsa_import(void *keydata, int selection, const OSSL_PARAM params[])
{
    struct oct_prov_mldsa *key = keydata;

    if (key == NULL || (selection & OSSL_KEYMGMT_SELECT_KEYPAIR) == 0)
        return 0;
    if (!oct_prov_key_is_unshared(&key->base) || key->fallback != NULL)
        return OCT_RAISE(key->base.prov, OCT_REASON_KEY_IMPORT);
    return oct_prov_mldsa_import(key, selection, params);
}

static int mldsa_export(void *keydata, int selection, OSSL_CALLBACK *callback, void *arg)
{
    const struct oct_prov_mldsa *key = keydata;

    if (key == NULL || key->fallback == NULL || (selection & OSSL_KEYMGMT_SELECT_KEYPAIR) == 0)
        return 0;
    return EVP_PKEY_export(key->fallback, selection, callback, arg);
}

static const OSSL_PARAM *mldsa_types(int selection)
{
    static const OSSL_PARAM types[] = {
        OSSL_PARAM_octet_string(OCT_MLDSA_PARAM_SEED, NULL, 0),
        OSSL_PARAM_octet_string(OSSL_PKEY_PARAM_PUB_KEY, NULL, 0),
        OSSL_PARAM_octet_string(OSSL_PKEY_PARAM_PRIV_KEY, NULL, 0),
        OSSL_PARAM_END,
    };
    return (selection & OSSL_KEYMGMT_SELECT_KEYPAIR) != 0 ? types : NULL;
}

static int same_private(const struct oct_prov_mldsa *a, const struct oct_prov_mldsa *b)
{
    uint8_t *x = NULL, *y = NULL;
    int same = 0;

    if (!a->base.has_private || !b->base.has_private)
        return 0;
    x = oct_mldsa_private(a);
    y = oct_mldsa_private(b);
    if (x != NULL && y != NULL)
        same = CRYPTO_memcmp(x, y, oct_mldsa_sk_bytes(a->set)) == 0;
    oct_mldsa_private_free(a, x);
    oct_mldsa_private_free(b, y);
    return same;
}

/* As OpenSSL's own: the public keys if both have one, else the private ones. */
static int mldsa_match(const void *keydata1, const void *keydata2, int selection)
{
    const struct oct_prov_mldsa *a = keydata1, *b = keydata2;

    if (a == NULL || b == NULL || a->set != b->set)
        return 0;
    if ((selection & OSSL_KEYMGMT_SELECT_KEYPAIR) == 0)
        return 1;
    if ((selection & OSSL_KEYMGMT_SELECT_PUBLIC_KEY) != 0 && a->fallback != NULL && b->fallback != NULL)
        return memcmp(a->public_key, b->public_key, oct_mldsa_pk_bytes(a->set)) == 0;
    return (selection & OSSL_KEYMGMT_SELECT_PRIVATE_KEY) != 0 && same_private(a, b);
}

static int mldsa_validate(const void *keydata, int selection, int type)
{
    const struct oct_prov_mldsa *key = keydata;
    return oct_prov_key_has(key, selection) && oct_fallback_validate(key->base.prov, key->fallback, selection, type);
}

/* The public part of a private key, as a key of its own. */
static int import_public(const OSSL_PARAM params[], void *arg)
{
    return oct_prov_mldsa_import(arg, OSSL_KEYMGMT_SELECT_PUBLIC_KEY, params);
}

static void *mldsa_dup(const void *keydata, int selection)
{
    struct oct_prov_mldsa *key = (struct oct_prov_mldsa *)keydata;
    if (key == NULL)
        return NULL;
    return oct_prov_key_dup(&key->base, key->fallback, selection, key->set == OCT_MLDSA_44 ? mldsa44_new : mldsa65_new,
                            import_public);
}

/* The digest is empty, not absent: with that libssl and `openssl req` know that none is to be named. */
static int empty_get_params(const struct oct_prov_mldsa *key, OSSL_PARAM params[])
{
    const int strength = key->set == OCT_MLDSA_44 ? 128 : 192;

    return oct_param_give_size(params, OSSL_PKEY_PARAM_BITS, 8 * oct_mldsa_pk_bytes(key->set)) &&
           oct_param_give_int(params, OSSL_PKEY_PARAM_SECURITY_BITS, strength) &&
           oct_param_give_size(params, OSSL_PKEY_PARAM_MAX_SIZE, oct_mldsa_signature_bytes(key->set)) &&
           oct_param_give_text(params, OSSL_PKEY_PARAM_MANDATORY_DIGEST, "");
}

static int mldsa_get_params(void *keydata, OSSL_PARAM params[])
{
    const struct oct_prov_mldsa *key = keydata;

    if (key == NULL)
        return 0;
    return key->fallback == NULL ? empty_get_params(key, params) : EVP_PKEY_get_params(key->fallback, params);
}

/* The same for both sets. */
static const OSSL_PARAM *mldsa_gettable_params(void *provctx)
{
    const struct oct_mldsa_part *part = oct_mldsa_part(provctx);
    return part == NULL ? NULL : EVP_KEYMGMT_gettable_params(part->keymgmt[OCT_MLDSA_44]);
}

#define TABLE(set)                                                                                                     \
    {                                                                                                                  \
        OCT_KEYMGMT_ENTRY(NEW, new, mldsa##set##_new), OCT_KEYMGMT_ENTRY(FREE, free, oct_prov_key_free),               \
            OCT_KEYMGMT_ENTRY(LOAD, load, oct_prov_key_load), OCT_KEYMGMT_ENTRY(HAS, has, oct_prov_key_has),           \
            OCT_KEYMGMT_ENTRY(IMPORT, import, mldsa_import),                                                           \
            OCT_KEYMGMT_ENTRY(IMPORT_TYPES, import_types, mldsa_types),                                                \
            OCT_KEYMGMT_ENTRY(EXPORT, export, mldsa_export),                                                           \
            OCT_KEYMGMT_ENTRY(EXPORT_TYPES, export_types, mldsa_types), OCT_KEYMGMT_ENTRY(MATCH, match, mldsa_match),  \
            OCT_KEYMGMT_ENTRY(VALIDATE, validate, mldsa_validate), OCT_KEYMGMT_ENTRY(DUP, dup, mldsa_dup),             \
            OCT_KEYMGMT_ENTRY(GET_PARAMS, get_params, mldsa_get_params),                                               \
            OCT_KEYMGMT_ENTRY(GETTABLE_PARAMS, gettable_params, mldsa_gettable_params),                                \
            OCT_KEYMGMT_ENTRY(GEN_INIT, gen_init, oct_mldsa##set##_gen_init),                                          \
            OCT_KEYMGMT_ENTRY(GEN_SET_PARAMS, gen_set_params, oct_mldsa_gen_set_params),                               \
            OCT_KEYMGMT_ENTRY(GEN_SETTABLE_PARAMS, gen_settable_params, oct_mldsa_gen_settable_params),                \
            OCT_KEYMGMT_ENTRY(GEN, gen, oct_mldsa_gen),                                                                \
            OCT_KEYMGMT_ENTRY(GEN_CLEANUP, gen_cleanup, oct_keygen_cleanup), OCT_DISPATCH_END,                         \
    }

const OSSL_DISPATCH oct_mldsa44_keymgmt_table[] = TABLE(44);
const OSSL_DISPATCH oct_mldsa65_keymgmt_table[] = TABLE(65);
