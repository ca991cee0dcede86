/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * ML-KEM for `octuple speed`: eight different keys. A server gets a fresh key from each client, so encapsulation begins
 * with its bytes on both sides. OpenSSL decapsulates with a context and a key that were made beforehand. Before 3.5 it
 * has no ML-KEM.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/params.h>
#include "speed.h"
#include "keys.h"

#define MAX_EK   1568
#define MAX_DK   3168
#define MAX_CT   1568
#define SECRET   OCT_MLKEM_SECRET_BYTES
#define DK_PARAM "priv" /* OSSL_PKEY_PARAM_PRIV_KEY, in FIPS 203's encoding */

struct mlkem_state {
    int set;
    const char *name;
    EVP_PKEY_CTX *generate, *decaps[OCT_LANES];
    EVP_PKEY *made; /* by the last openssl() call of a key generation */
    uint8_t ek[OCT_LANES][MAX_EK], dk[OCT_LANES][MAX_DK], ct[OCT_LANES][MAX_CT], secret[OCT_LANES][SECRET];
    uint8_t own_ek[OCT_LANES][MAX_EK], own_dk[OCT_LANES][MAX_DK];         /* of key generations */
    uint8_t own_ct[OCT_LANES][MAX_CT], own_secret[OCT_LANES][SECRET];     /* what Octuple made last */
    uint8_t their_ct[OCT_LANES][MAX_CT], their_secret[OCT_LANES][SECRET]; /* what OpenSSL made last */
};

static void mlkem_close(void *arg)
{
    struct mlkem_state *s = arg;
    if (s == NULL)
        return;
    for (int i = 0; i < OCT_LANES; i++)
        EVP_PKEY_CTX_free(s->decaps[i]);
    EVP_PKEY_CTX_free(s->generate);
    EVP_PKEY_free(s->made);
    OPENSSL_cleanse(s, sizeof *s);
    free(s);
}

static unsigned encapsulate(struct mlkem_state *s, uint8_t (*ek)[MAX_EK], uint8_t (*ct)[MAX_CT],
                            uint8_t (*secret)[SECRET])
{
    struct oct_mlkem_encaps_lane lane[OCT_LANES];
    struct oct_lanes result;
    for (int i = 0; i < OCT_LANES; i++)
        lane[i] = (struct oct_mlkem_encaps_lane){ek[i], NULL, ct[i], secret[i]};
    return oct_mlkem_encaps_x8(s->set, lane, OCT_LANES, &result) == OCT_OK && result.ok == 0xff ? OCT_LANES : 0;
}

static unsigned decapsulate(struct mlkem_state *s, uint8_t (*dk)[MAX_DK], uint8_t (*ct)[MAX_CT],
                            uint8_t (*secret)[SECRET])
{
    struct oct_mlkem_decaps_lane lane[OCT_LANES];
    struct oct_lanes result;
    for (int i = 0; i < OCT_LANES; i++)
        lane[i] = (struct oct_mlkem_decaps_lane){dk[i], ct[i], secret[i]};
    return oct_mlkem_decaps_x8(s->set, lane, OCT_LANES, &result) == OCT_OK && result.ok == 0xff ? OCT_LANES : 0;
}

static unsigned generate(struct mlkem_state *s, uint8_t (*ek)[MAX_EK], uint8_t (*dk)[MAX_DK])
{
    struct oct_mlkem_keygen_lane lane[OCT_LANES];
    struct oct_lanes result;
    for (int i = 0; i < OCT_LANES; i++)
        lane[i] = (struct oct_mlkem_keygen_lane){NULL, ek[i], dk[i]};
    return oct_mlkem_keygen_x8(s->set, lane, OCT_LANES, &result) == OCT_OK && result.ok == 0xff ? OCT_LANES : 0;
}

/* OpenSSL's keys, from our bytes, ready to decapsulate. */
static bool open_openssl(struct mlkem_state *s)
{
    s->generate = EVP_PKEY_CTX_new_from_name(speed_libctx(), s->name, NULL);
    bool ok = s->generate != NULL && EVP_PKEY_keygen_init(s->generate) > 0;
    for (int i = 0; ok && i < OCT_LANES; i++) {
        OSSL_PARAM params[] = {
            OSSL_PARAM_construct_octet_string(DK_PARAM, s->dk[i], oct_mlkem_dk_bytes(s->set)),
            OSSL_PARAM_construct_end(),
        };
        EVP_PKEY_CTX *from = EVP_PKEY_CTX_new_from_name(speed_libctx(), s->name, NULL);
        EVP_PKEY *key = NULL;
        if (from != NULL && EVP_PKEY_fromdata_init(from) > 0 &&
            EVP_PKEY_fromdata(from, &key, EVP_PKEY_KEYPAIR, params) > 0)
            s->decaps[i] = EVP_PKEY_CTX_new_from_pkey(speed_libctx(), key, NULL);
        EVP_PKEY_free(key);
        EVP_PKEY_CTX_free(from);
        ok = s->decaps[i] != NULL && EVP_PKEY_decapsulate_init(s->decaps[i], NULL) > 0;
    }
    return ok;
}

/* Where Octuple is off there are no keys of its making to measure OpenSSL with: then nothing is. */
static void *mlkem_open(const struct speed_op *op)
{
    struct mlkem_state *s = speed_libctx() != NULL ? calloc(1, sizeof *s) : NULL;
    if (s == NULL)
        return NULL;
    s->set = (int)op->param;
    s->name = s->set == OCT_MLKEM_768 ? "ML-KEM-768" : "ML-KEM-1024";
    if (!speed_op_is_on(op))
        return s;
    if (generate(s, s->ek, s->dk) && encapsulate(s, s->ek, s->ct, s->secret) &&
        (!speed_openssl_has(s->name) || open_openssl(s)))
        return s;
    cli_say("octuple speed", "%s cannot be prepared", op->name);
    mlkem_close(s);
    return NULL;
}

