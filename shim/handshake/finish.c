/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * A paused call that is run to its end by the shim itself. That is not the rule: its server resumes it, when it has got
 * a made-up event. But a paused call is a promise, and whoever looks forces it:
 *
 * - A program calls another function for the same connection (handshake/doors.c), or the same one again at once.
 * - It looks at what the socket holds (events/look.c).
 * - It calls from so deep, or from a coroutine's stack, that the slice cannot be put back.
 * - Another thread does one of these.
 * - It moves the connection to another thread's epoll instance, or does not follow its event.
 * - A thread ends.
 *
 * Then the operation is done already, or is done at once, and libssl goes on as if its server had called. Where that
 * asks for more from the client, the server learns of it from its socket. Any other result is kept for its next call.
 * A program is led to call where it would not by itself: one that feeds libssl through memory, which has to send what
 * has been written there, and one that has given the connection to another thread.
 */
#include "libssl/errors.h"
#include "fds/fds.h"
#include "fds/wake.h"
#include "handshake/above.h"
#include "handshake/handed.h"
#include "handshake/known.h"
#include "handshake/slice.h"
#include "handshake/socket.h"
#include "handshake/thread.h"

#include "base/policy.h"
#include "base/thread_mode.h"

#include <errno.h>
#include <time.h>

/* A call that goes on later. Where it wants anything but to read, its server has to be told: it has heard "want read".
 */
enum wish { WISH_NONE, WISH_READ, WISH_OTHER };

/* At the end of a stream SSL_want() still says that libssl wants to read. */
static enum wish wish_of(const SSL *ssl, int value)
{
    const int error = value > 0 ? SSL_ERROR_NONE : oct_ssl()->SSL_get_error(ssl, value);
    if (error == SSL_ERROR_NONE || error == SSL_ERROR_SSL || error == SSL_ERROR_SYSCALL ||
        error == SSL_ERROR_ZERO_RETURN)
        return WISH_NONE;
    return error == SSL_ERROR_WANT_READ ? WISH_READ : WISH_OTHER;
}

static void forget_notices(struct oct_conn *conn)
{
    oct_thread_event_drop(conn->thread, conn);
    conn->notices = 0;
}

/* Its number leads to it no more. */
static void identify(struct oct_conn *conn)
{
    if (oct_fd_is_same(conn->socket.fd, conn->socket.generation))
        oct_socket_identify(conn);
}

/* From then on another thread may call it. */
static void end(struct oct_conn *conn, bool handed, enum oct_on on)
{
    const int fd = conn->socket.fd;
    const uint32_t generation = conn->socket.generation;
    if (handed) {
        identify(conn);
        oct_handed_add(conn);
    }
    (void)oct_conn_on(conn, on);
    if (handed)
        oct_wake(fd, generation);
}

bool oct_finish(struct oct_conn *conn)
{
    struct oct_thread *t = conn->thread;
    const SSL *s = conn->ssl;
    const int errno_before = errno;
    const bool fed = conn->way->fed;
    struct oct_registration at;
    bool refused;
    int value = -1;

    t->finished++;
    conn->called_inside = false;
    if (oct_thread_waiting() != 0)
        oct_queue_poll(oct_queue_thread_peek());
    forget_notices(conn);
    struct oct_errors *outer = oct_errors_take();
    oct_known_away(s, 1); /* another thread may look */
    {
        OCT_INSIDE(conn);
        const struct oct_withheld before = t->withheld;
        oct_socket_watch(conn, t);
        t->withheld = (struct oct_withheld){fed || conn->way->by_itself ? 0 : conn->socket.fd + 1, false};
        for (int i = 0; i < OCT_POLICY_DRAIN_TURNS && oct_slice_is_away(conn); i++)
            (void)oct_slice_run(conn, NULL, NULL, &value);
        refused = t->withheld.refused || conn->called_inside;
        t->withheld = before;
    }
    oct_known_away(s, -1);
    const enum wish wish = wish_of(conn->ssl, value);
    if (wish != WISH_READ)
        oct_socket_unsay_retry(conn);
    conn->retried = NULL; /* by now it is libssl that says so */
    conn->ended_errors = oct_errors_take();
    oct_errors_give_back(outer);
    errno = errno_before;

    oct_finish_settle(conn);
    if (oct_slice_is_away(conn)) { /* there was no memory: it is tried again when it is called */
        if (oct_conn_on(conn, OCT_ON_STUCK) == OCT_DO_LEAD)
            oct_thread_ready_add(t, conn);
        return false;
    }
    const bool registered = oct_fd_registered(conn->socket.fd, &at);
    const bool here = !t->ends && registered && (!fed || at.events != 0) && oct_fd_slept_on(at.epfd, t->id);
    /* What has been withheld is there still, but an edge comes once. */
    const bool edge = refused && registered && (at.events & EPOLLET) != 0;
    const bool calls = wish != WISH_READ || fed || edge;
    conn->missed = calls && !fed && !here;
    conn->ended_value = value;
    conn->masked = conn->masked && value <= 0;
    const bool handed = conn->missed || (fed && !conn->way->calls(conn) && !here);
    if (calls && here)
        oct_thread_ready_add(t, conn);
    else
        oct_thread_leave(conn);
    end(conn, handed, !calls ? OCT_ON_END_READ : wish != WISH_NONE ? OCT_ON_END_AMID : OCT_ON_END);
    return true;
}

