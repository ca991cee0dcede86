/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * ML-DSA signature contexts. A message in one call goes to lanes, with a context string and with or without hedging.
 *
 * What else OpenSSL can do with the same keys (messages in pieces or already encoded, digests mu, randomness of the
 * caller's) its own implementation does, in a context of its own behind this one. It is made when something is set, and
 * is also where settings are checked and where the fallback runs.
 */
#include "provider/core/dispatch.h"
#include "provider/core/provider.h"
#include "sig.h"

#include <openssl/crypto.h>

/* Entries of OpenSSL 3.4 and later, by their numbers: the headers may be older than the library that runs. */
#define ENTRY_SIGN_INIT     27
#define ENTRY_SIGN_UPDATE   28
#define ENTRY_SIGN_FINAL    29
#define ENTRY_VERIFY_INIT   30
#define ENTRY_VERIFY_UPDATE 31
#define ENTRY_VERIFY_FINAL  32

static void *sig_new(struct oct_prov *prov, int set)
{
    struct oct_mldsa_sig *sig = OPENSSL_zalloc(sizeof *sig);

    if (sig == NULL) {
        OCT_RAISE(prov, OCT_REASON_MEMORY);
        return NULL;
    }
    sig->prov = prov;
    sig->set = set;
    return sig;
}

/* Everything is fetched in the private context, where an application's properties mean nothing. */
static void *mldsa44_new(void *provctx, const char *props)
{
    (void)props;
    return sig_new(provctx, OCT_MLDSA_44);
}

static void *mldsa65_new(void *provctx, const char *props)
{
    (void)props;
    return sig_new(provctx, OCT_MLDSA_65);
}

static void sig_free(void *vsig)
{
    struct oct_mldsa_sig *sig = vsig;

    if (sig == NULL)
        return;
    oct_mldsa_sig_drop(sig);
    oct_prov_key_free(sig->key);
    OPENSSL_free(sig);
}

static void *sig_dup(void *vsig)
{
    const struct oct_mldsa_sig *sig = vsig;
    struct oct_mldsa_sig *copy = OPENSSL_memdup(sig, sizeof *sig);

    if (copy == NULL)
        return NULL;
    oct_prov_key_up_ref(copy->key);
    copy->fallback = sig->fallback == NULL ? NULL : EVP_PKEY_CTX_dup(sig->fallback);
    if (sig->fallback == NULL || copy->fallback != NULL)
        return copy;
    sig_free(copy);
    return NULL;
}

static int take_key(struct oct_mldsa_sig *sig, struct oct_prov_mldsa *key)
{
    if (key->fallback == NULL)
        return OCT_RAISE(sig->prov, OCT_REASON_NO_KEY);
    if (key->set != sig->set)
        return 0;
    oct_mldsa_sig_drop(sig);
    oct_prov_key_replace((void **)&sig->key, key);
    return 1;
}

/* Without a key the context keeps the one that it has, and its settings. */
static int keep_key(struct oct_mldsa_sig *sig, enum oct_mldsa_use use)
{
    if (sig->key == NULL)
        return OCT_RAISE(sig->prov, OCT_REASON_NO_KEY);
    if (sig->fallback != NULL && sig->use != use)
        return OCT_RAISE(sig->prov, OCT_REASON_OPERATION);
    return oct_mldsa_sig_forget_mu(sig);
}

static int message_start(struct oct_mldsa_sig *sig, struct oct_prov_mldsa *key, enum oct_mldsa_use use,
                         const OSSL_PARAM params[])
{
    if (sig == NULL || !(key != NULL ? take_key(sig, key) : keep_key(sig, use)))
        return 0;
    sig->use = use;
    return oct_mldsa_sig_apply(sig, params);
}

/* A message is never digested beforehand, so that no digest can be named. */
static int digest_start(struct oct_mldsa_sig *sig, const char *digest, struct oct_prov_mldsa *key,
                        enum oct_mldsa_use use, const OSSL_PARAM params[])
{
    if (sig != NULL && digest != NULL && digest[0] != '\0')
        return OCT_RAISE_DATA(sig->prov, OCT_REASON_DIGEST_UNKNOWN, "digest=%s", digest);
    return message_start(sig, key, use, params);
}

static int sig_digest_sign_init(void *vsig, const char *digest, void *key, const OSSL_PARAM params[])
{
    return digest_start(vsig, digest, key, OCT_MLDSA_SIGN, params);
}

static int sig_digest_verify_init(void *vsig, const char *digest, void *key, const OSSL_PARAM params[])
{
    return digest_start(vsig, digest, key, OCT_MLDSA_VERIFY, params);
}

static int sig_message_sign_init(void *vsig, void *key, const OSSL_PARAM params[])
{
    return message_start(vsig, key, OCT_MLDSA_SIGN, params);
}

static int sig_message_verify_init(void *vsig, void *key, const OSSL_PARAM params[])
{
    return message_start(vsig, key, OCT_MLDSA_VERIFY, params);
}

static struct oct_mldsa_text text_of(const struct oct_mldsa_sig *sig, const unsigned char *message, size_t len)
{
    return (struct oct_mldsa_text){message, len, sig->context, sig->context_len, sig->deterministic, sig->fallback};
}

static int sig_sign(void *vsig, unsigned char *out, size_t *len, size_t size, const unsigned char *tbs, size_t tbs_len)
{
    const struct oct_mldsa_sig *sig = vsig;
    const struct oct_mldsa_text text = sig == NULL ? (struct oct_mldsa_text){0} : text_of(sig, tbs, tbs_len);

    if (sig == NULL || sig->key == NULL)
        return 0;
    if (sig->fallback_only) {
        *len = size;
        return EVP_PKEY_sign(sig->fallback, out, len, tbs, tbs_len) > 0;
    }
    if (out != NULL && size < oct_mldsa_signature_bytes(sig->set))
        return OCT_RAISE(sig->prov, OCT_REASON_BUFFER_TOO_SMALL);
    *len = oct_mldsa_signature_bytes(sig->set);
    if (out == NULL)
        return 1;
    return sig->key->base.has_private ? oct_mldsa_sign(sig->key, out, &text)
                                      : OCT_RAISE(sig->prov, OCT_REASON_NOT_PRIVATE);
}

static int sig_verify(void *vsig, const unsigned char *in, size_t in_len, const unsigned char *tbs, size_t tbs_len)
{
    const struct oct_mldsa_sig *sig = vsig;
    const struct oct_mldsa_text text = sig == NULL ? (struct oct_mldsa_text){0} : text_of(sig, tbs, tbs_len);

    if (sig == NULL || sig->key == NULL)
        return 0;
    if (sig->fallback_only)
        return EVP_PKEY_verify(sig->fallback, in, in_len, tbs, tbs_len) == 1;
    if (in_len != oct_mldsa_signature_bytes(sig->set))
        return OCT_RAISE(sig->prov, OCT_REASON_BAD_SIGNATURE);
    return oct_mldsa_verify(sig->key, in, &text);
}

/* Messages in pieces are OpenSSL's own. */
static EVP_PKEY_CTX *fallback_of(struct oct_mldsa_sig *sig)
{
    if (sig != NULL && sig->fallback == NULL && sig->key != NULL)
        sig->fallback = oct_mldsa_fallback_ctx(sig->key, sig->use, NULL);
    return sig == NULL ? NULL : sig->fallback;
}

static int sig_update(void *vsig, const unsigned char *data, size_t len)
{
    const struct oct_mldsa_sig *sig = vsig;
    EVP_PKEY_CTX *fallback = fallback_of(vsig);
    return fallback != NULL && oct_mldsa_fallback_update(fallback, sig->use, data, len);
}

static int sig_sign_final(void *vsig, unsigned char *out, size_t *len, size_t size)
{
    EVP_PKEY_CTX *fallback = fallback_of(vsig);

    *len = size;
    return fallback != NULL && oct_mldsa_fallback_sign_final(fallback, out, len);
}

static int sig_verify_final(void *vsig)
{
    EVP_PKEY_CTX *fallback = fallback_of(vsig);
    return fallback != NULL && oct_mldsa_fallback_verify_final(fallback);
}

#define ENTRY(id, function)                                                                                            \
    {                                                                                                                  \
        (id), (void (*)(void))(function)                                                                               \
    }
#define MESSAGE_ENTRIES                                                                                                \
    ENTRY(ENTRY_SIGN_INIT, sig_message_sign_init), ENTRY(ENTRY_SIGN_UPDATE, sig_update),                               \
        ENTRY(ENTRY_SIGN_FINAL, sig_sign_final), ENTRY(ENTRY_VERIFY_INIT, sig_message_verify_init),                    \
        ENTRY(ENTRY_VERIFY_UPDATE, sig_update), ENTRY(ENTRY_VERIFY_FINAL, sig_verify_final)
#define TABLE(set)                                                                                                     \
    {                                                                                                                  \
        OCT_SIGNATURE_ENTRY(NEWCTX, newctx, mldsa##set##_new), OCT_SIGNATURE_ENTRY(FREECTX, freectx, sig_free),        \
            OCT_SIGNATURE_ENTRY(DUPCTX, dupctx, sig_dup), MESSAGE_ENTRIES, OCT_SIGNATURE_ENTRY(SIGN, sign, sig_sign),  \
            OCT_SIGNATURE_ENTRY(VERIFY, verify, sig_verify),                                                           \
            OCT_SIGNATURE_ENTRY(DIGEST_SIGN_INIT, digest_sign_init, sig_digest_sign_init),                             \
            OCT_SIGNATURE_ENTRY(DIGEST_SIGN, digest_sign, sig_sign),                                                   \
            OCT_SIGNATURE_ENTRY(DIGEST_VERIFY_INIT, digest_verify_init, sig_digest_verify_init),                       \
            OCT_SIGNATURE_ENTRY(DIGEST_VERIFY, digest_verify, sig_verify),                                             \
            OCT_SIGNATURE_ENTRY(GET_CTX_PARAMS, get_ctx_params, oct_mldsa_sig_get_params),                             \
            OCT_SIGNATURE_ENTRY(GETTABLE_CTX_PARAMS, gettable_ctx_params, oct_mldsa_sig_gettable_params),              \
            OCT_SIGNATURE_ENTRY(SET_CTX_PARAMS, set_ctx_params, oct_mldsa_sig_set_params),                             \
            OCT_SIGNATURE_ENTRY(SETTABLE_CTX_PARAMS, settable_ctx_params, oct_mldsa_sig_settable_params),              \
            OCT_DISPATCH_END,                                                                                          \
    }

const OSSL_DISPATCH oct_mldsa44_signature_table[] = TABLE(44);
const OSSL_DISPATCH oct_mldsa65_signature_table[] = TABLE(65);
