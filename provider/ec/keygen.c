/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * EC key and parameter generation. TLS names a group and nothing else: on P-256 and P-384 that is a pair from the pool.
 * Everything else (other curves, explicit parameters, encodings, seeds) is OpenSSL's own, in the private context.
 */
#include "ec.h"
#include "provider/async/pair.h"
#include "provider/contexts/keygen.h"
#include "provider/core/provider.h"

#include <openssl/core_names.h>
#include <openssl/params.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

#define NAME_MAX_LEN 80

struct generation {
    struct oct_keygen base;
    int curve; /* with lanes, while nothing but its name is asked for; else -1 */
};

void *oct_ec_gen_init(void *provctx, int selection, const OSSL_PARAM params[])
{
    struct generation *gen;

    if ((selection & (OSSL_KEYMGMT_SELECT_KEYPAIR | OSSL_KEYMGMT_SELECT_ALL_PARAMETERS)) == 0)
        return NULL;
    gen = oct_keygen_new(provctx, OCT_FAMILY_ec, sizeof *gen, selection);
    if (gen == NULL)
        return NULL;
    gen->curve = -1;
    if (oct_ec_gen_set_params(gen, params))
        return gen;
    oct_keygen_cleanup(gen);
    return NULL;
}

/* OpenSSL's own context, with what was asked for so far. */
static EVP_PKEY_CTX *fallback_ctx(struct generation *gen)
{
    const int curve = gen->base.ctx == NULL ? gen->curve : -1;
    EVP_PKEY_CTX *ctx = oct_keygen_fallback(&gen->base);

    if (ctx == NULL)
        return NULL;
    if (curve >= 0) {
        const OSSL_PARAM params[] = {
            OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, (char *)oct_prov_curves[curve].names[0], 0),
            OSSL_PARAM_construct_end(),
        };
        if (EVP_PKEY_CTX_set_params(ctx, params) <= 0) {
            EVP_PKEY_CTX_free(ctx);
            return gen->base.ctx = NULL;
        }
    }
    gen->curve = -1;
    return ctx;
}

static bool has_text(const OSSL_PARAM *p, char text[NAME_MAX_LEN])
{
    return OSSL_PARAM_get_utf8_string(p, &text, NAME_MAX_LEN);
}

/* 1 if the parameters ask for nothing that a pair from the pool has not: the name of a curve with lanes, a named curve
 * (as is the default), properties (which are about what generation fetches: nothing). */
static bool is_simple(const OSSL_PARAM params[], int *curve)
{
    char text[NAME_MAX_LEN];

    for (const OSSL_PARAM *p = params; p->key != NULL; p++) {
        if (strcmp(p->key, OSSL_PKEY_PARAM_GROUP_NAME) == 0) {
            if (!has_text(p, text) || (*curve = oct_ec_curve_by_name(text)) < 0)
                return 0;
        } else if (strcmp(p->key, OSSL_PKEY_PARAM_EC_ENCODING) == 0) {
            if (!has_text(p, text) || strcmp(text, OSSL_PKEY_EC_ENCODING_GROUP) != 0)
                return 0;
        } else if (strcmp(p->key, OSSL_PKEY_PARAM_PROPERTIES) != 0) {
            return 0;
        }
    }
    return 1;
}

int oct_ec_gen_set_params(void *genctx, const OSSL_PARAM params[])
{
    struct generation *gen = genctx;
    EVP_PKEY_CTX *ctx;
    int curve = gen == NULL ? -1 : gen->curve;

    if (gen == NULL)
        return 0;
    if (params == NULL || params[0].key == NULL)
        return 1;
    if (gen->base.ctx == NULL && is_simple(params, &curve)) {
        gen->curve = curve;
        return 1;
    }
    ctx = fallback_ctx(gen);
    return ctx != NULL && EVP_PKEY_CTX_set_params(ctx, params) > 0;
}

static int take_parameters(const OSSL_PARAM params[], void *arg)
{
    return EVP_PKEY_CTX_set_params(arg, params) > 0;
}

/* The group and nothing else, as OpenSSL's own takes it. */
int oct_ec_gen_set_template(void *genctx, void *keydata)
{
    struct generation *gen = genctx;
    const struct oct_prov_ec *key = keydata;
    EVP_PKEY_CTX *ctx;
    EVP_PKEY *fallback;

    if (gen == NULL || key == NULL)
        return 0;
    if (gen->base.ctx == NULL && !key->is_fallback && key->curve >= 0) {
        gen->curve = key->curve;
        return 1;
    }
    fallback = oct_prov_ec_fallback(key);
    ctx = fallback == NULL ? NULL : fallback_ctx(gen);
    return ctx != NULL && EVP_PKEY_export(fallback, OSSL_KEYMGMT_SELECT_DOMAIN_PARAMETERS, take_parameters, ctx);
}

const OSSL_PARAM *oct_ec_gen_settable_params(void *genctx, void *provctx)
{
    (void)genctx;
    return oct_fallback_gen_settable(provctx, OCT_FAMILY_ec);
}

static int generate_fallback(struct generation *gen, struct oct_prov_ec *key)
{
    EVP_PKEY_CTX *ctx = fallback_ctx(gen);
    EVP_PKEY *fallback = NULL;

    fallback = ctx != NULL && EVP_PKEY_generate(ctx, &fallback) > 0 ? oct_fallback_whole(fallback) : NULL;
    return fallback != NULL && oct_prov_ec_set_fallback(key, fallback);
}

static int generate(struct generation *gen, struct oct_prov_ec *key)
{
    uint8_t *private_key;

    if (gen->base.ctx != NULL || gen->curve < 0)
        return generate_fallback(gen, key);
    if ((gen->base.selection & OSSL_KEYMGMT_SELECT_KEYPAIR) != 0) {
        if ((private_key = oct_prov_ec_private(key)) == NULL)
            return 0;
        const int op = oct_ec_keygen_op(gen->curve);
        if (!oct_pair_take(gen->base.prov, op, key->public_key, private_key)) {
            oct_counters_note_fallback(op);
            return generate_fallback(gen, key);
        }
        key->base.has_public = key->base.has_private = 1;
    }
    key->curve = gen->curve;
    return 1;
}

/* Without a key pair asked for, a group: so a TLS server makes the place for its peer's share. */
void *oct_ec_gen(void *genctx, OSSL_CALLBACK *callback, void *arg)
{
    struct generation *gen = genctx;
    struct oct_prov_ec *key = gen == NULL ? NULL : oct_prov_ec_new(gen->base.prov);

    (void)callback, (void)arg;
    if (key == NULL || generate(gen, key))
        return key;
    oct_prov_key_free(key);
    return NULL;
}
