/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Programs that make a context with a query of their own: what they rule out stays out, and the provider serves where
 * it may. */
#include "world.h"

#include <openssl/pem.h>
#include <openssl/provider.h>

static void give_certificate(SSL_CTX *ctx)
{
    EVP_PKEY *key = EVP_EC_gen("P-256");
    X509 *x = world_certificate(key);

    assert_true(SSL_CTX_use_certificate(ctx, x) && SSL_CTX_use_PrivateKey(ctx, key));
    X509_free(x);
    EVP_PKEY_free(key);
}

static void handshake(SSL_CTX *server_ctx)
{
    SSL *server = SSL_new(server_ctx), *client = SSL_new(world_client_ctx());
    BIO *ends[2];

    assert_int_equal(BIO_new_bio_pair(&ends[0], 0, &ends[1], 0), 1);
    SSL_set_bio(server, ends[0], ends[0]);
    SSL_set_bio(client, ends[1], ends[1]);
    SSL_set_accept_state(server);
    SSL_set_connect_state(client);
    for (int i = 0; i < 10 && (SSL_in_init(server) || SSL_in_init(client)); i++) {
        SSL_do_handshake(client);
        SSL_do_handshake(server);
    }
    assert_true(SSL_is_init_finished(server) && SSL_is_init_finished(client));
    SSL_free(server);
    SSL_free(client);
}

/* The signatures that the provider has made in a handshake of a context with that query. */
static uint64_t signatures(const char *query)
{
    struct oct_counters before, after;
    const struct oct_op_counters *a = &after.op[OCT_OP_P256_SIGN], *b = &before.op[OCT_OP_P256_SIGN];
    SSL_CTX *ctx = SSL_CTX_new_ex(NULL, query, TLS_server_method());

    assert_non_null(ctx);
    give_certificate(ctx);
    oct_counters_read(&before);
    handshake(ctx);
    oct_counters_read(&after);
    SSL_CTX_free(ctx);
    ERR_clear_error();
    return a->done + a->fallback - b->done - b->fallback;
}

static void test_queries(void **state)
{
    (void)state;
    assert_int_equal(signatures(NULL), 1);
    assert_int_equal(signatures("provider!=fips"), 1);
    assert_int_equal(signatures("fips!=yes"), 1);
    assert_int_equal(signatures("?provider=octuple"), 1);
    assert_int_equal(signatures("provider!=octuple"), 0);
    assert_int_equal(signatures("provider=default"), 0);
    assert_int_equal(signatures("?provider=default"), 0);
    assert_int_equal(signatures("?octuple.serves!=yes"), 0);
}

/* What a program says for all that it does takes the place of what the configuration said. */
static void test_default_of_the_program(void **state)
{
    (void)state;
    assert_int_equal(EVP_set_default_properties(NULL, "?provider=default"), 1);
    assert_int_equal(signatures(NULL), 0);
    assert_int_equal(signatures("provider!=fips"), 0);
    /* The preference of configurations from before there was a property for it. */
    assert_int_equal(EVP_set_default_properties(NULL, "?provider=octuple"), 1);
    assert_int_equal(signatures(NULL), 1);
    assert_int_equal(signatures("provider!=fips"), 0);
    assert_int_equal(EVP_set_default_properties(NULL, "?octuple.serves=yes"), 1);
    assert_int_equal(signatures("provider!=fips"), 1);
}

/* Only the verification reads what the store's file holds. */
static bool is_trusted(SSL_CTX *ctx, X509 *x)
{
    X509_STORE_CTX *verify = X509_STORE_CTX_new();

    assert_int_equal(X509_STORE_CTX_init(verify, SSL_CTX_get_cert_store(ctx), x, NULL), 1);
    const bool good = X509_verify_cert(verify) == 1;
    X509_STORE_CTX_free(verify);
    return good;
}

/* The query reaches whatever the context fetches, and not all that fits one query fits another: OpenSSL's store for
 * files says nothing of FIPS. */
static void test_store(void **state)
{
    static const char *const queries[] = {NULL, "provider!=fips"};
    char path[] = "/tmp/octuple-store-XXXXXX", uri[sizeof path + 5];
    const int fd = mkstemp(path);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
    EVP_PKEY *key = EVP_EC_gen("P-256");
    X509 *x = world_certificate(key);

    (void)state;
    assert_non_null(file);
    assert_int_equal(PEM_write_X509(file, x), 1);
    fclose(file);
    snprintf(uri, sizeof uri, "file:%s", path);
    for (size_t i = 0; i < sizeof queries / sizeof queries[0]; i++) {
        SSL_CTX *ctx = SSL_CTX_new_ex(NULL, queries[i], TLS_server_method());
        assert_non_null(ctx);
        assert_int_equal(SSL_CTX_load_verify_store(ctx, uri), 1);
        assert_true(is_trusted(ctx, x));
        SSL_CTX_free(ctx);
    }
    ERR_clear_error();
    remove(path);
    X509_free(x);
    EVP_PKEY_free(key);
}

/* A library context that knows nothing of the provider; and an error is told as ever. */
static void test_other_contexts(void **state)
{
    OSSL_LIB_CTX *libctx = OSSL_LIB_CTX_new();
    OSSL_PROVIDER *plain = OSSL_PROVIDER_load(libctx, "default");
    SSL_CTX *ctx = SSL_CTX_new_ex(libctx, "provider!=fips", TLS_server_method());
    (void)state;
    assert_non_null(ctx);
    assert_int_equal(ERR_peek_error(), 0);
    SSL_CTX_free(ctx);
    assert_null(SSL_CTX_new_ex(NULL, "provider!=fips", NULL));
    assert_int_not_equal(ERR_peek_error(), 0);
    ERR_clear_error();
    OSSL_PROVIDER_unload(plain);
    OSSL_LIB_CTX_free(libctx);
}

int main(void)
{
    world_start();
    return RUN_TESTS(NULL, NULL, test_queries, test_default_of_the_program, test_store, test_other_contexts);
}
