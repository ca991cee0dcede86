/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Clients that have left before their server comes to their hello. One whose hello has waited costs no handshake; each
 * other gets what it always has. The argument is what the setting says: with "off" all get it, and with "refuse"
 * others than these may be turned away.
 */
#include "world.h"

#include "trace/hellos.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <time.h>

#include "../../shim/handshake/lone_hello.h"
#include "../../src/base/policy.h"

static bool off, refuses;

struct visit {
    struct world *w;
    SSL *server;
    int listener, fd, client;
    uint64_t gone;
};

/* The first hello of a client of this version, in bytes; early: it brings early data. */
static size_t hello_of(unsigned char *bytes, size_t room, int version, bool early)
{
    SSL *client = SSL_new(world_client_ctx());
    BIO *in = BIO_new(BIO_s_mem()), *out = BIO_new(BIO_s_mem());
    SSL_set_bio(client, in, out);
    assert_int_equal(SSL_set_max_proto_version(client, version), 1);
    if (early) {
        static const unsigned char secret[32] = {1}, suite[2] = {0x13, 0x01};
        SSL_SESSION *session = SSL_SESSION_new();
        SSL_SESSION_set1_master_key(session, secret, sizeof secret);
        SSL_SESSION_set_cipher(session, SSL_CIPHER_find(client, suite));
        SSL_SESSION_set_protocol_version(session, TLS1_3_VERSION);
        SSL_SESSION_set_max_early_data(session, 1000);
        SSL_set_session(client, session);
        SSL_SESSION_free(session);
        size_t written;
        SSL_write_early_data(client, "early", 5, &written);
    } else {
        SSL_set_connect_state(client);
        assert_int_equal(SSL_do_handshake(client), -1);
    }
    const int n = BIO_read(out, bytes, (int)room);
    assert_true(n > 100);
    SSL_free(client);
    ERR_clear_error();
    return (size_t)n;
}

static void open_visit_in(struct world *w, struct visit *v, enum kind kind)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    *v = (struct visit){.w = w, .gone = oct_hello_counters()->gone};
    v->listener = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(v->listener, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(v->listener, 1), 0);
    assert_int_equal(getsockname(v->listener, (struct sockaddr *)&address, &length), 0);
    v->client = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(connect(v->client, (struct sockaddr *)&address, sizeof address), 0);
    v->fd = accept4(v->listener, NULL, NULL, SOCK_NONBLOCK);
    v->server = SSL_new(world_server_ctx(kind));
    SSL_set_fd(v->server, v->fd);
    SSL_set_accept_state(v->server);
}

static void open_visit(struct visit *v, enum kind kind)
{
    open_visit_in(world_open(EPOLLIN, kind, 1), v, kind);
}

static void close_visit_in(struct visit *v)
{
    SSL_free(v->server);
    close(v->fd);
    close(v->listener);
    if (v->client >= 0)
        close(v->client);
    ERR_clear_error();
}

static void close_visit(struct visit *v)
{
    close_visit_in(v);
    world_close(v->w);
}

static void let_wait(void)
{
    nanosleep(&(struct timespec){.tv_nsec = (OCT_POLICY_HELLO_LATE + 30) * 1000000l}, NULL);
}

static uint64_t thrown_away(const struct visit *v)
{
    return oct_hello_counters()->gone - v->gone;
}

/* What the client has got when the server has called libssl until that wants no more. */
static ssize_t serve(struct visit *v, int *error)
{
    unsigned char got[8192];
    int value = SSL_do_handshake(v->server);
    for (int i = 0; i < 4 && value <= 0 && SSL_get_error(v->server, value) == SSL_ERROR_WANT_READ; i++) {
        struct epoll_event events[2];
        world_wait(v->w, events, 2, 1);
        value = SSL_do_handshake(v->server);
    }
    *error = SSL_get_error(v->server, value);
    return v->client >= 0 ? recv(v->client, got, sizeof got, MSG_DONTWAIT) : 0;
}

