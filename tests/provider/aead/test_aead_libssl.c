/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* ctest: RUNS tiers LINKS OpenSSL::SSL EXPORTS */
/*
 * libssl's record layers on our ciphers: each suite, 20 MB each way between a side with Octuple and one of OpenSSL
 * alone.
 *
 * Functions of liboctuple.so are counted on their way: which of them ran, how often, and that no key was made and no
 * memory taken while records went by.
 */
#include "common.h"

#include <dlfcn.h>
#include <openssl/ssl.h>
#include <stdlib.h>
#include <string.h>

#define EACH_WAY (20 << 20)
#define CHUNK    (1 << 16)

static unsigned long seals, opens, streams, key_inits;

#define REAL(name)                                                                                                     \
    static __typeof__(name) *real;                                                                                     \
    if (real == NULL)                                                                                                  \
    real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

OCT_API int oct_aead_seal(const struct oct_aead_key *key, const uint8_t *nonce, const uint8_t *aad, size_t aad_len,
                          const uint8_t *in, size_t len, uint8_t *out, uint8_t *tag)
{
    REAL(oct_aead_seal);
    seals++;
    return real(key, nonce, aad, aad_len, in, len, out, tag);
}

OCT_API int oct_aead_open(const struct oct_aead_key *key, const uint8_t *nonce, const uint8_t *aad, size_t aad_len,
                          const uint8_t *in, size_t len, uint8_t *out, const uint8_t *tag)
{
    REAL(oct_aead_open);
    opens++;
    return real(key, nonce, aad, aad_len, in, len, out, tag);
}

OCT_API int oct_aead_stream_init(struct oct_aead_stream *stream, const struct oct_aead_key *key, const uint8_t *iv,
                                 size_t iv_len, int sealing)
{
    REAL(oct_aead_stream_init);
    streams++;
    return real(stream, key, iv, iv_len, sealing);
}

OCT_API int oct_aead_key_init(void *memory, int aead, const uint8_t *bytes, size_t len)
{
    REAL(oct_aead_key_init);
    key_inits++;
    return real(memory, aead, bytes, len);
}

static X509 *make_certificate(EVP_PKEY *key)
{
    X509 *x = X509_new();
    X509_NAME *name = X509_NAME_new();

    assert_int_equal(X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, (const uint8_t *)"localhost", -1, -1, 0), 1);
    assert_int_equal(X509_set_subject_name(x, name), 1);
    assert_int_equal(X509_set_issuer_name(x, name), 1);
    X509_NAME_free(name);
    assert_int_equal(ASN1_INTEGER_set(X509_get_serialNumber(x), 1), 1);
    assert_non_null(X509_gmtime_adj(X509_getm_notBefore(x), 0));
    assert_non_null(X509_gmtime_adj(X509_getm_notAfter(x), 3600));
    assert_int_equal(X509_set_pubkey(x, key), 1);
    assert_true(X509_sign(x, key, EVP_sha256()) > 0);
    return x;
}

struct suite {
    int version;
    const char *name;
};

static const struct suite suites[] = {
    {TLS1_3_VERSION, "TLS_AES_128_GCM_SHA256"},       {TLS1_3_VERSION, "TLS_AES_256_GCM_SHA384"},
    {TLS1_3_VERSION, "TLS_CHACHA20_POLY1305_SHA256"}, {TLS1_2_VERSION, "ECDHE-RSA-AES128-GCM-SHA256"},
    {TLS1_2_VERSION, "ECDHE-RSA-AES256-GCM-SHA384"},  {TLS1_2_VERSION, "ECDHE-RSA-CHACHA20-POLY1305"},
};

static SSL_CTX *make_ctx(OSSL_LIB_CTX *libctx, const struct suite *suite, int server)
{
    SSL_CTX *ctx = SSL_CTX_new_ex(libctx, NULL, server ? TLS_server_method() : TLS_client_method());

    assert_non_null(ctx);
    assert_int_equal(SSL_CTX_set_min_proto_version(ctx, suite->version), 1);
    assert_int_equal(SSL_CTX_set_max_proto_version(ctx, suite->version), 1);
    if (suite->version == TLS1_3_VERSION)
        assert_int_equal(SSL_CTX_set_ciphersuites(ctx, suite->name), 1);
    else
        assert_int_equal(SSL_CTX_set_cipher_list(ctx, suite->name), 1);
    if (server) {
        EVP_PKEY *key = load_key(plain_ctx, "2048a");
        X509 *x = make_certificate(key);
        assert_int_equal(SSL_CTX_use_certificate(ctx, x), 1);
        assert_int_equal(SSL_CTX_use_PrivateKey(ctx, key), 1);
        X509_free(x);
        EVP_PKEY_free(key);
    }
    return ctx;
}