/* It has no event of its own to tell of an end: its program finds it when it calls again. */
bool oct_finish_part(struct oct_conn *conn)
{
    struct oct_thread *t = conn->thread;
    struct oct_queue *queue = oct_queue_thread();
    const int errno_before = errno;
    int value;

    if (queue == NULL || oct_slice_place(conn) != OCT_SLICE_FITS) {
        if (oct_conn_on(conn, OCT_ON_CALL_AWRY) == OCT_DO_FORCE)
            oct_finish(conn);
        return true;
    }
    if (oct_conn_on(conn, OCT_ON_GO_ON) != OCT_DO_RESUME)
        return true;
    forget_notices(conn);
    struct oct_errors *outer = oct_errors_take();
    oct_queue_set_deferred(queue, 1);
    oct_thread_set_mode(oct_thread_in_flight(t) > 1 ? OCT_THREAD_EVENT_LOOP : OCT_THREAD_ALONE);
    {
        OCT_INSIDE(conn);
        (void)oct_slice_run(conn, NULL, NULL, &value);
    }
    const bool paused = oct_slice_is_away(conn);
    const enum wish wish = paused ? WISH_READ : wish_of(conn->ssl, value);
    t->moved = true;
    if (paused) {
        (void)oct_conn_on(conn, OCT_ON_PAUSE);
        oct_thread_away_add(t, conn);
        (void)oct_queue_run_full(queue);
    } else if (wish != WISH_READ) {
        conn->ended_value = value;
        conn->ended_errors = oct_errors_take();
        oct_thread_leave(conn);
        (void)oct_conn_on(conn, wish == WISH_OTHER ? OCT_ON_END_AMID : OCT_ON_END);
    }
    oct_ssl()->ERR_clear_error();
    oct_errors_give_back(outer);
    errno = errno_before;
    return paused || wish == WISH_READ;
}

int oct_finish_result(struct oct_conn *conn)
{
    struct oct_errors *errors = conn->ended_errors;

    oct_handed_withdraw(conn);
    oct_thread_leave(conn);
    conn->ended_errors = NULL;
    conn->masked = false;
    oct_ssl()->ERR_clear_error();
    oct_errors_give_back(errors);
    return conn->ended_value;
}

/* Its callbacks may wait for a lock that the program holds here: not for ever. */
void oct_finish_wait(const struct oct_conn *conn)
{
    const struct timespec moment = {.tv_nsec = OCT_POLICY_OWNER_LOOK};
    if (oct_conn_thread(conn) == oct_thread_peek())
        return;
    for (int i = 0; i < OCT_POLICY_OWNER_LOOKS && oct_conn_state(conn) == OCT_CONN_ENDING; i++)
        nanosleep(&moment, NULL);
}

bool oct_finish_is_inside(const struct oct_ssl_functions *own, const SSL *s, const void *caller)
{
    struct oct_conn *conn = oct_shim_serves(own) ? oct_conn_find(s) : NULL;
    if (conn == NULL || oct_conn_state(conn) != OCT_CONN_ENDING || oct_conn_thread(conn) != oct_thread_peek() ||
        oct_same_object(caller, own->place))
        return false;
    conn->masked = conn->called_inside = true;
    oct_socket_say_retry(conn);
    errno = EAGAIN;
    return true;
}

