/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Verdicts and errors of ECDSA, Ed25519, X25519 and ECDH: see verdicts.h. */
#include "verdicts.h"

#define SHA256_SIZE 32

static int digest_verify(EVP_PKEY *key, const char *digest, const uint8_t *in, size_t len)
{
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    int value;

    assert_int_equal(
        EVP_DigestVerifyInit_ex(ctx, NULL, digest, is_ours(key) ? octuple_ctx : plain_ctx, NULL, key, NULL), 1);
    value = EVP_DigestVerify(ctx, in, len, (const uint8_t *)"abc", 3);
    EVP_MD_CTX_free(ctx);
    return value;
}

static int ecdsa_malformed(const struct fixture *f)
{
    return digest_verify(f->ec_public, "SHA256", (const uint8_t *)"\x30\x01\x02", 3);
}

static int ecdsa_trailing(const struct fixture *f)
{
    return digest_verify(f->ec_public, "SHA256", (const uint8_t *)"\x30\x06\x02\x01\x01\x02\x01\x01\x00", 9);
}

static int ecdsa_wrong(const struct fixture *f)
{
    return digest_verify(f->ec_public, "SHA256", (const uint8_t *)"\x30\x06\x02\x01\x01\x02\x01\x01", 8);
}

static int ecdsa_sign_public(const struct fixture *f)
{
    return sign_with(start(f->ec_public, EVP_PKEY_sign_init), 100, SHA256_SIZE);
}

static int ecdsa_sign_small_buffer(const struct fixture *f)
{
    return sign_with(start(f->ec, EVP_PKEY_sign_init), 71, SHA256_SIZE);
}

static int ed25519_wrong(const struct fixture *f)
{
    static const uint8_t in[64];
    return digest_verify(f->ed25519_public, NULL, in, sizeof in);
}

static int ed25519_short(const struct fixture *f)
{
    static const uint8_t in[63];
    return digest_verify(f->ed25519_public, NULL, in, sizeof in);
}

static int ed25519_sign(EVP_PKEY *key, uint8_t *out, size_t len)
{
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    int value;

    assert_int_equal(EVP_DigestSignInit_ex(ctx, NULL, NULL, is_ours(key) ? octuple_ctx : plain_ctx, NULL, key, NULL),
                     1);
    value = EVP_DigestSign(ctx, out, &len, (const uint8_t *)"abc", 3);
    EVP_MD_CTX_free(ctx);
    return value;
}

static int ed25519_sign_public(const struct fixture *f)
{
    uint8_t out[64];
    return ed25519_sign(f->ed25519_public, out, sizeof out);
}

static int ed25519_size_public(const struct fixture *f)
{
    return ed25519_sign(f->ed25519_public, NULL, 0);
}

static int ed25519_sign_small_buffer(const struct fixture *f)
{
    uint8_t out[64];
    return ed25519_sign(f->ed25519, out, 63);
}

static int ed25519_with_digest(const struct fixture *f)
{
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    const int value = EVP_DigestSignInit_ex(ctx, NULL, "SHA256", is_ours(f->ed25519) ? octuple_ctx : plain_ctx, NULL,
                                            f->ed25519, NULL);

    EVP_MD_CTX_free(ctx);
    return value;
}

static int derive(EVP_PKEY *own, EVP_PKEY *peer, size_t len)
{
    EVP_PKEY_CTX *ctx = start(own, EVP_PKEY_derive_init);
    uint8_t out[64];
    int value;

    if (peer != NULL)
        assert_int_equal(EVP_PKEY_derive_set_peer_ex(ctx, peer, 0), 1);
    value = EVP_PKEY_derive(ctx, out, &len);
    EVP_PKEY_CTX_free(ctx);
    return value;
}

static int x25519_no_peer(const struct fixture *f)
{
    return derive(f->x25519, NULL, 32);
}

static int x25519_public_alone(const struct fixture *f)
{
    return derive(f->x25519_public, f->x25519, 32);
}

static int x25519_small_buffer(const struct fixture *f)
{
    return derive(f->x25519, f->x25519_public, 31);
}

static int ecdh_no_peer(const struct fixture *f)
{
    return derive(f->ec, NULL, 32);
}

static const struct verdict_case cases[] = {
    CASE(ecdsa_malformed),
    CASE(ecdsa_trailing),
    CASE(ecdsa_wrong),
    CASE(ecdsa_sign_public),
    CASE(ecdsa_sign_small_buffer),
    CASE(ed25519_wrong),
    CASE(ed25519_short),
    CASE(ed25519_sign_public),
    CASE(ed25519_size_public),
    CASE(ed25519_sign_small_buffer),
    CASE(ed25519_with_digest),
    CASE(x25519_no_peer),
    CASE(x25519_public_alone),
    CASE(x25519_small_buffer),
    CASE(ecdh_no_peer),
};

static void test_cases(void **state)
{
    (void)state;
    expect_same_verdicts(cases, sizeof cases / sizeof cases[0]);
}

int main(void)
{
    return RUN_TESTS(open_fixture, close_fixture, test_cases);
}
