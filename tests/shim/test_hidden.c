/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* ctest: VALGRIND exhaustive */
/*
 * Servers whose own BIO hides the socket from libssl, and which keep their own account of what can be read, as HAProxy
 * does: they ask epoll only after a read that found nothing, and may take a socket out again when it has said
 * something.
 */
#include "world.h"

#include <octuple/queue.h>

#include <netinet/in.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#define LEVEL EPOLLIN
#define EDGE  (EPOLLIN | EPOLLET)

/* How a server reads from a socket: by which function, and under which name of it. */
typedef ssize_t reading(int fd, void *buf, size_t n);

static ssize_t by_recv(int fd, void *buf, size_t n)
{
    return recv(fd, buf, n, 0);
}

static ssize_t by_recvfrom(int fd, void *buf, size_t n)
{
    return recvfrom(fd, buf, n, 0, NULL, NULL);
}

/* HAProxy from 3.3 on. */
static ssize_t by_recvmsg(int fd, void *buf, size_t n)
{
    struct iovec part = {buf, n};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    return recvmsg(fd, &message, 0);
}

static ssize_t by_recvmmsg(int fd, void *buf, size_t n)
{
    struct iovec part = {buf, n};
    struct mmsghdr message = {.msg_hdr = {.msg_iov = &part, .msg_iovlen = 1}};
    const int count = recvmmsg(fd, &message, 1, 0, NULL);
    return count == 1 ? (ssize_t)message.msg_len : count;
}

static ssize_t by_read(int fd, void *buf, size_t n)
{
    return read(fd, buf, n);
}

static ssize_t by_readv(int fd, void *buf, size_t n)
{
    const size_t first = n > 3 ? 3 : n;
    const struct iovec parts[2] = {{buf, first}, {(char *)buf + first, n - first}};
    return readv(fd, parts, 2);
}

#if defined(__GLIBC__)
ssize_t __recv_chk(int fd, void *buf, size_t n, size_t bytes, int flags);
ssize_t __recvfrom_chk(int fd, void *buf, size_t n, size_t bytes, int flags, struct sockaddr *from, socklen_t *length);
ssize_t __read_chk(int fd, void *buf, size_t n, size_t bytes);
ssize_t __read(int fd, void *buf, size_t n);

static ssize_t by_recv_chk(int fd, void *buf, size_t n)
{
    return __recv_chk(fd, buf, n, n, 0);
}

static ssize_t by_recvfrom_chk(int fd, void *buf, size_t n)
{
    return __recvfrom_chk(fd, buf, n, n, 0, NULL, NULL);
}

static ssize_t by_read_chk(int fd, void *buf, size_t n)
{
    return __read_chk(fd, buf, n, n);
}

static ssize_t by_other_read(int fd, void *buf, size_t n)
{
    return __read(fd, buf, n);
}

static ssize_t by_preadv2(int fd, void *buf, size_t n)
{
    const struct iovec part = {buf, n};
    return preadv2(fd, &part, 1, -1, 0);
}

static ssize_t by_preadv64v2(int fd, void *buf, size_t n)
{
    const struct iovec part = {buf, n};
    return preadv64v2(fd, &part, 1, -1, 0);
}
#define GLIBC_READINGS by_recv_chk, by_recvfrom_chk, by_read_chk, by_other_read, by_preadv2, by_preadv64v2,
#else
#define GLIBC_READINGS
#endif

static reading *const readings[] = {GLIBC_READINGS by_recv, by_recvfrom, by_recvmsg, by_recvmmsg, by_read, by_readv};

struct hidden {
    int fd;
    reading *reads; /* NULL: recv() */
    SSL *asks;      /* what is asked before each read, as a BIO may that writes a log; NULL: nothing */
    bool ready;     /* as far as the server knows there is something to read */
    bool registered;
    bool takes_out; /* the server takes the socket out of epoll when it has heard of it */
    bool reads_ahead;
    int calls;   /* into the handshake */
    bool paused; /* behind one of them */
    size_t have, taken;
    char ahead[4096];
};

static struct hidden hidden[PAIRS_MAX];

static ssize_t look(struct hidden *h, char *buf, size_t n)
{
    if (!h->ready) {
        errno = EAGAIN;
        return -1;
    }
    ssize_t got = h->reads != NULL ? h->reads(h->fd, buf, n) : recv(h->fd, buf, n, 0);
    if (got < 0 && errno == EAGAIN)
        h->ready = false;
    return got;
}

