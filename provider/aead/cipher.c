/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Contexts of AEADs: their life, and how keys and nonces come into them. See cipher.h. */
#include "cipher.h"

#include "provider/core/facts.h"
#include "provider/core/provider.h"
#include "provider/core/spares.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

bool oct_aead_cipher_is_gcm(const struct oct_aead_cipher *c)
{
    return c->aead != OCT_AEAD_CHACHA20_POLY1305;
}

const struct oct_aead_key *oct_aead_cipher_key(const struct oct_aead_cipher *c)
{
    return (const struct oct_aead_key *)c->key->memory;
}

/* --- contexts and keys, of which a few are kept, cleansed, for next connections. A context has one size for each AEAD.
 */

static struct oct_spares spare_contexts[OCT_AEAD_COUNT]; /* their size is their AEAD's */
static struct oct_spares spare_keys;

/* Cleansed. Aligned whatever memory functions the application has given to OpenSSL. */
static void *object_new(struct oct_spares *spares, size_t size)
{
    void *object = oct_spares_take(spares);

    if (object != NULL)
        return object;
    object = aligned_alloc(OCT_AEAD_ALIGN, (size + OCT_AEAD_ALIGN - 1) / OCT_AEAD_ALIGN * OCT_AEAD_ALIGN);
    if (object != NULL)
        memset(object, 0, size);
    return object;
}

static void object_free(struct oct_spares *spares, void *object, size_t size)
{
    explicit_bzero(object, size);
    if (!oct_spares_put(spares, object))
        free(object);
}

static void clear_spares(struct oct_spares *spares)
{
    void *object;
    while ((object = oct_spares_take(spares)) != NULL)
        free(object);
}

static void aead_clear(void)
{
    for (int aead = 0; aead < OCT_AEAD_COUNT; aead++)
        clear_spares(&spare_contexts[aead]);
    clear_spares(&spare_keys);
}

static size_t context_size(int aead)
{
    return offsetof(struct oct_aead_cipher, stream) + oct_aead_stream_size(aead);
}

static struct oct_aead_cipher *context_new(int aead)
{
    return object_new(&spare_contexts[aead], context_size(aead));
}

static void key_free(struct oct_aead_shared_key *key)
{
    if (key != NULL && atomic_fetch_sub_explicit(&key->references, 1, memory_order_acq_rel) == 1)
        object_free(&spare_keys, key, sizeof *key);
}

static void *cipher_new(void *provctx, int aead)
{
    struct oct_aead_cipher *c = context_new(aead);

    if (c == NULL) {
        OCT_RAISE(provctx, OCT_REASON_MEMORY);
        return NULL;
    }
    c->prov = provctx;
    c->aead = aead;
    c->iv_len = OCT_AEAD_NONCE_BYTES;
    return c;
}

static void cipher_free(void *vc)
{
    struct oct_aead_cipher *c = vc;

    if (c == NULL)
        return;
    key_free(c->key);
    object_free(&spare_contexts[c->aead], c, context_size(c->aead));
}

/* A stream refers to its key only, and that is shared: so a copy goes on by itself. */
static void *cipher_dup(void *vc)
{
    const struct oct_aead_cipher *c = vc;
    struct oct_aead_cipher *copy = c == NULL ? NULL : context_new(c->aead);

    if (copy == NULL)
        return NULL;
    memcpy(copy, c, context_size(c->aead));
    if (copy->key != NULL)
        atomic_fetch_add_explicit(&copy->key->references, 1, memory_order_relaxed);
    return copy;
}

/* --- keys and nonces */

/* A key object that is this context's alone. */
static int own_key(struct oct_aead_cipher *c)
{
    if (c->key != NULL && atomic_load_explicit(&c->key->references, memory_order_acquire) == 1)
        return 1;
    key_free(c->key);
    c->key = object_new(&spare_keys, sizeof *c->key);
    if (c->key == NULL)
        return OCT_RAISE(c->prov, OCT_REASON_MEMORY);
    atomic_init(&c->key->references, 1);
    return 1;
}

