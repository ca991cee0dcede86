/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Which keys of AWS-LC are served, and that a program finds its own wherever it looks. */
#include "world.h"

#include <octuple/queue.h>
#include <openssl/ec_key.h>
#include <openssl/pool.h>
#include <openssl/rsa.h>
#include <sys/wait.h>
#include <unistd.h>

static EVP_PKEY *rsa_of(int bits)
{
    RSA *rsa = RSA_new();
    BIGNUM *e = BN_new();
    EVP_PKEY *key = EVP_PKEY_new();
    assert_true(BN_set_word(e, RSA_F4) && RSA_generate_key_ex(rsa, bits, e, NULL) && EVP_PKEY_assign_RSA(key, rsa));
    BN_free(e);
    return key;
}

static EVP_PKEY *ec_key(void)
{
    EC_KEY *ec = EC_KEY_new_by_curve_name(NID_X9_62_prime256v1);
    EVP_PKEY *key = EVP_PKEY_new();
    assert_true(EC_KEY_generate_key(ec) && EVP_PKEY_assign_EC_KEY(key, ec));
    return key;
}

/* With a certificate for `certified`, which is that key or one with the same public numbers. */
static void use(SSL_CTX *ctx, EVP_PKEY *certified, EVP_PKEY *key)
{
    X509 *cert = world_certificate(certified);
    assert_int_equal(SSL_CTX_use_certificate(ctx, cert), 1);
    assert_int_equal(SSL_CTX_use_PrivateKey(ctx, key), 1);
    X509_free(cert);
}

static SSL_CTX *server_with(EVP_PKEY *key, int version)
{
    SSL_CTX *ctx = SSL_CTX_new(TLS_server_method());
    use(ctx, key, key);
    SSL_CTX_set_min_proto_version(ctx, version);
    SSL_CTX_set_max_proto_version(ctx, version);
    SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_OFF);
    return ctx;
}

static struct world *open_of(SSL_CTX *ctx, int pairs)
{
    struct world *w = world_open(EPOLLIN | EPOLLET, TLS13, 0);
    for (int i = 0; i < pairs; i++)
        world_add(w, ctx, EPOLLIN | EPOLLET);
    return w;
}

static void all_are_done(const struct world *w)
{
    for (int i = 0; i < w->pairs; i++)
        assert_true(w->pair[i].server_done && w->pair[i].client_done);
}

static void run(SSL_CTX *ctx, int pairs, int paused)
{
    struct world *w = open_of(ctx, pairs);
    assert_int_equal(world_hello(w), paused);
    world_run(w);
    all_are_done(w);
    world_exchange(w);
    world_close(w);
    assert_int_equal(oct_queue_waiting(oct_queue_thread_peek()), 0);
}

static void test_sizes(void **state)
{
    const int bits[] = {1024, 2048, 3072, 4096};
    (void)state;
    for (size_t i = 0; i < sizeof bits / sizeof bits[0]; i++)
        for (int version = TLS1_2_VERSION; version <= TLS1_3_VERSION; version++) {
            EVP_PKEY *key = rsa_of(bits[i]);
            SSL_CTX *ctx = server_with(key, version);
            for (int round = 0; round < 4; round++)
                run(ctx, 6, bits[i] > 1024 ? 5 : 0);
            SSL_CTX_free(ctx);
            EVP_PKEY_free(key);
        }
}

static void test_other_kinds(void **state)
{
    EVP_PKEY *key = ec_key();
    SSL_CTX *ctx = server_with(key, TLS1_3_VERSION);
    (void)state;
    run(ctx, 6, 0);
    SSL_CTX_free(ctx);
    EVP_PKEY_free(key);
}

/* A key goes, and what lanes have of it goes with it: no more memory is in use with every round. */
static void test_keys_go(void **state)
{
    long level = 0;
    (void)state;
    for (int round = 0; round < 12; round++) {
        EVP_PKEY *key = rsa_of(2048);
        SSL_CTX *ctx = server_with(key, TLS1_3_VERSION);
        run(ctx, 3, 2);
        SSL_CTX_free(ctx);
        EVP_PKEY_free(key);
        if (round == 6)
            level = world_allocations();
    }
    assert_true(labs(world_allocations() - level) <= 16);
}

