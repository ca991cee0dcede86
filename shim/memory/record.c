/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The record that leads a program back into libssl. A thread that has got a made-up event reads from the socket, and
 * finds the record before anything that the kernel has. It is given once for each pause, and in parts to a program that
 * reads in parts.
 *
 * The program hands it to its BIO. Where that shows what it holds, the record is taken out again before libssl goes on,
 * which then never sees it. Other BIOs (Node's) pass it to libssl, which drops it.
 */
#include "memory/memory.h"

#include "fds/fds.h"
#include "handshake/thread.h"

#include <errno.h>
#include <string.h>
#include <sys/uio.h>

/* A ChangeCipherSpec, with the version that all records have. */
const unsigned char oct_memory_record[OCT_MEMORY_RECORD] = {0x14, 3, 3, 0, 1, 1};

/* Inside libssl it may be a callback that reads, for another connection. libssl itself reads no socket that has a
 * record to give. */
struct oct_thread *oct_memory_reader(void)
{
    struct oct_thread *t = oct_shim_watching() ? oct_thread_peek() : NULL;
    return t != NULL && t->waits && (oct_ssl_inside == NULL || t->hellos != NULL) ? t : NULL;
}

/* The kernel would refuse a place where nothing is, and so it is asked to write there itself. Where it may not be asked
 * so, the place is believed. */
bool oct_memory_put(void *to, const void *from, size_t n)
{
    const struct iovec local = {(void *)from, n}, remote = {to, n};
    const int errno_before = errno;
    const ssize_t done = process_vm_writev(getpid(), &local, 1, &remote, 1, 0);
    const bool refused = done < 0 && errno == EFAULT;
    errno = errno_before;
    if (done < 0 && !refused)
        memcpy(to, from, n);
    return !refused;
}

static bool get(void *to, const void *from, size_t n)
{
    const struct iovec local = {to, n}, remote = {(void *)from, n};
    const int errno_before = errno;
    const ssize_t done = process_vm_readv(getpid(), &local, 1, &remote, 1, 0);
    const bool refused = done < 0 && errno == EFAULT;
    errno = errno_before;
    if (done < 0 && !refused)
        memcpy(to, from, n);
    return !refused;
}

/* How many bytes of the record the program is to find in fd, from *from on; 0: none. */
static size_t there(const struct oct_thread *t, int fd, const unsigned char **from)
{
    const struct oct_hello *hello = oct_hello_of(t, fd);
    if (hello == NULL)
        return 0;
    const struct oct_conn *conn = hello->given == 0 ? hello->conn : NULL;
    const bool begins = conn != NULL && conn->ssl != NULL && !hello->taken &&
                        (oct_conn_is_due(conn->state) || oct_conn_is_ended(conn->state));
    /* The rest of one that has been given in part comes first, whatever has become of the handshake. */
    const bool goes_on = hello->given != 0 && hello->given < OCT_MEMORY_RECORD;
    *from = oct_memory_record + hello->given;
    return begins || goes_on ? OCT_MEMORY_RECORD - hello->given : 0;
}

static size_t show(const struct oct_thread *t, int fd, void *buf, size_t n)
{
    const unsigned char *from;
    const size_t left = there(t, fd, &from), part = n < left ? n : left;
    return part != 0 && oct_memory_put(buf, from, part) ? part : 0;
}

size_t oct_memory_give(struct oct_thread *t, int fd, void *buf, size_t n)
{
    const size_t part = show(t, fd, buf, n);
    if (part == 0)
        return 0;
    struct oct_hello *hello = oct_hello_of(t, fd);
    hello->given += (uint8_t)part;
    hello->bytes += part;
    t->hellos->last_fd = fd;
    return part;
}

size_t oct_memory_give_part(struct oct_thread *t, int fd, const struct iovec *parts)
{
    const unsigned char *from;
    struct iovec part;
    if (there(t, fd, &from) == 0 || !get(&part, parts, sizeof part))
        return 0;
    return oct_memory_give(t, fd, part.iov_base, part.iov_len);
}

size_t oct_memory_answer(struct oct_thread *t, int fd, void *buf, size_t n, int flags)
{
    if ((flags & (MSG_TRUNC | MSG_OOB | MSG_ERRQUEUE)) != 0)
        return 0;
    return (flags & MSG_PEEK) != 0 ? show(t, fd, buf, n) : oct_memory_give(t, fd, buf, n);
}

size_t oct_memory_answer_message(struct oct_thread *t, int fd, struct msghdr *message, int flags)
{
    const unsigned char *from;
    struct msghdr copy;
    struct iovec part;
    if (there(t, fd, &from) == 0 || !get(&copy, message, sizeof copy) || copy.msg_iovlen == 0 ||
        !get(&part, copy.msg_iov, sizeof part))
        return 0;
    const size_t given = oct_memory_answer(t, fd, part.iov_base, part.iov_len, flags);
    if (given > 0) {
        message->msg_namelen = message->msg_controllen = 0;
        message->msg_flags = 0;
    }
    return given;
}

static void take_out(const struct oct_conn *conn)
{
    const struct oct_ssl_functions *ssl = oct_ssl();
    unsigned char taken[OCT_MEMORY_RECORD];
    BIO *bio = ssl->SSL_get_rbio(conn->ssl);
    const char *name = bio != NULL ? ssl->BIO_method_name(bio) : NULL;
    char *held = NULL; /* what the BIO holds, without reading it; NULL: it does not show that */
    long bytes = 0;

    if (name != NULL && (strcmp(name, "memory buffer") == 0 || strcmp(name, "secure memory buffer") == 0))
        bytes = ssl->BIO_ctrl(bio, BIO_CTRL_INFO, 0, &held);
    else if (name != NULL && strcmp(name, "BIO pair") == 0)
        bytes = ssl->BIO_ctrl(bio, BIO_C_NREAD0, 0, &held);
    if (held != NULL && bytes >= OCT_MEMORY_RECORD && memcmp(held, oct_memory_record, sizeof taken) == 0)
        ssl->BIO_read(bio, taken, sizeof taken);
}

bool oct_memory_take(struct oct_conn *conn)
{
    struct oct_hello *hello = conn->hello;
    if (hello->taken)
        return true;
    BIO *bio = oct_ssl()->SSL_get_rbio(conn->ssl);
    if (hello->given < OCT_MEMORY_RECORD)
        return hello->given == 0 && bio != NULL && oct_ssl()->BIO_ctrl_pending(bio) != 0;
    take_out(conn);
    hello->taken = true;
    return true;
}

bool oct_memory_again(struct oct_conn *conn)
{
    struct oct_hello *hello = conn->hello;
    if (hello->given == OCT_MEMORY_RECORD)
        hello->given = 0;
    hello->taken = oct_memory_has_more(conn);
    return hello->taken;
}
