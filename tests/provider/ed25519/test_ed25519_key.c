/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Ed25519 keys: generation, import, parameters, comparison, duplicates, files, all beside OpenSSL's own. */
#include "ed25519_keys.h"

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>
#include <openssl/provider.h>
#include <openssl/x509.h>
#include <string.h>

static void same_list(const OSSL_PARAM *ours, const OSSL_PARAM *theirs)
{
    for (; theirs != NULL && theirs->key != NULL; theirs++) {
        const OSSL_PARAM *p = OSSL_PARAM_locate_const(ours, theirs->key);
        assert_non_null(p);
        assert_int_equal(p->data_type, theirs->data_type);
    }
}

static void test_parameters(void **state)
{
    EVP_PKEY *ours = ed25519_generate(octuple_ctx), *theirs = ed25519_copy(plain_ctx, ours);
    const struct pair a = ed25519_pair(ours), b = ed25519_pair(theirs);
    char digest[32] = "?", name[32] = "?";

    (void)state;
    assert_memory_equal(&a, &b, sizeof a);
    assert_int_equal(EVP_PKEY_get_bits(ours), EVP_PKEY_get_bits(theirs));
    assert_int_equal(EVP_PKEY_get_bits(ours), 256);
    assert_int_equal(EVP_PKEY_get_security_bits(ours), EVP_PKEY_get_security_bits(theirs));
    assert_int_equal(EVP_PKEY_get_security_bits(ours), 128);
    assert_int_equal(EVP_PKEY_get_size(ours), EVP_PKEY_get_size(theirs));
    assert_int_equal(EVP_PKEY_get_size(ours), SIGNATURE);
    assert_int_equal(EVP_PKEY_get_base_id(ours), EVP_PKEY_ED25519);
    assert_true(EVP_PKEY_is_a(ours, "ED25519") && EVP_PKEY_is_a(ours, "1.3.101.112"));
    assert_true(EVP_PKEY_can_sign(ours));
    assert_int_equal(EVP_PKEY_get_default_digest_name(ours, name, sizeof name),
                     EVP_PKEY_get_default_digest_name(theirs, digest, sizeof digest));
    assert_string_equal(name, digest);
    assert_int_equal(EVP_PKEY_get_utf8_string_param(ours, OSSL_PKEY_PARAM_MANDATORY_DIGEST, digest, 32, NULL), 1);
    assert_string_equal(digest, "");
    same_list(EVP_PKEY_gettable_params(ours), EVP_PKEY_gettable_params(theirs));
    same_list(EVP_PKEY_settable_params(ours), EVP_PKEY_settable_params(theirs));
    EVP_PKEY_free(ours);
    EVP_PKEY_free(theirs);
}

/* As OpenSSL's own: it is not possible, and it is not an error. */
static void test_set_public(void **state)
{
    EVP_PKEY *ours = ed25519_generate(octuple_ctx), *theirs = ed25519_copy(plain_ctx, ours);
    const struct pair before = ed25519_pair(ours);
    struct pair after;
    uint8_t point[ED25519] = {7}, *encoded[2] = {NULL, NULL};

    (void)state;
    assert_int_equal(EVP_PKEY_set1_encoded_public_key(ours, point, sizeof point),
                     EVP_PKEY_set1_encoded_public_key(theirs, point, sizeof point));
    after = ed25519_pair(ours);
    assert_memory_equal(&before, &after, sizeof before);
    assert_int_equal(EVP_PKEY_get1_encoded_public_key(ours, &encoded[0]),
                     EVP_PKEY_get1_encoded_public_key(theirs, &encoded[1]));
    for (int i = 0; i < 2; i++)
        OPENSSL_free(encoded[i]);
    ERR_clear_error();
    EVP_PKEY_free(ours);
    EVP_PKEY_free(theirs);
}

static int takes_bytes(const char *name, const uint8_t *bytes, size_t len)
{
    const OSSL_PARAM params[] = {
        OSSL_PARAM_construct_octet_string(name, (void *)bytes, len),
        OSSL_PARAM_construct_end(),
    };
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(octuple_ctx, "ED25519", NULL);
    EVP_PKEY *key = NULL;
    const int ok =
        EVP_PKEY_fromdata_init(ctx) > 0 && EVP_PKEY_fromdata(ctx, &key, EVP_PKEY_KEYPAIR, (OSSL_PARAM *)params) > 0;

    assert_int_equal(key != NULL, ok);
    EVP_PKEY_free(key);
    EVP_PKEY_CTX_free(ctx);
    ERR_clear_error();
    return ok;
}

