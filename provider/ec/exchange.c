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
#include <openssl/crypto.h>
#include <openssl/params.h>
#include <string.h>

static int derivation_fill(const struct oct_task *task, struct oct_job *job)
{
    const struct oct_derivation *d = (const struct oct_derivation *)task;
    const struct oct_prov_ec *own = task->key[0], *peer = task->key[1];

    job->ec_derive = (struct oct_ec_derive_lane){own->private_key, peer->public_key, d->secret};
    return 1;
}

static EVP_PKEY_CTX *plain_ctx(const struct oct_prov_ec *own, const struct oct_prov_ec *peer)
{
    EVP_PKEY *peer_plain = peer == NULL ? NULL : oct_prov_ec_plain(peer);
    EVP_PKEY_CTX *ctx = oct_plain_key_ctx(own->base.prov, oct_prov_ec_plain(own));

    if (ctx != NULL && EVP_PKEY_derive_init(ctx) > 0 &&
        (peer == NULL || (peer_plain != NULL && EVP_PKEY_derive_set_peer_ex(ctx, peer_plain, 0) > 0)))
        return ctx;
    EVP_PKEY_CTX_free(ctx);
    return NULL;
}

/* A context costs a fifth of a derivation, so it is kept: programs derive from the same keys again, if only to measure.
 */
static int derivation_plain(const struct oct_task *task)
{
    const struct oct_derivation *d = (const struct oct_derivation *)task;
    const struct oct_prov_ec *own = task->key[0];
    size_t len = oct_ec_bytes(own->curve);

    if (*d->spare == NULL)
        *d->spare = plain_ctx(own, task->key[1]);
    return *d->spare != NULL && EVP_PKEY_derive(*d->spare, d->secret, &len) > 0 && len == oct_ec_bytes(own->curve);
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

/* A key without numbers is OpenSSL's from the start. */
static int exchange_init(void *vexchange, void *vkey, const OSSL_PARAM params[])
{
    struct oct_exchange *exchange = vexchange;
    struct oct_prov_ec *key = vkey;

    if (exchange == NULL || !oct_exchange_start(exchange, key))
        return 0;
    return (key->curve >= 0 || become_plain(exchange)) && exchange_set_params(exchange, params);
}

static int set_peer_plain(struct oct_exchange *exchange, const struct oct_prov_ec *peer)
{
    EVP_PKEY *plain = oct_prov_ec_plain(peer);
    return plain != NULL && EVP_PKEY_derive_set_peer_ex(exchange->plain, plain, 0) > 0;
}

static int exchange_set_peer(void *vexchange, void *vkey)
{
    struct oct_exchange *exchange = vexchange;
    const struct oct_prov_ec *key = vkey, *own = exchange == NULL ? NULL : exchange->own;

    if (exchange == NULL)
        return 0;
    if (key == NULL || own == NULL)
        return OCT_RAISE(exchange->prov, OCT_REASON_NO_KEY);
    if (exchange->plain == NULL && key->curve != own->curve)
        return OCT_RAISE(exchange->prov, OCT_REASON_GROUP);
    if (exchange->plain != NULL && !set_peer_plain(exchange, key))
        return 0;
    return oct_exchange_take_peer(exchange, vkey);
}

/* As OpenSSL's own: a secret that does not fit is cut off. */
static int exchange_derive(void *vexchange, unsigned char *out, size_t *out_len, size_t size)
{
    struct oct_exchange *exchange = vexchange;
    const struct oct_prov_ec *own = exchange == NULL ? NULL : exchange->own;
    uint8_t secret[OCT_EC_MAX_BYTES];
    size_t len;
    int ok;

    if (exchange == NULL)
        return 0;
    if (exchange->plain != NULL) {
        *out_len = size;
        return EVP_PKEY_derive(exchange->plain, out, out_len) > 0;
    }
    if (!oct_exchange_is_ready(exchange))
        return 0;
    len = oct_ec_bytes(own->curve);
    *out_len = out == NULL || size >= len ? len : size;
    if (out == NULL)
        return 1;
    ok = oct_exchange_derive(exchange, &derivation_type, oct_ec_derive_op(own->curve),
                             oct_prov_curves[own->curve].may_pay_alone, secret);
    if (ok)
        memcpy(out, secret, *out_len);
    OPENSSL_cleanse(secret, sizeof secret);
    return ok;
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
