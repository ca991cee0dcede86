/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * ML-DSA for `octuple speed`: eight different keys, which both sides have made before, and messages as long as what a
 * TLS 1.3 server signs. Octuple verifies with expanded keys. Signatures are hedged. Before 3.5 OpenSSL has no ML-DSA.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/params.h>
#include "speed.h"
#include "keys.h"

#define MAX_PK        1952
#define MAX_SK        4032
#define MAX_SIGNATURE 3309
#define MESSAGE       130 /* the context string of TLS 1.3 and a transcript hash of 32 bytes */
#define PK_PARAM      "pub"
#define SK_PARAM      "priv" /* OSSL_PKEY_PARAM_PRIV_KEY, in FIPS 204's encoding */

struct mldsa_state {
    int set;
    const char *name;
    EVP_PKEY_CTX *generate;
    EVP_PKEY *made; /* by the last openssl() call of a key generation */
    EVP_PKEY *theirs[OCT_LANES];
    struct oct_mldsa_key *key[OCT_LANES];
    uint8_t pk[OCT_LANES][MAX_PK], sk[OCT_LANES][MAX_SK];
    uint8_t message[OCT_LANES][MESSAGE], signature[OCT_LANES][MAX_SIGNATURE];
    uint8_t own[OCT_LANES][MAX_SIGNATURE], their[OCT_LANES][MAX_SIGNATURE]; /* what each side signed last */
};

static void mldsa_close(void *arg)
{
    struct mldsa_state *s = arg;
    if (s == NULL)
        return;
    for (int i = 0; i < OCT_LANES; i++) {
        EVP_PKEY_free(s->theirs[i]);
        oct_mldsa_key_free(s->key[i]);
    }
    EVP_PKEY_CTX_free(s->generate);
    EVP_PKEY_free(s->made);
    OPENSSL_cleanse(s, sizeof *s);
    free(s);
}

static unsigned generate(const struct mldsa_state *s, uint8_t (*pk)[MAX_PK], uint8_t (*sk)[MAX_SK])
{
    struct oct_mldsa_keygen_lane lane[OCT_LANES];
    struct oct_lanes result;
    for (int i = 0; i < OCT_LANES; i++)
        lane[i] = (struct oct_mldsa_keygen_lane){NULL, pk[i], sk[i]};
    return oct_mldsa_keygen_x8(s->set, lane, OCT_LANES, &result) == OCT_OK && result.ok == 0xff ? OCT_LANES : 0;
}

static unsigned sign(const struct mldsa_state *s, uint8_t (*signature)[MAX_SIGNATURE])
{
    struct oct_mldsa_sign_lane lane[OCT_LANES];
    struct oct_lanes result;
    for (int i = 0; i < OCT_LANES; i++) {
        lane[i] = (struct oct_mldsa_sign_lane){
            .key = s->key[i], .message = s->message[i], .message_len = MESSAGE, .signature = signature[i]};
    }
    return oct_mldsa_sign_x8(s->set, lane, OCT_LANES, &result) == OCT_OK && result.ok == 0xff ? OCT_LANES : 0;
}

static unsigned verify(const struct mldsa_state *s, uint8_t (*signature)[MAX_SIGNATURE])
{
    struct oct_mldsa_verify_lane lane[OCT_LANES];
    struct oct_lanes result;
    for (int i = 0; i < OCT_LANES; i++) {
        lane[i] = (struct oct_mldsa_verify_lane){
            .key = s->key[i], .message = s->message[i], .message_len = MESSAGE, .signature = signature[i]};
    }
    return oct_mldsa_verify_x8(s->set, lane, OCT_LANES, &result) == OCT_OK && result.ok == 0xff ? OCT_LANES : 0;
}

/* OpenSSL's keys, from our bytes. */
static bool open_openssl(struct mldsa_state *s)
{
    s->generate = EVP_PKEY_CTX_new_from_name(speed_libctx(), s->name, NULL);
    bool ok = s->generate != NULL && EVP_PKEY_keygen_init(s->generate) > 0;
    for (int i = 0; ok && i < OCT_LANES; i++) {
        OSSL_PARAM params[] = {
            OSSL_PARAM_construct_octet_string(PK_PARAM, s->pk[i], oct_mldsa_pk_bytes(s->set)),
            OSSL_PARAM_construct_octet_string(SK_PARAM, s->sk[i], oct_mldsa_sk_bytes(s->set)),
            OSSL_PARAM_construct_end(),
        };
        EVP_PKEY_CTX *from = EVP_PKEY_CTX_new_from_name(speed_libctx(), s->name, NULL);
        ok = from != NULL && EVP_PKEY_fromdata_init(from) > 0 &&
             EVP_PKEY_fromdata(from, &s->theirs[i], EVP_PKEY_KEYPAIR, params) > 0;
        EVP_PKEY_CTX_free(from);
    }
    return ok;
}

