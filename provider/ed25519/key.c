/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The Ed25519 key object: import and the lane key. See ed25519.h. */
#include "ed25519.h"

#include "provider/core/provider.h"

#include "base/policy.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/params.h>
#include <stdbool.h>
#include <string.h>

static void ed25519_destroy(void *vkey)
{
    struct oct_prov_ed25519 *key = vkey;

    for (int use = 0; use < OCT_ED25519_USES; use++)
        EVP_MD_CTX_free(atomic_load(&key->spare[use]));
    EVP_PKEY_free(key->fallback);
    oct_ed25519_key_free(atomic_load(&key->lanes));
    OPENSSL_free(key);
}

void *oct_prov_ed25519_new(void *prov)
{
    return oct_prov_key_new(prov, sizeof(struct oct_prov_ed25519), ed25519_destroy);
}

/* Length only: the private key is not looked at. */
static int note_private(const OSSL_PARAM params[], void *vkey)
{
    struct oct_prov_ed25519 *key = vkey;
    const OSSL_PARAM *p = OSSL_PARAM_locate_const(params, OSSL_PKEY_PARAM_PRIV_KEY);

    key->base.has_private = p != NULL && p->data_size == OCT_ED25519_SEED_BYTES;
    return 1;
}

/* The y coordinate is below 2^255-19, and x is not minus zero, which it would be where y is 1 or -1. Public. */
static bool is_canonical(const uint8_t point[OCT_ED25519_PUBLIC_BYTES])
{
    const int top = point[OCT_ED25519_PUBLIC_BYTES - 1] & 0x7f, sign = point[OCT_ED25519_PUBLIC_BYTES - 1] >> 7;
    uint8_t all = 0xff, any = 0;

    for (int i = 1; i < OCT_ED25519_PUBLIC_BYTES - 1; i++) {
        all &= point[i];
        any |= point[i];
    }
    if (top == 0x7f && all == 0xff)
        return point[0] < (sign ? 0xec : 0xed);
    return !(sign && top == 0 && any == 0 && point[0] == 1);
}

int oct_prov_ed25519_set_fallback(struct oct_prov_ed25519 *key, EVP_PKEY *fallback)
{
    size_t len = sizeof key->public_key;

    if (EVP_PKEY_get_raw_public_key(fallback, key->public_key, &len) <= 0 || len != sizeof key->public_key ||
        !EVP_PKEY_export(fallback, EVP_PKEY_KEYPAIR, note_private, key)) {
        EVP_PKEY_free(fallback);
        return OCT_RAISE(key->base.prov, OCT_REASON_KEY_IMPORT);
    }
    key->is_canonical = is_canonical(key->public_key);
    key->base.has_public = 1;
    key->fallback = fallback;
    return 1;
}

int oct_prov_ed25519_import(struct oct_prov_ed25519 *key, int selection, const OSSL_PARAM params[])
{
    EVP_PKEY *fallback = oct_fallback_import(key->base.prov, OCT_FAMILY_ed25519, selection, params);

    if (fallback == NULL)
        return OCT_RAISE(key->base.prov, OCT_REASON_KEY_IMPORT);
    return oct_prov_ed25519_set_fallback(key, fallback);
}

/* Later, when other threads may be reading the object: it writes key->lanes alone. Without lanes the fallback serves,
 * so what went wrong is no error of the caller's. False: there is no memory, and the next request is to try again. */
static bool make_lanes(struct oct_prov_ed25519 *key)
{
    struct oct_ed25519_key *lanes = NULL;
    uint8_t seed[OCT_ED25519_SEED_BYTES];
    int status = OCT_ERR_MEMORY;

    ERR_set_mark();
    if (oct_ed25519_fallback_seed(key, seed))
        status = oct_ed25519_key_new(&lanes, seed);
    ERR_pop_to_mark();
    OPENSSL_cleanse(seed, sizeof seed);
    if (status != OCT_OK)
        return status != OCT_ERR_MEMORY;
    if (memcmp(oct_ed25519_key_public(lanes), key->public_key, sizeof key->public_key) == 0)
        atomic_store_explicit(&key->lanes, lanes, memory_order_release);
    else
        oct_ed25519_key_free(lanes);
    return true;
}

const struct oct_ed25519_key *oct_prov_ed25519_lanes(struct oct_prov_ed25519 *key)
{
    struct oct_ed25519_key *lanes = atomic_load_explicit(&key->lanes, memory_order_acquire);

    if (lanes != NULL || !key->base.has_private)
        return lanes;
    if (atomic_load_explicit(&key->lane_requests, memory_order_relaxed) >= OCT_POLICY_KEY_USES)
        return NULL;
    if (atomic_fetch_add(&key->lane_requests, 1) == OCT_POLICY_KEY_USES - 1 && !make_lanes(key))
        atomic_store(&key->lane_requests, OCT_POLICY_KEY_USES - 1);
    return atomic_load_explicit(&key->lanes, memory_order_acquire);
}
