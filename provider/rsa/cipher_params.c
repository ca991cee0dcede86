/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Settings of RSA encryption contexts, with the rules of OpenSSL's default provider. */
#include "cipher.h"

#include "provider/core/param.h"
#include "provider/core/provider.h"
#include "modes.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/params.h>
#include <openssl/rsa.h>

const EVP_MD *oct_rsa_cipher_oaep_md(struct oct_rsa_cipher *cipher)
{
    const struct oct_digest *info;

    if (cipher->oaep_md == NULL)
        cipher->oaep_md = oct_digest_fetch(cipher->prov, &info, "SHA1", NULL);
    return cipher->oaep_md;
}

static int set_digest(struct oct_rsa_cipher *cipher, EVP_MD **md, const OSSL_PARAM params[], const char *name_key,
                      const char *props_key)
{
    const struct oct_digest *info;
    struct oct_param_choice choice;
    EVP_MD *fetched;

    if (!oct_param_choice_get(&choice, params, name_key, props_key))
        return 0;
    if (choice.name == NULL)
        return 1;
    fetched = oct_digest_fetch(cipher->prov, &info, choice.name, choice.props);
    if (fetched == NULL)
        return 0;
    EVP_MD_free(*md);
    *md = fetched;
    return 1;
}

/* PSS is for signatures only. */
static int set_pad_mode(struct oct_rsa_cipher *cipher, const OSSL_PARAM params[])
{
    const OSSL_PARAM *p = OSSL_PARAM_locate_const(params, OSSL_ASYM_CIPHER_PARAM_PAD_MODE);
    int mode;

    if (p == NULL)
        return 1;
    if (!oct_pad_mode_get(p, &mode) || mode == RSA_PKCS1_PSS_PADDING)
        return OCT_RAISE(cipher->prov, OCT_REASON_PAD_MODE);
    if (mode == RSA_PKCS1_OAEP_PADDING && oct_rsa_cipher_oaep_md(cipher) == NULL)
        return 0;
    cipher->pad_mode = mode;
    return 1;
}

static int set_label(struct oct_rsa_cipher *cipher, const OSSL_PARAM params[])
{
    const OSSL_PARAM *p = OSSL_PARAM_locate_const(params, OSSL_ASYM_CIPHER_PARAM_OAEP_LABEL);
    void *label = NULL;
    size_t len = 0;

    if (p == NULL)
        return 1;
    if (!OSSL_PARAM_get_octet_string(p, &label, 0, &len))
        return 0;
    OPENSSL_free(cipher->label);
    cipher->label = label;
    cipher->label_len = len;
    return 1;
}

int oct_rsa_cipher_set_params(void *vcipher, const OSSL_PARAM params[])
{
    struct oct_rsa_cipher *cipher = vcipher;

    if (cipher == NULL)
        return 0;
    if (params == NULL)
        return 1;
    return set_digest(cipher, &cipher->oaep_md, params, OSSL_ASYM_CIPHER_PARAM_OAEP_DIGEST,
                      OSSL_ASYM_CIPHER_PARAM_OAEP_DIGEST_PROPS) &&
           set_digest(cipher, &cipher->mgf1_md, params, OSSL_ASYM_CIPHER_PARAM_MGF1_DIGEST,
                      OSSL_ASYM_CIPHER_PARAM_MGF1_DIGEST_PROPS) &&
           set_pad_mode(cipher, params) && set_label(cipher, params) &&
           oct_param_get_uint(params, OSSL_ASYM_CIPHER_PARAM_TLS_CLIENT_VERSION, &cipher->tls_version) &&
           oct_param_get_uint(params, OSSL_ASYM_CIPHER_PARAM_TLS_NEGOTIATED_VERSION, &cipher->tls_other_version) &&
           oct_param_get_uint(params, OCT_PARAM_IMPLICIT_REJECTION, &cipher->implicit_rejection);
}

