/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Encryption and decryption, both ways against OpenSSL alone, in lanes and on the fallback; the TLS pre-master secret;
 * bad input. */
#include "common.h"

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/params.h>
#include <string.h>

struct scheme {
    int pad_mode;
    const char *digest, *mgf1, *label;
    size_t overhead; /* bytes that the padding takes; the longest message is that much shorter than the modulus */
};

static const struct scheme schemes[] = {
    {RSA_PKCS1_PADDING, NULL, NULL, NULL, 11},
    {RSA_PKCS1_OAEP_PADDING, "SHA256", NULL, NULL, 66},
    {RSA_NO_PADDING, NULL, NULL, NULL, 0},
    /* From here on the quick table only. */
    {RSA_PKCS1_OAEP_PADDING, NULL, NULL, NULL, 42},
    {RSA_PKCS1_OAEP_PADDING, "SHA1", "SHA256", "a label", 42},
    {RSA_PKCS1_OAEP_PADDING, "SHA384", "SHA384", NULL, 98},
    {RSA_PKCS1_OAEP_PADDING, "SHA512", "SHA1", "x", 130},
    {RSA_PKCS1_OAEP_PADDING, "SHA3-256", NULL, NULL, 66},
};

struct work {
    EVP_PKEY *key;
    const struct scheme *scheme;
    OSSL_LIB_CTX *ctx;
    uint8_t message[EIGHT][MAX_BYTES], ciphertext[EIGHT][MAX_BYTES];
    size_t len[EIGHT], ciphertext_len[EIGHT];
    int expected;
};

static EVP_PKEY_CTX *new_ctx(const struct work *work, int (*init)(EVP_PKEY_CTX *))
{
    const struct scheme *s = work->scheme;
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(work->ctx, work->key, NULL);
    int ok = ctx != NULL && init(ctx) > 0 && EVP_PKEY_CTX_set_rsa_padding(ctx, s->pad_mode) > 0 &&
             (s->digest == NULL || EVP_PKEY_CTX_set_rsa_oaep_md_name(ctx, s->digest, NULL) > 0) &&
             (s->mgf1 == NULL || EVP_PKEY_CTX_set_rsa_mgf1_md_name(ctx, s->mgf1, NULL) > 0) &&
             (s->label == NULL ||
              EVP_PKEY_CTX_set0_rsa_oaep_label(ctx, OPENSSL_strdup(s->label), (int)strlen(s->label)) > 0);

    if (ok)
        return ctx;
    EVP_PKEY_CTX_free(ctx);
    return NULL;
}

static int encrypt_one(int i, void *arg)
{
    struct work *work = arg;
    EVP_PKEY_CTX *ctx = new_ctx(work, EVP_PKEY_encrypt_init);
    int ok;

    work->ciphertext_len[i] = MAX_BYTES;
    ok = ctx != NULL &&
         EVP_PKEY_encrypt(ctx, work->ciphertext[i], &work->ciphertext_len[i], work->message[i], work->len[i]) > 0;
    EVP_PKEY_CTX_free(ctx);
    return ok;
}

static int decrypt_one(int i, void *arg)
{
    struct work *work = arg;
    EVP_PKEY_CTX *ctx = new_ctx(work, EVP_PKEY_decrypt_init);
    uint8_t out[MAX_BYTES];
    size_t len = sizeof out;
    int ok = ctx != NULL && EVP_PKEY_decrypt(ctx, out, &len, work->ciphertext[i], work->ciphertext_len[i]) > 0 &&
             len == work->len[i] && memcmp(out, work->message[i], len) == 0;

    EVP_PKEY_CTX_free(ctx);
    return ok == work->expected;
}

static void use(struct work *work, OSSL_LIB_CTX *ctx, EVP_PKEY *key)
{
    work->ctx = ctx;
    work->key = key;
}

static void outside_fibres(struct work *work, int (*one)(int, void *))
{
    for (int i = 0; i < EIGHT; i++)
        assert_true(one(i, work));
}

/* Messages from empty to the longest possible. */
static void make_messages(struct work *work, const EVP_PKEY *key)
{
    const size_t longest = (size_t)EVP_PKEY_get_size(key) - work->scheme->overhead;

    for (int i = 0; i < EIGHT; i++) {
        work->len[i] = work->scheme->pad_mode == RSA_NO_PADDING ? longest : longest * (size_t)i / (EIGHT - 1);
        fill(work->message[i], work->len[i], (unsigned)i + 77);
        if (work->scheme->pad_mode == RSA_NO_PADDING)
            work->message[i][0] = 0;
    }
}

