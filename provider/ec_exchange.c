/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * ECDH: a context with two keys, and the derivation as a task (task.h). Other curves, and whatever has parameters (a
 * KDF, the cofactor), are served by a context of OpenSSL's own implementation, made when it is first wanted.
 */
#include "dispatch.h"
#include "ec.h"
#include "provider.h"
#include "task.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/params.h>
#include <string.h>

struct derivation {
    struct oct_task task;
    struct oct_prov_ec *own, *peer;
    uint8_t *secret;
};

static int derivation_fill(const struct oct_task *task, struct oct_job *job)
{
    const struct derivation *d = (const struct derivation *)task;
    job->ec_derive = (struct oct_ec_derive_lane){d->own->private_key, d->peer->public_key, d->secret};
    return 1;
}

static EVP_PKEY_CTX *plain_ctx(const struct oct_prov_ec *own, const struct oct_prov_ec *peer)
{
    OSSL_LIB_CTX *libctx = oct_plain_ctx(own->prov);
    EVP_PKEY *own_plain = oct_prov_ec_plain(own), *peer_plain = peer == NULL ? NULL : oct_prov_ec_plain(peer);
    EVP_PKEY_CTX *ctx =
        libctx == NULL || own_plain == NULL ? NULL : EVP_PKEY_CTX_new_from_pkey(libctx, own_plain, NULL);

    if (ctx != NULL && EVP_PKEY_derive_init(ctx) > 0 &&
        (peer == NULL || (peer_plain != NULL && EVP_PKEY_derive_set_peer_ex(ctx, peer_plain, 0) > 0)))
        return ctx;
    EVP_PKEY_CTX_free(ctx);
    return NULL;
}

static int derivation_plain(const struct oct_task *task)
{
    const struct derivation *d = (const struct derivation *)task;
    EVP_PKEY_CTX *ctx = plain_ctx(d->own, d->peer);
    size_t len = oct_ec_bytes(d->own->curve);
    int ok = ctx != NULL && EVP_PKEY_derive(ctx, d->secret, &len) > 0 && len == oct_ec_bytes(d->own->curve);

    EVP_PKEY_CTX_free(ctx);
    return ok;
}

static const struct oct_task_type derivation_type = {derivation_fill, derivation_plain, OCT_REASON_LANE_INPUT, 1};

static int derive(struct oct_prov_ec *own, struct oct_prov_ec *peer, uint8_t secret[OCT_EC_MAX_BYTES])
{
    const struct derivation d = {
        .task = {.type = &derivation_type,
                 .prov = own->prov,
                 .op = oct_ec_derive_op(own->curve),
                 .lane_key = oct_op_is_on(oct_ec_derive_op(own->curve)),
                 .hold = {{own, oct_prov_ec_hold, oct_prov_ec_release}, {peer, oct_prov_ec_hold, oct_prov_ec_release}}},
        .own = own,
        .peer = peer,
        .secret = secret,
    };
    return oct_task_run(&d.task);
}

struct exchange {
    struct oct_prov *prov;
    struct oct_prov_ec *own, *peer;
    EVP_PKEY_CTX *ctx; /* not NULL: it serves */
};

static void *exchange_new(void *provctx)
{
    struct exchange *exchange = OPENSSL_zalloc(sizeof *exchange);

    if (exchange == NULL)
        OCT_RAISE(provctx, OCT_REASON_MEMORY);
    else
        exchange->prov = provctx;
    return exchange;
}

static void exchange_free(void *vexchange)
{
    struct exchange *exchange = vexchange;

    if (exchange == NULL)
        return;
    EVP_PKEY_CTX_free(exchange->ctx);
    oct_prov_ec_free(exchange->own);
    oct_prov_ec_free(exchange->peer);
    OPENSSL_free(exchange);
}

static void *exchange_dup(void *vexchange)
{
    const struct exchange *exchange = vexchange;
    struct exchange *copy = OPENSSL_memdup(exchange, sizeof *exchange);

    if (copy == NULL)
        return NULL;
    if (copy->own != NULL)
        oct_prov_ec_up_ref(copy->own);
    if (copy->peer != NULL)
        oct_prov_ec_up_ref(copy->peer);
    if (exchange->ctx != NULL && (copy->ctx = EVP_PKEY_CTX_dup(exchange->ctx)) == NULL) {
        exchange_free(copy);
        return NULL;
    }
    return copy;
}

/* From now on the context is OpenSSL's own. */
static int become_plain(struct exchange *exchange)
{
    if (exchange->ctx == NULL && exchange->own == NULL)
        return OCT_RAISE(exchange->prov, OCT_REASON_NO_KEY);
    if (exchange->ctx == NULL)
        exchange->ctx = plain_ctx(exchange->own, exchange->peer);
    return exchange->ctx != NULL;
}

