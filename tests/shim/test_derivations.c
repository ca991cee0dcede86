/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* ctest: ENVIRONMENT OCTUPLE_LOOPS=auto,quic=wait */
/*
 * HKDF in a program whose handshakes of QUIC are served: its contexts are copies of one that is kept, and nobody can
 * tell by what they derive.
 */
#include "world.h"

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/provider.h>
#include <pthread.h>
#include <stdio.h>

#define BYTES 42

static unsigned char key[32];

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

static EVP_PKEY_CTX *make(void)
{
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_id(EVP_PKEY_HKDF, NULL);
    assert_non_null(ctx);
    return ctx;
}

static bool is_begun(EVP_PKEY_CTX *ctx)
{
    return EVP_PKEY_CTX_get_operation(ctx) == EVP_PKEY_OP_DERIVE;
}

static int set(EVP_PKEY_CTX *ctx, const char *info)
{
    return EVP_PKEY_CTX_set_hkdf_mode(ctx, EVP_KDF_HKDF_MODE_EXPAND_ONLY) > 0 &&
           EVP_PKEY_CTX_set_hkdf_md(ctx, EVP_sha256()) > 0 && EVP_PKEY_CTX_set1_hkdf_key(ctx, key, sizeof key) > 0 &&
           EVP_PKEY_CTX_add1_hkdf_info(ctx, (const unsigned char *)info, (int)strlen(info)) > 0;
}

static void derive(EVP_PKEY_CTX *ctx, unsigned char out[BYTES])
{
    size_t len = BYTES;
    assert_true(EVP_PKEY_derive(ctx, out, &len) > 0);
    assert_int_equal(len, BYTES);
}

/* The same by EVP_KDF, which the shim does not meet. */
static void expect(const unsigned char out[BYTES], const char *info)
{
    int mode = EVP_KDF_HKDF_MODE_EXPAND_ONLY;
    const OSSL_PARAM params[] = {OSSL_PARAM_construct_int(OSSL_KDF_PARAM_MODE, &mode),
                                 OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, (char *)"SHA256", 0),
                                 OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_KEY, key, sizeof key),
                                 OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_INFO, (void *)info, strlen(info)),
                                 OSSL_PARAM_construct_end()};
    EVP_KDF *kdf = EVP_KDF_fetch(NULL, "HKDF", NULL);
    EVP_KDF_CTX *ctx = EVP_KDF_CTX_new(kdf);
    unsigned char expected[BYTES];

    assert_int_equal(EVP_KDF_derive(ctx, expected, sizeof expected, params), 1);
    assert_memory_equal(out, expected, BYTES);
    EVP_KDF_CTX_free(ctx);
    EVP_KDF_free(kdf);
}

static void derive_once(const char *info)
{
    EVP_PKEY_CTX *ctx = make();
    unsigned char out[BYTES];
    assert_true(EVP_PKEY_derive_init(ctx) > 0);
    assert_true(set(ctx, info));
    derive(ctx, out);
    expect(out, info);
    EVP_PKEY_CTX_free(ctx);
}

static void copies_derive_the_same(void **state)
{
    char info[32];
    (void)state;
    for (int i = 0; i < 50; i++) {
        snprintf(info, sizeof info, "quic key %d", i);
        derive_once(info);
    }
    EVP_PKEY_CTX *ctx = make();
    assert_true(is_begun(ctx));
    EVP_PKEY_CTX_free(ctx);
}

/* One that is begun again forgets what was set. */
static void begun_twice(void **state)
{
    EVP_PKEY_CTX *ctx = make();
    unsigned char out[BYTES];
    size_t len = BYTES;
    (void)state;
    assert_true(EVP_PKEY_derive_init(ctx) > 0);
    assert_true(set(ctx, "first"));
    assert_true(EVP_PKEY_derive_init(ctx) > 0);
    assert_true(EVP_PKEY_derive(ctx, out, &len) <= 0);
    ERR_clear_error();
    assert_true(set(ctx, "second"));
    derive(ctx, out);
    expect(out, "second");
    EVP_PKEY_CTX_free(ctx);
}

