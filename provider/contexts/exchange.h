/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Key exchange contexts of all families, and the derivation of a secret as a task (async/task.h). */
#ifndef OCT_PROVIDER_EXCHANGE_H
#define OCT_PROVIDER_EXCHANGE_H

#include "provider/async/task.h"

#include <openssl/core_dispatch.h>
#include <openssl/evp.h>
#include <stdbool.h>
#include <stdint.h>

/* The key of OpenSSL's own that a family's key has; borrowed, NULL if there is none. */
typedef EVP_PKEY *oct_exchange_fallback_key(const void *key);

struct oct_exchange {
    struct oct_prov *prov;
    void *own, *peer; /* keys of one family (core/key.h), with references; NULL: not set */
    /* Of families whose exchanges have parameters (exchange_fallback.c); NULL: this one has none. */
    oct_exchange_fallback_key *fallback_key;
    EVP_PKEY_CTX *fallback; /* not NULL: this context of OpenSSL's own serves */
    EVP_PKEY_CTX *spare;    /* what a fallback derivation has made of these keys, for the next one; NULL: none yet */
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
bool oct_exchange_is_ready(const struct oct_exchange *exchange);

/* One derivation; its keys are task.key[0], ours, and task.key[1], the peer's. */
struct oct_derivation {
    struct oct_task task;
    oct_exchange_fallback_key *fallback_key;
    EVP_PKEY_CTX **spare; /* of the exchange, which stays as long as the calling slice or fibre may go on */
    uint8_t *secret;      /* on the stack or the heap; as long as the family's secrets are */
};

/* Runs it, on the operation `op` (enum oct_op; -1: no lanes; for the other see task.h), with the keys of a context that
 * is ready. Returns 1, or 0 with an error raised. */
int oct_exchange_derive(struct oct_exchange *exchange, const struct oct_task_type *type, int op, bool may_pay_alone,
                        uint8_t *secret);

/*
 * Exchanges with parameters, such as a KDF: a context of OpenSSL's own serves them, made when it is first wanted. A
 * family says by its `newctx` which key that has.
 */
void *oct_exchange_new_with(void *provctx, oct_exchange_fallback_key *fallback_key);
OSSL_FUNC_keyexch_set_ctx_params_fn oct_exchange_set_params;
OSSL_FUNC_keyexch_get_ctx_params_fn oct_exchange_get_params;

/* From now on the context is OpenSSL's own. 1, or 0 with an error raised. */
int oct_exchange_become_fallback(struct oct_exchange *exchange);

/* oct_exchange_take_peer(), for OpenSSL's own context too. */
int oct_exchange_take_peer_with(struct oct_exchange *exchange, void *peer);

/* The `fallback` of a derivation's task: a secret of len bytes. */
int oct_exchange_fallback_secret(const struct oct_task *task, size_t len);

/* A family's `derive`, where the context is OpenSSL's own. */
int oct_exchange_derive_fallback(struct oct_exchange *exchange, unsigned char *out, size_t *out_len, size_t size);

/* How a family derives in lanes: the arguments of oct_exchange_derive(), and the secret's length in bytes. */
struct oct_exchange_lanes {
    const struct oct_task_type *type;
    int op;
    bool may_pay_alone;
    size_t len; /* at most OCT_EC_MAX_BYTES */
};

/* A family's `derive`, with the keys of a context that is ready. As OpenSSL's own: a secret that does not fit is cut
 * off. */
int oct_exchange_derive_cut(struct oct_exchange *exchange, const struct oct_exchange_lanes *lanes, unsigned char *out,
                            size_t *out_len, size_t size);

#endif
