/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * shim/handshake/handed.c, shim/events/handover.c and shim/fds, as they are, between many threads: connections go round
 * from one epoll instance to the next, each as one whose call its thread has run to its end. Built once with
 * ThreadSanitizer's eyes on these files. Nothing of libssl is here: what the program would find in a connection is a
 * number that each thread raises, without a lock, when the connection is its own.
 */
#include "events/events.h"
#include "events/handover.h"
#include "fds/fds.h"
#include "fds/wake.h"
#include "handshake/handed.h"
#include "handshake/socket.h"
#include "handshake/thread.h"
#include "memory/memory.h"

#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#define THREADS 4
#define CONNS   12
#define HOPS    400
#define LIMIT   60000 /* milliseconds that a thread sleeps at most: then an event was lost */

static struct worker {
    struct oct_thread thread;
    pthread_t runs;
    int epfd;
    unsigned seed, adopted;
} workers[THREADS];

static struct guest {
    struct oct_conn conn;
    int fd, client; /* the server's end, and the other */
    unsigned hops;  /* whose connection it is reads and writes it */
} guests[CONNS];

static unsigned open_guests = CONNS;
__thread struct oct_thread *oct_thread_own;

/* --- what these files call */

const struct oct_libc_functions *oct_libc(void)
{
    static const struct oct_libc_functions functions = {.epoll_ctl = epoll_ctl, .close = close};
    return &functions;
}

struct oct_memory_counters *oct_memory_counters(void)
{
    static struct oct_memory_counters counters;
    return &counters;
}

void oct_thread_away_add(struct oct_thread *t, struct oct_conn *conn)
{
    (void)t;
    (void)conn;
}

bool oct_socket_is_same(const struct oct_conn *conn, int fd)
{
    (void)conn;
    (void)fd;
    return false;
}

bool oct_hello_adopt(struct oct_conn *conn, struct oct_thread *t)
{
    (void)conn;
    (void)t;
    return true;
}

void oct_thread_join(struct oct_thread *t, struct oct_conn *conn)
{
    __atomic_store_n(&conn->thread, t, __ATOMIC_RELEASE);
}

void oct_thread_leave(struct oct_conn *conn)
{
    __atomic_store_n(&conn->thread, NULL, __ATOMIC_RELEASE);
}

void oct_thread_ready_add(struct oct_thread *t, struct oct_conn *conn)
{
    conn->ready_next = t->ready;
    t->ready = conn;
}

/* --- the program */

static void register_in(struct worker *to, struct guest *guest, int op)
{
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = guest};
    const int fd = guest->fd;
    const uint32_t removals = oct_fd_removals(fd);
    assert(epoll_ctl(to->epfd, op, fd, &event) == 0);
    oct_fd_note(to->epfd, op, fd, &event, removals);
    if (op == EPOLL_CTL_ADD)
        oct_handover_registered(to->epfd, fd);
}

/* As end() in finish.c does it. */
static void finish(struct guest *guest)
{
    const int fd = guest->conn.socket.fd;
    const uint32_t generation = guest->conn.socket.generation;
    oct_thread_leave(&guest->conn);
    oct_handed_add(&guest->conn);
    __atomic_store_n(&guest->conn.state, OCT_CONN_ENDED, __ATOMIC_RELEASE);
    oct_wake(fd, generation);
}

static void wake_all(void)
{
    for (int i = 0; i < THREADS; i++) {
        const int fd = eventfd(1, EFD_NONBLOCK);
        struct epoll_event event = {.events = EPOLLIN};
        assert(fd >= 0 && epoll_ctl(workers[i].epfd, EPOLL_CTL_ADD, fd, &event) == 0);
    }
}

/* Its call is over before its program has moved it to another instance, or after that. One in four hears of its client,
 * too. */
static void go_on(struct worker *self, struct guest *guest)
{
    struct worker *next = &workers[(unsigned)rand_r(&self->seed) % THREADS];
    const unsigned way = (unsigned)rand_r(&self->seed) % 4;

    oct_handed_withdraw(&guest->conn);
    __atomic_store_n(&guest->conn.state, OCT_CONN_PAUSED, __ATOMIC_RELEASE);
    if (++guest->hops == HOPS) {
        register_in(self, guest, EPOLL_CTL_DEL);
        if (__atomic_sub_fetch(&open_guests, 1, __ATOMIC_ACQ_REL) == 0)
            wake_all();
        return;
    }
    if (way == 1)
        assert(write(guest->client, "x", 1) == 1);
    register_in(self, guest, EPOLL_CTL_DEL);
    if (way < 2)
        finish(guest);
    register_in(next, guest, EPOLL_CTL_ADD); /* from here on it is the other thread's, if it is handed already */
    if (way >= 2)
        finish(guest);
}

