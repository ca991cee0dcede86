/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * SM2 in the provider against OpenSSL alone: keys both ways, digests and messages with identifiers, what is refused,
 * encryption, which stays OpenSSL's own; and batches in fibres, bad signatures among good ones, whose lanes the
 * counters show.
 */
#include "common.h"

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/params.h>
#include <string.h>

#define SIGNATURE 72
#define DIGEST    32
#define KEYS      16

static EVP_PKEY *generate(OSSL_LIB_CTX *ctx)
{
    EVP_PKEY_CTX *pctx = EVP_PKEY_CTX_new_from_name(ctx, "SM2", NULL);
    EVP_PKEY *key = NULL;

    assert_true(pctx != NULL && EVP_PKEY_keygen_init(pctx) > 0 && EVP_PKEY_generate(pctx, &key) > 0);
    EVP_PKEY_CTX_free(pctx);
    assert_int_equal(is_ours(key), ctx != plain_ctx);
    return key;
}

/* The same key in the other context. */
static EVP_PKEY *copy(OSSL_LIB_CTX *ctx, const EVP_PKEY *key, int selection)
{
    EVP_PKEY_CTX *pctx = EVP_PKEY_CTX_new_from_name(ctx, "SM2", NULL);
    OSSL_PARAM *params = NULL;
    EVP_PKEY *made = NULL;

    assert_true(EVP_PKEY_todata(key, selection, &params));
    assert_true(pctx != NULL && EVP_PKEY_fromdata_init(pctx) > 0 &&
                EVP_PKEY_fromdata(pctx, &made, selection, params) > 0);
    OSSL_PARAM_free(params);
    EVP_PKEY_CTX_free(pctx);
    assert_int_equal(is_ours(made), ctx != plain_ctx);
    return made;
}

static int sign(OSSL_LIB_CTX *ctx, EVP_PKEY *key, const uint8_t *tbs, size_t tbs_len, uint8_t *out, size_t *len)
{
    EVP_PKEY_CTX *pctx = EVP_PKEY_CTX_new_from_pkey(ctx, key, NULL);
    int ok;

    *len = SIGNATURE;
    ok = pctx != NULL && EVP_PKEY_sign_init(pctx) > 0 && EVP_PKEY_sign(pctx, out, len, tbs, tbs_len) > 0;
    EVP_PKEY_CTX_free(pctx);
    return ok;
}

static int verify(OSSL_LIB_CTX *ctx, EVP_PKEY *key, const uint8_t *tbs, size_t tbs_len, const uint8_t *in, size_t len)
{
    EVP_PKEY_CTX *pctx = EVP_PKEY_CTX_new_from_pkey(ctx, key, NULL);
    const int ok = pctx != NULL && EVP_PKEY_verify_init(pctx) > 0 && EVP_PKEY_verify(pctx, in, len, tbs, tbs_len) == 1;

    EVP_PKEY_CTX_free(pctx);
    return ok;
}

/* A context for a message with an identifier, which NULL leaves out. */
static EVP_MD_CTX *message_ctx(OSSL_LIB_CTX *ctx, EVP_PKEY *key, const char *id, int verifies)
{
    EVP_MD_CTX *md = EVP_MD_CTX_new();
    EVP_PKEY_CTX *pctx = NULL;

    assert_true((verifies ? EVP_DigestVerifyInit_ex(md, &pctx, "SM3", ctx, NULL, key, NULL)
                          : EVP_DigestSignInit_ex(md, &pctx, "SM3", ctx, NULL, key, NULL)) > 0);
    if (id != NULL)
        assert_true(EVP_PKEY_CTX_set1_id(pctx, id, strlen(id)) > 0);
    return md;
}

