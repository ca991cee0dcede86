/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * SM4-CCM as OpenSSL's own ciphers of that mode have it: lengths of nonce and tag are settings; the length of the text
 * comes first if there is additional data, that in one call, and the text in one call, which seals or opens it. What
 * is opened is written only if its tag fits.
 */
#include "provider/core/param.h"
#include "provider/core/provider.h"
#include "sm4.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define TAG_MAX   16
#define NONCE_MAX 13

struct ccm {
    struct oct_sm4_key key;
    struct oct_prov *prov;
    int encrypt, has_key, has_nonce, has_len, has_tag;
    size_t nonce_len, tag_len, len, aad_len;
    uint8_t *aad; /* until text comes; NULL: none */
    uint8_t nonce[NONCE_MAX], tag[TAG_MAX];
};

static void forget_aad(struct ccm *c)
{
    OPENSSL_clear_free(c->aad, c->aad_len);
    c->aad = NULL;
    c->aad_len = 0;
}

static void *ccm_new(void *provctx)
{
    struct ccm *c = oct_sm4_context_new(provctx, sizeof *c);

    if (c == NULL)
        return NULL;
    c->prov = provctx;
    c->nonce_len = 7;
    c->tag_len = 12;
    return c;
}

static void ccm_free(void *vc)
{
    struct ccm *c = vc;

    if (c == NULL)
        return;
    forget_aad(c);
    OPENSSL_cleanse(c, sizeof *c);
    free(c);
}

static void *ccm_dup(void *vc)
{
    const struct ccm *c = vc;
    struct ccm *copy = c == NULL ? NULL : oct_sm4_context_new(c->prov, sizeof *copy);

    if (copy == NULL)
        return NULL;
    memcpy(copy, c, sizeof *copy);
    if (c->aad != NULL)
        copy->aad = OPENSSL_memdup(c->aad, c->aad_len);
    if (c->aad != NULL && copy->aad == NULL) {
        ccm_free(copy);
        return NULL;
    }
    return copy;
}

/* --- settings */

/* A tag to open with, or the length of one. */
static int set_tag(struct ccm *c, const OSSL_PARAM *p)
{
    if (p->data_type != OSSL_PARAM_OCTET_STRING)
        return OCT_RAISE(c->prov, OCT_REASON_PARAMETER_GET);
    if (p->data_size < 4 || p->data_size > TAG_MAX || p->data_size % 2)
        return OCT_RAISE(c->prov, OCT_REASON_TAG_LENGTH);
    if (p->data != NULL && c->encrypt)
        return OCT_RAISE(c->prov, OCT_REASON_TAG_NOT_NEEDED);
    if (p->data != NULL) {
        memcpy(c->tag, p->data, p->data_size);
        c->has_tag = 1;
    }
    c->tag_len = p->data_size;
    return 1;
}

/* A nonce of another length than the one that was set is none. */
static int set_nonce_len(struct ccm *c, size_t len)
{
    if (len < 7 || len > NONCE_MAX)
        return OCT_RAISE(c->prov, OCT_REASON_IV_LENGTH);
    if (len != c->nonce_len)
        c->has_nonce = 0;
    c->nonce_len = len;
    return 1;
}

static int ccm_set_ctx_params(void *vc, const OSSL_PARAM params[])
{
    struct ccm *c = vc;
    const OSSL_PARAM *p;
    size_t len;

    if (params == NULL)
        return 1;
    if ((p = OSSL_PARAM_locate_const(params, OSSL_CIPHER_PARAM_AEAD_TAG)) != NULL && !set_tag(c, p))
        return 0;
    if ((p = OSSL_PARAM_locate_const(params, OSSL_CIPHER_PARAM_IVLEN)) != NULL) {
        if (!OSSL_PARAM_get_size_t(p, &len))
            return OCT_RAISE(c->prov, OCT_REASON_PARAMETER_GET);
        return set_nonce_len(c, len);
    }
    return 1;
}

/* As long as it is asked for, at most the tag's length; it is given once. */
static int give_tag(struct ccm *c, OSSL_PARAM params[])
{
    OSSL_PARAM *p = OSSL_PARAM_locate(params, OSSL_CIPHER_PARAM_AEAD_TAG);

    if (p == NULL)
        return 1;
    if (!c->encrypt || !c->has_tag)
        return OCT_RAISE(c->prov, OCT_REASON_TAG_NOT_SET);
    if (p->data_size > c->tag_len || !OSSL_PARAM_set_octet_string(p, c->tag, p->data_size))
        return OCT_RAISE(c->prov, OCT_REASON_TAG_LENGTH);
    c->has_tag = c->has_nonce = c->has_len = 0;
    return 1;
}

