/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Ed25519 signature contexts: a message is signed and verified in one call, as it is (RFC 8032, PureEdDSA).
 *
 * What OpenSSL from 3.2 on can do beyond that with the same keys (other instances, context strings, digests made by the
 * caller) its own implementation does, in a context of its own behind this one. It is made when something is set.
 */
#include "provider/core/dispatch.h"
#include "ed25519.h"
#include "provider/core/provider.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/params.h>
#include <stdbool.h>

/* Entries of OpenSSL 3.4 and later, by their numbers: the headers may be older than the library that runs. */
#define MESSAGE_ENTRY_KEY_TYPES   26
#define MESSAGE_ENTRY_SIGN_INIT   27
#define MESSAGE_ENTRY_VERIFY_INIT 30
#define PARAM_INSTANCE            "instance"

struct signature {
    struct oct_prov *prov;
    struct oct_prov_ed25519 *key;
    enum oct_ed25519_use use;
    int instance_is_fixed;    /* this algorithm's, whatever is asked for */
    EVP_MD_CTX *message_ctx;  /* for messages with settings; NULL without any */
    EVP_PKEY_CTX *digest_ctx; /* for digests made by the caller; NULL for messages */
};

static void *sig_new(void *provctx, const char *props)
{
    struct signature *sig = OPENSSL_zalloc(sizeof *sig);

    (void)props; /* everything is fetched in the private context, where application's properties mean nothing */
    if (sig != NULL)
        sig->prov = provctx;
    else
        OCT_RAISE(provctx, OCT_REASON_MEMORY);
    return sig;
}

static void drop_contexts(struct signature *sig)
{
    EVP_MD_CTX_free(sig->message_ctx);
    sig->message_ctx = NULL;
    EVP_PKEY_CTX_free(sig->digest_ctx);
    sig->digest_ctx = NULL;
}

static void sig_free(void *vsig)
{
    struct signature *sig = vsig;

    if (sig == NULL)
        return;
    drop_contexts(sig);
    oct_prov_key_free(sig->key);
    OPENSSL_free(sig);
}

static int copy_contexts(struct signature *to, const struct signature *from)
{
    to->message_ctx = from->message_ctx == NULL ? NULL : EVP_MD_CTX_new();
    to->digest_ctx = from->digest_ctx == NULL ? NULL : EVP_PKEY_CTX_dup(from->digest_ctx);
    if (from->digest_ctx != NULL && to->digest_ctx == NULL)
        return 0;
    return from->message_ctx == NULL ||
           (to->message_ctx != NULL && EVP_MD_CTX_copy_ex(to->message_ctx, from->message_ctx));
}

static void *sig_dup(void *vsig)
{
    const struct signature *sig = vsig;
    struct signature *copy = OPENSSL_memdup(sig, sizeof *sig);

    if (copy == NULL)
        return NULL;
    oct_prov_key_up_ref(copy->key);
    if (copy_contexts(copy, sig))
        return copy;
    sig_free(copy);
    return NULL;
}

/* 1 if there are settings, and this version of OpenSSL does not ignore them. */
static bool has_settings(const struct signature *sig, const OSSL_PARAM params[])
{
    EVP_SIGNATURE *fallback;

    if (params == NULL || params[0].key == NULL)
        return 0;
    fallback = oct_fallback_part(sig->prov, OCT_FAMILY_ed25519);
    return fallback != NULL && EVP_SIGNATURE_settable_ctx_params(fallback) != NULL;
}

/* The settings are for a new operation if there is no context yet. */
static int apply_settings(struct signature *sig, const OSSL_PARAM params[])
{
    if (sig->instance_is_fixed && OSSL_PARAM_locate_const(params, PARAM_INSTANCE) != NULL)
        return OCT_RAISE(sig->prov, OCT_REASON_OPERATION);
    if (sig->digest_ctx != NULL)
        return EVP_PKEY_CTX_set_params(sig->digest_ctx, (OSSL_PARAM *)params) > 0;
    if (sig->message_ctx != NULL)
        return EVP_PKEY_CTX_set_params(EVP_MD_CTX_get_pkey_ctx(sig->message_ctx), (OSSL_PARAM *)params) > 0;
    sig->message_ctx = oct_ed25519_fallback_ctx(sig->key, sig->use, params);
    return sig->message_ctx != NULL;
}