static size_t sign_message(OSSL_LIB_CTX *ctx, EVP_PKEY *key, const char *id, const uint8_t *message, size_t len,
                           uint8_t *out)
{
    EVP_MD_CTX *md = message_ctx(ctx, key, id, 0);
    size_t out_len = SIGNATURE;

    assert_true(EVP_DigestSignUpdate(md, message, len / 3) > 0);
    assert_true(EVP_DigestSignUpdate(md, message + len / 3, len - len / 3) > 0);
    assert_true(EVP_DigestSignFinal(md, out, &out_len) > 0);
    EVP_MD_CTX_free(md);
    return out_len;
}

static int verify_message(OSSL_LIB_CTX *ctx, EVP_PKEY *key, const char *id, const uint8_t *message, size_t len,
                          const uint8_t *in, size_t in_len)
{
    EVP_MD_CTX *md = message_ctx(ctx, key, id, 1);
    const int ok = EVP_DigestVerify(md, in, in_len, message, len) == 1;

    EVP_MD_CTX_free(md);
    return ok;
}

static void test_keys(void **state)
{
    EVP_PKEY *ours = generate(octuple_ctx), *theirs = copy(plain_ctx, ours, EVP_PKEY_KEYPAIR);
    EVP_PKEY *back = copy(octuple_ctx, theirs, EVP_PKEY_KEYPAIR),
             *public = copy(octuple_ctx, ours, EVP_PKEY_PUBLIC_KEY);
    EVP_PKEY *other = generate(octuple_ctx), *dup = EVP_PKEY_dup(ours);
    EVP_PKEY_CTX *check = EVP_PKEY_CTX_new_from_pkey(plain_ctx, theirs, NULL);
    EVP_PKEY_CTX *own_check = EVP_PKEY_CTX_new_from_pkey(octuple_ctx, ours, NULL);
    char name[2][20];

    (void)state;
    assert_int_equal(EVP_PKEY_check(check), 1);
    assert_int_equal(EVP_PKEY_check(own_check), 1);
    assert_int_equal(EVP_PKEY_eq(ours, back), 1);
    assert_int_equal(EVP_PKEY_eq(ours, public), 1);
    assert_int_equal(EVP_PKEY_eq(ours, dup), 1);
    assert_int_equal(EVP_PKEY_eq(ours, other), 0);
    assert_int_equal(EVP_PKEY_get_size(ours), EVP_PKEY_get_size(theirs));
    assert_int_equal(EVP_PKEY_get_bits(ours), EVP_PKEY_get_bits(theirs));
    assert_int_equal(EVP_PKEY_get_security_bits(ours), EVP_PKEY_get_security_bits(theirs));
    assert_int_equal(EVP_PKEY_get_default_digest_name(ours, name[0], sizeof name[0]),
                     EVP_PKEY_get_default_digest_name(theirs, name[1], sizeof name[1]));
    assert_string_equal(name[0], name[1]);
    EVP_PKEY_CTX_free(check);
    EVP_PKEY_CTX_free(own_check);
    EVP_PKEY *const all[] = {ours, theirs, back, public, other, dup};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        EVP_PKEY_free(all[i]);
}

/* Signed here and verified there, and the other way; another digest, and other lengths, are refused by both. */
static void test_digests(void **state)
{
    EVP_PKEY *key[2] = {generate(octuple_ctx), NULL};
    OSSL_LIB_CTX *ctx[2] = {octuple_ctx, plain_ctx};
    uint8_t digest[64], signature[2][SIGNATURE];
    size_t len[2];

    (void)state;
    key[1] = copy(plain_ctx, key[0], EVP_PKEY_KEYPAIR);
    fill(digest, sizeof digest, 7);
    for (int i = 0; i < 2; i++) {
        assert_true(sign(ctx[i], key[i], digest, DIGEST, signature[i], &len[i]));
        assert_false(sign(ctx[i], key[i], digest, DIGEST - 1, signature[1 - i], &len[1 - i]));
        assert_false(sign(ctx[i], key[i], digest, DIGEST + 1, signature[1 - i], &len[1 - i]));
    }
    for (int i = 0; i < 2; i++)
        assert_true(sign(ctx[i], key[i], digest, DIGEST, signature[i], &len[i]));
    for (int i = 0; i < 4; i++) {
        const int maker = i & 1, user = i >> 1;
        uint8_t spoilt[SIGNATURE];
        memcpy(spoilt, signature[maker], len[maker]);
        spoilt[len[maker] - 1] ^= 1;
        assert_true(verify(ctx[user], key[user], digest, DIGEST, signature[maker], len[maker]));
        assert_false(verify(ctx[user], key[user], digest + 1, DIGEST, signature[maker], len[maker]));
        assert_false(verify(ctx[user], key[user], digest, DIGEST - 1, signature[maker], len[maker]));
        assert_false(verify(ctx[user], key[user], digest, DIGEST, signature[maker], len[maker] - 1));
        assert_false(verify(ctx[user], key[user], digest, DIGEST, spoilt, len[maker]));
    }
    EVP_PKEY_free(key[0]);
    EVP_PKEY_free(key[1]);
    ERR_clear_error();
}

