/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Ed25519 key generation: OpenSSL's own, in the private context, with whatever parameters it takes there. */
#include "ed25519.h"
#include "provider/contexts/keygen.h"
#include "provider/core/provider.h"

void *oct_ed25519_gen_init(void *provctx, int selection, const OSSL_PARAM params[])
{
    struct oct_keygen *gen = oct_keygen_new(provctx, OCT_FAMILY_ed25519, sizeof *gen, OSSL_KEYMGMT_SELECT_KEYPAIR);

    if (gen == NULL)
        return NULL;
    if (oct_keygen_fallback(gen) == NULL || !oct_keygen_set_fallback(gen, params)) {
        oct_keygen_cleanup(gen);
        return NULL;
    }
    gen->selection = selection;
    return gen;
}

int oct_ed25519_gen_set_params(void *genctx, const OSSL_PARAM params[])
{
    return oct_keygen_set_fallback(genctx, params);
}

const OSSL_PARAM *oct_ed25519_gen_settable_params(void *genctx, void *provctx)
{
    (void)genctx;
    return oct_fallback_gen_settable(provctx, OCT_FAMILY_ed25519);
}

static int generate(struct oct_keygen *gen, struct oct_prov_ed25519 *key)
{
    EVP_PKEY *fallback = oct_keygen_generate_fallback(gen);
    return fallback != NULL && oct_prov_ed25519_set_fallback(key, fallback);
}

/* Without a key pair asked for, an empty key, as OpenSSL's own. */
void *oct_ed25519_gen(void *genctx, OSSL_CALLBACK *callback, void *arg)
{
    struct oct_keygen *gen = genctx;
    struct oct_prov_ed25519 *key = gen == NULL ? NULL : oct_prov_ed25519_new(gen->prov);

    (void)callback, (void)arg;
    if (key == NULL || (gen->selection & OSSL_KEYMGMT_SELECT_KEYPAIR) == 0 || generate(gen, key))
        return key;
    oct_prov_key_free(key);
    return NULL;
}
