/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Settings of RSA signature contexts, with the rules of OpenSSL's default provider. */
#include "rsa_sig.h"

#include "provider.h"
#include "rsa_modes.h"
#include "rsa_pad.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/params.h>
#include <string.h>

/* "digest-size", as ECDSA contexts have it. */
#define PARAM_DIGEST_SIZE "digest-size"

static int digest_fetch(struct oct_rsa_sig *sig, struct oct_sig_digest *digest, const char *name, const char *props)
{
    memset(digest, 0, sizeof *digest);
    if (strlen(name) >= sizeof digest->name)
        return OCT_RAISE(sig->prov, OCT_REASON_DIGEST_UNKNOWN);
    digest->md = oct_digest_fetch(sig->prov, &digest->info, name, props);
    if (digest->md == NULL)
        return 0;
    memcpy(digest->name, name, strlen(name) + 1);
    if ((EVP_MD_get_flags(digest->md) & EVP_MD_FLAG_XOF) == 0)
        return 1;
    EVP_MD_free(digest->md);
    digest->md = NULL;
    return OCT_RAISE_DATA(sig->prov, OCT_REASON_DIGEST_NOT_ALLOWED, "digest=%s", name);
}

int oct_rsa_sig_set_digest(struct oct_rsa_sig *sig, const char *name, const char *props)
{
    struct oct_sig_digest digest;

    if (sig->pad_mode == RSA_NO_PADDING)
        return OCT_RAISE(sig->prov, OCT_REASON_PAD_MODE);
    if (!digest_fetch(sig, &digest, name, props))
        return 0;
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

static int set_pad_mode(struct oct_rsa_sig *sig, const OSSL_PARAM params[])
{
    const OSSL_PARAM *p = OSSL_PARAM_locate_const(params, OSSL_SIGNATURE_PARAM_PAD_MODE);
    int mode;

    if (p == NULL)
        return 1;
    if (!oct_pad_mode_get(p, &mode))
        return OCT_RAISE(sig->prov, OCT_REASON_PAD_MODE);
    if (mode != RSA_PKCS1_PADDING && mode != RSA_NO_PADDING && mode != RSA_X931_PADDING &&
        (mode != RSA_PKCS1_PSS_PADDING || sig->operation == EVP_PKEY_OP_VERIFYRECOVER))
        return OCT_RAISE(sig->prov, OCT_REASON_PAD_MODE);
    sig->pad_mode = mode;
    return 1;
}

static int set_salt_len(struct oct_rsa_sig *sig, const OSSL_PARAM params[])
{
    const OSSL_PARAM *p = OSSL_PARAM_locate_const(params, OSSL_SIGNATURE_PARAM_PSS_SALTLEN);
    int len;

    if (p == NULL)
        return 1;
    if (sig->pad_mode != RSA_PKCS1_PSS_PADDING || !oct_salt_len_get(p, &len) || len < OCT_SALT_AUTO_DIGEST_MAX)
        return OCT_RAISE(sig->prov, OCT_REASON_SALT_LENGTH);
    sig->salt_len = len;
    return 1;
}

static int set_mgf1(struct oct_rsa_sig *sig, const OSSL_PARAM params[])
{
    char name_copy[OCT_TEXT_MAX], props_copy[OCT_TEXT_MAX];
    struct oct_sig_digest digest;
    const char *name, *props;

    if (!oct_text_get(params, OSSL_SIGNATURE_PARAM_MGF1_DIGEST, name_copy, &name) ||
        !oct_text_get(params, OSSL_SIGNATURE_PARAM_MGF1_PROPERTIES, props_copy, &props))
        return 0;
    if (name == NULL)
        return 1;
    if (sig->pad_mode != RSA_PKCS1_PSS_PADDING)
        return OCT_RAISE(sig->prov, OCT_REASON_MGF1);
    if (!digest_fetch(sig, &digest, name, props))
        return 0;
    EVP_MD_free(sig->mgf1.md);
    sig->mgf1 = digest;
    sig->mgf1_is_set = 1;
    return 1;
}

static int set_digest(struct oct_rsa_sig *sig, const OSSL_PARAM params[])
{
    char name_copy[OCT_TEXT_MAX], props_copy[OCT_TEXT_MAX];
    const char *name, *props;

    if (!oct_text_get(params, OSSL_SIGNATURE_PARAM_DIGEST, name_copy, &name) ||
        !oct_text_get(params, OSSL_SIGNATURE_PARAM_PROPERTIES, props_copy, &props))
        return 0;
    /* PSS cannot be without a digest; SHA-1 is RFC 8017's default, and OpenSSL's. */
    if (name == NULL && sig->digest.md == NULL && sig->pad_mode == RSA_PKCS1_PSS_PADDING)
        name = "SHA1";
    return name == NULL || oct_rsa_sig_set_digest(sig, name, props);
}

int oct_rsa_sig_set_params(void *vsig, const OSSL_PARAM params[])
{
    struct oct_rsa_sig *sig = vsig;

    if (sig == NULL)
        return 0;
    if (params == NULL)
        return 1;
    if (!set_pad_mode(sig, params) || !set_salt_len(sig, params) || !set_mgf1(sig, params) || !set_digest(sig, params))
        return 0;
    if (sig->pad_mode == RSA_NO_PADDING && sig->digest.md != NULL)
        return OCT_RAISE(sig->prov, OCT_REASON_PAD_MODE);
    return 1;
}

const OSSL_PARAM *oct_rsa_sig_settable_params(void *vsig, void *provctx)
{
    static const OSSL_PARAM all[] = {
        OSSL_PARAM_utf8_string(OSSL_SIGNATURE_PARAM_DIGEST, NULL, 0),
        OSSL_PARAM_utf8_string(OSSL_SIGNATURE_PARAM_PROPERTIES, NULL, 0),
        OSSL_PARAM_utf8_string(OSSL_SIGNATURE_PARAM_PAD_MODE, NULL, 0),
        OSSL_PARAM_utf8_string(OSSL_SIGNATURE_PARAM_MGF1_DIGEST, NULL, 0),
        OSSL_PARAM_utf8_string(OSSL_SIGNATURE_PARAM_MGF1_PROPERTIES, NULL, 0),
        OSSL_PARAM_utf8_string(OSSL_SIGNATURE_PARAM_PSS_SALTLEN, NULL, 0),
        OSSL_PARAM_END,
    };
    const struct oct_rsa_sig *sig = vsig;

    (void)provctx;
    return sig != NULL && sig->digest_is_fixed ? all + 2 : all;
}

/* OpenSSL's own context with the same settings says what DER stands for them. */
static int get_algorithm_id(const struct oct_rsa_sig *sig, OSSL_PARAM *p)
{
    unsigned char der[256];
    OSSL_PARAM ask[2] = {
        OSSL_PARAM_construct_octet_string(OSSL_SIGNATURE_PARAM_ALGORITHM_ID, der, sizeof der),
        OSSL_PARAM_construct_end(),
    };
    EVP_PKEY_CTX *ctx = oct_rsa_sig_plain_ctx(sig, sig->operation);
    int ok = ctx != NULL && EVP_PKEY_CTX_get_params(ctx, ask) > 0 && OSSL_PARAM_modified(ask) &&
             OSSL_PARAM_set_octet_string(p, der, ask[0].return_size);

    EVP_PKEY_CTX_free(ctx);
    return ok;
}

static const char *mgf1_name(const struct oct_rsa_sig *sig)
{
    return sig->mgf1_is_set ? sig->mgf1.name : sig->digest.name;
}

int oct_rsa_sig_get_params(void *vsig, OSSL_PARAM params[])
{
    const struct oct_rsa_sig *sig = vsig;
    OSSL_PARAM *p;

    if (sig == NULL || sig->key == NULL)
        return 0;
    if ((p = OSSL_PARAM_locate(params, OSSL_SIGNATURE_PARAM_ALGORITHM_ID)) != NULL && !get_algorithm_id(sig, p))
        return 0;
    if ((p = OSSL_PARAM_locate(params, OSSL_SIGNATURE_PARAM_PAD_MODE)) != NULL && !oct_pad_mode_set(p, sig->pad_mode))
        return 0;
    if ((p = OSSL_PARAM_locate(params, OSSL_SIGNATURE_PARAM_PSS_SALTLEN)) != NULL &&
        !oct_salt_len_set(p, sig->salt_len))
        return 0;
    if ((p = OSSL_PARAM_locate(params, OSSL_SIGNATURE_PARAM_DIGEST)) != NULL &&
        !OSSL_PARAM_set_utf8_string(p, sig->digest.name))
        return 0;
    if ((p = OSSL_PARAM_locate(params, OSSL_SIGNATURE_PARAM_MGF1_DIGEST)) != NULL &&
        !OSSL_PARAM_set_utf8_string(p, mgf1_name(sig)))
        return 0;
    p = OSSL_PARAM_locate(params, PARAM_DIGEST_SIZE);
    return p == NULL || OSSL_PARAM_set_size_t(p, oct_rsa_sig_digest_size(sig));
}

const OSSL_PARAM *oct_rsa_sig_gettable_params(void *vsig, void *provctx)
{
    static const OSSL_PARAM params[] = {
        OSSL_PARAM_octet_string(OSSL_SIGNATURE_PARAM_ALGORITHM_ID, NULL, 0),
        OSSL_PARAM_utf8_string(OSSL_SIGNATURE_PARAM_PAD_MODE, NULL, 0),
        OSSL_PARAM_utf8_string(OSSL_SIGNATURE_PARAM_DIGEST, NULL, 0),
        OSSL_PARAM_utf8_string(OSSL_SIGNATURE_PARAM_MGF1_DIGEST, NULL, 0),
        OSSL_PARAM_utf8_string(OSSL_SIGNATURE_PARAM_PSS_SALTLEN, NULL, 0),
        OSSL_PARAM_size_t(PARAM_DIGEST_SIZE, NULL),
        OSSL_PARAM_END,
    };
    (void)vsig, (void)provctx;
    return params;
}
