/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Whether the client is still there, just before its handshake costs something.
 *
 * When many come at once, hellos wait; clients give up, close their end and come again. A server then spends its time
 * on handshakes of clients that have left. The kernel knows which: behind a FIN the socket is in CLOSE_WAIT, behind a
 * reset in CLOSE, while the hello still waits to be read. No handshake of any version can come to its end then, as each
 * needs a message of the client's behind the server's first flight. So the hello is thrown away, and libssl finds the
 * end of the stream, or the reset, as it would behind its work. Nothing is made up: error, log line and close are the
 * program's own.
 *
 * This is done only where all of it is known: the server has not answered yet, and libssl has read nothing; the socket
 * is one of TCP, and libssl reads from it; what waits there is one whole ClientHello, and no early data, which could be
 * answered. And the hello has waited for some time. So only under a load that a server cannot bear there is a client
 * that sees a difference: one that half-closes behind its hello gets the end instead of a flight (docs/limits.md).
 *
 * OCTUPLE_HELLOS=refuse also throws away hellos of clients that are there still, but will leave before they are served,
 * as others have (ages.h). The socket is shut for reading behind it, and libssl finds the end there too.
 *
 * As long as no hello has waited, one in some is looked at. The look takes less than half a microsecond.
 */
#include "handshake/storm.h"

#include "handshake/above.h"
#include "handshake/lone_hello.h"
#include "handshake/socket.h"
#include "handshake/thread.h"

#include "base/clock.h"
#include "base/policy.h"
#include "trace/hellos.h"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>

static bool off, refuses;

void oct_storm_start(const char *setting)
{
    off = setting != NULL && strcmp(setting, "off") == 0;
    refuses = setting != NULL && strcmp(setting, "refuse") == 0;
}

/* As in the kernel's net/tcp_states.h. */
enum { ESTABLISHED = 1, CLOSED = 7, CLOSE_WAIT = 8 };

/* Milliseconds since the client's last bytes came, and since it last said anything, its end included. */
struct waits {
    uint32_t data, any;
};

/* The state of fd's connection; -1: it is none of TCP. */
static int tcp_state(int fd, struct waits *waits)
{
    struct tcp_info info;
    socklen_t n = offsetof(struct tcp_info, tcpi_pmtu);
    if (syscall(SYS_getsockopt, (long)fd, (long)IPPROTO_TCP, (long)TCP_INFO, &info, &n) != 0 ||
        n < offsetof(struct tcp_info, tcpi_pmtu))
        return -1;
    *waits = (struct waits){info.tcpi_last_data_recv, info.tcpi_last_ack_recv};
    return info.tcpi_state;
}

/* Of several paths below one connection (MPTCP) one may have ended alone. */
static bool is_plain_tcp(int fd)
{
    int protocol = 0;
    socklen_t n = sizeof protocol;
    return syscall(SYS_getsockopt, (long)fd, (long)SOL_SOCKET, (long)SO_PROTOCOL, &protocol, &n) == 0 &&
           protocol == IPPROTO_TCP;
}

static long receive(int fd, void *buf, size_t n, int flags)
{
    return syscall(SYS_recvfrom, (long)fd, buf, n, (long)(flags | MSG_DONTWAIT), 0l, 0l);
}

/* How many bytes wait at fd, if these are one hello; else 0. */
static size_t lone_hello(int fd)
{
    unsigned char bytes[4096];
    int waiting = 0;
    if (syscall(SYS_ioctl, (long)fd, (long)FIONREAD, &waiting) != 0 || waiting <= 0 || waiting > (int)sizeof bytes ||
        receive(fd, bytes, (size_t)waiting, MSG_PEEK) != waiting || !oct_is_lone_hello(bytes, (size_t)waiting))
        return 0;
    return (size_t)waiting;
}

/* Just these bytes: the error of a reset is libssl's to find. */
static bool throw_away(int fd)
{
    const size_t n = is_plain_tcp(fd) ? lone_hello(fd) : 0;
    return n != 0 && receive(fd, NULL, n, MSG_TRUNC) == (long)n;
}

