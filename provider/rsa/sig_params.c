/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Settings of RSA signature contexts, with the rules of OpenSSL's default provider. */
#include "sig.h"

#include "provider/core/param.h"
#include "provider/core/provider.h"
#include "modes.h"
#include "pad.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/params.h>
#include <stdbool.h>
#include <string.h>

int oct_rsa_sig_knows_digest(const struct oct_sig *sig, const struct oct_sig_digest *digest)
{
    EVP_PKEY *fallback = ((const struct oct_prov_rsa *)sig->key)->fallback;
    EVP_PKEY_CTX *ctx;
    OSSL_PARAM ask[2];
    bool known;

    if (digest->info != NULL)
        return 1;
    /* What the table lacks a newer OpenSSL may have; it says so of the digest that it fetches by that name. */
    ask[0] = OSSL_PARAM_construct_utf8_string(OSSL_SIGNATURE_PARAM_DIGEST, (char *)EVP_MD_get0_name(digest->md), 0);
    ask[1] = OSSL_PARAM_construct_end();
    ERR_set_mark();
    ctx = oct_fallback_key_ctx(sig->prov, fallback);
    known = ctx != NULL && EVP_PKEY_verify_init(ctx) > 0 && EVP_PKEY_CTX_set_params(ctx, ask) > 0;
    EVP_PKEY_CTX_free(ctx);
    ERR_pop_to_mark();
    return known ? 1 : OCT_RAISE_DATA(sig->prov, OCT_REASON_DIGEST_NOT_ALLOWED, "digest=%s", digest->name);
}

int oct_rsa_sig_check_padding(const struct oct_rsa_sig *sig, const struct oct_sig_digest *digest)
{
    const bool has_x931_id = digest != NULL && digest->info != NULL && digest->info->x931_id != 0;

    if (sig->pad_mode == RSA_NO_PADDING && digest != NULL)
        return OCT_RAISE(sig->base.prov, OCT_REASON_PAD_MODE_NOW);
    if (sig->pad_mode == RSA_X931_PADDING && !has_x931_id)
        return OCT_RAISE(sig->base.prov, OCT_REASON_X931_DIGEST);
    return 1;
}

/* What a list of parameters asks for; of padding and salt, what there is now where it does not say. */
struct wishes {
    int pad_mode, salt_len;
    struct oct_param_choice digest, mgf1;
};

static int read_pad_mode(const struct oct_rsa_sig *sig, struct wishes *w, const OSSL_PARAM params[])
{
    const OSSL_PARAM *p = OSSL_PARAM_locate_const(params, OSSL_SIGNATURE_PARAM_PAD_MODE);
    const bool is_word = p != NULL && p->data_type == OSSL_PARAM_UTF8_STRING && p->data != NULL;
    int mode = 0;

    if (p == NULL)
        return 1;
    /* A word that is none for signatures changes nothing; a number does. */
    if (!oct_pad_mode_get(p, &mode) ||
        (is_word && (mode == RSA_PKCS1_OAEP_PADDING || mode == RSA_PKCS1_WITH_TLS_PADDING)))
        return is_word;
    w->pad_mode = mode;
    if (w->pad_mode != RSA_PKCS1_PADDING && w->pad_mode != RSA_NO_PADDING && w->pad_mode != RSA_X931_PADDING &&
        (w->pad_mode != RSA_PKCS1_PSS_PADDING || sig->base.operation == EVP_PKEY_OP_VERIFYRECOVER))
        return OCT_RAISE(sig->base.prov, OCT_REASON_PAD_MODE);
    return 1;
}

static int read_salt_len(const struct oct_rsa_sig *sig, struct wishes *w, const OSSL_PARAM params[])
{
    const OSSL_PARAM *p = OSSL_PARAM_locate_const(params, OSSL_SIGNATURE_PARAM_PSS_SALTLEN);

    if (p == NULL)
        return 1;
    if (w->pad_mode != RSA_PKCS1_PSS_PADDING)
        return OCT_RAISE(sig->base.prov, OCT_REASON_NOT_PSS);
    if (!oct_salt_len_get(p, &w->salt_len) || w->salt_len < OCT_SALT_AUTO_DIGEST_MAX)
        return OCT_RAISE(sig->base.prov, OCT_REASON_SALT_LENGTH);
    return 1;
}

