/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See work.h. */
#include "work.h"

#include <openssl/core_names.h>
#include <openssl/rsa.h>
#include <string.h>

const char *const work_op_name[WORK_OPS] = {"rsa2048-private", "p256-sign", "ed25519-sign", "x25519-derive"};

/* What is signed: a digest, or with Ed25519 a message. */
static const uint8_t text[32] = {1, 2, 3};

static EVP_PKEY *make(OSSL_LIB_CTX *libctx, enum work_op op)
{
    switch (op) {
    case WORK_RSA2048:
        return EVP_PKEY_Q_keygen(libctx, NULL, "RSA", (size_t)2048);
    case WORK_P256:
        return EVP_PKEY_Q_keygen(libctx, NULL, "EC", "P-256");
    case WORK_ED25519:
        return EVP_PKEY_Q_keygen(libctx, NULL, "ED25519");
    default:
        return EVP_PKEY_Q_keygen(libctx, NULL, "X25519");
    }
}

int work_keys_make(struct work_keys *keys, OSSL_LIB_CTX *libctx, enum work_op op)
{
    *keys = (struct work_keys){op, libctx, make(libctx, op), NULL};
    if (op == WORK_X25519)
        keys->peer = make(libctx, op);
    return keys->own != NULL && (op != WORK_X25519 || keys->peer != NULL);
}

static EVP_PKEY *copy_key(OSSL_LIB_CTX *libctx, EVP_PKEY *key)
{
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(libctx, EVP_PKEY_get0_type_name(key), NULL);
    OSSL_PARAM *params = NULL;
    EVP_PKEY *copy = NULL;

    if (ctx != NULL && EVP_PKEY_todata(key, EVP_PKEY_KEYPAIR, &params) && EVP_PKEY_fromdata_init(ctx) > 0)
        (void)(EVP_PKEY_fromdata(ctx, &copy, EVP_PKEY_KEYPAIR, params) > 0);
    OSSL_PARAM_free(params);
    EVP_PKEY_CTX_free(ctx);
    return copy;
}

int work_keys_copy(struct work_keys *copy, OSSL_LIB_CTX *libctx, const struct work_keys *keys)
{
    *copy = (struct work_keys){keys->op, libctx, copy_key(libctx, keys->own), NULL};
    if (keys->peer != NULL)
        copy->peer = copy_key(libctx, keys->peer);
    return copy->own != NULL && (keys->peer == NULL || copy->peer != NULL);
}

void work_keys_free(struct work_keys *keys)
{
    EVP_PKEY_free(keys->own);
    EVP_PKEY_free(keys->peer);
}

static int open_ctx(struct work *w)
{
    if (w->keys->op == WORK_X25519)
        return 1;
    if (w->keys->op == WORK_ED25519)
        return (w->md = EVP_MD_CTX_new()) != NULL;
    w->ctx = EVP_PKEY_CTX_new_from_pkey(w->keys->libctx, w->keys->own, NULL);
    return w->ctx != NULL && EVP_PKEY_sign_init(w->ctx) > 0 && EVP_PKEY_CTX_set_signature_md(w->ctx, EVP_sha256()) > 0;
}

int work_open(struct work *work, const struct work_keys *keys)
{
    *work = (struct work){.keys = keys};
    return open_ctx(work);
}

void work_close(struct work *work)
{
    EVP_PKEY_CTX_free(work->ctx);
    EVP_MD_CTX_free(work->md);
}

/* A key serves once, so that a context does too. */
static int derive(struct work *w)
{
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(w->keys->libctx, w->keys->own, NULL);
    const int ok = ctx != NULL && EVP_PKEY_derive_init(ctx) > 0 && EVP_PKEY_derive_set_peer(ctx, w->keys->peer) > 0 &&
                   EVP_PKEY_derive(ctx, w->out, &w->out_len) > 0;

    EVP_PKEY_CTX_free(ctx);
    return ok;
}

int work_do(struct work *w)
{
    w->out_len = sizeof w->out;
    if (w->keys->op == WORK_X25519)
        return derive(w);
    if (w->keys->op != WORK_ED25519)
        return EVP_PKEY_sign(w->ctx, w->out, &w->out_len, text, sizeof text) > 0;
    return EVP_DigestSignInit_ex(w->md, NULL, NULL, w->keys->libctx, NULL, w->keys->own, NULL) > 0 &&
           EVP_DigestSign(w->md, w->out, &w->out_len, text, sizeof text) > 0;
}

static int same_secret(const struct work *w, const struct work_keys *stock)
{
    struct work check;
    const int same = work_open(&check, stock) && work_do(&check) && check.out_len == w->out_len &&
                     memcmp(check.out, w->out, w->out_len) == 0;
    work_close(&check);
    return same;
}

int work_is_right(const struct work *w, const struct work_keys *stock)
{
    EVP_PKEY_CTX *ctx;
    int ok;

    if (stock->op == WORK_X25519 || stock->op == WORK_ED25519) /* the same again: both are deterministic */
        return same_secret(w, stock);
    ctx = EVP_PKEY_CTX_new_from_pkey(stock->libctx, stock->own, NULL);
    ok = ctx != NULL && EVP_PKEY_verify_init(ctx) > 0 && EVP_PKEY_CTX_set_signature_md(ctx, EVP_sha256()) > 0 &&
         EVP_PKEY_verify(ctx, w->out, w->out_len, text, sizeof text) > 0;
    EVP_PKEY_CTX_free(ctx);
    return ok;
}
