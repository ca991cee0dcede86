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

#include "events/fds.h"
#include "handshake/thread.h"

#include <string.h>

/* A ChangeCipherSpec, with the version that all records have. */
const unsigned char oct_memory_record[OCT_MEMORY_RECORD] = {0x14, 3, 3, 0, 1, 1};

struct oct_thread *oct_memory_reader(void)
{
    struct oct_thread *t = oct_shim_watching() && oct_ssl_inside == NULL ? oct_thread_peek() : NULL;
    return t != NULL && t->waits ? t : NULL;
}

static size_t show(const struct oct_thread *t, int fd, void *buf, size_t n)
{
    const struct oct_hello *hello = oct_hello_of(t, fd);
    if (hello == NULL)
        return 0;
    const struct oct_conn *conn = hello->given == 0 ? hello->conn : NULL;
    const bool begins = conn != NULL && conn->ssl != NULL && !hello->taken &&
                        (oct_conn_is_ready(conn->state) || oct_conn_is_ended(conn->state));
    /* The rest of one that has been given in part comes first, whatever has become of the handshake. */
    const bool goes_on = hello->given != 0 && hello->given < OCT_MEMORY_RECORD;
    if (!begins && !goes_on)
        return 0;
    const size_t left = OCT_MEMORY_RECORD - hello->given, part = n < left ? n : left;
    memcpy(buf, oct_memory_record + hello->given, part);
    return part;
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

size_t oct_memory_answer(struct oct_thread *t, int fd, void *buf, size_t n, int flags)
{
    if ((flags & (MSG_TRUNC | MSG_OOB | MSG_ERRQUEUE)) != 0)
        return 0;
    return (flags & MSG_PEEK) != 0 ? show(t, fd, buf, n) : oct_memory_give(t, fd, buf, n);
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
    if (hello->given != 0 && hello->given < OCT_MEMORY_RECORD)
        return false;
    if (hello->given != 0)
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