bool oct_finish_has_socket(struct oct_conn *conn)
{
    struct oct_registration at;
    if (conn->ssl == NULL || oct_fd_is_same(conn->socket.fd, conn->socket.generation))
        return conn->ssl != NULL;
    const int fd = conn->socket.hidden ? conn->socket.fd : oct_ssl()->SSL_get_fd(conn->ssl);
    if (fd < 0 || !oct_socket_is_same(conn, fd))
        return false; /* it is closed, and its number may be somebody else's */
    oct_fd_lead_end(conn->socket.fd, conn);
    conn->socket.fd = fd;
    conn->socket.generation = oct_fd_registered(fd, &at) ? at.generation : oct_fd_generation(fd);
    conn->announced = 0;
    if (conn->thread != NULL && conn->thread == oct_thread_peek())
        oct_fd_lead(fd, conn, &conn->socket.inode, conn->thread->id);
    return true;
}

/* Where its socket has been closed nothing may be written any more, as the number may be another's by now. */
static bool force(struct oct_conn *conn, enum oct_on on)
{
    if (!oct_slice_is_away(conn) || conn->ssl == NULL || conn->entered != 0)
        return false;
    const bool closed = !oct_finish_has_socket(conn);
    if (closed && oct_ssl()->ASYNC_get_current_job() != NULL)
        return false;
    const enum oct_do does = oct_conn_on(conn, closed ? OCT_ON_LOOK_CLOSED : on);
    if (does == OCT_DO_CANCEL)
        oct_drain_in_place(conn);
    return does == OCT_DO_CANCEL || (does == OCT_DO_FORCE && oct_finish(conn));
}

/* Another thread has it. */
static bool is_asked_for(struct oct_conn *conn)
{
    const struct oct_thread *t = oct_conn_thread(conn);
    return t != NULL && t != oct_thread_peek() && oct_conn_on(conn, OCT_ON_LOOK_ELSEWHERE) == OCT_DO_ASK;
}

static bool ask_for(struct oct_conn *conn)
{
    return is_asked_for(conn) && oct_thread_ask(conn);
}

/* That thread comes to its loop soon: it has paused this for others that it serves. */
void oct_finish_ask(SSL *s)
{
    const struct timespec moment = {.tv_nsec = OCT_POLICY_OWNER_LOOK};
    const int fd = oct_ssl()->SSL_get_fd(s);

    if (!oct_known_ask(s, ask_for))
        return;
    if (fd >= 0)
        oct_wake(fd, oct_fd_generation(fd));
    for (int i = 0; i < OCT_POLICY_OWNER_LOOKS && oct_known_ask(s, is_asked_for); i++)
        nanosleep(&moment, NULL);
}

/* One that has paused again is run to its end by the next look at what is wanted. */
void oct_finish_settle(struct oct_conn *conn)
{
    if (__builtin_expect(!__atomic_load_n(&conn->wanted, __ATOMIC_ACQUIRE), 1))
        return;
    if (conn->state == OCT_CONN_PAUSED)
        __atomic_store_n(&conn->thread->wanted, true, __ATOMIC_RELEASE);
    else
        __atomic_store_n(&conn->wanted, false, __ATOMIC_RELEASE);
}

/* One that has read all that its BIO of memory holds, or has lost its socket, goes on with the next. */
static bool waits_for_socket(struct oct_conn *conn)
{
    return oct_socket_changes(conn) || !oct_finish_has_socket(conn);
}

void oct_finish_before(SSL *s, bool gives_socket)
{
    if (oct_known_ask(s, is_asked_for)) {
        oct_finish_ask(s);
        return;
    }
    struct oct_conn *conn = oct_conn_find(s);
    if (conn != NULL && oct_conn_thread(conn) == oct_thread_peek() && oct_slice_is_away(conn) &&
        !(gives_socket && waits_for_socket(conn)))
        (void)force(conn, OCT_ON_LOOK);
}

/* A callback may free another connection while one is run to its end, so each search begins anew. */
static void force_all(struct oct_thread *t, enum oct_on on)
{
    struct oct_conn *conn = t->away;
    while (conn != NULL) {
        const bool wanted = __atomic_load_n(&conn->wanted, __ATOMIC_ACQUIRE);
        const bool due = on == OCT_ON_ASKED ? wanted : conn->remote == NULL, forced = due && force(conn, on);
        if (due && !forced)
            __atomic_store_n(&conn->wanted, false, __ATOMIC_RELEASE);
        conn = forced ? t->away : conn->away_next;
    }
}

