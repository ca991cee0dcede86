/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Signatures of digests, both ways against OpenSSL alone: every padding, digest, salt and key, in eight fibres at once
 * (lanes) and outside of fibres (plain).
 */
#include "common.h"

#include <openssl/err.h>
#include <string.h>

struct scheme {
    int pad_mode;
    const char *digest; /* NULL: raw data */
    const char *mgf1;
    int salt_len;
    size_t len; /* of what is signed; 0: the modulus's */
};

static const struct scheme schemes[] = {
    {RSA_PKCS1_PADDING, "SHA256", NULL, 0, 32},
    {RSA_PKCS1_PSS_PADDING, "SHA256", NULL, RSA_PSS_SALTLEN_DIGEST, 32},
    {RSA_PKCS1_PADDING, "MD5-SHA1", NULL, 0, 36},
    {RSA_PKCS1_PADDING, NULL, NULL, 0, 51},
    {RSA_NO_PADDING, NULL, NULL, 0, 0},
    {RSA_PKCS1_PSS_PADDING, "SHA384", "SHA1", RSA_PSS_SALTLEN_AUTO, 48},
    /* From here on the quick table only. */
    {RSA_PKCS1_PADDING, NULL, NULL, 0, 1},
    {RSA_PKCS1_PADDING, "SHA1", NULL, 0, 20},
    {RSA_PKCS1_PADDING, "SHA224", NULL, 0, 28},
    {RSA_PKCS1_PADDING, "SHA384", NULL, 0, 48},
    {RSA_PKCS1_PADDING, "SHA512", NULL, 0, 64},
    {RSA_PKCS1_PADDING, "SHA512-224", NULL, 0, 28},
    {RSA_PKCS1_PADDING, "SHA512-256", NULL, 0, 32},
    {RSA_PKCS1_PADDING, "SHA3-224", NULL, 0, 28},
    {RSA_PKCS1_PADDING, "SHA3-256", NULL, 0, 32},
    {RSA_PKCS1_PADDING, "SHA3-384", NULL, 0, 48},
    {RSA_PKCS1_PADDING, "SHA3-512", NULL, 0, 64},
    {RSA_PKCS1_PADDING, "MD5", NULL, 0, 16},
    {RSA_PKCS1_PADDING, "RIPEMD160", NULL, 0, 20},
    {RSA_X931_PADDING, "SHA256", NULL, 0, 32},
    {RSA_PKCS1_PSS_PADDING, "SHA1", NULL, RSA_PSS_SALTLEN_DIGEST, 20},
    {RSA_PKCS1_PSS_PADDING, "SHA256", NULL, RSA_PSS_SALTLEN_MAX, 32},
    {RSA_PKCS1_PSS_PADDING, "SHA256", NULL, RSA_PSS_SALTLEN_AUTO, 32},
    {RSA_PKCS1_PSS_PADDING, "SHA256", NULL, 0, 32},
    {RSA_PKCS1_PSS_PADDING, "SHA256", NULL, 17, 32},
    {RSA_PKCS1_PSS_PADDING, "SHA256", "SHA512", 32, 32},
    {RSA_PKCS1_PSS_PADDING, "SHA3-256", NULL, RSA_PSS_SALTLEN_DIGEST, 32},
    {RSA_PKCS1_PSS_PADDING, "SHA512", NULL, RSA_PSS_SALTLEN_AUTO, 64},
};

/* Each fibre has data of its own, and a key of its own where there is more than one. */
struct work {
    EVP_PKEY *key[EIGHT];
    const struct scheme *scheme;
    OSSL_LIB_CTX *ctx;
    uint8_t data[EIGHT][MAX_BYTES], signature[EIGHT][MAX_BYTES];
    size_t len[EIGHT], signature_len[EIGHT];
    int expected; /* what verify must say */
};