static void check_scheme(struct work *work, EVP_PKEY *ours, EVP_PKEY *public_ours, EVP_PKEY *theirs)
{
    work->expected = 1;
    make_messages(work, ours);
    use(work, octuple_ctx, public_ours);
    run_fibres(EIGHT, encrypt_one, work);
    use(work, plain_ctx, theirs);
    outside_fibres(work, decrypt_one);
    outside_fibres(work, encrypt_one);
    use(work, octuple_ctx, ours);
    run_fibres(EIGHT, decrypt_one, work);
    outside_fibres(work, decrypt_one);
    /* What implicit rejection returns has a random length, and is empty once in some 250 times: the empty message gives
     * its place to the longest, which cannot come back by chance. */
    work->len[0] = work->len[EIGHT - 1];
    memcpy(work->message[0], work->message[EIGHT - 1], work->len[0]);
    memcpy(work->ciphertext[0], work->ciphertext[EIGHT - 1], work->ciphertext_len[EIGHT - 1]);
    for (int i = 0; i < EIGHT; i++)
        work->ciphertext[i][work->ciphertext_len[i] - 1] ^= 1;
    work->expected = 0;
    run_fibres(EIGHT, decrypt_one, work);
    ERR_clear_error();
}

static void check_key(const char *name, size_t count)
{
    EVP_PKEY *ours = load_key(octuple_ctx, name), *theirs = load_key(plain_ctx, name);
    EVP_PKEY *public_ours = load_public_key(octuple_ctx, name);
    struct work *work = test_calloc(1, sizeof *work);

    for (size_t i = 0; i < count; i++) {
        work->scheme = &schemes[i];
        if ((size_t)EVP_PKEY_get_size(ours) > work->scheme->overhead)
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
        check_key(lane_keys[i], is_slow() ? 3 : sizeof schemes / sizeof schemes[0]);
    assert_true(lanes_done() - before >= 5 * 3 * EIGHT);
}

static void test_plain_keys(void **state)
{
    (void)state;
    for (int i = 0; plain_keys[i] != NULL; i++)
        check_key(plain_keys[i], sizeof schemes / sizeof schemes[0]);
}

#define PREMASTER 48

struct tls_work {
    EVP_PKEY *key;
    uint8_t ciphertext[EIGHT][512], secret[EIGHT][PREMASTER], out[EIGHT][PREMASTER];
    size_t ciphertext_len;
    unsigned version, other;
};

static int decrypt_tls(int i, void *arg)
{
    struct tls_work *work = arg;
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(octuple_ctx, work->key, NULL);
    OSSL_PARAM params[] = {
        OSSL_PARAM_construct_uint(OSSL_ASYM_CIPHER_PARAM_TLS_CLIENT_VERSION, &work->version),
        OSSL_PARAM_construct_uint(OSSL_ASYM_CIPHER_PARAM_TLS_NEGOTIATED_VERSION, &work->other),
        OSSL_PARAM_construct_end(),
    };
    size_t len = PREMASTER;
    int ok =
        ctx != NULL && EVP_PKEY_decrypt_init(ctx) > 0 &&
        EVP_PKEY_CTX_set_rsa_padding(ctx, RSA_PKCS1_WITH_TLS_PADDING) > 0 && EVP_PKEY_CTX_set_params(ctx, params) > 0 &&
        EVP_PKEY_decrypt(ctx, work->out[i], &len, work->ciphertext[i], work->ciphertext_len) > 0 && len == PREMASTER;

    EVP_PKEY_CTX_free(ctx);
    return ok;
}

/* Encrypts a block as it stands, by OpenSSL alone. */
static void encrypt_block(EVP_PKEY *key, uint8_t *out, const uint8_t *block, size_t size)
{
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(plain_ctx, key, NULL);
    size_t len = size;

    assert_true(EVP_PKEY_encrypt_init(ctx) > 0 && EVP_PKEY_CTX_set_rsa_padding(ctx, RSA_NO_PADDING) > 0);
    assert_true(EVP_PKEY_encrypt(ctx, out, &len, block, size) > 0);
    EVP_PKEY_CTX_free(ctx);
}

/* Eight blocks: 0 to 2 good (one with the other version), the rest bad in eight different ways. */
static void tls_block(int i, uint8_t *block, size_t size, uint8_t secret[PREMASTER])
{
    fill(secret, PREMASTER, (unsigned)i + 5);
    secret[0] = 3;
    secret[1] = i == 2 ? 2 : 3;
    memset(block, 0x77, size);
    block[0] = 0;
    block[1] = 2;
    block[size - PREMASTER - 1] = 0;
    memcpy(block + size - PREMASTER, secret, PREMASTER);
    if (i == 3)
        block[1] = 1;
    else if (i == 4)
        block[size - PREMASTER - 1] = 9;
    else if (i == 5)
        block[size - PREMASTER] = 4;
    else if (i == 6)
        block[40] = 0;
    else if (i == 7)
        block[2] = 0;
}

static void check_tls(const char *name)
{
    EVP_PKEY *theirs = load_key(plain_ctx, name);
    struct tls_work *work = test_calloc(1, sizeof *work);
    uint8_t block[512];

    work->key = load_key(octuple_ctx, name);
    work->ciphertext_len = (size_t)EVP_PKEY_get_size(theirs);
    work->version = 0x0303;
    work->other = 0x0302;
    for (int i = 0; i < EIGHT; i++) {
        tls_block(i, block, work->ciphertext_len, work->secret[i]);
        encrypt_block(theirs, work->ciphertext[i], block, work->ciphertext_len);
    }
    for (int round = 0; round < 2; round++) {
        if (round == 0)
            run_fibres(EIGHT, decrypt_tls, work);
        else
            for (int i = 0; i < EIGHT; i++)
                assert_true(decrypt_tls(i, work));
        for (int i = 0; i < EIGHT; i++) {
            assert_int_equal(memcmp(work->out[i], work->secret[i], PREMASTER) == 0, i < 3);
            for (int j = 0; j < i; j++) /* bad ones get random secrets, each another */
                assert_memory_not_equal(work->out[i], work->out[j], PREMASTER);
        }
    }
    work->ciphertext_len = 0; /* the number 0: a random secret too */
    assert_true(decrypt_tls(0, work));
    assert_memory_not_equal(work->out[0], work->secret[0], PREMASTER);
    work->ciphertext_len = (size_t)EVP_PKEY_get_size(theirs);
    assert_int_equal(ERR_peek_error(), 0); /* nothing in the queue tells */
    work->version = 0;
    assert_false(decrypt_tls(0, work));
    ERR_clear_error();
    EVP_PKEY_free(work->key);
    EVP_PKEY_free(theirs);
    test_free(work);
}

static void test_tls(void **state)
{
    (void)state;
    for (int i = 0; all_keys[i] != NULL; i++)
        check_tls(all_keys[i]);
}

static void test_bad_input(void **state)
{
    EVP_PKEY *key = load_key(octuple_ctx, "2048a"), *public_key = load_public_key(octuple_ctx, "2048a");
    struct work *work = test_calloc(1, sizeof *work);
    uint8_t out[257], untouched[257], in[300];
    EVP_PKEY_CTX *ctx;
    size_t len;

    (void)state;
    memset(out, 0x5a, sizeof out);
    memset(untouched, 0x5a, sizeof untouched);
    memset(in, 0xff, sizeof in);
    for (size_t s = 0; s < 3; s++) {
        work->scheme = &schemes[s];
        use(work, octuple_ctx, key);
        ctx = new_ctx(work, EVP_PKEY_decrypt_init);
        assert_int_equal(EVP_PKEY_decrypt(ctx, NULL, &len, in, 256), 1);
        assert_int_equal(len, 256);
        len = 255;
        assert_true(EVP_PKEY_decrypt(ctx, out, &len, in, 256) <= 0); /* output too small */
        len = 256;
        assert_true(EVP_PKEY_decrypt(ctx, out, &len, in, 257) <= 0); /* input too long */
        assert_true(EVP_PKEY_decrypt(ctx, out, &len, in, 0) <= 0);
        assert_true(EVP_PKEY_decrypt(ctx, out, &len, in, 256) <= 0); /* not below the modulus */
        EVP_PKEY_CTX_free(ctx);
        use(work, octuple_ctx, public_key);
        ctx = new_ctx(work, EVP_PKEY_encrypt_init);
        len = 256;
        assert_true(EVP_PKEY_encrypt(ctx, out, &len, in, 257 - schemes[s].overhead) <= 0); /* message too long */
        len = 255;
        assert_true(EVP_PKEY_encrypt(ctx, out, &len, in, 100) <= 0);
        EVP_PKEY_CTX_free(ctx);
        ctx = new_ctx(work, EVP_PKEY_decrypt_init); /* a public key does not decrypt */
        in[0] = 0;
        len = 256;
        assert_true(ctx == NULL || EVP_PKEY_decrypt(ctx, out, &len, in, 256) <= 0);
        in[0] = 0xff;
        EVP_PKEY_CTX_free(ctx);
    }
    assert_memory_equal(out, untouched, sizeof out);
    ERR_clear_error();
    test_free(work);
    EVP_PKEY_free(key);
    EVP_PKEY_free(public_key);
}

int main(void)
{
    return RUN_TESTS(open_contexts, close_contexts, test_lane_keys, test_plain_keys, test_tls, test_bad_input);
}
