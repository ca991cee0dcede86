/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See ec_keys.h. */
#include "ec_keys.h"

#include <openssl/params.h>

const char *const ec_curves[] = {"P-256", "P-384", "P-521", "secp256k1", "brainpoolP256r1", NULL};

EVP_PKEY *ec_generate(OSSL_LIB_CTX *ctx, const char *curve)
{
    EVP_PKEY *key = EVP_PKEY_Q_keygen(ctx, NULL, "EC", curve);
    assert_non_null(key);
    return key;
}

EVP_PKEY *ec_move(OSSL_LIB_CTX *to, const EVP_PKEY *key, int selection)
{
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(to, "EC", NULL);
    OSSL_PARAM *params = NULL;
    EVP_PKEY *moved = NULL;

    assert_true(EVP_PKEY_todata(key, selection, &params));
    assert_true(EVP_PKEY_fromdata_init(ctx) > 0);
    assert_true(EVP_PKEY_fromdata(ctx, &moved, selection, params) > 0);
    OSSL_PARAM_free(params);
    EVP_PKEY_CTX_free(ctx);
    return moved;
}

int ec_sign(OSSL_LIB_CTX *libctx, EVP_PKEY *key, const uint8_t hash[32], uint8_t *signature, size_t *len)
{
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(libctx, key, NULL);
    int ok = ctx != NULL && EVP_PKEY_sign_init(ctx) > 0 && EVP_PKEY_sign(ctx, signature, len, hash, 32) > 0;

    EVP_PKEY_CTX_free(ctx);
    return ok;
}

int ec_verify(OSSL_LIB_CTX *libctx, EVP_PKEY *key, const uint8_t hash[32], const uint8_t *signature, size_t len)
{
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(libctx, key, NULL);
    int ok = ctx != NULL && EVP_PKEY_verify_init(ctx) > 0 && EVP_PKEY_verify(ctx, signature, len, hash, 32) > 0;

    EVP_PKEY_CTX_free(ctx);
    return ok;
}

int ec_derive(OSSL_LIB_CTX *libctx, EVP_PKEY *own, EVP_PKEY *peer, uint8_t *secret, size_t *len)
{
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(libctx, own, NULL);
    int ok = ctx != NULL && EVP_PKEY_derive_init(ctx) > 0 && EVP_PKEY_derive_set_peer(ctx, peer) > 0 &&
             EVP_PKEY_derive(ctx, secret, len) > 0;

    EVP_PKEY_CTX_free(ctx);
    return ok;
}
