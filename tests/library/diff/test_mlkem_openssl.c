/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * ML-KEM against OpenSSL's own, which it has from 3.5 on: key pairs from the same seeds, ciphertexts and secrets from
 * the same messages, secrets of good ciphertexts and of changed ones, byte for byte, in every lane and with 1 to 8 of
 * them.
 */
#include "depth.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <octuple/octuple.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/rand.h>

#define EK 1568
#define DK 3168
#define CT 1568

struct one {
    uint8_t seed[OCT_MLKEM_KEYGEN_BYTES], message[OCT_MLKEM_MESSAGE_BYTES];
    uint8_t ek[EK], dk[DK], ct[CT], secret[32], back[32];
};
static struct one one[OCT_LANES];

static const char *name_of(int set)
{
    return set == OCT_MLKEM_768 ? "ML-KEM-768" : "ML-KEM-1024";
}

static EVP_PKEY *openssl_key(int set, const struct one *o)
{
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(NULL, name_of(set), NULL);
    OSSL_PARAM params[] = {OSSL_PARAM_construct_octet_string("seed", (void *)o->seed, sizeof o->seed),
                           OSSL_PARAM_construct_end()};
    EVP_PKEY *key = NULL;
    assert_true(ctx && EVP_PKEY_keygen_init(ctx) > 0 && EVP_PKEY_CTX_set_params(ctx, params) > 0);
    assert_true(EVP_PKEY_generate(ctx, &key) > 0);
    EVP_PKEY_CTX_free(ctx);
    return key;
}

static void check_key(int set, const struct one *o, EVP_PKEY *key)
{
    uint8_t bytes[DK];
    size_t len = 0;
    assert_true(EVP_PKEY_get_octet_string_param(key, "pub", bytes, sizeof bytes, &len));
    assert_int_equal(len, oct_mlkem_ek_bytes(set));
    assert_memory_equal(bytes, o->ek, len);
    assert_true(EVP_PKEY_get_octet_string_param(key, "priv", bytes, sizeof bytes, &len));
    assert_int_equal(len, oct_mlkem_dk_bytes(set));
    assert_memory_equal(bytes, o->dk, len);
}

static void check_encaps(int set, const struct one *o, EVP_PKEY *key)
{
    OSSL_PARAM params[] = {OSSL_PARAM_construct_octet_string("ikme", (void *)o->message, sizeof o->message),
                           OSSL_PARAM_construct_end()};
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(NULL, key, NULL);
    uint8_t ct[CT], secret[32];
    size_t ct_len = sizeof ct, secret_len = sizeof secret;
    assert_true(ctx && EVP_PKEY_encapsulate_init(ctx, params) > 0);
    assert_true(EVP_PKEY_encapsulate(ctx, ct, &ct_len, secret, &secret_len) > 0);
    assert_int_equal(ct_len, oct_mlkem_ct_bytes(set));
    assert_memory_equal(ct, o->ct, ct_len);
    assert_memory_equal(secret, o->secret, sizeof secret);
    EVP_PKEY_CTX_free(ctx);
}

static void check_decaps(int set, const struct one *o, EVP_PKEY *key)
{
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(NULL, key, NULL);
    uint8_t secret[32];
    size_t len = sizeof secret;
    assert_true(ctx && EVP_PKEY_decapsulate_init(ctx, NULL) > 0);
    assert_true(EVP_PKEY_decapsulate(ctx, secret, &len, o->ct, oct_mlkem_ct_bytes(set)) > 0);
    assert_memory_equal(secret, o->back, sizeof secret);
    EVP_PKEY_CTX_free(ctx);
}

static void run_lanes(int set, unsigned lanes)
{
    struct oct_mlkem_keygen_lane keygen[OCT_LANES];
    struct oct_mlkem_encaps_lane encaps[OCT_LANES];
    struct oct_mlkem_decaps_lane decaps[OCT_LANES];
    struct oct_lanes result;
    for (unsigned i = 0; i < lanes; i++) {
        keygen[i] = (struct oct_mlkem_keygen_lane){one[i].seed, one[i].ek, one[i].dk};
        encaps[i] = (struct oct_mlkem_encaps_lane){one[i].ek, one[i].message, one[i].ct, one[i].secret};
        decaps[i] = (struct oct_mlkem_decaps_lane){one[i].dk, one[i].ct, one[i].back};
    }
    assert_int_equal(oct_mlkem_keygen_x8(set, keygen, lanes, &result), OCT_OK);
    assert_int_equal(oct_mlkem_encaps_x8(set, encaps, lanes, &result), OCT_OK);
    for (unsigned i = 0; i < lanes; i++) { /* and one of three gets a changed ciphertext, once it was compared */
        EVP_PKEY *key = openssl_key(set, &one[i]);
        check_key(set, &one[i], key);
        check_encaps(set, &one[i], key);
        EVP_PKEY_free(key);
        if (one[i].seed[0] % 3 == 0)
            one[i].ct[(one[i].seed[1] | (unsigned)one[i].seed[2] << 8) % oct_mlkem_ct_bytes(set)] ^=
                (uint8_t)(one[i].seed[3] | 1);
    }
    assert_int_equal(oct_mlkem_decaps_x8(set, decaps, lanes, &result), OCT_OK);
    for (unsigned i = 0; i < lanes; i++) {
        EVP_PKEY *key = openssl_key(set, &one[i]);
        check_decaps(set, &one[i], key);
        EVP_PKEY_free(key);
    }
}

static void test_set(void **state)
{
    const unsigned cases = amount(100000, 2000, 200);
    const int set = *(const int *)*state;
    unsigned lanes = 0;
    for (unsigned done = 0; done < cases; done += lanes) {
        lanes = lanes % OCT_LANES + 1;
        for (unsigned i = 0; i < lanes; i++)
            assert_int_equal(RAND_bytes(one[i].seed, sizeof one[i].seed + sizeof one[i].message), 1);
        run_lanes(set, lanes);
    }
    print_message("%s: %u cases\n", name_of(set), cases);
}

int main(void)
{
    static const int sets[OCT_MLKEM_SETS] = {OCT_MLKEM_768, OCT_MLKEM_1024};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(test_set, (void *)&sets[0]),
        cmocka_unit_test_prestate(test_set, (void *)&sets[1]),
    };
    if (OpenSSL_version_num() < 0x30500000 || !oct_op_is_on(OCT_OP_MLKEM768_ENCAPS)) {
        printf("[  SKIPPED ] test_mlkem_openssl: %s\n", OpenSSL_version_num() < 0x30500000
                                                            ? "this OpenSSL has no ML-KEM"
                                                            : oct_op_reason(OCT_OP_MLKEM768_ENCAPS));
        return 77;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