/* Two at a time, begun in the other order. */
static void interleaved(void **state)
{
    EVP_PKEY_CTX *a = make(), *b = make();
    unsigned char out[BYTES];
    (void)state;
    assert_true(EVP_PKEY_derive_init(b) > 0);
    assert_true(EVP_PKEY_derive_init(a) > 0);
    assert_true(set(a, "a") && set(b, "b"));
    derive(b, out);
    expect(out, "b");
    derive(a, out);
    expect(out, "a");
    EVP_PKEY_CTX_free(a);
    EVP_PKEY_CTX_free(b);
}

/* A context of another kind, at an address that a copy may have had, begins by itself. */
static void freed_before_it_begins(void **state)
{
    (void)state;
    EVP_PKEY *pair = EVP_PKEY_Q_keygen(NULL, NULL, "X25519");
    for (int i = 0; i < 20; i++) {
        unsigned char out[32];
        size_t len = sizeof out;
        EVP_PKEY_CTX_free(make());
        EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new(pair, NULL);
        assert_false(is_begun(ctx));
        assert_true(EVP_PKEY_derive_init(ctx) > 0);
        assert_true(is_begun(ctx));
        assert_true(EVP_PKEY_derive_set_peer(ctx, pair) > 0);
        assert_true(EVP_PKEY_derive(ctx, out, &len) > 0);
        EVP_PKEY_CTX_free(ctx);
    }
    EVP_PKEY_free(pair);
    EVP_PKEY_CTX_free(NULL);
}

static void changes_between(void **state)
{
    (void)state;
    for (int i = 0; i < 6; i++) {
        OSSL_PROVIDER *provider = OSSL_PROVIDER_load(NULL, i % 2 == 0 ? "base" : "default");
        derive_once("loaded");
        assert_int_equal(EVP_set_default_properties(NULL, i % 2 == 0 ? "provider=default" : "?octuple.serves=yes"), 1);
        derive_once("properties");
        OSSL_PROVIDER_unload(provider);
        derive_once("unloaded");
    }
    assert_int_equal(EVP_set_default_properties(NULL, "?octuple.serves=yes"), 1);
}

/* Where nothing can be fetched, there is none: what was kept is not handed out. */
static void nothing_to_fetch(void **state)
{
    (void)state;
    assert_int_equal(EVP_set_default_properties(NULL, "provider=nobody"), 1);
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_id(EVP_PKEY_HKDF, NULL);
    assert_true(ctx == NULL || EVP_PKEY_derive_init(ctx) <= 0);
    EVP_PKEY_CTX_free(ctx);
    ERR_clear_error();
    assert_int_equal(EVP_set_default_properties(NULL, "?octuple.serves=yes"), 1);
    derive_once("again");
}

static void *begin_and_derive(void *arg)
{
    EVP_PKEY_CTX *ctx = arg;
    unsigned char out[BYTES];
    assert_true(EVP_PKEY_derive_init(ctx) > 0);
    assert_true(set(ctx, "elsewhere"));
    derive(ctx, out);
    expect(out, "elsewhere");
    EVP_PKEY_CTX_free(ctx);
    for (int i = 0; i < 200; i++)
        derive_once("here");
    return NULL;
}

/* That the shim knows of, as it has a handshake: worlds have one thread at a time. */
static void *shake_hands_first(void *arg)
{
    one_handshake();
    return begin_and_derive(arg);
}

static void other_threads(void **state)
{
    pthread_t thread[4];
    (void)state;
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, begin_and_derive, make()), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(thread[i], NULL);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(pthread_create(&thread[i], NULL, shake_hands_first, make()), 0);
        pthread_join(thread[i], NULL);
    }
    derive_once("after them");
}

int main(void)
{
    world_start();
    for (size_t i = 0; i < sizeof key; i++)
        key[i] = (unsigned char)(7 * i + 1);
    one_handshake();
    return RUN_TESTS(NULL, NULL, copies_derive_the_same, begun_twice, interleaved, freed_before_it_begins,
                     changes_between, nothing_to_fetch, other_threads);
}
