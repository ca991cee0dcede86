/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The ML-DSA key object: import and the lane key. See mldsa.h. */
#include "mldsa.h"

#include "provider/core/provider.h"

#include "base/policy.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/params.h>
#include <stdbool.h>
#include <string.h>

static void mldsa_destroy(void *vkey)
{
    struct oct_prov_mldsa *key = vkey;

    for (int use = 0; use < OCT_MLDSA_USES; use++)
        EVP_PKEY_CTX_free(atomic_load(&key->spare[use]));
    EVP_PKEY_free(key->fallback);
    oct_mldsa_key_free(atomic_load(&key->lanes));
    OPENSSL_free(key);
}

struct oct_prov_mldsa *oct_prov_mldsa_new(struct oct_prov *prov, int set)
{
    struct oct_prov_mldsa *key = oct_prov_key_new(prov, sizeof *key, mldsa_destroy);

    if (key != NULL)
        key->set = set;
    return key;
}

/* Length only: the private key is not looked at. */
static int note_private(const OSSL_PARAM params[], void *vkey)
{
    struct oct_prov_mldsa *key = vkey;
    const OSSL_PARAM *p = OSSL_PARAM_locate_const(params, OSSL_PKEY_PARAM_PRIV_KEY);

    key->base.has_private = p != NULL && p->data_size == oct_mldsa_sk_bytes(key->set);
    return 1;
}

int oct_prov_mldsa_set_fallback(struct oct_prov_mldsa *key, EVP_PKEY *fallback)
{
    const size_t bytes = oct_mldsa_pk_bytes(key->set);
    size_t len = 0;

    if (EVP_PKEY_get_octet_string_param(fallback, OSSL_PKEY_PARAM_PUB_KEY, key->public_key, bytes, &len) <= 0 ||
        len != bytes || !EVP_PKEY_export(fallback, EVP_PKEY_KEYPAIR, note_private, key)) {
        EVP_PKEY_free(fallback);
        return OCT_RAISE(key->base.prov, OCT_REASON_KEY_IMPORT);
    }
    key->base.has_public = 1;
    key->fallback = fallback;
    return 1;
}

int oct_prov_mldsa_import(struct oct_prov_mldsa *key, int selection, const OSSL_PARAM params[])
{
    EVP_PKEY *fallback = oct_fallback_import_named(key->base.prov, oct_mldsa_name(key->set), selection, params);

    if (fallback == NULL)
        return OCT_RAISE(key->base.prov, OCT_REASON_KEY_IMPORT);
    return oct_prov_mldsa_set_fallback(key, fallback);
}

uint8_t *oct_mldsa_private(const struct oct_prov_mldsa *key)
{
    const size_t bytes = oct_mldsa_sk_bytes(key->set);
    uint8_t *sk = OPENSSL_malloc(bytes);
    size_t len = 0;

    if (sk == NULL) {
        OCT_RAISE(key->base.prov, OCT_REASON_MEMORY);
        return NULL;
    }
    if (EVP_PKEY_get_octet_string_param(key->fallback, OSSL_PKEY_PARAM_PRIV_KEY, sk, bytes, &len) > 0 && len == bytes)
        return sk;
    oct_mldsa_private_free(key, sk);
    OCT_RAISE(key->base.prov, key->base.has_private ? OCT_REASON_INTERNAL : OCT_REASON_NOT_PRIVATE);
    return NULL;
}

void oct_mldsa_private_free(const struct oct_prov_mldsa *key, uint8_t *bytes)
{
    OPENSSL_clear_free(bytes, oct_mldsa_sk_bytes(key->set));
}

static int private_lanes(struct oct_mldsa_key **lanes, const struct oct_prov_mldsa *key)
{
    uint8_t *sk = oct_mldsa_private(key);
    const int status = sk == NULL ? OCT_ERR_MEMORY : oct_mldsa_key_new_private(lanes, key->set, sk);

    oct_mldsa_private_free(key, sk);
    if (status != OCT_OK || memcmp(oct_mldsa_key_public(*lanes), key->public_key, oct_mldsa_pk_bytes(key->set)) == 0)
        return status;
    oct_mldsa_key_free(*lanes);
    return OCT_ERR_KEY;
}

/* Later, when other threads may be reading the object: it writes key->lanes alone. Without lanes the fallback serves,
 * so what went wrong is no error of the caller's. False: there is no memory, and the next request is to try again. */
static bool make_lanes(struct oct_prov_mldsa *key)
{
    struct oct_mldsa_key *lanes = NULL;
    int status;

    ERR_set_mark();
    status = key->base.has_private ? private_lanes(&lanes, key)
                                   : oct_mldsa_key_new_public(&lanes, key->set, key->public_key);
    ERR_pop_to_mark();
    if (status == OCT_OK)
        atomic_store_explicit(&key->lanes, lanes, memory_order_release);
    return status != OCT_ERR_MEMORY;
}

const struct oct_mldsa_key *oct_prov_mldsa_lanes(struct oct_prov_mldsa *key)
{
    struct oct_mldsa_key *lanes = atomic_load_explicit(&key->lanes, memory_order_acquire);
    const unsigned due = key->base.has_private ? 1 : OCT_POLICY_KEY_USES;

    if (lanes != NULL)
        return lanes;
    if (atomic_load_explicit(&key->lane_requests, memory_order_relaxed) >= due)
        return NULL;
    if (atomic_fetch_add(&key->lane_requests, 1) == due - 1 && !make_lanes(key))
        atomic_store(&key->lane_requests, due - 1);
    return atomic_load_explicit(&key->lanes, memory_order_acquire);
}