static void test_import(void **state)
{
    EVP_PKEY *source = ed25519_generate(plain_ctx), *key;
    const struct pair pair = ed25519_pair(source);
    uint8_t longer[ED25519 + 1] = {1};

    (void)state;
    key = ed25519_import(octuple_ctx, pair.seed, NULL); /* the public key is computed */
    assert_true(is_ours(key));
    assert_memory_equal(ed25519_pair(key).point, pair.point, ED25519);
    assert_int_equal(EVP_PKEY_eq(key, source), 1);
    EVP_PKEY_free(key);
    key = ed25519_import(octuple_ctx, NULL, pair.point);
    assert_int_equal(EVP_PKEY_eq(key, source), 1);
    assert_int_equal(EVP_PKEY_get_raw_private_key(key, NULL, &(size_t){0}), 0);
    EVP_PKEY_free(key);
    assert_null(ed25519_import(octuple_ctx, NULL, NULL));
    assert_true(takes_bytes(OSSL_PKEY_PARAM_PUB_KEY, pair.point, ED25519));
    assert_true(takes_bytes(OSSL_PKEY_PARAM_PRIV_KEY, pair.seed, ED25519));
    for (size_t len = 0; len <= ED25519 + 1; len += len == ED25519 - 1 ? 2 : 1) {
        assert_false(takes_bytes(OSSL_PKEY_PARAM_PUB_KEY, longer, len));
        assert_false(takes_bytes(OSSL_PKEY_PARAM_PRIV_KEY, longer, len));
    }
    EVP_PKEY_free(source);
}

/* EVP_PKEY_new_raw_*_key and EVP_PKEY_get_raw_*_key, which most users of these keys know and nothing else. */
static void test_raw(void **state)
{
    EVP_PKEY *source = ed25519_generate(octuple_ctx);
    const struct pair pair = ed25519_pair(source);
    EVP_PKEY *key = EVP_PKEY_new_raw_private_key_ex(octuple_ctx, "ED25519", NULL, pair.seed, ED25519);
    EVP_PKEY *public_key = EVP_PKEY_new_raw_public_key_ex(octuple_ctx, "ED25519", NULL, pair.point, ED25519);
    uint8_t out[ED25519];
    size_t len = sizeof out;

    (void)state;
    assert_true(is_ours(key) && is_ours(public_key));
    assert_int_equal(EVP_PKEY_get_raw_public_key(key, out, &len), 1);
    assert_memory_equal(out, pair.point, ED25519);
    assert_int_equal(EVP_PKEY_get_raw_private_key(key, out, &len), 1);
    assert_memory_equal(out, pair.seed, ED25519);
    assert_int_equal(EVP_PKEY_get_raw_public_key(public_key, out, &len), 1);
    assert_memory_equal(out, pair.point, ED25519);
    assert_int_equal(EVP_PKEY_get_raw_private_key(public_key, out, &len), 0);
    assert_null(EVP_PKEY_new_raw_public_key_ex(octuple_ctx, "ED25519", NULL, pair.point, ED25519 - 1));
    assert_null(EVP_PKEY_new_raw_private_key_ex(octuple_ctx, "ED25519", NULL, pair.seed, ED25519 - 1));
    ERR_clear_error();
    EVP_PKEY_free(source);
    EVP_PKEY_free(key);
    EVP_PKEY_free(public_key);
}

static void test_match(void **state)
{
    EVP_PKEY *a = ed25519_generate(octuple_ctx), *b = ed25519_generate(octuple_ctx);
    EVP_PKEY *theirs = ed25519_copy(plain_ctx, a), *copy = EVP_PKEY_dup(a);
    EVP_PKEY *public_key = ed25519_import(octuple_ctx, NULL, ed25519_pair(a).point);

    (void)state;
    assert_int_equal(EVP_PKEY_eq(a, b), 0);
    assert_int_equal(EVP_PKEY_eq(a, copy), 1);
    assert_int_equal(EVP_PKEY_eq(a, public_key), 1);
    assert_int_equal(EVP_PKEY_eq(a, theirs), 1);
    assert_int_equal(EVP_PKEY_eq(theirs, a), 1);
    assert_int_equal(EVP_PKEY_eq(b, theirs), 0);
    assert_int_equal(EVP_PKEY_parameters_eq(a, b), 1);
    EVP_PKEY_free(a);
    EVP_PKEY_free(b);
    EVP_PKEY_free(copy);
    EVP_PKEY_free(theirs);
    EVP_PKEY_free(public_key);
}

