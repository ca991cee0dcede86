/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Settings of RSA signature contexts, with the rules of OpenSSL's default provider. */
#include "rsa_sig.h"

#include "param.h"
#include "provider.h"
#include "rsa_modes.h"
#include "rsa_pad.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/params.h>

static int set_pad_mode(struct oct_rsa_sig *sig, const OSSL_PARAM params[])
{
    const OSSL_PARAM *p = OSSL_PARAM_locate_const(params, OSSL_SIGNATURE_PARAM_PAD_MODE);
    int mode;

    if (p == NULL)
        return 1;
    if (!oct_pad_mode_get(p, &mode))
        return OCT_RAISE(sig->base.prov, OCT_REASON_PAD_MODE);
    if (mode != RSA_PKCS1_PADDING && mode != RSA_NO_PADDING && mode != RSA_X931_PADDING &&
        (mode != RSA_PKCS1_PSS_PADDING || sig->base.operation == EVP_PKEY_OP_VERIFYRECOVER))
        return OCT_RAISE(sig->base.prov, OCT_REASON_PAD_MODE);
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
        return OCT_RAISE(sig->base.prov, OCT_REASON_SALT_LENGTH);
    sig->salt_len = len;
    return 1;
}

static int set_mgf1(struct oct_rsa_sig *sig, const OSSL_PARAM params[])
{
    struct oct_param_choice choice;
    struct oct_sig_digest digest;

    if (!oct_param_choice_get(&choice, params, OSSL_SIGNATURE_PARAM_MGF1_DIGEST, OSSL_SIGNATURE_PARAM_MGF1_PROPERTIES))
        return 0;
    if (choice.name == NULL)
        return 1;
    if (sig->pad_mode != RSA_PKCS1_PSS_PADDING)
        return OCT_RAISE(sig->base.prov, OCT_REASON_MGF1);
    if (!oct_sig_digest_fetch(sig->base.prov, &digest, choice.name, choice.props))
        return 0;
    EVP_MD_free(sig->mgf1.md);
    sig->mgf1 = digest;
    sig->mgf1_is_set = 1;
    return 1;
}

static int set_digest(struct oct_rsa_sig *sig, const OSSL_PARAM params[])
{
    struct oct_param_choice choice;

    if (!oct_param_choice_get(&choice, params, OSSL_SIGNATURE_PARAM_DIGEST, OSSL_SIGNATURE_PARAM_PROPERTIES))
        return 0;
    /* PSS cannot be without a digest; SHA-1 is RFC 8017's default, and OpenSSL's. */
    if (choice.name == NULL && sig->base.digest.md == NULL && sig->pad_mode == RSA_PKCS1_PSS_PADDING)
        choice.name = "SHA1";
    return choice.name == NULL || oct_sig_set_digest(&sig->base, choice.name, choice.props);
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
    if (sig->pad_mode == RSA_NO_PADDING && sig->base.digest.md != NULL)
        return OCT_RAISE(sig->base.prov, OCT_REASON_PAD_MODE);
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

int oct_rsa_sig_is_plain(const struct oct_rsa_sig *sig)
{
    return sig->pad_mode == RSA_X931_PADDING || (sig->base.digest.md != NULL && sig->base.digest.info == NULL);
}

static const char *mgf1_name(const struct oct_rsa_sig *sig)
{
    return sig->mgf1_is_set ? sig->mgf1.name : sig->base.digest.name;
}

int oct_rsa_sig_get_params(void *vsig, OSSL_PARAM params[])
{
    const struct oct_rsa_sig *sig = vsig;
    OSSL_PARAM *p;

    if (sig == NULL || sig->base.key == NULL || !oct_sig_give_algorithm_id(&sig->base, params))
        return 0;
    if ((p = OSSL_PARAM_locate(params, OSSL_SIGNATURE_PARAM_PAD_MODE)) != NULL && !oct_pad_mode_set(p, sig->pad_mode))
        return 0;
    if ((p = OSSL_PARAM_locate(params, OSSL_SIGNATURE_PARAM_PSS_SALTLEN)) != NULL &&
        !oct_salt_len_set(p, sig->salt_len))
        return 0;
    return oct_param_give_text(params, OSSL_SIGNATURE_PARAM_DIGEST, sig->base.digest.name) &&
           oct_param_give_text(params, OSSL_SIGNATURE_PARAM_MGF1_DIGEST, mgf1_name(sig)) &&
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
