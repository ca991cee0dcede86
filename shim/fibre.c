/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * A handshake call on a stack of its own. What the thread has beside its stack and belongs to the handshake goes with
 * the fibre when it pauses, and comes back with it: errno, OpenSSL's default library context of the thread (which a
 * callback may have changed) and its error queue.
 */
#include "fibre.h"

#include "remote.h"
#include "sanitize.h"
#include "thread.h"

#include <errno.h>
#include <sys/mman.h>

/* At the top of its stack. */
struct oct_shim_fibre {
    struct oct_fibre base;       /* first */
    struct oct_shim_fibre *next; /* of the thread's spare ones */
    void *memory;
    void *inside, *outside; /* where the fibre goes on, and who has resumed it */
    struct oct_conn *conn;  /* NULL: it will never run again */
    oct_handshake_call *call;
    void *arg;
    int value;
    bool ended;
    OSSL_LIB_CTX *context;
    struct oct_sanitizer sanitizer;
};

static void *bottom_of(const struct oct_shim_fibre *f)
{
    return (void *)f->base.low;
}

static size_t size_of(const struct oct_shim_fibre *f)
{
    return f->base.top - f->base.low;
}

static void leave(struct oct_fibre *fibre)
{
    struct oct_shim_fibre *f = (struct oct_shim_fibre *)fibre;
    const int errno_before = errno;
    struct oct_errors *errors = oct_errors_take();

    oct_sanitizer_go_out(&f->sanitizer, 0);
    oct_switch(&f->inside, f->outside);
    oct_sanitizer_came_in(&f->sanitizer);
    oct_errors_give_back(errors);
    errno = errno_before;
}

static bool may_pause(struct oct_fibre *fibre)
{
    const struct oct_shim_fibre *f = (struct oct_shim_fibre *)fibre;
    return f->conn != NULL && oct_handshake_may_pause(f->conn);
}

static void can_go_on(struct oct_fibre *fibre)
{
    const struct oct_shim_fibre *f = (struct oct_shim_fibre *)fibre;
    if (f->conn != NULL)
        oct_handshake_told(f->conn);
}

static void begin(void *arg)
{
    struct oct_shim_fibre *f = arg;

    oct_sanitizer_came_in(&f->sanitizer);
    f->value = f->call(f->conn->ssl, f->arg);
    f->ended = true;
    oct_sanitizer_go_out(&f->sanitizer, 1);
    oct_switch(&f->inside, f->outside);
    __builtin_unreachable();
}

bool oct_fibre_prepare(struct oct_thread *t)
{
    size_t bytes;
    if (t->spare != NULL)
        return true;
    char *memory = oct_stack_memory(&bytes);
    if (memory == NULL)
        return false;
    struct oct_shim_fibre *f = (struct oct_shim_fibre *)(memory + bytes) - 1;
    f = (struct oct_shim_fibre *)((uintptr_t)f & ~(uintptr_t)63);
    *f = (struct oct_shim_fibre){.memory = memory};
    f->base = (struct oct_fibre){.low = (uintptr_t)oct_stack_begin(memory),
                                 .top = (uintptr_t)f,
                                 .may_pause = may_pause,
                                 .leave = leave,
                                 .can_go_on = can_go_on};
    t->spare = f;
    return true;
}

static struct oct_shim_fibre *start(struct oct_conn *conn, oct_handshake_call *call, void *arg)
{
    struct oct_thread *t = conn->thread;
    struct oct_shim_fibre *f = t->spare;

    t->spare = f->next;
    f->conn = conn;
    f->call = call;
    f->arg = arg;
    f->ended = false;
    conn->veiled = oct_keys_on();
    f->context = oct_ssl()->OSSL_LIB_CTX_set0_default(NULL); /* says what it is, and changes nothing */
    oct_sanitizer_begin(&f->sanitizer, bottom_of(f), size_of(f));
    f->inside = oct_switch_prepare((void *)f->base.top, begin, f);
    return f;
}

/* The thread is on the fibre until that pauses or ends. */
static int visit(SSL *s, void *arg)
{
    struct oct_shim_fibre *f = arg;
    OSSL_LIB_CTX *before = oct_ssl()->OSSL_LIB_CTX_set0_default(f->context);
    (void)s;

    oct_fibre_enter(&f->base);
    oct_sanitizer_go_in(&f->sanitizer, bottom_of(f), size_of(f));
    oct_switch(&f->outside, f->inside);
    oct_sanitizer_came_out(&f->sanitizer);
    oct_fibre_enter(NULL);
    f->context = oct_ssl()->OSSL_LIB_CTX_set0_default(before);
    return 0;
}

bool oct_fibre_run(struct oct_conn *conn, oct_handshake_call *call, void *arg, int *value)
{
    struct oct_thread *t = conn->thread;
    if (conn->fibre == NULL)
        conn->fibre = start(conn, call, arg);
    struct oct_shim_fibre *f = conn->fibre;

    if (conn->veiled)
        oct_veil_put_on(conn);
    (void)oct_handshake_enter(conn, visit, f);
    if (conn->veiled)
        oct_veil_take_off(conn);
    if (!f->ended)
        return false;
    *value = f->value;
    conn->fibre = NULL;
    f->next = t->spare;
    t->spare = f;
    return true;
}

/* Every fibre of this process is one of the shim's. */
struct oct_conn *oct_fibre_conn(void)
{
    const struct oct_fibre *base = oct_fibre_current();
    return base != NULL ? ((const struct oct_shim_fibre *)base)->conn : NULL;
}

bool oct_fibre_has_other(const struct oct_conn *conn, oct_handshake_call *call)
{
    return conn->fibre != NULL && conn->fibre->call != call;
}

void oct_fibre_abandon(struct oct_conn *conn)
{
    struct oct_shim_fibre *f = conn->fibre;
    conn->fibre = NULL;
    if (f == NULL)
        return;
    f->conn = NULL;
    oct_fibre_lose(&f->base);
}

void oct_fibre_end(struct oct_thread *t)
{
    while (t->spare != NULL) {
        struct oct_shim_fibre *f = t->spare;
        t->spare = f->next;
        oct_sanitizer_end(&f->sanitizer);
        oct_stack_memory_free(f->memory);
    }
}
