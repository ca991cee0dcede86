/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Settings of AEAD contexts. A record of TLS 1.2 sets one and asks one, one of TLS 1.3 does likewise, so each list is
 * gone through once. Names that are not ours are passed over, as everywhere in OpenSSL.
 */
#include "cipher.h"
#include "provider/core/facts.h"
#include "provider/core/param.h"
#include "provider/core/provider.h"

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <stdbool.h>
#include <string.h>

/* Newer versions of OpenSSL have a name for it. */
#define PARAM_IV_GENERATED "iv-generated"

/* One that cannot be answered, and one that cannot be read. */
static int bad_get(const struct oct_aead_cipher *c)
{
    return OCT_RAISE(c->prov, OCT_REASON_PARAMETER_SET);
}

static int bad_set(const struct oct_aead_cipher *c)
{
    return OCT_RAISE(c->prov, OCT_REASON_PARAMETER_GET);
}

static int get_key_len(struct oct_aead_cipher *c, OSSL_PARAM *p)
{
    return OSSL_PARAM_set_size_t(p, oct_aead_key_len(c->aead)) || bad_get(c);
}

static int get_iv_len(struct oct_aead_cipher *c, OSSL_PARAM *p)
{
    return OSSL_PARAM_set_size_t(p, c->iv_len) || bad_get(c);
}

static int get_tag_len(struct oct_aead_cipher *c, OSSL_PARAM *p)
{
    return OSSL_PARAM_set_size_t(p, c->tag_len == 0 ? OCT_AEAD_TAG_BYTES : c->tag_len) || bad_get(c);
}

static int get_tls_pad(struct oct_aead_cipher *c, OSSL_PARAM *p)
{
    return OSSL_PARAM_set_size_t(p, c->tls_pad) || bad_get(c);
}

/* The next nonce. One that is asked for before it was set is made now: it would be made with the first text. */
static int get_iv(struct oct_aead_cipher *c, OSSL_PARAM *p)
{
    if (!oct_aead_cipher_random_iv(c))
        return 0;
    if (p->data != NULL && p->data_size < c->iv_len)
        return OCT_RAISE(c->prov, OCT_REASON_IV_LENGTH);
    return OSSL_PARAM_set_octet_string(p, c->iv, c->iv_len) || OSSL_PARAM_set_octet_ptr(p, c->iv, c->iv_len) ||
           bad_get(c);
}

/* As many bytes of it as there is room for. */
static int get_tag(struct oct_aead_cipher *c, OSSL_PARAM *p)
{
    const bool gcm = oct_aead_cipher_is_gcm(c);

    if (!c->sealing || c->tag_len == 0)
        return OCT_RAISE(c->prov, gcm ? OCT_REASON_TAG : OCT_REASON_TAG_NOT_SET);
    if (p->data_size == 0 || p->data_size > sizeof c->tag)
        return OCT_RAISE(c->prov, gcm ? OCT_REASON_TAG : OCT_REASON_TAG_LENGTH);
    return OSSL_PARAM_set_octet_string(p, c->tag, p->data_size) || bad_get(c);
}

static int get_next_iv(struct oct_aead_cipher *c, OSSL_PARAM *p)
{
    if (p->data == NULL || p->data_type != OSSL_PARAM_OCTET_STRING)
        return bad_get(c);
    return oct_aead_tls_next_iv(c, p->data, p->data_size);
}

static int get_iv_generated(struct oct_aead_cipher *c, OSSL_PARAM *p)
{
    return OSSL_PARAM_set_uint(p, (unsigned)c->iv_is_random) || bad_get(c);
}

static const struct getter {
    const char *name;
    int (*get)(struct oct_aead_cipher *c, OSSL_PARAM *p);
} getters[] = {
    {OSSL_CIPHER_PARAM_AEAD_TLS1_AAD_PAD, get_tls_pad},
    {OSSL_CIPHER_PARAM_AEAD_TAG, get_tag},
    {OSSL_CIPHER_PARAM_IVLEN, get_iv_len},
    {OSSL_CIPHER_PARAM_KEYLEN, get_key_len},
    {OSSL_CIPHER_PARAM_AEAD_TAGLEN, get_tag_len},
    {OSSL_CIPHER_PARAM_IV, get_iv},
    {OSSL_CIPHER_PARAM_UPDATED_IV, get_iv},
    {OSSL_CIPHER_PARAM_AEAD_TLS1_GET_IV_GEN, get_next_iv},
    {PARAM_IV_GENERATED, get_iv_generated},
    {NULL, NULL},
};