const OSSL_PARAM *oct_rsa_cipher_settable_params(void *vcipher, void *provctx)
{
    static const OSSL_PARAM params[] = {
        OSSL_PARAM_utf8_string(OSSL_ASYM_CIPHER_PARAM_OAEP_DIGEST, NULL, 0),
        OSSL_PARAM_utf8_string(OSSL_ASYM_CIPHER_PARAM_OAEP_DIGEST_PROPS, NULL, 0),
        OSSL_PARAM_utf8_string(OSSL_ASYM_CIPHER_PARAM_PAD_MODE, NULL, 0),
        OSSL_PARAM_utf8_string(OSSL_ASYM_CIPHER_PARAM_MGF1_DIGEST, NULL, 0),
        OSSL_PARAM_utf8_string(OSSL_ASYM_CIPHER_PARAM_MGF1_DIGEST_PROPS, NULL, 0),
        OSSL_PARAM_octet_string(OSSL_ASYM_CIPHER_PARAM_OAEP_LABEL, NULL, 0),
        OSSL_PARAM_uint(OSSL_ASYM_CIPHER_PARAM_TLS_CLIENT_VERSION, NULL),
        OSSL_PARAM_uint(OSSL_ASYM_CIPHER_PARAM_TLS_NEGOTIATED_VERSION, NULL),
        OSSL_PARAM_uint(OCT_PARAM_IMPLICIT_REJECTION, NULL),
        OSSL_PARAM_END,
    };
    (void)vcipher, (void)provctx;
    return params;
}

static const char *name_of(const EVP_MD *md)
{
    return md == NULL ? "" : EVP_MD_get0_name(md);
}

int oct_rsa_cipher_get_params(void *vcipher, OSSL_PARAM params[])
{
    struct oct_rsa_cipher *cipher = vcipher;
    OSSL_PARAM *p;

    if (cipher == NULL)
        return 0;
    p = OSSL_PARAM_locate(params, OSSL_ASYM_CIPHER_PARAM_PAD_MODE);
    if (p != NULL && !oct_pad_mode_set(p, cipher->pad_mode))
        return 0;
    p = OSSL_PARAM_locate(params, OSSL_ASYM_CIPHER_PARAM_OAEP_LABEL);
    if (p != NULL && !OSSL_PARAM_set_octet_ptr(p, cipher->label, cipher->label_len))
        return 0;
    return oct_param_give_text(params, OSSL_ASYM_CIPHER_PARAM_OAEP_DIGEST, name_of(cipher->oaep_md)) &&
           oct_param_give_text(params, OSSL_ASYM_CIPHER_PARAM_MGF1_DIGEST,
                               name_of(cipher->mgf1_md != NULL ? cipher->mgf1_md : cipher->oaep_md)) &&
           oct_param_give_uint(params, OSSL_ASYM_CIPHER_PARAM_TLS_CLIENT_VERSION, cipher->tls_version) &&
           oct_param_give_uint(params, OSSL_ASYM_CIPHER_PARAM_TLS_NEGOTIATED_VERSION, cipher->tls_other_version) &&
           oct_param_give_uint(params, OCT_PARAM_IMPLICIT_REJECTION, cipher->implicit_rejection);
}

const OSSL_PARAM *oct_rsa_cipher_gettable_params(void *vcipher, void *provctx)
{
    static const OSSL_PARAM params[] = {
        OSSL_PARAM_utf8_string(OSSL_ASYM_CIPHER_PARAM_OAEP_DIGEST, NULL, 0),
        OSSL_PARAM_utf8_string(OSSL_ASYM_CIPHER_PARAM_PAD_MODE, NULL, 0),
        OSSL_PARAM_utf8_string(OSSL_ASYM_CIPHER_PARAM_MGF1_DIGEST, NULL, 0),
        OSSL_PARAM_octet_ptr(OSSL_ASYM_CIPHER_PARAM_OAEP_LABEL, NULL, 0),
        OSSL_PARAM_uint(OSSL_ASYM_CIPHER_PARAM_TLS_CLIENT_VERSION, NULL),
        OSSL_PARAM_uint(OSSL_ASYM_CIPHER_PARAM_TLS_NEGOTIATED_VERSION, NULL),
        OSSL_PARAM_uint(OCT_PARAM_IMPLICIT_REJECTION, NULL),
        OSSL_PARAM_END,
    };
    (void)vcipher, (void)provctx;
    return params;
}
