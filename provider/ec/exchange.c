/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * ECDH: what contexts/exchange.h leaves to the family. Other curves, and whatever has parameters (a KDF, the cofactor),
 * are served by a context of OpenSSL's own implementation, made when it is first wanted.
 */
#include "provider/core/dispatch.h"
#include "ec.h"
#include "provider/contexts/exchange.h"
#include "provider/core/provider.h"

#include <openssl/core_names.h>
#include <openssl/params.h>

static int derivation_fill(const struct oct_task *task, struct oct_job *job)
{
    const struct oct_derivation *d = (const struct oct_derivation *)task;
    const struct oct_prov_ec *own = task->key[0], *peer = task->key[1];

    job->ec_derive = (struct oct_ec_derive_lane){own->private_key, peer->public_key, d->secret};
    return 1;
}

static EVP_PKEY *fallback_key(const void *key)
{
    return oct_prov_ec_fallback(key);
}

static int derivation_fallback(const struct oct_task *task)
{
    const struct oct_prov_ec *own = task->key[0];
    return oct_exchange_fallback_secret(task, oct_ec_bytes(own->curve));
}

static const struct oct_task_type derivation_type = {derivation_fill, derivation_fallback, OCT_REASON_LANE_INPUT,
                                                     OCT_WORK_EXCHANGE};

static void *exchange_new(void *provctx)
{
    return oct_exchange_new_with(provctx, fallback_key);
}

/* A key without numbers is OpenSSL's from the start. */
static int exchange_init(void *vexchange, void *vkey, const OSSL_PARAM params[])
{
    struct oct_exchange *exchange = vexchange;
    struct oct_prov_ec *key = vkey;

    if (exchange == NULL || !oct_exchange_start(exchange, key))
        return 0;
    return (key->curve >= 0 || oct_exchange_become_fallback(exchange)) && oct_exchange_set_params(exchange, params);
}

static int exchange_set_peer(void *vexchange, void *vkey)
{
    struct oct_exchange *exchange = vexchange;
    const struct oct_prov_ec *key = vkey, *own = exchange == NULL ? NULL : exchange->own;

    if (exchange == NULL)
        return 0;
    if (key == NULL || own == NULL)
        return OCT_RAISE(exchange->prov, OCT_REASON_NO_KEY);
    if (exchange->fallback == NULL && key->curve != own->curve)
        return OCT_RAISE(exchange->prov, OCT_REASON_GROUP);
    return oct_exchange_take_peer_with(exchange, vkey);
}

static int exchange_derive(void *vexchange, unsigned char *out, size_t *out_len, size_t size)
{
    struct oct_exchange *exchange = vexchange;
    const struct oct_prov_ec *own = exchange == NULL ? NULL : exchange->own;

    if (exchange == NULL)
        return 0;
    if (exchange->fallback != NULL)
        return oct_exchange_derive_fallback(exchange, out, out_len, size);
    if (!oct_exchange_is_ready(exchange))
        return 0;
    const struct oct_exchange_lanes lanes = {.type = &derivation_type,
                                             .op = oct_ec_derive_op(own->curve),
                                             .may_pay_alone = oct_prov_curves[own->curve].may_pay_alone,
                                             .len = oct_ec_bytes(own->curve)};
    return oct_exchange_derive_cut(exchange, &lanes, out, out_len, size);
}

/* What OpenSSL's own ECDH takes and gives: there is no public way to ask it without a key. */
static const OSSL_PARAM settable[] = {
    OSSL_PARAM_int(OSSL_EXCHANGE_PARAM_EC_ECDH_COFACTOR_MODE, NULL),
    OSSL_PARAM_utf8_string(OSSL_EXCHANGE_PARAM_KDF_TYPE, NULL, 0),
    OSSL_PARAM_utf8_string(OSSL_EXCHANGE_PARAM_KDF_DIGEST, NULL, 0),
    OSSL_PARAM_utf8_string(OSSL_EXCHANGE_PARAM_KDF_DIGEST_PROPS, NULL, 0),
    OSSL_PARAM_size_t(OSSL_EXCHANGE_PARAM_KDF_OUTLEN, NULL),
    OSSL_PARAM_octet_string(OSSL_EXCHANGE_PARAM_KDF_UKM, NULL, 0),
    OSSL_PARAM_END,
};

static const OSSL_PARAM gettable[] = {
    OSSL_PARAM_int(OSSL_EXCHANGE_PARAM_EC_ECDH_COFACTOR_MODE, NULL),
    OSSL_PARAM_utf8_string(OSSL_EXCHANGE_PARAM_KDF_TYPE, NULL, 0),
    OSSL_PARAM_utf8_string(OSSL_EXCHANGE_PARAM_KDF_DIGEST, NULL, 0),
    OSSL_PARAM_size_t(OSSL_EXCHANGE_PARAM_KDF_OUTLEN, NULL),
    OSSL_PARAM_DEFN(OSSL_EXCHANGE_PARAM_KDF_UKM, OSSL_PARAM_OCTET_PTR, NULL, 0),
    OSSL_PARAM_END,
};

static const OSSL_PARAM *exchange_settable(void *exchange, void *provctx)
{
    (void)exchange, (void)provctx;
    return settable;
}

static const OSSL_PARAM *exchange_gettable(void *exchange, void *provctx)
{
    (void)exchange, (void)provctx;
    return gettable;
}

const OSSL_DISPATCH oct_ec_exchange_table[] = {
    OCT_EXCHANGE_ENTRY(NEWCTX, newctx, exchange_new),
    OCT_EXCHANGE_ENTRY(FREECTX, freectx, oct_exchange_free),
    OCT_EXCHANGE_ENTRY(DUPCTX, dupctx, oct_exchange_dup),
    OCT_EXCHANGE_ENTRY(INIT, init, exchange_init),
    OCT_EXCHANGE_ENTRY(SET_PEER, set_peer, exchange_set_peer),
    OCT_EXCHANGE_ENTRY(DERIVE, derive, exchange_derive),
    OCT_EXCHANGE_ENTRY(SET_CTX_PARAMS, set_ctx_params, oct_exchange_set_params),
    OCT_EXCHANGE_ENTRY(SETTABLE_CTX_PARAMS, settable_ctx_params, exchange_settable),
    OCT_EXCHANGE_ENTRY(GET_CTX_PARAMS, get_ctx_params, oct_exchange_get_params),
    OCT_EXCHANGE_ENTRY(GETTABLE_CTX_PARAMS, gettable_ctx_params, exchange_gettable),
    OCT_DISPATCH_END,
};