static EVP_PKEY_CTX *new_ctx(const struct work *work, int i, int (*init)(EVP_PKEY_CTX *))
{
    const struct scheme *s = work->scheme;
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(work->ctx, work->key[i], NULL);
    EVP_MD *md = s->digest == NULL ? NULL : EVP_MD_fetch(work->ctx, s->digest, NULL);
    EVP_MD *mgf1 = s->mgf1 == NULL ? NULL : EVP_MD_fetch(work->ctx, s->mgf1, NULL);
    /* X9.31 is refused by OpenSSL before the digest is known. */
    int ok = ctx != NULL && init(ctx) > 0 && (md == NULL || EVP_PKEY_CTX_set_signature_md(ctx, md) > 0) &&
             EVP_PKEY_CTX_set_rsa_padding(ctx, s->pad_mode) > 0 &&
             (s->pad_mode != RSA_PKCS1_PSS_PADDING || EVP_PKEY_CTX_set_rsa_pss_saltlen(ctx, s->salt_len) > 0) &&
             (mgf1 == NULL || EVP_PKEY_CTX_set_rsa_mgf1_md(ctx, mgf1) > 0);

    EVP_MD_free(md);
    EVP_MD_free(mgf1);
    if (ok)
        return ctx;
    EVP_PKEY_CTX_free(ctx);
    return NULL;
}

static int sign_one(int i, void *arg)
{
    struct work *work = arg;
    EVP_PKEY_CTX *ctx = new_ctx(work, i, EVP_PKEY_sign_init);
    int ok;

    work->signature_len[i] = MAX_BYTES;
    ok =
        ctx != NULL && EVP_PKEY_sign(ctx, work->signature[i], &work->signature_len[i], work->data[i], work->len[i]) > 0;
    EVP_PKEY_CTX_free(ctx);
    return ok;
}

static int verify_one(int i, void *arg)
{
    struct work *work = arg;
    EVP_PKEY_CTX *ctx = new_ctx(work, i, EVP_PKEY_verify_init);
    int ok = ctx != NULL && (EVP_PKEY_verify(ctx, work->signature[i], work->signature_len[i], work->data[i],
                                             work->len[i]) > 0) == work->expected;

    EVP_PKEY_CTX_free(ctx);
    return ok;
}

static int recover_one(int i, void *arg)
{
    struct work *work = arg;
    EVP_PKEY_CTX *ctx = new_ctx(work, i, EVP_PKEY_verify_recover_init);
    uint8_t out[MAX_BYTES];
    size_t len = sizeof out;
    int ok = ctx != NULL && EVP_PKEY_verify_recover(ctx, out, &len, work->signature[i], work->signature_len[i]) > 0 &&
             len == work->len[i] && memcmp(out, work->data[i], len) == 0;

    EVP_PKEY_CTX_free(ctx);
    return ok;
}

static void use_ctx(struct work *work, OSSL_LIB_CTX *ctx, EVP_PKEY *key)
{
    work->ctx = ctx;
    for (int i = 0; i < EIGHT; i++)
        work->key[i] = key;
}

static void all_outside_fibres(struct work *work, int (*one)(int, void *))
{
    for (int i = 0; i < EIGHT; i++)
        if (!one(i, work))
            fail_msg("scheme %d, number %d, %s", (int)(work->scheme - schemes), i,
                     work->ctx == plain_ctx ? "OpenSSL alone" : "Octuple");
}

static void make_data(struct work *work, const EVP_PKEY *key)
{
    for (int i = 0; i < EIGHT; i++) {
        work->len[i] = work->scheme->len != 0 ? work->scheme->len : (size_t)EVP_PKEY_get_size(key);
        fill(work->data[i], work->len[i], (unsigned)(work->scheme - schemes) * 8 + (unsigned)i);
        if (work->scheme->len == 0)
            work->data[i][0] = 0; /* below the modulus */
    }
}

/* Sign here, verify there, and the reverse; then one bit wrong. */
static void check_scheme(struct work *work, EVP_PKEY *ours, EVP_PKEY *public_ours, EVP_PKEY *theirs)
{
    work->expected = 1;
    make_data(work, ours);
    use_ctx(work, octuple_ctx, ours);
    run_fibres(EIGHT, sign_one, work);
    use_ctx(work, plain_ctx, theirs);
    all_outside_fibres(work, verify_one);
    all_outside_fibres(work, sign_one);
    use_ctx(work, octuple_ctx, public_ours);
    run_fibres(EIGHT, verify_one, work);
    all_outside_fibres(work, verify_one);
    if (work->scheme->pad_mode != RSA_PKCS1_PSS_PADDING)
        run_fibres(EIGHT, recover_one, work);
    for (int i = 0; i < EIGHT; i++)
        work->signature[i][work->signature_len[i] - 1 - (size_t)i] ^= 1;
    work->expected = 0;
    run_fibres(EIGHT, verify_one, work);
    ERR_clear_error();
}

