/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* A certificate callback that does larger things: handshakes of its own, chains, and coroutines. */
#include "callbacks.h"

#include <arpa/inet.h>
#include <openssl/bio.h>
#include <pthread.h>
#include <stdio.h>
#include <ucontext.h>

static bool handshake_in_memory(void)
{
    SSL_CTX *ctx = callback_ctx(TLS13, 0, NULL);
    SSL *ends[2] = {SSL_new(ctx), SSL_new(ctx)};
    BIO *a, *b;
    bool done = BIO_new_bio_pair(&a, 0, &b, 0) == 1;
    SSL_set_bio(ends[0], a, a);
    SSL_set_bio(ends[1], b, b);
    SSL_set_accept_state(ends[0]);
    SSL_set_connect_state(ends[1]);
    SSL_set_verify(ends[1], SSL_VERIFY_PEER, NULL);
    for (int turn = 0; turn < 10; turn++) {
        const int client = SSL_do_handshake(ends[1]), server = SSL_do_handshake(ends[0]);
        done = client == 1 && server == 1;
    }
    SSL_free(ends[0]);
    SSL_free(ends[1]);
    SSL_CTX_free(ctx);
    return done;
}

static int listener = -1;
static pthread_t answering;

/* One connection after another, as long as somebody listens. */
static void *answer(void *arg)
{
    SSL_CTX *ctx = arg;
    int fd;
    while ((fd = accept(listener, NULL, NULL)) >= 0) {
        SSL *s = SSL_new(ctx);
        struct timeval patience = {.tv_sec = 20};
        setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
        SSL_set_fd(s, fd);
        if (SSL_accept(s) == 1 && SSL_write(s, "it", 2) == 2)
            SSL_shutdown(s);
        SSL_free(s);
        close(fd);
    }
    SSL_CTX_free(ctx);
    return NULL;
}

static void start_answering(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(listener, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(listener, 16), 0);
    assert_int_equal(pthread_create(&answering, NULL, answer, callback_ctx(TLS13, 0, NULL)), 0);
}

static void stop_answering(void)
{
    shutdown(listener, SHUT_RDWR);
    pthread_join(answering, NULL);
    close(listener);
}

/* As programs ask another server about a name: by a BIO that blocks. */
static bool ask_another_server(void)
{
    struct sockaddr_in address;
    socklen_t length = sizeof address;
    char port[16], bytes[2];
    SSL_CTX *ctx = callback_ctx(TLS13, 0, NULL);
    BIO *bio = BIO_new_ssl_connect(ctx);
    getsockname(listener, (struct sockaddr *)&address, &length);
    snprintf(port, sizeof port, "%d", ntohs(address.sin_port));
    BIO_set_conn_hostname(bio, "127.0.0.1");
    BIO_set_conn_port(bio, port);
    const bool ok = BIO_do_handshake(bio) == 1 && BIO_read(bio, bytes, 2) == 2 && memcmp(bytes, "it", 2) == 0;
    BIO_free_all(bio);
    SSL_CTX_free(ctx);
    return ok;
}

static bool build_chain(void)
{
    SSL_CTX *ctx = callback_ctx(TLS13, 0, NULL);
    const long ok = SSL_CTX_build_cert_chain(ctx, SSL_BUILD_CHAIN_FLAG_CHECK | SSL_BUILD_CHAIN_FLAG_UNTRUSTED |
                                                      SSL_BUILD_CHAIN_FLAG_IGNORE_ERROR);
    const long whole = SSL_CTX_build_cert_chain(ctx, 0);
    SSL_CTX_free(ctx);
    return ok >= 1 && whole == 1;
}

/* As programs do that make a certificate for each name. */
static bool issue_and_verify(void)
{
    X509 *x = X509_dup(callback_credentials.leaf);
    X509_STORE *store = X509_STORE_new();
    X509_STORE_CTX *ctx = X509_STORE_CTX_new();
    ASN1_INTEGER_set(X509_get_serialNumber(x), 3);
    X509_STORE_add_cert(store, callback_credentials.authority);
    const bool ok = X509_sign(x, callback_credentials.authority_key, EVP_sha256()) > 0 &&
                    X509_STORE_CTX_init(ctx, store, x, NULL) == 1 && X509_verify_cert(ctx) == 1;
    X509_STORE_CTX_free(ctx);
    X509_STORE_free(store);
    X509_free(x);
    return ok;
}

