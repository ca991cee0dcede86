/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * A signature context of OpenSSL's own implementation with our key and settings: for X9.31, for digests that we have
 * no table entry for, and for the DER algorithm identifier, which is then OpenSSL's by construction.
 */
#include "rsa_sig.h"

#include "provider.h"

#include <openssl/core_names.h>
#include <openssl/params.h>
#include <openssl/rsa.h>

int oct_rsa_sig_is_plain(const struct oct_rsa_sig *sig)
{
    return sig->pad_mode == RSA_X931_PADDING || (sig->digest.md != NULL && sig->digest.info == NULL);
}

static int start(EVP_PKEY_CTX *ctx, int operation)
{
    if (operation == EVP_PKEY_OP_VERIFY || operation == EVP_PKEY_OP_VERIFYCTX)
        return EVP_PKEY_verify_init(ctx);
    if (operation == EVP_PKEY_OP_VERIFYRECOVER)
        return EVP_PKEY_verify_recover_init(ctx);
    return EVP_PKEY_sign_init(ctx);
}

static int copy_settings(EVP_PKEY_CTX *ctx, const struct oct_rsa_sig *sig)
{
    int pad_mode = sig->pad_mode, salt_len = sig->salt_len;
    OSSL_PARAM params[5], *p = params;

    *p++ = OSSL_PARAM_construct_int(OSSL_SIGNATURE_PARAM_PAD_MODE, &pad_mode);
    if (sig->digest.md != NULL)
        *p++ =
            OSSL_PARAM_construct_utf8_string(OSSL_SIGNATURE_PARAM_DIGEST, (char *)EVP_MD_get0_name(sig->digest.md), 0);
    if (sig->pad_mode == RSA_PKCS1_PSS_PADDING) {
        *p++ = OSSL_PARAM_construct_int(OSSL_SIGNATURE_PARAM_PSS_SALTLEN, &salt_len);
        if (sig->mgf1_is_set)
            *p++ = OSSL_PARAM_construct_utf8_string(OSSL_SIGNATURE_PARAM_MGF1_DIGEST,
                                                    (char *)EVP_MD_get0_name(sig->mgf1.md), 0);
    }
    *p = OSSL_PARAM_construct_end();
    return EVP_PKEY_CTX_set_params(ctx, params);
}

EVP_PKEY_CTX *oct_rsa_sig_plain_ctx(const struct oct_rsa_sig *sig, int operation)
{
    OSSL_LIB_CTX *libctx = oct_plain_ctx(sig->prov);
    EVP_PKEY_CTX *ctx = libctx == NULL ? NULL : EVP_PKEY_CTX_new_from_pkey(libctx, sig->key->plain, NULL);

    if (ctx != NULL && start(ctx, operation) > 0 && copy_settings(ctx, sig) > 0)
        return ctx;
    EVP_PKEY_CTX_free(ctx);
    return NULL;
}
