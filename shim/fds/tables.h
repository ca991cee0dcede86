/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Tables of descriptors: a number means something in one of them only. All threads have one together, until a thread
 * asks for its own (tables.c). */
#ifndef OCT_SHIM_TABLES_H
#define OCT_SHIM_TABLES_H

#include "libssl/resolve.h"

struct oct_conn;

#define OCT_FD_PAGE  256
#define OCT_FD_PAGES 4096 /* a million descriptors; those above are not served */

struct oct_fd_entry; /* fds.c */

/* Never freed, but taken again. */
struct oct_fd_table {
    struct oct_fd_table *next;
    uint32_t generation; /* that of its entries at first: two tables have not the same */
    unsigned users;      /* threads that are known to have it; 0: nobody does */
    struct oct_fd_entry *pages[OCT_FD_PAGES];
};

extern bool oct_tables_several; /* some thread has asked for its own */
extern struct oct_fd_table *oct_table_first;
struct oct_fd_table *oct_table_known(void);
/* The calling thread's; NULL if it is not known. */
static inline struct oct_fd_table *oct_table(void)
{
    return __builtin_expect(!__atomic_load_n(&oct_tables_several, __ATOMIC_RELAXED), 1) ? oct_table_first
                                                                                        : oct_table_known();
}
/* The calling thread has the first one, if there are no others yet. */
void oct_table_note(void);

/* The calling thread has this one, for which it is counted as a user; not any more. */
void oct_table_have(struct oct_fd_table *table);
void oct_table_leave(void *table);

/* This is another process than before: the child of a fork, with one thread. */
void oct_tables_set_process(pid_t process);

/* A call of unshare() or its like: between the last two the calling thread gets a table of its own. */
struct oct_fd_parting {
    bool parts;
    struct oct_fd_table *from, *to;
};
bool oct_table_parts(struct oct_fd_parting *parting);
void oct_table_part_begin(struct oct_fd_parting *parting);
/* `take` is told which table what the thread goes on with comes from, and where to. */
void oct_table_part_end(const struct oct_fd_parting *parting, bool done,
                        void (*take)(struct oct_fd_table *from, struct oct_fd_table *to));

/* fds.c: what `to`, which is empty, has of the instances in `from`, of which it is a copy. */
void oct_fd_inherit(const struct oct_fd_table *from, struct oct_fd_table *to);
/* And of fd, the socket of conn. */
void oct_fd_take_along(struct oct_fd_table *from, struct oct_fd_table *to, int fd, uint32_t *generation,
                       const struct oct_conn *conn);
/* Forgets all of it. */
void oct_fd_table_clear(struct oct_fd_table *table);

#endif
