/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See x25519_keys.h. */
#include "x25519_keys.h"

#include <openssl/core_names.h>
#include <openssl/params.h>
#include <string.h>

EVP_PKEY *x25519_generate(OSSL_LIB_CTX *ctx)
{
    EVP_PKEY *key = EVP_PKEY_Q_keygen(ctx, NULL, "X25519");

    assert_non_null(key);
    assert_int_equal(is_ours(key), ctx != plain_ctx);
    return key;
}

struct pair x25519_pair(const EVP_PKEY *key)
{
    struct pair pair = {{0}, {0}};
    size_t len = X25519;

    assert_int_equal(EVP_PKEY_get_octet_string_param(key, OSSL_PKEY_PARAM_PUB_KEY, pair.point, X25519, &len), 1);
    assert_int_equal(len, X25519);
    (void)EVP_PKEY_get_octet_string_param(key, OSSL_PKEY_PARAM_PRIV_KEY, pair.secret, X25519, &len);
    return pair;
}

EVP_PKEY *x25519_import(OSSL_LIB_CTX *ctx, const uint8_t *secret, const uint8_t *point)
{
    EVP_PKEY_CTX *pctx = EVP_PKEY_CTX_new_from_name(ctx, "X25519", NULL);
    OSSL_PARAM params[3], *p = params;
    EVP_PKEY *key = NULL;

    if (point != NULL)
        *p++ = OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, (void *)point, X25519);
    if (secret != NULL)
        *p++ = OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PRIV_KEY, (void *)secret, X25519);
    *p = OSSL_PARAM_construct_end();
    assert_int_equal(EVP_PKEY_fromdata_init(pctx), 1);
    if (EVP_PKEY_fromdata(pctx, &key, secret == NULL ? EVP_PKEY_PUBLIC_KEY : EVP_PKEY_KEYPAIR, params) <= 0)
        key = NULL;
    EVP_PKEY_CTX_free(pctx);
    return key;
}

EVP_PKEY *x25519_copy(OSSL_LIB_CTX *ctx, const EVP_PKEY *key)
{
    static const uint8_t none[X25519];
    const struct pair pair = x25519_pair(key);
    EVP_PKEY *copy = x25519_import(ctx, memcmp(pair.secret, none, X25519) == 0 ? NULL : pair.secret, pair.point);

    assert_non_null(copy);
    return copy;
}

int x25519_derive(OSSL_LIB_CTX *ctx, EVP_PKEY *own, EVP_PKEY *peer, uint8_t secret[X25519])
{
    EVP_PKEY_CTX *pctx = EVP_PKEY_CTX_new_from_pkey(ctx, own, NULL);
    size_t len = X25519;
    const int ok = pctx != NULL && EVP_PKEY_derive_init(pctx) > 0 && EVP_PKEY_derive_set_peer(pctx, peer) > 0 &&
                   EVP_PKEY_derive(pctx, secret, &len) > 0 && len == X25519;

    EVP_PKEY_CTX_free(pctx);
    return ok;
}

struct oct_op_counters x25519_counters(int op)
{
    struct oct_counters counters;
    oct_counters_read(&counters);
    return counters.op[op];
}