static int exchange_set_params(void *vexchange, const OSSL_PARAM params[])
{
    struct exchange *exchange = vexchange;

    if (exchange == NULL)
        return 0;
    if (params == NULL || params[0].key == NULL)
        return 1;
    return become_plain(exchange) && EVP_PKEY_CTX_set_params(exchange->ctx, params) > 0;
}

static int exchange_get_params(void *vexchange, OSSL_PARAM params[])
{
    struct exchange *exchange = vexchange;
    return exchange != NULL && become_plain(exchange) && EVP_PKEY_CTX_get_params(exchange->ctx, params) > 0;
}

/* A key without numbers is OpenSSL's from the start. A peer that was set for another key of ours goes with it. */
static int exchange_init(void *vexchange, void *vkey, const OSSL_PARAM params[])
{
    struct exchange *exchange = vexchange;
    struct oct_prov_ec *key = vkey;

    if (exchange == NULL)
        return 0;
    if (key == NULL)
        return OCT_RAISE(exchange->prov, OCT_REASON_NO_KEY);
    oct_prov_ec_up_ref(key);
    oct_prov_ec_free(exchange->own);
    oct_prov_ec_free(exchange->peer);
    EVP_PKEY_CTX_free(exchange->ctx);
    exchange->own = key;
    exchange->peer = NULL;
    exchange->ctx = NULL;
    return (key->curve >= 0 || become_plain(exchange)) && exchange_set_params(exchange, params);
}

static int set_peer_plain(struct exchange *exchange, const struct oct_prov_ec *peer)
{
    EVP_PKEY *plain = oct_prov_ec_plain(peer);
    return plain != NULL && EVP_PKEY_derive_set_peer_ex(exchange->ctx, plain, 0) > 0;
}

static int exchange_set_peer(void *vexchange, void *vkey)
{
    struct exchange *exchange = vexchange;
    struct oct_prov_ec *key = vkey;

    if (exchange == NULL)
        return 0;
    if (key == NULL || exchange->own == NULL)
        return OCT_RAISE(exchange->prov, OCT_REASON_NO_KEY);
    if (exchange->ctx == NULL && key->curve != exchange->own->curve)
        return OCT_RAISE(exchange->prov, OCT_REASON_GROUP);
    if (exchange->ctx != NULL && !set_peer_plain(exchange, key))
        return 0;
    oct_prov_ec_up_ref(key);
    oct_prov_ec_free(exchange->peer);
    exchange->peer = key;
    return 1;
}

/* As OpenSSL's own: a secret that does not fit is cut off. */
static int exchange_derive(void *vexchange, unsigned char *out, size_t *out_len, size_t size)
{
    struct exchange *exchange = vexchange;
    uint8_t secret[OCT_EC_MAX_BYTES];
    size_t len;
    int ok;

    if (exchange == NULL)
        return 0;
    if (exchange->ctx != NULL) {
        *out_len = size;
        return EVP_PKEY_derive(exchange->ctx, out, out_len) > 0;
    }
    if (exchange->own == NULL || exchange->peer == NULL || !exchange->peer->has_public)
        return OCT_RAISE(exchange->prov, OCT_REASON_NO_KEY);
    if (!exchange->own->has_private)
        return OCT_RAISE(exchange->prov, OCT_REASON_NOT_PRIVATE);
    len = oct_ec_bytes(exchange->own->curve);
    *out_len = out == NULL || size >= len ? len : size;
    if (out == NULL)
        return 1;
    ok = derive(exchange->own, exchange->peer, secret);
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
    OCT_EXCHANGE_ENTRY(NEWCTX, newctx, exchange_new),
    OCT_EXCHANGE_ENTRY(FREECTX, freectx, exchange_free),
    OCT_EXCHANGE_ENTRY(DUPCTX, dupctx, exchange_dup),
    OCT_EXCHANGE_ENTRY(INIT, init, exchange_init),
    OCT_EXCHANGE_ENTRY(SET_PEER, set_peer, exchange_set_peer),
    OCT_EXCHANGE_ENTRY(DERIVE, derive, exchange_derive),
    OCT_EXCHANGE_ENTRY(SET_CTX_PARAMS, set_ctx_params, exchange_set_params),
    OCT_EXCHANGE_ENTRY(SETTABLE_CTX_PARAMS, settable_ctx_params, exchange_settable),
    OCT_EXCHANGE_ENTRY(GET_CTX_PARAMS, get_ctx_params, exchange_get_params),
    OCT_EXCHANGE_ENTRY(GETTABLE_CTX_PARAMS, gettable_ctx_params, exchange_gettable),
    OCT_DISPATCH_END,
};
