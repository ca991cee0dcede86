/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See sig.h. */
#include "sig.h"

#include "provider/core/provider.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/params.h>
#include <string.h>

void *oct_sig_new(struct oct_prov *prov, const struct oct_sig_family *family, const char *props)
{
    struct oct_sig *sig = OPENSSL_zalloc(family->context_size);

    if (sig != NULL && (props == NULL || (sig->props = OPENSSL_strdup(props)) != NULL)) {
        sig->family = family;
        sig->prov = prov;
        return sig;
    }
    OPENSSL_free(sig);
    OCT_RAISE(prov, OCT_REASON_MEMORY);
    return NULL;
}

void oct_sig_free(void *vsig)
{
    struct oct_sig *sig = vsig;

    if (sig == NULL)
        return;
    EVP_MD_CTX_free(sig->md_ctx);
    EVP_MD_free(sig->digest.md);
    oct_prov_key_free(sig->key);
    OPENSSL_free(sig->props);
    OPENSSL_free(sig);
}

/* References that the copy has not taken yet must not be dropped by oct_sig_free(). */
void *oct_sig_dup(void *vsig)
{
    const struct oct_sig *sig = vsig;
    struct oct_sig *copy = OPENSSL_memdup(sig, sig->family->context_size);

    if (copy == NULL)
        return NULL;
    copy->md_ctx = NULL;
    copy->props = NULL;
    oct_prov_key_up_ref(copy->key);
    if (copy->digest.md != NULL && !EVP_MD_up_ref(copy->digest.md))
        copy->digest.md = NULL;
    if (sig->props != NULL && (copy->props = OPENSSL_strdup(sig->props)) == NULL) {
        oct_sig_free(copy);
        return NULL;
    }
    if (sig->md_ctx != NULL) {
        copy->md_ctx = EVP_MD_CTX_new();
        if (copy->md_ctx == NULL || !EVP_MD_CTX_copy_ex(copy->md_ctx, sig->md_ctx)) {
            oct_sig_free(copy);
            return NULL;
        }
    }
    return copy;
}

int oct_sig_start(struct oct_sig *sig, void *key, int operation, const OSSL_PARAM params[])
{
    if (sig == NULL)
        return 0;
    if (key != NULL)
        oct_prov_key_replace(&sig->key, key);
    sig->operation = operation;
    sig->digest_is_fixed = 0;
    sig->is_final = 0;
    if (sig->key == NULL || !sig->family->start(sig))
        return OCT_RAISE(sig->prov, OCT_REASON_NO_KEY);
    return sig->family->set_params(sig, params);
}

int oct_sig_sign_init(void *vsig, void *key, const OSSL_PARAM params[])
{
    return oct_sig_start(vsig, key, EVP_PKEY_OP_SIGN, params);
}

int oct_sig_verify_init(void *vsig, void *key, const OSSL_PARAM params[])
{
    return oct_sig_start(vsig, key, EVP_PKEY_OP_VERIFY, params);
}

/* Properties of the operation chose this provider, maybe by its name, and digests it has none: they are a wish here. */
static EVP_MD *fetch(const struct oct_sig *sig, const struct oct_digest **info, const char *name, const char *props)
{
    EVP_MD *md;

    if (props != NULL || sig->props == NULL)
        return oct_digest_fetch(sig->prov, info, name, props);
    ERR_set_mark();
    md = oct_digest_fetch(sig->prov, info, name, sig->props);
    ERR_pop_to_mark();
    return md != NULL ? md : oct_digest_fetch(sig->prov, info, name, NULL);
}

int oct_sig_digest_fetch(const struct oct_sig *sig, struct oct_sig_digest *digest, const char *name, const char *props)
{
    memset(digest, 0, sizeof *digest);
    if (strlen(name) >= sizeof digest->name)
        return OCT_RAISE_DATA(sig->prov, OCT_REASON_DIGEST_UNKNOWN, "%s exceeds name buffer length", name);
    digest->md = fetch(sig, &digest->info, name, props);
    if (digest->md == NULL)
        return 0;
    memcpy(digest->name, name, strlen(name) + 1);
    return 1;
}

