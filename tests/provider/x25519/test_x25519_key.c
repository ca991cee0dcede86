/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* X25519 keys: generation, import, parameters, comparison, duplicates, the forms of files, all beside OpenSSL's own. */
#include "x25519_keys.h"

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>
#include <openssl/provider.h>
#include <openssl/x509.h>
#include <string.h>

static void test_parameters(void **state)
{
    EVP_PKEY *ours = x25519_generate(octuple_ctx), *theirs = x25519_copy(plain_ctx, ours);
    const struct pair a = x25519_pair(ours), b = x25519_pair(theirs);
    unsigned char *encoded = NULL;

    (void)state;
    assert_memory_equal(&a, &b, sizeof a);
    assert_int_equal(a.secret[0] & 7, 0);
    assert_int_equal(a.secret[31] & 0xc0, 0x40);
    assert_int_equal(EVP_PKEY_get_bits(ours), EVP_PKEY_get_bits(theirs));
    assert_int_equal(EVP_PKEY_get_bits(ours), 253);
    assert_int_equal(EVP_PKEY_get_security_bits(ours), EVP_PKEY_get_security_bits(theirs));
    assert_int_equal(EVP_PKEY_get_size(ours), EVP_PKEY_get_size(theirs));
    assert_int_equal(EVP_PKEY_get_size(ours), X25519);
    assert_int_equal(EVP_PKEY_get_base_id(ours), EVP_PKEY_X25519);
    assert_true(EVP_PKEY_is_a(ours, "X25519") && EVP_PKEY_is_a(ours, "1.3.101.110"));
    assert_int_equal(EVP_PKEY_get1_encoded_public_key(ours, &encoded), X25519);
    assert_memory_equal(encoded, a.point, X25519);
    for (const OSSL_PARAM *p = EVP_PKEY_gettable_params(theirs), *q; p->key != NULL; p++) {
        q = OSSL_PARAM_locate_const(EVP_PKEY_gettable_params(ours), p->key);
        assert_non_null(q);
        assert_int_equal(q->data_type, p->data_type);
    }
    OPENSSL_free(encoded);
    EVP_PKEY_free(ours);
    EVP_PKEY_free(theirs);
}

static void test_import(void **state)
{
    EVP_PKEY *source = x25519_generate(plain_ctx), *key;
    const struct pair pair = x25519_pair(source);
    const OSSL_PARAM shortened[] = {
        OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, (void *)pair.point, X25519 - 1),
        OSSL_PARAM_construct_end(),
    };
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(octuple_ctx, "X25519", NULL);

    (void)state;
    key = x25519_import(octuple_ctx, pair.secret, NULL); /* the public key is computed */
    assert_true(is_ours(key));
    assert_memory_equal(x25519_pair(key).point, pair.point, X25519);
    assert_int_equal(EVP_PKEY_eq(key, source), 1);
    EVP_PKEY_free(key);
    key = x25519_import(octuple_ctx, NULL, pair.point);
    assert_int_equal(EVP_PKEY_eq(key, source), 1);
    assert_int_equal(EVP_PKEY_get_raw_private_key(key, NULL, &(size_t){0}), 0);
    EVP_PKEY_free(key);
    assert_null(x25519_import(octuple_ctx, NULL, NULL));
    key = NULL;
    assert_int_equal(EVP_PKEY_fromdata_init(ctx), 1);
    assert_true(EVP_PKEY_fromdata(ctx, &key, EVP_PKEY_PUBLIC_KEY, (OSSL_PARAM *)shortened) <= 0);
    assert_null(key);
    ERR_clear_error();
    EVP_PKEY_CTX_free(ctx);
    EVP_PKEY_free(source);
}

/* EVP_PKEY_new_raw_*_key and EVP_PKEY_get_raw_*_key, which QUIC stacks and others use. */
static void test_raw(void **state)
{
    EVP_PKEY *source = x25519_generate(octuple_ctx);
    const struct pair pair = x25519_pair(source);
    EVP_PKEY *key = EVP_PKEY_new_raw_private_key_ex(octuple_ctx, "X25519", NULL, pair.secret, X25519);
    EVP_PKEY *public_key = EVP_PKEY_new_raw_public_key_ex(octuple_ctx, "X25519", NULL, pair.point, X25519);
    uint8_t out[X25519];
    size_t len = sizeof out;

    (void)state;
    assert_true(is_ours(key) && is_ours(public_key));
    assert_int_equal(EVP_PKEY_get_raw_public_key(key, out, &len), 1);
    assert_memory_equal(out, pair.point, X25519);
    assert_int_equal(EVP_PKEY_get_raw_private_key(key, out, &len), 1);
    assert_memory_equal(out, pair.secret, X25519);
    assert_int_equal(EVP_PKEY_get_raw_public_key(public_key, out, &len), 1);
    assert_memory_equal(out, pair.point, X25519);
    assert_null(EVP_PKEY_new_raw_public_key_ex(octuple_ctx, "X25519", NULL, pair.point, X25519 - 1));
    ERR_clear_error();
    EVP_PKEY_free(source);
    EVP_PKEY_free(key);
    EVP_PKEY_free(public_key);
}

