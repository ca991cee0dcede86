/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * octuple-resume: handshakes in a closed loop by many threads, with OpenSSL as the client. They resume a session: each
 * thread makes one full handshake, which gives the first session, and is not counted. With --certificate they are full
 * handshakes, each with that certificate. In TLS 1.3 a handshake is complete when the server's ticket is there, which
 * shows that the server accepted ours; each ticket is used once.
 *
 * Takes the arguments of octuple-load that lab/load.py gives, and prints a report of the same names. --abort PERCENT of
 * the full handshakes end by a reset, each at another step of the client's.
 * Exit status: 0, 1 if any handshake failed or was of the other kind, 2 for wrong usage.
 */
#include <arpa/inet.h>
#include <getopt.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define MAX_THREADS 1024

static struct {
    SSL_CTX *ctx;
    struct sockaddr_in address;
    int tls, connections, cpu, abort;
    double seconds;
    unsigned long handshakes;
    bool asks;
    const char *certificate, *group;
} how = {.tls = 13, .connections = 64, .cpu = -1, .seconds = 1};

static atomic_ulong begun, completed, aborted, failed, others;
static atomic_bool over;
static pthread_barrier_t ready;

/* A thread's newest session. */
static _Thread_local SSL_SESSION *session;

static int keep_session(SSL *ssl, SSL_SESSION *offered)
{
    (void)ssl;
    SSL_SESSION_free(session);
    session = offered;
    return 1; /* ours now */
}

