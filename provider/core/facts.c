/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See facts.h. */
#include "facts.h"

#include "param.h"

#include <openssl/core_names.h>
#include <openssl/params.h>

/* Of OpenSSL 3.6: a cipher of TLS that is not an AEAD. */
#define PARAM_ENCRYPT_THEN_MAC "encrypt-then-mac"

int oct_cipher_give_facts(OSSL_PARAM params[], const struct oct_cipher_facts *facts)
{
    return oct_param_give_uint(params, OSSL_CIPHER_PARAM_MODE, facts->mode) &&
           oct_param_give_size(params, OSSL_CIPHER_PARAM_KEYLEN, facts->key_len) &&
           oct_param_give_size(params, OSSL_CIPHER_PARAM_IVLEN, facts->iv_len) &&
           oct_param_give_size(params, OSSL_CIPHER_PARAM_BLOCK_SIZE, facts->block) &&
           oct_param_give_int(params, OSSL_CIPHER_PARAM_AEAD, facts->is_aead) &&
           oct_param_give_int(params, OSSL_CIPHER_PARAM_CUSTOM_IV, facts->is_aead) &&
           oct_param_give_int(params, OSSL_CIPHER_PARAM_CTS, 0) &&
           oct_param_give_int(params, OSSL_CIPHER_PARAM_TLS1_MULTIBLOCK, 0) &&
           oct_param_give_int(params, OSSL_CIPHER_PARAM_HAS_RAND_KEY, 0) &&
           oct_param_give_int(params, PARAM_ENCRYPT_THEN_MAC, 0);
}

const OSSL_PARAM *oct_cipher_gettable_facts(void *provctx)
{
    static const OSSL_PARAM list[] = {
        OSSL_PARAM_uint(OSSL_CIPHER_PARAM_MODE, NULL),
        OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_KEYLEN, NULL),
        OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_IVLEN, NULL),
        OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_BLOCK_SIZE, NULL),
        OSSL_PARAM_int(OSSL_CIPHER_PARAM_AEAD, NULL),
        OSSL_PARAM_int(OSSL_CIPHER_PARAM_CUSTOM_IV, NULL),
        OSSL_PARAM_int(OSSL_CIPHER_PARAM_CTS, NULL),
        OSSL_PARAM_int(OSSL_CIPHER_PARAM_TLS1_MULTIBLOCK, NULL),
        OSSL_PARAM_int(OSSL_CIPHER_PARAM_HAS_RAND_KEY, NULL),
        OSSL_PARAM_int(PARAM_ENCRYPT_THEN_MAC, NULL),
        OSSL_PARAM_END,
    };
    (void)provctx;
    return list;
}
