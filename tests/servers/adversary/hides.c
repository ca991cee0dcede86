/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * A server whose connections have BIOs of its own, which hide their sockets from libssl.
 *
 * usage: hides recvmsg|ring PORT KEYS
 *
 * recvmsg  they read as in HAProxy from 3.3 on
 * ring     they read by io_uring, which no function of the C library does; exit status 77 where the kernel has none
 */
#include "host.h"

#include <errno.h>
#include <linux/io_uring.h>
#include <openssl/bio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct host host;
static BIO_METHOD *method;
static bool by_ring;

/* A ring for one operation at a time. */
static struct {
    int fd;
    struct io_uring_params params;
    char *submit, *complete;
    struct io_uring_sqe *entry;
} ring;

static void *map(size_t size, off_t what)
{
    void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring.fd, what);
    if (at == MAP_FAILED)
        host_fail("mmap");
    return at;
}

static void make_ring(void)
{
    ring.fd = (int)syscall(SYS_io_uring_setup, 1, &ring.params);
    if (ring.fd < 0) {
        perror("io_uring_setup");
        exit(77);
    }
    const struct io_uring_params *p = &ring.params;
    ring.submit = map(p->sq_off.array + p->sq_entries * sizeof(unsigned), IORING_OFF_SQ_RING);
    ring.complete = map(p->cq_off.cqes + p->cq_entries * sizeof(struct io_uring_cqe), IORING_OFF_CQ_RING);
    ring.entry = map(p->sq_entries * sizeof *ring.entry, IORING_OFF_SQES);
}

static unsigned *number(char *of, unsigned offset)
{
    return (unsigned *)(void *)(of + offset);
}

static int by_io_uring(int fd, char *buf, int size)
{
    const struct io_uring_params *p = &ring.params;
    unsigned *tail = number(ring.submit, p->sq_off.tail), *head = number(ring.complete, p->cq_off.head);
    *ring.entry = (struct io_uring_sqe){
        .opcode = IORING_OP_RECV, .fd = fd, .addr = (uintptr_t)buf, .len = (unsigned)size, .msg_flags = MSG_DONTWAIT};
    number(ring.submit, p->sq_off.array)[0] = 0;
    __atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
    if (syscall(SYS_io_uring_enter, ring.fd, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) != 1)
        host_fail("io_uring_enter");
    const unsigned at = *head & *number(ring.complete, p->cq_off.ring_mask);
    const int got = ((struct io_uring_cqe *)(void *)(ring.complete + p->cq_off.cqes))[at].res;
    __atomic_store_n(head, *head + 1, __ATOMIC_RELEASE);
    if (got < 0)
        errno = -got;
    return got < 0 ? -1 : got;
}

static int by_recvmsg(int fd, char *buf, int size)
{
    struct iovec part = {buf, (size_t)size};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    return (int)recvmsg(fd, &message, 0);
}

static int read_socket(BIO *bio, char *buf, int size)
{
    const int got = (by_ring ? by_io_uring : by_recvmsg)(((struct guest *)BIO_get_data(bio))->fd, buf, size);
    BIO_clear_retry_flags(bio);
    if (got < 0 && errno == EAGAIN)
        BIO_set_retry_read(bio);
    return got;
}

static int write_socket(BIO *bio, const char *buf, int size)
{
    const int sent = (int)send(((struct guest *)BIO_get_data(bio))->fd, buf, (size_t)size, MSG_NOSIGNAL);
    BIO_clear_retry_flags(bio);
    if (sent < 0 && errno == EAGAIN)
        BIO_set_retry_write(bio);
    return sent;
}

static long control(BIO *bio, int what, long number_given, void *pointer)
{
    (void)bio, (void)number_given, (void)pointer;
    return what == BIO_CTRL_FLUSH;
}

static void welcome(struct guest *guest)
{
    BIO *bio = BIO_new(method);
    guest->ssl = SSL_new(host.ctx);
    if (bio == NULL || guest->ssl == NULL)
        host_fail("SSL_new");
    BIO_set_data(bio, guest);
    BIO_set_init(bio, 1);
    SSL_set_bio(guest->ssl, bio, bio);
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    by_ring = strcmp(argv[1], "ring") == 0;
    if (by_ring)
        make_ring();
    method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "hides");
    BIO_meth_set_read(method, read_socket);
    BIO_meth_set_write(method, write_socket);
    BIO_meth_set_ctrl(method, control);
    host = (struct host){.ctx = echo_context(argv[3], "rsa2048"), .welcome = welcome};
    host_serve(echo_listen(argv[2]), &host);
    puts("\"served\"");
    return 0;
}
