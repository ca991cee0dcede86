/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Whose socket a connection has that reads from memory. libssl tells the random of its hello; the thread remembers
 * which of its sockets brought one with that random. Besides, the thread must have read there last: so a client that
 * sends another's hello again cannot have that one woken by its own socket.
 *
 * A socket has its place by its number. Where two have the same, the later one takes it, unless the first one's
 * handshake is paused: what is not found here stays synchronous.
 */
#include "memory/memory.h"

#include "fds/fds.h"
#include "handshake/thread.h"

#include <stdlib.h>
#include <string.h>

/* A record of the handshake, with a hello of a client: header, kind, length and version stand before its random. */
#define RANDOM_AT    11
#define HELLO_LEAST  (RANDOM_AT + SSL3_RANDOM_SIZE)
#define HELLO_KIND   5
#define HELLO_CLIENT 1

static struct oct_hello *place_of(struct oct_hellos *hellos, int fd)
{
    return &hellos->of[(unsigned)fd % OCT_HELLOS];
}

struct oct_hello *oct_hello_of(const struct oct_thread *t, int fd)
{
    if (t->hellos == NULL || fd < 0)
        return NULL;
    struct oct_hello *hello = place_of(t->hellos, fd);
    return hello->used && hello->fd == fd && oct_fd_is_same(fd, hello->generation) ? hello : NULL;
}

struct oct_hello *oct_hello_find(const struct oct_conn *conn, const struct oct_thread *t)
{
    unsigned char random[SSL3_RANDOM_SIZE];
    struct oct_hello *hello = t->hellos != NULL ? oct_hello_of(t, t->hellos->last_fd) : NULL;
    if (hello == NULL || hello->conn != NULL ||
        oct_ssl()->SSL_get_client_random(conn->ssl, random, sizeof random) != sizeof random ||
        memcmp(random, hello->random, sizeof random) != 0)
        return NULL;
    return hello;
}

static struct oct_hellos *hellos_of(struct oct_thread *t)
{
    if (t->hellos == NULL)
        t->hellos = calloc(1, sizeof *t->hellos);
    return t->hellos;
}

/* A second hello of the same handshake has the same random, and is counted like all that follows the first. */
void oct_hello_note(struct oct_thread *t, int fd, const void *buf, size_t n, int flags, ssize_t got)
{
    const unsigned char *bytes = buf;
    const bool drops = (flags & MSG_TRUNC) != 0; /* then nothing is written to buf, which may be NULL */
    struct oct_hello *hello = oct_hello_of(t, fd);

    if (got < 0 || fd < 0 || (flags & (MSG_OOB | MSG_ERRQUEUE)) != 0)
        return;
    const bool is_hello = (size_t)got >= HELLO_LEAST && n >= HELLO_LEAST && !drops && bytes[0] == SSL3_RT_HANDSHAKE &&
                          bytes[1] == SSL3_VERSION_MAJOR && bytes[HELLO_KIND] == HELLO_CLIENT;
    if (is_hello && (hello == NULL || memcmp(hello->random, bytes + RANDOM_AT, sizeof hello->random) != 0)) {
        struct oct_hello *place = hellos_of(t) != NULL ? place_of(t->hellos, fd) : NULL;
        if (place != NULL && place->conn == NULL) {
            *place = (struct oct_hello){.used = true, .taken = true, .fd = fd, .generation = oct_fd_generation(fd)};
            memcpy(place->random, bytes + RANDOM_AT, sizeof place->random);
        }
        hello = oct_hello_of(t, fd);
    }
    if (t->hellos != NULL)
        t->hellos->last_fd = fd;
    if (hello == NULL)
        return;
    hello->bytes += (uint64_t)got;
    hello->ended |= got == 0;
    hello->taken |=
        hello->given == 0; /* the program has bytes to call with, and the record must not come behind them */
}

/* All that its former thread has read has reached libssl. */
bool oct_hello_adopt(struct oct_conn *conn, struct oct_thread *t)
{
    const int fd = conn->socket.fd;
    BIO *bio = oct_ssl()->SSL_get_rbio(conn->ssl);
    struct oct_hello *hello = hellos_of(t) != NULL ? place_of(t->hellos, fd) : NULL;
    if (hello == NULL || hello->conn != NULL || bio == NULL)
        return false;
    *hello = (struct oct_hello){.used = true, .fd = fd, .generation = conn->socket.generation, .conn = conn};
    hello->bytes = oct_ssl()->BIO_number_read(bio);
    conn->hello = hello;
    conn->way = &oct_memory_way;
    return true;
}

void oct_hello_moved(struct oct_conn *conn, int fd)
{
    struct oct_hello *from = conn->hello, *to = place_of(conn->thread->hellos, fd);
    if (to == from || to->conn != NULL)
        return;
    *to = *from;
    to->fd = fd;
    to->generation = oct_fd_generation(fd);
    conn->hello = to;
    from->used = false;
    from->conn = NULL;
}

void oct_hello_leave(struct oct_conn *conn)
{
    conn->hello->conn = NULL;
    conn->hello = NULL;
    conn->way = &oct_way_socket;
}
