/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* ML-DSA signatures beside OpenSSL's own: each verifies the other's, with all settings, whole and in pieces. */
#include "mldsa_keys.h"

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/params.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST 20000

struct both {
    int set;
    EVP_PKEY *ours, *theirs;
    uint8_t message[LONGEST], signature[MAX_SIGNATURE], other[MAX_SIGNATURE];
    size_t size; /* of a signature */
};

static struct both *open_both(int set)
{
    struct both *b = calloc(1, sizeof *b);

    assert_non_null(b);
    b->set = set;
    b->ours = mldsa_generate(octuple_ctx, set);
    b->theirs = mldsa_copy(plain_ctx, b->ours, set);
    b->size = oct_mldsa_signature_bytes(set);
    fill(b->message, LONGEST, (unsigned)set);
    return b;
}

static void close_both(struct both *b)
{
    EVP_PKEY_free(b->ours);
    EVP_PKEY_free(b->theirs);
    free(b);
    ERR_clear_error();
}

/* Lengths on both sides of what lanes take. */
static void test_each_other(void **state)
{
    static const size_t lengths[] = {0, 1, 146, 4096, 4097, LONGEST};

    (void)state;
    for (int set = 0; set < OCT_MLDSA_SETS; set++) {
        struct both *b = open_both(set);
        for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
            assert_true(mldsa_sign(octuple_ctx, b->ours, NULL, b->message, lengths[i], b->signature));
            assert_true(mldsa_verify(plain_ctx, b->theirs, NULL, b->message, lengths[i], b->signature, b->size));
            assert_true(mldsa_sign(plain_ctx, b->theirs, NULL, b->message, lengths[i], b->other));
            assert_true(mldsa_verify(octuple_ctx, b->ours, NULL, b->message, lengths[i], b->other, b->size));
            assert_memory_not_equal(b->signature, b->other, b->size); /* both are hedged */
        }
        close_both(b);
    }
}

static void check_same(struct both *b, const struct how *how)
{
    const struct how verified = {.context = how->context, .raw = how->raw};

    assert_true(mldsa_sign(octuple_ctx, b->ours, how, b->message, 146, b->signature));
    assert_true(mldsa_sign(plain_ctx, b->theirs, how, b->message, 146, b->other));
    assert_memory_equal(b->signature, b->other, b->size);
    assert_true(mldsa_verify(octuple_ctx, b->ours, &verified, b->message, 146, b->other, b->size));
    assert_true(mldsa_verify(plain_ctx, b->theirs, &verified, b->message, 146, b->signature, b->size));
}

/* Signatures without fresh randomness are OpenSSL's, byte for byte, wherever they ran. */
static void test_same_bytes(void **state)
{
    uint8_t entropy[OCT_MLDSA_RANDOM_BYTES];
    char longest[256];

    (void)state;
    fill(entropy, sizeof entropy, 5);
    memset(longest, 'c', 255);
    longest[255] = 0;
    for (int set = 0; set < OCT_MLDSA_SETS; set++) {
        struct both *b = open_both(set);
        const struct oct_op_counters before = mldsa_counters(oct_mldsa_sign_op(set));
        uint64_t middle;
        mldsa_prefer_lanes(set);
        check_same(b, &(struct how){.deterministic = 1});
        check_same(b, &(struct how){.deterministic = 1, .context = "a context"});
        check_same(b, &(struct how){.deterministic = 1, .context = longest});
        if (!is_slow()) /* the portable table runs nothing alone */
            assert_int_equal(mldsa_counters(oct_mldsa_sign_op(set)).done - before.done, 3);
        middle = mldsa_counters(oct_mldsa_sign_op(set)).done;
        check_same(b, &(struct how){.entropy = entropy, .context = "a context"});
        check_same(b, &(struct how){.deterministic = 1, .raw = 1});
        assert_int_equal(mldsa_counters(oct_mldsa_sign_op(set)).done, middle);
        close_both(b);
    }
}

static void test_contexts(void **state)
{
    const struct how one = {.context = "one"}, two = {.context = "two"}, empty = {.context = ""};
    char longer[257];

    (void)state;
    memset(longer, 'c', 256);
    longer[256] = 0;
    for (int set = 0; set < OCT_MLDSA_SETS; set++) {
        struct both *b = open_both(set);
        assert_true(mldsa_sign(octuple_ctx, b->ours, &one, b->message, 10, b->signature));
        assert_true(mldsa_verify(octuple_ctx, b->ours, &one, b->message, 10, b->signature, b->size));
        assert_false(mldsa_verify(octuple_ctx, b->ours, &two, b->message, 10, b->signature, b->size));
        assert_false(mldsa_verify(octuple_ctx, b->ours, NULL, b->message, 10, b->signature, b->size));
        assert_true(mldsa_sign(octuple_ctx, b->ours, NULL, b->message, 10, b->signature));
        assert_true(mldsa_verify(octuple_ctx, b->ours, &empty, b->message, 10, b->signature, b->size));
        assert_false(mldsa_sign(octuple_ctx, b->ours, &(struct how){.context = longer}, b->message, 10, b->signature));
        close_both(b);
    }
}