/* An empty key, as libssl makes one when it has a certificate; and generation that is asked for no pair. */
static void test_empty(void **state)
{
    EVP_PKEY *key = ed25519_generate(octuple_ctx), *empty = EVP_PKEY_new(), *place = NULL;
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(octuple_ctx, "ED25519", NULL);
    uint8_t signature[SIGNATURE];

    (void)state;
    assert_int_equal(EVP_PKEY_copy_parameters(empty, key), 1);
    assert_int_equal(EVP_PKEY_get_raw_public_key(empty, NULL, &(size_t){0}), 0);
    assert_int_equal(EVP_PKEY_eq(empty, key) == 1, 0);
    assert_true(EVP_PKEY_paramgen_init(ctx) > 0 && EVP_PKEY_paramgen(ctx, &place) > 0);
    assert_true(is_ours(place));
    assert_int_equal(EVP_PKEY_get_bits(place), 256);
    assert_int_equal(EVP_PKEY_get_size(place), SIGNATURE);
    assert_false(ed25519_sign(octuple_ctx, place, (const uint8_t *)"abc", 3, signature));
    assert_true(has_raised("no key set"));
    EVP_PKEY_CTX_free(ctx);
    EVP_PKEY_free(key);
    EVP_PKEY_free(empty);
    EVP_PKEY_free(place);
}

static int checks(OSSL_LIB_CTX *libctx, EVP_PKEY *key, int (*check)(EVP_PKEY_CTX *))
{
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(libctx, key, NULL);
    const int ok = check(ctx);

    EVP_PKEY_CTX_free(ctx);
    ERR_clear_error();
    return ok > 0;
}

/* All checks of a key made of these bytes, here and there. */
static void check_both(const uint8_t *seed, const uint8_t *point)
{
    static int (*const check[])(EVP_PKEY_CTX *) = {EVP_PKEY_check, EVP_PKEY_public_check, EVP_PKEY_public_check_quick,
                                                   EVP_PKEY_private_check, EVP_PKEY_pairwise_check};
    EVP_PKEY *ours = ed25519_import(octuple_ctx, seed, point), *theirs = ed25519_import(plain_ctx, seed, point);

    for (size_t i = 0; i < sizeof check / sizeof check[0]; i++)
        assert_int_equal(checks(octuple_ctx, ours, check[i]), checks(plain_ctx, theirs, check[i]));
    EVP_PKEY_free(ours);
    EVP_PKEY_free(theirs);
}

static void test_validate(void **state)
{
    EVP_PKEY *good = ed25519_generate(octuple_ctx), *other = ed25519_generate(octuple_ctx);
    const struct pair a = ed25519_pair(good), b = ed25519_pair(other);
    EVP_PKEY *mixed = ed25519_import(octuple_ctx, a.seed, b.point);
    const uint8_t no_point[ED25519] = {2};

    (void)state;
    assert_true(checks(octuple_ctx, good, EVP_PKEY_pairwise_check));
    assert_false(checks(octuple_ctx, mixed, EVP_PKEY_pairwise_check));
    check_both(a.seed, a.point);
    check_both(a.seed, NULL);
    check_both(NULL, a.point);
    check_both(a.seed, b.point);
    check_both(NULL, no_point);
    EVP_PKEY_free(good);
    EVP_PKEY_free(other);
    EVP_PKEY_free(mixed);
}

/* The encoders and decoders are OpenSSL's; the bytes are the same. */
static void check_file(const int len[2], unsigned char *a, unsigned char *b, const EVP_PKEY *key, int is_private)
{
    const unsigned char *in = a;
    EVP_PKEY *back;

    assert_true(len[0] > 0);
    assert_int_equal(len[0], len[1]);
    assert_memory_equal(a, b, (size_t)len[0]);
    back = is_private ? d2i_AutoPrivateKey_ex(NULL, &in, len[0], octuple_ctx, NULL)
                      : d2i_PUBKEY_ex(NULL, &in, len[0], octuple_ctx, NULL);
    assert_int_equal(EVP_PKEY_eq(back, key), 1);
    EVP_PKEY_free(back);
    OPENSSL_free(a);
    OPENSSL_free(b);
}