static int connected(void)
{
    const int one = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const struct timeval patience = {.tv_sec = 10};
    if (fd < 0)
        return -1;
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    (void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    if (connect(fd, (const struct sockaddr *)&how.address, sizeof how.address) == 0)
        return fd;
    close(fd);
    return -1;
}

/* Reads until a new ticket is there; the server has nothing else to say. */
static bool read_ticket(SSL *ssl, const SSL_SESSION *before)
{
    char byte;
    for (int i = 0; i < 4 && session == before; i++)
        if (SSL_peek(ssl, &byte, 1) != 0 && SSL_get_error(ssl, -1) == SSL_ERROR_SSL)
            return false;
    return session != before;
}

/* How many steps a client of this thread has left until it resets the connection; 0: it stays. */
static _Thread_local unsigned steps_left;

#define STEPS 12U /* of a client's full handshake, about */

static void step(const SSL *ssl, int where, int result)
{
    const struct linger reset = {.l_onoff = 1};
    (void)result;
    if (!(where & SSL_CB_LOOP) || steps_left == 0 || --steps_left > 0)
        return;
    /* Connecting to nobody ends a connection with a reset, and leaves the descriptor to its owner. */
    (void)setsockopt(SSL_get_fd(ssl), SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
    (void)connect(SSL_get_fd(ssl), &(const struct sockaddr){.sa_family = AF_UNSPEC}, sizeof(struct sockaddr));
}

static const char request[] = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";

static bool handshake(SSL *ssl, bool *resumed)
{
    SSL_SESSION *const before = session;
    if (before && !how.certificate)
        (void)SSL_set_session(ssl, before);
    if (SSL_connect(ssl) != 1)
        return false;
    *resumed = SSL_session_reused(ssl) == 1;
    if (how.tls == 12)
        return session != NULL;
    /* Some libraries send a ticket with the first data only. The socket's patience ends a wait for nothing.
     * SSL_MODE_AUTO_RETRY is off, so that a ticket ends the call. */
    return (!how.asks || SSL_write(ssl, request, sizeof request - 1) > 0) && read_ticket(ssl, before);
}

static bool one(bool *resumed)
{
    const int fd = connected();
    SSL *const ssl = fd < 0 ? NULL : SSL_new(how.ctx);
    const bool good = ssl && SSL_set_fd(ssl, fd) == 1 && handshake(ssl, resumed);
    if (good) {
        SSL_set_quiet_shutdown(ssl, 1);
        (void)SSL_shutdown(ssl);
    }
    SSL_free(ssl);
    if (fd >= 0)
        close(fd);
    ERR_clear_error();
    return good;
}

static void count(unsigned long number)
{
    const bool leaves = number * 37 % 100 < (unsigned)how.abort;
    bool resumed = false;
    steps_left = leaves ? 1 + (unsigned)(number % STEPS) : 0;
    const bool good = one(&resumed);
    if (leaves && steps_left == 0)
        aborted++;
    else if (!good)
        failed++;
    else if (resumed == !!how.certificate)
        others++;
    else
        completed++;
}

static void *run(void *arg)
{
    bool resumed;
    (void)arg;
    const bool goes = one(&resumed);
    failed += !goes;
    pthread_barrier_wait(&ready);
    while (goes && !over) {
        const unsigned long number = begun++;
        if (how.handshakes && number >= how.handshakes)
            break;
        count(number);
    }
    SSL_SESSION_free(session);
    return NULL;
}

static double now(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool set_up(const char *host, const char *port)
{
    const int version = how.tls == 12 ? TLS1_2_VERSION : TLS1_3_VERSION;
    cpu_set_t cpus;
    how.address.sin_family = AF_INET;
    how.address.sin_port = htons((uint16_t)atoi(port));
    if (inet_pton(AF_INET, host, &how.address.sin_addr) != 1 || how.connections < 1 || how.connections > MAX_THREADS)
        return false;
    CPU_ZERO(&cpus);
    if (how.cpu >= 0) {
        CPU_SET((size_t)how.cpu, &cpus);
        (void)sched_setaffinity(0, sizeof cpus, &cpus);
    }
    (void)signal(SIGPIPE, SIG_IGN);
    how.ctx = SSL_CTX_new(TLS_client_method());
    if (!how.ctx || !SSL_CTX_set_min_proto_version(how.ctx, version) ||
        !SSL_CTX_set_max_proto_version(how.ctx, version) ||
        (how.group && !SSL_CTX_set1_groups_list(how.ctx, how.group)))
        return false;
    if (how.certificate && (SSL_CTX_use_certificate_chain_file(how.ctx, how.certificate) != 1 ||
                            SSL_CTX_use_PrivateKey_file(how.ctx, how.certificate, SSL_FILETYPE_PEM) != 1))
        return false;
    if (how.abort)
        SSL_CTX_set_info_callback(how.ctx, step);
    SSL_CTX_set_session_cache_mode(how.ctx, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
    SSL_CTX_sess_set_new_cb(how.ctx, keep_session);
    SSL_CTX_clear_mode(how.ctx, SSL_MODE_AUTO_RETRY);
    return true;
}

static void report(double seconds)
{
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    const double cpu = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                       1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
    const unsigned long done = completed;
    printf("{\"completed\":%lu,\"aborted\":%lu,\"failed_total\":%lu,\"first_failure\":\"%s\",\"seconds\":%.6f,"
           "\"handshakes_per_s\":%.2f,\"cpu_us_per_handshake\":%.2f}\n",
           done, (unsigned long)aborted, failed + others,
           others   ? how.certificate ? "the server resumed" : "the server did not resume"
           : failed ? "a handshake failed"
                    : "",
           seconds, (double)done / seconds, done ? 1e6 * cpu / (double)done : 0);
}

int main(int argc, char **argv)
{
    static const struct option options[] = {{"tls", required_argument, NULL, 't'},
                                            {"connections", required_argument, NULL, 'c'},
                                            {"seconds", required_argument, NULL, 's'},
                                            {"seed", required_argument, NULL, 'x'},
                                            {"cpu", required_argument, NULL, 'u'},
                                            {"handshakes", required_argument, NULL, 'h'},
                                            {"certificate", required_argument, NULL, 'k'},
                                            {"group", required_argument, NULL, 'g'},
                                            {"get", no_argument, NULL, 'r'},
                                            {"abort", required_argument, NULL, 'a'},
                                            {"timeout", required_argument, NULL, 'x'},
                                            {"json", no_argument, NULL, 'j'},
                                            {NULL, 0, NULL, 0}};
    static pthread_t thread[MAX_THREADS];
    int option;
    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1)
        switch (option) {
        case 't':
            how.tls = strcmp(optarg, "1.2") == 0 ? 12 : 13;
            break;
        case 'c':
            how.connections = atoi(optarg);
            break;
        case 's':
            how.seconds = atof(optarg);
            break;
        case 'u':
            how.cpu = atoi(optarg);
            break;
        case 'h':
            how.handshakes = strtoul(optarg, NULL, 10);
            break;
        case 'k':
            how.certificate = optarg;
            break;
        case 'g':
            how.group = optarg;
            break;
        case 'r':
            how.asks = true;
            break;
        case 'a':
            how.abort = atoi(optarg);
            break;
        case 'x':
        case 'j':
            break;
        default:
            return 2;
        }
    if (argc - optind != 2 || !set_up(argv[optind], argv[optind + 1])) {
        fprintf(stderr, "usage: octuple-resume ADDRESS PORT --tls 1.2|1.3 [--connections N] [--seconds S] "
                        "[--get] [--cpu N] [--json]\n       [--certificate PEM [--handshakes N] [--group NAMES] "
                        "[--abort PERCENT]]\n");
        return 2;
    }
    pthread_barrier_init(&ready, NULL, (unsigned)how.connections + 1);
    for (int i = 0; i < how.connections; i++)
        if (pthread_create(&thread[i], NULL, run, NULL) != 0) {
            perror("octuple-resume: pthread_create");
            return 1;
        }
    pthread_barrier_wait(&ready);
    const double begin = now(CLOCK_MONOTONIC);
    while (!how.handshakes && now(CLOCK_MONOTONIC) - begin < how.seconds)
        usleep(1000);
    over = !how.handshakes;
    const double end = now(CLOCK_MONOTONIC);
    for (int i = 0; i < how.connections; i++)
        pthread_join(thread[i], NULL);
    report((how.handshakes ? now(CLOCK_MONOTONIC) : end) - begin);
    SSL_CTX_free(how.ctx);
    return failed + others ? 1 : 0;
}
