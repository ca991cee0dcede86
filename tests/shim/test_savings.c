/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* What the shim spares libssl and libcrypto, and that nobody can tell: tickets, library contexts, forks. */
#include "world.h"

#include "base/epoch.h"

#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/provider.h>
#include <openssl/rand.h>
#include <openssl/x509.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define EDGE (EPOLLIN | EPOLLET)

/* libcrypto's writes to sockets come here: it finds the program's function first. */
static unsigned writes;

__attribute__((visibility("default"))) ssize_t write(int fd, const void *data, size_t n)
{
    writes++;
    return syscall(SYS_write, fd, data, n);
}

static unsigned tickets;

static int count_ticket(SSL *s, SSL_SESSION *session)
{
    (void)s, (void)session;
    tickets++;
    return 0;
}

/* All that the client has in its memory, application data or none. */
static void client_reads(struct pair *p)
{
    char byte;
    pair_client(p);
    assert_int_equal(SSL_read(p->client, &byte, 1), -1);
    ERR_clear_error();
}

/* As far as the client's Finished, which the server has not read. */
static void bring_to_finished(struct pair *p)
{
    for (pair_client(p); !p->client_done; pair_client(p))
        assert_int_equal(pair_server(p), 0);
}

/* A handshake, and what its server writes once it has the client's Finished. */
static unsigned writes_behind_finished(struct world *w, struct pair *p)
{
    bring_to_finished(p);
    tickets = writes = 0;
    while (!p->server_done)
        assert_true(pair_server(p) >= 0);
    const unsigned behind = writes;
    client_reads(p);
    world_exchange(w);
    return behind;
}