static void test_messages(void **state)
{
    static const char *const ids[] = {NULL, "1234567812345678", "TLSv1.3+GM+Cipher+Suite", "x"};
    EVP_PKEY *key[2] = {generate(octuple_ctx), NULL};
    OSSL_LIB_CTX *ctx[2] = {octuple_ctx, plain_ctx};
    uint8_t message[500], signature[SIGNATURE];

    (void)state;
    key[1] = copy(plain_ctx, key[0], EVP_PKEY_KEYPAIR);
    fill(message, sizeof message, 3);
    for (unsigned round = 0; round < 16; round++) {
        const unsigned maker = round & 1, id = round / 4, user = round >> 1 & 1;
        const size_t size = 31 * (size_t)round;
        const size_t len = sign_message(ctx[maker], key[maker], ids[id], message, size, signature);
        assert_true(verify_message(ctx[user], key[user], ids[id], message, size, signature, len));
        assert_false(verify_message(ctx[user], key[user], "another", message, size, signature, len));
        assert_false(verify_message(ctx[user], key[user], ids[id], message, size + 1, signature, len));
    }
    EVP_PKEY_free(key[0]);
    EVP_PKEY_free(key[1]);
    ERR_clear_error();
}

/* Another digest than SM3, an identifier that comes after the message has begun: not here, and not there. */
static void test_refused(void **state)
{
    OSSL_LIB_CTX *ctx[2] = {octuple_ctx, plain_ctx};
    unsigned long reason[2];

    (void)state;
    for (int i = 0; i < 2; i++) {
        EVP_PKEY *key = generate(ctx[i]), *public = copy(ctx[i], key, EVP_PKEY_PUBLIC_KEY);
        EVP_MD_CTX *md = EVP_MD_CTX_new();
        uint8_t signature[SIGNATURE], digest[DIGEST] = {1};
        size_t len;
        ERR_clear_error();
        assert_true(EVP_DigestSignInit_ex(md, NULL, "SHA256", ctx[i], NULL, key, NULL) <= 0);
        reason[i] = ERR_peek_last_error();
        EVP_MD_CTX_free(md);
        md = message_ctx(ctx[i], key, NULL, 0);
        assert_true(EVP_DigestSignUpdate(md, "m", 1) > 0);
        assert_true(EVP_PKEY_CTX_set1_id(EVP_MD_CTX_get_pkey_ctx(md), "id", 2) <= 0);
        EVP_MD_CTX_free(md);
        assert_false(sign(ctx[i], public, digest, DIGEST, signature, &len));
        EVP_PKEY_free(key);
        EVP_PKEY_free(public);
    }
    assert_int_equal(ERR_GET_LIB(reason[0]), ERR_GET_LIB(reason[1]));
    assert_int_equal(ERR_GET_REASON(reason[0]), ERR_GET_REASON(reason[1]));
    ERR_clear_error();
}

