/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Header protection apart from the AEAD: masks of any number of samples, on every tier, against libcrypto. */
#include "aead_ref.h"

#include "api/cipher/quic_internal.h"

#include <openssl/evp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>
#include "run_tests.h"

#define MAX_SAMPLES 19

static void check_masks(EVP_CIPHER_CTX *context, const struct oct_aead_ops *ops, int aead)
{
    uint8_t hp[32], samples[MAX_SAMPLES][17], mask[MAX_SAMPLES + 1][OCT_QUIC_MASK_BYTES], want[16];
    const uint8_t *sample[MAX_SAMPLES];
    struct oct_quic_header_key *key = NULL;
    ref_random(hp, sizeof hp);
    ref_random(samples[0], sizeof samples);
    assert_int_equal(oct_quic_header_key_new_on(ops, &key, aead, hp, oct_aead_key_len(aead)), OCT_OK);
    for (size_t count = 0; count <= MAX_SAMPLES; count++) {
        for (size_t i = 0; i < count; i++)
            sample[i] = samples[i] + ref_below(2);
        memset(mask, 0x5a, sizeof mask);
        assert_int_equal(oct_quic_header_mask(key, mask, sample, count), OCT_OK);
        for (size_t i = 0; i < count; i++) {
            ref_mask(context, aead, hp, sample[i], want);
            assert_memory_equal(mask[i], want, OCT_QUIC_MASK_BYTES);
        }
        for (size_t i = 0; i < OCT_QUIC_MASK_BYTES; i++)
            assert_int_equal(mask[count][i], 0x5a);
    }
    oct_quic_header_key_free(key);
}

static void test_masks(void **state)
{
    static const int aeads[] = {OCT_AEAD_AES_128_GCM, OCT_AEAD_AES_256_GCM, OCT_AEAD_CHACHA20_POLY1305};
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    unsigned runs = 0;
    (void)state;
    assert_non_null(context);
    for (size_t a = 0; a < sizeof aeads / sizeof aeads[0]; a++) {
        const struct oct_aead_ops *ops[OCT_AEAD_TIERS];
        const unsigned tiers = oct_aead_runnable(aeads[a], ops);
        for (unsigned t = 0; t < tiers; t++, runs++)
            check_masks(context, ops[t], aeads[a]);
    }
    assert_true(runs >= 3);
    EVP_CIPHER_CTX_free(context);
}

static void test_bad_arguments(void **state)
{
    const struct oct_aead_ops *ops[OCT_AEAD_TIERS];
    struct oct_quic_header_key *key = NULL;
    static const uint8_t bytes[32] = {1};
    const uint8_t *sample[2] = {bytes, NULL};
    uint8_t mask[2][OCT_QUIC_MASK_BYTES] = {{0}}, untouched[sizeof mask] = {0};
    (void)state;
    oct_aead_runnable(OCT_AEAD_AES_128_GCM, ops);
    assert_int_equal(oct_quic_header_key_new_on(ops[0], NULL, OCT_AEAD_AES_128_GCM, bytes, 16), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_quic_header_key_new_on(ops[0], &key, OCT_AEAD_AES_128_GCM, NULL, 16), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_quic_header_key_new_on(ops[0], &key, OCT_AEAD_AES_192_GCM, bytes, 24), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_quic_header_key_new_on(ops[0], &key, OCT_AEAD_COUNT, bytes, 16), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_quic_header_key_new_on(ops[0], &key, OCT_AEAD_AES_128_GCM, bytes, 32), OCT_ERR_LENGTH);
    assert_int_equal(oct_quic_header_key_new_on(NULL, &key, OCT_AEAD_AES_128_GCM, bytes, 16), OCT_ERR_UNSUPPORTED);
    assert_null(key);
    assert_int_equal(oct_quic_header_key_new_on(ops[0], &key, OCT_AEAD_AES_128_GCM, bytes, 16), OCT_OK);
    assert_int_equal(oct_quic_header_mask(key, mask, sample, 2), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_quic_header_mask(key, NULL, sample, 1), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_quic_header_mask(key, mask, NULL, 1), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_quic_header_mask(NULL, mask, sample, 1), OCT_ERR_ARGUMENT);
    assert_memory_equal(mask, untouched, sizeof mask);
    oct_quic_header_key_free(key);
    oct_quic_header_key_free(NULL);
}

int main(void)
{
    return RUN_TESTS(NULL, NULL, test_masks, test_bad_arguments);
}
