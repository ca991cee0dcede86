/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The calls by which a thread gets a table of descriptors (tables.c). */
#include "events/events.h"
#include "fds/tables.h"
#include "handshake/thread.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/syscall.h>

#define HOOK __attribute__((visibility("default")))

/* What is paused is known by its number. */
void oct_unshare_begin(struct oct_fd_parting *parting)
{
    const int errno_before = errno;
    if (!oct_table_parts(parting))
        return;
    oct_finish_here();
    oct_table_part_begin(parting);
    errno = errno_before;
}

/* What is kept for a connection, or comes from a device, is to be led there. */
static void take_along(struct oct_fd_table *from, struct oct_fd_table *to)
{
    const struct oct_thread *t = oct_thread_peek();
    for (struct oct_conn *conn = t != NULL ? t->handshakes : NULL; conn != NULL; conn = conn->next)
        oct_fd_take_along(from, to, conn->socket.fd, &conn->socket.generation, conn);
}

void oct_unshare_end(const struct oct_fd_parting *parting, bool done)
{
    oct_table_part_end(parting, done, take_along);
}

HOOK int unshare(int flags)
{
    __typeof__(unshare) *real = oct_libc()->unshare;
    struct oct_fd_parting parting = {.parts = false};
    if ((flags & CLONE_FILES) != 0)
        oct_unshare_begin(&parting);
    const int value = real != NULL ? real(flags) : (int)syscall(SYS_unshare, flags);
    oct_unshare_end(&parting, value == 0);
    return value;
}

/* A thread to be. */
struct birth {
    void *(*run)(void *arg);
    void *arg;
    struct oct_fd_table *table;
};

static void *born(void *arg)
{
    const struct birth birth = *(struct birth *)arg;
    free(arg);
    oct_table_have(birth.table);
    return birth.run(birth.arg);
}

HOOK int pthread_create(pthread_t *restrict thread, const pthread_attr_t *restrict how, void *(*run)(void *),
                        void *restrict arg)
{
    __typeof__(pthread_create) *real = oct_libc()->pthread_create;
    struct oct_fd_table *table = oct_tables_several ? oct_table_known() : NULL;
    struct birth *birth = table != NULL ? malloc(sizeof *birth) : NULL;
    if (real == NULL)
        return EAGAIN;
    if (birth == NULL)
        return real(thread, how, run, arg);
    *birth = (struct birth){run, arg, table};
    __atomic_add_fetch(&table->users, 1, __ATOMIC_ACQ_REL);
    const int error = real(thread, how, born, birth);
    if (error != 0) {
        __atomic_sub_fetch(&table->users, 1, __ATOMIC_ACQ_REL);
        free(birth);
    }
    return error;
}