/* libssl has read nothing yet. */
static bool is_unread(const struct oct_conn *conn)
{
    const struct oct_ssl_functions *ssl = oct_ssl();
    if (conn->way != &oct_way_socket || !ssl->SSL_is_server(conn->ssl) ||
        ssl->SSL_get_state(conn->ssl) != TLS_ST_BEFORE)
        return false;
    BIO *bio = ssl->SSL_get_rbio(conn->ssl);
    return bio != NULL && ssl->BIO_number_read(bio) == 0;
}

static bool is_due(const struct oct_storm *storm)
{
    return storm->calm < OCT_POLICY_HELLO_CALM || storm->passed + 1 >= OCT_POLICY_HELLO_SAMPLE;
}

static uint64_t now(void)
{
    return oct_clock_nanoseconds() / 1000000;
}

static void refused(int fd)
{
    (void)shutdown(fd, SHUT_RD);
    (void)__atomic_add_fetch(&oct_hello_counters()->refused, 1, __ATOMIC_RELAXED);
}

void oct_storm_look(struct oct_conn *conn, struct oct_thread *t)
{
    conn->waited_and_1 = 0;
    const int fd = !off && is_unread(conn) ? oct_socket_find(conn) : -1;
    conn->unread = fd >= 0;
    struct waits waits;
    const int state = conn->unread && is_due(&t->storm) ? tcp_state(fd, &waits) : -1;
    if (state < 0)
        return;
    const uint32_t milliseconds = waits.data;
    conn->waited_and_1 = (uint64_t)milliseconds + 1;
    const bool late = milliseconds >= OCT_POLICY_HELLO_LATE;
    t->storm.calm = late ? 0 : t->storm.calm + (t->storm.calm < OCT_POLICY_HELLO_CALM);
    if (late && (state == CLOSE_WAIT || state == CLOSED) && throw_away(fd))
        (void)__atomic_add_fetch(&oct_hello_counters()->gone, 1, __ATOMIC_RELAXED);
    else if (refuses && state == ESTABLISHED && oct_ages_refuse(&t->storm.ages, now(), milliseconds) && throw_away(fd))
        refused(fd);
}

static unsigned bucket_of(uint64_t milliseconds)
{
    static const unsigned bounds[] = OCT_HELLO_BOUNDS;
    unsigned i = 0;
    while (i < sizeof bounds / sizeof bounds[0] && milliseconds > bounds[i])
        i++;
    return i;
}

void oct_storm_after(struct oct_conn *conn, struct oct_thread *t)
{
    if (!conn->unread || oct_ssl()->SSL_get_state(conn->ssl) == TLS_ST_BEFORE)
        return;
    conn->unread = false;
    if (conn->waited_and_1 == 0) {
        t->storm.passed++;
        return;
    }
    struct oct_hello_counters *counters = oct_hello_counters();
    const uint64_t waited = conn->waited_and_1 - 1;
    if (refuses)
        conn->age_class_and_1 = (uint8_t)(oct_age_class(waited) + 1);
    const uint64_t stands_for = t->storm.passed + 1;
    t->storm.passed = 0;
    (void)__atomic_add_fetch(&counters->waited[bucket_of(waited)], stands_for, __ATOMIC_RELAXED);
    (void)__atomic_add_fetch(&counters->milliseconds, waited * stands_for, __ATOMIC_RELAXED);
}

/* Its client waits still. */
static bool is_there(struct oct_conn *conn)
{
    struct waits waits;
    const int fd = oct_socket_find(conn), state = fd >= 0 ? tcp_state(fd, &waits) : -1;
    return state == ESTABLISHED || (state == CLOSE_WAIT && !oct_ages_left(waits.data, waits.any));
}

/* Another thread than the one that began it may end it: it learns instead. */
void oct_storm_ended(struct oct_conn *conn, bool completed)
{
    struct oct_thread *t = oct_thread_peek();
    if (conn->age_class_and_1 != 0 && t != NULL)
        oct_ages_ended(&t->storm.ages, conn->age_class_and_1 - 1u, completed && is_there(conn));
    conn->age_class_and_1 = 0;
}
