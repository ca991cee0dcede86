/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* X25519 key exchange: a context with two keys, and the derivation as a task (task.h). */
#include "dispatch.h"
#include "provider.h"
#include "task.h"
#include "x25519.h"

#include <openssl/crypto.h>

struct derivation {
    struct oct_task task;
    struct oct_prov_x25519 *own, *peer;
    uint8_t *secret;
};

static int derivation_fill(const struct oct_task *task, struct oct_job *job)
{
    const struct derivation *d = (const struct derivation *)task;
    job->x25519 = (struct oct_x25519_lane){d->own->private_key, d->peer->public_key, d->secret};
    return 1;
}

static int derivation_plain(const struct oct_task *task)
{
    const struct derivation *d = (const struct derivation *)task;
    return oct_x25519_plain_derive(d->own, d->peer, d->secret);
}

static const struct oct_task_type derivation_type = {derivation_fill, derivation_plain, OCT_REASON_ZERO_SECRET, 1};

static void key_hold(void *key)
{
    oct_prov_x25519_up_ref(key);
}

static void key_release(void *key)
{
    oct_prov_x25519_free(key);
}

int oct_x25519_derive(struct oct_prov_x25519 *own, struct oct_prov_x25519 *peer, uint8_t secret[OCT_X25519_BYTES])
{
    const struct derivation d = {
        .task = {.type = &derivation_type,
                 .prov = own->prov,
                 .op = OCT_OP_X25519_DERIVE,
                 .lane_key = 1,
                 .hold = {{own, key_hold, key_release}, {peer, key_hold, key_release}}},
        .own = own,
        .peer = peer,
        .secret = secret,
    };
    return oct_task_run(&d.task);
}

struct exchange {
    struct oct_prov *prov;
    struct oct_prov_x25519 *own, *peer;
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
    oct_prov_x25519_free(exchange->own);
    oct_prov_x25519_free(exchange->peer);
    OPENSSL_free(exchange);
}

static void *exchange_dup(void *vexchange)
{
    const struct exchange *exchange = vexchange;
    struct exchange *copy = OPENSSL_memdup(exchange, sizeof *exchange);

    if (copy == NULL)
        return NULL;
    if (copy->own != NULL)
        oct_prov_x25519_up_ref(copy->own);
    if (copy->peer != NULL)
        oct_prov_x25519_up_ref(copy->peer);
    return copy;
}

static int take_key(struct exchange *exchange, struct oct_prov_x25519 **where, struct oct_prov_x25519 *key)
{
    if (key == NULL)
        return OCT_RAISE(exchange->prov, OCT_REASON_NO_KEY);
    oct_prov_x25519_up_ref(key);
    oct_prov_x25519_free(*where);
    *where = key;
    return 1;
}

/* A peer that was set for another key of ours goes with it. */
static int exchange_init(void *vexchange, void *key, const OSSL_PARAM params[])
{
    struct exchange *exchange = vexchange;

    (void)params;
    if (exchange == NULL || !take_key(exchange, &exchange->own, key))
        return 0;
    oct_prov_x25519_free(exchange->peer);
    exchange->peer = NULL;
    return 1;
}

static int exchange_set_peer(void *vexchange, void *key)
{
    struct exchange *exchange = vexchange;
    return exchange != NULL && take_key(exchange, &exchange->peer, key);
}

static int exchange_derive(void *vexchange, unsigned char *secret, size_t *secret_len, size_t size)
{
    struct exchange *exchange = vexchange;

    if (exchange == NULL)
        return 0;
    if (exchange->own == NULL || exchange->peer == NULL || !exchange->peer->has_public)
        return OCT_RAISE(exchange->prov, OCT_REASON_NO_KEY);
    if (!exchange->own->has_private)
        return OCT_RAISE(exchange->prov, OCT_REASON_NOT_PRIVATE);
    *secret_len = OCT_X25519_BYTES;
    if (secret == NULL)
        return 1;
    if (size < OCT_X25519_BYTES)
        return OCT_RAISE(exchange->prov, OCT_REASON_BUFFER_TOO_SMALL);
    return oct_x25519_derive(exchange->own, exchange->peer, secret);
}

const OSSL_DISPATCH oct_x25519_exchange_table[] = {
    OCT_EXCHANGE_ENTRY(NEWCTX, newctx, exchange_new),
    OCT_EXCHANGE_ENTRY(FREECTX, freectx, exchange_free),
    OCT_EXCHANGE_ENTRY(DUPCTX, dupctx, exchange_dup),
    OCT_EXCHANGE_ENTRY(INIT, init, exchange_init),
    OCT_EXCHANGE_ENTRY(SET_PEER, set_peer, exchange_set_peer),
    OCT_EXCHANGE_ENTRY(DERIVE, derive, exchange_derive),
    OCT_DISPATCH_END,
};
