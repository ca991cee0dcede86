/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Per-thread state: made when a thread first waits for events or starts a handshake, gone with it. After a fork only
 * the calling thread lives on in the child, and the child's queue is empty: what was paused there is ready to be
 * resumed (the provider then runs the operation itself), and nothing else is counted as in flight until it moves again.
 */
#include "handshake/handed.h"
#include "handshake/thread.h"

#include "fds/fds.h"
#include "handshake/above.h"
#include "handshake/known.h"
#include "handshake/slice.h"

#include "base/fork.h"

#include <pthread.h>
#include <stdlib.h>

__thread struct oct_thread *oct_thread_own;
const struct oct_keys_part *oct_keys_part;
const struct oct_method_part *oct_method_part;
void (*oct_fetched_drop)(struct oct_thread *t);

static pthread_key_t key;

static void forked_child(void);
static struct oct_fork_lock lock = {
    /* orphans, and the end of a thread that may get some */
    .mutex = PTHREAD_MUTEX_INITIALIZER,
    .in_child = forked_child,
};
static uint64_t last_id = 1; /* 0 and 1 mean no thread and several (fds.c) */

/* What is still paused is run to its end, for no other thread can resume it. What cannot be is stranded. */
static void thread_end(void *arg)
{
    struct oct_thread *t = arg;

    oct_drain_orphans(t);
    oct_finish_end(t);
    oct_conn_empty_limbo(t, true);
    oct_fork_lock(&lock);
    while (t->handshakes != NULL) {
        struct oct_conn *conn = t->handshakes;
        (void)oct_conn_on(conn, OCT_ON_ABANDON);
        oct_slice_abandon(conn);
        oct_thread_leave(conn);
    }
    oct_fork_unlock(&lock);
    if (oct_keys_part != NULL)
        oct_keys_part->end(t);
    if (oct_fetched_drop != NULL)
        oct_fetched_drop(t);
    oct_thread_own = NULL;
    if (oct_keys_part != NULL)
        oct_keys_part->end_stacks(t);
    free(t->hellos);
    free(t);
}

/* The thread ends, and nothing that its destructors look at is gone yet. Where the whole process ends, nothing is run.
 */
static void end_before_destructors(void *unused)
{
    struct oct_thread *t = oct_thread_own;
    (void)unused;
    if (t == NULL || gettid() == getpid())
        return;
    t->waits = false;
    oct_finish_end(t);
}

#if defined(__GLIBC__)
extern void *__dso_handle __attribute__((visibility("hidden")));
int __cxa_thread_atexit_impl(void (*function)(void *), void *object, void *dso);

/* Destructors run in the reverse order: ours comes behind each that the program adds. */
__attribute__((visibility("default"))) int __cxa_thread_atexit_impl(void (*function)(void *), void *object, void *dso)
{
    const struct oct_thread *t = oct_thread_own;
    const int error = oct_libc()->__cxa_thread_atexit_impl(function, object, dso);
    if (error == 0 && t != NULL && t->end_known)
        (void)oct_libc()->__cxa_thread_atexit_impl(end_before_destructors, NULL, &__dso_handle);
    return error;
}

static void know_end(struct oct_thread *t)
{
    if (!t->end_known && oct_libc()->__cxa_thread_atexit_impl != NULL)
        (void)oct_libc()->__cxa_thread_atexit_impl(end_before_destructors, NULL, &__dso_handle);
    t->end_known = true;
}
#else
static void know_end(struct oct_thread *t)
{
    (void)t, (void)end_before_destructors;
}
#endif

struct oct_thread *oct_thread_get(void)
{
    struct oct_thread *t = oct_thread_own;
    if (t != NULL)
        return t;
    t = calloc(1, sizeof *t);
    if (t == NULL)
        return NULL;
    t->id = __atomic_add_fetch(&last_id, 1, __ATOMIC_RELAXED);
    t->ready_end = &t->ready;
    if (pthread_setspecific(key, t) != 0) {
        free(t);
        return NULL;
    }
    return oct_thread_own = t;
}

/* What another thread had paused stays in the parent, and that thread too. A result that it was to be led to is for
 * whoever waits for the socket. */
static void forked_conn(struct oct_conn *conn)
{
    struct oct_thread *t = oct_thread_own;
    if (conn->thread != NULL && conn->thread != t) {
        (void)oct_conn_on(conn, OCT_ON_ABANDON);
        conn->thread = NULL;
        conn->away_link = NULL;
        conn->event = OCT_EVENT_NONE;
        conn->missed = !conn->way->fed;
        if (oct_conn_is_ended(conn->state) && conn->handed_link == NULL)
            oct_handed_add(conn);
        return;
    }
    const enum oct_do does = oct_conn_on(conn, OCT_ON_FORKED);
    if (does == OCT_DO_LEAD) {
        conn->notices = 0;
        oct_thread_ready_add(t, conn);
    } else if (does == OCT_DO_FORGET) {
        oct_thread_leave(conn);
    }
}

