/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * What libssl asks libcrypto for again and again, with the same answer: the key derivation for each of some ten secrets
 * of a handshake, and whether a kind of key signs with a digest. Each answer means locks, and texts that are looked up.
 * Each thread keeps a few answers for as long as providers and default properties stay (base/epoch.h). Other library
 * contexts than the process's own are left alone: nobody would tell of their end. For the MAC of a Finished message a
 * context that knows its digest is kept; no key stays in it.
 */
#include "handshake/above.h"
#include "handshake/thread.h"
#include "libssl/slots.h"
#include "savings/ciphers.h"
#include "savings/hkdf.h"
#include "savings/names.h"
#include "savings/savings.h"

#include "base/epoch.h"

#include <openssl/core_names.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <stdatomic.h>
#include <string.h>

#define KDFS    2
#define MACS    2
#define DIGESTS 8

struct oct_fetched {
    struct kdf {
        struct oct_question question;
        EVP_KDF *kdf;
    } kdfs[KDFS];
    struct digest {
        struct oct_question question;
        int supported;
    } digests[DIGESTS];
    struct mac {
        struct oct_question question;
        EVP_MAC_CTX *ctx; /* NULL: none can be had */
    } macs[MACS];
    unsigned next_kdf, next_digest, next_mac; /* to be replaced */
    struct oct_hkdf hkdf;
    struct oct_ciphers ciphers;
    struct oct_names names;
    atomic_bool taken;
    struct oct_fetched *next;
};

/* Those of all threads. A program's collector that has OpenSSL's memory too looks here, and in no variable of a thread.
 * Without a lock, which a fork might leave behind; what a thread has left another one takes. */
static _Atomic(struct oct_fetched *) all;

static bool copy_text(char to[OCT_QUESTION_TEXT], const char *from)
{
    const size_t n = from != NULL ? strlen(from) : 0;
    if (n >= OCT_QUESTION_TEXT)
        return false;
    if (n > 0)
        memcpy(to, from, n);
    return true;
}

bool oct_question_ask(struct oct_question *q, const OSSL_LIB_CTX *library, const char *name, const char *kind,
                      const char *properties)
{
    const struct oct_ssl_functions *ssl = oct_ssl();
    q->epoch = oct_epoch();
    return q->epoch != 0 && library == NULL && name != NULL && copy_text(q->name, name) && copy_text(q->kind, kind) &&
           copy_text(q->properties, properties) &&
           ssl->OSSL_LIB_CTX_set0_default(NULL) == ssl->OSSL_LIB_CTX_get0_global_default();
}

