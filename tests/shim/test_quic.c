/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* ctest: ENVIRONMENT OCTUPLE_LOOPS=auto,quic=wait */
/*
 * Handshakes of QUIC in a program that speaks QUIC itself: a made-up one, whose packets are bytes in memory. It says by
 * OCTUPLE_LOOPS where paused handshakes go on. OpenSSL has what it takes from 3.5 on.
 */
#include "world.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <netinet/in.h>
#include <openssl/core.h>
#include <stdio.h>
#include <sys/socket.h>

#define LEVELS  4
#define CROWD   6 /* no whole batch */
#define BYTES   16384
#define PIECES  32
#define SKIPPED 0
#define PARAMS  "\x04\x04\x80\x00\xff\xff" /* initial_max_data: any that is in order */

/* Bytes on their way to one end, which gets no more at a time than were sent by a call: those of one level. */
struct flow {
    unsigned char bytes[BYTES];
    size_t length, taken;
    size_t piece[PIECES]; /* where each ends */
    unsigned pieces, at;
};

struct end {
    SSL *ssl;
    struct flow in, *out;
    unsigned calls; /* of its callbacks */
    int fd;
};

struct both {
    struct end server, client;
};

static int (*set_callbacks)(SSL *, const OSSL_DISPATCH *, void *);
static int (*set_params)(SSL *, const unsigned char *, size_t);
static const char *way;
static int epfd;

static int on_send(SSL *s, const unsigned char *buf, size_t n, size_t *consumed, void *arg)
{
    struct end *end = arg;
    (void)s;
    end->calls++;
    assert_true(end->out->length + n <= BYTES);
    memcpy(end->out->bytes + end->out->length, buf, n);
    end->out->length += n;
    assert_true(end->out->pieces < PIECES);
    end->out->piece[end->out->pieces++] = end->out->length;
    *consumed = n;
    return 1;
}

static int on_receive(SSL *s, const unsigned char **buf, size_t *n, void *arg)
{
    struct end *end = arg;
    (void)s;
    end->calls++;
    *buf = end->in.bytes + end->in.taken;
    *n = 0;
    if (end->in.at < end->in.pieces) {
        const size_t piece = end->in.piece[end->in.at];
        *n = (piece < end->in.length ? piece : end->in.length) - end->in.taken;
    }
    return 1;
}

static int on_release(SSL *s, size_t n, void *arg)
{
    struct end *end = arg;
    (void)s;
    end->calls++;
    end->in.taken += n;
    end->in.at += end->in.at < end->in.pieces && end->in.taken == end->in.piece[end->in.at];
    return 1;
}

static int on_secret(SSL *s, uint32_t level, int direction, const unsigned char *secret, size_t n, void *arg)
{
    (void)s, (void)direction, (void)secret, (void)n;
    ((struct end *)arg)->calls++;
    assert_true(level < LEVELS);
    return 1;
}

static int on_params(SSL *s, const unsigned char *params, size_t n, void *arg)
{
    (void)s, (void)params, (void)n;
    ((struct end *)arg)->calls++;
    return 1;
}

static int on_alert(SSL *s, unsigned char alert, void *arg)
{
    (void)s, (void)alert;
    ((struct end *)arg)->calls++;
    return 1;
}

static const OSSL_DISPATCH callbacks[] = {
    {2001, (void (*)(void))on_send},
    {2002, (void (*)(void))on_receive},
    {2003, (void (*)(void))on_release},
    {2004, (void (*)(void))on_secret},
    {2005, (void (*)(void))on_params},
    {2006, (void (*)(void))on_alert},
    {0, NULL},
};

/* As HAProxy makes one: it wants to know where datagrams were sent to, and is connected before its SSL object is made.
 */
static int own_socket(void)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(9), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct epoll_event event = {.events = EPOLLIN};
    const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0), one = 1;
    assert_int_equal(setsockopt(fd, IPPROTO_IP, IP_PKTINFO, &one, sizeof one), 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof to), 0);
    event.data.fd = fd;
    assert_int_equal(epoll_ctl(epfd, EPOLL_CTL_ADD, fd, &event), 0);
    return fd;
}

static void make(struct end *end, struct end *other, SSL_CTX *ctx, bool server)
{
    end->ssl = SSL_new(ctx);
    end->out = &other->in;
    assert_non_null(end->ssl);
    assert_int_equal(set_callbacks(end->ssl, callbacks, end), 1);
    assert_int_equal(set_params(end->ssl, (const unsigned char *)PARAMS, sizeof PARAMS - 1), 1);
    if (server)
        SSL_set_accept_state(end->ssl);
    else
        SSL_set_connect_state(end->ssl);
}