static void test_match(void **state)
{
    EVP_PKEY *a = x25519_generate(octuple_ctx), *b = x25519_generate(octuple_ctx), *theirs = x25519_copy(plain_ctx, a);
    EVP_PKEY *copy = EVP_PKEY_dup(a);

    (void)state;
    assert_int_equal(EVP_PKEY_eq(a, b), 0);
    assert_int_equal(EVP_PKEY_eq(a, copy), 1);
    assert_int_equal(EVP_PKEY_eq(a, theirs), 1);
    assert_int_equal(EVP_PKEY_eq(theirs, a), 1);
    assert_int_equal(EVP_PKEY_eq(b, theirs), 0);
    assert_int_equal(EVP_PKEY_parameters_eq(a, b), 1);
    EVP_PKEY_free(a);
    EVP_PKEY_free(b);
    EVP_PKEY_free(copy);
    EVP_PKEY_free(theirs);
}

/* How libssl takes a peer's share. The duplicate is not changed with it, and the private key goes. */
static void test_set_public(void **state)
{
    EVP_PKEY *own = x25519_generate(octuple_ctx), *other = x25519_generate(octuple_ctx), *copy = EVP_PKEY_dup(own);
    EVP_PKEY *empty = EVP_PKEY_new();
    const struct pair before = x25519_pair(own), wanted = x25519_pair(other);
    struct pair after;

    (void)state;
    assert_int_equal(EVP_PKEY_copy_parameters(empty, own), 1);
    assert_int_equal(EVP_PKEY_set1_encoded_public_key(empty, wanted.point, X25519), 1);
    assert_int_equal(EVP_PKEY_eq(empty, other), 1);
    assert_int_equal(EVP_PKEY_set1_encoded_public_key(empty, wanted.point, X25519 - 1), 0);
    assert_int_equal(EVP_PKEY_set1_encoded_public_key(own, wanted.point, X25519), 1);
    after = x25519_pair(own);
    assert_memory_equal(after.point, wanted.point, X25519);
    assert_int_equal(EVP_PKEY_get_raw_private_key(own, NULL, &(size_t){0}), 0);
    after = x25519_pair(copy);
    assert_memory_equal(&after, &before, sizeof after);
    ERR_clear_error();
    EVP_PKEY_free(own);
    EVP_PKEY_free(other);
    EVP_PKEY_free(copy);
    EVP_PKEY_free(empty);
}

static int checks(EVP_PKEY *key, int (*check)(EVP_PKEY_CTX *))
{
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(octuple_ctx, key, NULL);
    const int ok = check(ctx);

    EVP_PKEY_CTX_free(ctx);
    ERR_clear_error();
    return ok > 0;
}

static void test_validate(void **state)
{
    EVP_PKEY *good = x25519_generate(octuple_ctx), *other = x25519_generate(octuple_ctx);
    const struct pair a = x25519_pair(good), b = x25519_pair(other);
    EVP_PKEY *mixed = x25519_import(octuple_ctx, a.secret, b.point);
    EVP_PKEY *public_key = x25519_import(octuple_ctx, NULL, a.point);

    (void)state;
    assert_true(checks(good, EVP_PKEY_check) && checks(good, EVP_PKEY_public_check) &&
                checks(good, EVP_PKEY_private_check) && checks(good, EVP_PKEY_pairwise_check));
    assert_false(checks(mixed, EVP_PKEY_pairwise_check));
    assert_true(checks(public_key, EVP_PKEY_public_check));
    assert_false(checks(public_key, EVP_PKEY_private_check));
    EVP_PKEY_free(good);
    EVP_PKEY_free(other);
    EVP_PKEY_free(mixed);
    EVP_PKEY_free(public_key);
}

/* The encoders and decoders are OpenSSL's; the bytes are the same. */
static void test_files(void **state)
{
    EVP_PKEY *ours = x25519_generate(octuple_ctx), *theirs = x25519_copy(plain_ctx, ours), *back;
    unsigned char *a = NULL, *b = NULL;
    const unsigned char *in;
    BIO *pem = BIO_new(BIO_s_mem());
    int len;

    (void)state;
    len = i2d_PrivateKey(ours, &a);
    assert_int_equal(len, i2d_PrivateKey(theirs, &b));
    assert_memory_equal(a, b, len);
    in = a;
    back = d2i_AutoPrivateKey_ex(NULL, &in, len, octuple_ctx, NULL);
    assert_int_equal(EVP_PKEY_eq(back, ours), 1);
    EVP_PKEY_free(back);
    OPENSSL_free(a);
    OPENSSL_free(b);
    a = b = NULL;
    len = i2d_PUBKEY(ours, &a);
    assert_int_equal(len, i2d_PUBKEY(theirs, &b));
    assert_memory_equal(a, b, len);
    in = a;
    back = d2i_PUBKEY_ex(NULL, &in, len, octuple_ctx, NULL);
    assert_int_equal(EVP_PKEY_eq(back, ours), 1);
    EVP_PKEY_free(back);
    OPENSSL_free(a);
    OPENSSL_free(b);
    assert_int_equal(PEM_write_bio_PrivateKey(pem, ours, NULL, NULL, 0, NULL, NULL), 1);
    back = PEM_read_bio_PrivateKey_ex(pem, NULL, NULL, NULL, octuple_ctx, NULL);
    assert_int_equal(EVP_PKEY_eq(back, theirs), 1);
    BIO_free(pem);
    EVP_PKEY_free(back);
    EVP_PKEY_free(ours);
    EVP_PKEY_free(theirs);
}