bool oct_question_is_same(const struct oct_question *a, const struct oct_question *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

/* This thread's; NULL if it has none, or there is no memory. */
static struct oct_fetched *kept_here(void)
{
    struct oct_thread *t = oct_thread_peek();
    if (t == NULL || t->fetched != NULL)
        return t != NULL ? t->fetched : NULL;
    struct oct_fetched *kept = atomic_load(&all);
    while (kept != NULL && atomic_exchange(&kept->taken, true))
        kept = kept->next;
    if (kept == NULL && (kept = oct_ssl()->CRYPTO_zalloc(sizeof *kept, __FILE__, __LINE__)) != NULL) {
        kept->taken = true;
        kept->next = atomic_load(&all);
        while (!atomic_compare_exchange_weak(&all, &kept->next, kept))
            ;
    }
    return t->fetched = kept;
}

struct oct_names *oct_names_here(void)
{
    const struct oct_thread *t = oct_thread_peek();
    return t != NULL && t->fetched != NULL ? &t->fetched->names : NULL;
}

struct oct_hkdf *oct_hkdf_here(void)
{
    struct oct_fetched *kept = kept_here();
    return kept != NULL ? &kept->hkdf : NULL;
}

struct oct_ciphers *oct_ciphers_here(void)
{
    struct oct_fetched *kept = kept_here();
    return kept != NULL ? &kept->ciphers : NULL;
}

/* A thread may hand a context to another one. */
struct oct_hkdf *oct_hkdf_of(const EVP_PKEY_CTX *ctx)
{
    const struct oct_thread *t = oct_thread_peek();
    struct oct_fetched *kept = t != NULL ? t->fetched : NULL;

    if (ctx == NULL)
        return NULL;
    if (kept != NULL && atomic_load_explicit(&kept->hkdf.handed, memory_order_acquire) == ctx)
        return &kept->hkdf;
    for (kept = atomic_load(&all); kept != NULL; kept = kept->next)
        if (atomic_load_explicit(&kept->hkdf.handed, memory_order_acquire) == ctx)
            return &kept->hkdf;
    return NULL;
}

static void drop(struct oct_thread *t)
{
    struct oct_fetched *kept = t->fetched;
    if (kept == NULL)
        return;
    t->fetched = NULL;
    for (unsigned i = 0; i < KDFS; i++) {
        oct_ssl()->EVP_KDF_free(kept->kdfs[i].kdf);
        kept->kdfs[i] = (struct kdf){.kdf = NULL};
    }
    for (unsigned i = 0; i < MACS; i++) {
        oct_ssl()->EVP_MAC_CTX_free(kept->macs[i].ctx);
        kept->macs[i] = (struct mac){.ctx = NULL};
    }
    oct_hkdf_drop(&kept->hkdf);
    oct_ciphers_drop(&kept->ciphers);
    oct_names_drop(&kept->names);
    atomic_store(&kept->taken, false);
}

static EVP_KDF *fetch_kdf(OSSL_LIB_CTX *library, const char *name, const char *properties)
{
    const struct oct_ssl_functions *ssl = oct_ssl();
    struct oct_fetched *kept = kept_here();
    struct oct_question q = {.provider = NULL};

    if (kept == NULL || !oct_question_ask(&q, library, name, NULL, properties))
        return ssl->EVP_KDF_fetch(library, name, properties);
    oct_names_learn(&kept->names, q.epoch);
    for (unsigned i = 0; i < KDFS; i++)
        if (oct_question_is_same(&kept->kdfs[i].question, &q) && ssl->EVP_KDF_up_ref(kept->kdfs[i].kdf))
            return kept->kdfs[i].kdf;
    EVP_KDF *kdf = ssl->EVP_KDF_fetch(library, name, properties);
    if (kdf == NULL || !ssl->EVP_KDF_up_ref(kdf))
        return kdf;
    struct kdf *slot = &kept->kdfs[kept->next_kdf++ % KDFS];
    ssl->EVP_KDF_free(slot->kdf);
    *slot = (struct kdf){q, kdf};
    return kdf;
}

/* What these providers say of such a kind holds for each key of it: no restriction of its own comes with the key. */
static const char *kind_of(const EVP_PKEY *key)
{
    static const char *const kinds[] = {"RSA", "EC", "ED25519"};
    const struct oct_ssl_functions *ssl = oct_ssl();
    const OSSL_PROVIDER *provider = ssl->EVP_PKEY_get0_provider(key);
    const char *name = provider != NULL ? ssl->OSSL_PROVIDER_get0_name(provider) : NULL;
    const char *kind = ssl->EVP_PKEY_get0_type_name(key);

    if (name == NULL || kind == NULL || (strcmp(name, "octuple") != 0 && strcmp(name, "default") != 0))
        return NULL;
    for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kind, kinds[i]) == 0)
            return kinds[i];
    return NULL;
}

static int supports_digest(EVP_PKEY *key, OSSL_LIB_CTX *library, const char *name, const char *properties)
{
    const struct oct_ssl_functions *ssl = oct_ssl();
    struct oct_fetched *kept = kept_here();
    const char *kind = kept != NULL ? kind_of(key) : NULL;
    struct oct_question q = {.provider = NULL};

    /* Without a name it is about a key that signs messages themselves: no digest has the empty name. */
    if (kind == NULL || !oct_question_ask(&q, library, name != NULL ? name : "", kind, properties))
        return ssl->EVP_PKEY_digestsign_supports_digest(key, library, name, properties);
    q.provider = ssl->EVP_PKEY_get0_provider(key);
    for (unsigned i = 0; i < DIGESTS; i++)
        if (oct_question_is_same(&kept->digests[i].question, &q))
            return kept->digests[i].supported;
    const int supported = ssl->EVP_PKEY_digestsign_supports_digest(key, library, name, properties);
    kept->digests[kept->next_digest++ % DIGESTS] = (struct digest){q, supported};
    return supported;
}

