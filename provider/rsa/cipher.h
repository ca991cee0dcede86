/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The RSA encryption context, shared by cipher.c (the operations) and cipher_params.c (settings). */
#ifndef OCT_PROVIDER_RSA_CIPHER_H
#define OCT_PROVIDER_RSA_CIPHER_H

#include "rsa.h"

#include <openssl/core_dispatch.h>

/* As text, because headers before 3.2 have no name for it. */
#define OCT_PARAM_IMPLICIT_REJECTION "implicit-rejection"

struct oct_rsa_cipher {
    struct oct_prov *prov;
    struct oct_prov_rsa *key;
    int pad_mode;
    EVP_MD *oaep_md, *mgf1_md; /* NULL: SHA-1, and the same as oaep_md */
    uint8_t *label;
    size_t label_len;
    unsigned tls_version, tls_other_version; /* 0: not set */
    unsigned implicit_rejection;
};

OSSL_FUNC_asym_cipher_get_ctx_params_fn oct_rsa_cipher_get_params;
OSSL_FUNC_asym_cipher_gettable_ctx_params_fn oct_rsa_cipher_gettable_params;
OSSL_FUNC_asym_cipher_set_ctx_params_fn oct_rsa_cipher_set_params;
OSSL_FUNC_asym_cipher_settable_ctx_params_fn oct_rsa_cipher_settable_params;

/* The OAEP digest, SHA-1 if none was chosen; NULL with an error. */
const EVP_MD *oct_rsa_cipher_oaep_md(struct oct_rsa_cipher *cipher);

#endif