static void test_bad(void **state)
{
    (void)state;
    for (int set = 0; set < OCT_MLDSA_SETS; set++) {
        struct both *b = open_both(set);
        EVP_PKEY *public_key = mldsa_copy_public(octuple_ctx, b->ours, set), *other = mldsa_generate(octuple_ctx, set);
        assert_true(mldsa_sign(plain_ctx, b->theirs, NULL, b->message, 50, b->other));
        for (size_t at = 0; at < b->size; at += is_slow() ? 997 : 97) {
            b->other[at] ^= 4;
            assert_false(mldsa_verify(octuple_ctx, public_key, NULL, b->message, 50, b->other, b->size));
            b->other[at] ^= 4;
        }
        assert_true(mldsa_verify(octuple_ctx, public_key, NULL, b->message, 50, b->other, b->size));
        assert_false(mldsa_verify(octuple_ctx, public_key, NULL, b->message, 49, b->other, b->size));
        assert_false(mldsa_verify(octuple_ctx, public_key, NULL, b->message, 50, b->other, b->size - 1));
        assert_false(mldsa_verify(octuple_ctx, public_key, NULL, b->message, 50, b->other, 0));
        assert_false(mldsa_verify(octuple_ctx, other, NULL, b->message, 50, b->other, b->size));
        assert_false(mldsa_sign(octuple_ctx, public_key, NULL, b->message, 50, b->signature));
        EVP_PKEY_free(public_key);
        EVP_PKEY_free(other);
        close_both(b);
    }
}

/* A context serves again after it is initialised without a key, and keeps its settings, as does its copy. */
static void test_reuse(void **state)
{
    const struct how how = {.context = "kept"};

    (void)state;
    for (int set = 0; set < OCT_MLDSA_SETS; set++) {
        struct both *b = open_both(set);
        EVP_MD_CTX *md = EVP_MD_CTX_new(), *copy = EVP_MD_CTX_new();
        OSSL_PARAM params[] = {OSSL_PARAM_construct_octet_string("context-string", (void *)"kept", 4),
                               OSSL_PARAM_construct_end()};
        size_t len = b->size - 1;
        assert_int_equal(EVP_DigestSignInit_ex(md, NULL, NULL, octuple_ctx, NULL, b->ours, params), 1);
        assert_int_equal(EVP_MD_CTX_copy_ex(copy, md), 1);
        assert_int_equal(EVP_DigestSign(md, b->signature, &len, b->message, 9) > 0, 0);
        assert_int_equal(EVP_DigestSignInit_ex(md, NULL, NULL, octuple_ctx, NULL, NULL, NULL), 1);
        for (int i = 0; i < 3; i++) {
            EVP_MD_CTX *which = i == 2 ? copy : md;
            len = b->size;
            assert_int_equal(EVP_DigestSign(which, b->signature, &len, b->message, 9), 1);
            assert_true(mldsa_verify(plain_ctx, b->theirs, &how, b->message, 9, b->signature, b->size));
            assert_int_equal(EVP_DigestSignInit_ex(which, NULL, NULL, octuple_ctx, NULL, NULL, NULL), 1);
        }
        assert_true(EVP_DigestSignInit_ex(EVP_MD_CTX_reset(md) ? md : NULL, NULL, "SHA256", octuple_ctx, NULL, b->ours,
                                          NULL) <= 0);
        EVP_MD_CTX_free(md);
        EVP_MD_CTX_free(copy);
        close_both(b);
    }
}

/* Of OpenSSL 3.4 and later; mldsa_open() has seen to it. */
#define LATER extern __attribute__((weak))
LATER int EVP_PKEY_sign_message_init(EVP_PKEY_CTX *ctx, EVP_SIGNATURE *algorithm, const OSSL_PARAM params[]);
LATER int EVP_PKEY_sign_message_update(EVP_PKEY_CTX *ctx, const unsigned char *in, size_t len);
LATER int EVP_PKEY_sign_message_final(EVP_PKEY_CTX *ctx, unsigned char *signature, size_t *len);
LATER int EVP_PKEY_verify_message_init(EVP_PKEY_CTX *ctx, EVP_SIGNATURE *algorithm, const OSSL_PARAM params[]);
LATER int EVP_PKEY_verify_message_update(EVP_PKEY_CTX *ctx, const unsigned char *in, size_t len);
LATER int EVP_PKEY_verify_message_final(EVP_PKEY_CTX *ctx);

