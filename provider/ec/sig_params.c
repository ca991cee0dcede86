/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Settings of ECDSA contexts, with the rules of OpenSSL's default provider. */
#include "sig.h"

#include "provider/core/param.h"
#include "provider/core/provider.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/params.h>
#include <stdbool.h>

#define PARAM_NONCE_TYPE "nonce-type"

int oct_ec_sig_set_params(void *vsig, const OSSL_PARAM params[])
{
    struct oct_param_choice digest;
    struct oct_ec_sig *sig = vsig;

    if (sig == NULL)
        return 0;
    if (params == NULL)
        return 1;
    if (!oct_param_get_uint(params, PARAM_NONCE_TYPE, &sig->nonce_type) ||
        !oct_param_choice_get(&digest, params, OSSL_SIGNATURE_PARAM_DIGEST, OSSL_SIGNATURE_PARAM_PROPERTIES))
        return 0;
    return digest.name == NULL || oct_sig_set_digest(&sig->base, digest.name, digest.props);
}

/* OpenSSL before 3.2 has no other nonces than random ones, and is not asked for others. */
static bool has_nonce_types(void)
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
    (void)provctx;
    return oct_sig_settable_params(vsig, has_nonce_types() ? all : before);
}

int oct_ec_sig_copy_settings(EVP_PKEY_CTX *ctx, const struct oct_sig *sig)
{
    unsigned nonce_type = ((const struct oct_ec_sig *)sig)->nonce_type;
    OSSL_PARAM params[3], *p = params;

    /* One that only the application has means nothing there, and nothing of it is wanted but for such nonces. */
    if (sig->digest.md != NULL && (nonce_type != 0 || oct_digest_is_default(sig->digest.info)))
        *p++ =
            OSSL_PARAM_construct_utf8_string(OSSL_SIGNATURE_PARAM_DIGEST, (char *)EVP_MD_get0_name(sig->digest.md), 0);
    if (nonce_type != 0)
        *p++ = OSSL_PARAM_construct_uint(PARAM_NONCE_TYPE, &nonce_type);
    *p = OSSL_PARAM_construct_end();
    return p == params || EVP_PKEY_CTX_set_params(ctx, params) > 0;
}

int oct_ec_sig_get_params(void *vsig, OSSL_PARAM params[])
{
    const struct oct_ec_sig *sig = vsig;
    const EVP_MD *md = sig == NULL ? NULL : sig->base.digest.md;

    if (sig == NULL || sig->base.key == NULL)
        return 0;
    return oct_sig_give_algorithm_id(&sig->base, params) &&
           oct_param_give_text(params, OSSL_SIGNATURE_PARAM_DIGEST, md == NULL ? "" : EVP_MD_get0_name(md)) &&
           oct_param_give_uint(params, PARAM_NONCE_TYPE, sig->nonce_type) &&
           oct_param_give_size(params, OCT_SIG_PARAM_DIGEST_SIZE, oct_sig_digest_size(&sig->base));
}

const OSSL_PARAM *oct_ec_sig_gettable_params(void *vsig, void *provctx)
{
    static const OSSL_PARAM params[] = {
        OSSL_PARAM_octet_string(OSSL_SIGNATURE_PARAM_ALGORITHM_ID, NULL, 0),
        OSSL_PARAM_utf8_string(OSSL_SIGNATURE_PARAM_DIGEST, NULL, 0),
        OSSL_PARAM_size_t(OCT_SIG_PARAM_DIGEST_SIZE, NULL),
        OSSL_PARAM_uint(PARAM_NONCE_TYPE, NULL),
        OSSL_PARAM_END,
    };
    (void)vsig, (void)provctx;
    return params;
}