static RSA *own_key;
static int own_calls;

static int own_sign(int length, const uint8_t *from, uint8_t *to, RSA *rsa, int padding)
{
    size_t n = 0;
    (void)rsa;
    own_calls++;
    return RSA_sign_raw(own_key, &n, to, RSA_size(own_key), from, (size_t)length, padding) ? (int)n : -1;
}

/* A key whose numbers are elsewhere, as an engine has them. */
static void test_opaque(void **state)
{
    EVP_PKEY *real = rsa_of(2048), *key = EVP_PKEY_new();
    RSA_METHOD *method = RSA_meth_new("own", RSA_FLAG_OPAQUE);
    RSA *rsa = RSA_new();
    (void)state;
    own_key = EVP_PKEY_get0_RSA(real);
    RSA_meth_set_priv_enc(method, own_sign);
    RSA_set_method(rsa, method);
    assert_true(RSA_set0_key(rsa, BN_dup(RSA_get0_n(own_key)), BN_dup(RSA_get0_e(own_key)), NULL));
    assert_true(EVP_PKEY_assign_RSA(key, rsa));
    SSL_CTX *ctx = SSL_CTX_new(TLS_server_method());
    use(ctx, real, key);
    own_calls = 0;
    run(ctx, 6, 0);
    assert_int_equal(own_calls, 6);
    SSL_CTX_free(ctx);
    EVP_PKEY_free(key);
    EVP_PKEY_free(real);
}

/* A client that asks for a name gets that certificate, and its key signs in lanes. */
static SSL_CTX *named_ctx;

static int switch_context(SSL *s, int *alert, void *arg)
{
    (void)alert, (void)arg;
    if (SSL_get_servername(s, TLSEXT_NAMETYPE_host_name) != NULL)
        SSL_set_SSL_CTX(s, named_ctx);
    return SSL_TLSEXT_ERR_OK;
}

static bool has_key(SSL *client, EVP_PKEY *key)
{
    X509 *cert = SSL_get_peer_certificate(client);
    EVP_PKEY *found = X509_get_pubkey(cert);
    const bool same = EVP_PKEY_cmp(found, key) == 1;
    EVP_PKEY_free(found);
    X509_free(cert);
    return same;
}

static void test_names(void **state)
{
    EVP_PKEY *key = rsa_of(2048), *other = rsa_of(3072);
    (void)state;
    for (int version = TLS1_2_VERSION; version <= TLS1_3_VERSION; version++) {
        SSL_CTX *ctx = server_with(key, version);
        named_ctx = server_with(other, version);
        SSL_CTX_set_tlsext_servername_callback(ctx, switch_context);
        struct world *w = open_of(ctx, 8);
        for (int i = 0; i < 8; i += 2)
            SSL_set_tlsext_host_name(w->pair[i].client, "other.example");
        assert_int_equal(world_hello(w), 7);
        world_run(w);
        all_are_done(w);
        for (int i = 0; i < 8; i++)
            assert_true(has_key(w->pair[i].client, i % 2 == 0 ? other : key));
        world_exchange(w);
        world_close(w);
        SSL_CTX_free(ctx);
        SSL_CTX_free(named_ctx);
    }
    EVP_PKEY_free(key);
    EVP_PKEY_free(other);
}

/* libssl chooses one of two by what the client can verify, which nothing of ours changes. */
static void test_two_certificates(void **state)
{
    EVP_PKEY *rsa = rsa_of(2048), *ec = ec_key();
    (void)state;
    for (int order = 0; order < 2; order++)
        for (int version = TLS1_2_VERSION; version <= TLS1_3_VERSION; version++) {
            SSL_CTX *ctx = server_with(order == 0 ? rsa : ec, version);
            EVP_PKEY *second = order == 0 ? ec : rsa;
            use(ctx, second, second);
            struct world *w = open_of(ctx, 8);
            for (int i = 0; i < 8; i++) {
                const char *what = i % 2 == 0 ? "rsa_pss_rsae_sha256" : "ecdsa_secp256r1_sha256";
                assert_int_equal(SSL_set1_groups_list(w->pair[i].client, "X25519:P-256"), 1);
                assert_int_equal(SSL_set1_sigalgs_list(w->pair[i].client, what), 1);
                assert_int_equal(SSL_set_cipher_list(w->pair[i].client, i % 2 == 0 ? "ECDHE+aRSA" : "ECDHE+aECDSA"), 1);
            }
            assert_int_equal(world_hello(w), 3);
            world_run(w);
            all_are_done(w);
            for (int i = 0; i < 8; i++)
                assert_true(has_key(w->pair[i].client, i % 2 == 0 ? rsa : ec));
            world_close(w);
            SSL_CTX_free(ctx);
        }
    EVP_PKEY_free(rsa);
    EVP_PKEY_free(ec);
}

