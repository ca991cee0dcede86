/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * ECDH over the group keys: what contexts/exchange.h leaves to the family. Whatever has parameters, such as a KDF, is
 * served by a context of OpenSSL's own, made when it is first wanted.
 */
#include "provider/contexts/exchange.h"
#include "provider/core/dispatch.h"
#include "provider/core/provider.h"
#include "sm2.h"

static int derivation_fill(const struct oct_task *task, struct oct_job *job)
{
    const struct oct_derivation *d = (const struct oct_derivation *)task;
    const struct oct_prov_sm2 *own = task->key[0], *peer = task->key[1];

    job->ec_derive = (struct oct_ec_derive_lane){own->private_key, peer->public_key, d->secret};
    return own->has_numbers && peer->has_numbers;
}

static EVP_PKEY *fallback_key(const void *vkey)
{
    const struct oct_prov_sm2 *key = vkey;
    return key->fallback;
}

static int derivation_fallback(const struct oct_task *task)
{
    return oct_exchange_fallback_secret(task, OCT_SM2_BYTES);
}

static const struct oct_task_type derivation_type = {derivation_fill, derivation_fallback, OCT_REASON_LANE_INPUT,
                                                     OCT_WORK_EXCHANGE};

static void *exchange_new(void *provctx)
{
    return oct_exchange_new_with(provctx, fallback_key);
}

static const OSSL_PARAM *exchange_settable(void *vexchange, void *provctx)
{
    struct oct_exchange *exchange = vexchange;

    (void)provctx;
    return exchange != NULL && oct_exchange_become_fallback(exchange) ? EVP_PKEY_CTX_settable_params(exchange->fallback)
                                                                      : NULL;
}

static const OSSL_PARAM *exchange_gettable(void *vexchange, void *provctx)
{
    struct oct_exchange *exchange = vexchange;

    (void)provctx;
    return exchange != NULL && oct_exchange_become_fallback(exchange) ? EVP_PKEY_CTX_gettable_params(exchange->fallback)
                                                                      : NULL;
}

static int exchange_init(void *vexchange, void *vkey, const OSSL_PARAM params[])
{
    struct oct_exchange *exchange = vexchange;
    const struct oct_prov_sm2 *key = vkey;

    if (exchange == NULL || !oct_exchange_start(exchange, vkey))
        return 0;
    if (key->fallback == NULL)
        return OCT_RAISE(exchange->prov, OCT_REASON_NO_KEY);
    return oct_exchange_set_params(exchange, params);
}

static int exchange_set_peer(void *vexchange, void *vkey)
{
    struct oct_exchange *exchange = vexchange;
    const struct oct_prov_sm2 *key = vkey;

    if (exchange == NULL)
        return 0;
    if (key == NULL || key->fallback == NULL)
        return OCT_RAISE(exchange->prov, OCT_REASON_NO_KEY);
    return oct_exchange_take_peer_with(exchange, vkey);
}

static int exchange_derive(void *vexchange, unsigned char *out, size_t *out_len, size_t size)
{
    static const struct oct_exchange_lanes lanes = {&derivation_type, OCT_OP_SM2_DERIVE, true, OCT_SM2_BYTES};
    struct oct_exchange *exchange = vexchange;

    if (exchange == NULL)
        return 0;
    if (exchange->fallback != NULL)
        return oct_exchange_derive_fallback(exchange, out, out_len, size);
    return oct_exchange_is_ready(exchange) && oct_exchange_derive_cut(exchange, &lanes, out, out_len, size);
}

const OSSL_DISPATCH oct_sm2_exchange_table[] = {
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
