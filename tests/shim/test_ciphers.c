/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* ctest: ENVIRONMENT OCTUPLE_LOOPS=auto,quic=wait */
/*
 * Ciphers in a program whose handshakes of QUIC are served: what OpenSSL's objects of old stand for is fetched once.
 * Contexts get what they would get without that, whatever becomes of providers and properties.
 */
#include "world.h"

#include <openssl/evp.h>
#include <openssl/provider.h>
#include <pthread.h>

static const struct {
    const char *name;
    const EVP_CIPHER *(*old)(void);
} ciphers[] = {
    {"AES-128-GCM", EVP_aes_128_gcm},
    {"AES-256-GCM", EVP_aes_256_gcm},
    {"AES-128-CTR", EVP_aes_128_ctr},
    {"AES-256-CTR", EVP_aes_256_ctr},
    {"ChaCha20-Poly1305", EVP_chacha20_poly1305},
    {"ChaCha20", EVP_chacha20},
    {"AES-128-CBC", EVP_aes_128_cbc}, /* of which nothing is kept */
};

#define COUNT (sizeof ciphers / sizeof *ciphers)
#define BYTES 64

static void one_handshake(void)
{
    struct world *w = world_open(EPOLLIN | EPOLLET, TLS13, 1);
    struct pair *p = &w->pair[0];
    while (!p->client_done || !p->server_done) {
        pair_client(p);
        assert_true(pair_server(p) >= 0);
    }
    world_close(w);
}

static int begin(EVP_CIPHER_CTX *ctx, size_t i, int how)
{
    static const unsigned char key[32] = {1, 2, 3}, iv[16] = {4, 5, 6};
    const EVP_CIPHER *old = ciphers[i].old();
    return how == 0 ? EVP_CipherInit_ex(ctx, old, NULL, NULL, NULL, 1) && EVP_CipherInit_ex(ctx, NULL, NULL, key, iv, 1)
           : how == 1 ? EVP_EncryptInit_ex(ctx, old, NULL, key, iv)
                      : EVP_DecryptInit_ex(ctx, old, NULL, key, iv);
}

/* Of the kind that a fetch would find now, which the shim does not meet. */
static void check(size_t i, int how)
{
    static const unsigned char key[32] = {1, 2, 3}, iv[16] = {4, 5, 6}, text[BYTES] = {7};
    EVP_CIPHER *expected = EVP_CIPHER_fetch(NULL, ciphers[i].name, "");
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new(), *other = EVP_CIPHER_CTX_new();
    unsigned char out[BYTES], again[BYTES];
    int n, m;

    assert_int_equal(begin(ctx, i, how), 1);
    assert_ptr_equal(EVP_CIPHER_CTX_get0_cipher(ctx), expected);
    assert_int_equal(EVP_CipherInit_ex2(other, expected, key, iv, how != 2, NULL), 1);
    EVP_CIPHER_CTX_set_padding(ctx, 0);
    EVP_CIPHER_CTX_set_padding(other, 0);
    assert_int_equal(EVP_CipherUpdate(ctx, out, &n, text, BYTES), 1);
    assert_int_equal(EVP_CipherUpdate(other, again, &m, text, BYTES), 1);
    assert_int_equal(n, m);
    assert_memory_equal(out, again, (size_t)n);
    EVP_CIPHER_CTX_free(ctx);
    EVP_CIPHER_CTX_free(other);
    EVP_CIPHER_free(expected);
}

static void check_all(void)
{
    for (size_t i = 0; i < COUNT; i++)
        for (int how = 0; how < 3; how++)
            check(i, how);
}

static void the_same(void **state)
{
    (void)state;
    check_all();
    check_all();
}

static void changes_between(void **state)
{
    (void)state;
    for (int i = 0; i < 6; i++) {
        OSSL_PROVIDER *provider = OSSL_PROVIDER_load(NULL, i % 2 == 0 ? "base" : "default");
        check_all();
        assert_int_equal(EVP_set_default_properties(NULL, i % 2 == 0 ? "provider=default" : "?octuple.serves=yes"), 1);
        check_all();
        OSSL_PROVIDER_unload(provider);
        check_all();
    }
    assert_int_equal(EVP_set_default_properties(NULL, "?octuple.serves=yes"), 1);
}

static void nothing_to_fetch(void **state)
{
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    (void)state;
    check_all();
    assert_int_equal(EVP_set_default_properties(NULL, "provider=nobody"), 1);
    for (size_t i = 0; i < COUNT; i++) {
        assert_int_equal(begin(ctx, i, 1), 0);
        assert_int_not_equal(ERR_peek_error(), 0);
        ERR_clear_error();
    }
    assert_int_equal(EVP_set_default_properties(NULL, "?octuple.serves=yes"), 1);
    EVP_CIPHER_CTX_free(ctx);
    check_all();
}

/* A default context that is this thread's only. */
static void library_context(void **state)
{
    OSSL_LIB_CTX *library = OSSL_LIB_CTX_new();
    (void)state;
    check_all();
    OSSL_LIB_CTX *before = OSSL_LIB_CTX_set0_default(library);
    OSSL_PROVIDER *provider = OSSL_PROVIDER_load(NULL, "default");
    check_all();
    OSSL_PROVIDER_unload(provider);
    OSSL_LIB_CTX_set0_default(before);
    OSSL_LIB_CTX_free(library);
    check_all();
}

static void none(void **state)
{
    static const unsigned char key[16], iv[16];
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    (void)state;
    assert_int_equal(EVP_EncryptInit_ex(ctx, NULL, NULL, key, iv), 0);
    assert_int_not_equal(ERR_peek_error(), 0);
    ERR_clear_error();
    EVP_CIPHER_CTX_free(ctx);
}

static void *check_here(void *arg)
{
    (void)arg;
    check_all();
    one_handshake();
    check_all();
    return NULL;
}

static void other_threads(void **state)
{
    pthread_t thread;
    (void)state;
    for (int i = 0; i < 4; i++) {
        assert_int_equal(pthread_create(&thread, NULL, check_here, NULL), 0);
        pthread_join(thread, NULL);
    }
    check_all();
}

int main(void)
{
    world_start();
    one_handshake();
    return RUN_TESTS(NULL, NULL, the_same, changes_between, nothing_to_fetch, library_context, none, other_threads);
}
