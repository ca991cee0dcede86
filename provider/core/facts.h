/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* What a cipher says of itself before it has a key: the parameters that OpenSSL's own ciphers give. */
#ifndef OCT_PROVIDER_FACTS_H
#define OCT_PROVIDER_FACTS_H

#include <openssl/core_dispatch.h>
#include <stddef.h>

struct oct_cipher_facts {
    unsigned mode;                 /* EVP_CIPH_..._MODE */
    size_t key_len, iv_len, block; /* bytes; a block of 1: text of any length */
    int is_aead;                   /* 1: with a tag, and an IV that is handled by the cipher */
};

/* For OSSL_FUNC_cipher_get_params_fn: 1, or 0 if a parameter cannot take its value. */
int oct_cipher_give_facts(OSSL_PARAM params[], const struct oct_cipher_facts *facts);
OSSL_FUNC_cipher_gettable_params_fn oct_cipher_gettable_facts;

#endif