/* Without a key the context keeps the one that it has, and with it all settings. */
static int take_key(struct signature *sig, struct oct_prov_ed25519 *key, enum oct_ed25519_use use)
{
    if (sig == NULL)
        return 0;
    if (key != NULL) {
        if (key->fallback == NULL)
            return OCT_RAISE(sig->prov, OCT_REASON_NO_KEY);
        drop_contexts(sig);
        oct_prov_key_up_ref(key);
        oct_prov_key_free(sig->key);
        sig->key = key;
    }
    if (sig->key == NULL)
        return OCT_RAISE(sig->prov, OCT_REASON_NO_KEY);
    sig->use = use;
    sig->instance_is_fixed = 0;
    return 1;
}

static int message_start(struct signature *sig, struct oct_prov_ed25519 *key, enum oct_ed25519_use use,
                         int instance_is_fixed, const OSSL_PARAM params[])
{
    if (!take_key(sig, key, use))
        return 0;
    sig->instance_is_fixed = instance_is_fixed;
    if (sig->message_ctx != NULL && !oct_ed25519_fallback_restart(sig->message_ctx, use))
        return 0;
    return !has_settings(sig, params) || apply_settings(sig, params);
}

/* A message is never digested beforehand, so that no digest can be named. */
static int digest_start(struct signature *sig, const char *digest, struct oct_prov_ed25519 *key,
                        enum oct_ed25519_use use, const OSSL_PARAM params[])
{
    if (sig != NULL && digest != NULL && digest[0] != '\0')
        return OCT_RAISE_DATA(sig->prov, OCT_REASON_DIGEST_UNKNOWN, "digest=%s", digest);
    return message_start(sig, key, use, 0, params);
}

static int sig_digest_sign_init(void *vsig, const char *digest, void *key, const OSSL_PARAM params[])
{
    return digest_start(vsig, digest, key, OCT_ED25519_SIGN, params);
}

static int sig_digest_verify_init(void *vsig, const char *digest, void *key, const OSSL_PARAM params[])
{
    return digest_start(vsig, digest, key, OCT_ED25519_VERIFY, params);
}

static int sig_message_sign_init(void *vsig, void *key, const OSSL_PARAM params[])
{
    return message_start(vsig, key, OCT_ED25519_SIGN, 1, params);
}

static int sig_message_verify_init(void *vsig, void *key, const OSSL_PARAM params[])
{
    return message_start(vsig, key, OCT_ED25519_VERIFY, 1, params);
}

/* The caller has the digest, and is to choose an instance that signs one. */
static int caller_digest_start(struct signature *sig, struct oct_prov_ed25519 *key, enum oct_ed25519_use use,
                               const OSSL_PARAM params[])
{
    if (!take_key(sig, key, use))
        return 0;
    drop_contexts(sig);
    sig->digest_ctx = oct_fallback_key_ctx(sig->prov, sig->key->fallback);
    if (sig->digest_ctx == NULL)
        return 0;
    return (use == OCT_ED25519_SIGN ? EVP_PKEY_sign_init_ex(sig->digest_ctx, params)
                                    : EVP_PKEY_verify_init_ex(sig->digest_ctx, params)) > 0;
}

static int sig_sign_init(void *vsig, void *key, const OSSL_PARAM params[])
{
    return caller_digest_start(vsig, key, OCT_ED25519_SIGN, params);
}

static int sig_verify_init(void *vsig, void *key, const OSSL_PARAM params[])
{
    return caller_digest_start(vsig, key, OCT_ED25519_VERIFY, params);
}

static int sig_sign(void *vsig, unsigned char *out, size_t *len, size_t size, const unsigned char *tbs, size_t tbs_len)
{
    const struct signature *sig = vsig;

    if (sig == NULL || sig->key == NULL)
        return 0;
    if (out != NULL && size < OCT_ED25519_SIGNATURE_BYTES)
        return OCT_RAISE(sig->prov, OCT_REASON_BUFFER_TOO_SMALL);
    *len = OCT_ED25519_SIGNATURE_BYTES;
    if (out == NULL)
        return 1;
    if (!sig->key->base.has_private)
        return OCT_RAISE(sig->prov, OCT_REASON_NOT_PRIVATE);
    if (sig->digest_ctx != NULL)
        return EVP_PKEY_sign(sig->digest_ctx, out, len, tbs, tbs_len) > 0;
    if (sig->message_ctx != NULL)
        return EVP_DigestSign(sig->message_ctx, out, len, tbs, tbs_len) > 0;
    return oct_ed25519_sign(sig->key, out, tbs, tbs_len);
}

