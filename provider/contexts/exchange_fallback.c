/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Exchanges with parameters, and those that OpenSSL's own context serves: see exchange.h. */
#include "exchange.h"

#include "provider/core/provider.h"

#include <openssl/crypto.h>
#include <openssl/params.h>
#include <string.h>

void *oct_exchange_new_with(void *provctx, oct_exchange_fallback_key *fallback_key)
{
    struct oct_exchange *exchange = oct_exchange_new(provctx);

    if (exchange != NULL)
        exchange->fallback_key = fallback_key;
    return exchange;
}

/* Of a key, and of its peer unless that is not set yet. */
static EVP_PKEY_CTX *fallback_ctx(struct oct_prov *prov, oct_exchange_fallback_key *fallback_key, const void *own,
                                  const void *peer)
{
    EVP_PKEY *peer_fallback = peer == NULL ? NULL : fallback_key(peer);
    EVP_PKEY_CTX *ctx = oct_fallback_key_ctx(prov, fallback_key(own));

    if (ctx != NULL && EVP_PKEY_derive_init(ctx) > 0 &&
        (peer == NULL || (peer_fallback != NULL && EVP_PKEY_derive_set_peer_ex(ctx, peer_fallback, 0) > 0)))
        return ctx;
    EVP_PKEY_CTX_free(ctx);
    return NULL;
}

int oct_exchange_become_fallback(struct oct_exchange *exchange)
{
    if (exchange->fallback == NULL && exchange->own == NULL)
        return OCT_RAISE(exchange->prov, OCT_REASON_NO_KEY);
    if (exchange->fallback == NULL)
        exchange->fallback = fallback_ctx(exchange->prov, exchange->fallback_key, exchange->own, exchange->peer);
    return exchange->fallback != NULL;
}

int oct_exchange_set_params(void *vexchange, const OSSL_PARAM params[])
{
    struct oct_exchange *exchange = vexchange;

    if (exchange == NULL)
        return 0;
    if (params == NULL || params[0].key == NULL)
        return 1;
    return oct_exchange_become_fallback(exchange) && EVP_PKEY_CTX_set_params(exchange->fallback, params) > 0;
}

int oct_exchange_get_params(void *vexchange, OSSL_PARAM params[])
{
    struct oct_exchange *exchange = vexchange;
    return exchange != NULL && oct_exchange_become_fallback(exchange) &&
           EVP_PKEY_CTX_get_params(exchange->fallback, params) > 0;
}

int oct_exchange_take_peer_with(struct oct_exchange *exchange, void *peer)
{
    if (exchange->fallback != NULL) {
        EVP_PKEY *fallback = exchange->fallback_key(peer);
        if (fallback == NULL || EVP_PKEY_derive_set_peer_ex(exchange->fallback, fallback, 0) <= 0)
            return 0;
    }
    return oct_exchange_take_peer(exchange, peer);
}

/* A context costs a fifth of a derivation, so it is kept: programs derive from the same keys again, if only to measure.
 */
int oct_exchange_fallback_secret(const struct oct_task *task, size_t len)
{
    const struct oct_derivation *d = (const struct oct_derivation *)task;
    size_t made = len;

    if (*d->spare == NULL)
        *d->spare = fallback_ctx(task->prov, d->fallback_key, task->key[0], task->key[1]);
    return *d->spare != NULL && EVP_PKEY_derive(*d->spare, d->secret, &made) > 0 && made == len;
}

int oct_exchange_derive_fallback(struct oct_exchange *exchange, unsigned char *out, size_t *out_len, size_t size)
{
    *out_len = size;
    return EVP_PKEY_derive(exchange->fallback, out, out_len) > 0;
}

int oct_exchange_derive_cut(struct oct_exchange *exchange, const struct oct_exchange_lanes *lanes, unsigned char *out,
                            size_t *out_len, size_t size)
{
    uint8_t secret[OCT_EC_MAX_BYTES];
    int ok;

    *out_len = out == NULL || size >= lanes->len ? lanes->len : size;
    if (out == NULL)
        return 1;
    ok = oct_exchange_derive(exchange, lanes->type, lanes->op, lanes->may_pay_alone, secret);
    if (ok)
        memcpy(out, secret, *out_len);
    OPENSSL_cleanse(secret, sizeof secret);
    return ok;
}
