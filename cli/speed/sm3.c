/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * SM3 for `octuple speed`: eight or sixteen different messages of 1 KB, hashed together; what is counted is text.
 * OpenSSL hashes one after the other, with its digest fetched and its context made beforehand.
 */
#include <stdlib.h>
#include <string.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include "speed.h"
#include "keys.h"

#define MESSAGE 1024

struct sm3_state {
    unsigned lanes;
    EVP_MD *md;
    EVP_MD_CTX *ctx;
    struct oct_sm3_lane lane[OCT_SM3_LANES];
    uint8_t message[OCT_SM3_LANES][MESSAGE];
    uint8_t digest[OCT_SM3_LANES][OCT_SM3_BYTES], expected[OCT_SM3_LANES][OCT_SM3_BYTES];
};

static void sm3_close(void *arg)
{
    struct sm3_state *s = arg;
    if (s == NULL)
        return;
    EVP_MD_CTX_free(s->ctx);
    EVP_MD_free(s->md);
    free(s);
}

static void *sm3_open(const struct speed_op *op)
{
    struct sm3_state *s = speed_libctx() != NULL ? calloc(1, sizeof *s) : NULL;
    if (s != NULL) {
        s->lanes = op->param;
        s->md = EVP_MD_fetch(speed_libctx(), "SM3", NULL);
        s->ctx = EVP_MD_CTX_new();
        for (unsigned i = 0; i < s->lanes; i++)
            s->lane[i] = (struct oct_sm3_lane){s->message[i], MESSAGE, s->digest[i]};
    }
    if (s == NULL || s->md == NULL || s->ctx == NULL ||
        RAND_bytes_ex(speed_libctx(), s->message[0], sizeof s->message, 0) <= 0) {
        cli_say("octuple speed", "OpenSSL cannot prepare %s", op->name);
        sm3_close(s);
        return NULL;
    }
    return s;
}

static unsigned octuple_sm3(void *arg)
{
    struct sm3_state *s = arg;
    return oct_sm3_x16(s->lane, s->lanes) == OCT_OK ? s->lanes * MESSAGE : 0;
}

static unsigned openssl_sm3(void *arg)
{
    struct sm3_state *s = arg;
    for (unsigned i = 0; i < s->lanes; i++)
        if (!EVP_DigestInit_ex2(s->ctx, s->md, NULL) || !EVP_DigestUpdate(s->ctx, s->message[i], MESSAGE) ||
            !EVP_DigestFinal_ex(s->ctx, s->expected[i], NULL))
            return 0;
    return s->lanes * MESSAGE;
}

static int same_sm3(void *arg)
{
    struct sm3_state *s = arg;
    return memcmp(s->digest, s->expected, s->lanes * sizeof s->digest[0]) == 0;
}

#define SM3 sm3_open, sm3_close, octuple_sm3, openssl_sm3, same_sm3

const struct speed_op speed_sm3_ops[] = {
    {"sm3-1024", "GB/s", OCT_OP_SM3, 8, SM3},
    {"sm3-1024-sixteen", "GB/s", OCT_OP_SM3, OCT_SM3_LANES, SM3},
    {0},
};
