/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Programs that read their sockets themselves and give libssl the bytes through memory: asyncio, Twisted, Node.js. Such
 * a program calls libssl only when it has bytes for it, so that a made-up event alone does not lead it back into a
 * paused handshake. The event leads it to recv(), and there it gets a record that means nothing: RFC 8446, section 5,
 * has a server drop an unencrypted ChangeCipherSpec of one byte between the first hello and the client's Finished. The
 * program gives it to libssl like any other, and that call resumes the handshake.
 *
 *   hellos.c  whose socket a connection has: the random of its hello stood in what this thread has read from there
 *   programs.c  which programs are known
 *   pause.c   when such a connection may pause, and what its next call finds
 *   record.c  the record, given out by read() and taken back before libssl sees it
 *
 * The hooks of read(), recv() and their like are in events/.
 *
 * Only TLS 1.3 pauses so: should the record reach libssl after all, that drops it.
 */
#ifndef OCT_SHIM_MEMORY_H
#define OCT_SHIM_MEMORY_H

#include "handshake/above.h"

#include "trace/memory.h"

#include <sys/uio.h>

/* One more of `what`, a field of the counters. */
#define OCT_MEMORY_COUNT(what) ((void)__atomic_add_fetch(&oct_memory_counters()->what, 1, __ATOMIC_RELAXED))

#define OCT_MEMORY_RECORD 6
extern const unsigned char oct_memory_record[OCT_MEMORY_RECORD];

/* A socket from which its thread has read a hello. What is in it outlives the connection, until another socket takes
 * its place. */
struct oct_hello {
    bool used;
    bool ended;          /* the client has ended its stream */
    bool taken;          /* no record is to be given, or it has been dealt with */
    uint8_t given;       /* so many bytes of the record the program has got, since the last pause */
    int fd;              /* of this generation */
    uint32_t generation; /* tells it from a later one of the same number */
    uint64_t bytes;      /* read from it, since and with the hello; those of the record too */
    struct oct_conn *conn;
    unsigned char random[SSL3_RANDOM_SIZE];
};

/* The sockets of a thread, by their numbers, and where it has read last. */
#define OCT_HELLOS 1024
struct oct_hellos {
    int last_fd;
    struct oct_hello of[OCT_HELLOS];
};

/* hellos.c */
/* The one of fd, or NULL. */
struct oct_hello *oct_hello_of(const struct oct_thread *t, int fd);
/* The socket from which conn's hello has come, if its thread has just read there; NULL otherwise. */
struct oct_hello *oct_hello_find(const struct oct_conn *conn, const struct oct_thread *t);
/* The program has read with these flags of recv(): `got` bytes, of which the first n at most lie at buf. */
void oct_hello_note(struct oct_thread *t, int fd, const void *buf, size_t n, int flags, ssize_t got);
/* conn, whose call has been run to its end, is t's from now on. False if there is no room. */
bool oct_hello_adopt(struct oct_conn *conn, struct oct_thread *t);
/* conn has no such socket any more. */
void oct_hello_leave(struct oct_conn *conn);
/* It has another number. */
void oct_hello_moved(struct oct_conn *conn, int fd);

/* programs.c */
/* True in a program that is known to bear such pauses. */
bool oct_memory_program(void);

/* pause.c */
/* Once, while the environment is there. */
void oct_memory_start(const char *setting);
extern const struct oct_way oct_memory_way;
/* The program has read from the socket what libssl has not got. */
bool oct_memory_has_more(const struct oct_conn *conn);

/* record.c */
/* Copies to a place of the program's; false if nothing is there. */
bool oct_memory_put(void *to, const void *from, size_t n);
/* A read of n bytes from fd begins, by the program and not by libssl. Returns how many bytes of the record it gets; 0:
 * the kernel is to be asked. */
size_t oct_memory_give(struct oct_thread *t, int fd, void *buf, size_t n);
/* The same for recv() and its like, whose flags may ask for a look only, or to drop what is there. */
size_t oct_memory_answer(struct oct_thread *t, int fd, void *buf, size_t n, int flags);
/* The same for readv(), whose parts may lie where nothing is. */
size_t oct_memory_give_part(struct oct_thread *t, int fd, const struct iovec *parts);
/* The same for recvmsg(), whose message may lie where nothing is. */
size_t oct_memory_answer_message(struct oct_thread *t, int fd, struct msghdr *message, int flags);
/* A call of conn is about to go on. False if the program has not got the whole record, and has nothing else to call
 * with: it waits for the rest. */
bool oct_memory_take(struct oct_conn *conn);
/* The call that conn was paused in has been run to its end. The program is to be led to it once more. True if it
 * has bytes to call with anyway. */
bool oct_memory_again(struct oct_conn *conn);

/* The thread whose reads are to be watched now, or NULL. What each read asks first. */
struct oct_thread *oct_memory_reader(void);

#endif