static struct world *open_one(size_t number)
{
    struct world *w = world_open(EDGE, TLS13, 1);
    SSL_CTX_set_session_cache_mode(world_client_ctx(), SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
    SSL_CTX_sess_set_new_cb(world_client_ctx(), count_ticket);
    assert_int_equal(SSL_set_num_tickets(w->pair[0].server, number), 1);
    return w;
}

static void test_tickets_in_one_write(void **state)
{
    (void)state;
    for (unsigned number = 0; number <= 4; number++) {
        struct world *w = open_one(number);
        assert_int_equal(writes_behind_finished(w, &w->pair[0]), number > 0);
        assert_int_equal(tickets, number);
        world_close(w);
    }
}

/* The buffer that libssl writes through holds 4096 bytes. */
static int make_large(SSL *s, void *arg)
{
    static const char data[6000];
    (void)arg;
    return SSL_SESSION_set1_ticket_appdata(SSL_get_session(s), data, sizeof data);
}

static void test_large_tickets(void **state)
{
    (void)state;
    SSL_CTX_set_session_ticket_cb(world_server_ctx(TLS13), make_large, NULL, NULL);
    struct world *w = open_one(2);
    (void)writes_behind_finished(w, &w->pair[0]);
    SSL_CTX_set_session_ticket_cb(world_server_ctx(TLS13), NULL, NULL, NULL);
    assert_int_equal(tickets, 2);
    world_close(w);
}

/* The client is gone when the tickets are written: the handshake is good all the same, as without the shim. */
static void test_closed_client(void **state)
{
    struct world *w = open_one(2);
    struct pair *p = &w->pair[0];
    (void)state;
    bring_to_finished(p);
    close(p->peer);
    p->peer = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(SSL_do_handshake(p->server), 1);
    world_close(w);
}

/* More tickets, on request: each is written when it is asked for. */
static void test_ticket_on_request(void **state)
{
    struct world *w = open_one(2);
    struct pair *p = &w->pair[0];
    (void)state;
    (void)writes_behind_finished(w, p);
    tickets = writes = 0;
    for (unsigned i = 1; i <= 3; i++) {
        assert_int_equal(SSL_new_session_ticket(p->server), 1);
        assert_int_equal(SSL_do_handshake(p->server), 1);
        assert_int_equal(writes, i);
        client_reads(p);
        assert_int_equal(tickets, i);
    }
    world_close(w);
}

static SSL_SESSION *make_session(void)
{
    static const unsigned char key[48] = {7}, id[32] = {1, 2}, alpn[] = "http/1.1", data[200] = {3};
    STACK_OF(SSL_CIPHER) *ciphers = SSL_CTX_get_ciphers(world_client_ctx());
    SSL_SESSION *session = SSL_SESSION_new();

    assert_non_null(session);
    assert_int_equal(SSL_SESSION_set_cipher(session, sk_SSL_CIPHER_value(ciphers, 0)), 1);
    assert_int_equal(SSL_SESSION_set_protocol_version(session, TLS1_3_VERSION), 1);
    assert_int_equal(SSL_SESSION_set1_master_key(session, key, sizeof key), 1);
    assert_int_equal(SSL_SESSION_set1_id(session, id, sizeof id), 1);
    assert_int_equal(SSL_SESSION_set1_id_context(session, id, 4), 1);
    assert_int_equal(SSL_SESSION_set1_hostname(session, "a.example"), 1);
    assert_int_equal(SSL_SESSION_set1_alpn_selected(session, alpn, sizeof alpn - 1), 1);
    assert_int_equal(SSL_SESSION_set1_ticket_appdata(session, data, sizeof data), 1);
    assert_int_equal(SSL_SESSION_set_max_early_data(session, 16384), 1);
    SSL_SESSION_set_time(session, 0x7FFFFFFF);
    return session;
}

/* The shim takes over from OpenSSL while sessions are written: nobody can tell by the bytes. */
static void test_sessions(void **state)
{
    unsigned char first[2048], again[sizeof first], *to = first;
    SSL_SESSION *session = make_session();
    (void)state;
    const int length = i2d_SSL_SESSION(session, &to);
    assert_in_range(length, 300, sizeof first);
    for (int i = 0; i < 100; i++) {
        memset(again, 0xA5, sizeof again);
        to = again;
        assert_int_equal(i2d_SSL_SESSION(session, NULL), length);
        assert_int_equal(i2d_SSL_SESSION(session, &to), length);
        assert_ptr_equal(to, again + length);
        assert_memory_equal(again, first, (size_t)length);
        assert_int_equal(again[length], 0xA5);
    }
    unsigned char *made = NULL;
    assert_int_equal(i2d_SSL_SESSION(session, &made), length);
    assert_memory_equal(made, first, (size_t)length);
    OPENSSL_free(made);
    SSL_SESSION_free(session);
}

/* Providers that come and go, and properties of the program, all end what was kept. */
static void test_epoch(void **state)
{
    uint64_t before = oct_epoch();
    (void)state;
    assert_int_not_equal(before, 0);
    OSSL_PROVIDER *provider = OSSL_PROVIDER_load(NULL, "base");
    assert_non_null(provider);
    assert_int_not_equal(oct_epoch(), before);
    before = oct_epoch();
    assert_int_equal(OSSL_PROVIDER_unload(provider), 1);
    assert_int_not_equal(oct_epoch(), before);
    before = oct_epoch();
    assert_int_equal(EVP_set_default_properties(NULL, "?provider=default"), 1);
    assert_int_not_equal(oct_epoch(), before);
    assert_int_equal(EVP_set_default_properties(NULL, "?octuple.serves=yes"), 1);
}

static void one_handshake(SSL_CTX *ctx)
{
    struct world *w = world_open(EDGE, TLS13, 1);
    struct pair *p = world_add(w, ctx, EDGE);
    pair_end(w, &w->pair[0]);
    while (!p->client_done || !p->server_done) {
        pair_client(p);
        assert_true(pair_server(p) >= 0);
    }
    world_close(w);
}

static void test_changes_between_handshakes(void **state)
{
    (void)state;
    for (int i = 0; i < 6; i++) {
        one_handshake(world_server_ctx(TLS13));
        OSSL_PROVIDER *provider = OSSL_PROVIDER_load(NULL, i % 2 == 0 ? "base" : "default");
        one_handshake(world_server_ctx(TLS13));
        assert_int_equal(EVP_set_default_properties(NULL, i % 2 == 0 ? "provider=default" : "?octuple.serves=yes"), 1);
        one_handshake(world_server_ctx(TLS13));
        OSSL_PROVIDER_unload(provider);
    }
    assert_int_equal(EVP_set_default_properties(NULL, "?octuple.serves=yes"), 1);
}

/* Contexts of the program's own come and go, often at the same address. */
static void test_library_contexts(void **state)
{
    (void)state;
    for (int i = 0; i < 10; i++) {
        OSSL_LIB_CTX *library = OSSL_LIB_CTX_new();
        OSSL_PROVIDER *provider = OSSL_PROVIDER_load(library, "default");
        SSL_CTX *ctx = SSL_CTX_new_ex(library, NULL, TLS_server_method());
        EVP_PKEY *key = EVP_PKEY_Q_keygen(library, NULL, "EC", "P-256");
        X509 *certificate = world_certificate(key);
        assert_int_equal(SSL_CTX_use_certificate(ctx, certificate), 1);
        assert_int_equal(SSL_CTX_use_PrivateKey(ctx, key), 1);
        one_handshake(ctx);
        one_handshake(world_server_ctx(TLS13));
        X509_free(certificate);
        EVP_PKEY_free(key);
        SSL_CTX_free(ctx);
        OSSL_PROVIDER_unload(provider);
        OSSL_LIB_CTX_free(library);
    }
}

/* A default context that is this thread's only. */
static void test_default_of_the_thread(void **state)
{
    OSSL_LIB_CTX *library = OSSL_LIB_CTX_new();
    (void)state;
    one_handshake(world_server_ctx(TLS13));
    OSSL_LIB_CTX *before = OSSL_LIB_CTX_set0_default(library);
    OSSL_PROVIDER *provider = OSSL_PROVIDER_load(NULL, "default");
    EVP_KDF *kdf = EVP_KDF_fetch(NULL, "TLS13-KDF", NULL);
    assert_non_null(kdf);
    assert_ptr_equal(EVP_KDF_get0_provider(kdf), provider);
    EVP_KDF_free(kdf);
    OSSL_PROVIDER_unload(provider);
    OSSL_LIB_CTX_set0_default(before);
    OSSL_LIB_CTX_free(library);
    one_handshake(world_server_ctx(TLS13));
}

/* How many walks it takes to make a context for keys of this kind. The key has the number of old. */
static long walks_for(OSSL_LIB_CTX *library, const char *kind, const char *curve, int id)
{
    const long before = world_name_walks();
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(library, kind, NULL);
    const long walks = world_name_walks() - before;
    EVP_PKEY *key = NULL;

    assert_true(EVP_PKEY_keygen_init(ctx) > 0);
    if (curve != NULL)
        assert_true(EVP_PKEY_CTX_set_group_name(ctx, curve) > 0);
    assert_true(EVP_PKEY_generate(ctx, &key) > 0);
    assert_int_equal(EVP_PKEY_get_id(key), id);
    EVP_PKEY_free(key);
    EVP_PKEY_CTX_free(ctx);
    return walks;
}

static void find_name(const char *name, void *found)
{
    *(bool *)found = *(bool *)found || strcmp(name, "id-ecPublicKey") == 0;
}

/* The names of a kind are kept for libcrypto's own questions: kinds and names are the same, in whatever context. */
static void test_names(void **state)
{
    const bool walks = OpenSSL_version_num() < 0x30200000L;
    OSSL_LIB_CTX *library = OSSL_LIB_CTX_new();
    bool found = false;
    (void)state;

    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 8; i++)
            one_handshake(world_server_ctx(TLS13));
        (void)walks_for(NULL, "EC", "P-256", EVP_PKEY_EC);
        one_handshake(world_server_ctx(TLS13));
        assert_int_equal(walks_for(NULL, "EC", "P-256", EVP_PKEY_EC), 0);
        (void)walks_for(library, "EC", "P-256", EVP_PKEY_EC);
        assert_int_equal(walks_for(library, "EC", "P-256", EVP_PKEY_EC), walks);
        (void)walks_for(NULL, "X25519", NULL, EVP_PKEY_X25519);
        (void)walks_for(NULL, "ED25519", NULL, EVP_PKEY_ED25519);
        OSSL_PROVIDER *provider = OSSL_PROVIDER_load(NULL, "base");
        (void)walks_for(NULL, "EC", "P-256", EVP_PKEY_EC);
        OSSL_PROVIDER_unload(provider);
    }
    OSSL_LIB_CTX_free(library);
    EVP_PKEY *key = EVP_PKEY_Q_keygen(NULL, NULL, "EC", "P-256");
    assert_int_equal(EVP_PKEY_type_names_do_all(key, find_name, &found), 1);
    assert_true(found);
    EVP_PKEY_free(key);
}

