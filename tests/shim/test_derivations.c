/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* ctest: ENVIRONMENT OCTUPLE_LOOPS=auto,quic=wait */
/*
 * HKDF in a program whose handshakes of QUIC are served: each thread has one context that is kept, and what is set in
 * it goes to another one. Nobody can tell by what it derives.
 */
#include "own_memory.h"
#include "world.h"

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/provider.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>

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
static void expect_of(int mode, const char *digest, const char *salt, const char *info, const unsigned char *out,
                      size_t bytes)
{
    OSSL_PARAM params[6] = {OSSL_PARAM_construct_int(OSSL_KDF_PARAM_MODE, &mode),
                            OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, (char *)digest, 0),
                            OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_KEY, key, sizeof key)};
    OSSL_PARAM *p = params + 3;
    EVP_KDF *kdf = EVP_KDF_fetch(NULL, "HKDF", NULL);
    EVP_KDF_CTX *ctx = EVP_KDF_CTX_new(kdf);
    unsigned char expected[64];

    if (salt != NULL)
        *p++ = OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_SALT, (void *)salt, strlen(salt));
    if (info != NULL)
        *p++ = OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_INFO, (void *)info, strlen(info));
    *p = OSSL_PARAM_construct_end();
    assert_int_equal(EVP_KDF_derive(ctx, expected, bytes, params), 1);
    assert_memory_equal(out, expected, bytes);
    EVP_KDF_CTX_free(ctx);
    EVP_KDF_free(kdf);
}

static void expect(const unsigned char out[BYTES], const char *info)
{
    expect_of(EVP_KDF_HKDF_MODE_EXPAND_ONLY, "SHA256", NULL, info, out, BYTES);
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

static void derives_the_same(void **state)
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

/* One context does for all. */
static void is_kept(void **state)
{
    EVP_PKEY_CTX *first = make();
    (void)state;
    EVP_PKEY_CTX_free(first);
    for (int i = 0; i < 3; i++) {
        EVP_PKEY_CTX *ctx = make();
        assert_ptr_equal(ctx, first);
        assert_true(EVP_PKEY_derive_init(ctx) > 0);
        assert_true(set(ctx, "again"));
        EVP_PKEY_CTX_free(ctx);
    }
}

static EVP_PKEY_CTX *begin(int mode, const EVP_MD *digest, const char *salt, const char *info)
{
    EVP_PKEY_CTX *ctx = make();
    assert_true(EVP_PKEY_derive_init(ctx) > 0);
    assert_int_equal(EVP_PKEY_CTX_set_hkdf_mode(ctx, mode), 1);
    assert_int_equal(EVP_PKEY_CTX_set_hkdf_md(ctx, digest), 1);
    assert_int_equal(EVP_PKEY_CTX_set1_hkdf_key(ctx, key, sizeof key), 1);
    if (salt != NULL)
        assert_int_equal(EVP_PKEY_CTX_set1_hkdf_salt(ctx, (const unsigned char *)salt, (int)strlen(salt)), 1);
    if (info != NULL)
        assert_int_equal(EVP_PKEY_CTX_add1_hkdf_info(ctx, (const unsigned char *)info, (int)strlen(info)), 1);
    return ctx;
}

static void modes(void **state)
{
    static const char *const names[] = {"SHA256", "SHA384", "SHA512"};
    (void)state;
    for (int i = 0; i < 36; i++) {
        const int mode = i % 3;
        const char *name = names[i / 3 % 3], *salt = i / 9 % 2 ? "salt" : NULL, *info = i / 18 ? "info" : NULL;
        EVP_MD *fetched = EVP_MD_fetch(NULL, name, NULL);
        const EVP_MD *digests[] = {EVP_get_digestbyname(name), fetched};
        for (int k = 0; k < 2; k++) {
            EVP_PKEY_CTX *ctx = begin(mode, digests[k], salt, info);
            unsigned char out[64];
            size_t len = sizeof out;
            assert_true(EVP_PKEY_derive(ctx, out, &len) > 0);
            assert_int_equal(len,
                             mode == EVP_KDF_HKDF_MODE_EXTRACT_ONLY ? (size_t)EVP_MD_get_size(digests[k]) : sizeof out);
            expect_of(mode, name, salt, info, out, len);
            EVP_PKEY_CTX_free(ctx);
        }
        EVP_MD_free(fetched);
    }
}

/* How long what is extracted will be is told first; less than that is an error. */
static void short_of_room(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        EVP_PKEY_CTX *ctx = begin(EVP_KDF_HKDF_MODE_EXTRACT_ONLY, EVP_sha256(), "salt", NULL);
        unsigned char out[32];
        size_t len = sizeof out - 1;
        if (i == 1) {
            assert_true(EVP_PKEY_derive(ctx, NULL, &len) > 0);
            assert_int_equal(len, sizeof out);
        } else {
            assert_true(EVP_PKEY_derive(ctx, out, &len) <= 0);
            assert_int_not_equal(ERR_peek_error(), 0);
            ERR_clear_error();
        }
        len = sizeof out;
        assert_true(EVP_PKEY_derive(ctx, out, &len) > 0);
        expect_of(EVP_KDF_HKDF_MODE_EXTRACT_ONLY, "SHA256", "salt", NULL, out, len);
        EVP_PKEY_CTX_free(ctx);
    }
}