static int give_nonce(const struct ccm *c, OSSL_PARAM params[], const char *name)
{
    OSSL_PARAM *p = OSSL_PARAM_locate(params, name);

    if (p == NULL)
        return 1;
    if (p->data != NULL && p->data_size < c->nonce_len)
        return OCT_RAISE(c->prov, OCT_REASON_IV_LENGTH);
    return OSSL_PARAM_set_octet_string(p, c->nonce, c->nonce_len) ||
           OSSL_PARAM_set_octet_ptr(p, c->nonce, c->nonce_len) || OCT_RAISE(c->prov, OCT_REASON_PARAMETER_SET);
}

static int ccm_get_ctx_params(void *vc, OSSL_PARAM params[])
{
    struct ccm *c = vc;

    if (!oct_param_give_size(params, OSSL_CIPHER_PARAM_KEYLEN, OCT_SM4_KEY_BYTES) ||
        !oct_param_give_size(params, OSSL_CIPHER_PARAM_IVLEN, c->nonce_len) ||
        !oct_param_give_size(params, OSSL_CIPHER_PARAM_AEAD_TAGLEN, c->tag_len))
        return OCT_RAISE(c->prov, OCT_REASON_PARAMETER_SET);
    return give_nonce(c, params, OSSL_CIPHER_PARAM_IV) && give_nonce(c, params, OSSL_CIPHER_PARAM_UPDATED_IV) &&
           give_tag(c, params);
}

static int ccm_init(struct ccm *c, const uint8_t *key, size_t key_len, const uint8_t *iv, size_t iv_len,
                    const OSSL_PARAM params[], int encrypt)
{
    c->encrypt = encrypt;
    if (iv != NULL) {
        if (iv_len != c->nonce_len)
            return OCT_RAISE(c->prov, OCT_REASON_IV_LENGTH);
        memcpy(c->nonce, iv, iv_len);
        c->has_nonce = 1;
        c->has_len = 0;
        forget_aad(c);
    }
    if (key != NULL) {
        if (key_len != OCT_SM4_KEY_BYTES)
            return OCT_RAISE(c->prov, OCT_REASON_KEY_LENGTH);
        if (oct_sm4_key_init(&c->key, key) != OCT_OK)
            return OCT_RAISE(c->prov, OCT_REASON_INTERNAL);
        c->has_key = 1;
    }
    return ccm_set_ctx_params(c, params);
}

static int ccm_encrypt_init(void *c, const unsigned char *key, size_t key_len, const unsigned char *iv, size_t iv_len,
                            const OSSL_PARAM params[])
{
    return ccm_init(c, key, key_len, iv, iv_len, params, 1);
}

static int ccm_decrypt_init(void *c, const unsigned char *key, size_t key_len, const unsigned char *iv, size_t iv_len,
                            const OSSL_PARAM params[])
{
    return ccm_init(c, key, key_len, iv, iv_len, params, 0);
}

/* --- text */

static int take_aad(struct ccm *c, const uint8_t *aad, size_t len)
{
    if (!c->has_len && len > 0)
        return OCT_RAISE(c->prov, OCT_REASON_OUT_OF_ORDER);
    forget_aad(c);
    if (len == 0)
        return 1;
    c->aad = OPENSSL_memdup(aad, len);
    if (c->aad == NULL)
        return OCT_RAISE(c->prov, OCT_REASON_MEMORY);
    c->aad_len = len;
    return 1;
}

/* The whole text. Once it was opened, nothing of this nonce is left. */
static int take_text(struct ccm *c, uint8_t *out, const uint8_t *in, size_t len)
{
    struct oct_sm4_ccm record = {c->nonce, c->aad, c->aad_len, in, len, out, c->tag, OCT_OK};
    int status;

    if (c->has_len && c->len != len)
        return OCT_RAISE(c->prov, OCT_REASON_INPUT_LENGTH);
    if (!c->encrypt && !c->has_tag)
        return OCT_RAISE(c->prov, OCT_REASON_TAG_NOT_SET);
    status = (c->encrypt ? oct_sm4_ccm_seal : oct_sm4_ccm_open)(&c->key, c->nonce_len, c->tag_len, &record, 1);
    forget_aad(c);
    c->has_tag = c->encrypt && status == OCT_OK;
    if (!c->encrypt)
        c->has_nonce = c->has_len = 0;
    if (status == OCT_OK || status == OCT_ERR_AUTH)
        return status == OCT_OK;
    return OCT_RAISE(c->prov, status == OCT_ERR_LENGTH ? OCT_REASON_INPUT_LENGTH : OCT_REASON_INTERNAL);
}