/* Encryption goes to OpenSSL's own, by export of the key. */
static void test_encryption(void **state)
{
    EVP_PKEY *key = generate(octuple_ctx);
    EVP_PKEY_CTX *in = EVP_PKEY_CTX_new_from_pkey(octuple_ctx, key, NULL);
    EVP_PKEY_CTX *out = EVP_PKEY_CTX_new_from_pkey(octuple_ctx, key, NULL);
    uint8_t text[20] = "eight lanes", secret[200], back[200];
    size_t secret_len = sizeof secret, len = sizeof back;

    (void)state;
    assert_true(EVP_PKEY_encrypt_init(in) > 0 && EVP_PKEY_encrypt(in, secret, &secret_len, text, sizeof text) > 0);
    assert_true(EVP_PKEY_decrypt_init(out) > 0 && EVP_PKEY_decrypt(out, back, &len, secret, secret_len) > 0);
    assert_int_equal(len, sizeof text);
    assert_memory_equal(back, text, sizeof text);
    EVP_PKEY_CTX_free(in);
    EVP_PKEY_CTX_free(out);
    EVP_PKEY_free(key);
}

struct work {
    EVP_PKEY *key[KEYS], *theirs[KEYS];
    uint8_t digest[KEYS][DIGEST], signature[KEYS][SIGNATURE];
    size_t len[KEYS];
    uint32_t bad; /* bit i: fibre i is to find its signature bad */
};

static int sign_in_fibre(int i, void *arg)
{
    struct work *w = arg;
    uint8_t signature[SIGNATURE];
    size_t len;

    return sign(octuple_ctx, w->key[i], w->digest[i], DIGEST, signature, &len) &&
           verify(plain_ctx, w->theirs[i], w->digest[i], DIGEST, signature, len);
}

static int verify_in_fibre(int i, void *arg)
{
    struct work *w = arg;
    uint8_t digest[DIGEST];

    memcpy(digest, w->digest[i], DIGEST);
    digest[i] ^= (uint8_t)(w->bad >> i & 1);
    return verify(octuple_ctx, w->key[i], digest, DIGEST, w->signature[i], w->len[i]) == !(w->bad >> i & 1);
}

static uint64_t done(int op)
{
    struct oct_counters counters;
    oct_counters_read(&counters);
    return counters.op[op].done;
}

static void test_batches(void **state)
{
    static const int counts[] = {1, 2, 7, 8, 9, KEYS};
    const uint64_t signed_before = done(OCT_OP_SM2_SIGN), verified_before = done(OCT_OP_SM2_VERIFY);
    struct work w = {.bad = 0};

    (void)state;
    for (int i = 0; i < KEYS; i++) {
        w.key[i] = generate(octuple_ctx);
        w.theirs[i] = copy(plain_ctx, w.key[i], EVP_PKEY_KEYPAIR);
        fill(w.digest[i], DIGEST, (unsigned)i);
        assert_true(sign(plain_ctx, w.theirs[i], w.digest[i], DIGEST, w.signature[i], &w.len[i]));
    }
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        for (int j = 0; j < 64; j++) {
            oct_queue_note_fallback(oct_queue_thread(), OCT_OP_SM2_SIGN, 10000000000u);
            oct_queue_note_fallback(oct_queue_thread(), OCT_OP_SM2_VERIFY, 10000000000u);
        }
        w.bad = 0x5a5a >> i;
        run_fibres(counts[i], sign_in_fibre, &w);
        run_fibres(counts[i], verify_in_fibre, &w);
    }
    assert_true(done(OCT_OP_SM2_SIGN) - signed_before >= 30);     /* of 43 */
    assert_true(done(OCT_OP_SM2_VERIFY) - verified_before >= 10); /* bad ones are not done, but failed */
    assert_int_equal(oct_queue_waiting(oct_queue_thread()), 0);
    for (int i = 0; i < KEYS; i++) {
        EVP_PKEY_free(w.key[i]);
        EVP_PKEY_free(w.theirs[i]);
    }
    ERR_clear_error();
}

int main(void)
{
    return RUN_TESTS(open_contexts, close_contexts, test_keys, test_digests, test_messages, test_refused,
                     test_encryption, test_batches);
}
