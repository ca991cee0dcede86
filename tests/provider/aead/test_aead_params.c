/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* ctest: RUNS tiers */
/* What AEADs say of themselves is what OpenSSL's own say; and the switches. */
#include "aead_peer.h"

#include <openssl/objects.h>
#include <openssl/provider.h>

static void test_constants(void **state)
{
    (void)state;
    for (int i = 0; i < pair_count; i++) {
        const EVP_CIPHER *a = pairs[i].ours, *b = pairs[i].stock;
        assert_int_equal(EVP_CIPHER_get_nid(a), EVP_CIPHER_get_nid(b));
        /* OpenSSL 3.5 has no number for SM4-GCM. */
        assert_true(EVP_CIPHER_get_nid(a) != NID_undef || strcmp(pairs[i].name, "SM4-GCM") == 0);
        assert_int_equal(EVP_CIPHER_get_mode(a), EVP_CIPHER_get_mode(b));
        assert_int_equal(EVP_CIPHER_get_flags(a), EVP_CIPHER_get_flags(b));
        assert_int_equal(EVP_CIPHER_get_block_size(a), EVP_CIPHER_get_block_size(b));
        assert_int_equal(EVP_CIPHER_get_key_length(a), EVP_CIPHER_get_key_length(b));
        assert_int_equal(EVP_CIPHER_get_iv_length(a), EVP_CIPHER_get_iv_length(b));
        assert_string_equal(EVP_CIPHER_get0_name(a), EVP_CIPHER_get0_name(b));
    }
}

struct names {
    const EVP_CIPHER *other;
    int count;
};

static void check_name(const char *name, void *arg)
{
    struct names *names = arg;
    assert_true(EVP_CIPHER_is_a(names->other, name));
    names->count++;
}

/* Every name and number of one leads to the other. */
static void test_names(void **state)
{
    (void)state;
    for (int i = 0; i < pair_count; i++) {
        struct names a = {pairs[i].stock, 0}, b = {pairs[i].ours, 0};
        assert_int_equal(EVP_CIPHER_names_do_all(pairs[i].ours, check_name, &a), 1);
        assert_int_equal(EVP_CIPHER_names_do_all(pairs[i].stock, check_name, &b), 1);
        assert_int_equal(a.count, b.count);
    }
}

/* Ours knows every name of the other's list. */
static void check_list(const OSSL_PARAM *ours, const OSSL_PARAM *stock)
{
    assert_non_null(ours);
    for (; stock->key != NULL; stock++) {
        const OSSL_PARAM *p = OSSL_PARAM_locate_const(ours, stock->key);
        if (p == NULL)
            fail_msg("%s is missing", stock->key);
        assert_int_equal(p->data_type, stock->data_type);
    }
}

static void test_lists(void **state)
{
    (void)state;
    for (int i = 0; i < pair_count; i++) {
        check_list(EVP_CIPHER_gettable_params(pairs[i].ours), EVP_CIPHER_gettable_params(pairs[i].stock));
        check_list(EVP_CIPHER_gettable_ctx_params(pairs[i].ours), EVP_CIPHER_gettable_ctx_params(pairs[i].stock));
        check_list(EVP_CIPHER_settable_ctx_params(pairs[i].ours), EVP_CIPHER_settable_ctx_params(pairs[i].stock));
    }
}

static void test_lengths(void **state)
{
    const struct message m = make_message(0, 0, 1);
    uint8_t tag[TAG] = {1};

    (void)state;
    for (int i = 0; i < pair_count; i++) {
        EVP_CIPHER_CTX *ctx = begin(pairs[i].ours, &m, 0);
        assert_int_equal(EVP_CIPHER_CTX_get_key_length(ctx), pairs[i].key_len);
        assert_int_equal(EVP_CIPHER_CTX_get_iv_length(ctx), 12);
        assert_int_equal(EVP_CIPHER_CTX_get_tag_length(ctx), TAG);
        assert_int_equal(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, 12, tag), 1);
        assert_int_equal(EVP_CIPHER_CTX_get_tag_length(ctx), 12);
        if (pairs[i].gcm) {
            assert_int_equal(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_IVLEN, 60, NULL), 1);
            assert_int_equal(EVP_CIPHER_CTX_get_iv_length(ctx), 60);
        }
        EVP_CIPHER_CTX_free(ctx);
    }
}