/* EVP_Cipher() too. No input is the length that is to come; no input but output is the end. */
static int ccm_call(void *vc, unsigned char *out, size_t *out_len, size_t room, const unsigned char *in, size_t len)
{
    struct ccm *c = vc;

    *out_len = 0;
    if (!c->has_key)
        return OCT_RAISE(c->prov, OCT_REASON_NO_KEY);
    if (in == NULL && out != NULL && len == 0)
        return 1;
    if (!c->has_nonce)
        return OCT_RAISE(c->prov, OCT_REASON_NO_IV);
    if (out == NULL && in == NULL) {
        c->len = len;
        c->has_len = 1;
    } else if (out == NULL) {
        if (!take_aad(c, in, len))
            return 0;
    } else if (room < len) {
        return OCT_RAISE(c->prov, OCT_REASON_BUFFER_TOO_SMALL);
    } else if (!take_text(c, out, in, len)) {
        return 0;
    }
    *out_len = len;
    return 1;
}

/* No text has come for this nonce, and none was announced: then the text is empty. */
static bool has_no_text(const struct ccm *c)
{
    return c->has_nonce && (c->encrypt ? !c->has_tag : c->has_tag) && (!c->has_len || c->len == 0);
}

static int ccm_final(void *vc, unsigned char *out, size_t *out_len, size_t room)
{
    struct ccm *c = vc;
    uint8_t nothing = 0;

    (void)out, (void)room;
    *out_len = 0;
    if (!c->has_key)
        return OCT_RAISE(c->prov, OCT_REASON_NO_KEY);
    return !has_no_text(c) || take_text(c, &nothing, &nothing, 0);
}

static int ccm_get_params(OSSL_PARAM params[])
{
    static const struct oct_cipher_facts facts = {EVP_CIPH_CCM_MODE, OCT_SM4_KEY_BYTES, 12, 1, 1};
    return oct_cipher_give_facts(params, &facts);
}

static const OSSL_PARAM *gettable_ctx_params(void *c, void *provctx)
{
    static const OSSL_PARAM list[] = {
        OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_KEYLEN, NULL),
        OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_IVLEN, NULL),
        OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_AEAD_TAGLEN, NULL),
        OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_IV, NULL, 0),
        OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_UPDATED_IV, NULL, 0),
        OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG, NULL, 0),
        OSSL_PARAM_END,
    };
    (void)c, (void)provctx;
    return list;
}

static const OSSL_PARAM *settable_ctx_params(void *c, void *provctx)
{
    static const OSSL_PARAM list[] = {
        OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_IVLEN, NULL),
        OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG, NULL, 0),
        OSSL_PARAM_END,
    };
    (void)c, (void)provctx;
    return list;
}

const OSSL_DISPATCH oct_sm4_ccm_table[] = {
    OCT_SYMMETRIC_ENTRY(NEWCTX, newctx, ccm_new),
    OCT_SYMMETRIC_ENTRY(FREECTX, freectx, ccm_free),
    OCT_SYMMETRIC_ENTRY(DUPCTX, dupctx, ccm_dup),
    OCT_SYMMETRIC_ENTRY(ENCRYPT_INIT, encrypt_init, ccm_encrypt_init),
    OCT_SYMMETRIC_ENTRY(DECRYPT_INIT, decrypt_init, ccm_decrypt_init),
    OCT_SYMMETRIC_ENTRY(UPDATE, update, ccm_call),
    OCT_SYMMETRIC_ENTRY(FINAL, final, ccm_final),
    OCT_SYMMETRIC_ENTRY(CIPHER, cipher, ccm_call),
    OCT_SYMMETRIC_ENTRY(GET_PARAMS, get_params, ccm_get_params),
    OCT_SYMMETRIC_ENTRY(GETTABLE_PARAMS, gettable_params, oct_cipher_gettable_facts),
    OCT_SYMMETRIC_ENTRY(GET_CTX_PARAMS, get_ctx_params, ccm_get_ctx_params),
    OCT_SYMMETRIC_ENTRY(GETTABLE_CTX_PARAMS, gettable_ctx_params, gettable_ctx_params),
    OCT_SYMMETRIC_ENTRY(SET_CTX_PARAMS, set_ctx_params, ccm_set_ctx_params),
    OCT_SYMMETRIC_ENTRY(SETTABLE_CTX_PARAMS, settable_ctx_params, settable_ctx_params),
    OCT_DISPATCH_END,
};
