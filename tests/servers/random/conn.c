/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See server.h. */
#include "server.h"

#include <openssl/err.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

struct conn conns[GUESTS];
long now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

struct conn *conn_open(struct loop *loop, int fd, int id)
{
    struct conn *c = &conns[id];
    *c = (struct conn){.id = id, .fd = fd, .loop = loop, .phase = PHASE_HANDSHAKE, .since_ms = now_ms()};
    transport_open(c);
    SSL_set_app_data(c->ssl, c);
    for (int i = 1; i <= plan_number("numbers", 0); i++)
        SSL_set_ex_data(c->ssl, i, c); /* which nobody has reserved */
    SSL_set_accept_state(c->ssl);
    said_of(id)->opened++;
    return c;
}

static void note(const struct conn *c)
{
    struct said *s = said_of(c->id);
    s->resumed = SSL_session_reused(c->ssl);
    s->version = SSL_version(c->ssl);
}

/* Where a client is fast, no call ever has to wait. What is to be done then is done behind the first. */
static bool waited(struct conn *c)
{
    if (c->has_waited)
        return true;
    between(c);
    return !c->ended && !c->victim;
}

/* All that has come: what libssl has said at last. What has been read may be left for the process that goes on. */
static int echo(struct conn *c)
{
    for (;;) {
        if (c->length == 0)
            c->length = call_read(c);
        const int n = c->length;
        if (n <= 0) {
            c->length = 0;
            return n;
        }
        trust_note(c);
        note(c); /* its end may come in the same call, which forgets all of this */
        if (!waited(c))
            return -1;
        c->length = 0;
        said_of(c->id)->echoed += n;
        const int m = call_write(c, c->text, n);
        if (m <= 0)
            return m;
    }
}

static const char *why_failed(int error, char *text, size_t n)
{
    const unsigned long code = ERR_peek_error();
    if (error == SSL_ERROR_ZERO_RETURN)
        return "over";
    if (code == 0)
        return error == SSL_ERROR_SYSCALL ? "gone" : "failed";
    snprintf(text, n, "%s", ERR_reason_error_string(code) != NULL ? ERR_reason_error_string(code) : "?");
    return text;
}

/* One call of libssl, or as many as there is work for. */
static int step(struct conn *c)
{
    int value = 1;
    if (c->phase == PHASE_HANDSHAKE) {
        value = call_handshake(c);
        if (value > 0)
            c->phase = PHASE_ECHO;
    }
    if (c->phase == PHASE_ECHO && (c->length > 0 || plan_is("call", "read") || waited(c)))
        value = echo(c);
    return value;
}

static bool wants(int error)
{
    return error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE;
}

/* It is called again at once, although it wants to read. */
static bool calls_again(struct conn *c, int error, long end)
{
    if (c->ended || c->victim || c->parked || c->move_to != NULL)
        return false;
    if (c->door != DOOR_NONE)
        return true;
    const bool undone = c->phase == PHASE_HANDSHAKE || (plan_is("call", "read") && said_of(c->id)->echoed == 0);
    if (error != SSL_ERROR_WANT_READ || !c->spins || !undone)
        return false;
    if (now_ms() > end) {
        conn_close(c, "no end");
        return false;
    }
    if (c->spin_us > 0)
        usleep((useconds_t)c->spin_us);
    return true;
}

/* A call of libssl and what follows from it. True if another one is to be made at once. */
static bool once(struct conn *c, long end)
{
    char text[64];
    const int door = c->door;
    const bool late = plan_is("feed", "late");
    c->door = DOOR_NONE;
    ERR_clear_error();
    if (!late)
        (void)transport_in(c);
    const int value = door != DOOR_NONE ? call_door(c, door) : step(c);
    if (c->ended || c->victim)
        return false;
    const int error = SSL_get_error(c->ssl, value);
    transport_out(c);
    c->writes = error == SSL_ERROR_WANT_WRITE;
    if (door != DOOR_NONE && value > 0)
        return true;
    if (late && error == SSL_ERROR_WANT_READ && transport_in(c))
        return true;
    if (wants(error))
        between(c);
    else if (error == SSL_ERROR_WANT_CLIENT_HELLO_CB || error == SSL_ERROR_WANT_X509_LOOKUP)
        c->wait_rounds = 1 + (int)plan_draw(c->id, "retry", 3);
    else
        conn_close(c, why_failed(error, text, sizeof text));
    return calls_again(c, error, end);
}

static void proceed(struct conn *c)
{
    const long end = now_ms() + SPIN_MS;
    while (once(c, end))
        ;
}

void conn_call(struct conn *c)
{
    jmp_buf here, *outer = c->jump;
    c->turns++;
    if (_setjmp(here) == 0) {
        c->caller = pthread_self();
        c->jump = &here;
        proceed(c);
        c->jump = outer;
    } else {
        c->jump = outer;
        c->gone = true; /* libssl was left in the middle: this object can only be freed */
        conn_close(c, "left");
    }
}

/* The call has returned. From the last line on, other threads may have c. */
static void settle(struct conn *c)
{
    struct loop *to = c->move_to;
    const bool over = c->ended;
    c->move_to = NULL;
    if (to != NULL && !over)
        loop_forget(c);
    atomic_store(&c->busy, false);
    if (over)
        return;
    if (to != NULL) {
        c->again = false;
        loop_adopt(to, c);
    } else if (c->again && !c->victim) {
        conn_turn(c);
    } else if (!c->victim && !c->parked) {
        loop_rearm(c);
    }
}

void conn_turn(struct conn *c)
{
    if (c->phase == PHASE_NONE || c->ended || c->parked || c->victim)
        return;
    if (atomic_exchange(&c->busy, true)) {
        c->again = true;
        return;
    }
    c->again = false;
    if (transport_gate(c))
        coroutine_call(c);
    if (!coroutine_suspended(c))
        settle(c);
}

void conn_due(struct conn *c)
{
    if (c->ended)
        return;
    if (coroutine_suspended(c)) {
        coroutine_resume(c);
        if (!coroutine_suspended(c))
            settle(c);
    } else if (c->victim) {
        conn_close(c, "victim");
    } else if (c->parked) {
        c->parked = false;
        loop_watch(c);
    } else if (!atomic_exchange(&c->busy, true)) { /* libssl has its bytes: nothing is to be seen at the socket */
        coroutine_call(c);
        if (!coroutine_suspended(c))
            settle(c);
    }
}

void conn_close(struct conn *c, const char *why)
{
    if (c->ended)
        return;
    c->ended = true;
    loop_forget(c);
    snprintf(said_of(c->id)->end, sizeof said_of(c->id)->end, "%s", why);
    said_of(c->id)->closed++;
    if (c->out_fd >= 0)
        close(c->out_fd);
    end_object(c);
    c->ssl = NULL;
    c->fd = -1;
    c->phase = PHASE_OVER;
}

void conn_give_up(struct conn *c)
{
    c->ended = true;
    loop_forget(c);
    if (c->out_fd >= 0)
        close(c->out_fd);
    end_copy(c);
    SSL_free(c->ssl);
    BIO_free(c->network);
    close(c->fd);
    c->phase = PHASE_OVER;
}

int conn_count_open(void)
{
    int open = 0;
    for (int i = 0; i < GUESTS; i++)
        open += (conns[i].phase == PHASE_HANDSHAKE || conns[i].phase == PHASE_ECHO) && !conns[i].ended;
    return open;
}
