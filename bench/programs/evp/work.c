/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See work.h. */
#include "work.h"

#include <stdlib.h>
#include <string.h>

#define AAD_TLS12 13
#define AAD_TLS13 5
#define NONCE     12
#define EXPLICIT  8 /* bytes of an AES-GCM nonce that TLS 1.2 sends */

const char *const work_shape_name[WORK_SHAPES] = {"pieces", "records", "tls12"};

static uint8_t key[32] = {1, 2, 3}, nonce[NONCE] = {4, 5, 6};

/* So many pieces that begin and end of their record do not count for much. */
static size_t pieces_of(size_t len)
{
    return len <= 64 ? 256 : len <= 1440 ? 32 : 4;
}

/* --- pieces and records */

/* One record of `count` pieces of `len` bytes: from beginning to end. */
static int one_record(struct work *w, EVP_CIPHER_CTX *ctx, int sealing, size_t count, uint8_t *out, const uint8_t *in)
{
    static const uint8_t aad[AAD_TLS13] = {0x17, 3, 3, 0, 0};
    int n, ok = EVP_CipherInit_ex(ctx, NULL, NULL, NULL, nonce, sealing) &&
                EVP_CipherUpdate(ctx, NULL, &n, aad, AAD_TLS13);

    for (size_t i = 0; i < count; i++)
        ok &= EVP_CipherUpdate(ctx, out + i * w->len, &n, in + i * w->len, (int)w->len);
    if (!sealing)
        ok &= EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, WORK_TAG, w->tag) > 0;
    ok &= EVP_CipherFinal_ex(ctx, out, &n);
    return ok && (!sealing || EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, WORK_TAG, w->tag) > 0);
}

static int do_pieces(struct work *w)
{
    return one_record(w, w->ctx, w->sealing, w->count, w->out[0], w->in);
}

static int do_records(struct work *w)
{
    int ok = 1;

    for (size_t i = 0; i < w->count; i++)
        ok &= one_record(w, w->ctx, w->sealing, 1, w->out[i], w->in);
    return ok;
}

/* --- whole records of TLS 1.2, in place */

/* The fixed part of the nonce; with AES-GCM the rest counts, on from the same number in every unit. */
static int fix_nonce(const struct work *w, EVP_CIPHER_CTX *ctx, int sealing)
{
    return EVP_CipherInit_ex(ctx, NULL, NULL, key, NULL, sealing) &&
           EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_IV_FIXED, w->before ? -1 : NONCE, nonce) > 0;
}

static int one_tls12(const struct work *w, EVP_CIPHER_CTX *ctx, int sealing, uint8_t *record)
{
    const size_t len = w->len + (sealing ? w->before : w->overhead);
    uint8_t aad[AAD_TLS12] = {0, 0, 0, 0, 0, 0, 0, 7, 0x17, 3, 3, (uint8_t)(len >> 8), (uint8_t)len};

    return EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_TLS1_AAD, AAD_TLS12, aad) > 0 &&
           EVP_Cipher(ctx, record, record, (unsigned)(w->len + w->overhead)) > 0;
}

static int do_tls12(struct work *w)
{
    int ok = 1;

    for (size_t i = 0; i < w->count; i++)
        ok &= one_tls12(w, w->ctx, w->sealing, w->out[i]);
    return ok;
}

/* --- the life of it */

int work_prepare(struct work *w)
{
    if (w->shape != WORK_TLS12)
        return 1;
    for (size_t i = 0; i < w->count; i++)
        memcpy(w->out[i] + (w->sealing ? w->before : 0), w->in, w->len + (w->sealing ? 0 : w->overhead));
    return !w->sealing || fix_nonce(w, w->ctx, 1);
}

int work_do(struct work *w)
{
    return w->shape == WORK_PIECES ? do_pieces(w) : w->shape == WORK_RECORDS ? do_records(w) : do_tls12(w);
}

/* What is to be opened has to be sealed before; it takes the text's place. */
static int seal_input(struct work *w, const EVP_CIPHER *cipher)
{
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    int ok = ctx != NULL && EVP_CipherInit_ex(ctx, cipher, NULL, key, NULL, 1);

    if (w->shape == WORK_TLS12) {
        memmove(w->in + w->before, w->in, w->len);
        ok = ok && fix_nonce(w, ctx, 1) && one_tls12(w, ctx, 1, w->in) && fix_nonce(w, w->ctx, 0);
    } else {
        ok = ok && one_record(w, ctx, 1, w->shape == WORK_PIECES ? w->count : 1, w->in, w->in);
    }
    EVP_CIPHER_CTX_free(ctx);
    return ok;
}

struct work *work_new(OSSL_LIB_CTX *libctx, const char *name, enum work_shape shape, int sealing, size_t len)
{
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(libctx, name, NULL);
    struct work *w = calloc(1, sizeof *w);
    int ok = cipher != NULL && w != NULL && (w->ctx = EVP_CIPHER_CTX_new()) != NULL &&
             EVP_CipherInit_ex(w->ctx, cipher, NULL, key, NULL, sealing);

    if (ok) {
        w->shape = shape;
        w->sealing = sealing;
        w->len = len;
        w->count = shape == WORK_PIECES ? pieces_of(len) : WORK_BATCH;
        w->before = EVP_CIPHER_get_mode(cipher) == EVP_CIPH_GCM_MODE ? EXPLICIT : 0;
        w->overhead = w->before + WORK_TAG;
        for (size_t i = 0; i < sizeof w->in; i++)
            w->in[i] = (uint8_t)(i * 7 + i / 251);
        ok = sealing || seal_input(w, cipher);
    }
    EVP_CIPHER_free(cipher);
    if (ok)
        return w;
    work_free(w);
    return NULL;
}

void work_free(struct work *w)
{
    if (w != NULL)
        EVP_CIPHER_CTX_free(w->ctx);
    free(w);
}

int work_same(const struct work *a, const struct work *b)
{
    return memcmp(a->tag, b->tag, sizeof a->tag) == 0 && memcmp(a->out, b->out, sizeof a->out) == 0;
}