/* Where Octuple is off there are no keys of its making to measure OpenSSL with: then nothing is. */
static void *mldsa_open(const struct speed_op *op)
{
    struct mldsa_state *s = speed_libctx() != NULL ? calloc(1, sizeof *s) : NULL;
    if (s == NULL)
        return NULL;
    s->set = (int)op->param;
    s->name = s->set == OCT_MLDSA_44 ? "ML-DSA-44" : "ML-DSA-65";
    if (!speed_op_is_on(op))
        return s;
    bool ok = generate(s, s->pk, s->sk) > 0;
    for (int i = 0; ok && i < OCT_LANES; i++) {
        memset(s->message[i], 'a' + i, MESSAGE);
        ok = oct_mldsa_key_new_private(&s->key[i], s->set, s->sk[i]) == OCT_OK;
    }
    if (ok && sign(s, s->signature) > 0 && (!speed_openssl_has(s->name) || open_openssl(s)))
        return s;
    cli_say("octuple speed", "%s cannot be prepared", op->name);
    mldsa_close(s);
    return NULL;
}

static unsigned octuple_keygen(void *arg)
{
    struct mldsa_state *s = arg;
    static uint8_t pk[OCT_LANES][MAX_PK], sk[OCT_LANES][MAX_SK];
    return generate(s, pk, sk);
}

static unsigned octuple_sign(void *arg)
{
    struct mldsa_state *s = arg;
    return sign(s, s->own);
}

static unsigned octuple_verify(void *arg)
{
    struct mldsa_state *s = arg;
    return verify(s, s->signature);
}

static unsigned openssl_keygen(void *arg)
{
    struct mldsa_state *s = arg;
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

static unsigned openssl_sign(void *arg)
{
    struct mldsa_state *s = arg;
    if (s->generate == NULL)
        return SPEED_NONE;
    for (int i = 0; i < OCT_LANES; i++) {
        size_t len = MAX_SIGNATURE;
        EVP_MD_CTX *ctx = EVP_MD_CTX_new();
        bool ok = ctx != NULL && EVP_DigestSignInit_ex(ctx, NULL, NULL, speed_libctx(), NULL, s->theirs[i], NULL) > 0 &&
                  EVP_DigestSign(ctx, s->their[i], &len, s->message[i], MESSAGE) > 0;
        EVP_MD_CTX_free(ctx);
        if (!ok)
            return 0;
    }
    return OCT_LANES;
}

static bool openssl_verify_one(const struct mldsa_state *s, int i, const uint8_t *signature)
{
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    bool ok = ctx != NULL && EVP_DigestVerifyInit_ex(ctx, NULL, NULL, speed_libctx(), NULL, s->theirs[i], NULL) > 0 &&
              EVP_DigestVerify(ctx, signature, oct_mldsa_signature_bytes(s->set), s->message[i], MESSAGE) > 0;
    EVP_MD_CTX_free(ctx);
    return ok;
}

static unsigned openssl_verify(void *arg)
{
    struct mldsa_state *s = arg;
    if (s->generate == NULL)
        return SPEED_NONE;
    for (int i = 0; i < OCT_LANES; i++)
        if (!openssl_verify_one(s, i, s->signature[i]))
            return 0;
    return OCT_LANES;
}

/* OpenSSL makes the same public key of our private one, and verifies what that signs. */
static int same_keygen(void *arg)
{
    struct mldsa_state *s = arg;
    for (int i = 0; s->generate != NULL && i < OCT_LANES; i++) {
        uint8_t pk[MAX_PK];
        size_t len = 0;
        if (!EVP_PKEY_get_octet_string_param(s->theirs[i], OSSL_PKEY_PARAM_PUB_KEY, pk, sizeof pk, &len) ||
            len != oct_mldsa_pk_bytes(s->set) || memcmp(pk, s->pk[i], len) != 0 ||
            !openssl_verify_one(s, i, s->signature[i]))
            return 0;
    }
    return verify(s, s->signature) > 0;
}

/* Each side verifies what the other has signed. */
static int same_sign(void *arg)
{
    struct mldsa_state *s = arg;
    for (int i = 0; s->generate != NULL && i < OCT_LANES; i++)
        if (!openssl_verify_one(s, i, s->own[i]))
            return 0;
    return verify(s, s->own) > 0 && (s->generate == NULL || verify(s, s->their) > 0);
}

static int same_verify(void *arg)
{
    struct mldsa_state *s = arg;
    int good;
    s->signature[0][1] ^= 1;
    good = !verify(s, s->signature) && (s->generate == NULL || !openssl_verify_one(s, 0, s->signature[0]));
    s->signature[0][1] ^= 1;
    return good;
}

#define ROW(text, verb, op, set)                                                                                       \
    {                                                                                                                  \
        text, "op/s", op, set, mldsa_open, mldsa_close, octuple_##verb, openssl_##verb, same_##verb                    \
    }

const struct speed_op speed_mldsa_ops[] = {
    ROW("mldsa44-keygen", keygen, OCT_OP_MLDSA44_KEYGEN, OCT_MLDSA_44),
    ROW("mldsa44-sign", sign, OCT_OP_MLDSA44_SIGN, OCT_MLDSA_44),
    ROW("mldsa44-verify", verify, OCT_OP_MLDSA44_VERIFY, OCT_MLDSA_44),
    ROW("mldsa65-keygen", keygen, OCT_OP_MLDSA65_KEYGEN, OCT_MLDSA_65),
    ROW("mldsa65-sign", sign, OCT_OP_MLDSA65_SIGN, OCT_MLDSA_65),
    ROW("mldsa65-verify", verify, OCT_OP_MLDSA65_VERIFY, OCT_MLDSA_65),
    {0},
};