static void forked_child(void)
{
    oct_fd_set_process();
    oct_known_forked(forked_conn);
}

bool oct_thread_setup(void (*before_fork)(void))
{
    lock.before = before_fork;
    return pthread_key_create(&key, thread_end) == 0 && oct_fork_lock_watch(&lock);
}

void oct_thread_join(struct oct_thread *t, struct oct_conn *conn)
{
    if (oct_conn_thread(conn) != NULL)
        return;
    __atomic_store_n(&conn->thread, t, __ATOMIC_RELEASE);
    conn->prev = NULL;
    conn->next = t->handshakes;
    if (conn->next != NULL)
        conn->next->prev = conn;
    t->handshakes = conn;
    t->handshake_count++;
}

/* Another thread's list is not touched; it loses conn when the SSL object goes. */
void oct_thread_leave(struct oct_conn *conn)
{
    struct oct_thread *t = oct_conn_thread(conn);
    if (t == NULL || t != oct_thread_own)
        return;
    oct_thread_event_drop(t, conn);
    oct_thread_away_drop(conn);
    if (conn->way->left != NULL)
        conn->way->left(conn);
    *(conn->prev != NULL ? &conn->prev->next : &t->handshakes) = conn->next;
    if (conn->next != NULL)
        conn->next->prev = conn->prev;
    t->handshake_count--;
    __atomic_store_n(&conn->thread, NULL, __ATOMIC_RELEASE);
}

void oct_thread_away_add(struct oct_thread *t, struct oct_conn *conn)
{
    know_end(t);
    if (conn->away_link == NULL) {
        conn->away_next = t->away;
        conn->away_link = &t->away;
        if (conn->away_next != NULL)
            conn->away_next->away_link = &conn->away_next;
        t->away = conn;
    }
    oct_fd_lead(conn->socket.fd, conn, &conn->socket.inode, t->id);
}

void oct_thread_away_drop(struct oct_conn *conn)
{
    if (conn->away_link == NULL)
        return;
    *conn->away_link = conn->away_next;
    if (conn->away_next != NULL)
        conn->away_next->away_link = conn->away_link;
    conn->away_link = NULL;
    oct_fd_lead_end(conn->socket.fd, conn);
}

bool oct_thread_ask(struct oct_conn *conn)
{
    oct_fork_lock(&lock);
    struct oct_thread *t = oct_conn_thread(conn);
    __atomic_store_n(&conn->wanted, true, __ATOMIC_RELAXED);
    if (t != NULL)
        __atomic_store_n(&t->wanted, true, __ATOMIC_RELEASE);
    oct_fork_unlock(&lock);
    return t != NULL;
}

void oct_thread_ready_add(struct oct_thread *t, struct oct_conn *conn)
{
    oct_thread_event_drop(t, conn);
    conn->event = OCT_EVENT_DUE;
    conn->notified = 0;
    conn->announced = 0;
    conn->ready_next = NULL;
    conn->ready_link = t->ready_end;
    *t->ready_end = conn;
    t->ready_end = &conn->ready_next;
}

static void ready_remove(struct oct_thread *t, struct oct_conn *conn)
{
    *conn->ready_link = conn->ready_next;
    if (conn->ready_next != NULL)
        conn->ready_next->ready_link = conn->ready_link;
    else
        t->ready_end = conn->ready_link;
}

void oct_thread_event_out(struct oct_thread *t, struct oct_conn *conn)
{
    ready_remove(t, conn);
    conn->event = OCT_EVENT_OUT;
    t->out++;
}

void oct_thread_event_drop(struct oct_thread *t, struct oct_conn *conn)
{
    if (conn->event == OCT_EVENT_DUE)
        ready_remove(t, conn);
    else if (conn->event == OCT_EVENT_OUT)
        t->out--;
    conn->event = OCT_EVENT_NONE;
}

bool oct_thread_orphan(struct oct_conn *conn)
{
    oct_fork_lock(&lock);
    struct oct_thread *t = oct_conn_thread(conn);
    if (t != NULL) {
        conn->orphan_next = t->orphans;
        __atomic_store_n(&t->orphans, conn, __ATOMIC_RELEASE);
    }
    oct_fork_unlock(&lock);
    return t != NULL;
}

struct oct_conn *oct_thread_take_orphans(struct oct_thread *t)
{
    if (__atomic_load_n(&t->orphans, __ATOMIC_RELAXED) == NULL)
        return NULL;
    oct_fork_lock(&lock);
    struct oct_conn *first = t->orphans;
    t->orphans = NULL;
    oct_fork_unlock(&lock);
    return first;
}