static int set_mgf1(struct oct_rsa_sig *sig, const struct oct_param_choice *choice)
{
    struct oct_sig_digest digest;

    if (choice->name == NULL)
        return 1;
    if (!oct_sig_digest_fetch(&sig->base, &digest, choice->name, choice->props))
        return 0;
    if (!oct_rsa_sig_knows_digest(&sig->base, &digest)) {
        EVP_MD_free(digest.md);
        return 0;
    }
    EVP_MD_free(sig->mgf1.md);
    sig->mgf1 = digest;
    sig->mgf1_is_set = 1;
    return 1;
}

int oct_rsa_sig_set_params(void *vsig, const OSSL_PARAM params[])
{
    struct oct_rsa_sig *sig = vsig;
    struct wishes w;

    if (sig == NULL)
        return 0;
    if (params == NULL)
        return 1;
    w.pad_mode = sig->pad_mode;
    w.salt_len = sig->salt_len;
    if (!oct_param_choice_get(&w.digest, params, OSSL_SIGNATURE_PARAM_DIGEST, OSSL_SIGNATURE_PARAM_PROPERTIES) ||
        !read_pad_mode(sig, &w, params) || !read_salt_len(sig, &w, params) ||
        !oct_param_choice_get(&w.mgf1, params, OSSL_SIGNATURE_PARAM_MGF1_DIGEST, OSSL_SIGNATURE_PARAM_MGF1_PROPERTIES))
        return 0;
    if (w.mgf1.name != NULL && w.pad_mode != RSA_PKCS1_PSS_PADDING)
        return OCT_RAISE(sig->base.prov, OCT_REASON_MGF1);
    sig->pad_mode = w.pad_mode;
    sig->salt_len = w.salt_len;
    if (!set_mgf1(sig, &w.mgf1))
        return 0;
    if (w.digest.name != NULL)
        return oct_sig_set_digest(&sig->base, w.digest.name, w.digest.props);
    /* PSS cannot be without a digest; SHA-1 is RFC 8017's default, and OpenSSL's. */
    if (sig->base.digest.md == NULL && sig->pad_mode == RSA_PKCS1_PSS_PADDING)
        return oct_sig_set_digest(&sig->base, "SHA1", NULL);
    return oct_rsa_sig_check_padding(sig, sig->base.digest.md == NULL ? NULL : &sig->base.digest);
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
    (void)provctx;
    return oct_sig_settable_params(vsig, all);
}

int oct_rsa_sig_copy_settings(EVP_PKEY_CTX *ctx, const struct oct_sig *base)
{
    const struct oct_rsa_sig *sig = (const struct oct_rsa_sig *)base;
    int pad_mode = sig->pad_mode, salt_len = sig->salt_len;
    OSSL_PARAM params[5], *p = params;

    *p++ = OSSL_PARAM_construct_int(OSSL_SIGNATURE_PARAM_PAD_MODE, &pad_mode);
    if (base->digest.md != NULL)
        *p++ =
            OSSL_PARAM_construct_utf8_string(OSSL_SIGNATURE_PARAM_DIGEST, (char *)EVP_MD_get0_name(base->digest.md), 0);
    if (sig->pad_mode == RSA_PKCS1_PSS_PADDING) {
        *p++ = OSSL_PARAM_construct_int(OSSL_SIGNATURE_PARAM_PSS_SALTLEN, &salt_len);
        if (sig->mgf1_is_set)
            *p++ = OSSL_PARAM_construct_utf8_string(OSSL_SIGNATURE_PARAM_MGF1_DIGEST,
                                                    (char *)EVP_MD_get0_name(sig->mgf1.md), 0);
    }
    *p = OSSL_PARAM_construct_end();
    return EVP_PKEY_CTX_set_params(ctx, params) > 0;
}