static void set_twice(void **state)
{
    EVP_PKEY_CTX *ctx = begin(EVP_KDF_HKDF_MODE_EXTRACT_ONLY, EVP_sha384(), "first", NULL);
    unsigned char out[BYTES];
    (void)state;
    assert_true(EVP_PKEY_CTX_set_hkdf_mode(ctx, EVP_KDF_HKDF_MODE_EXTRACT_AND_EXPAND) > 0);
    assert_true(EVP_PKEY_CTX_set_hkdf_md(ctx, EVP_sha256()) > 0);
    assert_true(EVP_PKEY_CTX_set1_hkdf_salt(ctx, (const unsigned char *)"second", 6) > 0);
    derive(ctx, out);
    expect_of(EVP_KDF_HKDF_MODE_EXTRACT_AND_EXPAND, "SHA256", "second", NULL, out, BYTES);
    EVP_PKEY_CTX_free(ctx);
}

/* What was set is there, whoever asks or adds to it. */
static void by_other_functions(void **state)
{
    char salt[] = "salt";
    const OSSL_PARAM params[] = {OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_SALT, salt, strlen(salt)),
                                 OSSL_PARAM_construct_end()};
    (void)state;
    for (int i = 0; i < 4; i++) {
        EVP_PKEY_CTX *ctx = begin(EVP_KDF_HKDF_MODE_EXTRACT_AND_EXPAND, EVP_sha256(), NULL, "info"), *copy = NULL;
        unsigned char out[BYTES];
        size_t size = 0;
        OSSL_PARAM get[] = {OSSL_PARAM_construct_size_t(OSSL_KDF_PARAM_SIZE, &size), OSSL_PARAM_construct_end()};
        if (i == 0)
            assert_true(EVP_PKEY_CTX_set_params(ctx, params) > 0);
        else if (i == 1)
            assert_true(EVP_PKEY_CTX_ctrl_str(ctx, "salt", salt) > 0);
        else if (i == 2)
            assert_true(EVP_PKEY_CTX_get_params(ctx, get) > 0);
        else
            assert_non_null(copy = EVP_PKEY_CTX_dup(ctx));
        derive(copy != NULL ? copy : ctx, out);
        expect_of(EVP_KDF_HKDF_MODE_EXTRACT_AND_EXPAND, "SHA256", i < 2 ? salt : NULL, "info", out, BYTES);
        EVP_PKEY_CTX_free(copy);
        EVP_PKEY_CTX_free(ctx);
    }
}

static void long_info(void **state)
{
    char info[200];
    (void)state;
    memset(info, 'i', sizeof info);
    for (size_t n = 90; n < sizeof info; n++) {
        info[n] = '\0';
        derive_once(info);
        info[n] = 'i';
    }
}

static void nothing_set(void **state)
{
    EVP_PKEY_CTX *ctx = make();
    unsigned char out[BYTES];
    size_t len = BYTES;
    (void)state;
    assert_true(EVP_PKEY_derive_init(ctx) > 0);
    assert_true(EVP_PKEY_derive(ctx, out, &len) <= 0);
    assert_int_not_equal(ERR_peek_error(), 0);
    ERR_clear_error();
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

static void nothing_stays(void **state)
{
    (void)state;
    if (!own_memory_shows)
        skip();
    derive_once("here");
    const unsigned before = own_memory_count(key, sizeof key);
    EVP_PKEY_CTX *ctx = begin(EVP_KDF_HKDF_MODE_EXPAND_ONLY, EVP_sha384(), NULL, "here");
    assert_true(own_memory_count(key, sizeof key) > before);
    EVP_PKEY_CTX_free(ctx);
    assert_int_equal(own_memory_count(key, sizeof key), before);
    assert_int_equal(before, 1);
}

/* A child goes on with what was set before. */
static void forked(void **state)
{
    EVP_PKEY_CTX *ctx = begin(EVP_KDF_HKDF_MODE_EXPAND_ONLY, EVP_sha256(), NULL, "fork");
    unsigned char out[BYTES];
    int status;
    (void)state;
    const pid_t child = fork();
    derive(ctx, out);
    expect(out, "fork");
    EVP_PKEY_CTX_free(ctx);
    derive_once("behind it");
    if (child == 0)
        _exit(0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void *derive_and_free(void *arg)
{
    EVP_PKEY_CTX *ctx = arg;
    unsigned char out[BYTES];
    derive(ctx, out);
    expect(out, "other");
    EVP_PKEY_CTX_free(ctx);
    return NULL;
}

static void *set_only(void *arg)
{
    one_handshake();
    *(EVP_PKEY_CTX **)arg = begin(EVP_KDF_HKDF_MODE_EXPAND_ONLY, EVP_sha256(), NULL, "other");
    return NULL;
}

/* Set by one, derived by another, which may outlive it. */
static void between_threads(void **state)
{
    EVP_PKEY_CTX *ctx = begin(EVP_KDF_HKDF_MODE_EXPAND_ONLY, EVP_sha256(), NULL, "other");
    pthread_t thread;
    (void)state;
    assert_int_equal(pthread_create(&thread, NULL, derive_and_free, ctx), 0);
    pthread_join(thread, NULL);
    derive_once("here");
    for (int i = 0; i < 3; i++) {
        assert_int_equal(pthread_create(&thread, NULL, set_only, &ctx), 0);
        pthread_join(thread, NULL);
        derive_once("here");
        derive_and_free(ctx);
    }
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
    return RUN_TESTS(NULL, NULL, derives_the_same, is_kept, modes, short_of_room, set_twice, by_other_functions,
                     long_info, nothing_set, begun_twice, interleaved, freed_before_it_begins, changes_between,
                     nothing_to_fetch, nothing_stays, forked, between_threads, other_threads);
}
