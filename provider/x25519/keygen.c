/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * X25519 key generation: a pair from the pool, or one of OpenSSL's own. TLS names the group and nothing else; with any
 * other parameter (a seed for the key, say) generation is OpenSSL's own in the private context.
 */
#include "provider/async/pair.h"
#include "provider/contexts/keygen.h"
#include "provider/core/provider.h"
#include "x25519.h"

#include <openssl/core_names.h>
#include <openssl/params.h>
#include <strings.h>

void *oct_x25519_gen_init(void *provctx, int selection, const OSSL_PARAM params[])
{
    struct oct_keygen *gen = oct_keygen_new(provctx, OCT_FAMILY_x25519, sizeof *gen, selection);

    if (gen == NULL || oct_x25519_gen_set_params(gen, params))
        return gen;
    oct_keygen_cleanup(gen);
    return NULL;
}

/* Property queries are about what generation fetches: nothing here. */
int oct_x25519_gen_set_params(void *genctx, const OSSL_PARAM params[])
{
    struct oct_keygen *gen = genctx;
    int others = 0;

    if (gen == NULL)
        return 0;
    for (const OSSL_PARAM *p = params; p != NULL && p->key != NULL; p++) {
        if (strcasecmp(p->key, OSSL_PKEY_PARAM_GROUP_NAME) == 0) {
            if (p->data_type != OSSL_PARAM_UTF8_STRING || p->data == NULL || strcasecmp(p->data, "X25519") != 0)
                return OCT_RAISE(gen->prov, OCT_REASON_GROUP);
        } else if (strcasecmp(p->key, OSSL_PKEY_PARAM_PROPERTIES) != 0) {
            others = 1;
        }
    }
    return !others || oct_keygen_set_fallback(gen, params);
}

const OSSL_PARAM *oct_x25519_gen_settable_params(void *genctx, void *provctx)
{
    (void)genctx;
    return oct_fallback_gen_settable(provctx, OCT_FAMILY_x25519);
}

static int make_pair(struct oct_keygen *gen, struct oct_prov_x25519 *key)
{
    uint8_t *private_key = oct_prov_x25519_private(key);

    if (private_key == NULL)
        return 0;
    if (gen->ctx != NULL || !oct_pair_take(gen->prov, OCT_OP_X25519_KEYGEN, key->public_key, private_key)) {
        oct_counters_note_fallback(OCT_OP_X25519_KEYGEN);
        if (!oct_x25519_fallback_generate(gen->prov, gen->ctx, key->public_key, private_key))
            return 0;
    }
    key->base.has_public = key->base.has_private = 1;
    return 1;
}

/* Without a key pair asked for, a key to be filled in: so a TLS server makes the place for its peer's share. */
void *oct_x25519_gen(void *genctx, OSSL_CALLBACK *callback, void *arg)
{
    struct oct_keygen *gen = genctx;
    struct oct_prov_x25519 *key = gen == NULL ? NULL : oct_prov_x25519_new(gen->prov);

    (void)callback, (void)arg;
    if (key == NULL || (gen->selection & OSSL_KEYMGMT_SELECT_KEYPAIR) == 0 || make_pair(gen, key))
        return key;
    oct_prov_key_free(key);
    return NULL;
}
