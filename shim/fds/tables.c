/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Threads with a table of descriptors of their own, by unshare(CLONE_FILES): HAProxy with a table for each group of
 * threads, Traffic Server. Two threads may have different sockets under the same number there.
 *
 * A thread has the process's first table if it is the main thread, or has waited for events before there was another
 * one; its own if it has asked for it; and else that of the thread that has made it. Of any other thread nobody tells,
 * and asking the kernel (kcmp()) may end a process in a sandbox. There no descriptor is known, and handshakes stay
 * synchronous.
 *
 * A new table begins empty, but for the sockets of handshakes that are under way. The program has registered what else
 * it uses there anew, or its connections stay synchronous. An instance of epoll goes on under its number in both, and
 * threads of all tables wait for the one that it was first (oct_fd_inherit()).
 */
#include "fds/tables.h"

#include "base/thread_mode.h"

#include <pthread.h>
#include <stdlib.h>

#define CLOSES 20 /* two to this power, of a number in one table, before a generation is that of the next table */

OCT_LATE struct oct_fd_table oct_table_start, oct_table_unknown;
struct oct_fd_table *oct_table_first = &oct_table_start;
bool oct_tables_several;

static pid_t here;
static __thread struct oct_fd_table *mine;
static pthread_key_t key; /* of the table that a thread has */
static bool has_key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static uint32_t made;

void oct_table_note(void)
{
    if (__builtin_expect(mine == NULL, 0) && !__atomic_load_n(&oct_tables_several, __ATOMIC_ACQUIRE))
        mine = oct_table_first;
}

struct oct_fd_table *oct_table_known(void)
{
    if (mine == NULL)
        mine = gettid() == here ? oct_table_first : &oct_table_unknown;
    return mine != &oct_table_unknown ? mine : NULL;
}

OCT_AT_START void oct_tables_set_process(pid_t process)
{
    here = process;
    if (!oct_tables_several)
        return;
    struct oct_fd_table *own = oct_table_known();
    own = own != NULL ? own : calloc(1, sizeof *own);
    oct_table_first = own != NULL ? own : &oct_table_unknown;
    oct_table_first->next = NULL;
    oct_table_first->users = 1;
    mine = oct_table_first;
    if (has_key)
        (void)pthread_setspecific(key, NULL);
    oct_tables_several = false;
}

void oct_table_leave(void *table)
{
    struct oct_fd_table *own = table;
    mine = &oct_table_unknown;
    __atomic_sub_fetch(&own->users, 1, __ATOMIC_ACQ_REL);
}

static void make_key(void)
{
    has_key = pthread_key_create(&key, oct_table_leave) == 0;
}

/* A thread whose end is not told keeps its table for good. */
void oct_table_have(struct oct_fd_table *table)
{
    mine = table;
    if (has_key)
        (void)pthread_setspecific(key, table);
}

/* One that nobody has any more, or a new one. */
static struct oct_fd_table *take(void)
{
    struct oct_fd_table *table = __atomic_load_n(&oct_table_first->next, __ATOMIC_ACQUIRE);
    unsigned nobody = 0;
    while (table != NULL &&
           !__atomic_compare_exchange_n(&table->users, &nobody, 1, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
        table = __atomic_load_n(&table->next, __ATOMIC_ACQUIRE);
        nobody = 0;
    }
    const bool fresh = table == NULL;
    if (fresh && (table = calloc(1, sizeof *table)) == NULL)
        return NULL;
    table->users = 1;
    table->generation = __atomic_add_fetch(&made, 1, __ATOMIC_RELAXED) << CLOSES;
    oct_fd_table_clear(table);
    if (fresh) {
        table->next = __atomic_load_n(&oct_table_first->next, __ATOMIC_ACQUIRE);
        while (!__atomic_compare_exchange_n(&oct_table_first->next, &table->next, table, false, __ATOMIC_ACQ_REL,
                                            __ATOMIC_ACQUIRE))
            ;
    }
    return table;
}

/* One that other threads have too, as far as it matters: those whose table is not known look at none here. A thread
 * with a table alone keeps it, whether or not the kernel makes a copy. */
static bool has_others(const struct oct_fd_table *table)
{
    if (!__atomic_load_n(&oct_tables_several, __ATOMIC_ACQUIRE))
        return !oct_thread_is_only_one();
    return table == NULL || table == oct_table_first || __atomic_load_n(&table->users, __ATOMIC_ACQUIRE) > 1;
}

bool oct_table_parts(struct oct_fd_parting *parting)
{
    (void)pthread_once(&once, make_key);
    *parting = (struct oct_fd_parting){.from = oct_table()};
    parting->parts = getpid() == here && has_others(parting->from); /* a child after vfork() has our memory */
    return parting->parts;
}

void oct_table_part_begin(struct oct_fd_parting *parting)
{
    parting->to = take();
}

static void hand_over(struct oct_fd_table *from, struct oct_fd_table *to,
                      void (*take_along)(struct oct_fd_table *from, struct oct_fd_table *to))
{
    oct_fd_inherit(from, to);
    take_along(from, to);
}

void oct_table_part_end(const struct oct_fd_parting *parting, bool done,
                        void (*take_along)(struct oct_fd_table *from, struct oct_fd_table *to))
{
    if (!parting->parts)
        return;
    if (!done) {
        if (parting->to != NULL)
            __atomic_store_n(&parting->to->users, 0, __ATOMIC_RELEASE);
        return;
    }
    if (parting->from != NULL && parting->from != oct_table_first)
        oct_table_leave(parting->from);
    /* One whose table is not known was there before there was another one, or nobody has seen how it was made. */
    if (parting->to != NULL)
        hand_over(parting->from != NULL ? parting->from : oct_table_first, parting->to, take_along);
    oct_table_have(parting->to != NULL ? parting->to : &oct_table_unknown);
    __atomic_store_n(&oct_tables_several, true, __ATOMIC_RELEASE);
}