/* Its program has moved it before it has heard of the end. As hand_on() in finish.c does it. */
static void hand_on(struct worker *self, struct guest *guest)
{
    const int fd = guest->fd;
    const uint32_t generation = guest->conn.socket.generation;
    struct worker *next = &workers[(unsigned)rand_r(&self->seed) % THREADS];
    register_in(self, guest, EPOLL_CTL_DEL);
    register_in(next, guest, EPOLL_CTL_ADD);
    assert(oct_handed_give(&guest->conn));
    oct_wake(fd, generation);
}

static bool take_ready(struct worker *self)
{
    struct oct_conn *conn = self->thread.ready;
    if (conn == NULL)
        return false;
    struct guest *guest = (struct guest *)((char *)conn - offsetof(struct guest, conn));
    self->thread.ready = conn->ready_next;
    self->adopted++;
    if (rand_r(&self->seed) % 4 == 0)
        hand_on(self, guest);
    else
        go_on(self, guest);
    return true;
}

/* A byte of a client: its program calls, without having been led there. */
static void hear(struct worker *self, struct guest *guest)
{
    char bytes[16];
    if (guest == NULL)
        return;
    if (read(guest->fd, bytes, sizeof bytes) > 0 && __atomic_load_n(&guest->conn.thread, __ATOMIC_ACQUIRE) == NULL &&
        oct_conn_state(&guest->conn) == OCT_CONN_ENDED)
        go_on(self, guest);
}

static void *serve(void *arg)
{
    struct worker *self = arg;
    struct epoll_event events[4];
    const struct oct_wait w = {.epfd = self->epfd, .events = events, .max = 4};

    oct_thread_own = &self->thread;
    while (__atomic_load_n(&open_guests, __ATOMIC_ACQUIRE) != 0) {
        oct_fd_waits(self->epfd, self->thread.id, true);
        oct_handover_adopt(&self->thread, self->epfd);
        if (take_ready(self))
            continue;
        const int n = epoll_wait(self->epfd, events, 4, LIMIT);
        assert(n > 0);
        const int left = oct_handover_strip(&w, n);
        for (int i = 0; i < left; i++)
            hear(self, events[i].data.ptr);
    }
    return NULL;
}

static void open_guest(struct guest *guest, struct worker *worker)
{
    int pair[2];
    assert(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair) == 0);
    guest->client = pair[1];
    guest->conn.ssl = (SSL *)guest; /* nothing of it is looked at */
    guest->fd = guest->conn.socket.fd = pair[0];
    guest->conn.socket.generation = oct_fd_generation(pair[0]);
    register_in(worker, guest, EPOLL_CTL_ADD);
    finish(guest);
}

int main(void)
{
    unsigned adopted = 0;
    oct_handed_start();
    oct_wake_start();
    oct_fd_set_process();
    for (unsigned i = 0; i < THREADS; i++) {
        workers[i].thread.id = i + 2;
        workers[i].seed = i + 1;
        workers[i].epfd = epoll_create1(EPOLL_CLOEXEC);
    }
    for (int i = 0; i < CONNS; i++)
        open_guest(&guests[i], &workers[i % THREADS]);
    for (int i = 0; i < THREADS; i++)
        assert(pthread_create(&workers[i].runs, NULL, serve, &workers[i]) == 0);
    for (int i = 0; i < THREADS; i++) {
        assert(pthread_join(workers[i].runs, NULL) == 0);
        adopted += workers[i].adopted;
    }
    for (int i = 0; i < CONNS; i++)
        assert(guests[i].hops == HOPS && guests[i].conn.handed_link == NULL);
    assert(!oct_handed_any() && adopted > CONNS);
    assert(oct_memory_counters()->handed == adopted);
    printf("%u of %u hops by a waker or an adoption\n", adopted, CONNS * HOPS);
    return 0;
}