static int fits(const struct scheme *scheme, const EVP_PKEY *key)
{
    /* X9.31 wants a modulus that is a multiple of 8 bits; short keys have no room for SHA-512 and as long a salt. */
    return (scheme->pad_mode != RSA_X931_PADDING || EVP_PKEY_get_bits(key) % 8 == 0) &&
           (scheme->len < 60 || EVP_PKEY_get_bits(key) > 1025);
}

static void check_key(const char *name, size_t count)
{
    EVP_PKEY *ours = load_key(octuple_ctx, name), *theirs = load_key(plain_ctx, name);
    EVP_PKEY *public_ours = load_public_key(octuple_ctx, name);
    struct work *work = test_calloc(1, sizeof *work);

    for (size_t i = 0; i < count; i++) {
        work->scheme = &schemes[i];
        if (fits(work->scheme, ours))
            check_scheme(work, ours, public_ours, theirs);
    }
    test_free(work);
    EVP_PKEY_free(ours);
    EVP_PKEY_free(theirs);
    EVP_PKEY_free(public_ours);
}

static void test_lane_keys(void **state)
{
    const uint64_t before = lanes_done();

    (void)state;
    for (int i = 0; lane_keys[i] != NULL; i++)
        check_key(lane_keys[i], is_slow() ? 6 : sizeof schemes / sizeof schemes[0]);
    /* Eight at once do run in lanes: at least the private operations of each key and scheme. */
    assert_true(lanes_done() - before >= 5 * 6 * EIGHT);
}

static void test_plain_keys(void **state)
{
    const uint64_t before = lanes_done();

    (void)state;
    for (int i = 0; plain_keys[i] != NULL; i++)
        if (strcmp(plain_keys[i], "2048x3") != 0)
            check_key(plain_keys[i], sizeof schemes / sizeof schemes[0]);
    assert_int_equal(lanes_done(), before);
    /* Three primes: the public half is a key like any other. */
    check_key("2048x3", is_slow() ? 2 : sizeof schemes / sizeof schemes[0]);
}

/* Eight fibres, eight keys of three sizes, one scheme each. */
static void test_mixed_keys(void **state)
{
    static const char *const names[EIGHT] = {"2048a", "3072a", "2048b", "4096a", "2048c", "3072b", "1024", "4096b"};
    struct work *work = test_calloc(1, sizeof *work);

    (void)state;
    work->scheme = &schemes[1];
    work->expected = 1;
    work->ctx = octuple_ctx;
    for (int i = 0; i < EIGHT; i++) {
        work->key[i] = load_key(octuple_ctx, names[i]);
        work->len[i] = 32;
        fill(work->data[i], 32, (unsigned)i);
    }
    run_fibres(EIGHT, sign_one, work);
    run_fibres(EIGHT, verify_one, work);
    work->ctx = plain_ctx;
    for (int i = 0; i < EIGHT; i++) {
        EVP_PKEY_free(work->key[i]);
        work->key[i] = load_key(plain_ctx, names[i]);
    }
    all_outside_fibres(work, verify_one);
    for (int i = 0; i < EIGHT; i++)
        EVP_PKEY_free(work->key[i]);
    test_free(work);
}

/* RFC 8017 has no randomness in PKCS#1 v1.5: both implementations give the same bytes. */
static void test_same_bytes(void **state)
{
    struct work *ours = test_calloc(1, sizeof *ours), *theirs = test_calloc(1, sizeof *theirs);
    EVP_PKEY *our_key = load_key(octuple_ctx, "2048a"), *their_key = load_key(plain_ctx, "2048a");

    (void)state;
    ours->scheme = theirs->scheme = &schemes[0];
    make_data(ours, our_key);
    make_data(theirs, their_key);
    use_ctx(ours, octuple_ctx, our_key);
    use_ctx(theirs, plain_ctx, their_key);
    run_fibres(EIGHT, sign_one, ours);
    all_outside_fibres(theirs, sign_one);
    assert_memory_equal(ours->signature, theirs->signature, sizeof ours->signature);
    test_free(ours);
    test_free(theirs);
    EVP_PKEY_free(our_key);
    EVP_PKEY_free(their_key);
}