static void say(struct visit *v, const void *bytes, size_t n)
{
    assert_int_equal(send(v->client, bytes, n, 0), (ssize_t)n);
}

/* It half-closes, so that it can be seen what it gets. */
static void test_half_closed(void **state)
{
    static const int versions[] = {[TLS13] = TLS1_3_VERSION, TLS1_2_VERSION, TLS1_2_VERSION};
    unsigned char hello[4096];
    (void)state;
    for (enum kind kind = TLS13; kind <= TLS12_RSA; kind++) {
        struct visit v;
        int error;
        open_visit(&v, kind);
        say(&v, hello, hello_of(hello, sizeof hello, versions[kind], false));
        shutdown(v.client, SHUT_WR);
        let_wait();
        const ssize_t got = serve(&v, &error);
        assert_int_equal(error, SSL_ERROR_SSL);
        assert_int_equal(ERR_GET_REASON(ERR_peek_last_error()), SSL_R_UNEXPECTED_EOF_WHILE_READING);
        assert_int_equal(thrown_away(&v), !off);
        assert_true(off ? got > 100 : got < 10); /* an alert */
        close_visit(&v);
    }
}

static void test_reset(void **state)
{
    const struct linger at_once = {1, 0};
    unsigned char hello[4096];
    struct visit v;
    int error;
    (void)state;
    open_visit(&v, TLS13);
    say(&v, hello, hello_of(hello, sizeof hello, TLS1_3_VERSION, false));
    setsockopt(v.client, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    close(v.client);
    v.client = -1;
    let_wait();
    errno = 0;
    serve(&v, &error);
    assert_int_equal(error, SSL_ERROR_SYSCALL);
    assert_true(errno == ECONNRESET || (off && errno == EPIPE));
    assert_int_equal(thrown_away(&v), !off);
    close_visit(&v);
}

/* Whoever is there gets its flight, however long it has waited. */
static void test_patient(void **state)
{
    unsigned char hello[4096];
    struct visit v;
    int error;
    (void)state;
    open_visit(&v, TLS13);
    const uint64_t before = oct_hello_counters()->milliseconds;
    say(&v, hello, hello_of(hello, sizeof hello, TLS1_3_VERSION, false));
    let_wait();
    assert_true(serve(&v, &error) > 100);
    assert_int_equal(error, SSL_ERROR_WANT_READ);
    assert_int_equal(thrown_away(&v), 0);
    assert_true(off ? oct_hello_counters()->milliseconds == before
                    : oct_hello_counters()->milliseconds >= before + OCT_POLICY_HELLO_LATE);
    close_visit(&v);
}

/* These leave too, but libssl is to read what they have said. */
static void test_others(void **state)
{
    unsigned char bytes[8192];
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        struct visit v;
        int error;
        open_visit(&v, TLS13);
        size_t n = hello_of(bytes, sizeof bytes, TLS1_3_VERSION, kind == 0);
        if (kind == 1)
            n -= 1; /* not all of it */
        if (kind == 2)
            bytes[n++] = SSL3_RT_ALERT; /* and more */
        if (kind == 3)
            n = (size_t)snprintf((char *)bytes, sizeof bytes, "GET / HTTP/1.0\r\n\r\n");
        say(&v, bytes, n);
        shutdown(v.client, SHUT_WR);
        let_wait();
        serve(&v, &error);
        assert_int_equal(thrown_away(&v), 0);
        close_visit(&v);
    }
}