static int init_key(struct oct_aead_cipher *c, const uint8_t *key, size_t len)
{
    if (len != oct_aead_key_len(c->aead))
        return OCT_RAISE(c->prov, OCT_REASON_KEY_LENGTH);
    /* What a stream has under way was the other key's, and ends here whatever comes of the new one. As with
     * OpenSSL's own, ChaCha20-Poly1305 serves a new key with the nonce that the application set last, while AES-GCM
     * wants a new one. */
    if (c->iv_state == OCT_IV_IN_USE || c->iv_state == OCT_IV_SPENT)
        c->iv_state = oct_aead_cipher_is_gcm(c) ? OCT_IV_SPENT : OCT_IV_SET;
    c->iv_used = 0;
    c->tls_pending = 0;
    if (!own_key(c))
        return 0;
    if (oct_aead_key_init(c->key->memory, c->aead, key, len) != OCT_OK) {
        key_free(c->key);
        c->key = NULL;
        return OCT_RAISE(c->prov, OCT_REASON_INTERNAL);
    }
    return 1;
}

static int init_iv(struct oct_aead_cipher *c, const uint8_t *iv, size_t len)
{
    if (len == 0 || len > sizeof c->iv || (!oct_aead_cipher_is_gcm(c) && len != OCT_AEAD_NONCE_BYTES))
        return OCT_RAISE(c->prov, OCT_REASON_IV_LENGTH);
    memcpy(c->iv, iv, len);
    c->iv_len = len;
    c->iv_is_random = 0;
    c->iv_state = OCT_IV_SET;
    c->tls_pending = 0;
    return 1;
}

static int cipher_init(struct oct_aead_cipher *c, const uint8_t *key, size_t key_len, const uint8_t *iv, size_t iv_len,
                       const OSSL_PARAM params[], int sealing)
{
    if (c == NULL)
        return 0;
    if (c->sealing != sealing && c->iv_state == OCT_IV_IN_USE)
        c->iv_state = OCT_IV_SPENT;
    /* The tag that was made is none that was set. */
    if (c->sealing && !sealing && !oct_aead_cipher_is_gcm(c))
        c->tag_len = 0;
    c->sealing = sealing;
    return (key == NULL || init_key(c, key, key_len)) && (iv == NULL || init_iv(c, iv, iv_len)) &&
           oct_aead_cipher_set_ctx_params(c, params);
}

static int cipher_encrypt_init(void *c, const unsigned char *key, size_t key_len, const unsigned char *iv,
                               size_t iv_len, const OSSL_PARAM params[])
{
    return cipher_init(c, key, key_len, iv, iv_len, params, 1);
}

static int cipher_decrypt_init(void *c, const unsigned char *key, size_t key_len, const unsigned char *iv,
                               size_t iv_len, const OSSL_PARAM params[])
{
    return cipher_init(c, key, key_len, iv, iv_len, params, 0);
}

