/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Settings of ECDSA contexts, with the rules of OpenSSL's default provider; and a context of its own with the same
 * settings, whose DER algorithm identifier is ours by construction. */
#include "ec_sig.h"

#include "provider.h"
#include "rsa_modes.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/params.h>
#include <string.h>

#define PARAM_DIGEST_SIZE "digest-size"
#define PARAM_NONCE_TYPE  "nonce-type"

static EVP_MD *digest_fetch(struct oct_ec_sig *sig, const char *name, const char *props)
{
    const struct oct_digest *info;
    EVP_MD *md = NULL;

    if (strlen(name) < OCT_EC_DIGEST_NAME_MAX)
        md = oct_digest_fetch(sig->prov, &info, name, props);
    if (md == NULL || (EVP_MD_get_flags(md) & EVP_MD_FLAG_XOF) == 0)
        return md;
    EVP_MD_free(md);
    OCT_RAISE_DATA(sig->prov, OCT_REASON_DIGEST_NOT_ALLOWED, "digest=%s", name);
    return NULL;
}

int oct_ec_sig_set_digest(struct oct_ec_sig *sig, const char *name, const char *props)
{
    EVP_MD *md = digest_fetch(sig, name, props);

    if (md == NULL)
        return 0;
    if (sig->digest_is_fixed) {
        const int same = EVP_MD_is_a(md, EVP_MD_get0_name(sig->md));
        EVP_MD_free(md);
        return same ? 1 : OCT_RAISE_DATA(sig->prov, OCT_REASON_DIGEST_NOT_ALLOWED, "digest=%s", name);
    }
    EVP_MD_CTX_free(sig->md_ctx);
    sig->md_ctx = NULL;
    EVP_MD_free(sig->md);
    sig->md = md;
    memcpy(sig->digest_name, name, strlen(name) + 1);
    return 1;
}

int oct_ec_sig_set_params(void *vsig, const OSSL_PARAM params[])
{
    char name_copy[OCT_TEXT_MAX], props_copy[OCT_TEXT_MAX];
    struct oct_ec_sig *sig = vsig;
    const char *name, *props;
    const OSSL_PARAM *p;

    if (sig == NULL)
        return 0;
    if (params == NULL)
        return 1;
    p = OSSL_PARAM_locate_const(params, PARAM_NONCE_TYPE);
    if (p != NULL && !OSSL_PARAM_get_uint(p, &sig->nonce_type))
        return 0;
    if (!oct_text_get(params, OSSL_SIGNATURE_PARAM_DIGEST, name_copy, &name) ||
        !oct_text_get(params, OSSL_SIGNATURE_PARAM_PROPERTIES, props_copy, &props))
        return 0;
    return name == NULL || oct_ec_sig_set_digest(sig, name, props);
}

/* OpenSSL before 3.2 has no other nonces than random ones, and is not asked for others. */
static int has_nonce_types(void)
{
    return OPENSSL_version_major() > 3 || OPENSSL_version_minor() >= 2;
}

const OSSL_PARAM *oct_ec_sig_settable_params(void *vsig, void *provctx)
{
    static const OSSL_PARAM all[] = {
        OSSL_PARAM_utf8_string(OSSL_SIGNATURE_PARAM_DIGEST, NULL, 0),
        OSSL_PARAM_utf8_string(OSSL_SIGNATURE_PARAM_PROPERTIES, NULL, 0),
        OSSL_PARAM_uint(PARAM_NONCE_TYPE, NULL),
        OSSL_PARAM_END,
    };
    static const OSSL_PARAM before[] = {
        OSSL_PARAM_utf8_string(OSSL_SIGNATURE_PARAM_DIGEST, NULL, 0),
        OSSL_PARAM_utf8_string(OSSL_SIGNATURE_PARAM_PROPERTIES, NULL, 0),
        OSSL_PARAM_END,
    };
    const struct oct_ec_sig *sig = vsig;
    const OSSL_PARAM *list = has_nonce_types() ? all : before;

    (void)provctx;
    return sig != NULL && sig->digest_is_fixed ? list + 2 : list;
}