#ifdef __GLIBC__ /* musl has no makecontext() */
static ucontext_t caller, coroutine;
static bool coroutine_worked;

static void coroutine_body(void)
{
    coroutine_worked = callback_sign_both();
    swapcontext(&coroutine, &caller);
    coroutine_worked = callback_sign_both() && coroutine_worked;
}

/* It begins, yields, and is entered again by the same callback. Every callback has the one stack to itself. */
static bool coroutine_of_its_own(void)
{
    static char stack[256 * 1024];
    getcontext(&coroutine);
    coroutine.uc_stack.ss_sp = stack;
    coroutine.uc_stack.ss_size = sizeof stack;
    coroutine.uc_link = &caller;
    makecontext(&coroutine, coroutine_body, 0);
    swapcontext(&caller, &coroutine);
    const bool began = coroutine_worked;
    swapcontext(&caller, &coroutine);
    return began && coroutine_worked;
}
#endif

static int compare(const void *a, const void *b)
{
    const int *const left = a, *const right = b;
    callback_tally.wrong += !callback_sign_both();
    return *left - *right;
}

/* Between the program's frames there are those of the C library. */
static bool sort_with_signatures(void)
{
    int numbers[3] = {3, 1, 2};
    qsort(numbers, 3, sizeof numbers[0], compare);
    return numbers[0] == 1 && numbers[1] == 2 && numbers[2] == 3;
}

#define IN_CERTIFICATE_CALLBACK(what, work)                                                                            \
    static int what##_callback(SSL *s, void *arg)                                                                      \
    {                                                                                                                  \
        (void)s, (void)arg;                                                                                            \
        if (callback_enter())                                                                                          \
            callback_leave(work());                                                                                    \
        return 1;                                                                                                      \
    }                                                                                                                  \
    static void what(SSL_CTX *own, SSL_CTX *peer)                                                                      \
    {                                                                                                                  \
        SSL_CTX_set_verify(peer, SSL_VERIFY_PEER, NULL); /* or a client is not asked */                                \
        SSL_CTX_set_cert_cb(own, what##_callback, NULL);                                                               \
    }
IN_CERTIFICATE_CALLBACK(in_memory, handshake_in_memory)
IN_CERTIFICATE_CALLBACK(another_server, ask_another_server)
IN_CERTIFICATE_CALLBACK(chain, build_chain)
IN_CERTIFICATE_CALLBACK(issued, issue_and_verify)
#ifdef __GLIBC__
IN_CERTIFICATE_CALLBACK(own_coroutine, coroutine_of_its_own)
#endif
IN_CERTIFICATE_CALLBACK(sorted, sort_with_signatures)

static void with_another_server(SSL_CTX *own, SSL_CTX *peer)
{
    start_answering();
    another_server(own, peer);
}

static const struct callback_row rows[] = {
    {.name = "(a handshake in memory)", .ctx = in_memory},
    {.name = "(a handshake in memory, TLS 1.2 outside)", .kind = TLS12_ECDHE, .ctx = in_memory},
    {.name = "(a handshake with another server)", .ctx = with_another_server, .undo = stop_answering},
    {.name = "(a client's handshake in memory)", .flags = OWN_CONNECTS, .ctx = in_memory},
    {.name = "(SSL_CTX_build_cert_chain)", .ctx = chain},
    {.name = "(X509_sign and X509_verify_cert)", .ctx = issued},
#ifdef __GLIBC__
    {.name = "(a coroutine of its own)", .ctx = own_coroutine},
#endif
    {.name = "(signatures below qsort)", .ctx = sorted},
};
const struct callback_table callbacks_nested = {rows, sizeof rows / sizeof rows[0]};
