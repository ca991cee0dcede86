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

#include "fds/fds.h"
#include "handshake/above.h"
#include "handshake/hello_socket.h"
#include "handshake/socket.h"
#include "handshake/thread.h"

#include "base/policy.h"
#include "trace/hellos.h"

#include <string.h>
#include <sys/socket.h>

static bool off, refuses;

bool oct_storm_refuses(void)
{
    return refuses;
}

void oct_storm_start(const char *setting)
{
    off = setting != NULL && strcmp(setting, "off") == 0;
    refuses = setting != NULL && strcmp(setting, "refuse") == 0;
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
    return oct_storm_is_on(storm) || storm->passed + 1 >= OCT_POLICY_SAMPLE;
}

static void refused(int fd)
{
    (void)shutdown(fd, SHUT_RD);
    oct_storm_count(&oct_hello_counters()->refused);
}

/* libssl is about to read at fd: what it finds there is its own. */
static void note_led(struct oct_conn *conn, struct oct_thread *t, int fd)
{
    const unsigned judged = refuses ? oct_fd_led(fd) : 0;
    t->storm.held = 0;
    conn->age_class_and_1 = judged != 0 ? (uint8_t)judged : conn->age_class_and_1;
}

void oct_storm_look(struct oct_conn *conn, struct oct_thread *t)
{
    conn->waited_and_1 = 0;
    conn->unread = !off && is_unread(conn);
    const int fd = conn->unread ? oct_socket_find(conn) : -1;
    struct oct_waits waits;
    if (fd < 0)
        return;
    note_led(conn, t, fd);
    const enum oct_peer peer = is_due(&t->storm) ? oct_hello_peer(fd, &waits) : OCT_PEER_UNKNOWN;
    if (peer == OCT_PEER_UNKNOWN)
        return;
    const uint32_t milliseconds = waits.data;
    conn->waited_and_1 = (uint64_t)milliseconds + 1;
    const bool late = milliseconds >= OCT_POLICY_HELLO_LATE, is_judged = conn->age_class_and_1 != 0;
    t->storm.calm = late ? 0 : t->storm.calm + (t->storm.calm < OCT_POLICY_CROWD);
    if (late && (peer == OCT_PEER_ENDED || peer == OCT_PEER_GONE) && oct_hello_throw_away(fd))
        oct_storm_count(&oct_hello_counters()->gone);
    else if (refuses && !is_judged && peer == OCT_PEER_THERE &&
             oct_ages_refuse(&t->storm.ages, oct_storm_now(), milliseconds) && oct_hello_throw_away(fd))
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

/* Whose socket shows in this very call has been read from unseen. */
static void note_shown(struct oct_conn *conn, struct oct_thread *t)
{
    BIO *bio = oct_ssl()->SSL_get_rbio(conn->ssl);
    if (refuses && bio != NULL && oct_ssl()->BIO_number_read(bio) > 0)
        note_led(conn, t, oct_socket_find(conn));
}

void oct_storm_after(struct oct_conn *conn, struct oct_thread *t)
{
    if (!conn->unread)
        return;
    note_shown(conn, t);
    if (oct_ssl()->SSL_get_state(conn->ssl) == TLS_ST_BEFORE)
        return;
    conn->unread = false;
    if (conn->waited_and_1 == 0) {
        t->storm.passed++;
        return;
    }
    struct oct_hello_counters *counters = oct_hello_counters();
    const uint64_t waited = conn->waited_and_1 - 1;
    if (refuses && conn->age_class_and_1 == 0)
        conn->age_class_and_1 = (uint8_t)(oct_age_class(waited) + 1);
    const uint64_t stands_for = t->storm.passed + 1;
    t->storm.passed = 0;
    (void)__atomic_add_fetch(&counters->waited[bucket_of(waited)], stands_for, __ATOMIC_RELAXED);
    (void)__atomic_add_fetch(&counters->milliseconds, waited * stands_for, __ATOMIC_RELAXED);
}

/* Its client waits still. */
static bool is_there(struct oct_conn *conn)
{
    struct oct_waits waits;
    const int fd = oct_socket_find(conn);
    const enum oct_peer peer = fd >= 0 ? oct_hello_peer(fd, &waits) : OCT_PEER_UNKNOWN;
    return peer == OCT_PEER_THERE || (peer == OCT_PEER_ENDED && !oct_ages_left(waits.data, waits.any));
}

/* Another thread than the one that began it may end it: it learns instead. */
void oct_storm_ended(struct oct_conn *conn, bool completed)
{
    struct oct_thread *t = oct_thread_peek();
    if (conn->age_class_and_1 != 0 && t != NULL)
        oct_ages_ended(&t->storm.ages, conn->age_class_and_1 - 1u, completed && is_there(conn));
    conn->age_class_and_1 = 0;
}