static int generates_with_group(const char *group)
{
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(octuple_ctx, "X25519", NULL);
    EVP_PKEY *key = NULL;
    const int ok =
        EVP_PKEY_keygen_init(ctx) > 0 && EVP_PKEY_CTX_set_group_name(ctx, group) > 0 && EVP_PKEY_keygen(ctx, &key) > 0;

    EVP_PKEY_free(key);
    EVP_PKEY_CTX_free(ctx);
    ERR_clear_error();
    return ok;
}

/* As libssl does it. */
static void test_group(void **state)
{
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(octuple_ctx, "X25519", NULL);
    EVP_PKEY *place = NULL;

    (void)state;
    assert_true(generates_with_group("X25519") && generates_with_group("x25519"));
    assert_false(generates_with_group("X448"));
    assert_true(EVP_PKEY_paramgen_init(ctx) > 0 && EVP_PKEY_paramgen(ctx, &place) > 0);
    assert_int_equal(EVP_PKEY_get_raw_public_key(place, NULL, &(size_t){0}), 0);
    ERR_clear_error();
    EVP_PKEY_free(place);
    EVP_PKEY_CTX_free(ctx);
}

struct group {
    char name[64], internal[64], algorithm[64];
    unsigned id, bits, kem;
    int versions[4];
    int found;
};

static void text_of(const OSSL_PARAM params[], const char *name, char out[64])
{
    char *to = out;
    assert_int_equal(OSSL_PARAM_get_utf8_string(OSSL_PARAM_locate_const(params, name), &to, 64), 1);
}

static int note_group(const OSSL_PARAM params[], void *arg)
{
    static const char *const version[4] = {OSSL_CAPABILITY_TLS_GROUP_MIN_TLS, OSSL_CAPABILITY_TLS_GROUP_MAX_TLS,
                                           OSSL_CAPABILITY_TLS_GROUP_MIN_DTLS, OSSL_CAPABILITY_TLS_GROUP_MAX_DTLS};
    struct group *group = arg, one = {.found = group->found};

    text_of(params, OSSL_CAPABILITY_TLS_GROUP_NAME, one.name);
    text_of(params, OSSL_CAPABILITY_TLS_GROUP_NAME_INTERNAL, one.internal);
    text_of(params, OSSL_CAPABILITY_TLS_GROUP_ALG, one.algorithm);
    OSSL_PARAM_get_uint(OSSL_PARAM_locate_const(params, OSSL_CAPABILITY_TLS_GROUP_ID), &one.id);
    OSSL_PARAM_get_uint(OSSL_PARAM_locate_const(params, OSSL_CAPABILITY_TLS_GROUP_SECURITY_BITS), &one.bits);
    for (int i = 0; i < 4; i++)
        assert_int_equal(OSSL_PARAM_get_int(OSSL_PARAM_locate_const(params, version[i]), &one.versions[i]), 1);
    if (one.id != 0x1d)
        return 1;
    one.found++;
    *group = one;
    return 1;
}

static struct group announced(OSSL_LIB_CTX *ctx, const char *by)
{
    OSSL_PROVIDER *provider = OSSL_PROVIDER_load(ctx, by);
    struct group group;

    memset(&group, 0, sizeof group);
    assert_int_equal(OSSL_PROVIDER_get_capabilities(provider, "TLS-GROUP", note_group, &group), 1);
    OSSL_PROVIDER_unload(provider);
    return group;
}

/* Under the same names and numbers; and no longer if the keys are not ours. */
static void test_announced(void **state)
{
    OSSL_LIB_CTX *off = new_octuple_ctx("x25519 = off");
    const struct group ours = announced(octuple_ctx, "octuple"), theirs = announced(plain_ctx, "default");

    (void)state;
    assert_int_equal(ours.found, 1);
    assert_int_equal(theirs.found, 1);
    assert_memory_equal(&ours, &theirs, sizeof ours);
    assert_string_equal(ours.algorithm, "X25519");
    assert_int_equal(announced(off, "octuple").found, 0);
    OSSL_LIB_CTX_free(off);
}

int main(void)
{
    return RUN_TESTS(open_contexts, close_contexts, test_parameters, test_import, test_raw, test_match, test_set_public,
                     test_validate, test_files, test_group, test_announced);
}
