/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
#include "aead_ref.h"
#include "sm4_ref.h"

#include <openssl/evp.h>
#include <openssl/rand.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

void ref_random(uint8_t *out, size_t len)
{
    assert_int_equal(RAND_bytes(out, (int)len), 1);
}

size_t ref_below(size_t below)
{
    uint32_t word;
    ref_random((uint8_t *)&word, sizeof word);
    return word % below;
}

static int is_sm4(int aead)
{
    return aead == OCT_AEAD_SM4_GCM || aead == OCT_AEAD_SM4_CCM;
}

void ref_open(struct ref *r, const struct oct_aead_ops *ops, int aead)
{
    const size_t len = oct_aead_key_len(aead);
    memset(r, 0, sizeof *r);
    r->aead = aead;
    r->cipher = EVP_CIPHER_fetch(NULL, oct_aead_name(aead), NULL);
    r->context = EVP_CIPHER_CTX_new();
    assert_non_null(r->context);
    ref_random(r->bytes, sizeof r->bytes);
    if (!is_sm4(aead) || r->cipher) {
        assert_non_null(r->cipher);
        assert_true(EVP_EncryptInit_ex2(r->context, r->cipher, r->bytes, NULL, NULL));
    }
    assert_true(oct_aead_key_size() <= sizeof r->memory);
    assert_int_equal(oct_aead_key_init_on(ops, r->memory, aead, r->bytes, len), OCT_OK);
    r->key = (struct oct_aead_key *)r->memory;
}

void ref_close(struct ref *r)
{
    oct_aead_key_clear(r->key);
    for (size_t i = 0; i < sizeof(struct oct_aead_key); i++)
        assert_int_equal(r->memory[i], 0);
    EVP_CIPHER_CTX_free(r->context);
    EVP_CIPHER_free(r->cipher);
}

void ref_seal(struct ref *r, const uint8_t *iv, size_t iv_len, const uint8_t *aad, size_t aad_len, const uint8_t *in,
              size_t len, uint8_t *out, uint8_t tag[16])
{
    int n;
    /* What libcrypto has of these before 3.2 is blocks. */
    if (r->aead == OCT_AEAD_SM4_CCM || (r->aead == OCT_AEAD_SM4_GCM && !r->cipher)) {
        const struct ref_sm4 all = {r->bytes, iv, iv_len, aad, aad_len, in, len, out, tag, 16};
        (r->aead == OCT_AEAD_SM4_CCM ? ref_sm4_ccm : ref_sm4_gcm)(&all);
        return;
    }
    assert_true(EVP_CIPHER_CTX_ctrl(r->context, EVP_CTRL_AEAD_SET_IVLEN, (int)iv_len, NULL) > 0);
    assert_true(EVP_EncryptInit_ex2(r->context, NULL, r->bytes, iv, NULL));
    if (aad_len)
        assert_true(EVP_EncryptUpdate(r->context, NULL, &n, aad, (int)aad_len));
    if (len)
        assert_true(EVP_EncryptUpdate(r->context, out, &n, in, (int)len));
    assert_true(EVP_EncryptFinal_ex(r->context, out + len, &n));
    assert_true(EVP_CIPHER_CTX_ctrl(r->context, EVP_CTRL_AEAD_GET_TAG, 16, tag) > 0);
}

void ref_mask(void *context, int aead, const uint8_t *hp, const uint8_t *sample, uint8_t mask[16])
{
    static const uint8_t zero[16];
    int n;
    const int chacha = aead == OCT_AEAD_CHACHA20_POLY1305;
    const EVP_CIPHER *cipher = chacha                         ? EVP_chacha20()
                               : aead == OCT_AEAD_AES_128_GCM ? EVP_aes_128_ecb()
                                                              : EVP_aes_256_ecb();
    assert_true(EVP_EncryptInit_ex(context, cipher, NULL, hp, chacha ? sample : NULL));
    assert_true(EVP_EncryptUpdate(context, mask, &n, chacha ? zero : sample, 16));
}
