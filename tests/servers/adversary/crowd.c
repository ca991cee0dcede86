/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * A server thread with many connections that have sent a byte and nothing more. It measures what its other calls cost
 * then, in microseconds of its CPU.
 *
 * usage: crowd COUNT KEYS
 *
 * There are fewer if the limit of descriptors cannot be raised so far. A child has the clients. The last of them is no
 * such one: its handshake ends, and it sends records of a byte each.
 */
#include "host.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CALLS       200 /* in a batch */
#define BATCHES     5
#define PER_ADDRESS 20000 /* clients with one loopback address */
#define MANY        64
#define SPARE       100 /* descriptors for all else */
#define SECONDS_MAX 120

static int epfd, half_open;
static SSL *established;
static struct pollfd quiet[MANY];

/* As many of these connections as there may be descriptors. */
static int allowed(int count)
{
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    rlim_t wanted = (rlim_t)count + SPARE;
    if (limit.rlim_max < wanted) {
        const struct rlimit more = {wanted, wanted};
        if (setrlimit(RLIMIT_NOFILE, &more) == 0)
            return count;
        wanted = limit.rlim_max;
    }
    limit.rlim_cur = wanted;
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0)
        host_fail("setrlimit");
    return (int)wanted - SPARE;
}

static int connect_from(uint32_t address, const struct sockaddr_in *server)
{
    struct sockaddr_in own = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(address)};
    const int one = 1;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    setsockopt(fd, SOL_IP, IP_BIND_ADDRESS_NO_PORT, &one, sizeof one);
    if (fd < 0 || bind(fd, (struct sockaddr *)&own, sizeof own) != 0 ||
        connect(fd, (const struct sockaddr *)server, sizeof *server) != 0)
        host_fail("connect");
    return fd;
}

/* The child. */
static void be_clients(int count, const struct sockaddr_in *server)
{
    alarm(SECONDS_MAX);
    for (int i = 0; i < count; i++)
        if (write(connect_from(INADDR_LOOPBACK + 1 + (uint32_t)(i / PER_ADDRESS), server), "\x16", 1) != 1)
            host_fail("write");
    SSL *ssl = SSL_new(SSL_CTX_new(TLS_client_method()));
    SSL_set_fd(ssl, connect_from(INADDR_LOOPBACK, server));
    if (SSL_connect(ssl) != 1)
        host_fail("SSL_connect");
    for (int i = 0; i < CALLS * BATCHES + 1; i++)
        if (SSL_write(ssl, "x", 1) != 1)
            host_fail("SSL_write");
    pause();
    _exit(0);
}

static void welcome(SSL_CTX *ctx, int listener)
{
    int fd;
    while ((fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK)) >= 0) {
        SSL *ssl = SSL_new(ctx);
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = ssl};
        if (ssl == NULL || SSL_set_fd(ssl, fd) != 1 || epoll_ctl(epfd, EPOLL_CTL_ADD, fd, &event) != 0)
            host_fail("epoll_ctl");
        SSL_set_accept_state(ssl);
    }
    if (errno != EAGAIN)
        host_fail("accept");
}

/* Until all are there, and the last of them has finished its handshake. */
static void gather(SSL_CTX *ctx, int listener, int count)
{
    struct epoll_event events[MANY];
    const time_t end = time(NULL) + SECONDS_MAX;
    while (half_open < count + 1 || established == NULL) { /* the last one was half open too */
        int n = epoll_wait(epfd, events, MANY, 1000);
        for (int i = 0; i < n; i++) {
            SSL *ssl = events[i].data.ptr;
            if (ssl == NULL) {
                welcome(ctx, listener);
                continue;
            }
            if (SSL_get_app_data(ssl) == NULL)
                half_open += SSL_set_app_data(ssl, ssl);
            if (SSL_do_handshake(ssl) == 1)
                established = ssl;
        }
        if (time(NULL) > end)
            host_fail("the clients");
    }
}

static void call_poll(void)
{
    poll(quiet, 1, 0);
}

static void call_poll_many(void)
{
    poll(quiet, MANY, 0);
}

static void call_epoll_ctl(void)
{
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = established};
    epoll_ctl(epfd, EPOLL_CTL_MOD, SSL_get_fd(established), &event);
}

static void call_recv(void)
{
    char byte;
    (void)!recv(quiet[0].fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
}

static void call_ioctl(void)
{
    int count;
    ioctl(quiet[0].fd, FIONREAD, &count);
}

static void call_read(void)
{
    char byte;
    if (SSL_read(established, &byte, 1) != 1)
        host_fail("SSL_read");
}

static void call_read_nothing(void)
{
    char byte;
    if (SSL_read(established, &byte, 1) > 0)
        host_fail("SSL_read");
}

static double cpu(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

/* The least of some batches. */
static double measure(void (*call)(void))
{
    double best = 0;
    for (int batch = 0; batch < BATCHES; batch++) {
        double begin = cpu();
        for (int i = 0; i < CALLS; i++)
            call();
        double took = (cpu() - begin) / CALLS;
        if (batch == 0 || took < best)
            best = took;
    }
    return best;
}

static void measure_all(void)
{
    static const struct {
        const char *name;
        void (*call)(void);
    } calls[] = {{"poll", call_poll},
                 {"poll of 64", call_poll_many},
                 {"epoll_ctl(MOD)", call_epoll_ctl},
                 {"recv(MSG_PEEK)", call_recv},
                 {"ioctl(FIONREAD)", call_ioctl},
                 {"SSL_read", call_read},
                 {"SSL_read, nothing", call_read_nothing}};
    sleep(1); /* all records are there */
    call_read();
    printf("{\"half-open\": %d", half_open - 1);
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++)
        printf(", \"%s\": %.3f", calls[i].name, measure(calls[i].call));
    printf("}\n");
}

int main(int argc, char **argv)
{
    struct sockaddr_in address;
    socklen_t length = sizeof address;
    int pair[2];
    if (argc != 3)
        return 2;
    const int count = allowed(atoi(argv[1])), listener = echo_listen("0");
    getsockname(listener, (struct sockaddr *)&address, &length);
    pid_t child = fork();
    if (child == 0)
        be_clients(count, &address);
    struct epoll_event event = {.events = EPOLLIN};
    epfd = epoll_create1(EPOLL_CLOEXEC);
    epoll_ctl(epfd, EPOLL_CTL_ADD, listener, &event);
    gather(echo_context(argv[2], "rsa2048"), listener, count);
    socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
    for (int i = 0; i < MANY; i++)
        quiet[i] = (struct pollfd){.fd = pair[0], .events = POLLIN};
    measure_all();
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    fflush(stdout);
    _exit(0); /* so many objects need no end of their own */
}
