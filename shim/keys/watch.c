/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * What a server's thread knows of operations under way. A helper puts what it has finished into the thread's mailbox
 * and makes an eventfd readable. The thread looks into the mailbox whenever it asks epoll for events.
 */
#include "keys/watch.h"

#include "events/events.h"
#include "fds/tables.h"
#include "keys/tally.h"
#include "handshake/thread.h"

#include "base/slice.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>

/* Where threads have tables of descriptors of their own, a helper may not have this one. */
static struct oct_watch *watch_new(void)
{
    struct oct_watch *watch = !oct_tables_several ? calloc(1, sizeof *watch) : NULL;
    const int fd = watch != NULL ? eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK) : -1;

    if (fd < 0) {
        free(watch);
        return NULL;
    }
    pthread_mutex_init(&watch->lock, NULL);
    pthread_cond_init(&watch->done, NULL);
    atomic_init(&watch->refs, 1);
    watch->fd = fd;
    watch->end = &watch->first;
    watch->mailbox_end = &watch->mailbox;
    return watch;
}

static void watch_release(struct oct_watch *watch)
{
    if (atomic_fetch_sub(&watch->refs, 1) != 1)
        return;
    close(watch->fd);
    pthread_cond_destroy(&watch->done);
    pthread_mutex_destroy(&watch->lock);
    free(watch);
}

/* Each thread that is alive, so that the child of a fork lets go of it. Its lock may be held by a helper that is not
 * there, and its eventfd is the parent's. */
void oct_watch_forked(void)
{
    struct oct_thread *t = oct_thread_peek();
    if (t == NULL || t->watch == NULL)
        return;
    oct_pausing_forked(t);
    close(t->watch->fd);
    t->watch = NULL;
}

void oct_watch_end(struct oct_thread *t)
{
    if (t->watch != NULL)
        watch_release(t->watch);
    t->watch = NULL;
}

unsigned oct_watch_count(const struct oct_thread *t)
{
    return t->watch != NULL ? t->watch->count : 0;
}

bool oct_watch_add(struct oct_thread *t, struct oct_remote *op)
{
    if (t->watch == NULL)
        t->watch = watch_new();
    struct oct_watch *watch = t->watch;
    if (watch == NULL)
        return false;
    atomic_fetch_add(&watch->refs, 1);
    op->watch = watch;
    op->watch_next = NULL;
    op->watch_link = watch->end;
    *watch->end = op;
    watch->end = &op->watch_next;
    watch->count++;
    op->counted = true;
    return true;
}

static void unlist(struct oct_watch *watch, struct oct_remote *op)
{
    if (op->watch_link == NULL)
        return;
    *op->watch_link = op->watch_next;
    if (op->watch_next != NULL)
        op->watch_next->watch_link = op->watch_link;
    else
        watch->end = op->watch_link;
    op->watch_link = NULL;
}

static void uncount(struct oct_watch *watch, struct oct_remote *op)
{
    unlist(watch, op);
    watch->count -= op->counted;
    op->counted = false;
}

/* Its own thread's call. What was never submitted has nobody else who would let go of the watch. */
void oct_watch_remove(struct oct_remote *op)
{
    struct oct_watch *watch = op->watch;

    pthread_mutex_lock(&watch->lock);
    const bool posted = op->posted;
    for (struct oct_remote **link = &watch->mailbox; *link != NULL; link = &(*link)->next)
        if (*link == op) {
            *link = op->next;
            if (watch->mailbox_end == &op->next)
                watch->mailbox_end = link;
            break;
        }
    pthread_mutex_unlock(&watch->lock);
    uncount(watch, op);
    if (!posted)
        watch_release(watch);
}

void oct_watch_post(struct oct_remote *op)
{
    struct oct_watch *watch = op->watch;
    const uint64_t one = 1;

    pthread_mutex_lock(&watch->lock);
    op->next = NULL;
    *watch->mailbox_end = op;
    watch->mailbox_end = &op->next;
    const bool first = !atomic_exchange(&watch->any, true);
    op->posted = true;
    atomic_store(&op->state, OCT_REMOTE_DONE);
    pthread_cond_broadcast(&watch->done);
    pthread_mutex_unlock(&watch->lock);
    if (first) {
        ssize_t written = write(watch->fd, &one, sizeof one);
        (void)written; /* it cannot be full */
    }
    watch_release(watch);
}

/* The connection goes on, or is freed at last. One whose server has been told otherwise stays until it is freed. */
void oct_watch_done(struct oct_remote *op)
{
    struct oct_conn *conn = op->conn;

    uncount(op->watch, op);
    if (conn == NULL)
        return;
    if (conn->state == OCT_CONN_LINGERING)
        (void)oct_thread_orphan(conn);
    else if (conn->state != OCT_CONN_LOST)
        oct_slice_tell(op->slice);
}

/* Its server is told that the handshake has failed; the helper stays with the device until that answers. */
static void give_up(struct oct_thread *t, struct oct_watch *watch, struct oct_remote *op)
{
    static _Thread_local int64_t said;
    const int64_t now = oct_events_now();
    struct oct_conn *conn = op->conn;

    unlist(watch, op);
    if (now - said >= OCT_NANO || said == 0) {
        fprintf(stderr, "octuple: the device of a private key has not answered for %lld ms; the handshake fails\n",
                (long long)((now - op->begun) / 1000000));
        said = now;
    }
    oct_tally_end(op, OCT_TALLY_TIMED_OUT);
    if (oct_tally_cancel(op) || conn == NULL || oct_conn_on(conn, OCT_ON_SILENT) != OCT_DO_LEAD)
        return;
    oct_thread_ready_add(t, conn);
    t->suppressed_count = 0;
}

void oct_watch_collect(struct oct_thread *t)
{
    struct oct_watch *watch = t->watch;
    struct oct_remote *op = NULL, *next;
    uint64_t count;

    if (watch == NULL)
        return;
    if (watch->first != NULL) {
        const int64_t now = oct_events_now();
        while (watch->first != NULL && watch->first->deadline <= now)
            give_up(t, watch, watch->first);
    }
    if (atomic_load(&watch->any)) {
        /* First: what comes after this look is told anew. */
        ssize_t got = read(watch->fd, &count, sizeof count);
        (void)got; /* a helper may not have come to writing yet: then it wakes the thread for nothing */
        pthread_mutex_lock(&watch->lock);
        op = watch->mailbox;
        watch->mailbox = NULL;
        watch->mailbox_end = &watch->mailbox;
        atomic_store(&watch->any, false);
        pthread_mutex_unlock(&watch->lock);
    }
    for (; op != NULL; op = next) {
        next = op->next;
        oct_watch_done(op);
    }
    oct_pausing_collect(t);
}