bool oct_rsa_sig_is_fallback(const struct oct_rsa_sig *sig)
{
    return sig->pad_mode == RSA_X931_PADDING || (sig->base.digest.md != NULL && sig->base.digest.info == NULL);
}

/* The DER of a signature by a digest that OpenSSL's own cannot be asked for in the private context: SEQUENCE, the
 * object identifier of the pair, NULL. */
static int give_foreign_id(const struct oct_rsa_sig *sig, OSSL_PARAM params[])
{
    OSSL_PARAM *p = OSSL_PARAM_locate(params, OSSL_SIGNATURE_PARAM_ALGORITHM_ID);
    const struct oct_digest *info = sig->base.digest.info;
    uint8_t der[4 + sizeof info->rsa_oid + 2] = {0x30, 0, 0x06, 0};
    const size_t len = info->rsa_oid_len;

    if (p == NULL)
        return 1;
    if (sig->pad_mode != RSA_PKCS1_PADDING)
        return OCT_RAISE(sig->base.prov, OCT_REASON_INTERNAL);
    der[1] = (uint8_t)(4 + len);
    der[3] = (uint8_t)len;
    memcpy(der + 4, info->rsa_oid, len);
    der[4 + len] = 0x05;
    return OSSL_PARAM_set_octet_string(p, der, 4 + len + 2);
}

int oct_rsa_sig_get_params(void *vsig, OSSL_PARAM params[])
{
    const struct oct_rsa_sig *sig = vsig;
    const struct oct_digest *info;
    OSSL_PARAM *p;

    if (sig == NULL || sig->base.key == NULL)
        return 0;
    info = sig->base.digest.info;
    if (!(info != NULL && info->rsa_oid_len != 0 ? give_foreign_id(sig, params)
                                                 : oct_sig_give_algorithm_id(&sig->base, params)))
        return 0;
    if ((p = OSSL_PARAM_locate(params, OSSL_SIGNATURE_PARAM_PAD_MODE)) != NULL && !oct_pad_mode_set(p, sig->pad_mode))
        return 0;
    if ((p = OSSL_PARAM_locate(params, OSSL_SIGNATURE_PARAM_PSS_SALTLEN)) != NULL &&
        !oct_salt_len_set(p, sig->salt_len))
        return 0;
    return oct_param_give_text(params, OSSL_SIGNATURE_PARAM_DIGEST, sig->base.digest.name) &&
           oct_param_give_text(params, OSSL_SIGNATURE_PARAM_MGF1_DIGEST,
                               sig->mgf1_is_set ? sig->mgf1.name : sig->base.digest.name) &&
           oct_param_give_size(params, OCT_SIG_PARAM_DIGEST_SIZE, oct_sig_digest_size(&sig->base));
}

const OSSL_PARAM *oct_rsa_sig_gettable_params(void *vsig, void *provctx)
{
    static const OSSL_PARAM params[] = {
        OSSL_PARAM_octet_string(OSSL_SIGNATURE_PARAM_ALGORITHM_ID, NULL, 0),
        OSSL_PARAM_utf8_string(OSSL_SIGNATURE_PARAM_PAD_MODE, NULL, 0),
        OSSL_PARAM_utf8_string(OSSL_SIGNATURE_PARAM_DIGEST, NULL, 0),
        OSSL_PARAM_utf8_string(OSSL_SIGNATURE_PARAM_MGF1_DIGEST, NULL, 0),
        OSSL_PARAM_utf8_string(OSSL_SIGNATURE_PARAM_PSS_SALTLEN, NULL, 0),
        OSSL_PARAM_size_t(OCT_SIG_PARAM_DIGEST_SIZE, NULL),
        OSSL_PARAM_END,
    };
    (void)vsig, (void)provctx;
    return params;
}
