/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* ctest: ENVIRONMENT OCTUPLE_KEYS=3 */
/*
 * Keys whose operations are code of the program, which has one thread: methods set on an RSA or EC key, and an engine
 * that the program makes. They wait as a device does, and are always called by that thread, one after the other.
 */
#define OPENSSL_SUPPRESS_DEPRECATED
#include "world.h"

#include <openssl/engine.h>
#include <openssl/rsa.h>
#include <pthread.h>
#include <time.h>

#define PAIRS 6

static pthread_t own_thread;
static int calls, strangers, inside, entered_again;

static void enter(void)
{
    const struct timespec while_waiting = {0, 4000000};
    __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&strangers, !pthread_equal(pthread_self(), own_thread), __ATOMIC_RELAXED);
    __atomic_fetch_add(&entered_again, __atomic_fetch_add(&inside, 1, __ATOMIC_RELAXED) != 0, __ATOMIC_RELAXED);
    nanosleep(&while_waiting, NULL);
    __atomic_fetch_sub(&inside, 1, __ATOMIC_RELAXED);
}

static int encrypts(int length, const unsigned char *from, unsigned char *to, RSA *rsa, int padding)
{
    enter();
    return RSA_meth_get_priv_enc(RSA_PKCS1_OpenSSL())(length, from, to, rsa, padding);
}

static int decrypts(int length, const unsigned char *from, unsigned char *to, RSA *rsa, int padding)
{
    enter();
    return RSA_meth_get_priv_dec(RSA_PKCS1_OpenSSL())(length, from, to, rsa, padding);
}

static RSA_METHOD *rsa_method(void)
{
    RSA_METHOD *method = RSA_meth_dup(RSA_PKCS1_OpenSSL());
    assert_non_null(method);
    assert_int_equal(RSA_meth_set1_name(method, "the program's"), 1);
    assert_int_equal(RSA_meth_set_priv_enc(method, encrypts), 1);
    assert_int_equal(RSA_meth_set_priv_dec(method, decrypts), 1);
    return method;
}

static EVP_PKEY *rsa_key(ENGINE *engine, const RSA_METHOD *method)
{
    RSA *rsa = EVP_PKEY_get1_RSA(SSL_CTX_get0_privatekey(world_server_ctx(TLS12_ECDHE)));
    EVP_PKEY *key = EVP_PKEY_new();
    RSA *own = engine != NULL ? RSA_new_method(engine) : RSA_new();
    assert_non_null(own);
    assert_int_equal(RSA_set0_key(own, BN_dup(RSA_get0_n(rsa)), BN_dup(RSA_get0_e(rsa)), BN_dup(RSA_get0_d(rsa))), 1);
    if (engine == NULL)
        assert_int_equal(RSA_set_method(own, method), 1);
    assert_int_equal(EVP_PKEY_assign_RSA(key, own), 1);
    RSA_free(rsa);
    return key;
}

static int (*openssl_sign)(int, const unsigned char *, int, unsigned char *, unsigned int *, const BIGNUM *,
                           const BIGNUM *, EC_KEY *);

static int sign(int type, const unsigned char *digest, int length, unsigned char *out, unsigned int *size,
                const BIGNUM *kinv, const BIGNUM *r, EC_KEY *key)
{
    enter();
    return openssl_sign(type, digest, length, out, size, kinv, r, key);
}

static EVP_PKEY *ec_key(EC_KEY_METHOD **method)
{
    int (*setup)(EC_KEY *, BN_CTX *, BIGNUM **, BIGNUM **);
    ECDSA_SIG *(*of)(const unsigned char *, int, const BIGNUM *, const BIGNUM *, EC_KEY *);
    EC_KEY *own = EC_KEY_new_by_curve_name(NID_X9_62_prime256v1);
    EVP_PKEY *key = EVP_PKEY_new();

    *method = EC_KEY_METHOD_new(EC_KEY_OpenSSL());
    EC_KEY_METHOD_get_sign(*method, &openssl_sign, &setup, &of);
    EC_KEY_METHOD_set_sign(*method, sign, setup, of);
    assert_int_equal(EC_KEY_generate_key(own), 1);
    assert_int_equal(EC_KEY_set_method(own, *method), 1);
    assert_int_equal(EVP_PKEY_assign_EC_KEY(key, own), 1);
    return key;
}

/* Twice: what the first handshakes took is known in the second. */
static void serve(EVP_PKEY *key, enum kind kind)
{
    SSL_CTX *ctx = SSL_CTX_new(TLS_server_method());
    X509 *certificate = world_certificate(key);
    const int before = calls;

    assert_int_equal(SSL_CTX_use_certificate(ctx, certificate), 1);
    assert_int_equal(SSL_CTX_use_PrivateKey(ctx, key), 1);
    SSL_CTX_set_max_proto_version(ctx, kind == TLS13 ? TLS1_3_VERSION : TLS1_2_VERSION);
    for (int turn = 0; turn < 2; turn++) {
        struct world *w = world_open(EPOLLIN | EPOLLET, kind, 0);
        for (int i = 0; i < PAIRS; i++)
            (void)world_add(w, ctx, EPOLLIN | EPOLLET);
        (void)world_hello(w);
        world_run(w);
        world_close(w);
    }
    assert_true(calls - before >= 2 * PAIRS); /* the certificate was signed too */
    assert_int_equal(strangers, 0);
    assert_int_equal(entered_again, 0);
    X509_free(certificate);
    SSL_CTX_free(ctx);
    EVP_PKEY_free(key);
}

static void test_rsa_method(void **state)
{
    RSA_METHOD *method = rsa_method();
    (void)state;
    serve(rsa_key(NULL, method), TLS13);
    serve(rsa_key(NULL, method), TLS12_ECDHE);
    RSA_meth_free(method);
}

static void test_ec_method(void **state)
{
    EC_KEY_METHOD *method;
    (void)state;
    serve(ec_key(&method), TLS13);
    EC_KEY_METHOD_free(method);
}

static void test_engine(void **state)
{
    RSA_METHOD *method = rsa_method();
    ENGINE *engine = ENGINE_new();
    (void)state;
    assert_true(ENGINE_set_id(engine, "program") && ENGINE_set_name(engine, "the program's") &&
                ENGINE_set_RSA(engine, method) && ENGINE_init(engine));
    serve(rsa_key(engine, NULL), TLS13);
    ENGINE_finish(engine);
    ENGINE_free(engine);
    RSA_meth_free(method);
}

int main(void)
{
    own_thread = pthread_self();
    world_start();
    return RUN_TESTS(NULL, NULL, test_rsa_method, test_ec_method, test_engine);
}
