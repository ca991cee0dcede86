/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See world.h. */
#include "world.h"

#include "base/slice.h"
#include "libssl/defined.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <signal.h>
#include <stdio.h>
#include <sys/un.h>
#include <time.h>

#ifdef OPENSSL_IS_AWSLC
#include <openssl/rsa.h>
#define HAS_CHEAP_KEY false /* lanes serve RSA alone there */
#else
#include <openssl/async.h>
#include <openssl/provider.h>
#define HAS_CHEAP_KEY true
#endif

#define RUN_SECONDS 60

static SSL_CTX *server_ctx[3], *client_ctx;
static struct world *open_world; /* closed by the next test if this one fails */
static long allocations, name_walks, name_questions;

static void *count_malloc(size_t n, const char *file, int line)
{
    (void)line;
    if (file != NULL && strstr(file, "core_namemap.c") != NULL)
        __atomic_add_fetch(n > 1024 ? &name_walks : &name_questions, 1, __ATOMIC_RELAXED);
    void *p = malloc(n);
    if (p != NULL)
        __atomic_add_fetch(&allocations, 1, __ATOMIC_RELAXED);
    return p;
}

static void count_free(void *p, const char *file, int line)
{
    (void)file, (void)line;
    if (p != NULL)
        __atomic_sub_fetch(&allocations, 1, __ATOMIC_RELAXED);
    free(p);
}

static void *count_realloc(void *p, size_t n, const char *file, int line)
{
    if (p == NULL)
        return count_malloc(n, file, line);
    if (n != 0)
        return realloc(p, n);
    count_free(p, file, line);
    return NULL;
}

long world_allocations(void)
{
    return __atomic_load_n(&allocations, __ATOMIC_RELAXED);
}

long world_name_walks(void)
{
    return __atomic_load_n(&name_walks, __ATOMIC_RELAXED);
}

long world_name_questions(void)
{
    return __atomic_load_n(&name_questions, __ATOMIC_RELAXED);
}

bool world_slow(void)
{
    return getenv("OCTUPLE_TEST_SLOW") != NULL;
}

X509 *world_certificate(EVP_PKEY *key)
{
    X509 *x = X509_new();
    X509_set_version(x, 2);
    ASN1_INTEGER_set(X509_get_serialNumber(x), 1);
    X509_gmtime_adj(X509_getm_notBefore(x), -3600);
    X509_gmtime_adj(X509_getm_notAfter(x), 86400);
    X509_set_pubkey(x, key);
    X509_NAME *name = X509_NAME_new();
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, (const unsigned char *)"localhost", -1, -1, 0);
    X509_set_subject_name(x, name);
    X509_set_issuer_name(x, name);
    X509_NAME_free(name);
    assert_int_not_equal(X509_sign(x, key, EVP_sha256()), 0);
    return x;
}

static SSL_CTX *make_server(enum kind kind, EVP_PKEY *key, X509 *cert)
{
    SSL_CTX *ctx = SSL_CTX_new(TLS_server_method());
    int version = kind == TLS13 ? TLS1_3_VERSION : TLS1_2_VERSION;
    assert_non_null(ctx);
    assert_int_equal(SSL_CTX_use_certificate(ctx, cert), 1);
    assert_int_equal(SSL_CTX_use_PrivateKey(ctx, key), 1);
    SSL_CTX_set_min_proto_version(ctx, version);
    SSL_CTX_set_max_proto_version(ctx, version);
    assert_int_equal(SSL_CTX_set_cipher_list(ctx, kind == TLS12_RSA ? "kRSA" : "ECDHE"), 1);
    SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_OFF);
    return ctx;
}

#ifdef OPENSSL_IS_AWSLC
static bool is_served(void)
{
    return true;
}

static EVP_PKEY *generate_rsa(void)
{
    RSA *rsa = RSA_new();
    BIGNUM *e = BN_new();
    EVP_PKEY *key = EVP_PKEY_new();
    assert_true(BN_set_word(e, RSA_F4) && RSA_generate_key_ex(rsa, 2048, e, NULL) && EVP_PKEY_assign_RSA(key, rsa));
    BN_free(e);
    return key;
}

static EVP_PKEY *generate_ec(void)
{
    return NULL;
}
#else
static bool is_served(void)
{
    return OSSL_PROVIDER_available(NULL, "octuple");
}

static EVP_PKEY *generate_rsa(void)
{
    return EVP_RSA_gen(2048);
}

static EVP_PKEY *generate_ec(void)
{
    return EVP_EC_gen("P-256");
}
#endif

