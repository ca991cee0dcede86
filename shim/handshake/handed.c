/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See handed.h. One list for all threads: it is empty nearly always. */
#include "handshake/handed.h"

#include "handshake/thread.h"

#include "base/fork.h"

static struct oct_fork_lock lock = OCT_FORK_LOCK_INIT;
static struct oct_conn *handed; /* guarded by it */
static unsigned count;

void oct_handed_start(void)
{
    (void)oct_fork_lock_watch(&lock);
}

bool oct_handed_any(void)
{
    return __builtin_expect(__atomic_load_n(&count, __ATOMIC_SEQ_CST) != 0, 0);
}

static void put_in(struct oct_conn *conn)
{
    __atomic_store_n(&conn->handed, true, __ATOMIC_RELEASE);
    conn->handed_next = handed;
    conn->handed_link = &handed;
    if (handed != NULL)
        handed->handed_link = &conn->handed_next;
    handed = conn;
    __atomic_add_fetch(&count, 1, __ATOMIC_SEQ_CST);
}

void oct_handed_add(struct oct_conn *conn)
{
    oct_fork_lock(&lock);
    put_in(conn);
    oct_fork_unlock(&lock);
}

bool oct_handed_give(struct oct_conn *conn)
{
    const enum oct_on end = oct_conn_state(conn) == OCT_CONN_ENDED ? OCT_ON_END : OCT_ON_END_AMID;
    oct_fork_lock(&lock);
    const bool gives = conn->ssl != NULL && oct_conn_on(conn, OCT_ON_MOVED) == OCT_DO_HAND;
    if (gives) {
        put_in(conn); /* before it has no thread: oct_handed_bury() looks the other way round */
        oct_thread_leave(conn);
        (void)oct_conn_on(conn, end);
    }
    oct_fork_unlock(&lock);
    return gives;
}

static void take_out(struct oct_conn *conn)
{
    *conn->handed_link = conn->handed_next;
    if (conn->handed_next != NULL)
        conn->handed_next->handed_link = conn->handed_link;
    conn->handed_link = NULL;
    __atomic_sub_fetch(&count, 1, __ATOMIC_SEQ_CST);
}

/* Where it has been taken meanwhile, the caller sees behind the lock whose it is. */
void oct_handed_withdraw(struct oct_conn *conn)
{
    if (!__atomic_load_n(&conn->handed, __ATOMIC_ACQUIRE))
        return;
    oct_fork_lock(&lock);
    if (conn->handed_link != NULL)
        take_out(conn);
    oct_fork_unlock(&lock);
}

void oct_handed_bury(struct oct_conn *conn)
{
    const struct oct_thread *thread = oct_conn_thread(conn);
    const bool alone =
        (thread == NULL || thread == oct_thread_peek()) && !__atomic_load_n(&conn->handed, __ATOMIC_ACQUIRE);
    if (!alone)
        oct_fork_lock(&lock);
    if (!alone && conn->handed_link != NULL)
        take_out(conn);
    conn->ssl = NULL;
    if (!alone)
        oct_fork_unlock(&lock);
}

void oct_handed_each(oct_handed_take *take, void *arg)
{
    struct oct_conn *next;
    oct_fork_lock(&lock);
    for (struct oct_conn *conn = handed; conn != NULL; conn = next) {
        next = conn->handed_next;
        if (take(conn, arg))
            take_out(conn);
    }
    oct_fork_unlock(&lock);
}
