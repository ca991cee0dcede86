/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The program: a server on epoll. What it is told has to be what libssl alone could have told it. A wait may be
 * pretended once; what libssl would have done must be done when the program looks; its callbacks are its own, and not
 * called for what it has freed.
 */
#include "model.h"

#include "fds/fds.h"
#include "handshake/slice.h"
#include "handshake/socket.h"

#include <stdio.h>

#define NOWHERE (-1)

static struct conn {
    SSL *ssl;
    int fd;
    int at;        /* the thread in whose instance it is registered, or NOWHERE */
    int refs;      /* that the program has */
    int sent;      /* messages of the client's */
    int pretended; /* how often it was told to wait by nobody but the shim, since a wait */
    int last;      /* what the last call has returned, 2: none */
    bool closed, blocks, crossed;
    bool lost, failed; /* a thread that is not in a child had it; its last call has failed */
} conns[CONNS + 1];    /* the last one has begun, and is never heard of again: so that others are in flight */

static struct setting setting;
static int epfds[THREADS];
static bool alive[THREADS], child;

static struct conn *conn_of(const SSL *s)
{
    return &conns[s->number];
}

static void register_at(struct conn *c, int thread, int op)
{
    struct epoll_event event = {.events = EPOLLIN | setting.events, .data.u32 = (uint32_t)(c - conns)};
    if (epoll_ctl(epfds[thread], op, c->fd, &event) != 0)
        wrong("epoll_ctl() fails");
    c->at = op == EPOLL_CTL_DEL ? NOWHERE : thread;
}

static void on_info(const SSL *s, int where, int ret)
{
    (void)where, (void)ret;
    program_called_back((SSL *)(uintptr_t)s);
}

static void open_conn(int number, int kind)
{
    struct conn *c = &conns[number];
    *c = (struct conn){.fd = kernel_socket(), .refs = 1, .last = 2};
    c->ssl = fake_ssl_new(number, kind, c->fd);
    oct_ssl()->SSL_set_info_callback(c->ssl, on_info);
    register_at(c, 0, EPOLL_CTL_ADD);
}

/* What the shim has said beyond what libssl has. */
static void call(struct conn *c, int thread, bool excused)
{
    const int waits = fake_real_waits;
    c->crossed |= thread != 0;
    beneath_switch(thread);
    const int value = SSL_do_handshake(c->ssl);
    if (conns[c - conns].ssl == NULL)
        return; /* a callback has freed it */
    const int error = SSL_get_error(c->ssl, value);
    c->last = value;
    if (value == 1 && !fake_is_done(c->ssl))
        wrong("a handshake is said to be over, and is not");
    if (value != 1 && error == SSL_ERROR_NONE)
        wrong("a failed call has no error");
    if (error == SSL_ERROR_SYSCALL && !c->failed)
        wrong("the error of a call is lost");
    if (value != 1 && error == SSL_ERROR_SSL && !c->ssl->failed && !c->lost)
        wrong("a call fails that would not have failed");
    c->failed |= error == SSL_ERROR_SSL;
    if (error != SSL_ERROR_WANT_READ || fake_real_waits != waits || excused)
        return;
    if (c->ssl->in_callback)
        return;
    if (c->blocks && !c->closed)
        wrong("who would have blocked is told to wait");
    if (c->pretended++ != 0)
        wrong("who has not waited is told twice to wait");
}

static void look(struct conn *c, int thread, bool excused)
{
    beneath_switch(thread);
    oct_finish_before(c->ssl, false);
    if (c->ssl != NULL && c->ssl->inside && !c->ssl->in_callback && !child && !excused && !c->lost)
        wrong("the program sees a call that is paused");
}

static void free_conn(struct conn *c, int thread)
{
    SSL *s = c->ssl;
    beneath_switch(thread);
    if (--c->refs == 0)
        c->ssl = NULL;
    SSL_free(s);
}

static void wait_for(int thread, bool sleeps, bool follows)
{
    struct epoll_event events[CONNS + 1];
    beneath_switch(thread);
    for (int i = 0; i < CONNS; i++)
        conns[i].pretended = 0;
    const int n = epoll_wait(epfds[thread], events, CONNS + 1, sleeps ? -1 : 0);
    for (int i = 0; follows && i < n; i++) {
        struct conn *c = &conns[events[i].data.u32];
        if (c->ssl != NULL && c->last != 1 && !c->closed)
            call(c, thread, false);
    }
}

static void send_message(struct conn *c)
{
    c->sent++;
    if (!c->closed)
        kernel_send(c->fd);
}

