/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Key exchange contexts of all families, and the derivation of a secret as a task (async/task.h). */
#ifndef OCT_PROVIDER_EXCHANGE_H
#define OCT_PROVIDER_EXCHANGE_H

#include "provider/async/task.h"

#include <openssl/core_dispatch.h>
#include <openssl/evp.h>
#include <stdint.h>

struct oct_exchange {
    struct oct_prov *prov;
    void *own, *peer;    /* keys of one family (core/key.h), with references; NULL: not set */
    EVP_PKEY_CTX *plain; /* not NULL: this context of OpenSSL's own serves; for families with parameters */
    EVP_PKEY_CTX *spare; /* what a plain derivation has made of these keys, for the next one; NULL: none yet */
};

OSSL_FUNC_keyexch_newctx_fn oct_exchange_new;
OSSL_FUNC_keyexch_freectx_fn oct_exchange_free;
OSSL_FUNC_keyexch_dupctx_fn oct_exchange_dup;

/* As at the start of a new exchange with the key `own`: a peer that was set for another one goes with it. 0 with an
 * error raised if there is no key. */
int oct_exchange_start(struct oct_exchange *exchange, void *own);

/* Sets the peer; 0 with an error raised if there is none. */
int oct_exchange_take_peer(struct oct_exchange *exchange, void *peer);

/* 1 if both keys have what a derivation needs; else 0 with an error raised. */
int oct_exchange_is_ready(const struct oct_exchange *exchange);

/* One derivation; its keys are task.key[0], ours, and task.key[1], the peer's. */
struct oct_derivation {
    struct oct_task task;
    EVP_PKEY_CTX **spare; /* of the exchange, which stays as long as the calling fibre may go on */
    uint8_t *secret;      /* on the stack or the heap; as long as the family's secrets are */
};

/* Runs it, on the operation `op` (enum oct_op; -1: no lanes; for the other see task.h), with the keys of a context that
 * is ready. Returns 1, or 0 with an error raised. */
int oct_exchange_derive(struct oct_exchange *exchange, const struct oct_task_type *type, int op, bool may_pay_alone,
                        uint8_t *secret);

#endif