static void test_files(void **state)
{
    EVP_PKEY *ours = ed25519_generate(octuple_ctx), *theirs = ed25519_copy(plain_ctx, ours), *back;
    unsigned char *a = NULL, *b = NULL;
    BIO *pem = BIO_new(BIO_s_mem());
    int len[2];

    (void)state;
    len[0] = i2d_PrivateKey(ours, &a);
    len[1] = i2d_PrivateKey(theirs, &b);
    check_file(len, a, b, ours, 1);
    a = b = NULL;
    len[0] = i2d_PUBKEY(ours, &a);
    len[1] = i2d_PUBKEY(theirs, &b);
    check_file(len, a, b, ours, 0);
    assert_int_equal(PEM_write_bio_PrivateKey(pem, ours, NULL, NULL, 0, NULL, NULL), 1);
    back = PEM_read_bio_PrivateKey_ex(pem, NULL, NULL, NULL, octuple_ctx, NULL);
    assert_int_equal(EVP_PKEY_eq(back, theirs), 1);
    BIO_free(pem);
    EVP_PKEY_free(back);
    EVP_PKEY_free(ours);
    EVP_PKEY_free(theirs);
}

static int generates_with(OSSL_LIB_CTX *libctx, const char *group)
{
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(libctx, "ED25519", NULL);
    EVP_PKEY *key = NULL;
    const int ok =
        EVP_PKEY_keygen_init(ctx) > 0 && EVP_PKEY_CTX_set_group_name(ctx, group) > 0 && EVP_PKEY_keygen(ctx, &key) > 0;

    EVP_PKEY_free(key);
    EVP_PKEY_CTX_free(ctx);
    ERR_clear_error();
    return ok;
}

static void test_generation(void **state)
{
    (void)state;
    for (int i = 0; i < 8; i++) {
        EVP_PKEY *a = ed25519_generate(octuple_ctx), *b = ed25519_generate(octuple_ctx);
        assert_int_equal(EVP_PKEY_eq(a, b), 0);
        assert_true(checks(octuple_ctx, a, EVP_PKEY_pairwise_check));
        EVP_PKEY_free(a);
        EVP_PKEY_free(b);
    }
    assert_int_equal(generates_with(octuple_ctx, "ED25519"), generates_with(plain_ctx, "ED25519"));
    assert_int_equal(generates_with(octuple_ctx, "X25519"), generates_with(plain_ctx, "X25519"));
}

/* With a switch off the next provider serves, with keys of ours if they are still ours. */
static void check_switch(const char *settings, int ours)
{
    OSSL_LIB_CTX *ctx = new_octuple_ctx(settings);
    EVP_KEYMGMT *keymgmt = EVP_KEYMGMT_fetch(ctx, "ED25519", "provider=octuple");
    EVP_SIGNATURE *fetched = EVP_SIGNATURE_fetch(ctx, "ED25519", "provider=octuple");
    EVP_PKEY *key = EVP_PKEY_Q_keygen(ctx, NULL, "ED25519");
    uint8_t signature[SIGNATURE];

    assert_int_equal(keymgmt != NULL, ours);
    assert_int_equal(fetched != NULL, ours);
    assert_int_equal(is_ours(key), ours);
    assert_true(ed25519_sign(ctx, key, (const uint8_t *)"abc", 3, signature));
    assert_true(ed25519_verify(ctx, key, (const uint8_t *)"abc", 3, signature, SIGNATURE));
    assert_false(ed25519_verify(ctx, key, (const uint8_t *)"abd", 3, signature, SIGNATURE));
    ERR_clear_error();
    EVP_KEYMGMT_free(keymgmt);
    EVP_SIGNATURE_free(fetched);
    EVP_PKEY_free(key);
    OSSL_LIB_CTX_free(ctx);
}

static void test_switches(void **state)
{
    (void)state;
    check_switch(NULL, 1);
    check_switch("ed25519 = off", 0);
}

int main(void)
{
    return RUN_TESTS(open_contexts, close_contexts, test_parameters, test_set_public, test_import, test_raw, test_match,
                     test_empty, test_validate, test_files, test_generation, test_switches);
}