static int verified;

static int verify(X509_STORE_CTX *ctx, void *arg)
{
    (void)ctx, (void)arg;
    verified++;
    return 1;
}

static void test_clients_certificates(void **state)
{
    EVP_PKEY *key = rsa_of(2048);
    X509 *cert = world_certificate(key);
    (void)state;
    for (int version = TLS1_2_VERSION; version <= TLS1_3_VERSION; version++) {
        SSL_CTX *ctx = server_with(key, version);
        SSL_CTX_set_verify(ctx, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, NULL);
        SSL_CTX_set_cert_verify_callback(ctx, verify, NULL);
        struct world *w = open_of(ctx, 6);
        for (int i = 0; i < 6; i++) {
            assert_int_equal(SSL_use_certificate(w->pair[i].client, cert), 1);
            assert_int_equal(SSL_use_PrivateKey(w->pair[i].client, key), 1);
        }
        verified = 0;
        assert_int_equal(world_hello(w), 5);
        world_run(w);
        all_are_done(w);
        assert_int_equal(verified, 6);
        world_exchange(w);
        world_close(w);
        SSL_CTX_free(ctx);
    }
    X509_free(cert);
    EVP_PKEY_free(key);
}

/* Who looks forces the call, and finds its own key; so does every callback, at any time. */
static EVP_PKEY *expected;
static int looks;

static void look(const SSL *s)
{
    looks++;
    if (SSL_get_privatekey(s) != expected)
        abort();
}

static void look_at_message(int is_write, int version, int type, const void *buf, size_t n, SSL *s, void *arg)
{
    (void)is_write, (void)version, (void)type, (void)buf, (void)n, (void)arg;
    look(s);
}

static void look_at_state(const SSL *s, int where, int value)
{
    (void)where, (void)value;
    look(s);
}

static void test_own_key_is_found(void **state)
{
    (void)state;
    for (int version = TLS1_2_VERSION; version <= TLS1_3_VERSION; version++) {
        EVP_PKEY *key = expected = rsa_of(2048);
        SSL_CTX *ctx = server_with(key, version);
        struct world *w = open_of(ctx, 6);
        for (int i = 0; i < 6; i++) {
            if (i % 2 == 0)
                SSL_set_msg_callback(w->pair[i].server, look_at_message);
            if (i % 3 == 0)
                SSL_set_info_callback(w->pair[i].server, look_at_state);
        }
        looks = 0;
        assert_int_equal(world_hello(w), 5);
        for (int i = 1; i < 6; i++) {
            const unsigned waits = oct_queue_waiting(oct_queue_thread_peek());
            if (i == 3)
                assert_int_equal(SSL_get_fd(w->pair[i].server), w->pair[i].fd);
            assert_true(pair_paused(&w->pair[i]));
            assert_ptr_equal(SSL_get_privatekey(w->pair[i].server), key);
            assert_false(pair_paused(&w->pair[i]));
            assert_true(i > 1 || waits == 5);
            assert_ptr_equal(SSL_get_info_callback(w->pair[i].server), i % 3 == 0 ? look_at_state : NULL);
        }
        world_run(w);
        all_are_done(w);
        for (int i = 0; i < 6; i++)
            assert_ptr_equal(SSL_get_privatekey(w->pair[i].server), key);
        assert_true(looks > 10);
        world_exchange(w);
        world_close(w);
        SSL_CTX_free(ctx);
        EVP_PKEY_free(key);
    }
}

