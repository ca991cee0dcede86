/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* ML-KEM-768 and ML-DSA-65 beside AWS-LC, which takes them by EVP. Keys are made once and stay expanded on both sides.
 */
#include "aws_lc.h"

#include <octuple/mldsa.h>
#include <octuple/mlkem.h>
#include <openssl/evp.h>
#include <openssl/nid.h>
#include <stdlib.h>
#include <string.h>

#define EK_BYTES      1184
#define DK_BYTES      2400
#define CT_BYTES      1088
#define SECRET_BYTES  32
#define PK_BYTES      1952
#define SK_BYTES      4032
#define SIG_BYTES     3309
#define MESSAGE_BYTES 130

struct mlkem {
    EVP_PKEY *key[LANES];
    EVP_PKEY_CTX *use[LANES], *make;
    uint8_t ek[LANES][EK_BYTES], dk[LANES][DK_BYTES], ct[LANES][CT_BYTES], their_ct[LANES][CT_BYTES];
    uint8_t new_ek[LANES][EK_BYTES], new_dk[LANES][DK_BYTES];
    uint8_t encapsulated[LANES][SECRET_BYTES], ours[LANES][SECRET_BYTES], theirs[LANES][SECRET_BYTES];
    uint8_t their_secret[LANES][SECRET_BYTES];
    struct oct_mlkem_keygen_lane keygen[LANES];
    struct oct_mlkem_encaps_lane encaps[LANES];
    struct oct_mlkem_decaps_lane decaps[LANES];
};

static EVP_PKEY_CTX *maker(int type, int nid)
{
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_id(type, NULL);
    const int ok =
        ctx && EVP_PKEY_keygen_init(ctx) &&
        (type == EVP_PKEY_KEM ? EVP_PKEY_CTX_kem_set_params(ctx, nid) : EVP_PKEY_CTX_pqdsa_set_params(ctx, nid));
    if (ok)
        return ctx;
    EVP_PKEY_CTX_free(ctx);
    return NULL;
}

static unsigned make_keys(EVP_PKEY_CTX *make)
{
    for (int i = 0; i < LANES; i++) {
        EVP_PKEY *made = NULL;
        if (!EVP_PKEY_keygen(make, &made))
            return 0;
        EVP_PKEY_free(made);
    }
    return LANES;
}

static void mlkem_close(void *arg)
{
    struct mlkem *s = arg;
    EVP_PKEY_CTX_free(s->make);
    for (int i = 0; i < LANES; i++) {
        EVP_PKEY_CTX_free(s->use[i]);
        EVP_PKEY_free(s->key[i]);
    }
    free(s);
}

OURS(mlkem, keygen, oct_mlkem_keygen_x8(OCT_MLKEM_768, s->keygen, LANES, &result))
OURS(mlkem, encaps, oct_mlkem_encaps_x8(OCT_MLKEM_768, s->encaps, LANES, &result))
OURS(mlkem, decaps, oct_mlkem_decaps_x8(OCT_MLKEM_768, s->decaps, LANES, &result))

static unsigned mlkem_their_keygen(void *arg)
{
    struct mlkem *s = arg;
    return make_keys(s->make);
}

static unsigned mlkem_their_encaps(void *arg)
{
    struct mlkem *s = arg;
    for (int i = 0; i < LANES; i++) {
        size_t ct_len = CT_BYTES, secret_len = SECRET_BYTES;
        if (!EVP_PKEY_encapsulate(s->use[i], s->their_ct[i], &ct_len, s->their_secret[i], &secret_len))
            return 0;
    }
    return LANES;
}

static unsigned mlkem_their_decaps(void *arg)
{
    struct mlkem *s = arg;
    for (int i = 0; i < LANES; i++) {
        size_t len = SECRET_BYTES;
        if (!EVP_PKEY_decapsulate(s->use[i], s->theirs[i], &len, s->ct[i], CT_BYTES))
            return 0;
    }
    return LANES;
}

