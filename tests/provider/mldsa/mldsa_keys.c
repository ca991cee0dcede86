/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See mldsa_keys.h. */
#include "mldsa_keys.h"

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/params.h>
#include <stdlib.h>
#include <string.h>

const char *const mldsa_names[OCT_MLDSA_SETS] = {"ML-DSA-44", "ML-DSA-65"};

int mldsa_open(void **state)
{
    if (OpenSSL_version_num() < 0x30500000) {
        printf("skipped: this OpenSSL has no ML-DSA\n");
        exit(77);
    }
    if (!oct_op_is_on(OCT_OP_MLDSA44_SIGN)) {
        printf("skipped: lanes do not serve ML-DSA here\n");
        exit(77);
    }
    return open_contexts(state);
}

EVP_PKEY *mldsa_generate(OSSL_LIB_CTX *ctx, int set)
{
    EVP_PKEY *key = EVP_PKEY_Q_keygen(ctx, NULL, mldsa_names[set]);

    assert_non_null(key);
    assert_int_equal(is_ours(key), ctx != plain_ctx);
    return key;
}

EVP_PKEY *mldsa_import(OSSL_LIB_CTX *ctx, int set, const uint8_t *private_key, const uint8_t *public_key)
{
    EVP_PKEY_CTX *pctx = EVP_PKEY_CTX_new_from_name(ctx, mldsa_names[set], NULL);
    OSSL_PARAM params[3], *p = params;
    EVP_PKEY *key = NULL;

    if (public_key != NULL)
        *p++ = OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, (void *)public_key, oct_mldsa_pk_bytes(set));
    if (private_key != NULL)
        *p++ =
            OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PRIV_KEY, (void *)private_key, oct_mldsa_sk_bytes(set));
    *p = OSSL_PARAM_construct_end();
    assert_int_equal(EVP_PKEY_fromdata_init(pctx), 1);
    if (EVP_PKEY_fromdata(pctx, &key, private_key == NULL ? EVP_PKEY_PUBLIC_KEY : EVP_PKEY_KEYPAIR, params) <= 0)
        key = NULL;
    EVP_PKEY_CTX_free(pctx);
    return key;
}

static EVP_PKEY *copy(OSSL_LIB_CTX *ctx, const EVP_PKEY *key, int set, int with_private)
{
    uint8_t private_key[MAX_PRIVATE], public_key[MAX_PUBLIC];
    size_t len;
    EVP_PKEY *made;

    assert_int_equal(EVP_PKEY_get_octet_string_param(key, OSSL_PKEY_PARAM_PUB_KEY, public_key, sizeof public_key, &len),
                     1);
    assert_int_equal(len, oct_mldsa_pk_bytes(set));
    if (with_private)
        assert_int_equal(
            EVP_PKEY_get_octet_string_param(key, OSSL_PKEY_PARAM_PRIV_KEY, private_key, sizeof private_key, &len), 1);
    made = mldsa_import(ctx, set, with_private ? private_key : NULL, public_key);
    assert_non_null(made);
    return made;
}

EVP_PKEY *mldsa_copy(OSSL_LIB_CTX *ctx, const EVP_PKEY *key, int set)
{
    return copy(ctx, key, set, 1);
}

EVP_PKEY *mldsa_copy_public(OSSL_LIB_CTX *ctx, const EVP_PKEY *key, int set)
{
    return copy(ctx, key, set, 0);
}

/* The parameters of `how`, of which there are at most four. The struct stays in place. */
static void describe(const struct how *how, OSSL_PARAM params[5])
{
    static int one = 1, zero = 0;

    if (how != NULL && how->context != NULL)
        *params++ = OSSL_PARAM_construct_octet_string("context-string", (void *)how->context, strlen(how->context));
    if (how != NULL && how->deterministic)
        *params++ = OSSL_PARAM_construct_int("deterministic", &one);
    if (how != NULL && how->raw)
        *params++ = OSSL_PARAM_construct_int("message-encoding", &zero);
    if (how != NULL && how->entropy != NULL)
        *params++ = OSSL_PARAM_construct_octet_string("test-entropy", (void *)how->entropy, OCT_MLDSA_RANDOM_BYTES);
    *params = OSSL_PARAM_construct_end();
}

int mldsa_sign(OSSL_LIB_CTX *ctx, EVP_PKEY *key, const struct how *how, const uint8_t *message, size_t len,
               uint8_t *signature)
{
    EVP_MD_CTX *md = EVP_MD_CTX_new();
    size_t size = 0;
    OSSL_PARAM params[5];
    int ok;

    describe(how, params);
    ok = md != NULL && EVP_DigestSignInit_ex(md, NULL, NULL, ctx, NULL, key, params) > 0 &&
         EVP_DigestSign(md, NULL, &size, message, len) > 0 && size <= MAX_SIGNATURE &&
         EVP_DigestSign(md, signature, &size, message, len) > 0;
    EVP_MD_CTX_free(md);
    return ok;
}

int mldsa_verify(OSSL_LIB_CTX *ctx, EVP_PKEY *key, const struct how *how, const uint8_t *message, size_t len,
                 const uint8_t *signature, size_t signature_len)
{
    EVP_MD_CTX *md = EVP_MD_CTX_new();
    OSSL_PARAM params[5];
    int ok;

    describe(how, params);
    ok = md != NULL && EVP_DigestVerifyInit_ex(md, NULL, NULL, ctx, NULL, key, params) > 0 &&
         EVP_DigestVerify(md, signature, signature_len, message, len) == 1;
    EVP_MD_CTX_free(md);
    return ok;
}

struct oct_op_counters mldsa_counters(int op)
{
    struct oct_counters counters;
    oct_counters_read(&counters);
    return counters.op[op];
}

void mldsa_prefer_lanes(int set)
{
    for (int i = 0; i < 64; i++) {
        oct_queue_note_fallback(oct_queue_thread(), oct_mldsa_sign_op(set), 10000000000u);
        oct_queue_note_fallback(oct_queue_thread(), oct_mldsa_verify_op(set), 10000000000u);
    }
}
