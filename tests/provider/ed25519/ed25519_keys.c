/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See ed25519_keys.h. */
#include "ed25519_keys.h"

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/params.h>
#include <string.h>

EVP_PKEY *ed25519_generate(OSSL_LIB_CTX *ctx)
{
    EVP_PKEY *key = EVP_PKEY_Q_keygen(ctx, NULL, "ED25519");

    assert_non_null(key);
    assert_int_equal(is_ours(key), ctx != plain_ctx);
    return key;
}

struct pair ed25519_pair(const EVP_PKEY *key)
{
    struct pair pair = {{0}, {0}};
    size_t len = ED25519;

    assert_int_equal(EVP_PKEY_get_octet_string_param(key, OSSL_PKEY_PARAM_PUB_KEY, pair.point, ED25519, &len), 1);
    assert_int_equal(len, ED25519);
    (void)EVP_PKEY_get_octet_string_param(key, OSSL_PKEY_PARAM_PRIV_KEY, pair.seed, ED25519, &len);
    return pair;
}

EVP_PKEY *ed25519_import(OSSL_LIB_CTX *ctx, const uint8_t *seed, const uint8_t *point)
{
    EVP_PKEY_CTX *pctx = EVP_PKEY_CTX_new_from_name(ctx, "ED25519", NULL);
    OSSL_PARAM params[3], *p = params;
    EVP_PKEY *key = NULL;

    if (point != NULL)
        *p++ = OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, (void *)point, ED25519);
    if (seed != NULL)
        *p++ = OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PRIV_KEY, (void *)seed, ED25519);
    *p = OSSL_PARAM_construct_end();
    assert_int_equal(EVP_PKEY_fromdata_init(pctx), 1);
    if (EVP_PKEY_fromdata(pctx, &key, seed == NULL ? EVP_PKEY_PUBLIC_KEY : EVP_PKEY_KEYPAIR, params) <= 0)
        key = NULL;
    EVP_PKEY_CTX_free(pctx);
    return key;
}

EVP_PKEY *ed25519_copy(OSSL_LIB_CTX *ctx, const EVP_PKEY *key)
{
    static const uint8_t none[ED25519];
    const struct pair pair = ed25519_pair(key);
    EVP_PKEY *copy = ed25519_import(ctx, memcmp(pair.seed, none, ED25519) == 0 ? NULL : pair.seed, pair.point);

    assert_non_null(copy);
    return copy;
}

int ed25519_sign(OSSL_LIB_CTX *ctx, EVP_PKEY *key, const uint8_t *message, size_t len, uint8_t signature[SIGNATURE])
{
    EVP_MD_CTX *md = EVP_MD_CTX_new();
    size_t signature_len = SIGNATURE;
    const int ok = md != NULL && EVP_DigestSignInit_ex(md, NULL, NULL, ctx, NULL, key, NULL) > 0 &&
                   EVP_DigestSign(md, signature, &signature_len, message, len) > 0 && signature_len == SIGNATURE;

    EVP_MD_CTX_free(md);
    return ok;
}

int ed25519_verify(OSSL_LIB_CTX *ctx, EVP_PKEY *key, const uint8_t *message, size_t len, const uint8_t *signature,
                   size_t signature_len)
{
    EVP_MD_CTX *md = EVP_MD_CTX_new();
    const int ok = md != NULL && EVP_DigestVerifyInit_ex(md, NULL, NULL, ctx, NULL, key, NULL) > 0 &&
                   EVP_DigestVerify(md, signature, signature_len, message, len) == 1;

    EVP_MD_CTX_free(md);
    return ok;
}

struct oct_op_counters ed25519_counters(int op)
{
    struct oct_counters counters;
    oct_counters_read(&counters);
    return counters.op[op];
}

void ed25519_prefer_lanes(void)
{
    for (int i = 0; i < 64; i++) {
        oct_queue_note_fallback(oct_queue_thread(), OCT_OP_ED25519_SIGN, 10000000000u);
        oct_queue_note_fallback(oct_queue_thread(), OCT_OP_ED25519_VERIFY, 10000000000u);
    }
}

int has_raised(const char *reason)
{
    unsigned long error;
    int found = 0;

    while ((error = ERR_get_error()) != 0) {
        const char *text = ERR_reason_error_string(error);
        found |= text != NULL && strcmp(text, reason) == 0;
    }
    return found;
}
