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

#include <openssl/crypto.h>
#include <openssl/params.h>
#include <string.h>

static int derivation_fill(const struct oct_task *task, struct oct_job *job)
{
    const struct oct_derivation *d = (const struct oct_derivation *)task;
    const struct oct_prov_sm2 *own = task->key[0], *peer = task->key[1];

    job->ec_derive = (struct oct_ec_derive_lane){own->private_key, peer->public_key, d->secret};
    return own->has_numbers && peer->has_numbers;
}

static EVP_PKEY_CTX *plain_ctx(const struct oct_prov_sm2 *own, const struct oct_prov_sm2 *peer)
{
    EVP_PKEY_CTX *ctx = oct_plain_key_ctx(own->base.prov, own->plain);

    if (ctx != NULL && EVP_PKEY_derive_init(ctx) > 0 &&
        (peer == NULL || EVP_PKEY_derive_set_peer_ex(ctx, peer->plain, 0) > 0))
        return ctx;
    EVP_PKEY_CTX_free(ctx);
    return NULL;
}

static int derivation_plain(const struct oct_task *task)
{
    const struct oct_derivation *d = (const struct oct_derivation *)task;
    size_t len = OCT_SM2_BYTES;

    if (*d->spare == NULL)
        *d->spare = plain_ctx(task->key[0], task->key[1]);
    return *d->spare != NULL && EVP_PKEY_derive(*d->spare, d->secret, &len) > 0 && len == OCT_SM2_BYTES;
}

static const struct oct_task_type derivation_type = {derivation_fill, derivation_plain, OCT_REASON_LANE_INPUT};

/* From now on the context is OpenSSL's own. */
static int become_plain(struct oct_exchange *exchange)
{
    if (exchange->plain == NULL && exchange->own == NULL)
        return OCT_RAISE(exchange->prov, OCT_REASON_NO_KEY);
    if (exchange->plain == NULL)
        exchange->plain = plain_ctx(exchange->own, exchange->peer);
    return exchange->plain != NULL;
}

static int exchange_set_params(void *vexchange, const OSSL_PARAM params[])
{
    struct oct_exchange *exchange = vexchange;

    if (exchange == NULL)
        return 0;
    if (params == NULL || params[0].key == NULL)
        return 1;
    return become_plain(exchange) && EVP_PKEY_CTX_set_params(exchange->plain, params) > 0;
}

static int exchange_get_params(void *vexchange, OSSL_PARAM params[])
{
    struct oct_exchange *exchange = vexchange;
    return exchange != NULL && become_plain(exchange) && EVP_PKEY_CTX_get_params(exchange->plain, params) > 0;
}

static const OSSL_PARAM *exchange_settable(void *vexchange, void *provctx)
{
    struct oct_exchange *exchange = vexchange;

    (void)provctx;
    return exchange != NULL && become_plain(exchange) ? EVP_PKEY_CTX_settable_params(exchange->plain) : NULL;
}

static const OSSL_PARAM *exchange_gettable(void *vexchange, void *provctx)
{
    struct oct_exchange *exchange = vexchange;

    (void)provctx;
    return exchange != NULL && become_plain(exchange) ? EVP_PKEY_CTX_gettable_params(exchange->plain) : NULL;
}

static int exchange_init(void *vexchange, void *vkey, const OSSL_PARAM params[])
{
    struct oct_exchange *exchange = vexchange;
    const struct oct_prov_sm2 *key = vkey;

    if (exchange == NULL || !oct_exchange_start(exchange, vkey))
        return 0;
    if (key->plain == NULL)
        return OCT_RAISE(exchange->prov, OCT_REASON_NO_KEY);
    return exchange_set_params(exchange, params);
}

static int exchange_set_peer(void *vexchange, void *vkey)
{
    struct oct_exchange *exchange = vexchange;
    const struct oct_prov_sm2 *key = vkey;

    if (exchange == NULL)
        return 0;
    if (key == NULL || key->plain == NULL)
        return OCT_RAISE(exchange->prov, OCT_REASON_NO_KEY);
    if (exchange->plain != NULL && EVP_PKEY_derive_set_peer_ex(exchange->plain, key->plain, 0) <= 0)
        return 0;
    return oct_exchange_take_peer(exchange, vkey);
}

/* As OpenSSL's own: a secret that does not fit is cut off. */
static int exchange_derive(void *vexchange, unsigned char *out, size_t *out_len, size_t size)
{
    struct oct_exchange *exchange = vexchange;
    uint8_t secret[OCT_SM2_BYTES];
    int ok;

    if (exchange == NULL)
        return 0;
    if (exchange->plain != NULL) {
        *out_len = size;
        return EVP_PKEY_derive(exchange->plain, out, out_len) > 0;
    }
    if (!oct_exchange_is_ready(exchange))
        return 0;
    *out_len = out == NULL || size >= sizeof secret ? sizeof secret : size;
    if (out == NULL)
        return 1;
    ok = oct_exchange_derive(exchange, &derivation_type, OCT_OP_SM2_DERIVE, true, secret);
    if (ok)
        memcpy(out, secret, *out_len);
    OPENSSL_cleanse(secret, sizeof secret);
    return ok;
}

const OSSL_DISPATCH oct_sm2_exchange_table[] = {
    OCT_EXCHANGE_ENTRY(NEWCTX, newctx, oct_exchange_new),
    OCT_EXCHANGE_ENTRY(FREECTX, freectx, oct_exchange_free),
    OCT_EXCHANGE_ENTRY(DUPCTX, dupctx, oct_exchange_dup),
    OCT_EXCHANGE_ENTRY(INIT, init, exchange_init),
    OCT_EXCHANGE_ENTRY(SET_PEER, set_peer, exchange_set_peer),
    OCT_EXCHANGE_ENTRY(DERIVE, derive, exchange_derive),
    OCT_EXCHANGE_ENTRY(SET_CTX_PARAMS, set_ctx_params, exchange_set_params),
    OCT_EXCHANGE_ENTRY(SETTABLE_CTX_PARAMS, settable_ctx_params, exchange_settable),
    OCT_EXCHANGE_ENTRY(GET_CTX_PARAMS, get_ctx_params, exchange_get_params),
    OCT_EXCHANGE_ENTRY(GETTABLE_CTX_PARAMS, gettable_ctx_params, exchange_gettable),
    OCT_DISPATCH_END,
};
