/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See exchange.h. */
#include "exchange.h"

#include "api/verdict.h"
#include "provider/core/key.h"
#include "provider/core/provider.h"

#include <openssl/crypto.h>
#include <stdbool.h>

static void forget_spare(struct oct_exchange *exchange)
{
    EVP_PKEY_CTX_free(exchange->spare);
    exchange->spare = NULL;
}

void *oct_exchange_new(void *provctx)
{
    struct oct_exchange *exchange = OPENSSL_zalloc(sizeof *exchange);

    if (exchange == NULL)
        OCT_RAISE(provctx, OCT_REASON_MEMORY);
    else
        exchange->prov = provctx;
    return exchange;
}

void oct_exchange_free(void *vexchange)
{
    struct oct_exchange *exchange = vexchange;

    if (exchange == NULL)
        return;
    EVP_PKEY_CTX_free(exchange->fallback);
    forget_spare(exchange);
    oct_prov_key_free(exchange->own);
    oct_prov_key_free(exchange->peer);
    OPENSSL_free(exchange);
}

void *oct_exchange_dup(void *vexchange)
{
    const struct oct_exchange *exchange = vexchange;
    struct oct_exchange *copy = OPENSSL_memdup(exchange, sizeof *exchange);

    if (copy == NULL)
        return NULL;
    copy->spare = NULL;
    oct_prov_key_up_ref(copy->own);
    oct_prov_key_up_ref(copy->peer);
    if (exchange->fallback != NULL && (copy->fallback = EVP_PKEY_CTX_dup(exchange->fallback)) == NULL) {
        oct_exchange_free(copy);
        return NULL;
    }
    return copy;
}

int oct_exchange_start(struct oct_exchange *exchange, void *own)
{
    if (own == NULL)
        return OCT_RAISE(exchange->prov, OCT_REASON_INTERNAL);
    oct_prov_key_replace(&exchange->own, own);
    oct_prov_key_replace(&exchange->peer, NULL);
    EVP_PKEY_CTX_free(exchange->fallback);
    exchange->fallback = NULL;
    forget_spare(exchange);
    return 1;
}

int oct_exchange_take_peer(struct oct_exchange *exchange, void *peer)
{
    if (peer == NULL)
        return OCT_RAISE(exchange->prov, OCT_REASON_INTERNAL);
    oct_prov_key_replace(&exchange->peer, peer);
    forget_spare(exchange);
    return 1;
}

bool oct_exchange_is_ready(const struct oct_exchange *exchange)
{
    const struct oct_prov_key *own = exchange->own, *peer = exchange->peer;

    if (own == NULL || peer == NULL || !own->has_private || !peer->has_public)
        return OCT_RAISE(exchange->prov, OCT_REASON_MISSING_KEY);
    return 1;
}

int oct_exchange_derive(struct oct_exchange *exchange, const struct oct_task_type *type, int op, bool may_pay_alone,
                        uint8_t *secret)
{
    const struct oct_derivation derivation = {
        .task = {.type = type,
                 .prov = exchange->prov,
                 .op = op,
                 .may_pay_alone = may_pay_alone,
                 .lane_key = oct_op_may_be_on(op),
                 .key = {exchange->own, exchange->peer}},
        .fallback_key = exchange->fallback_key,
        .spare = &exchange->spare,
        .secret = secret,
    };
    return oct_task_run(&derivation.task);
}