void world_start(void)
{
    const bool counts = CRYPTO_set_mem_functions(count_malloc, count_realloc, count_free);
    client_ctx = SSL_CTX_new(TLS_client_method());
    if (!counts || client_ctx == NULL || !is_served() || getenv("LD_PRELOAD") == NULL) {
        fprintf(stderr, "run this with the shim preloaded\n");
        exit(1);
    }
    signal(SIGPIPE, SIG_IGN);
    SSL_CTX_set_cipher_list(client_ctx, "ALL");
    /* Tests count pauses; by default OpenSSL 3.5 takes a group that pauses where a lone X25519 does not. */
    SSL_CTX_set1_groups_list(client_ctx, "X25519");
}

/* Where it takes a minute to find one (valgrind), a child finds it, which runs without. */
static EVP_PKEY *rsa_key(void)
{
    if (!world_slow())
        return generate_rsa();
    FILE *pem = popen("env -u LD_PRELOAD -u OPENSSL_CONF openssl genpkey -quiet -algorithm RSA", "r");
    assert_non_null(pem);
    EVP_PKEY *key = PEM_read_PrivateKey(pem, NULL, NULL, NULL);
    assert_int_equal(pclose(pem), 0);
    return key;
}

static EVP_PKEY *server_key(enum kind kind)
{
    static EVP_PKEY *rsa, *ec;
    const bool cheap = kind == TLS13 && world_slow() && HAS_CHEAP_KEY;
    EVP_PKEY **key = cheap ? &ec : &rsa;
    if (*key == NULL)
        *key = cheap ? generate_ec() : rsa_key();
    assert_non_null(*key);
    return *key;
}

SSL_CTX *world_server_ctx(enum kind kind)
{
    if (server_ctx[kind] == NULL) {
        X509 *cert = world_certificate(server_key(kind));
        server_ctx[kind] = make_server(kind, server_key(kind), cert);
        X509_free(cert);
    }
    return server_ctx[kind];
}

SSL_CTX *world_client_ctx(void)
{
    return client_ctx;
}

/* Two connected sockets; the first comes from accept(), as a server's do. */
static void socket_pair(int ends[2])
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    socklen_t length = sizeof address;
    int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ends[1] = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(listener, (struct sockaddr *)&address, sizeof address.sun_family), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &length), 0);
    assert_int_equal(listen(listener, 1), 0);
    assert_int_equal(connect(ends[1], (struct sockaddr *)&address, length), 0);
    ends[0] = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    assert_true(ends[0] >= 0);
    close(listener);
}

