/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * See conn.h. A handshake over loopback takes this file nine system calls: socket, connect, send, epoll_ctl, two to
 * four recv, send, setsockopt and close. The socket is closed by RST (SO_LINGER 0), or each connection would keep its
 * port in TIME_WAIT for a minute, and the ports last for some 28,000 connections.
 */
#include "conn.h"

#include <errno.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "tls/record.h"

/* SplitMix64. */
uint64_t oct_run_random(struct oct_run *run)
{
    uint64_t z = run->random += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

uint64_t oct_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void oct_conn_init(struct oct_conn *conn, struct oct_run *run)
{
    memset(conn, 0, offsetof(struct oct_conn, out));
    conn->run = run;
    conn->fd = -1;
    conn->offer = run->offer;
    conn->transcript = EVP_MD_CTX_new();
    conn->open = EVP_CIPHER_CTX_new();
    oct_crypto_require(conn->transcript && conn->open, "memory for a connection");
}

void oct_conn_clear(struct oct_conn *conn)
{
    if (conn->fd >= 0)
        close(conn->fd);
    EVP_MD_CTX_free(conn->transcript);
    EVP_CIPHER_CTX_free(conn->open);
}

enum oct_verdict oct_conn_refuse(struct oct_conn *conn, const char *why)
{
    conn->why = why;
    return OCT_FAILED_PROTOCOL;
}

void oct_conn_close(struct oct_conn *conn, bool by_reset)
{
    if (conn->fd >= 0) {
        if (by_reset)
            setsockopt(conn->fd, SOL_SOCKET, SO_LINGER, &(struct linger){1, 0}, sizeof(struct linger));
        close(conn->fd); /* epoll forgets it */
    }
    conn->fd = -1;
    conn->state = OCT_STATE_FREE;
}

/* Gives up as planned: now, or a little later, so that the server meets it in any phase of its own work. */
static enum oct_verdict give_up(struct oct_conn *conn)
{
    if (conn->abort_delay == 0)
        return OCT_ABORTED;
    conn->state = OCT_STATE_DOOMED;
    conn->doomed_at = oct_now() + conn->abort_delay;
    return OCT_GOING;
}

/* Whether this connection aborts, where and how. Half of those that do wait up to 2 ms at that point. */
static void plan(struct oct_conn *conn)
{
    struct oct_run *run = conn->run;
    conn->abort_at = OCT_ABORT_NEVER;
    if (run->options->abort_percent <= 0)
        return;
    double dice = (double)(oct_run_random(run) >> 11) / 9007199254740992.0 * 100;
    if (dice >= run->options->abort_percent)
        return;
    uint64_t random = oct_run_random(run);
    conn->abort_at = 1 + random % (OCT_ABORT_POINTS - 1);
    conn->abort_by_reset = random >> 32 & 1;
    conn->abort_delay = random >> 33 & 1 ? (random >> 34) % 2000000 : 0;
}

static enum oct_verdict socket_failed(struct oct_conn *conn, int error)
{
    conn->why = strerror(error);
    if (conn->state == OCT_STATE_CONNECTING)
        return OCT_FAILED_CONNECT;
    return OCT_FAILED_RESET;
}

static enum oct_verdict flush(struct oct_conn *conn, size_t until)
{
    while (conn->out_sent < until) {
        ssize_t n = send(conn->fd, conn->out + conn->out_sent, until - conn->out_sent, MSG_NOSIGNAL);
        if (n < 0 && (errno == EAGAIN || errno == EINTR))
            break;
        if (n < 0)
            return socket_failed(conn, errno);
        conn->out_sent += (size_t)n;
    }
    return OCT_GOING;
}

/* How much of `len` bytes a client sends that gives up within them: at least one, and not all. */
static size_t random_part(struct oct_conn *conn, size_t len)
{
    return 1 + oct_run_random(conn->run) % (len - 1);
}

static enum oct_verdict send_hello(struct oct_conn *conn)
{
    if (conn->abort_at == OCT_ABORT_IN_HELLO) {
        enum oct_verdict verdict = flush(conn, random_part(conn, conn->out_len));
        return verdict == OCT_GOING ? give_up(conn) : verdict;
    }
    enum oct_verdict verdict = flush(conn, conn->out_len);
    if (verdict != OCT_GOING)
        return verdict;
    if (conn->out_sent > 0)
        conn->state = OCT_STATE_SERVER_HELLO;
    if (conn->out_sent == conn->out_len && conn->abort_at == OCT_ABORT_HELLO)
        return give_up(conn);
    return OCT_GOING;
}

enum oct_verdict oct_conn_send_last(struct oct_conn *conn)
{
    if (conn->abort_at == OCT_ABORT_FLIGHT)
        return give_up(conn);
    bool in_part = conn->abort_at == OCT_ABORT_IN_FINISHED;
    enum oct_verdict verdict = flush(conn, in_part ? random_part(conn, conn->out_len) : conn->out_len);
    if (verdict == OCT_GOING && (in_part || conn->abort_at == OCT_ABORT_FINISHED))
        return give_up(conn);
    return verdict;
}

static void prepare_hello(struct oct_conn *conn)
{
    struct oct_run *run = conn->run;
    const struct oct_hello *hello = &conn->offer->hello;
    for (unsigned i = 0; i < OCT_RANDOM_LEN; i += 8) {
        uint64_t random = oct_run_random(run);
        memcpy(conn->client_random + i, &random, 8);
    }
    memcpy(conn->out, hello->record, hello->len);
    memcpy(conn->out + hello->random_at, conn->client_random, OCT_RANDOM_LEN);
    if (hello->session_at)
        memcpy(conn->out + hello->session_at, conn->client_random, OCT_SESSION_ID_LEN);
    if (hello->share_at)
        oct_exchange_offer(&conn->offer->exchange, conn->out + hello->share_at, conn->dk, conn->number);
    conn->out_len = hello->len;
    oct_transcript_begin(&run->crypto, conn->transcript);
    oct_transcript_add(conn->transcript, conn->out + OCT_RECORD_HEADER, hello->len - OCT_RECORD_HEADER);
}

static int open_socket(const struct oct_options *options, uint64_t number)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0 || options->sources == 0)
        return fd;
    /* The port is chosen at connect(), which knows that only the pair of addresses has to be unique. */
    setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &(int){1}, sizeof(int));
    struct sockaddr_in source = {.sin_family = AF_INET};
    source.sin_addr.s_addr = htonl(INADDR_LOOPBACK + (uint32_t)(number % options->sources));
    if (bind(fd, (struct sockaddr *)&source, sizeof source) == 0)
        return fd;
    int error = errno;
    close(fd);
    errno = error;
    return -1;
}