static int sig_verify(void *vsig, const unsigned char *in, size_t in_len, const unsigned char *tbs, size_t tbs_len)
{
    const struct signature *sig = vsig;

    if (sig == NULL || sig->key == NULL)
        return 0;
    if (in_len != OCT_ED25519_SIGNATURE_BYTES)
        return OCT_RAISE(sig->prov, OCT_REASON_BAD_SIGNATURE);
    if (sig->digest_ctx != NULL)
        return EVP_PKEY_verify(sig->digest_ctx, in, in_len, tbs, tbs_len) > 0;
    if (sig->message_ctx != NULL)
        return EVP_DigestVerify(sig->message_ctx, in, in_len, tbs, tbs_len) == 1;
    return oct_ed25519_verify(sig->key, in, tbs, tbs_len);
}

/* RFC 8410, section 3: the object identifier, and no parameters. */
static int sig_get_params(void *vsig, OSSL_PARAM params[])
{
    static const uint8_t id[] = {0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70};
    const struct signature *sig = vsig;
    OSSL_PARAM *p;

    if (sig == NULL)
        return 0;
    if (sig->digest_ctx != NULL)
        return EVP_PKEY_CTX_get_params(sig->digest_ctx, params) > 0;
    if (sig->message_ctx != NULL)
        return EVP_PKEY_CTX_get_params(EVP_MD_CTX_get_pkey_ctx(sig->message_ctx), params) > 0;
    p = OSSL_PARAM_locate(params, OSSL_SIGNATURE_PARAM_ALGORITHM_ID);
    return p == NULL || OSSL_PARAM_set_octet_string(p, id, sizeof id);
}

static const OSSL_PARAM *sig_gettable_params(void *vsig, void *provctx)
{
    EVP_SIGNATURE *fallback = oct_fallback_part(provctx, OCT_FAMILY_ed25519);

    (void)vsig;
    return fallback == NULL ? NULL : EVP_SIGNATURE_gettable_ctx_params(fallback);
}

static int sig_set_params(void *vsig, const OSSL_PARAM params[])
{
    struct signature *sig = vsig;

    if (sig == NULL || sig->key == NULL)
        return 0;
    return has_settings(sig, params) && apply_settings(sig, params);
}

static const OSSL_PARAM *sig_settable_params(void *vsig, void *provctx)
{
    EVP_SIGNATURE *fallback = oct_fallback_part(provctx, OCT_FAMILY_ed25519);

    (void)vsig;
    return fallback == NULL ? NULL : EVP_SIGNATURE_settable_ctx_params(fallback);
}

static const char **sig_key_types(void)
{
    static const char *types[] = {"ED25519", NULL};
    return types;
}

#define MESSAGE_ENTRY(id, function)                                                                                    \
    {                                                                                                                  \
        (id), (void (*)(void))(function)                                                                               \
    }

const OSSL_DISPATCH oct_ed25519_signature_table[] = {
    MESSAGE_ENTRY(MESSAGE_ENTRY_KEY_TYPES, sig_key_types),
    MESSAGE_ENTRY(MESSAGE_ENTRY_SIGN_INIT, sig_message_sign_init),
    MESSAGE_ENTRY(MESSAGE_ENTRY_VERIFY_INIT, sig_message_verify_init),
    OCT_SIGNATURE_ENTRY(SIGN_INIT, sign_init, sig_sign_init),
    OCT_SIGNATURE_ENTRY(SIGN, sign, sig_sign),
    OCT_SIGNATURE_ENTRY(VERIFY_INIT, verify_init, sig_verify_init),
    OCT_SIGNATURE_ENTRY(VERIFY, verify, sig_verify),
    /* OCT_ED25519_MESSAGE_ENTRIES of them so far. */
    OCT_SIGNATURE_ENTRY(NEWCTX, newctx, sig_new),
    OCT_SIGNATURE_ENTRY(FREECTX, freectx, sig_free),
    OCT_SIGNATURE_ENTRY(DUPCTX, dupctx, sig_dup),
    OCT_SIGNATURE_ENTRY(DIGEST_SIGN_INIT, digest_sign_init, sig_digest_sign_init),
    OCT_SIGNATURE_ENTRY(DIGEST_SIGN, digest_sign, sig_sign),
    OCT_SIGNATURE_ENTRY(DIGEST_VERIFY_INIT, digest_verify_init, sig_digest_verify_init),
    OCT_SIGNATURE_ENTRY(DIGEST_VERIFY, digest_verify, sig_verify),
    OCT_SIGNATURE_ENTRY(GET_CTX_PARAMS, get_ctx_params, sig_get_params),
    OCT_SIGNATURE_ENTRY(GETTABLE_CTX_PARAMS, gettable_ctx_params, sig_gettable_params),
    OCT_SIGNATURE_ENTRY(SET_CTX_PARAMS, set_ctx_params, sig_set_params),
    OCT_SIGNATURE_ENTRY(SETTABLE_CTX_PARAMS, settable_ctx_params, sig_settable_params),
    OCT_DISPATCH_END,
};