/* A client and a server, connected in memory. */
static void make_pair(OSSL_LIB_CTX *client, OSSL_LIB_CTX *server, const struct suite *suite, SSL *ssl[2])
{
    BIO *bio[2];

    assert_int_equal(BIO_new_bio_pair(&bio[0], 2 * CHUNK, &bio[1], 2 * CHUNK), 1);
    for (int i = 0; i < 2; i++) {
        SSL_CTX *ctx = make_ctx(i ? server : client, suite, i);
        ssl[i] = SSL_new(ctx);
        SSL_set_bio(ssl[i], bio[i], bio[i]);
        SSL_CTX_free(ctx);
    }
    SSL_set_connect_state(ssl[0]);
    SSL_set_accept_state(ssl[1]);
    for (int turns = 0; turns < 20; turns++)
        (void)SSL_do_handshake(ssl[turns & 1]);
    assert_true(SSL_is_init_finished(ssl[0]) && SSL_is_init_finished(ssl[1]));
    assert_string_equal(SSL_get_cipher_name(ssl[0]), suite->name);
}

/* One chunk across, in writes of `piece` bytes. */
static void transfer(SSL *from, SSL *to, const uint8_t *data, uint8_t *got, size_t len, size_t piece)
{
    for (size_t sent = 0, received = 0; received < len;) {
        const size_t n = len - sent < piece ? len - sent : piece;
        size_t done;
        if (n > 0 && SSL_write_ex(from, data + sent, n, &done))
            sent += done;
        while (received < len && SSL_read_ex(to, got + received, len - received, &done))
            received += done;
    }
}

/* In records of all sizes from `least` bytes on. */
static void run_suite(OSSL_LIB_CTX *client, OSSL_LIB_CTX *server, const struct suite *suite, size_t each_way,
                      size_t least)
{
    static uint8_t data[CHUNK], got[CHUNK];
    SSL *ssl[2];
    uint8_t one;
    size_t n;

    make_pair(client, server, suite, ssl);
    /* Session tickets come with the first record. */
    assert_int_equal(SSL_write_ex(ssl[1], "x", 1, &n), 1);
    assert_int_equal(SSL_read_ex(ssl[0], &one, 1, &n), 1);
    seals = opens = streams = key_inits = 0;
    for (size_t done = 0; done < each_way; done += 2 * CHUNK) {
        for (int way = 0; way < 2; way++) {
            const size_t piece = done % (16 * CHUNK) ? CHUNK / 4 : least + done % 1500;
            fill(data, sizeof data, (unsigned)(done + (size_t)way));
            transfer(ssl[way], ssl[!way], data, got, sizeof data, piece);
            assert_memory_equal(data, got, sizeof data);
            transfer(ssl[way], ssl[!way], data, got, sizeof data, CHUNK / 4);
            assert_memory_equal(data, got, sizeof data);
        }
    }
    assert_int_equal(key_inits, 0);
    if (suite->version == TLS1_3_VERSION) {
        assert_true(streams >= 2 * each_way / (CHUNK / 4));
        assert_true(seals == 0 && opens == 0);
    } else {
        assert_true(seals >= each_way / (CHUNK / 4) && opens >= each_way / (CHUNK / 4));
        assert_int_equal(streams, 0);
    }
    for (int i = 0; i < 2; i++)
        SSL_free(ssl[i]);
}

static int is_on(const struct suite *suite)
{
    const int aead = strstr(suite->name, "CHACHA20") != NULL ? OCT_AEAD_CHACHA20_POLY1305
                     : strstr(suite->name, "128") != NULL    ? OCT_AEAD_AES_128_GCM
                                                             : OCT_AEAD_AES_256_GCM;
    if (!oct_aead_is_on(aead))
        printf("%s is off (%s)\n", suite->name, oct_aead_reason(aead));
    return oct_aead_is_on(aead);
}

static void test_suites(void **state)
{
    const int slow = getenv("OCTUPLE_TABLE") != NULL && strcmp(getenv("OCTUPLE_TABLE"), "c") == 0;

    (void)state;
    for (size_t i = 0; i < sizeof suites / sizeof suites[0]; i++) {
        if (!is_on(&suites[i]))
            continue;
        const size_t each_way = slow ? 4 * CHUNK : EACH_WAY, least = slow ? 100 : 1;
        run_suite(octuple_ctx, plain_ctx, &suites[i], each_way, least);
        run_suite(plain_ctx, octuple_ctx, &suites[i], each_way, least);
    }
}

/* TLS 1.3 changes keys in the middle. */
static void test_key_update(void **state)
{
    uint8_t data[3000], got[3000];
    SSL *ssl[2];

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        if (!is_on(&suites[i]))
            continue;
        make_pair(octuple_ctx, plain_ctx, &suites[i], ssl);
        for (unsigned round = 0; round < 12; round++) {
            key_inits = 0;
            const int kind = round % 3 ? SSL_KEY_UPDATE_REQUESTED : SSL_KEY_UPDATE_NOT_REQUESTED;
            assert_int_equal(SSL_key_update(ssl[round & 1], kind), 1);
            fill(data, sizeof data, round);
            for (int way = 0; way < 4; way++) {
                transfer(ssl[way & 1], ssl[!(way & 1)], data, got, sizeof data, 1000);
                assert_memory_equal(data, got, sizeof data);
            }
            assert_true(key_inits > 0);
        }
        SSL_free(ssl[0]), SSL_free(ssl[1]);
    }
}

int main(void)
{
    return RUN_TESTS(open_contexts, close_contexts, test_suites, test_key_update);
}