void program_reads(const SSL *s)
{
    struct conn *c = &conns[s->number];
    if (c->blocks && !c->closed && !oct_socket_is_withheld(c->fd) && kernel_bytes(c->fd) == 0)
        send_message(c);
}

void program_called_back(SSL *s)
{
    struct conn *c = conn_of(s), *other = &conns[1 - s->number];
    if (c->ssl == NULL)
        wrong("a callback comes for an object that the program has freed");
    if (s->failed)
        wrong("a callback tells of a call that was given up");
    if (setting.callback == CALLBACK_CALLS)
        (void)SSL_do_handshake(s);
    if (s->number >= CONNS || other->ssl == NULL || setting.conns < 2 || other->ssl->in_callback)
        return;
    if (setting.callback == CALLBACK_LOOKS)
        look(other, beneath_now(), other->crossed || fake_no_memory);
    if (setting.callback == CALLBACK_FREES_OTHER)
        free_conn(other, beneath_now());
}

static bool does_to(struct conn *c, enum act act)
{
    static const bool needs_first[ACTS_OF_CONN] = {
        [ACT_CALL] = true, [ACT_CALL_AWRY] = true, [ACT_LOOK] = true,
        [ACT_FREE] = true, [ACT_CLEAR] = true,     [ACT_NO_MEMORY] = true,
    };
    static const bool needs_other[ACTS_OF_CONN] = {
        [ACT_CALL_OTHER] = true, [ACT_LOOK_OTHER] = true, [ACT_LOOK_BUSY] = true, [ACT_FREE_OTHER] = true};
    if (c->ssl == NULL || (needs_first[act] && !alive[0]) || (needs_other[act] && !alive[1]))
        return false;
    const bool calls = act == ACT_CALL || act == ACT_CALL_OTHER || act == ACT_CALL_AWRY || act == ACT_NO_MEMORY;
    if (calls && (c->last == 1 || c->closed))
        return false;
    switch (act) {
    case ACT_CALL:
    case ACT_CALL_OTHER:
        call(c, act == ACT_CALL_OTHER, false);
        return true;
    case ACT_CALL_AWRY:
    case ACT_NO_MEMORY:
        for (int i = 0; i < CONNS && act == ACT_NO_MEMORY; i++)
            conns[i].lost |= conns[i].closed; /* it may not be possible to let its call unwind */
        beneath_awry = true;
        fake_no_memory = act == ACT_NO_MEMORY;
        call(c, 0, act == ACT_NO_MEMORY);
        beneath_awry = fake_no_memory = false;
        return true;
    case ACT_LOOK:
    case ACT_LOOK_OTHER:
        look(c, act == ACT_LOOK_OTHER, false);
        return true;
    case ACT_LOOK_BUSY:
        beneath_busy = true;
        look(c, 1, true);
        beneath_busy = false;
        return true;
    case ACT_FREE:
    case ACT_FREE_OTHER:
        free_conn(c, act == ACT_FREE_OTHER);
        return true;
    case ACT_CLEAR:
        beneath_switch(0);
        c->failed = false;
        if (!SSL_clear(c->ssl)) {
            if (!c->lost)
                wrong("a handshake cannot begin anew");
            c->failed = true;
        }
        c->pretended = 0;
        c->last = 2;
        return true;
    case ACT_UP_REF:
        if (c->refs > 1)
            return false;
        c->refs += SSL_up_ref(c->ssl);
        return true;
    case ACT_MOVE:
    case ACT_TAKE_OUT: {
        const int to = c->at == NOWHERE ? 0 : 1 - c->at;
        if (c->closed || (act == ACT_TAKE_OUT && c->at == NOWHERE) || (act == ACT_MOVE && !alive[to]))
            return false;
        if (c->at != NOWHERE)
            register_at(c, c->at, EPOLL_CTL_DEL);
        if (act == ACT_MOVE)
            register_at(c, to, EPOLL_CTL_ADD);
        return true;
    }
    case ACT_CLOSE:
        if (c->closed)
            return false;
        close(c->fd);
        c->closed = true;
        c->at = NOWHERE;
        return true;
    case ACT_BLOCK:
        if (c->closed)
            return false;
        c->blocks = !c->blocks;
        kernel_set_blocks(c->fd, c->blocks);
        return true;
    case ACT_CLIENT:
        if (c->sent > 2)
            return false;
        send_message(c);
        return true;
    default:
        return false;
    }
}