static struct both *both_new(void)
{
    struct both *both = calloc(1, sizeof *both);
    assert_non_null(both);
    both->server.fd = strcmp(way, "socket") == 0 ? own_socket() : -1;
    make(&both->server, &both->client, world_server_ctx(TLS13), true);
    make(&both->client, &both->server, world_client_ctx(), false);
    return both;
}

static void both_free(struct both *both)
{
    SSL_free(both->server.ssl);
    SSL_free(both->client.ssl);
    if (both->server.fd >= 0)
        close(both->server.fd);
    free(both);
}

/* Where it is not over, it has to want to read. */
static bool drive(struct end *end)
{
    const int value = SSL_do_handshake(end->ssl);
    assert_true(value == 1 || SSL_get_error(end->ssl, value) == SSL_ERROR_WANT_READ);
    return value == 1;
}

/* A round of the program's loop: what it is told to read, it reads. */
static void loop_round(void)
{
    struct epoll_event events[CROWD];
    char bytes[1];
    struct iovec part = {bytes, sizeof bytes};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    const int n = epoll_wait(epfd, events, CROWD, 50);
    assert_true(n >= 0);
    for (int i = 0; i < n; i++)
        assert_int_equal(recvmsg(events[i].data.fd, &message, 0), -1);
}

/* A crowd whose hellos have been read. How many of their operations wait. */
static unsigned crowd_begin(struct both *crowd[CROWD])
{
    for (int i = 0; i < CROWD; i++) {
        crowd[i] = both_new();
        assert_false(drive(&crowd[i]->client));
        assert_false(drive(&crowd[i]->server));
    }
    return oct_queue_waiting(oct_queue_thread());
}

static void paused_ones_go_on(void **state)
{
    struct both *crowd[CROWD];
    (void)state;
    assert_true(crowd_begin(crowd) >= CROWD / 2);
    for (int i = 0; i < CROWD; i++)
        assert_false(drive(&crowd[i]->server)); /* called again at once: it moves, and may pause for the next one */
    for (int i = 0; i < 8; i++)
        loop_round();
    for (int i = 0; i < CROWD; i++) {
        assert_true(crowd[i]->client.in.length > 0);
        assert_true(drive(&crowd[i]->client));
        assert_true(drive(&crowd[i]->server));
        both_free(crowd[i]);
    }
}

/* What the callbacks work on may be gone by then. */
static void freed_ones_call_nothing(void **state)
{
    struct both *crowd[CROWD];
    unsigned calls[CROWD];
    (void)state;
    assert_true(crowd_begin(crowd) >= CROWD / 2);
    for (int i = 0; i < CROWD; i++) {
        calls[i] = crowd[i]->server.calls;
        SSL_free(crowd[i]->server.ssl);
        assert_int_equal(crowd[i]->server.calls, calls[i]);
        crowd[i]->server.ssl = NULL;
    }
    for (int i = 0; i < 4; i++)
        loop_round();
    for (int i = 0; i < CROWD; i++) {
        assert_int_equal(crowd[i]->server.calls, calls[i]);
        both_free(crowd[i]);
    }
    assert_int_equal(ERR_peek_error(), 0);
}

/* Its hello comes in two parts, and others pause between them. */
static void hello_in_two(void **state)
{
    struct both *crowd[CROWD], *late = both_new();
    (void)state;
    assert_false(drive(&late->client));
    const size_t whole = late->server.in.length;
    late->server.in.length = whole / 2;
    assert_false(drive(&late->server));
    assert_true(crowd_begin(crowd) >= CROWD / 2);
    late->server.in.length = whole;
    assert_false(drive(&late->server));
    for (int i = 0; i < 8; i++)
        loop_round();
    assert_true(drive(&late->client));
    assert_true(drive(&late->server));
    both_free(late);
    for (int i = 0; i < CROWD; i++)
        both_free(crowd[i]);
}

int main(int argc, char **argv)
{
    struct epoll_event event;

    way = argc > 1 ? argv[1] : "wait";
    *(void **)&set_callbacks = dlsym(RTLD_DEFAULT, "SSL_set_quic_tls_cbs");
    *(void **)&set_params = dlsym(RTLD_DEFAULT, "SSL_set_quic_tls_transport_params");
    if (set_callbacks == NULL || set_params == NULL) {
        printf("SKIPPED: OpenSSL has the callbacks of QUIC from 3.5 on\n");
        return SKIPPED;
    }
    world_start();
    epfd = epoll_create1(0);
    /* It sleeps on the instance before its first connection, as servers do. */
    const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
    event = (struct epoll_event){.events = EPOLLIN, .data.fd = fd};
    epoll_ctl(epfd, EPOLL_CTL_ADD, fd, &event);
    epoll_wait(epfd, &event, 1, 1);
    return RUN_TESTS(NULL, NULL, paused_ones_go_on, freed_ones_call_nothing, hello_in_two);
}