/* Names that are not known are passed over; values of a wrong type are refused. */
static void test_types(void **state)
{
    const struct message m = make_message(0, 0, 1);
    uint8_t bytes[64] = {0};
    size_t size = 5;
    static const char *const octets[] = {OSSL_CIPHER_PARAM_AEAD_TAG, OSSL_CIPHER_PARAM_AEAD_TLS1_AAD,
                                         OSSL_CIPHER_PARAM_AEAD_TLS1_IV_FIXED};

    (void)state;
    for (int i = 0; i < pair_count; i++) {
        EVP_CIPHER_CTX *ctx = begin(pairs[i].ours, &m, 0);
        OSSL_PARAM params[2] = {OSSL_PARAM_construct_size_t("no-such-name", &size), OSSL_PARAM_construct_end()};
        assert_int_equal(EVP_CIPHER_CTX_set_params(ctx, params), 1);
        assert_int_equal(EVP_CIPHER_CTX_get_params(ctx, params), 1);
        for (size_t j = 0; j < sizeof octets / sizeof octets[0]; j++) {
            params[0] = OSSL_PARAM_construct_size_t(octets[j], &size);
            assert_int_equal(EVP_CIPHER_CTX_set_params(ctx, params), 0);
        }
        params[0] = OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_IVLEN, bytes, sizeof bytes);
        assert_int_equal(EVP_CIPHER_CTX_set_params(ctx, params), 0);
        params[0] = OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_IV, bytes, 11);
        assert_int_equal(EVP_CIPHER_CTX_get_params(ctx, params), 0);
        params[0] = OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_IV, bytes, sizeof bytes);
        assert_int_equal(EVP_CIPHER_CTX_get_params(ctx, params), 1);
        assert_int_equal(params[0].return_size, 12);
        assert_memory_equal(bytes, m.iv, 12);
        EVP_CIPHER_CTX_free(ctx);
    }
    ERR_clear_error();
}

static void check_provider(OSSL_LIB_CTX *ctx, const char *name, const char *provider)
{
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(ctx, name, NULL);
    assert_string_equal(OSSL_PROVIDER_get0_name(EVP_CIPHER_get0_provider(cipher)), provider);
    EVP_CIPHER_free(cipher);
}

static void test_switches(void **state)
{
    (void)state;
    for (int which = 0; which < 2; which++) {
        OSSL_LIB_CTX *ctx = new_octuple_ctx(which ? "chacha20-poly1305 = off" : "aes-gcm = off");
        for (int i = 0; i < pair_count; i++)
            check_provider(ctx, pairs[i].name,
                           (strncmp(pairs[i].name, "ChaCha", 6) == 0) == which && strncmp(pairs[i].name, "SM4", 3) != 0
                               ? "default"
                               : "octuple");
        OSSL_LIB_CTX_free(ctx);
    }
}

static const char *expected_provider(int aead, const char *wish)
{
    const int on = strcmp(wish, "on") == 0 ? oct_aead_is_on(aead)
                                           : strcmp(wish, "off") != 0 && oct_aead_pays(aead, OpenSSL_version_num());
    return on ? "octuple" : "default";
}

/* Beside OpenSSL 3.0 wide vectors pay; from 3.1 on it has those of 512 bits for AES-GCM itself. */
static void test_what_pays(void **state)
{
    (void)state;
    for (int aead = 0; aead <= OCT_AEAD_CHACHA20_POLY1305; aead++) {
        const int zmm = strcmp(oct_aead_tier(aead), "zmm") == 0, ymm = strcmp(oct_aead_tier(aead), "ymm") == 0;
        const int gcm = aead != OCT_AEAD_CHACHA20_POLY1305;
        assert_int_equal(oct_aead_pays(aead, 0x30000160UL), zmm || (gcm && ymm));
        assert_int_equal(oct_aead_pays(aead, 0x30100000UL), oct_aead_pays(aead, 0x40000030UL));
        if (zmm)
            assert_int_equal(oct_aead_pays(aead, 0x30500070UL), !gcm);
    }
}

/* Unasked, those that pay; any, if asked for; none, if that is the wish; the provider's section has the last word. */
static void test_environment(void **state)
{
    static const char *const names[] = {"AES-128-GCM", "AES-192-GCM", "AES-256-GCM", "ChaCha20-Poly1305"};
    static const char *const wishes[] = {"on", "off", "", "perhaps"};
    (void)state;
    for (size_t i = 0; i < sizeof wishes / sizeof *wishes; i++) {
        setenv("OCTUPLE_CIPHERS", wishes[i], 1);
        OSSL_LIB_CTX *ctx = new_octuple_ctx(NULL), *other = new_octuple_ctx("aes-gcm = on\nchacha20-poly1305 = off");
        for (int aead = 0; aead <= OCT_AEAD_CHACHA20_POLY1305; aead++) {
            check_provider(ctx, names[aead], expected_provider(aead, wishes[i]));
            check_provider(other, names[aead],
                           expected_provider(aead, aead < OCT_AEAD_CHACHA20_POLY1305 ? "on" : "off"));
        }
        OSSL_LIB_CTX_free(other);
        OSSL_LIB_CTX_free(ctx);
    }
    setenv("OCTUPLE_CIPHERS", "on", 1);
}

int main(void)
{
    return RUN_TESTS(open_pairs, close_pairs, test_constants, test_names, test_lists, test_lengths, test_types,
                     test_switches, test_environment, test_what_pays);
}