static int start(EVP_PKEY_CTX *ctx, int operation)
{
    if (operation == EVP_PKEY_OP_VERIFY || operation == EVP_PKEY_OP_VERIFYCTX)
        return EVP_PKEY_verify_init(ctx);
    return EVP_PKEY_sign_init(ctx);
}

static int copy_settings(EVP_PKEY_CTX *ctx, const struct oct_ec_sig *sig)
{
    OSSL_PARAM params[3], *p = params;
    unsigned nonce_type = sig->nonce_type;

    if (sig->md != NULL)
        *p++ = OSSL_PARAM_construct_utf8_string(OSSL_SIGNATURE_PARAM_DIGEST, (char *)EVP_MD_get0_name(sig->md), 0);
    if (nonce_type != 0)
        *p++ = OSSL_PARAM_construct_uint(PARAM_NONCE_TYPE, &nonce_type);
    *p = OSSL_PARAM_construct_end();
    return p == params || EVP_PKEY_CTX_set_params(ctx, params) > 0;
}

EVP_PKEY_CTX *oct_ec_sig_plain_ctx(const struct oct_ec_sig *sig, int operation)
{
    OSSL_LIB_CTX *libctx = oct_plain_ctx(sig->prov);
    EVP_PKEY *plain = oct_prov_ec_plain(sig->key);
    EVP_PKEY_CTX *ctx = libctx == NULL || plain == NULL ? NULL : EVP_PKEY_CTX_new_from_pkey(libctx, plain, NULL);

    if (ctx != NULL && start(ctx, operation) > 0 && copy_settings(ctx, sig))
        return ctx;
    EVP_PKEY_CTX_free(ctx);
    return NULL;
}

static int get_algorithm_id(const struct oct_ec_sig *sig, OSSL_PARAM *p)
{
    unsigned char der[64];
    OSSL_PARAM ask[2] = {
        OSSL_PARAM_construct_octet_string(OSSL_SIGNATURE_PARAM_ALGORITHM_ID, der, sizeof der),
        OSSL_PARAM_construct_end(),
    };
    EVP_PKEY_CTX *ctx = oct_ec_sig_plain_ctx(sig, sig->operation);
    int ok = ctx != NULL && EVP_PKEY_CTX_get_params(ctx, ask) > 0 && OSSL_PARAM_modified(ask) &&
             OSSL_PARAM_set_octet_string(p, der, ask[0].return_size);

    EVP_PKEY_CTX_free(ctx);
    return ok;
}

int oct_ec_sig_get_params(void *vsig, OSSL_PARAM params[])
{
    const struct oct_ec_sig *sig = vsig;
    OSSL_PARAM *p;

    if (sig == NULL || sig->key == NULL)
        return 0;
    if ((p = OSSL_PARAM_locate(params, OSSL_SIGNATURE_PARAM_ALGORITHM_ID)) != NULL && !get_algorithm_id(sig, p))
        return 0;
    if ((p = OSSL_PARAM_locate(params, OSSL_SIGNATURE_PARAM_DIGEST)) != NULL &&
        !OSSL_PARAM_set_utf8_string(p, sig->md == NULL ? sig->digest_name : EVP_MD_get0_name(sig->md)))
        return 0;
    if ((p = OSSL_PARAM_locate(params, PARAM_NONCE_TYPE)) != NULL && !OSSL_PARAM_set_uint(p, sig->nonce_type))
        return 0;
    p = OSSL_PARAM_locate(params, PARAM_DIGEST_SIZE);
    return p == NULL || OSSL_PARAM_set_size_t(p, oct_ec_sig_digest_size(sig));
}

const OSSL_PARAM *oct_ec_sig_gettable_params(void *vsig, void *provctx)
{
    static const OSSL_PARAM params[] = {
        OSSL_PARAM_octet_string(OSSL_SIGNATURE_PARAM_ALGORITHM_ID, NULL, 0),
        OSSL_PARAM_utf8_string(OSSL_SIGNATURE_PARAM_DIGEST, NULL, 0),
        OSSL_PARAM_size_t(PARAM_DIGEST_SIZE, NULL),
        OSSL_PARAM_uint(PARAM_NONCE_TYPE, NULL),
        OSSL_PARAM_END,
    };
    (void)vsig, (void)provctx;
    return params;
}