static bool watch(struct oct_conn *conn, uint32_t slot, int operation)
{
    uint32_t writing = conn->out_sent < conn->out_len ? EPOLLOUT : 0;
    struct epoll_event event = {EPOLLIN | EPOLLRDHUP | EPOLLET | writing, {.u32 = slot}};
    return epoll_ctl(conn->run->epoll, operation, conn->fd, &event) == 0;
}

enum oct_verdict oct_conn_start(struct oct_conn *conn, uint32_t slot, uint64_t number, uint64_t scheduled)
{
    const struct oct_options *options = conn->run->options;
    conn->state = OCT_STATE_CONNECTING;
    conn->offer = &conn->run->offer[number % options->groups];
    conn->number = number / options->groups;
    conn->started = oct_now();
    conn->scheduled = scheduled ? scheduled : conn->started;
    conn->in_len = conn->message_len = conn->out_len = conn->out_sent = 0;
    conn->open_on = conn->extended_master = conn->keys_changed = false;
    plan(conn);

    conn->fd = open_socket(options, number);
    if (conn->fd < 0)
        return socket_failed(conn, errno);
    if (connect(conn->fd, (const struct sockaddr *)&options->server, sizeof options->server) < 0 &&
        errno != EINPROGRESS)
        return socket_failed(conn, errno);
    if (conn->abort_at == OCT_ABORT_CONNECTED)
        return give_up(conn);
    prepare_hello(conn);
    /* Over loopback the connection stands already, and the ClientHello goes out without waiting for epoll to say so. */
    enum oct_verdict verdict = send_hello(conn);
    if (verdict == OCT_GOING && conn->state != OCT_STATE_DOOMED && !watch(conn, slot, EPOLL_CTL_ADD))
        return socket_failed(conn, errno);
    return verdict;
}

static enum oct_verdict on_writable(struct oct_conn *conn, uint32_t slot)
{
    if (conn->out_sent == conn->out_len)
        return OCT_GOING;
    int error = 0;
    getsockopt(conn->fd, SOL_SOCKET, SO_ERROR, &error, &(socklen_t){sizeof error});
    if (error)
        return socket_failed(conn, error);
    bool hello = conn->state == OCT_STATE_CONNECTING || conn->state == OCT_STATE_SERVER_HELLO;
    enum oct_verdict verdict = hello ? send_hello(conn) : flush(conn, conn->out_len);
    if (verdict == OCT_GOING && conn->state != OCT_STATE_DOOMED)
        watch(conn, slot, EPOLL_CTL_MOD);
    return verdict;
}

static enum oct_verdict on_readable(struct oct_conn *conn, bool to_the_end)
{
    bool partly = conn->abort_at == OCT_ABORT_IN_FLIGHT;
    for (;;) {
        size_t room = partly ? 1 + oct_run_random(conn->run) % 200 : sizeof conn->in - conn->in_len;
        ssize_t n = recv(conn->fd, conn->in + conn->in_len, room, 0);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN)
            return OCT_GOING;
        if (n < 0)
            return socket_failed(conn, errno);
        if (n == 0) {
            conn->why = "the server closed the connection";
            return OCT_FAILED_EOF;
        }
        if (partly)
            return give_up(conn);
        enum oct_verdict verdict = oct_conn_received(conn, (size_t)n);
        if (verdict != OCT_GOING || conn->state == OCT_STATE_DOOMED)
            return verdict;
        if ((size_t)n < room && !to_the_end) /* the socket is empty: what comes next is a new event */
            return OCT_GOING;
    }
}

enum oct_verdict oct_conn_event(struct oct_conn *conn, uint32_t slot, uint32_t events)
{
    if (conn->state == OCT_STATE_DOOMED || conn->state == OCT_STATE_FREE)
        return OCT_GOING;
    if (events & (EPOLLOUT | EPOLLERR)) {
        enum oct_verdict verdict = on_writable(conn, slot);
        if (verdict != OCT_GOING || conn->state == OCT_STATE_DOOMED)
            return verdict;
    }
    enum oct_verdict verdict = on_readable(conn, events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR));
    if (verdict == OCT_GOING && conn->state != OCT_STATE_DOOMED && conn->out_sent < conn->out_len)
        watch(conn, slot, EPOLL_CTL_MOD);
    return verdict;
}
