/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The socket of a connection. Most programs give it to libssl, which tells it. HAProxy and others have a BIO of their
 * own above it, which says nothing: then it is what this thread was seen to read from inside the handshake call
 * (read.c). libssl reads before it comes to any expensive operation, so the socket is known in time. A program that
 * reads from two there (in a callback of its own, say) leaves it open which is the connection's: it stays synchronous.
 *
 * Such a program keeps its own account of what can be read. It trusts its own recv() more than libssl's "want read":
 * unless that has said EAGAIN, it comes back at once, again and again, and does not ask epoll. So when a handshake is
 * paused its BIO is asked once more, and recv() says EAGAIN: only to a BIO that holds nothing back, so that no byte is
 * lost. What libssl makes of a message may depend on whether the BIO has found nothing before (HAProxy's says so until
 * it finds nothing for another reason), so the BIO does not remember what we made it find.
 *
 * Many servers look for a hello as soon as they have accepted a connection, before they tell epoll of it: then the
 * handshake would have nobody to be woken by. Where others are in mid-handshake such a look finds nothing, once. The
 * server then asks epoll, which says what there is to read.
 *
 * Others tell epoll of a socket as soon as they have it, and read from it when there is something (tokio). There the
 * hidden socket first shows in the very call that comes to an operation. Once a thread has seen that of BIOs of a name,
 * such calls run in a slice at once, and are asked there whether they may pause. BIOs that never read from a socket
 * inside a call (Node's, and those of memory) get no slice. A callback of such a program may read from sockets itself.
 * That libssl has more bytes than any recv() has brought tells these from the BIO's own.
 *
 * Traffic Server reads the hello itself, so that it can still pass it on, and gives it to libssl in memory. From then
 * on libssl reads from the socket. A program that does so comes back when there is something to read on the socket, and
 * then calls libssl without having read itself. A thread has to have seen it so once: others with BIOs of memory read
 * first, find nothing, and would never resume the handshake.
 */
#include "handshake/socket.h"

#include "fds/fds.h"
#include "handshake/above.h"
#include "handshake/thread.h"

#include "base/policy.h"

#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>

static int flags_of(int fd)
{
    __typeof__(fcntl) *real = oct_libc()->fcntl;
    return real != NULL ? real(fd, F_GETFL) : (int)syscall(SYS_fcntl, (long)fd, (long)F_GETFL);
}

bool oct_socket_is_nonblocking(int fd)
{
    const int flags = flags_of(fd);
    return flags >= 0 && (flags & O_NONBLOCK) != 0;
}

uint32_t oct_socket_switches = 1;

bool oct_socket_nonblocking(struct oct_conn *conn, int fd)
{
    if (!conn->socket.nonblocking || conn->socket.fd != fd) {
        conn->socket.asked = __atomic_load_n(&oct_socket_switches, __ATOMIC_ACQUIRE);
        conn->socket.nonblocking = oct_socket_is_nonblocking(fd);
        conn->socket.fd = fd;
        conn->socket.inode = 0;
    }
    return conn->socket.nonblocking;
}

bool oct_socket_blocks(struct oct_conn *conn)
{
    const uint32_t switches = __atomic_load_n(&oct_socket_switches, __ATOMIC_ACQUIRE);
    if (conn->socket.asked == switches && conn->socket.nonblocking)
        return false;
    const int flags = conn->socket.fd >= 0 && oct_finish_has_socket(conn) ? flags_of(conn->socket.fd) : -1;
    conn->socket.asked = flags >= 0 && (flags & O_NONBLOCK) != 0 ? switches : 0;
    return flags >= 0 && (flags & O_NONBLOCK) == 0;
}

void oct_socket_identify(struct oct_conn *conn)
{
    oct_fd_identify(conn->socket.fd, &conn->socket.inode);
}

bool oct_socket_is_same(const struct oct_conn *conn, int fd)
{
    const ino_t inode = __atomic_load_n(&conn->socket.inode, __ATOMIC_RELAXED);
    return inode != 0 && oct_fd_inode(fd) == inode;
}

/* libssl does not know the new number. */
void oct_socket_moved(int fd)
{
    struct oct_thread *t = oct_thread_peek();
    ino_t inode = 0;
    for (struct oct_conn *conn = t != NULL ? t->away : NULL; conn != NULL; conn = conn->away_next) {
        if (!conn->socket.hidden || conn->socket.fd == fd)
            continue;
        inode = inode != 0 ? inode : oct_fd_inode(fd);
        if (inode == 0)
            return;
        if (oct_fd_is_same(conn->socket.fd, conn->socket.generation))
            oct_socket_identify(conn);
        if (inode == __atomic_load_n(&conn->socket.inode, __ATOMIC_RELAXED)) {
            oct_fd_lead_end(conn->socket.fd, conn);
            conn->socket.fd = conn->socket.hidden_fd = fd;
            conn->socket.generation = oct_fd_generation(fd);
            oct_fd_lead(fd, conn, &conn->socket.inode, t->id);
            if (conn->way->moved != NULL)
                conn->way->moved(conn, fd);
            conn->announced = 0;
        }
    }
}

int oct_socket_find(struct oct_conn *conn)
{
    int fd = oct_ssl()->SSL_get_fd(conn->ssl);
    conn->socket.hidden = fd < 0;
    return conn->socket.hidden ? conn->socket.hidden_fd : fd;
}

static const char *bio_name(const struct oct_conn *conn)
{
    const BIO *bio = oct_ssl()->SSL_get_rbio(conn->ssl);
    const char *name = bio != NULL ? oct_ssl()->BIO_method_name(bio) : NULL;
    return name != NULL ? name : "";
}

bool oct_socket_reads_memory(const struct oct_conn *conn)
{
    static const char *const names[] = {"memory buffer", "secure memory buffer", "BIO pair"};
    const char *name = bio_name(conn);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

int oct_socket_of_call(struct oct_conn *conn, struct oct_thread *t)
{
    int fd = oct_socket_find(conn);
    if (fd >= 0) {
        t->comes_back |= !conn->socket.hidden && conn->socket.away_fd == fd && oct_way_memory->is_on();
        return fd;
    }
    if (!oct_socket_reads_memory(conn))
        return fd;
    conn->socket.away_fd = oct_ssl()->SSL_get_wfd(conn->ssl);
    if (!t->comes_back || conn->socket.away_fd < 0)
        return fd;
    conn->socket.hidden = false;
    return conn->socket.away_fd;
}

bool oct_socket_read_out(const struct oct_conn *conn)
{
    return conn->socket.away_fd < 0 || !oct_socket_reads_memory(conn) ||
           oct_ssl()->BIO_ctrl_pending(oct_ssl()->SSL_get_rbio(conn->ssl)) == 0;
}

bool oct_socket_changes(const struct oct_conn *conn)
{
    return oct_socket_reads_memory(conn) && oct_ssl()->BIO_ctrl_pending(oct_ssl()->SSL_get_rbio(conn->ssl)) == 0;
}

#define RETRY_FLAGS (BIO_FLAGS_RWS | BIO_FLAGS_SHOULD_RETRY)

void oct_socket_say_retry(struct oct_conn *conn)
{
    const struct oct_ssl_functions *ssl = oct_ssl();
    BIO *bio = ssl->SSL_get_rbio(conn->ssl);
    if (bio == NULL)
        return;
    if (conn->retried != bio) {
        conn->retried = bio;
        conn->retry_before = ssl->BIO_test_flags(bio, RETRY_FLAGS);
    }
    ssl->BIO_clear_flags(bio, RETRY_FLAGS);
    ssl->BIO_set_flags(bio, BIO_FLAGS_READ | BIO_FLAGS_SHOULD_RETRY);
}

/* What libssl makes of a message may depend on whether the BIO has found nothing before. */
void oct_socket_unsay_retry(struct oct_conn *conn)
{
    const struct oct_ssl_functions *ssl = oct_ssl();
    BIO *bio = conn->retried;
    conn->retried = NULL;
    if (bio == NULL || bio != ssl->SSL_get_rbio(conn->ssl))
        return;
    ssl->BIO_clear_flags(bio, RETRY_FLAGS);
    ssl->BIO_set_flags(bio, conn->retry_before);
}

void oct_socket_watch(struct oct_conn *conn, struct oct_thread *t)
{
    oct_socket_unsay_retry(conn);
    BIO *bio = conn->socket.was_empty ? oct_ssl()->SSL_get_rbio(conn->ssl) : NULL;
    if (bio != NULL)
        oct_ssl()->BIO_clear_flags(bio, RETRY_FLAGS);
    conn->socket.was_empty = false;
    t->reads = conn->socket.hidden && !oct_socket_reads_memory(conn)
                   ? conn
                   : NULL; /* memory reads no socket: its callbacks may */
}

static ssize_t recv_real(int fd, void *buf, size_t n, int flags)
{
    __typeof__(recv) *real = oct_libc()->recv;
    return real != NULL ? real(fd, buf, n, flags) : syscall(SYS_recvfrom, fd, buf, n, flags, 0l, 0l);
}

bool oct_socket_is_withheld(int fd)
{
    struct oct_thread *t = oct_thread_peek();
    if (__builtin_expect(t == NULL || t->withheld.fd_and_1 != fd + 1, 1))
        return false;
    char byte;
    if (!t->withheld.refused)
        t->withheld.refused = recv_real(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) >= 0 || errno != EAGAIN;
    return true;
}

/* The bytes that came from the socket are those that libssl has got: the BIO has no other way to answer than to look at
 * the socket, which it will find empty. It may ask about its connection first, and so end the pause. */
void oct_socket_is_empty(struct oct_conn *conn, struct oct_thread *t)
{
    const struct oct_ssl_functions *ssl = oct_ssl();
    BIO *bio = ssl->SSL_get_rbio(conn->ssl);
    char byte;
    if (bio == NULL || conn->socket.hidden_bytes == 0 || ssl->BIO_number_read(bio) != conn->socket.hidden_bytes)
        return;
    const int flags = ssl->BIO_test_flags(bio, RETRY_FLAGS);
    const struct oct_withheld before = t->withheld;
    t->withheld = (struct oct_withheld){conn->socket.hidden_fd + 1, true};
    ssl->BIO_read(bio, &byte, 1);
    t->withheld = before;
    ssl->BIO_clear_flags(bio, RETRY_FLAGS);
    ssl->BIO_set_flags(bio, flags);
}

/* The first look at conn's socket: true if it is to find nothing. */
static bool too_early(struct oct_conn *conn, struct oct_thread *t, int fd)
{
    if (!oct_fd_fresh(fd) || !oct_socket_nonblocking(conn, fd))
        return false;
    oct_thread_join(t, conn);
    if (oct_thread_in_flight(t) <= 1 || t->put_off >= OCT_POLICY_PUT_OFF)
        return false;
    t->put_off++;
    return true;
}

bool oct_socket_put_off(struct oct_conn *conn, struct oct_thread *t)
{
    int fd = !conn->looked && oct_ssl()->SSL_is_server(conn->ssl) ? oct_socket_find(conn) : -1;
    conn->looked = true;
    return fd >= 0 && too_early(conn, t, fd);
}

bool oct_socket_will_show(const struct oct_conn *conn, const struct oct_thread *t)
{
    return t->shows[0] != '\0' && strncmp(t->shows, bio_name(conn), sizeof t->shows - 1) == 0;
}

/* True if the read is to find nothing. */
static bool seen(struct oct_thread *t, int fd)
{
    struct oct_conn *conn = t->reads;
    if (conn->socket.hidden_fd == fd)
        return false;
    if (conn->socket.hidden_fd >= 0) {
        oct_conn_leave(conn);
        return false;
    }
    BIO *bio = oct_ssl()->SSL_get_rbio(conn->ssl);
    if (bio != NULL && oct_ssl()->BIO_number_read(bio) > conn->socket.hidden_bytes)
        return false; /* libssl has bytes which no such read has brought */
    conn->socket.hidden_fd = fd;
    /* It is the first that this BIO reads from. A fresh one is none that a program registers before it looks. */
    if (!oct_fd_fresh(fd) && !oct_socket_will_show(conn, t) && oct_way_wakes(conn, t, fd))
        strncpy(t->shows, bio_name(conn), sizeof t->shows - 1);
    conn->socket.was_empty = too_early(conn, t, fd);
    return conn->socket.was_empty;
}

/* A coroutine may have left the call, on whose stack that stands: what others read is not its socket. */
#define CALL_MAX ((uintptr_t)256 * 1024)

struct oct_conn *oct_socket_reads(int fd, const void *frame, bool *nothing)
{
    struct oct_thread *t = oct_thread_peek();
    struct oct_conn *conn = t->reads;
    if (oct_thread_inside(t) != conn || conn->ssl == NULL || conn->entered_at - (uintptr_t)frame >= CALL_MAX)
        return NULL;
    /* Callbacks read files and pipes too. */
    if (conn->socket.hidden_fd != fd && oct_fd_inode(fd) == 0)
        return NULL;
    *nothing = seen(t, fd);
    return conn;
}

void oct_socket_has_read(struct oct_conn *conn, int fd, size_t bytes)
{
    if (conn->socket.hidden_fd == fd)
        conn->socket.hidden_bytes += bytes;
}
