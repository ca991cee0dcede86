/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * A handshake call in a slice. What the thread has beside its stack and belongs to the handshake goes with the slice
 * when it pauses, and comes back with it: errno, OpenSSL's default library context of the thread (which a callback may
 * have changed) and its error queue.
 *
 * The slice begins a gap below its caller, so that calls that come from a little deeper can resume it. A thread whose
 * calls came from deeper still begins its next ones below those.
 *
 * A call that comes on another stack visits: the slice runs in its place on the thread's own one. Its callbacks may
 * switch to a coroutine that has its home there, above the slice, and that knows nothing of it. So nothing begins
 * there meanwhile, and nothing is resumed but as from another stack.
 */
#include "handshake/slice.h"

#include "libssl/errors.h"
#include "handshake/above.h"
#include "handshake/known.h"
#include "handshake/sanitize.h"
#include "handshake/thread.h"

#include "base/policy.h"
#include "base/thread_mode.h"

#include <errno.h>

struct oct_shim_slice {
    struct oct_switch at;  /* first */
    struct oct_slice base; /* what operations know */
    struct oct_conn *conn;
    oct_handshake_call *call;
    void *arg;
    int value;
    bool ended;
    const SSL *away; /* it is counted, and this object is shut; NULL: it is not */
    int shutdown;    /* what that had before */
    OSSL_LIB_CTX *context;
    struct oct_sanitizer sanitizer;
};

static struct oct_shim_slice *of_base(struct oct_slice *base)
{
    return (struct oct_shim_slice *)((char *)base - offsetof(struct oct_shim_slice, base));
}

void oct_switch_copied(struct oct_switch *s)
{
    const struct oct_shim_slice *slice = (const struct oct_shim_slice *)s;
    oct_slice_moved(&slice->base, s->low, (intptr_t)s->copy.bytes - (intptr_t)s->low);
}

static bool leave(struct oct_slice *base)
{
    struct oct_shim_slice *s = of_base(base);
    const int errno_before = errno;
    struct oct_errors *errors = oct_errors_take();

    oct_sanitizer_go_out(&s->sanitizer);
    const bool left = oct_switch_leave(&s->at);
    if (!left)
        oct_sanitizer_go_in(&s->sanitizer);
    oct_errors_give_back(errors);
    errno = errno_before;
    return left;
}

static bool may_pause(struct oct_slice *base, enum oct_slice_work work)
{
    struct oct_conn *conn = of_base(base)->conn;
    const bool may = oct_handshake_may_pause(conn, work);
    base->worth = conn->way->fed ? OCT_POLICY_MEMORY_WORTH : 0;
    return may;
}

static void can_go_on(struct oct_slice *base)
{
    oct_handshake_told(of_base(base)->conn);
}

static void begin(void *arg)
{
    struct oct_shim_slice *s = arg;
    s->value = s->call(s->conn->ssl, s->arg);
    s->ended = true;
}

/* The address below which the slice of a call from `here` is to begin; 0: there is no room. */
static uintptr_t top_for(struct oct_thread *t, uintptr_t here)
{
    const uintptr_t low = oct_own_stack(t, here);
    if (low == 0 || here - low < OCT_POLICY_SLICE_ROOM)
        return 0;
    const uintptr_t part = (here - low) / 8, gap = part < OCT_POLICY_SLICE_GAP ? part : OCT_POLICY_SLICE_GAP;
    uintptr_t top = here - gap;
    if (t->deepest != 0 && t->deepest < top && top - t->deepest < OCT_POLICY_SLICE_DEEPEST)
        top = t->deepest;
    if (top - low < OCT_POLICY_SLICE_ROOM / 2)
        return 0;
    return top & ~(uintptr_t)63;
}

bool oct_slice_may_begin(struct oct_thread *t)
{
    return oct_method_part != NULL ||
           (oct_slice_current() == NULL && top_for(t, (uintptr_t)__builtin_frame_address(0)) != 0);
}