static int mlkem_fill_lane(struct mlkem *s, int i)
{
    size_t ek = EK_BYTES, dk = DK_BYTES;
    s->keygen[i] = (struct oct_mlkem_keygen_lane){NULL, s->new_ek[i], s->new_dk[i]};
    s->encaps[i] = (struct oct_mlkem_encaps_lane){s->ek[i], NULL, s->ct[i], s->encapsulated[i]};
    s->decaps[i] = (struct oct_mlkem_decaps_lane){s->dk[i], s->ct[i], s->ours[i]};
    if (!EVP_PKEY_keygen(s->make, &s->key[i]) || !EVP_PKEY_get_raw_public_key(s->key[i], s->ek[i], &ek) ||
        !EVP_PKEY_get_raw_private_key(s->key[i], s->dk[i], &dk))
        return 0;
    s->use[i] = EVP_PKEY_CTX_new(s->key[i], NULL);
    return s->use[i] != NULL && ek == EK_BYTES && dk == DK_BYTES;
}

static void *mlkem_open(const struct beside_row *row)
{
    struct mlkem *s = calloc(1, sizeof *s);
    int ok = s != NULL && (s->make = maker(EVP_PKEY_KEM, NID_MLKEM768)) != NULL;
    (void)row;
    for (int i = 0; ok && i < LANES; i++)
        ok = mlkem_fill_lane(s, i);
    if (ok && mlkem_our_encaps(s))
        return s;
    if (s != NULL)
        mlkem_close(s);
    return NULL;
}

/* Each side decapsulates what Octuple has encapsulated, to the secret that it then got. */
static int mlkem_same(void *arg)
{
    struct mlkem *s = arg;
    return mlkem_our_decaps(s) && mlkem_their_decaps(s) && memcmp(s->ours, s->theirs, sizeof s->ours) == 0 &&
           memcmp(s->ours, s->encapsulated, sizeof s->ours) == 0;
}

struct mldsa {
    EVP_PKEY *key[LANES];
    EVP_PKEY_CTX *make;
    struct oct_mldsa_key *octuple[LANES];
    uint8_t pk[LANES][PK_BYTES], sk[LANES][SK_BYTES], new_pk[LANES][PK_BYTES], new_sk[LANES][SK_BYTES];
    uint8_t message[LANES][MESSAGE_BYTES], ours[LANES][SIG_BYTES], theirs[LANES][SIG_BYTES];
    struct oct_mldsa_keygen_lane keygen[LANES];
    struct oct_mldsa_sign_lane sign[LANES];
    struct oct_mldsa_verify_lane verify[LANES];
};

static void mldsa_close(void *arg)
{
    struct mldsa *s = arg;
    EVP_PKEY_CTX_free(s->make);
    for (int i = 0; i < LANES; i++) {
        EVP_PKEY_free(s->key[i]);
        oct_mldsa_key_free(s->octuple[i]);
    }
    free(s);
}

OURS(mldsa, keygen, oct_mldsa_keygen_x8(OCT_MLDSA_65, s->keygen, LANES, &result))
OURS(mldsa, sign, oct_mldsa_sign_x8(OCT_MLDSA_65, s->sign, LANES, &result))
OURS(mldsa, verify, oct_mldsa_verify_x8(OCT_MLDSA_65, s->verify, LANES, &result))

static unsigned mldsa_their_keygen(void *arg)
{
    struct mldsa *s = arg;
    return make_keys(s->make);
}

static unsigned mldsa_their_sign(void *arg)
{
    struct mldsa *s = arg;
    int ok = 1;
    for (int i = 0; ok && i < LANES; i++) {
        EVP_MD_CTX *ctx = EVP_MD_CTX_new();
        size_t len = SIG_BYTES;
        ok = ctx && EVP_DigestSignInit(ctx, NULL, NULL, NULL, s->key[i]) &&
             EVP_DigestSign(ctx, s->theirs[i], &len, s->message[i], MESSAGE_BYTES) && len == SIG_BYTES;
        EVP_MD_CTX_free(ctx);
    }
    return ok ? LANES : 0;
}