static EVP_MAC_CTX *new_mac(char *digest)
{
    const struct oct_ssl_functions *ssl = oct_ssl();
    const OSSL_PARAM params[] = {OSSL_PARAM_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, strlen(digest)), OSSL_PARAM_END};
    EVP_MAC *mac = ssl->EVP_MAC_fetch(NULL, OSSL_MAC_NAME_HMAC, NULL);
    EVP_MAC_CTX *ctx = mac != NULL ? ssl->EVP_MAC_CTX_new(mac) : NULL;

    ssl->EVP_MAC_free(mac);
    if (ctx != NULL && ssl->EVP_MAC_CTX_set_params(ctx, params))
        return ctx;
    ssl->EVP_MAC_CTX_free(ctx);
    return NULL;
}

static EVP_MAC_CTX *mac_for(struct oct_fetched *kept, struct oct_question *q)
{
    for (unsigned i = 0; i < MACS; i++)
        if (oct_question_is_same(&kept->macs[i].question, q))
            return kept->macs[i].ctx;
    struct mac *slot = &kept->macs[kept->next_mac++ % MACS];
    oct_ssl()->EVP_MAC_CTX_free(slot->ctx);
    *slot = (struct mac){*q, new_mac(q->kind)};
    return slot->ctx;
}

static unsigned char *quick_mac(OSSL_LIB_CTX *library, const char *name, const char *properties, const char *digest,
                                const OSSL_PARAM *params, const void *key, size_t key_bytes, const unsigned char *data,
                                size_t bytes, unsigned char *out, size_t size, size_t *out_bytes)
{
    static const unsigned char nothing;
    const struct oct_ssl_functions *ssl = oct_ssl();
    const bool is_plain = name != NULL && strcmp(name, OSSL_MAC_NAME_HMAC) == 0 && properties == NULL &&
                          digest != NULL && (params == NULL || params->key == NULL) && key != NULL && key_bytes > 0 &&
                          out != NULL;
    struct oct_fetched *kept = is_plain ? kept_here() : NULL;
    struct oct_question q = {.provider = NULL};
    bool done = false;

    if (kept != NULL && oct_question_ask(&q, library, name, digest, NULL)) {
        size_t n = 0;
        ssl->ERR_set_mark();
        EVP_MAC_CTX *ctx = mac_for(kept, &q);
        done = ctx != NULL && ssl->EVP_MAC_init(ctx, key, key_bytes, NULL) && ssl->EVP_MAC_update(ctx, data, bytes) &&
               ssl->EVP_MAC_final(ctx, out, &n, size);
        if (ctx != NULL)
            (void)ssl->EVP_MAC_init(ctx, &nothing, sizeof nothing, NULL);
        ssl->ERR_pop_to_mark();
        if (done && out_bytes != NULL)
            *out_bytes = n;
    }
    return done ? out
                : ssl->EVP_Q_mac(library, name, properties, digest, params, key, key_bytes, data, bytes, out, size,
                                 out_bytes);
}

void oct_fetched_setup(void)
{
    oct_fetched_drop = drop;
    if (oct_epoch() == 0)
        return;
    oct_names_setup();
    (void)oct_slot_set(oct_slot_libssl(), "EVP_KDF_fetch", (void *)fetch_kdf);
    (void)oct_slot_set(oct_slot_libssl(), "EVP_PKEY_digestsign_supports_digest", (void *)supports_digest);
    (void)oct_slot_set(oct_slot_libssl(), "EVP_Q_mac", (void *)quick_mac);
}