static ssize_t look_ahead(struct hidden *h, char *buf, size_t n)
{
    if (h->taken == h->have) {
        ssize_t got = look(h, h->ahead, sizeof h->ahead);
        if (got <= 0)
            return got;
        h->have = (size_t)got;
        h->taken = 0;
    }
    size_t left = h->have - h->taken, out = n < left ? n : left;
    memcpy(buf, h->ahead + h->taken, out);
    h->taken += out;
    return (ssize_t)out;
}

static int bio_read(BIO *bio, char *buf, int n)
{
    struct hidden *h = BIO_get_data(bio);
    BIO_clear_retry_flags(bio);
    if (h->asks != NULL) {
        SSL_SESSION_free(SSL_get1_session(h->asks));
        h->ready = true; /* it keeps no account */
    }
    ssize_t got = h->reads_ahead ? look_ahead(h, buf, (size_t)n) : look(h, buf, (size_t)n);
    if (got < 0 && errno == EAGAIN)
        BIO_set_retry_read(bio);
    return (int)got;
}

static int bio_write(BIO *bio, const char *buf, int n)
{
    struct hidden *h = BIO_get_data(bio);
    return (int)send(h->fd, buf, (size_t)n, MSG_NOSIGNAL);
}

static long bio_ctrl(BIO *bio, int what, long number, void *pointer)
{
    (void)bio, (void)number, (void)pointer;
    return what == BIO_CTRL_FLUSH || what == BIO_CTRL_DUP;
}

/* Puts such a BIO in the place of p's. */
static struct hidden *hide(struct world *w, struct pair *p, uint32_t events)
{
    static BIO_METHOD *method;
    struct hidden *h = &hidden[p - w->pair];
    if (method == NULL) {
        method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "hidden");
        BIO_meth_set_read(method, bio_read);
        BIO_meth_set_write(method, bio_write);
        BIO_meth_set_ctrl(method, bio_ctrl);
    }
    BIO *bio = BIO_new(method);
    *h = (struct hidden){.fd = p->fd, .ready = true, .registered = events != 0};
    BIO_set_data(bio, h);
    BIO_set_init(bio, 1);
    SSL_set_bio(p->server, bio, bio);
    return h;
}

static struct world *open_hidden(enum kind kind, int pairs)
{
    struct world *w = world_open(0, kind, pairs);
    for (int i = 0; i < pairs; i++)
        hide(w, &w->pair[i], 0);
    return w;
}

static void enlist(struct world *w, struct pair *p, uint32_t events)
{
    struct hidden *h = &hidden[p - w->pair];
    struct epoll_event event = {.events = events, .data.ptr = p};
    if (!h->ready && !h->registered)
        assert_int_equal(epoll_ctl(w->epfd, EPOLL_CTL_ADD, p->fd, &event), 0);
    h->registered |= !h->ready;
}

/* One call for each connection that has something to read, as far as the server knows; how many still have. */
static int call_ready(struct world *w, uint32_t events)
{
    int ready = 0;
    for (int i = 0; i < w->pairs; i++) {
        struct pair *p = &w->pair[i];
        if (p->server == NULL || p->server_done || p->server_failed || !hidden[i].ready)
            continue;
        hidden[i].calls++;
        pair_server(p);
        hidden[i].paused |= pair_paused(p);
        enlist(w, p, events);
        ready += hidden[i].ready && !p->server_done;
    }
    return ready;
}

static void hear(struct world *w, int timeout)
{
    struct epoll_event got[PAIRS_MAX];
    int n = world_wait(w, got, PAIRS_MAX, timeout);
    for (int i = 0; i < n; i++) {
        struct pair *p = got[i].data.ptr;
        struct hidden *h = &hidden[p - w->pair];
        h->ready = true;
        if (h->takes_out && h->registered)
            assert_int_equal(epoll_ctl(w->epfd, EPOLL_CTL_DEL, p->fd, NULL), 0);
        h->registered &= !h->takes_out;
    }
}

static bool all_done(const struct world *w)
{
    for (int i = 0; i < w->pairs; i++)
        if (w->pair[i].server != NULL && (!w->pair[i].server_done || !w->pair[i].client_done))
            return false;
    return true;
}

static void run(struct world *w, uint32_t events)
{
    for (int round = 0; !all_done(w); round++) {
        assert_in_range(round, 0, 100);
        for (int i = 0; i < w->pairs; i++)
            if (w->pair[i].client != NULL)
                pair_client(&w->pair[i]);
        hear(w, call_ready(w, events) > 0 ? 0 : 100);
    }
    for (int i = 0; i < w->pairs; i++)
        hidden[i].ready = true;
    world_exchange(w);
    assert_int_equal(oct_queue_waiting(oct_queue_thread_peek()), 0);
}