static int their_verdict(const struct mldsa *s, int i, const uint8_t *signature)
{
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    const int ok = ctx && EVP_DigestVerifyInit(ctx, NULL, NULL, NULL, s->key[i]) &&
                   EVP_DigestVerify(ctx, signature, SIG_BYTES, s->message[i], MESSAGE_BYTES) == 1;
    EVP_MD_CTX_free(ctx);
    return ok;
}

static unsigned mldsa_their_verify(void *arg)
{
    struct mldsa *s = arg;
    for (int i = 0; i < LANES; i++)
        if (!their_verdict(s, i, s->theirs[i]))
            return 0;
    return LANES;
}

static int mldsa_fill_lane(struct mldsa *s, int i)
{
    size_t pk = PK_BYTES, sk = SK_BYTES;
    if (!EVP_PKEY_keygen(s->make, &s->key[i]) || !EVP_PKEY_get_raw_public_key(s->key[i], s->pk[i], &pk) ||
        !EVP_PKEY_get_raw_private_key(s->key[i], s->sk[i], &sk) || pk != PK_BYTES || sk != SK_BYTES ||
        oct_mldsa_key_new_private(&s->octuple[i], OCT_MLDSA_65, s->sk[i]) != OCT_OK)
        return 0;
    s->keygen[i] = (struct oct_mldsa_keygen_lane){NULL, s->new_pk[i], s->new_sk[i]};
    s->sign[i] = (struct oct_mldsa_sign_lane){
        .key = s->octuple[i], .message = s->message[i], .message_len = MESSAGE_BYTES, .signature = s->ours[i]};
    s->verify[i] = (struct oct_mldsa_verify_lane){
        .key = s->octuple[i], .message = s->message[i], .message_len = MESSAGE_BYTES, .signature = s->ours[i]};
    return 1;
}

static void *mldsa_open(const struct beside_row *row)
{
    struct mldsa *s = calloc(1, sizeof *s);
    int ok = s != NULL && beside_fill(s->message, sizeof s->message) &&
             (s->make = maker(EVP_PKEY_PQDSA, NID_MLDSA65)) != NULL;
    (void)row;
    for (int i = 0; ok && i < LANES; i++)
        ok = mldsa_fill_lane(s, i);
    if (ok && mldsa_our_sign(s) && mldsa_their_sign(s))
        return s;
    if (s != NULL)
        mldsa_close(s);
    return NULL;
}

/* Each side accepts the other's signatures. */
static int mldsa_same(void *arg)
{
    struct mldsa *s = arg;
    struct oct_mldsa_verify_lane lane[LANES];
    struct oct_lanes result;
    for (int i = 0; i < LANES; i++) {
        if (!their_verdict(s, i, s->ours[i]))
            return 0;
        lane[i] = s->verify[i];
        lane[i].signature = s->theirs[i];
    }
    return all_good(oct_mldsa_verify_x8(OCT_MLDSA_65, lane, LANES, &result), &result);
}

const struct beside_row aws_lc_post_quantum[] = {AWS_LC_ROW("mlkem768-keygen", 0, mlkem, keygen),
                                                 AWS_LC_ROW("mlkem768-encaps", 0, mlkem, encaps),
                                                 AWS_LC_ROW("mlkem768-decaps", 0, mlkem, decaps),
                                                 AWS_LC_ROW("mldsa65-keygen", 0, mldsa, keygen),
                                                 AWS_LC_ROW("mldsa65-sign", 0, mldsa, sign),
                                                 AWS_LC_ROW("mldsa65-verify", 0, mldsa, verify),
                                                 {0}};
