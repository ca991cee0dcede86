/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Digests and random bytes are the application's: what other providers than the default one bring, what properties
 * choose, and what is there no more. Each case runs in OpenSSL alone and with Octuple preferred. */
#include "common.h"
#include "foreign.h"

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/params.h>
#include <openssl/provider.h>
#include <openssl/rand.h>
#include <string.h>

#define NONE "?provider=octuple"

struct side {
    OSSL_LIB_CTX *ctx;
    OSSL_PROVIDER *foreign;
    EVP_PKEY *rsa, *ec;
};

static struct side ours, theirs;

static void load_foreign(struct side *s)
{
    s->foreign = OSSL_PROVIDER_load(s->ctx, "foreign");
    assert_non_null(s->foreign);
}

static int open_sides(void **state)
{
    open_contexts(state);
    ours = (struct side){octuple_ctx, NULL, load_key(octuple_ctx, "2048a"), NULL};
    theirs = (struct side){plain_ctx, NULL, load_key(plain_ctx, "2048a"), NULL};
    theirs.ec = EVP_PKEY_Q_keygen(plain_ctx, NULL, "EC", "P-256");
    ours.ec = copy_key(octuple_ctx, NULL, theirs.ec, EVP_PKEY_KEYPAIR);
    assert_int_equal(OSSL_PROVIDER_add_builtin(octuple_ctx, "foreign", foreign_init), 1);
    assert_int_equal(OSSL_PROVIDER_add_builtin(plain_ctx, "foreign", foreign_init), 1);
    return 0;
}

static int close_sides(void **state)
{
    EVP_PKEY_free(ours.rsa);
    EVP_PKEY_free(ours.ec);
    EVP_PKEY_free(theirs.rsa);
    EVP_PKEY_free(theirs.ec);
    return close_contexts(state);
}

/* The length of the signature; 0 if it fails. */
static size_t sign(const struct side *s, EVP_PKEY *key, const char *digest, const char *padding, uint8_t out[MAX_BYTES])
{
    const OSSL_PARAM params[] = {OSSL_PARAM_construct_utf8_string(OSSL_SIGNATURE_PARAM_PAD_MODE, (char *)padding, 0),
                                 OSSL_PARAM_construct_end()};
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    size_t len = MAX_BYTES;

    memset(out, 0, MAX_BYTES);
    if (EVP_DigestSignInit_ex(ctx, NULL, digest, s->ctx, NULL, key, padding == NULL ? NULL : params) != 1 ||
        EVP_DigestSign(ctx, out, &len, (const uint8_t *)"message", 7) != 1)
        len = 0;
    EVP_MD_CTX_free(ctx);
    ERR_clear_error();
    return len;
}

static int verify(const struct side *s, EVP_PKEY *key, const char *digest, const uint8_t *in, size_t len)
{
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    int ok = EVP_DigestVerifyInit_ex(ctx, NULL, digest, s->ctx, NULL, key, NULL) == 1;

    ok = ok && EVP_DigestVerify(ctx, in, len, (const uint8_t *)"message", 7) == 1;
    EVP_MD_CTX_free(ctx);
    ERR_clear_error();
    return ok;
}

/* The same signature from both, or none. */
static size_t same_signature(const char *digest, const char *padding)
{
    uint8_t a[MAX_BYTES], b[MAX_BYTES];
    const size_t len = sign(&ours, ours.rsa, digest, padding, a);

    if (len != sign(&theirs, theirs.rsa, digest, padding, b) || memcmp(a, b, sizeof a) != 0)
        fail_msg("%s with %s: ours and OpenSSL's signature differ", digest, padding);
    return len;
}

static const char *const foreign_digests[] = {"MD4", "MDC2", "MD5", "RIPEMD160"};