static int ever_paused(const struct world *w)
{
    int count = 0;
    for (int i = 0; i < w->pairs; i++)
        count += hidden[i].paused;
    return count;
}

/* All are paused but the first, which is alone, and none is called more often than it has something to do: first look,
 * hello, signature (or the client's key exchange), the client's last flight. */
static void all_are_paused(enum kind kind, uint32_t events, bool takes_out)
{
    const int pairs = world_slow() ? 3 : 12;
    struct world *w = open_hidden(kind, pairs);
    for (int i = 0; i < pairs; i++)
        hidden[i].takes_out = takes_out;
    run(w, events);
    /* Of RSA key exchange the server's part comes behind the first call: then nobody is alone any more. */
    assert_int_equal(ever_paused(w), kind == TLS12_RSA ? pairs : pairs - 1);
    for (int i = 0; i < pairs; i++)
        assert_in_range(hidden[i].calls, 2, 6);
    world_close(w);
}

static void test_all_are_paused(void **state)
{
    (void)state;
    for (enum kind kind = TLS13; kind <= (world_slow() ? TLS13 : TLS12_RSA); kind++) {
        all_are_paused(kind, LEVEL, false);
        all_are_paused(kind, LEVEL, true);
        all_are_paused(kind, EDGE, false);
    }
}

/* By whatever function its server reads. */
static void test_every_reading(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof readings / sizeof readings[0]; k++)
        for (enum kind kind = TLS13; kind <= (world_slow() ? TLS13 : TLS12_RSA); kind++) {
            const int pairs = 4;
            struct world *w = open_hidden(kind, pairs);
            for (int i = 0; i < pairs; i++)
                hidden[i].reads = readings[k];
            run(w, LEVEL);
            assert_int_equal(ever_paused(w), kind == TLS12_RSA ? pairs : pairs - 1);
            for (int i = 0; i < pairs; i++)
                assert_in_range(hidden[i].calls, 2, 6);
            world_close(w);
        }
}

/* A BIO that asks about its own connection ends the pause before it reads. What the client has sent by then stays. */
static void test_bio_asks(void **state)
{
    static const unsigned char change_cipher_spec[] = {20, 3, 3, 0, 1, 1};
    const int pairs = 4;
    (void)state;
    for (int edge = 0; edge < 2; edge++) {
        struct world *w = open_hidden(TLS13, pairs);
        for (int i = 0; i < pairs; i++) {
            struct pair *p = &w->pair[i];
            hidden[i].asks = p->server;
            pair_client(p);
            assert_int_equal(write(p->peer, change_cipher_spec, sizeof change_cipher_spec), sizeof change_cipher_spec);
        }
        run(w, edge ? EDGE : LEVEL);
        world_close(w);
    }
}

/* The first look at a socket that epoll has never heard of is put off only if others are in flight. */
static void test_alone_is_not_put_off(void **state)
{
    struct world *w = open_hidden(TLS13, 1);
    (void)state;
    for (int round = 0; round < 2; round++) {
        pair_client(&w->pair[0]);
        hidden[0].ready = true;
        call_ready(w, LEVEL);
    }
    assert_true(w->pair[0].server_done);
    assert_int_equal(ever_paused(w), 0);
    world_close(w);
}

/* How often the shim has asked which socket a number is. */
static int asked;

__attribute__((visibility("default"))) int fstat(int fd, struct stat *out)
{
    asked++;
    return (int)syscall(SYS_newfstatat, fd, "", out, AT_EMPTY_PATH);
}

static void take_in_and_out(const struct world *w, int fd)
{
    struct epoll_event event = {.events = EPOLLIN};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(epoll_ctl(w->epfd, EPOLL_CTL_ADD, fd, &event), 0);
        assert_int_equal(epoll_ctl(w->epfd, EPOLL_CTL_DEL, fd, NULL), 0);
    }
}

/* What accept() gave is no copy of a paused connection's socket, however often its server registers it. What dup() gave
 * may be one, with a number that accept() had given before. */
static void test_accepted_is_no_copy(void **state)
{
    const int pairs = world_slow() ? 3 : 12;
    struct world *w = open_hidden(TLS13, pairs);
    const int listener = socket(AF_INET, SOCK_STREAM, 0), client = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    (void)state;
    for (int i = 0; i < pairs; i++)
        pair_client(&w->pair[i]);
    (void)call_ready(w, LEVEL); /* puts off its first look at some */
    hear(w, 100);
    (void)call_ready(w, LEVEL);
    assert_int_equal(ever_paused(w), pairs - 1);

    assert_int_equal(bind(listener, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(listener, 1), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &length), 0);
    assert_int_equal(connect(client, (struct sockaddr *)&address, sizeof address), 0);
    const int accepted = accept(listener, NULL, NULL);
    asked = 0;
    take_in_and_out(w, accepted);
    assert_int_equal(asked, 0);

    close(accepted);
    assert_int_equal(dup(client), accepted);
    take_in_and_out(w, accepted);
    assert_true(asked > 0);

    close(accepted);
    close(client);
    close(listener);
    run(w, LEVEL);
    world_close(w);
}