static int verifies_in_pieces(struct both *b, EVP_SIGNATURE *algorithm, uint8_t *signature)
{
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(octuple_ctx, b->ours, NULL);
    const OSSL_PARAM params[] = {OSSL_PARAM_construct_octet_string("signature", signature, b->size),
                                 OSSL_PARAM_construct_end()};
    int ok;

    assert_int_equal(EVP_PKEY_verify_message_init(ctx, algorithm, NULL), 1);
    assert_int_equal(EVP_PKEY_CTX_set_params(ctx, params), 1);
    assert_int_equal(EVP_PKEY_verify_message_update(ctx, b->message, 5000), 1);
    assert_int_equal(EVP_PKEY_verify_message_update(ctx, b->message + 5000, 7), 1);
    ok = EVP_PKEY_verify_message_final(ctx) == 1;
    EVP_PKEY_CTX_free(ctx);
    return ok;
}

/* 1 and the signature of two pieces, or 0. */
static int signs_in_pieces(OSSL_LIB_CTX *libctx, EVP_PKEY *key, EVP_SIGNATURE *algorithm, struct both *b)
{
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(libctx, key, NULL);
    size_t len = b->size;
    int ok;

    assert_int_equal(EVP_PKEY_sign_message_init(ctx, algorithm, NULL), 1);
    ok = EVP_PKEY_sign_message_update(ctx, b->message, 7) == 1 &&
         EVP_PKEY_sign_message_update(ctx, b->message + 7, 5000) == 1 &&
         EVP_PKEY_sign_message_final(ctx, b->signature, &len) == 1 && len == b->size;
    EVP_PKEY_CTX_free(ctx);
    return ok;
}

/* OpenSSL 3.5 has no pieces yet: then neither have we. */
static void test_pieces(void **state)
{
    (void)state;
    for (int set = 0; set < OCT_MLDSA_SETS; set++) {
        struct both *b = open_both(set);
        EVP_SIGNATURE *ours = EVP_SIGNATURE_fetch(octuple_ctx, mldsa_names[set], "provider=octuple");
        EVP_SIGNATURE *theirs = EVP_SIGNATURE_fetch(plain_ctx, mldsa_names[set], NULL);
        const int possible = signs_in_pieces(plain_ctx, b->theirs, theirs, b);
        assert_int_equal(signs_in_pieces(octuple_ctx, b->ours, ours, b), possible);
        if (possible) {
            assert_true(mldsa_verify(plain_ctx, b->theirs, NULL, b->message, 5007, b->signature, b->size));
            assert_true(verifies_in_pieces(b, ours, b->signature));
            b->signature[9] ^= 1;
            assert_false(verifies_in_pieces(b, ours, b->signature));
        }
        EVP_SIGNATURE_free(ours);
        EVP_SIGNATURE_free(theirs);
        close_both(b);
    }
}

/* By EVP_PKEY_sign() after an initialisation for messages, which is how newer programs do it. */
static void test_message_init(void **state)
{
    (void)state;
    for (int set = 0; set < OCT_MLDSA_SETS; set++) {
        struct both *b = open_both(set);
        EVP_SIGNATURE *ours = EVP_SIGNATURE_fetch(octuple_ctx, mldsa_names[set], "provider=octuple");
        EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(octuple_ctx, b->ours, NULL);
        size_t len = b->size;
        assert_int_equal(EVP_PKEY_sign_message_init(ctx, ours, NULL), 1);
        assert_int_equal(EVP_PKEY_sign(ctx, b->signature, &len, b->message, 100), 1);
        assert_true(mldsa_verify(plain_ctx, b->theirs, NULL, b->message, 100, b->signature, len));
        assert_int_equal(EVP_PKEY_verify_message_init(ctx, ours, NULL), 1);
        assert_int_equal(EVP_PKEY_verify(ctx, b->signature, len, b->message, 100), 1);
        assert_int_equal(EVP_PKEY_verify(ctx, b->signature, len, b->message, 99) == 1, 0);
        EVP_PKEY_CTX_free(ctx);
        EVP_SIGNATURE_free(ours);
        close_both(b);
    }
}

int main(void)
{
    return RUN_TESTS(mldsa_open, close_contexts, test_each_other, test_same_bytes, test_contexts, test_bad, test_reuse,
                     test_pieces, test_message_init);
}
