/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See evp_rsa.h. */
#include "evp_rsa.h"

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/param_build.h>
#include <openssl/rsa.h>
#include <string.h>

int evp_is_private(enum kat_kind kind)
{
    return kind != KAT_PKCS1_VERIFY && kind != KAT_PSS_VERIFY;
}

static BIGNUM *push(OSSL_PARAM_BLD *build, const char *name, struct kat_bytes value)
{
    BIGNUM *bn = BN_bin2bn(value.data, (int)value.len, NULL);
    KAT_REQUIRE(bn && OSSL_PARAM_BLD_push_BN(build, name, bn));
    return bn;
}

EVP_PKEY *evp_key(const struct evp_side *side, const struct kat_key *k, int private)
{
    const struct {
        const char *name;
        struct kat_bytes value;
    } part[8] = {{OSSL_PKEY_PARAM_RSA_N, k->n},          {OSSL_PKEY_PARAM_RSA_E, k->e},
                 {OSSL_PKEY_PARAM_RSA_D, k->d},          {OSSL_PKEY_PARAM_RSA_FACTOR1, k->p},
                 {OSSL_PKEY_PARAM_RSA_FACTOR2, k->q},    {OSSL_PKEY_PARAM_RSA_EXPONENT1, k->dp},
                 {OSSL_PKEY_PARAM_RSA_EXPONENT2, k->dq}, {OSSL_PKEY_PARAM_RSA_COEFFICIENT1, k->qinv}};
    const unsigned parts = private ? 8 : 2;
    OSSL_PARAM_BLD *build = OSSL_PARAM_BLD_new();
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(side->ctx, "RSA", side->properties);
    EVP_PKEY *key = NULL;
    BIGNUM *bn[8];
    KAT_REQUIRE(build && ctx);
    for (unsigned i = 0; i < parts; i++)
        bn[i] = push(build, part[i].name, part[i].value);
    OSSL_PARAM *params = OSSL_PARAM_BLD_to_param(build);
    KAT_REQUIRE(params && EVP_PKEY_fromdata_init(ctx) == 1);
    KAT_REQUIRE(EVP_PKEY_fromdata(ctx, &key, private ? EVP_PKEY_KEYPAIR : EVP_PKEY_PUBLIC_KEY, params) == 1);
    OSSL_PARAM_free(params);
    OSSL_PARAM_BLD_free(build);
    for (unsigned i = 0; i < parts; i++)
        BN_free(bn[i]);
    EVP_PKEY_CTX_free(ctx);
    return key;
}

static void set_pss(EVP_PKEY_CTX *pctx, const struct kat_case *c)
{
    KAT_REQUIRE(EVP_PKEY_CTX_set_rsa_padding(pctx, RSA_PKCS1_PSS_PADDING) > 0);
    KAT_REQUIRE(EVP_PKEY_CTX_set_rsa_pss_saltlen(pctx, c->salt) > 0);
    KAT_REQUIRE(EVP_PKEY_CTX_set_rsa_mgf1_md_name(pctx, c->mgf, NULL) > 0);
}

static void run_verify(struct evp_call *call)
{
    const struct kat_case *c = call->c;
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    EVP_PKEY_CTX *pctx = NULL;
    KAT_REQUIRE(ctx && EVP_DigestVerifyInit_ex(ctx, &pctx, c->sha, call->side->ctx, call->side->properties, call->key,
                                               NULL) == 1);
    if (call->file->kind == KAT_PSS_VERIFY)
        set_pss(pctx, c);
    call->done = EVP_DigestVerify(ctx, c->sig.data, c->sig.len, c->msg.data, c->msg.len) == 1;
    EVP_MD_CTX_free(ctx);
}

static void run_sign(struct evp_call *call)
{
    const struct kat_case *c = call->c;
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    call->len = sizeof call->out;
    KAT_REQUIRE(
        ctx && EVP_DigestSignInit_ex(ctx, NULL, c->sha, call->side->ctx, call->side->properties, call->key, NULL) == 1);
    call->done = EVP_DigestSign(ctx, call->out, &call->len, c->msg.data, c->msg.len) == 1;
    EVP_MD_CTX_free(ctx);
}

static void set_oaep(EVP_PKEY_CTX *ctx, const struct kat_case *c)
{
    KAT_REQUIRE(EVP_PKEY_CTX_set_rsa_padding(ctx, RSA_PKCS1_OAEP_PADDING) > 0);
    KAT_REQUIRE(EVP_PKEY_CTX_set_rsa_oaep_md_name(ctx, c->sha, NULL) > 0);
    KAT_REQUIRE(EVP_PKEY_CTX_set_rsa_mgf1_md_name(ctx, c->mgf, NULL) > 0);
    if (c->label.len > 0) {
        void *label = OPENSSL_memdup(c->label.data, c->label.len);
        KAT_REQUIRE(label && EVP_PKEY_CTX_set0_rsa_oaep_label(ctx, label, (int)c->label.len) > 0);
    }
}

static void run_decrypt(struct evp_call *call)
{
    const struct kat_case *c = call->c;
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(call->side->ctx, call->key, call->side->properties);
    call->len = sizeof call->out;
    KAT_REQUIRE(ctx && EVP_PKEY_decrypt_init(ctx) == 1);
    if (call->raw)
        KAT_REQUIRE(EVP_PKEY_CTX_set_rsa_padding(ctx, RSA_NO_PADDING) > 0);
    else if (call->file->kind == KAT_OAEP_DECRYPT)
        set_oaep(ctx, c);
    else
        KAT_REQUIRE(EVP_PKEY_CTX_set_rsa_padding(ctx, RSA_PKCS1_PADDING) > 0);
    call->done = EVP_PKEY_decrypt(ctx, call->out, &call->len, c->ct.data, c->ct.len) == 1;
    EVP_PKEY_CTX_free(ctx);
}

void evp_run(struct evp_call *call)
{
    call->done = 0;
    call->len = 0;
    if (!evp_is_private(call->file->kind))
        run_verify(call);
    else if (call->file->kind == KAT_PKCS1_SIGN)
        run_sign(call);
    else
        run_decrypt(call);
    if (!call->done)
        call->len = 0;
    ERR_clear_error();
}