int oct_aead_cipher_get_ctx_params(void *vc, OSSL_PARAM params[])
{
    struct oct_aead_cipher *c = vc;
    const struct getter *g;

    if (c == NULL)
        return 0;
    for (OSSL_PARAM *p = params; p != NULL && p->key != NULL; p++) {
        for (g = getters; g->name != NULL && strcmp(g->name, p->key) != 0; g++)
            ;
        if (g->name != NULL && !g->get(c, p))
            return 0;
    }
    return 1;
}

static int set_key_len(struct oct_aead_cipher *c, const OSSL_PARAM *p)
{
    size_t len;

    if (!OSSL_PARAM_get_size_t(p, &len))
        return bad_set(c);
    return len == oct_aead_key_len(c->aead) ? 1 : OCT_RAISE(c->prov, OCT_REASON_KEY_LENGTH);
}

/* A nonce of another length than the one that was set is none. */
static int set_iv_len(struct oct_aead_cipher *c, const OSSL_PARAM *p)
{
    size_t len;

    if (!OSSL_PARAM_get_size_t(p, &len))
        return bad_set(c);
    if (len == 0 || len > sizeof c->iv || (!oct_aead_cipher_is_gcm(c) && len != OCT_AEAD_NONCE_BYTES))
        return OCT_RAISE(c->prov, OCT_REASON_IV_LENGTH);
    if (len != c->iv_len && c->iv_state != OCT_IV_NONE)
        c->iv_state = OCT_IV_SPENT;
    c->iv_len = len;
    return 1;
}

static int set_tag_chacha(struct oct_aead_cipher *c, const OSSL_PARAM *p)
{
    if (p->data_type != OSSL_PARAM_OCTET_STRING)
        return bad_set(c);
    if (p->data_size == 0 || p->data_size > sizeof c->tag)
        return OCT_RAISE(c->prov, OCT_REASON_TAG_LENGTH);
    if (p->data != NULL && c->sealing)
        return OCT_RAISE(c->prov, OCT_REASON_TAG_NOT_NEEDED);
    if (p->data != NULL)
        memcpy(c->tag, p->data, p->data_size);
    c->tag_len = p->data_size;
    return 1;
}

/* The tag to open with. ChaCha20-Poly1305 takes a length alone too, as OpenSSL's own does. */
static int set_tag(struct oct_aead_cipher *c, const OSSL_PARAM *p)
{
    if (!oct_aead_cipher_is_gcm(c))
        return set_tag_chacha(c, p);
    if (p->data_type != OSSL_PARAM_OCTET_STRING || p->data == NULL || p->data_size > sizeof c->tag)
        return bad_set(c);
    if (p->data_size == 0 || c->sealing)
        return OCT_RAISE(c->prov, OCT_REASON_TAG);
    memcpy(c->tag, p->data, p->data_size);
    c->tag_len = p->data_size;
    return 1;
}

static bool is_octets(const OSSL_PARAM *p)
{
    return p->data != NULL && p->data_type == OSSL_PARAM_OCTET_STRING;
}

static int set_tls_aad(struct oct_aead_cipher *c, const OSSL_PARAM *p)
{
    return is_octets(p) ? oct_aead_tls_set_aad(c, p->data, p->data_size) : bad_set(c);
}

static int set_tls_fixed(struct oct_aead_cipher *c, const OSSL_PARAM *p)
{
    return is_octets(p) ? oct_aead_tls_set_fixed(c, p->data, p->data_size) : bad_set(c);
}

static int set_tls_explicit(struct oct_aead_cipher *c, const OSSL_PARAM *p)
{
    return is_octets(p) ? oct_aead_tls_set_explicit(c, p->data, p->data_size) : bad_set(c);
}

