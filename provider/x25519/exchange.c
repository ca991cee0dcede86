/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* X25519 key exchange: what contexts/exchange.h leaves to the family. */
#include "provider/core/dispatch.h"
#include "provider/contexts/exchange.h"
#include "provider/core/provider.h"
#include "x25519.h"

static int derivation_fill(const struct oct_task *task, struct oct_job *job)
{
    const struct oct_derivation *d = (const struct oct_derivation *)task;
    const struct oct_prov_x25519 *own = task->key[0], *peer = task->key[1];

    job->x25519 = (struct oct_x25519_lane){own->private_key, peer->public_key, d->secret};
    return 1;
}

static int derivation_fallback(const struct oct_task *task)
{
    const struct oct_derivation *d = (const struct oct_derivation *)task;
    return oct_x25519_fallback_derive(task->key[0], task->key[1], d->secret);
}

static const struct oct_task_type derivation_type = {derivation_fill, derivation_fallback, OCT_REASON_ZERO_SECRET,
                                                     OCT_WORK_EXCHANGE};

static int exchange_init(void *vexchange, void *key, const OSSL_PARAM params[])
{
    struct oct_exchange *exchange = vexchange;

    (void)params;
    return exchange != NULL && oct_exchange_start(exchange, key);
}

static int exchange_set_peer(void *vexchange, void *key)
{
    struct oct_exchange *exchange = vexchange;
    return exchange != NULL && oct_exchange_take_peer(exchange, key);
}

static int exchange_derive(void *vexchange, unsigned char *secret, size_t *secret_len, size_t size)
{
    struct oct_exchange *exchange = vexchange;

    if (exchange == NULL || !oct_exchange_is_ready(exchange))
        return 0;
    if (secret != NULL && size < OCT_X25519_BYTES)
        return OCT_RAISE(exchange->prov, OCT_REASON_BUFFER_TOO_SMALL);
    *secret_len = OCT_X25519_BYTES;
    if (secret == NULL)
        return 1;
    return oct_exchange_derive(exchange, &derivation_type, OCT_OP_X25519_DERIVE, true, secret);
}

const OSSL_DISPATCH oct_x25519_exchange_table[] = {
    OCT_EXCHANGE_ENTRY(NEWCTX, newctx, oct_exchange_new),
    OCT_EXCHANGE_ENTRY(FREECTX, freectx, oct_exchange_free),
    OCT_EXCHANGE_ENTRY(DUPCTX, dupctx, oct_exchange_dup),
    OCT_EXCHANGE_ENTRY(INIT, init, exchange_init),
    OCT_EXCHANGE_ENTRY(SET_PEER, set_peer, exchange_set_peer),
    OCT_EXCHANGE_ENTRY(DERIVE, derive, exchange_derive),
    OCT_DISPATCH_END,
};