static unsigned octuple_keygen(void *arg)
{
    struct mlkem_state *s = arg;
    return generate(s, s->own_ek, s->own_dk);
}

static unsigned octuple_encaps(void *arg)
{
    struct mlkem_state *s = arg;
    return encapsulate(s, s->ek, s->own_ct, s->own_secret);
}

static unsigned octuple_decaps(void *arg)
{
    struct mlkem_state *s = arg;
    return decapsulate(s, s->dk, s->ct, s->own_secret);
}

static unsigned openssl_keygen(void *arg)
{
    struct mlkem_state *s = arg;
    if (s->generate == NULL)
        return SPEED_NONE;
    for (int i = 0; i < OCT_LANES; i++) {
        EVP_PKEY_free(s->made);
        s->made = NULL;
        if (EVP_PKEY_generate(s->generate, &s->made) <= 0)
            return 0;
    }
    return OCT_LANES;
}

static unsigned openssl_encaps(void *arg)
{
    struct mlkem_state *s = arg;
    if (s->generate == NULL)
        return SPEED_NONE;
    for (int i = 0; i < OCT_LANES; i++) {
        size_t ek = oct_mlkem_ek_bytes(s->set), ct = oct_mlkem_ct_bytes(s->set), secret = SECRET;
        EVP_PKEY *key = EVP_PKEY_new_raw_public_key_ex(speed_libctx(), s->name, NULL, s->ek[i], ek);
        EVP_PKEY_CTX *ctx = key != NULL ? EVP_PKEY_CTX_new_from_pkey(speed_libctx(), key, NULL) : NULL;
        int ok = ctx != NULL && EVP_PKEY_encapsulate_init(ctx, NULL) > 0 &&
                 EVP_PKEY_encapsulate(ctx, s->their_ct[i], &ct, s->their_secret[i], &secret) > 0;
        EVP_PKEY_CTX_free(ctx);
        EVP_PKEY_free(key);
        if (!ok)
            return 0;
    }
    return OCT_LANES;
}

static unsigned openssl_decaps(void *arg)
{
    struct mlkem_state *s = arg;
    if (s->generate == NULL)
        return SPEED_NONE;
    for (int i = 0; i < OCT_LANES; i++) {
        size_t len = SECRET;
        if (EVP_PKEY_decapsulate(s->decaps[i], s->their_secret[i], &len, s->ct[i], oct_mlkem_ct_bytes(s->set)) <= 0)
            return 0;
    }
    return OCT_LANES;
}

/* New keys agree with each other, and OpenSSL's key takes our encapsulation. */
static int same_keygen(void *arg)
{
    struct mlkem_state *s = arg;
    size_t ct = oct_mlkem_ct_bytes(s->set), len = SECRET;
    uint8_t back[OCT_LANES][SECRET];
    if (!encapsulate(s, s->own_ek, s->own_ct, s->own_secret) || !decapsulate(s, s->own_dk, s->own_ct, back) ||
        memcmp(back, s->own_secret, sizeof back) != 0)
        return 0;
    if (s->made == NULL)
        return 1;
    size_t ek = 0;
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(speed_libctx(), s->made, NULL);
    int ok = ctx != NULL &&
             EVP_PKEY_get_octet_string_param(s->made, OSSL_PKEY_PARAM_PUB_KEY, s->own_ek[0], MAX_EK, &ek) &&
             encapsulate(s, s->own_ek, s->own_ct, s->own_secret) && EVP_PKEY_decapsulate_init(ctx, NULL) > 0 &&
             EVP_PKEY_decapsulate(ctx, back[0], &len, s->own_ct[0], ct) > 0 &&
             memcmp(back[0], s->own_secret[0], SECRET) == 0;
    EVP_PKEY_CTX_free(ctx);
    return ok;
}

static int same_encaps(void *arg)
{
    struct mlkem_state *s = arg;
    uint8_t back[OCT_LANES][SECRET];
    return decapsulate(s, s->dk, s->own_ct, back) && memcmp(back, s->own_secret, sizeof back) == 0 &&
           (s->generate == NULL ||
            (decapsulate(s, s->dk, s->their_ct, back) && memcmp(back, s->their_secret, sizeof back) == 0));
}

static int same_decaps(void *arg)
{
    struct mlkem_state *s = arg;
    return memcmp(s->own_secret, s->secret, sizeof s->secret) == 0 &&
           (s->generate == NULL || memcmp(s->their_secret, s->secret, sizeof s->secret) == 0);
}

#define ROW(text, verb, op, set)                                                                                       \
    {                                                                                                                  \
        text, "op/s", op, set, mlkem_open, mlkem_close, octuple_##verb, openssl_##verb, same_##verb                    \
    }

const struct speed_op speed_mlkem_ops[] = {
    ROW("mlkem768-keygen", keygen, OCT_OP_MLKEM768_KEYGEN, OCT_MLKEM_768),
    ROW("mlkem768-encaps", encaps, OCT_OP_MLKEM768_ENCAPS, OCT_MLKEM_768),
    ROW("mlkem768-decaps", decaps, OCT_OP_MLKEM768_DECAPS, OCT_MLKEM_768),
    ROW("mlkem1024-keygen", keygen, OCT_OP_MLKEM1024_KEYGEN, OCT_MLKEM_1024),
    ROW("mlkem1024-encaps", encaps, OCT_OP_MLKEM1024_ENCAPS, OCT_MLKEM_1024),
    ROW("mlkem1024-decaps", decaps, OCT_OP_MLKEM1024_DECAPS, OCT_MLKEM_1024),
    {0},
};
