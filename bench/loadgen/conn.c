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
uint64_t load_run_random(struct load_run *run)
{
    uint64_t z = run->random += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

uint64_t load_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void load_conn_init(struct load_conn *conn, struct load_run *run)
{
    memset(conn, 0, offsetof(struct load_conn, out));
    conn->run = run;
    conn->fd = -1;
    conn->offer = run->offer;
    conn->transcript = EVP_MD_CTX_new();
    conn->open = EVP_CIPHER_CTX_new();
    load_crypto_require(conn->transcript && conn->open, "memory for a connection");
}

void load_conn_clear(struct load_conn *conn)
{
    if (conn->fd >= 0)
        close(conn->fd);
    EVP_MD_CTX_free(conn->transcript);
    EVP_CIPHER_CTX_free(conn->open);
}

enum load_verdict load_conn_refuse(struct load_conn *conn, const char *why)
{
    conn->why = why;
    return LOAD_FAILED_PROTOCOL;
}

void load_conn_close(struct load_conn *conn, bool by_reset)
{
    if (conn->fd >= 0) {
        if (by_reset)
            setsockopt(conn->fd, SOL_SOCKET, SO_LINGER, &(struct linger){1, 0}, sizeof(struct linger));
        close(conn->fd); /* epoll forgets it */
    }
    conn->fd = -1;
    conn->state = LOAD_STATE_FREE;
}

/* Gives up as planned: now, or a little later, so that the server meets it in any phase of its own work. */
static enum load_verdict give_up(struct load_conn *conn)
{
    if (conn->abort_delay == 0)
        return LOAD_ABORTED;
    conn->state = LOAD_STATE_DOOMED;
    conn->doomed_at = load_now() + conn->abort_delay;
    return LOAD_GOING;
}

/* Whether this connection aborts, where and how. Half of those that do wait up to 2 ms at that point. */
static void plan(struct load_conn *conn)
{
    struct load_run *run = conn->run;
    conn->abort_at = LOAD_ABORT_NEVER;
    if (run->options->abort_percent <= 0)
        return;
    double dice = (double)(load_run_random(run) >> 11) / 9007199254740992.0 * 100;
    if (dice >= run->options->abort_percent)
        return;
    uint64_t random = load_run_random(run);
    conn->abort_at = 1 + random % (LOAD_ABORT_POINTS - 1);
    conn->abort_by_reset = random >> 32 & 1;
    conn->abort_delay = random >> 33 & 1 ? (random >> 34) % 2000000 : 0;
}

static enum load_verdict socket_failed(struct load_conn *conn, int error)
{
    conn->why = strerror(error);
    if (conn->state == LOAD_STATE_CONNECTING)
        return LOAD_FAILED_CONNECT;
    return LOAD_FAILED_RESET;
}

static enum load_verdict flush(struct load_conn *conn, size_t until)
{
    while (conn->out_sent < until) {
        ssize_t n = send(conn->fd, conn->out + conn->out_sent, until - conn->out_sent, MSG_NOSIGNAL);
        if (n < 0 && (errno == EAGAIN || errno == EINTR))
            break;
        if (n < 0)
            return socket_failed(conn, errno);
        conn->out_sent += (size_t)n;
    }
    return LOAD_GOING;
}

/* How much of `len` bytes a client sends that gives up within them: at least one, and not all. */
static size_t random_part(struct load_conn *conn, size_t len)
{
    return 1 + load_run_random(conn->run) % (len - 1);
}

static enum load_verdict send_hello(struct load_conn *conn)
{
    if (conn->abort_at == LOAD_ABORT_IN_HELLO) {
        enum load_verdict verdict = flush(conn, random_part(conn, conn->out_len));
        return verdict == LOAD_GOING ? give_up(conn) : verdict;
    }
    enum load_verdict verdict = flush(conn, conn->out_len);
    if (verdict != LOAD_GOING)
        return verdict;
    if (conn->out_sent > 0)
        conn->state = LOAD_STATE_SERVER_HELLO;
    if (conn->out_sent == conn->out_len && conn->abort_at == LOAD_ABORT_HELLO)
        return give_up(conn);
    return LOAD_GOING;
}

enum load_verdict load_conn_send_last(struct load_conn *conn)
{
    if (conn->abort_at == LOAD_ABORT_FLIGHT)
        return give_up(conn);
    bool in_part = conn->abort_at == LOAD_ABORT_IN_FINISHED;
    enum load_verdict verdict = flush(conn, in_part ? random_part(conn, conn->out_len) : conn->out_len);
    if (verdict == LOAD_GOING && (in_part || conn->abort_at == LOAD_ABORT_FINISHED))
        return give_up(conn);
    return verdict;
}

static void prepare_hello(struct load_conn *conn)
{
    struct load_run *run = conn->run;
    const struct load_hello *hello = &conn->offer->hello;
    for (unsigned i = 0; i < LOAD_RANDOM_LEN; i += 8) {
        uint64_t random = load_run_random(run);
        memcpy(conn->client_random + i, &random, 8);
    }
    memcpy(conn->out, hello->record, hello->len);
    memcpy(conn->out + hello->random_at, conn->client_random, LOAD_RANDOM_LEN);
    if (hello->session_at)
        memcpy(conn->out + hello->session_at, conn->client_random, LOAD_SESSION_ID_LEN);
    if (hello->share_at)
        load_exchange_offer(&conn->offer->exchange, conn->out + hello->share_at, conn->dk, conn->number);
    conn->out_len = hello->len;
    load_transcript_begin(&run->crypto, conn->transcript);
    load_transcript_add(conn->transcript, conn->out + LOAD_RECORD_HEADER, hello->len - LOAD_RECORD_HEADER);
}

static int open_socket(const struct load_options *options, uint64_t number)
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

static bool watch(struct load_conn *conn, uint32_t slot, int operation)
{
    uint32_t writing = conn->out_sent < conn->out_len ? EPOLLOUT : 0;
    struct epoll_event event = {EPOLLIN | EPOLLRDHUP | EPOLLET | writing, {.u32 = slot}};
    return epoll_ctl(conn->run->epoll, operation, conn->fd, &event) == 0;
}

enum load_verdict load_conn_start(struct load_conn *conn, uint32_t slot, uint64_t number, uint64_t scheduled)
{
    const struct load_options *options = conn->run->options;
    conn->state = LOAD_STATE_CONNECTING;
    conn->offer = &conn->run->offer[number % options->groups];
    conn->number = number / options->groups;
    conn->started = load_now();
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
    if (conn->abort_at == LOAD_ABORT_CONNECTED)
        return give_up(conn);
    prepare_hello(conn);
    /* Over loopback the connection stands already, and the ClientHello goes out without waiting for epoll to say so. */
    enum load_verdict verdict = send_hello(conn);
    if (verdict == LOAD_GOING && conn->state != LOAD_STATE_DOOMED && !watch(conn, slot, EPOLL_CTL_ADD))
        return socket_failed(conn, errno);
    return verdict;
}

static enum load_verdict on_writable(struct load_conn *conn, uint32_t slot)
{
    if (conn->out_sent == conn->out_len)
        return LOAD_GOING;
    int error = 0;
    getsockopt(conn->fd, SOL_SOCKET, SO_ERROR, &error, &(socklen_t){sizeof error});
    if (error)
        return socket_failed(conn, error);
    bool hello = conn->state == LOAD_STATE_CONNECTING || conn->state == LOAD_STATE_SERVER_HELLO;
    enum load_verdict verdict = hello ? send_hello(conn) : flush(conn, conn->out_len);
    if (verdict == LOAD_GOING && conn->state != LOAD_STATE_DOOMED)
        watch(conn, slot, EPOLL_CTL_MOD);
    return verdict;
}

static enum load_verdict on_readable(struct load_conn *conn, bool to_the_end)
{
    bool partly = conn->abort_at == LOAD_ABORT_IN_FLIGHT;
    for (;;) {
        size_t room = partly ? 1 + load_run_random(conn->run) % 200 : sizeof conn->in - conn->in_len;
        ssize_t n = recv(conn->fd, conn->in + conn->in_len, room, 0);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN)
            return LOAD_GOING;
        if (n < 0)
            return socket_failed(conn, errno);
        if (n == 0) {
            conn->why = "the server closed the connection";
            return LOAD_FAILED_EOF;
        }
        if (partly)
            return give_up(conn);
        enum load_verdict verdict = load_conn_received(conn, (size_t)n);
        if (verdict != LOAD_GOING || conn->state == LOAD_STATE_DOOMED)
            return verdict;
        if ((size_t)n < room && !to_the_end) /* the socket is empty: what comes next is a new event */
            return LOAD_GOING;
    }
}

enum load_verdict load_conn_event(struct load_conn *conn, uint32_t slot, uint32_t events)
{
    if (conn->state == LOAD_STATE_DOOMED || conn->state == LOAD_STATE_FREE)
        return LOAD_GOING;
    if (events & (EPOLLOUT | EPOLLERR)) {
        enum load_verdict verdict = on_writable(conn, slot);
        if (verdict != LOAD_GOING || conn->state == LOAD_STATE_DOOMED)
            return verdict;
    }
    enum load_verdict verdict = on_readable(conn, events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR));
    if (verdict == LOAD_GOING && conn->state != LOAD_STATE_DOOMED && conn->out_sent < conn->out_len)
        watch(conn, slot, EPOLL_CTL_MOD);
    return verdict;
}