/* Frames of ours between the one that asks and the one that the switch saves. */
#define MARGIN 1024

enum oct_slice_place oct_slice_place(const struct oct_conn *conn)
{
    struct oct_thread *t = conn->thread;
    const uintptr_t here = (uintptr_t)__builtin_frame_address(0);

    if (oct_method_part != NULL)
        return OCT_SLICE_FITS;
    if (oct_own_stack(t, here) == 0)
        return OCT_SLICE_OVERLAPS;
    if (here > conn->slice->at.top + MARGIN)
        return OCT_SLICE_FITS;
    if (t->deepest == 0 || here - 2 * MARGIN < t->deepest)
        t->deepest = here - 2 * MARGIN;
    return OCT_SLICE_OVERLAPS;
}

static bool make(struct oct_conn *conn, oct_handshake_call *call, void *arg)
{
    const struct oct_ssl_functions *ssl = oct_ssl();
    struct oct_thread *t = conn->thread;
    const uintptr_t here = (uintptr_t)__builtin_frame_address(0), top = top_for(t, here);
    struct oct_shim_slice *s = conn->slice;

    if (top == 0)
        return false;
    if (s == NULL) {
        s = ssl->CRYPTO_zalloc(sizeof *s, __FILE__, __LINE__);
        if (s == NULL)
            return false;
        conn->slice = s;
    }
    s->at.top = top;
    s->base = (struct oct_slice){.low = t->stack_low,
                                 .top = top - OCT_SWITCH_MARK_BYTES,
                                 .mark = &s->at,
                                 .may_pause = may_pause,
                                 .leave = leave,
                                 .can_go_on = can_go_on};
    s->conn = conn;
    s->call = call;
    s->arg = arg;
    s->ended = false;
    s->context = ssl->OSSL_LIB_CTX_set0_default(NULL); /* says what it is, and changes nothing */
    oct_sanitizer_begin(&s->sanitizer);
    return true;
}

/* What may lie in the place of a slice that is resumed from elsewhere: from the caller upwards; on another stack, as
 * much as the rest of a handshake may need. */
static bool put_aside(struct oct_shim_slice *s, struct oct_thread *t)
{
    const uintptr_t here = (uintptr_t)__builtin_frame_address(0), low = s->at.low;
    uintptr_t from = here < low ? here : low;

    if (oct_own_stack(t, here) == 0) {
        from = low - t->stack_low > OCT_POLICY_SLICE_ASIDE ? low - OCT_POLICY_SLICE_ASIDE : t->stack_low;
        from = (from + low) / 2 & ~(uintptr_t)63; /* below it there is room for the copying itself */
        s->at.stand = from;
    }
    s->at.overlaps = oct_stack_copy_reserve(&s->at.frames, s->at.top - from + 4 * MARGIN);
    return s->at.overlaps;
}

/* A second wall behind the doors (handshake/doors.h): whoever enters libssl by a way that nobody guards finds a
 * connection that is shut. It gets an error, and neither sends nor reads anything. A call that is given up stays so to
 * its end: libssl sends no alert then, and asks none of the callbacks that it has for one. */
