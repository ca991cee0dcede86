/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* ML-DSA key generation: OpenSSL's own, in the private context, with whatever parameters it takes there. */
#include "mldsa.h"
#include "provider/contexts/keygen.h"
#include "provider/core/provider.h"

struct keygen {
    struct oct_keygen base;
    int set;
};

/* A pair is made whatever is selected, as by OpenSSL's own. */
static void *gen_init(struct oct_prov *prov, int set, const OSSL_PARAM params[])
{
    struct keygen *gen = oct_keygen_new(prov, OCT_FAMILY_mldsa, sizeof *gen, OSSL_KEYMGMT_SELECT_KEYPAIR);

    if (gen == NULL)
        return NULL;
    gen->set = set;
    gen->base.ctx = oct_fallback_named_ctx(prov, oct_mldsa_name(set));
    if (gen->base.ctx != NULL && EVP_PKEY_keygen_init(gen->base.ctx) > 0 && oct_keygen_set_fallback(&gen->base, params))
        return gen;
    oct_keygen_cleanup(gen);
    return NULL;
}

void *oct_mldsa44_gen_init(void *provctx, int selection, const OSSL_PARAM params[])
{
    (void)selection;
    return gen_init(provctx, OCT_MLDSA_44, params);
}

void *oct_mldsa65_gen_init(void *provctx, int selection, const OSSL_PARAM params[])
{
    (void)selection;
    return gen_init(provctx, OCT_MLDSA_65, params);
}

int oct_mldsa_gen_set_params(void *genctx, const OSSL_PARAM params[])
{
    return oct_keygen_set_fallback(genctx, params);
}

/* The same for both sets. */
const OSSL_PARAM *oct_mldsa_gen_settable_params(void *genctx, void *provctx)
{
    const struct oct_mldsa_part *part = oct_mldsa_part(provctx);

    (void)genctx;
    return part == NULL ? NULL : EVP_KEYMGMT_gen_settable_params(part->keymgmt[OCT_MLDSA_44]);
}

static int generate(struct keygen *gen, struct oct_prov_mldsa *key)
{
    EVP_PKEY *fallback = oct_keygen_generate_fallback(&gen->base);
    return fallback != NULL && oct_prov_mldsa_set_fallback(key, fallback);
}

void *oct_mldsa_gen(void *genctx, OSSL_CALLBACK *callback, void *arg)
{
    struct keygen *gen = genctx;
    struct oct_prov_mldsa *key = gen == NULL ? NULL : oct_prov_mldsa_new(gen->base.prov, gen->set);

    (void)callback, (void)arg;
    if (key == NULL || generate(gen, key))
        return key;
    oct_prov_key_free(key);
    return NULL;
}