/* A BIO that has read ahead is not asked while it holds bytes: none gets lost. */
static void test_reads_ahead(void **state)
{
    const int pairs = world_slow() ? 3 : 12;
    (void)state;
    for (enum kind kind = TLS13; kind <= (world_slow() ? TLS13 : TLS12_RSA); kind++) {
        struct world *w = open_hidden(kind, pairs);
        for (int i = 0; i < pairs; i++)
            hidden[i].reads_ahead = true;
        run(w, LEVEL);
        world_close(w);
    }
}

static int other_socket[2];

static int reads_elsewhere(SSL *s, void *arg)
{
    char byte;
    (void)s, (void)arg;
    assert_int_equal(recv(other_socket[0], &byte, 1, 0), -1);
    return 1;
}

/* Which of the two is the connection's nobody can tell: it stays synchronous from then on. */
static void test_two_sockets(void **state)
{
    (void)state;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, other_socket), 0);
    struct world *w = open_hidden(TLS12_RSA, 3);
    for (int i = 0; i < 3; i++)
        SSL_set_cert_cb(w->pair[i].server, reads_elsewhere, NULL);
    run(w, LEVEL);
    assert_int_equal(ever_paused(w), 0);
    world_close(w);
    close(other_socket[0]);
    close(other_socket[1]);
}

static int other_pipe[2];

static int reads_pipe(SSL *s, void *arg)
{
    char byte;
    (void)s, (void)arg;
    assert_int_equal(read(other_pipe[0], &byte, 1), -1);
    assert_int_equal(errno, EAGAIN);
    return 1;
}

/* What is no socket cannot be the connection's. */
static void test_pipe(void **state)
{
    const int pairs = 4;
    (void)state;
    assert_int_equal(pipe2(other_pipe, O_NONBLOCK | O_CLOEXEC), 0);
    struct world *w = open_hidden(TLS12_RSA, pairs);
    for (int i = 0; i < pairs; i++)
        SSL_set_cert_cb(w->pair[i].server, reads_pipe, NULL);
    run(w, LEVEL);
    assert_int_equal(ever_paused(w), pairs);
    world_close(w);
    close(other_pipe[0]);
    close(other_pipe[1]);
}

static void test_blocking_socket(void **state)
{
    struct world *w = open_hidden(TLS13, 3);
    (void)state;
    for (int i = 0; i < 3; i++) {
        struct timeval limit = {.tv_usec = 1000};
        assert_int_equal(fcntl(w->pair[i].fd, F_SETFL, 0), 0);
        setsockopt(w->pair[i].fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    }
    run(w, LEVEL);
    assert_int_equal(ever_paused(w), 0);
    world_close(w);
}

/* The socket is closed, its number is somebody else's, and only then the connection is given up: that one hears of
 * nothing. */
static void test_number_is_used_again(void **state)
{
    struct world *w = open_hidden(TLS13, 3);
    struct epoll_event event = {.events = EDGE, .data.u64 = 1}, got[4];
    (void)state;
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 3; i++)
            pair_client(&w->pair[i]);
        call_ready(w, LEVEL);
        if (round == 0)
            hear(w, 0);
    }
    struct pair *p = &w->pair[2];
    assert_true(pair_paused(p));
    int fd = p->fd;
    close(fd);
    assert_int_equal(dup2(w->elsewhere, fd), fd);
    assert_int_equal(epoll_ctl(w->epfd, EPOLL_CTL_ADD, fd, &event), 0);
    int n = world_wait(w, got, 4, 50);
    for (int i = 0; i < n; i++)
        assert_true(got[i].data.u64 != 1);
    SSL_free(p->server);
    p->server = NULL;
    run(w, LEVEL);
    world_close(w);
}

int main(void)
{
    world_start();
    return RUN_TESTS(NULL, NULL, test_all_are_paused, test_every_reading, test_bio_asks, test_accepted_is_no_copy,
                     test_alone_is_not_put_off, test_reads_ahead, test_two_sockets, test_pipe, test_blocking_socket,
                     test_number_is_used_again);
}
