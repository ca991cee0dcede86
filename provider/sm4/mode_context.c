/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Contexts of counter mode and CBC: their life, keys, vectors and settings. */
#include "provider/core/param.h"
#include "provider/core/provider.h"
#include "sm4.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK OCT_SM4_BLOCK_BYTES

static struct oct_sm4_mode *mode_new(void *provctx, int cbc)
{
    struct oct_sm4_mode *c = oct_sm4_context_new(provctx, sizeof *c);

    if (c == NULL)
        return NULL;
    c->prov = provctx;
    c->cbc = cbc;
    c->pads = cbc;
    return c;
}

static void *ctr_new(void *provctx)
{
    return mode_new(provctx, 0);
}

static void *cbc_new(void *provctx)
{
    return mode_new(provctx, 1);
}

static void mode_free(void *vc)
{
    if (vc != NULL)
        OPENSSL_cleanse(vc, sizeof(struct oct_sm4_mode));
    free(vc);
}

/* Nothing in a context points into it. */
static void *mode_dup(void *vc)
{
    const struct oct_sm4_mode *c = vc;
    struct oct_sm4_mode *copy = c == NULL ? NULL : oct_sm4_context_new(c->prov, sizeof *copy);

    if (copy != NULL)
        memcpy(copy, c, sizeof *copy);
    return copy;
}

/* The vector of the next block: counter mode may be ahead of it. */
static void updated_vector(const struct oct_sm4_mode *c, uint8_t iv[BLOCK])
{
    uint64_t blocks = (c->done + BLOCK - 1) / BLOCK;

    memcpy(iv, c->cbc ? c->iv : c->base, BLOCK);
    for (int i = BLOCK - 1; i >= 0 && blocks && !c->cbc; i--, blocks >>= 8) {
        blocks += iv[i];
        iv[i] = (uint8_t)blocks;
    }
}

/* A new text begins, and key stream that was made is none: it may be another key's. Without a vector CBC goes back to
 * the one that was set, and counter mode goes on with the next block. */
static int set_vector(struct oct_sm4_mode *c, const uint8_t *iv, size_t len)
{
    uint8_t next[BLOCK];

    if (iv != NULL && len != BLOCK)
        return OCT_RAISE(c->prov, OCT_REASON_IV_LENGTH);
    updated_vector(c, next);
    if (iv != NULL)
        memcpy(c->first, iv, BLOCK);
    memcpy(c->iv, iv != NULL || (c->cbc && c->has_iv) ? c->first : next, BLOCK);
    memcpy(c->base, c->iv, BLOCK);
    c->has_iv |= iv != NULL;
    c->done = 0;
    c->ready = c->held = 0;
    return 1;
}

static int set_key(struct oct_sm4_mode *c, const uint8_t *key, size_t len)
{
    if (key == NULL)
        return 1;
    if (len != OCT_SM4_KEY_BYTES)
        return OCT_RAISE(c->prov, OCT_REASON_KEY_LENGTH);
    if (oct_sm4_key_init(&c->key, key) != OCT_OK)
        return OCT_RAISE(c->prov, OCT_REASON_INTERNAL);
    c->has_key = 1;
    return 1;
}

static int give_vector(OSSL_PARAM params[], const char *name, const uint8_t iv[BLOCK])
{
    OSSL_PARAM *p = OSSL_PARAM_locate(params, name);
    return p == NULL || OSSL_PARAM_set_octet_string(p, iv, BLOCK) || OSSL_PARAM_set_octet_ptr(p, iv, BLOCK);
}

static int mode_get_ctx_params(void *vc, OSSL_PARAM params[])
{
    struct oct_sm4_mode *c = vc;
    uint8_t iv[BLOCK];

    updated_vector(c, iv);
    return (oct_param_give_size(params, OSSL_CIPHER_PARAM_KEYLEN, OCT_SM4_KEY_BYTES) &&
            oct_param_give_size(params, OSSL_CIPHER_PARAM_IVLEN, BLOCK) &&
            oct_param_give_uint(params, OSSL_CIPHER_PARAM_PADDING, (unsigned)c->pads) &&
            oct_param_give_uint(params, OSSL_CIPHER_PARAM_NUM, c->cbc ? 0 : (unsigned)(c->done % BLOCK)) &&
            give_vector(params, OSSL_CIPHER_PARAM_IV, c->first) &&
            give_vector(params, OSSL_CIPHER_PARAM_UPDATED_IV, iv)) ||
           OCT_RAISE(c->prov, OCT_REASON_PARAMETER_SET);
}

