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

#define GREETING "welcome\n"

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
    c->ssl = end_take_object();
    SSL_set_app_data(c->ssl, c);
    transport_open(c);
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

static int read_early(struct conn *c)
{
    size_t n = 0;
    while (!c->greeted)
        switch (SSL_read_early_data(c->ssl, c->text, sizeof c->text, &n)) {
        case SSL_READ_EARLY_DATA_ERROR:
            return -1;
        case SSL_READ_EARLY_DATA_FINISH:
            c->greeted = true;
            break;
        default:
            break;
        }
    return SSL_accept(c->ssl);
}

static int greet(struct conn *c)
{
    const int n = SSL_write(c->ssl, GREETING, sizeof GREETING - 1);
    return n > 0 ? 1 : n;
}

static int handshake(struct conn *c)
{
    static const char *const mixed[] = {"accept", "do", "peek", "accept"};
    const char *how = plan_text("call", "accept");
    if (strcmp(how, "mix") == 0)
        how = mixed[(plan_draw(c->id, "mix", 4) + c->turns) % 4];
    if (strcmp(how, "do") == 0)
        return SSL_do_handshake(c->ssl);
    if (strcmp(how, "write") == 0)
        return greet(c);
    if (strcmp(how, "peek") == 0)
        return SSL_peek(c->ssl, c->text, 1);
    if (strcmp(how, "early") == 0)
        return read_early(c);
    if (strcmp(how, "read") == 0)
        return 1; /* echo() makes the handshake */
    return SSL_accept(c->ssl);
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
            c->length = SSL_read(c->ssl, c->text, sizeof c->text);
        const int n = c->length;
        if (n <= 0) {
            c->length = 0;
            return n;
        }
        note(c); /* its end may come in the same call, which forgets all of this */
        if (!waited(c))
            return -1;
        c->length = 0;
        said_of(c->id)->echoed += n;
        const int m = SSL_write(c->ssl, c->text, n);
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

/* One call of libssl and what follows from it. */
static void proceed(struct conn *c)
{
    char text[64];
    int value = 1;
    ERR_clear_error();
    transport_in(c);
    if (c->phase == PHASE_HANDSHAKE) {
        value = handshake(c);
        if (value > 0)
            c->phase = PHASE_ECHO;
    }
    if (c->phase == PHASE_ECHO && (plan_is("call", "read") || waited(c)))
        value = echo(c);
    if (c->ended || c->victim)
        return;
    const int error = SSL_get_error(c->ssl, value);
    transport_out(c);
    c->writes = error == SSL_ERROR_WANT_WRITE;
    if (error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE)
        between(c);
    else if (error == SSL_ERROR_WANT_CLIENT_HELLO_CB || error == SSL_ERROR_WANT_X509_LOOKUP)
        c->wait_rounds = 1 + (int)plan_draw(c->id, "retry", 3);
    else
        conn_close(c, why_failed(error, text, sizeof text));
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
