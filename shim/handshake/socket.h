/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The socket of a connection, as libssl and the program use it (socket.c). */
#ifndef OCT_SHIM_SOCKET_H
#define OCT_SHIM_SOCKET_H

#include "handshake/conn.h"

/* The socket, or -1; says in conn whether the BIO hides it. */
int oct_socket_find(struct oct_conn *conn);
/* The same for a call into the handshake, which may come while conn reads from memory. */
int oct_socket_of_call(struct oct_conn *conn, struct oct_thread *t);
/* False if conn reads from memory, and there is more to read. */
bool oct_socket_read_out(const struct oct_conn *conn);
/* True if BIOs of this kind have been seen, on this thread, to read from a socket that hidden connections can be woken
 * by: the one of conn will be known before its first operation. */
bool oct_socket_will_show(const struct oct_conn *conn, const struct oct_thread *t);
/* A socket that blocks makes its own caller wait: it must never be told to come back. */
bool oct_socket_nonblocking(struct oct_conn *conn, int fd);
/* The same, asked anew in each call: somebody may have changed it. Nobody has to be asked again in the same call,
 * unless somebody has switched a socket of this process meanwhile (oct_socket_switched()). */
bool oct_socket_blocks(struct oct_conn *conn);
extern uint32_t oct_socket_switches;
static inline void oct_socket_switched(void)
{
    (void)__atomic_add_fetch(&oct_socket_switches, 1, __ATOMIC_RELEASE);
}
/* The read BIO of conn says that it is to be tried again, until conn goes on. */
void oct_socket_say_retry(struct oct_conn *conn);
/* And now it says what it said before. */
void oct_socket_unsay_retry(struct oct_conn *conn);
/* The number of its socket is about to say no more which that is: notes it, whatever number the program gives it. Other
 * threads may ask for it, where conn is led to by that number (oct_fd_lead()). */
void oct_socket_identify(struct oct_conn *conn);
bool oct_socket_is_nonblocking(int fd);
/* True if fd is the socket that conn had when that was asked last, and not another one that has got its number. */
bool oct_socket_is_same(const struct oct_conn *conn, int fd);
/* fd, which is not fresh from accept(), has been registered: it may be another number of a hidden socket. */
void oct_socket_moved(int fd);
/* The server's first call: true if it is to be told, without looking, that nothing can be read yet (socket.c). */
bool oct_socket_put_off(struct oct_conn *conn, struct oct_thread *t);
/* conn has read all that its BIO of memory holds, and gets another one to read from. */
bool oct_socket_changes(const struct oct_conn *conn);
/* A handshake call of conn begins: watches what a BIO that hides its socket reads from. */
void oct_socket_watch(struct oct_conn *conn, struct oct_thread *t);
/* The thread runs a call to its end, and fd is its socket: what has come since stays there, and no read blocks. Notes
 * whether there is something. */
bool oct_socket_is_withheld(int fd);
/* A read from fd begins inside a handshake call whose BIO is watched, in a function with this frame. Whose it is; NULL:
 * it is no read of a BIO's. *nothing: it is to find nothing. */
struct oct_conn *oct_socket_reads(int fd, const void *frame, bool *nothing);
/* It has brought so many bytes. */
void oct_socket_has_read(struct oct_conn *conn, int fd, size_t bytes);
/* The program is about to be told that nothing can be read: its own BIO finds so too. Call inside libssl only. */
void oct_socket_is_empty(struct oct_conn *conn, struct oct_thread *t);

/* Its BIO is one of memory. */
bool oct_socket_reads_memory(const struct oct_conn *conn);

#endif