/* A public key as certificates have it is written, read in `library`, and is the same. Returns the questions. */
static long questions_for(OSSL_LIB_CTX *library, EVP_PKEY *key)
{
    unsigned char *der = NULL;
    const int len = i2d_PUBKEY(key, &der);
    const unsigned char *at = der;
    assert_true(len > 0);
    const long before = world_name_questions();
    EVP_PKEY *read = d2i_PUBKEY_ex(NULL, &at, len, library, NULL);
    const long questions = world_name_questions() - before;
    assert_non_null(read);
    assert_int_equal(EVP_PKEY_eq(key, read), 1);
    EVP_PKEY_free(read);
    OPENSSL_free(der);
    return questions;
}

/* Each decoder is asked once what it is called. What is found is the same, in whatever context, and whatever providers
 * come and go. */
static void test_decoders(void **state)
{
    EVP_PKEY *key[] = {EVP_PKEY_Q_keygen(NULL, NULL, "RSA", (size_t)2048), EVP_PKEY_Q_keygen(NULL, NULL, "EC", "P-256"),
                       EVP_PKEY_Q_keygen(NULL, NULL, "ED25519"), EVP_PKEY_Q_keygen(NULL, NULL, "X448")};
    OSSL_LIB_CTX *library = OSSL_LIB_CTX_new();
    (void)state;

    for (int round = 0; round < 3; round++) {
        OSSL_PROVIDER *provider = OSSL_PROVIDER_load(round == 1 ? library : NULL, round == 2 ? "legacy" : "base");
        for (size_t i = 0; i < sizeof key / sizeof key[0]; i++) {
            (void)questions_for(NULL, key[i]);
            assert_true(OpenSSL_version_num() >= 0x30100000L || questions_for(NULL, key[i]) < 450);
            if (round != 1) /* there is only the one without keys */
                (void)questions_for(library, key[i]);
        }
        if (provider != NULL)
            OSSL_PROVIDER_unload(provider);
    }
    for (size_t i = 0; i < sizeof key / sizeof key[0]; i++)
        EVP_PKEY_free(key[i]);
    OSSL_LIB_CTX_free(library);
}