static void shut(struct oct_shim_slice *s)
{
    const struct oct_ssl_functions *ssl = oct_ssl();
    s->away = s->conn->ssl;
    oct_known_away(s->away, 1);
    s->shutdown = ssl->SSL_get_shutdown(s->conn->ssl);
    ssl->SSL_set_shutdown(s->conn->ssl, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
}

static void reopen(struct oct_shim_slice *s)
{
    if (s->away == NULL)
        return;
    oct_known_away(s->away, -1);
    s->away = NULL;
    if (s->conn->ssl != NULL)
        oct_ssl()->SSL_set_shutdown(s->conn->ssl, s->shutdown);
}

int oct_slice_shutdown(const struct oct_conn *conn)
{
    return conn->slice != NULL ? conn->slice->shutdown : oct_ssl()->SSL_get_shutdown(conn->ssl);
}

/* While the thread is in the slice. An exception or a jump leaves it without a word; what is put right here is put
 * right then by the next call that is made (oct_slice_current()), or when the connection goes. */
struct visit {
    struct oct_shim_slice *slice;
    struct oct_thread *thread;
    bool within; /* a visit from another stack */
    struct oct_slice *before;
    const struct oct_ssl_functions *inside; /* hooks that end in the slice leave what they have found */
    OSSL_LIB_CTX *context;
};

static void visit_end(const struct visit *v)
{
    struct oct_conn *conn = v->slice->conn;
    oct_slice_enter(v->before);
    oct_ssl_inside = v->inside;
    v->thread->visited = v->within;
    v->slice->context = oct_ssl()->OSSL_LIB_CTX_set0_default(v->context);
    if (conn->veiled)
        oct_veil_take_off(conn);
}

static void visit(struct oct_shim_slice *s, bool begins)
{
    struct oct_conn *conn = s->conn;
    struct visit v = {.slice = s, .thread = conn->thread, .within = conn->thread->visited, .inside = oct_ssl_inside};

    conn->veiled = conn->veiled || oct_veil_is_due(conn);
    if (conn->veiled)
        oct_veil_put_on(conn);
    v.context = oct_ssl()->OSSL_LIB_CTX_set0_default(s->context);
    v.before = oct_slice_current();
    oct_slice_enter(&s->base);
    v.thread->visited |= s->at.stand != 0;
    if (!oct_thread_is_draining())
        reopen(s);
    oct_sanitizer_go_in(&s->sanitizer);
    if (begins)
        (void)oct_switch_begin(&s->at, begin, s, s->at.top);
    else
        (void)oct_switch_resume(&s->at);
    if (s->ended)
        oct_sanitizer_go_out(&s->sanitizer);
    if (s->base.paused)
        shut(s);
    else
        reopen(s);
    visit_end(&v);
}

bool oct_slice_run(struct oct_conn *conn, oct_handshake_call *call, void *arg, int *value)
{
    const bool begins = !oct_slice_is_away(conn);
    *value = -1;
    if (oct_method_part != NULL)
        return oct_method_part->run(conn, call, arg, value);
    if (begins && !make(conn, call, arg))
        return false;
    struct oct_shim_slice *s = conn->slice;

    s->at.stand = 0;
    s->at.overlaps = false;
    if (!begins && oct_slice_place(conn) == OCT_SLICE_OVERLAPS && !put_aside(s, conn->thread))
        return false;
    visit(s, begins);
    *value = s->value;
    return s->ended;
}

bool oct_slice_is_away(const struct oct_conn *conn)
{
    return conn->slice != NULL ? conn->slice->base.paused : conn->operation != NULL && oct_method_part->is_away(conn);
}

bool oct_slice_began_with(const struct oct_conn *conn, oct_handshake_call *call)
{
    return conn->slice != NULL ? conn->slice->call == call : conn->operation != NULL;
}

struct oct_conn *oct_slice_conn(void)
{
    struct oct_slice *base = oct_slice_current();
    return base != NULL ? of_base(base)->conn : NULL;
}

void oct_slice_abandon(struct oct_conn *conn)
{
    if (conn->slice != NULL)
        oct_slice_lose(&conn->slice->base);
}

void oct_slice_free(struct oct_conn *conn)
{
    struct oct_shim_slice *s = conn->slice;
    if (conn->operation != NULL)
        oct_method_part->free(conn);
    conn->slice = NULL;
    if (s == NULL)
        return;
    reopen(s);
    oct_slice_forget(&s->base);
    oct_sanitizer_end(&s->sanitizer);
    oct_stack_copy_free(&s->at.copy);
    oct_stack_copy_free(&s->at.frames);
    oct_ssl()->CRYPTO_free(s, __FILE__, __LINE__);
}