static void test_foreign(void **state)
{
    uint8_t signature[MAX_BYTES];
    size_t len;

    (void)state;
    assert_int_equal(same_signature("MD4", "pkcs1"), 0); /* nobody has it yet */
    load_foreign(&ours);
    load_foreign(&theirs);
    for (size_t i = 0; i < sizeof foreign_digests / sizeof foreign_digests[0]; i++) {
        same_signature(foreign_digests[i], "pkcs1");
        len = sign(&theirs, theirs.rsa, foreign_digests[i], NULL, signature);
        assert_int_equal(verify(&ours, ours.rsa, foreign_digests[i], signature, len),
                         verify(&theirs, theirs.rsa, foreign_digests[i], signature, len));
    }
    assert_int_equal(same_signature("MD4", "pkcs1"), 256);
    assert_int_equal(same_signature("FOLD", "pkcs1"), 0); /* RSA does not know it */
    assert_int_equal(same_signature("FOLD", "pss"), 0);
    assert_int_equal(same_signature("MD4", "x931"), 0);
    assert_int_equal(same_signature("MDC2", "pss"), 0);
    len = sign(&ours, ours.ec, "FOLD", NULL, signature); /* ECDSA takes any */
    assert_int_not_equal(len, 0);
    assert_true(verify(&theirs, theirs.ec, "FOLD", signature, len));
    assert_true(verify(&ours, ours.ec, "FOLD", signature, len));
}

static void set_properties(const char *properties)
{
    assert_int_equal(EVP_set_default_properties(octuple_ctx, properties), 1);
    assert_int_equal(EVP_set_default_properties(plain_ctx, properties), 1);
}

/* The digest that a name stands for changes with the default properties, and while it has no provider there is none. */
static void test_changes(void **state)
{
    uint8_t before[MAX_BYTES], other[MAX_BYTES], after[MAX_BYTES];

    (void)state;
    set_properties("?provider=default");
    assert_int_equal(sign(&ours, ours.rsa, "SHA256", "pkcs1", before), 256);
    set_properties("?provider=foreign");
    assert_int_equal(same_signature("SHA256", "pkcs1"), 256);
    assert_int_equal(sign(&ours, ours.rsa, "SHA256", "pkcs1", other), 256);
    assert_memory_not_equal(before, other, 256);
    assert_int_equal(OSSL_PROVIDER_unload(ours.foreign), 1);
    assert_int_equal(OSSL_PROVIDER_unload(theirs.foreign), 1);
    assert_int_equal(sign(&ours, ours.rsa, "SHA256", "pkcs1", after), 256);
    assert_memory_equal(before, after, 256);
    assert_int_equal(same_signature("MD4", "pkcs1"), 0);
    set_properties(NONE);
}

static void prepare_random(struct side *s)
{
    assert_int_equal(OSSL_PROVIDER_add_builtin(s->ctx, "foreign", foreign_init), 1);
    load_foreign(s);
    assert_int_equal(RAND_set_DRBG_type(s->ctx, FOREIGN_RAND, NULL, NULL, NULL), 1);
    assert_int_equal(RAND_set_seed_source_type(s->ctx, FOREIGN_RAND, NULL), 1);
}

static void free_random(struct side *s)
{
    assert_int_equal(OSSL_PROVIDER_unload(s->foreign), 1);
    OSSL_LIB_CTX_free(s->ctx);
}

/* A PSS signature by a generator whose bytes are known is known, too. */
static void test_random(void **state)
{
    const struct side kept_ours = ours, kept_theirs = theirs;

    (void)state;
    ours = (struct side){new_octuple_ctx(NULL), NULL, NULL, NULL};
    theirs = (struct side){OSSL_LIB_CTX_new(), NULL, NULL, NULL};
    OSSL_PROVIDER *base = OSSL_PROVIDER_load(theirs.ctx, "default");
    assert_non_null(base);
    prepare_random(&ours);
    prepare_random(&theirs);
    ours.rsa = kept_ours.rsa; /* keys are handed on to the context that signs */
    theirs.rsa = kept_theirs.rsa;
    assert_int_equal(same_signature("SHA384", "pss"), 256);
    free_random(&ours);
    assert_int_equal(OSSL_PROVIDER_unload(base), 1);
    free_random(&theirs);
    ours = kept_ours;
    theirs = kept_theirs;
}

int main(void)
{
    return RUN_TESTS(open_sides, close_sides, test_foreign, test_changes, test_random);
}
