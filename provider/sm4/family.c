/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* What SM4's modes offer, and what their contexts share. */
#include "provider/core/family.h"
#include "provider/core/param.h"
#include "provider/core/provider.h"
#include "sm4.h"

#include <openssl/core_names.h>
#include <openssl/params.h>
#include <stdlib.h>
#include <string.h>

/* Of OpenSSL 3.6: a cipher of TLS that is not an AEAD. */
#define PARAM_ENCRYPT_THEN_MAC "encrypt-then-mac"

void *oct_sm4_context_new(void *provctx, size_t size)
{
    const size_t align = _Alignof(struct oct_sm4_key);
    void *memory = aligned_alloc(align, (size + align - 1) / align * align);

    if (memory == NULL)
        OCT_RAISE(provctx, OCT_REASON_MEMORY);
    else
        memset(memory, 0, size);
    return memory;
}

int oct_sm4_give_params(OSSL_PARAM params[], unsigned mode, size_t iv_len, size_t block, int aead)
{
    return oct_param_give_uint(params, OSSL_CIPHER_PARAM_MODE, mode) &&
           oct_param_give_size(params, OSSL_CIPHER_PARAM_KEYLEN, OCT_SM4_KEY_BYTES) &&
           oct_param_give_size(params, OSSL_CIPHER_PARAM_IVLEN, iv_len) &&
           oct_param_give_size(params, OSSL_CIPHER_PARAM_BLOCK_SIZE, block) &&
           oct_param_give_int(params, OSSL_CIPHER_PARAM_AEAD, aead) &&
           oct_param_give_int(params, OSSL_CIPHER_PARAM_CUSTOM_IV, aead) &&
           oct_param_give_int(params, OSSL_CIPHER_PARAM_CTS, 0) &&
           oct_param_give_int(params, OSSL_CIPHER_PARAM_TLS1_MULTIBLOCK, 0) &&
           oct_param_give_int(params, OSSL_CIPHER_PARAM_HAS_RAND_KEY, 0) &&
           oct_param_give_int(params, PARAM_ENCRYPT_THEN_MAC, 0);
}

const OSSL_PARAM *oct_sm4_gettable_params(void *provctx)
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

/* The family's own numbers: there is one. A cipher that was not asked for has to be worth it. */
static bool serves(int number, bool asked)
{
    (void)number;
    return oct_sm4_is_on() && (asked || oct_sm4_pays());
}

enum { CTR = 1, CBC = 2, CCM = 4 };

static const struct oct_switch switches[] = {
    {"sm4-ctr", "the cipher SM4-CTR"},
    {"sm4-cbc", "the cipher SM4-CBC"},
    {"sm4-ccm", "the cipher SM4-CCM"},
    {NULL, NULL},
};

#define OFFER(names, table, switches)                                                                                  \
    {                                                                                                                  \
        OSSL_OP_CIPHER, {(names), OCT_PROPERTIES, (table), NULL}, (switches), 0, 0                                     \
    }

static const struct oct_offer *offers(void)
{
    static const struct oct_offer all[] = {
        OFFER("SM4-CTR:1.2.156.10197.1.104.7", oct_sm4_ctr_table, CTR),
        OFFER("SM4-CBC:SM4:1.2.156.10197.1.104.2", oct_sm4_cbc_table, CBC),
        OFFER("SM4-CCM:1.2.156.10197.1.104.9", oct_sm4_ccm_table, CCM),
        {0, {NULL, NULL, NULL, NULL}, 0, 0, 0},
    };
    return all;
}

const struct oct_prov_family oct_prov_family_sm4 = {
    .switches = switches,
    .variable = "OCTUPLE_CIPHERS",
    .offers = offers,
    .serves = serves,
};