/* A socket that libssl has read from, and one that is none of TCP. */
static void test_where(void **state)
{
    unsigned char hello[4096];
    struct visit v;
    int error;
    (void)state;
    open_visit(&v, TLS13);
    const size_t n = hello_of(hello, sizeof hello, TLS1_3_VERSION, false);
    say(&v, hello, 7);
    assert_int_equal(SSL_do_handshake(v.server), -1);
    say(&v, hello, n); /* a whole hello, but not for libssl */
    shutdown(v.client, SHUT_WR);
    let_wait();
    serve(&v, &error);
    assert_int_equal(thrown_away(&v), 0);
    int ends[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0);
    SSL *server = SSL_new(world_server_ctx(TLS13));
    SSL_set_fd(server, ends[0]);
    assert_int_equal(send(ends[1], hello, n, 0), (ssize_t)n);
    shutdown(ends[1], SHUT_WR);
    let_wait();
    SSL_accept(server);
    assert_true(recv(ends[1], hello, sizeof hello, 0) > 100);
    assert_int_equal(thrown_away(&v), 0);
    SSL_free(server);
    close(ends[0]);
    close(ends[1]);
    close_visit(&v);
}

/* Any bytes: every length, and every byte changed. Where it says yes, it is so. */
static void test_parser(void **state)
{
    unsigned char hello[4096], other[4096];
    (void)state;
    const size_t n = hello_of(hello, sizeof hello, TLS1_3_VERSION, false);
    assert_true(oct_is_lone_hello(hello, n));
    for (size_t i = 0; i < n; i++) {
        unsigned char *part = malloc(i + 1); /* so that a sanitizer sees a read behind it */
        memcpy(part, hello, i);
        assert_false(oct_is_lone_hello(part, i));
        free(part);
    }
    for (size_t i = 0; i < n; i++)
        for (unsigned change = 1; change < 256; change++) {
            memcpy(other, hello, n);
            other[i] ^= (unsigned char)change;
            const bool is = oct_is_lone_hello(other, n);
            assert_false(is && (i == 0 || i == 1 || (i >= 3 && i <= 8))); /* kinds and lengths */
        }
    memcpy(other, hello, n);
    other[n] = 0;
    assert_false(oct_is_lone_hello(other, n + 1));
    assert_false(oct_is_lone_hello(other, hello_of(other, sizeof other, TLS1_3_VERSION, true)));
    assert_true(oct_is_lone_hello(other, hello_of(other, sizeof other, TLS1_2_VERSION, false)));
}

#define CROWD 24

/* All have waited for half a second; those that are answered leave at once. Serves them, and says how many were not. */
static unsigned crowd_comes(void)
{
    static struct visit v[CROWD];
    unsigned char hello[4096];
    const uint64_t before = oct_hello_counters()->refused;
    struct world *w = world_open(EPOLLIN, TLS13, 1);
    for (int i = 0; i < CROWD; i++) {
        open_visit_in(w, &v[i], TLS13);
        say(&v[i], hello, hello_of(hello, sizeof hello, TLS1_3_VERSION, false));
    }
    nanosleep(&(struct timespec){.tv_nsec = 530000000}, NULL);
    unsigned turned_away = 0;
    for (int i = 0; i < CROWD; i++) {
        int error;
        const ssize_t got = serve(&v[i], &error);
        turned_away += got < 100;
        assert_int_equal(error, got < 100 ? SSL_ERROR_SSL : SSL_ERROR_WANT_READ);
        close_visit_in(&v[i]);
    }
    world_close(w);
    assert_int_equal(oct_hello_counters()->refused - before, turned_away);
    return turned_away;
}

/* Handshakes of that age end badly, so that the next of it are turned away: not by the default. */
static void test_turned_away(void **state)
{
    unsigned turned_away = 0;
    (void)state;
    for (int i = 0; i < (refuses ? 10 : 2) && turned_away == 0; i++)
        turned_away = crowd_comes();
    assert_int_equal(turned_away > 0, refuses);
}

int main(int argc, char **argv)
{
    off = argc > 1 && strcmp(argv[1], "off") == 0;
    refuses = argc > 1 && strcmp(argv[1], "refuse") == 0;
    world_start();
    return RUN_TESTS(NULL, NULL, test_half_closed, test_reset, test_patient, test_others, test_where, test_parser,
                     test_turned_away);
}