/* Another key while the signature of the first waits: that one has been made by then. */
static void test_another_key_meanwhile(void **state)
{
    EVP_PKEY *key = rsa_of(2048), *other = rsa_of(2048);
    SSL_CTX *ctx = server_with(key, TLS1_3_VERSION);
    struct world *w = open_of(ctx, 4);
    X509 *cert = world_certificate(other);
    (void)state;
    assert_int_equal(world_hello(w), 3);
    for (int i = 1; i < 3; i++) {
        assert_int_equal(SSL_use_certificate(w->pair[i].server, cert), 1);
        assert_int_equal(SSL_use_PrivateKey(w->pair[i].server, other), 1);
    }
    uint8_t *bytes = NULL;
    const int length = i2d_X509(cert, &bytes);
    CRYPTO_BUFFER *chain[1] = {CRYPTO_BUFFER_new(bytes, (size_t)length, NULL)};
    assert_int_equal(SSL_set_chain_and_key(w->pair[3].server, chain, 1, other, NULL), 1);
    CRYPTO_BUFFER_free(chain[0]);
    OPENSSL_free(bytes);
    world_run(w);
    all_are_done(w);
    for (int i = 0; i < 4; i++) {
        assert_true(has_key(w->pair[i].client, key));
        assert_ptr_equal(SSL_get_privatekey(w->pair[i].server), i == 0 ? key : other);
    }
    world_close(w);
    X509_free(cert);
    SSL_CTX_free(ctx);
    EVP_PKEY_free(other);
    EVP_PKEY_free(key);
}

/* A client without RSA's own key exchange in mind sends a secret that is not one, or is none at all. */
static void test_decryption(void **state)
{
    (void)state;
    struct world *w = world_open(EPOLLIN | EPOLLET, TLS12_RSA, 6);
    world_hello(w);
    world_run(w);
    all_are_done(w);
    world_exchange(w);
    world_close(w);
}

/* The program's own method: in a child, as nothing waits any more behind it. */
static int asked;

static enum ssl_private_key_result_t sign(SSL *s, uint8_t *out, size_t *out_len, size_t room, uint16_t algorithm,
                                          const uint8_t *in, size_t in_len)
{
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    EVP_PKEY_CTX *key_ctx;
    (void)s;
    asked++;
    *out_len = room;
    const bool ok = EVP_DigestSignInit(ctx, &key_ctx, SSL_get_signature_algorithm_digest(algorithm), NULL, expected) &&
                    EVP_PKEY_CTX_set_rsa_padding(key_ctx, RSA_PKCS1_PSS_PADDING) &&
                    EVP_PKEY_CTX_set_rsa_pss_saltlen(key_ctx, -1) && EVP_DigestSign(ctx, out, out_len, in, in_len);
    EVP_MD_CTX_free(ctx);
    return ok ? ssl_private_key_success : ssl_private_key_failure;
}

static enum ssl_private_key_result_t complete(SSL *s, uint8_t *out, size_t *out_len, size_t room)
{
    (void)s, (void)out, (void)out_len, (void)room;
    return ssl_private_key_failure;
}

static void with_own_method(void)
{
    static const SSL_PRIVATE_KEY_METHOD method = {.sign = sign, .complete = complete};
    expected = rsa_of(2048);
    SSL_CTX *ctx = server_with(expected, TLS1_3_VERSION);
    struct world *w = open_of(ctx, 4);
    world_hello(w);
    assert_true(pair_paused(&w->pair[3]));
    SSL_CTX_set_private_key_method(ctx, &method);
    assert_false(pair_paused(&w->pair[3]));
    world_run(w);
    all_are_done(w);
    world_close(w);
    run(ctx, 6, 0);
    assert_int_equal(asked, 6);
}

static void test_own_method(void **state)
{
    int status;
    (void)state;
    const pid_t child = fork();
    if (child == 0) {
        with_own_method();
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

int main(void)
{
    world_start();
    return RUN_TESTS(NULL, NULL, test_sizes, test_other_kinds, test_keys_go, test_opaque, test_names,
                     test_two_certificates, test_clients_certificates, test_own_key_is_found,
                     test_another_key_meanwhile, test_decryption, test_own_method);
}