static int mode_set_ctx_params(void *vc, const OSSL_PARAM params[])
{
    struct oct_sm4_mode *c = vc;
    const OSSL_PARAM *p = OSSL_PARAM_locate_const(params, OSSL_CIPHER_PARAM_KEYLEN);
    unsigned pads = (unsigned)c->pads;
    size_t len = OCT_SM4_KEY_BYTES;

    if (params == NULL)
        return 1;
    if (!oct_param_get_uint(params, OSSL_CIPHER_PARAM_PADDING, &pads) || (p != NULL && !OSSL_PARAM_get_size_t(p, &len)))
        return OCT_RAISE(c->prov, OCT_REASON_PARAMETER_GET);
    if (len != OCT_SM4_KEY_BYTES)
        return OCT_RAISE(c->prov, OCT_REASON_KEY_LENGTH);
    c->pads = pads != 0;
    return 1;
}

static int mode_init(struct oct_sm4_mode *c, const uint8_t *key, size_t key_len, const uint8_t *iv, size_t iv_len,
                     const OSSL_PARAM params[], int encrypt)
{
    c->encrypt = encrypt;
    return set_vector(c, iv, iv_len) && set_key(c, key, key_len) && mode_set_ctx_params(c, params);
}

static int mode_encrypt_init(void *c, const unsigned char *key, size_t key_len, const unsigned char *iv, size_t iv_len,
                             const OSSL_PARAM params[])
{
    return mode_init(c, key, key_len, iv, iv_len, params, 1);
}

static int mode_decrypt_init(void *c, const unsigned char *key, size_t key_len, const unsigned char *iv, size_t iv_len,
                             const OSSL_PARAM params[])
{
    return mode_init(c, key, key_len, iv, iv_len, params, 0);
}

static const OSSL_PARAM *gettable_ctx_params(void *c, void *provctx)
{
    static const OSSL_PARAM list[] = {
        OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_KEYLEN, NULL),
        OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_IVLEN, NULL),
        OSSL_PARAM_uint(OSSL_CIPHER_PARAM_PADDING, NULL),
        OSSL_PARAM_uint(OSSL_CIPHER_PARAM_NUM, NULL),
        OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_IV, NULL, 0),
        OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_UPDATED_IV, NULL, 0),
        OSSL_PARAM_END,
    };
    (void)c, (void)provctx;
    return list;
}

static const OSSL_PARAM *settable_ctx_params(void *c, void *provctx)
{
    static const OSSL_PARAM list[] = {
        OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_KEYLEN, NULL),
        OSSL_PARAM_uint(OSSL_CIPHER_PARAM_PADDING, NULL),
        OSSL_PARAM_END,
    };
    (void)c, (void)provctx;
    return list;
}

static int ctr_get_params(OSSL_PARAM params[])
{
    static const struct oct_cipher_facts facts = {EVP_CIPH_CTR_MODE, OCT_SM4_KEY_BYTES, BLOCK, 1, 0};
    return oct_cipher_give_facts(params, &facts);
}

static int cbc_get_params(OSSL_PARAM params[])
{
    static const struct oct_cipher_facts facts = {EVP_CIPH_CBC_MODE, OCT_SM4_KEY_BYTES, BLOCK, BLOCK, 0};
    return oct_cipher_give_facts(params, &facts);
}

#define MODE_TABLE(name)                                                                                               \
    const OSSL_DISPATCH oct_sm4_##name##_table[] = {                                                                   \
        OCT_SYMMETRIC_ENTRY(NEWCTX, newctx, name##_new),                                                               \
        OCT_SYMMETRIC_ENTRY(FREECTX, freectx, mode_free),                                                              \
        OCT_SYMMETRIC_ENTRY(DUPCTX, dupctx, mode_dup),                                                                 \
        OCT_SYMMETRIC_ENTRY(ENCRYPT_INIT, encrypt_init, mode_encrypt_init),                                            \
        OCT_SYMMETRIC_ENTRY(DECRYPT_INIT, decrypt_init, mode_decrypt_init),                                            \
        OCT_SYMMETRIC_ENTRY(UPDATE, update, oct_sm4_##name##_update),                                                  \
        OCT_SYMMETRIC_ENTRY(FINAL, final, oct_sm4_##name##_final),                                                     \
        OCT_SYMMETRIC_ENTRY(CIPHER, cipher, oct_sm4_##name##_call),                                                    \
        OCT_SYMMETRIC_ENTRY(GET_PARAMS, get_params, name##_get_params),                                                \
        OCT_SYMMETRIC_ENTRY(GETTABLE_PARAMS, gettable_params, oct_cipher_gettable_facts),                              \
        OCT_SYMMETRIC_ENTRY(GET_CTX_PARAMS, get_ctx_params, mode_get_ctx_params),                                      \
        OCT_SYMMETRIC_ENTRY(GETTABLE_CTX_PARAMS, gettable_ctx_params, gettable_ctx_params),                            \
        OCT_SYMMETRIC_ENTRY(SET_CTX_PARAMS, set_ctx_params, mode_set_ctx_params),                                      \
        OCT_SYMMETRIC_ENTRY(SETTABLE_CTX_PARAMS, settable_ctx_params, settable_ctx_params),                            \
        OCT_DISPATCH_END,                                                                                              \
    }

MODE_TABLE(ctr);
MODE_TABLE(cbc);