/* Every bad input gets an error and leaves the output alone. */
static void test_bad_input(void **state)
{
    EVP_PKEY *key = load_key(octuple_ctx, "2048a"), *public_key = load_public_key(octuple_ctx, "2048a");
    struct work *work = test_calloc(1, sizeof *work);
    EVP_PKEY_CTX *ctx;
    uint8_t out[256], untouched[256];
    size_t len;

    (void)state;
    memset(out, 0x5a, sizeof out);
    memset(untouched, 0x5a, sizeof untouched);
    work->scheme = &schemes[0];
    use_ctx(work, octuple_ctx, key);
    fill(work->data[0], 300, 1);
    ctx = new_ctx(work, 0, EVP_PKEY_sign_init);
    assert_int_equal(EVP_PKEY_sign(ctx, NULL, &len, work->data[0], 32), 1);
    assert_int_equal(len, 256);
    len = 255; /* output too small */
    assert_true(EVP_PKEY_sign(ctx, out, &len, work->data[0], 32) <= 0);
    for (size_t wrong = 0; wrong < 64; wrong += 31) { /* not the digest's length */
        len = sizeof out;
        assert_true(EVP_PKEY_sign(ctx, out, &len, work->data[0], wrong) <= 0);
    }
    EVP_PKEY_CTX_free(ctx);
    work->scheme = &schemes[3]; /* raw PKCS#1: at most 245 bytes */
    ctx = new_ctx(work, 0, EVP_PKEY_sign_init);
    len = sizeof out;
    assert_true(EVP_PKEY_sign(ctx, out, &len, work->data[0], 246) <= 0);
    EVP_PKEY_CTX_free(ctx);
    work->scheme = &schemes[4]; /* none: exactly 256 bytes, below the modulus */
    ctx = new_ctx(work, 0, EVP_PKEY_sign_init);
    assert_true(EVP_PKEY_sign(ctx, out, &len, work->data[0], 255) <= 0);
    assert_true(EVP_PKEY_sign(ctx, out, &len, work->data[0], 257) <= 0);
    memset(work->data[0], 0xff, 256);
    assert_true(EVP_PKEY_sign(ctx, out, &len, work->data[0], 256) <= 0);
    EVP_PKEY_CTX_free(ctx);
    assert_memory_equal(out, untouched, sizeof out);

    use_ctx(work, octuple_ctx, public_key); /* a public key does not sign */
    ctx = new_ctx(work, 0, EVP_PKEY_sign_init);
    work->data[0][0] = 0;
    len = sizeof out;
    assert_true(ctx == NULL || EVP_PKEY_sign(ctx, out, &len, work->data[0], 256) <= 0);
    EVP_PKEY_CTX_free(ctx);
    work->scheme = &schemes[0]; /* signatures of a wrong length, and one that is not below the modulus */
    ctx = new_ctx(work, 0, EVP_PKEY_verify_init);
    assert_true(EVP_PKEY_verify(ctx, work->data[0], 255, work->data[0], 32) <= 0);
    assert_true(EVP_PKEY_verify(ctx, work->data[0], 257, work->data[0], 32) <= 0);
    assert_true(EVP_PKEY_verify(ctx, work->data[0], 0, work->data[0], 32) <= 0);
    memset(work->data[0], 0xff, 256);
    assert_true(EVP_PKEY_verify(ctx, work->data[0], 256, work->data[0], 32) <= 0);
    EVP_PKEY_CTX_free(ctx);
    ERR_clear_error();
    test_free(work);
    EVP_PKEY_free(key);
    EVP_PKEY_free(public_key);
}

/* An input that is not below the modulus, in one lane among good ones. */
static int sign_out_of_range(int i, void *arg)
{
    struct work *work = arg;
    int ok = sign_one(i, work);

    ERR_clear_error();
    return i == 3 ? !ok : ok;
}

static void test_range_in_lanes(void **state)
{
    EVP_PKEY *key = load_key(octuple_ctx, "2048a");
    struct work *work = test_calloc(1, sizeof *work);

    (void)state;
    work->scheme = &schemes[4];
    make_data(work, key);
    memset(work->data[3], 0xff, 256);
    use_ctx(work, octuple_ctx, key);
    run_fibres(EIGHT, sign_out_of_range, work);
    test_free(work);
    EVP_PKEY_free(key);
}

int main(void)
{
    return RUN_TESTS(open_contexts, close_contexts, test_same_bytes, test_lane_keys, test_plain_keys, test_mixed_keys,
                     test_bad_input, test_range_in_lanes);
}