int oct_sig_set_digest(struct oct_sig *sig, const char *name, const char *props)
{
    struct oct_sig_digest digest;

    if (!oct_sig_digest_fetch(sig, &digest, name, props))
        return 0;
    if (!sig->family->takes_digest(sig, &digest)) {
        EVP_MD_free(digest.md);
        return 0;
    }
    if (sig->digest_is_fixed) {
        const int same = EVP_MD_is_a(digest.md, EVP_MD_get0_name(sig->digest.md));
        EVP_MD_free(digest.md);
        return same ? 1 : OCT_RAISE_DATA(sig->prov, OCT_REASON_DIGEST_NOT_ALLOWED, "digest=%s", name);
    }
    EVP_MD_CTX_free(sig->md_ctx);
    sig->md_ctx = NULL;
    EVP_MD_free(sig->digest.md);
    sig->digest = digest;
    return 1;
}

size_t oct_sig_digest_size(const struct oct_sig *sig)
{
    const int size = sig->digest.md == NULL ? 0 : EVP_MD_get_size(sig->digest.md);
    return size <= 0 ? 0 : (size_t)size;
}

const OSSL_PARAM *oct_sig_settable_params(const struct oct_sig *sig, const OSSL_PARAM list[])
{
    return sig != NULL && sig->digest_is_fixed ? list + 2 : list;
}

int oct_sig_give_algorithm_id(const struct oct_sig *sig, OSSL_PARAM params[])
{
    OSSL_PARAM *p = OSSL_PARAM_locate(params, OSSL_SIGNATURE_PARAM_ALGORITHM_ID);
    unsigned char der[256];
    OSSL_PARAM ask[2] = {
        OSSL_PARAM_construct_octet_string(OSSL_SIGNATURE_PARAM_ALGORITHM_ID, der, sizeof der),
        OSSL_PARAM_construct_end(),
    };
    EVP_PKEY_CTX *ctx;
    int ok;

    if (p == NULL)
        return 1;
    ctx = oct_sig_fallback_ctx(sig, sig->operation);
    ok = ctx != NULL && EVP_PKEY_CTX_get_params(ctx, ask) > 0 && OSSL_PARAM_modified(ask) &&
         OSSL_PARAM_set_octet_string(p, der, ask[0].return_size);

    EVP_PKEY_CTX_free(ctx);
    return ok;
}

static int start_fallback(EVP_PKEY_CTX *ctx, int operation)
{
    if (operation == EVP_PKEY_OP_VERIFY || operation == EVP_PKEY_OP_VERIFYCTX)
        return EVP_PKEY_verify_init(ctx);
    if (operation == EVP_PKEY_OP_VERIFYRECOVER)
        return EVP_PKEY_verify_recover_init(ctx);
    return EVP_PKEY_sign_init(ctx);
}

EVP_PKEY_CTX *oct_sig_fallback_ctx(const struct oct_sig *sig, int operation)
{
    EVP_PKEY_CTX *ctx = oct_fallback_key_ctx(sig->prov, sig->family->fallback_key(sig));

    if (ctx != NULL && start_fallback(ctx, operation) > 0 && sig->family->copy_settings(ctx, sig))
        return ctx;
    EVP_PKEY_CTX_free(ctx);
    return NULL;
}

/* Where OpenSSL has no memory for the DER of a signature, it may say that all is well, and that the length is -1. */
int oct_sig_sign_fallback(const struct oct_sig *sig, uint8_t *out, size_t *len, const uint8_t *tbs, size_t tbs_len)
{
    const size_t room = *len;
    EVP_PKEY_CTX *ctx = oct_sig_fallback_ctx(sig, EVP_PKEY_OP_SIGN);
    const int ok = ctx != NULL && EVP_PKEY_sign(ctx, out, len, tbs, tbs_len) > 0;

    EVP_PKEY_CTX_free(ctx);
    return ok && *len > room ? OCT_RAISE(sig->prov, OCT_REASON_MEMORY) : ok;
}

/* OpenSSL's own answer, which is negative for a malformed signature. */
int oct_sig_verify_fallback(const struct oct_sig *sig, const uint8_t *in, size_t in_len, const uint8_t *tbs,
                            size_t tbs_len)
{
    EVP_PKEY_CTX *ctx = oct_sig_fallback_ctx(sig, EVP_PKEY_OP_VERIFY);
    const int ok = ctx == NULL ? 0 : EVP_PKEY_verify(ctx, in, in_len, tbs, tbs_len);

    EVP_PKEY_CTX_free(ctx);
    return ok;
}