static pid_t fork_plainly(void)
{
    return fork();
}

/* As programs do that call the kernel by themselves: no handler of the C library runs. */
static pid_t fork_by_kernel(void)
{
    return (pid_t)syscall(SYS_clone, 0, NULL, NULL, NULL, 0);
}

/* libcrypto draws fresh seed in a child, which it knows by its number. */
static void expect_other_bytes(pid_t (*make_child)(void), int options)
{
    unsigned char mine[32], other[32];
    int ends[2], status;
    assert_int_equal(RAND_bytes(mine, sizeof mine), 1);
    assert_int_equal(pipe(ends), 0);
    const pid_t child = make_child();
    if (child == 0) {
        const bool good = RAND_bytes(mine, sizeof mine) == 1 && write(ends[1], mine, sizeof mine) == sizeof mine;
        _exit(good ? 0 : 1);
    }
    assert_int_equal(RAND_bytes(mine, sizeof mine), 1);
    assert_int_equal(read(ends[0], other, sizeof other), sizeof other);
    assert_int_equal(waitpid(child, &status, options), child);
    assert_int_equal(status, 0);
    assert_memory_not_equal(mine, other, sizeof mine);
    close(ends[0]);
    close(ends[1]);
}

static void test_forks(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        expect_other_bytes(fork_plainly, 0);
        expect_other_bytes(fork_by_kernel, __WALL);
    }
    one_handshake(world_server_ctx(TLS13));
}

int main(void)
{
    world_start();
    return RUN_TESTS(NULL, NULL, test_tickets_in_one_write, test_large_tickets, test_closed_client,
                     test_ticket_on_request, test_sessions, test_epoch, test_changes_between_handshakes,
                     test_library_contexts, test_default_of_the_thread, test_names, test_decoders, test_forks);
}