static const struct setter {
    const char *name;
    int (*set)(struct oct_aead_cipher *c, const OSSL_PARAM *p);
} setters[] = {
    {OSSL_CIPHER_PARAM_AEAD_TLS1_AAD, set_tls_aad},
    {OSSL_CIPHER_PARAM_AEAD_TAG, set_tag},
    {OSSL_CIPHER_PARAM_IVLEN, set_iv_len},
    {OSSL_CIPHER_PARAM_KEYLEN, set_key_len},
    {OSSL_CIPHER_PARAM_AEAD_TLS1_IV_FIXED, set_tls_fixed},
    {OSSL_CIPHER_PARAM_AEAD_TLS1_SET_IV_INV, set_tls_explicit},
    {NULL, NULL},
};

int oct_aead_cipher_set_ctx_params(void *vc, const OSSL_PARAM params[])
{
    struct oct_aead_cipher *c = vc;
    const struct setter *s;

    if (c == NULL)
        return 0;
    for (const OSSL_PARAM *p = params; p != NULL && p->key != NULL; p++) {
        for (s = setters; s->name != NULL && strcmp(s->name, p->key) != 0; s++)
            ;
        if (s->name != NULL && !s->set(c, p))
            return 0;
    }
    return 1;
}

/* Both AEADs' contexts answer the same names; the nonces that count are for AES-GCM. */
#define COMMON_GETTABLE                                                                                                \
    OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_KEYLEN, NULL), OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_IVLEN, NULL),               \
        OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_AEAD_TAGLEN, NULL),                                                        \
        OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_IV, NULL, 0),                                                        \
        OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_UPDATED_IV, NULL, 0),                                                \
        OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG, NULL, 0),                                                  \
        OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_AEAD_TLS1_AAD_PAD, NULL)
#define COMMON_SETTABLE                                                                                                \
    OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_KEYLEN, NULL), OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_IVLEN, NULL),               \
        OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG, NULL, 0),                                                  \
        OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_AEAD_TLS1_AAD, NULL, 0),                                             \
        OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_AEAD_TLS1_IV_FIXED, NULL, 0)

const OSSL_PARAM *oct_aead_cipher_gettable_ctx_params(void *c, void *provctx)
{
    static const OSSL_PARAM list[] = {
        COMMON_GETTABLE,
        OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_AEAD_TLS1_GET_IV_GEN, NULL, 0),
        OSSL_PARAM_uint(PARAM_IV_GENERATED, NULL),
        OSSL_PARAM_END,
    };
    (void)c, (void)provctx;
    return list;
}

const OSSL_PARAM *oct_aead_cipher_gettable_chacha(void *c, void *provctx)
{
    static const OSSL_PARAM list[] = {COMMON_GETTABLE, OSSL_PARAM_END};
    (void)c, (void)provctx;
    return list;
}

const OSSL_PARAM *oct_aead_cipher_settable_ctx_params(void *c, void *provctx)
{
    static const OSSL_PARAM list[] = {
        COMMON_SETTABLE,
        OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_AEAD_TLS1_SET_IV_INV, NULL, 0),
        OSSL_PARAM_END,
    };
    (void)c, (void)provctx;
    return list;
}

const OSSL_PARAM *oct_aead_cipher_settable_chacha(void *c, void *provctx)
{
    static const OSSL_PARAM list[] = {COMMON_SETTABLE, OSSL_PARAM_END};
    (void)c, (void)provctx;
    return list;
}

int oct_aead_cipher_get_params(OSSL_PARAM params[], int aead)
{
    /* ChaCha20-Poly1305 has no mode, and says 0, as OpenSSL's own does. */
    const struct oct_cipher_facts facts = {
        .mode = aead == OCT_AEAD_CHACHA20_POLY1305 ? EVP_CIPH_STREAM_CIPHER : EVP_CIPH_GCM_MODE,
        .key_len = oct_aead_key_len(aead),
        .iv_len = OCT_AEAD_NONCE_BYTES,
        .block = 1,
        .is_aead = 1,
    };
    return oct_cipher_give_facts(params, &facts);
}