bool program_does(unsigned act)
{
    if (act < ACT_WAIT)
        return act / ACTS_OF_CONN < (unsigned)setting.conns && does_to(&conns[act / ACTS_OF_CONN], act % ACTS_OF_CONN);
    if (act == ACT_WAIT_OTHER ? !alive[1] : !alive[0])
        return false;
    switch (act) {
    case ACT_WAIT:
    case ACT_WAIT_OTHER:
    case ACT_POLL:
        wait_for(act == ACT_WAIT_OTHER, act != ACT_POLL, (setting.events & EPOLLET) != 0);
        return true;
    case ACT_END:
        if (!alive[1])
            return false;
        beneath_end_thread(0);
        alive[0] = false;
        beneath_switch(1);
        return true;
    case ACT_FORK:
        if (child)
            return false;
        beneath_switch(0);
        for (int i = 0; i < setting.conns; i++) {
            const struct oct_conn *conn = conns[i].ssl != NULL ? oct_conn_find(conns[i].ssl) : NULL;
            conns[i].lost = conn != NULL && conn->thread != oct_thread_peek() && oct_slice_is_away(conn);
        }
        beneath_fork();
        child = true;
        alive[1] = false;
        return true;
    default:
        return false;
    }
}

void act_name(unsigned act, char name[32])
{
    static const char *const of_conn[ACTS_OF_CONN] = {"call",     "call on B", "call from deeper",
                                                      "look",     "look on B", "look on B, A busy",
                                                      "free",     "free on B", "clear",
                                                      "up_ref",   "move",      "take out",
                                                      "close",    "block",     "client sends",
                                                      "no memory"};
    static const char *const others[] = {"A waits", "B waits", "A polls", "A ends", "fork"};
    if (act < ACT_WAIT)
        snprintf(name, 32, "%s %u", of_conn[act % ACTS_OF_CONN], act / ACTS_OF_CONN);
    else
        snprintf(name, 32, "%s", others[act - ACT_WAIT]);
}

/* --- what is the case */