struct pair *world_add(struct world *w, SSL_CTX *ctx, uint32_t events)
{
    struct pair *p = &w->pair[w->pairs++];
    int ends[2];
    *p = (struct pair){.server = SSL_new(ctx), .client = SSL_new(client_ctx)};
    socket_pair(ends);
    p->fd = ends[0];
    p->peer = ends[1];
    SSL_set_fd(p->server, p->fd);
    SSL_set_accept_state(p->server);
    SSL_set_bio(p->client, BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
    SSL_set_connect_state(p->client);
    if (events != 0) {
        struct epoll_event event = {.events = events, .data.ptr = p};
        assert_int_equal(epoll_ctl(w->epfd, EPOLL_CTL_ADD, p->fd, &event), 0);
    }
    return p;
}

static struct world *open_with(uint32_t events, enum kind kind, int pairs, int timeout)
{
    struct epoll_event event;
    if (open_world != NULL)
        world_close(open_world);
    struct world *w = open_world = calloc(1, sizeof *w);
    w->epfd = epoll_create1(EPOLL_CLOEXEC);
    w->elsewhere = epoll_create1(EPOLL_CLOEXEC);
    w->events = events;
    assert_int_equal(epoll_wait(w->epfd, &event, 1, timeout), 0);
    for (int i = 0; i < pairs; i++)
        world_add(w, world_server_ctx(kind), events);
    return w;
}

struct world *world_open(uint32_t events, enum kind kind, int pairs)
{
    return open_with(events, kind, pairs, 1);
}

struct world *world_open_unslept(uint32_t events, enum kind kind, int pairs)
{
    return open_with(events, kind, pairs, 0);
}

void pair_end(struct world *w, struct pair *p)
{
    (void)w;
    SSL_free(p->server);
    SSL_free(p->client);
    if (p->fd >= 0)
        close(p->fd);
    if (p->peer >= 0)
        close(p->peer);
    *p = (struct pair){.fd = -1, .peer = -1};
}

void world_close(struct world *w)
{
    for (int i = 0; i < w->pairs; i++)
        if (w->pair[i].peer >= 0)
            pair_end(w, &w->pair[i]);
    close(w->epfd);
    close(w->elsewhere);
    open_world = NULL;
    free(w);
}

/* From the client's memory to the socket and back. */
static void move_bytes(struct pair *p)
{
    char buf[16384];
    ssize_t n;
    while ((n = BIO_read(SSL_get_wbio(p->client), buf, sizeof buf)) > 0)
        assert_int_equal(send(p->peer, buf, (size_t)n, MSG_NOSIGNAL), n);
    while ((n = recv(p->peer, buf, sizeof buf, 0)) > 0)
        assert_int_equal(BIO_write(SSL_get_rbio(p->client), buf, (int)n), n);
}

void pair_client(struct pair *p)
{
    move_bytes(p);
    if (!p->client_done)
        p->client_done = SSL_do_handshake(p->client) == 1;
    move_bytes(p);
    ERR_clear_error();
}

int pair_server(struct pair *p)
{
    ERR_clear_error();
    int value = p->drive != NULL ? p->drive(p) : SSL_do_handshake(p->server);
    if (value > 0) {
        p->server_done = true;
        return 1;
    }
    int error = SSL_get_error(p->server, value);
    if (error == SSL_ERROR_WANT_READ)
        return 0;
    p->server_failed = true;
    return -1;
}

static void *behind_the_doors(const char *name)
{
    return oct_defined_in(dlopen(LIBSSL, RTLD_LAZY | RTLD_NOLOAD), name);
}

#ifdef OPENSSL_IS_AWSLC
/* Through the shim no question would find it paused. AWS-LC itself says what it waits for. */
static int (*want)(const SSL *);

__attribute__((constructor)) static void find_behind(void)
{
    *(void **)&want = behind_the_doors("SSL_want");
}

bool pair_paused(const struct pair *p)
{
    return want(p->server) == SSL_ERROR_WANT_PRIVATE_KEY_OPERATION;
}

const void *world_slice(void)
{
    return NULL;
}
#else
/* Through the shim no question would find it paused. It shuts the object meanwhile, which libssl itself says. */
static int (*shutdown_of)(const SSL *), (*waits)(SSL *);

__attribute__((constructor)) static void find_behind(void)
{
    *(void **)&shutdown_of = behind_the_doors("SSL_get_shutdown");
    *(void **)&waits = behind_the_doors("SSL_waiting_for_async");
}

bool pair_paused(const struct pair *p)
{
    return waits(p->server) == 1 || (SSL_in_init(p->server) && SSL_get_shutdown(p->server) == 0 &&
                                     shutdown_of(p->server) == (SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN));
}

const void *world_slice(void)
{
    const void *job = ASYNC_get_current_job();
    return job != NULL ? job : oct_slice_current();
}
#endif

int world_wait(struct world *w, struct epoll_event *events, int max, int timeout)
{
    struct timespec time = {timeout / 1000, timeout % 1000 * 1000000l};
    if (w->wait_kind == 1)
        return epoll_pwait(w->epfd, events, max, timeout, NULL);
    if (w->wait_kind == 2)
        return epoll_pwait2(w->epfd, events, max, timeout < 0 ? NULL : &time, NULL);
    return epoll_wait(w->epfd, events, max, timeout);
}

static void serve(struct epoll_event *events, int n)
{
    for (int i = 0; i < n; i++) {
        struct pair *p = events[i].data.ptr;
        if (p->server != NULL && !p->server_done && !p->server_failed)
            pair_server(p);
    }
}

int world_hello(struct world *w)
{
    struct epoll_event events[PAIRS_MAX], none;
    int paused = 0, n;
    for (int i = 0; i < w->pairs; i++)
        pair_client(&w->pair[i]);
    n = world_wait(w, events, PAIRS_MAX, 0);
    assert_int_equal(epoll_wait(w->elsewhere, &none, 1, 0), 0);
    serve(events, n);
    for (int i = 0; i < w->pairs; i++)
        paused += pair_paused(&w->pair[i]);
    return paused;
}

static bool over(const struct world *w)
{
    for (int i = 0; i < w->pairs; i++) {
        const struct pair *p = &w->pair[i];
        if (p->server != NULL && !p->server_failed && (!p->server_done || !p->client_done))
            return false;
    }
    return true;
}

void world_run(struct world *w)
{
    struct epoll_event events[PAIRS_MAX];
    time_t end = time(NULL) + RUN_SECONDS;
    while (!over(w)) {
        assert_true(time(NULL) < end);
        int n = world_wait(w, events, PAIRS_MAX, 100);
        assert_true(n >= 0);
        serve(events, n);
        for (int i = 0; i < w->pairs; i++)
            if (w->pair[i].client != NULL)
                pair_client(&w->pair[i]);
    }
}

void world_exchange(struct world *w)
{
    for (int i = 0; i < w->pairs; i++) {
        struct pair *p = &w->pair[i];
        char byte = 0;
        if (!p->server_done)
            continue;
        assert_int_equal(SSL_write(p->client, "c", 1), 1);
        move_bytes(p);
        assert_int_equal(SSL_read(p->server, &byte, 1), 1);
        assert_int_equal(byte, 'c');
        assert_int_equal(SSL_write(p->server, "s", 1), 1);
        move_bytes(p);
        assert_int_equal(SSL_read(p->client, &byte, 1), 1);
        assert_int_equal(byte, 's');
    }
}