/* What waits for a device goes on waiting. */
void oct_finish_here(void)
{
    struct oct_thread *t = oct_thread_peek();
    if (t != NULL)
        force_all(t, OCT_ON_LOOK);
}

void oct_finish_wanted(struct oct_thread *t)
{
    if (!__atomic_load_n(&t->wanted, __ATOMIC_ACQUIRE))
        return;
    __atomic_store_n(&t->wanted, false, __ATOMIC_RELAXED);
    force_all(t, OCT_ON_ASKED);
}

/* No event that is made up here leads its program to it. */
static bool is_cut_off(struct oct_conn *conn, const struct oct_thread *t)
{
    struct oct_registration at;
    return !oct_finish_has_socket(conn) || !oct_fd_registered(conn->socket.fd, &at) || at.events == 0 ||
           !oct_fd_slept_on(at.epfd, t->id);
}

/* Its program waits for its socket elsewhere by now: an event that is made up here would never be seen. */
static bool has_moved(struct oct_conn *conn, const struct oct_thread *t, int epfd)
{
    struct oct_registration at;
    return !conn->way->by_itself && conn->notices < OCT_POLICY_NOTICES && oct_finish_has_socket(conn) &&
           oct_fd_registered(conn->socket.fd, &at) && at.events != 0 && at.epfd != epfd &&
           !oct_fd_slept_on(at.epfd, t->id);
}

/* One whose call has been run to its end already. */
static void hand_on(struct oct_conn *conn, struct oct_thread *t)
{
    const int fd = conn->socket.fd;
    const uint32_t generation = conn->socket.generation;
    conn->missed = conn->missed || !conn->way->fed;
    identify(conn);
    if (oct_handed_give(conn))
        oct_wake(fd, generation);
    else
        oct_thread_event_drop(t, conn);
}

void oct_finish_moved(struct oct_thread *t, int epfd)
{
    struct oct_conn *conn = t->ready;
    while (conn != NULL) {
        const enum oct_conn_state state = oct_conn_state(conn);
        const bool taken = oct_conn_is_free(state), moved = !taken && has_moved(conn, t, epfd);
        bool other = taken || (moved && oct_conn_is_ended(state));
        if (taken)
            oct_thread_leave(conn); /* another thread has taken its result */
        else if (other)
            hand_on(conn, t);
        else if (moved)
            other = oct_conn_on(conn, OCT_ON_MOVED) == OCT_DO_FORCE && oct_finish(conn);
        conn = other ? t->ready : conn->ready_next;
    }
}

/* True if the list of those that are ready is another one now. */
static bool give_up_on(struct oct_conn *conn, struct oct_thread *t, enum oct_on on)
{
    if (!conn->way->by_itself && !oct_finish_has_socket(conn))
        return false;
    const enum oct_do does = oct_conn_on(conn, on);
    if (does == OCT_DO_FORGET)
        oct_thread_leave(conn);
    if (does == OCT_DO_FORCE && on == OCT_ON_UNHEARD)
        t->deaf = t->deaf || ++t->unheard >= OCT_POLICY_UNHEARD;
    return does == OCT_DO_FORGET || (does == OCT_DO_FORCE && oct_finish(conn));
}

void oct_finish_end(struct oct_thread *t)
{
    t->ends = true;
    oct_finish_here();
    struct oct_conn *conn = t->away;
    while (conn != NULL) {
        const bool ended = oct_conn_is_ended(oct_conn_state(conn));
        if (ended)
            hand_on(conn, t);
        conn = ended && conn->away_link == NULL ? t->away : conn->away_next;
    }
}

void oct_finish_left(struct oct_thread *t)
{
    oct_finish_moved(t, -1);
    struct oct_conn *conn = t->ready;
    while (conn != NULL) {
        const bool unheard = conn->notices >= OCT_POLICY_NOTICES, due = unheard || is_cut_off(conn, t);
        const bool other = due && give_up_on(conn, t, unheard ? OCT_ON_UNHEARD : OCT_ON_CUT_OFF);
        conn = other ? t->ready : conn->ready_next;
    }
    conn = t->out != 0 ? t->away : NULL;
    while (conn != NULL) {
        const bool due = conn->event == OCT_EVENT_OUT;
        if (due)
            oct_thread_event_drop(t, conn);
        const bool other = due && give_up_on(conn, t, OCT_ON_CUT_OFF);
        conn = other ? t->away : conn->away_next;
    }
}