/* One AEAD's functions that have to know which it is, and its table. */
#define AEAD_TABLE(name, number, gettable, settable)                                                                   \
    static void *name##_new(void *provctx)                                                                             \
    {                                                                                                                  \
        return cipher_new(provctx, (number));                                                                          \
    }                                                                                                                  \
    static int name##_get_params(OSSL_PARAM params[])                                                                  \
    {                                                                                                                  \
        return oct_aead_cipher_get_params(params, (number));                                                           \
    }                                                                                                                  \
    static const OSSL_DISPATCH name##_table[] = {                                                                      \
        OCT_SYMMETRIC_ENTRY(NEWCTX, newctx, name##_new),                                                               \
        OCT_SYMMETRIC_ENTRY(FREECTX, freectx, cipher_free),                                                            \
        OCT_SYMMETRIC_ENTRY(DUPCTX, dupctx, cipher_dup),                                                               \
        OCT_SYMMETRIC_ENTRY(ENCRYPT_INIT, encrypt_init, cipher_encrypt_init),                                          \
        OCT_SYMMETRIC_ENTRY(DECRYPT_INIT, decrypt_init, cipher_decrypt_init),                                          \
        OCT_SYMMETRIC_ENTRY(UPDATE, update, oct_aead_cipher_update),                                                   \
        OCT_SYMMETRIC_ENTRY(FINAL, final, oct_aead_cipher_final),                                                      \
        OCT_SYMMETRIC_ENTRY(CIPHER, cipher, oct_aead_cipher_call),                                                     \
        OCT_SYMMETRIC_ENTRY(GET_PARAMS, get_params, name##_get_params),                                                \
        OCT_SYMMETRIC_ENTRY(GETTABLE_PARAMS, gettable_params, oct_cipher_gettable_facts),                              \
        OCT_SYMMETRIC_ENTRY(GET_CTX_PARAMS, get_ctx_params, oct_aead_cipher_get_ctx_params),                           \
        OCT_SYMMETRIC_ENTRY(GETTABLE_CTX_PARAMS, gettable_ctx_params, gettable),                                       \
        OCT_SYMMETRIC_ENTRY(SET_CTX_PARAMS, set_ctx_params, oct_aead_cipher_set_ctx_params),                           \
        OCT_SYMMETRIC_ENTRY(SETTABLE_CTX_PARAMS, settable_ctx_params, settable),                                       \
        OCT_DISPATCH_END,                                                                                              \
    }

AEAD_TABLE(aes128, OCT_AEAD_AES_128_GCM, oct_aead_cipher_gettable_ctx_params, oct_aead_cipher_settable_ctx_params);
AEAD_TABLE(aes192, OCT_AEAD_AES_192_GCM, oct_aead_cipher_gettable_ctx_params, oct_aead_cipher_settable_ctx_params);
AEAD_TABLE(aes256, OCT_AEAD_AES_256_GCM, oct_aead_cipher_gettable_ctx_params, oct_aead_cipher_settable_ctx_params);
AEAD_TABLE(sm4, OCT_AEAD_SM4_GCM, oct_aead_cipher_gettable_ctx_params, oct_aead_cipher_settable_ctx_params);
AEAD_TABLE(chacha20, OCT_AEAD_CHACHA20_POLY1305, oct_aead_cipher_gettable_chacha, oct_aead_cipher_settable_chacha);

/* Numbers of the family's own: enum oct_aead. A cipher that was not asked for has to be worth it. */
static bool serves(int aead, bool asked)
{
    return (asked || oct_aead_pays(aead, OpenSSL_version_num())) && oct_aead_is_on(aead);
}

#define OFFER(names, table, turned_by, number)                                                                         \
    {                                                                                                                  \
        OSSL_OP_CIPHER, {(names), OCT_PROPERTIES, (table), NULL}, (turned_by), (number), (number)                      \
    }

static const struct oct_offer *offers(void)
{
    static const struct oct_offer all[] = {
        OFFER("AES-128-GCM:id-aes128-GCM:2.16.840.1.101.3.4.1.6", aes128_table, OCT_PROV_SWITCH_aes_gcm,
              OCT_AEAD_AES_128_GCM),
        OFFER("AES-192-GCM:id-aes192-GCM:2.16.840.1.101.3.4.1.26", aes192_table, OCT_PROV_SWITCH_aes_gcm,
              OCT_AEAD_AES_192_GCM),
        OFFER("AES-256-GCM:id-aes256-GCM:2.16.840.1.101.3.4.1.46", aes256_table, OCT_PROV_SWITCH_aes_gcm,
              OCT_AEAD_AES_256_GCM),
        OFFER("ChaCha20-Poly1305", chacha20_table, OCT_PROV_SWITCH_chacha20, OCT_AEAD_CHACHA20_POLY1305),
        OFFER("SM4-GCM:1.2.156.10197.1.104.8", sm4_table, OCT_PROV_SWITCH_sm4, OCT_AEAD_SM4_GCM),
        {0, {NULL, NULL, NULL, NULL}, 0, 0, 0},
    };
    return all;
}

const struct oct_prov_family oct_prov_family_aead = {
    .offers = offers,
    .serves = serves,
    .clear = aead_clear,
};