static uint64_t mixed(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

static uint64_t at_most(uint64_t value, uint64_t most)
{
    return value < most ? value : most;
}

static int thread_number(const struct oct_thread *t, struct oct_thread *const threads[THREADS])
{
    for (int i = 0; i < THREADS; i++)
        if (t != NULL && t == threads[i])
            return i;
    return t != NULL ? 3 : 2;
}

static uint64_t of_conn(uint64_t hash, const struct conn *c, struct oct_thread *const threads[THREADS])
{
    const SSL *s = c->ssl;
    hash = mixed(hash, (uint64_t)kernel_bytes(c->fd));
    hash = mixed(hash, (uint64_t)(c->at + 2) | (uint64_t)c->refs << 8 | (uint64_t)c->sent << 16 |
                           (uint64_t)at_most((uint64_t)c->pretended, 2) << 24 | (uint64_t)(c->last + 2) << 32 |
                           (uint64_t)(c->closed | c->blocks << 1 | c->crossed << 2) << 40);
    if (s == NULL)
        return hash;
    hash = mixed(hash, s->at | (uint64_t)s->refs << 8 | (uint64_t)s->shutdown << 16 | (uint64_t)s->inside << 24 |
                           (uint64_t)s->failed << 25 | (uint64_t)s->waits_to_write << 26 | (uint64_t)s->in->null << 27 |
                           (uint64_t)s->in->flags << 32);
    const struct oct_conn *conn = oct_conn_find(s);
    if (conn == NULL)
        return mixed(hash, 1);
    hash = mixed(hash, (uint64_t)conn->state | (uint64_t)conn->event << 8 | (uint64_t)conn->notices << 16 |
                           (uint64_t)conn->entered << 24);
    const int thread = thread_number(conn->thread, threads);
    const uint32_t round = thread < THREADS ? threads[thread]->round : 0;
    hash = mixed(hash, (uint64_t)thread | (uint64_t)conn->wanted << 8 | (uint64_t)conn->masked << 9 |
                           (uint64_t)conn->looked << 10 | (uint64_t)conn->handed << 11 | (uint64_t)conn->missed << 12 |
                           (uint64_t)(conn->retried != NULL) << 13 | (uint64_t)(conn->away_link != NULL) << 14 |
                           (uint64_t)(conn->handed_link != NULL) << 15 | (uint64_t)(conn->told == round) << 16 |
                           (uint64_t)(conn->notified != 0) << 17 | (uint64_t)oct_slice_is_away(conn) << 18 |
                           (uint64_t)conn->socket.nonblocking << 19 | at_most(round - conn->notified, 2) << 20 |
                           beneath_jobs(conn) << 24 |
                           (uint64_t)oct_finish_has_socket((struct oct_conn *)(uintptr_t)conn) << 30);
    return mixed(hash, (uint64_t)conn->ended_value);
}

uint64_t program_state(void)
{
    struct oct_thread *threads[THREADS];
    const int now = beneath_now();
    for (int i = 0; i < THREADS; i++) {
        beneath_switch(i);
        threads[i] = oct_thread_peek();
    }
    beneath_switch(now);
    uint64_t hash = mixed(0, (uint64_t)(alive[0] | alive[1] << 1 | child << 2));
    for (int i = 0; i < THREADS; i++) {
        const struct oct_thread *t = threads[i];
        if (t == NULL)
            continue;
        hash = mixed(hash, (uint64_t)t->handshake_count | (uint64_t)t->waits << 8 | (uint64_t)t->deaf << 9 |
                               (uint64_t)t->wanted << 10 | (uint64_t)t->real_first << 11 |
                               (uint64_t)t->jobs_seen << 12 | (uint64_t)t->moved << 13 |
                               (uint64_t)(t->still_since != 0) << 14 | (uint64_t)(t->orphans != NULL) << 15 |
                               (uint64_t)t->out << 16 | (uint64_t)t->unheard << 24 | at_most(t->empty_polls, 3) << 32 |
                               at_most((uint64_t)t->round_events, 2) << 36 | at_most(t->suppressed_count, 4) << 40);
        for (const struct oct_conn *conn = t->ready; conn != NULL; conn = conn->ready_next)
            hash = mixed(hash, conn->ssl != NULL ? (uint64_t)conn->ssl->number : 7);
    }
    for (int i = 0; i < setting.conns; i++)
        hash = of_conn(hash, &conns[i], threads);
    return hash;
}

/* --- from the beginning to the end */

void program_begin(const struct setting *how)
{
    setting = *how;
    child = false;
    for (int i = 0; i < THREADS; i++) {
        alive[i] = true;
        epfds[i] = kernel_instance();
    }
    open_conn(CONNS, 0);
    for (int i = 0; i < setting.conns; i++)
        open_conn(i, setting.kind[i]);
    wait_for(1, true, false);
    wait_for(0, true, false);
    (void)SSL_do_handshake(conns[CONNS].ssl); /* it has begun, and its client says nothing */
}

static bool has_ended(const struct conn *c)
{
    return c->ssl == NULL || c->last == 1 || c->failed || c->closed;
}

/* Its client answers what it has got, and it is led back by its events. One that is registered nowhere, and what a
 * thread that has ended has left, is taken over by who is there. */
static void behave(void)
{
    const int heir = alive[0] ? 0 : 1;
    for (int round = 0; round < 64; round++) {
        bool all = true;
        for (int i = 0; i < setting.conns; i++) {
            struct conn *c = &conns[i];
            char byte;
            if (has_ended(c)) { /* it reads what else there is */
                while (!c->closed && kernel_bytes(c->fd) != 0)
                    (void)recv(c->fd, &byte, 1, 0);
                continue;
            }
            all = false;
            if (c->at == NOWHERE || !alive[c->at]) {
                if (c->at != NOWHERE)
                    register_at(c, c->at, EPOLL_CTL_DEL);
                register_at(c, heir, EPOLL_CTL_ADD);
            }
            c->blocks = false;
            kernel_set_blocks(c->fd, false);
            if (fake_reads(c->ssl) && !c->ssl->inside && kernel_bytes(c->fd) == 0)
                send_message(c);
            if (c->ssl->waits_to_write && !c->ssl->inside && c->last != 2)
                call(c, c->at, false); /* its socket can be written to, which this program hears of */
            else if (c->last == 2 || c->lost)
                call(c, c->at, c->lost);
        }
        if (all)
            return;
        for (int i = 0; i < THREADS; i++)
            if (alive[i])
                wait_for(i, true, true);
    }
    wrong("a handshake never comes to its end");
}

void program_ends(void)
{
    behave();
    for (int i = 0; i <= CONNS; i++) {
        struct conn *c = &conns[i];
        while (c->ssl != NULL && (i == CONNS || i < setting.conns))
            free_conn(c, alive[0] ? 0 : 1);
    }
    for (int i = 0; i < THREADS; i++)
        if (alive[i])
            wait_for(i, true, false);
    for (int i = 0; i < THREADS; i++) {
        beneath_end_thread(i);
        close(epfds[i]);
    }
    for (int i = 0; i <= CONNS; i++)
        if ((i == CONNS || i < setting.conns) && !conns[i].closed)
            close(conns[i].fd);
    if (kernel_files() != 0)
        wrong("a file of the shim is never closed");
    if (fake_objects() != 0 && !beneath_left_behind)
        wrong("an object of libssl is never freed");
    if (fake_blocks() != 0 && !beneath_left_behind)
        wrong("memory of the shim is never freed");
}
