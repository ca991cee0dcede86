/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See server.h. Which call of libssl it is, by which door, and what is asked after each. */
#include "server.h"

#include <errno.h>
#include <openssl/err.h>
#include <string.h>

#define GREETING "welcome\n"

static bool by_socket(void)
{
    return !plan_is("bio", "memory") && !plan_is("bio", "pair");
}

/* After a call that wants to read: what a program may ask looks as libssl leaves it. */
static void ask(struct conn *c, int value, int number)
{
    BIO *bio = SSL_get_rbio(c->ssl);
    unsigned odd = 0;
    odd |= by_socket() && number != EAGAIN ? 1u << ODD_ERRNO : 0;
    odd |= !BIO_should_retry(bio) || !BIO_should_read(bio) ? 1u << ODD_RETRY : 0;
    odd |= SSL_want(c->ssl) != SSL_READING ? 1u << ODD_WANT : 0;
    odd |= ERR_peek_error() != 0 ? 1u << ODD_QUEUE : 0;
    odd |= value != -1 ? 1u << ODD_VALUE : 0;
    odd |= c->bio != NULL && !BIO_should_retry(c->bio) ? 1u << ODD_DOOR : 0;
    said_of(c->id)->odd |= odd;
}

static void before(void)
{
    if (plan_number("asks", 0) != 0)
        errno = 0;
}

static int after(struct conn *c, int value)
{
    const int number = errno;
    const bool wants = value <= 0 && SSL_get_error(c->ssl, value) == SSL_ERROR_WANT_READ;
    if (wants && plan_number("asks", 0) != 0)
        ask(c, value, number);
    if (c->blocks) {
        said_of(c->id)->odd |= wants ? 1u << ODD_BLOCKS : 0;
        block_end(c);
    }
    return value;
}

static int accept_it(struct conn *c)
{
    before();
    return after(c, c->bio != NULL ? (int)BIO_do_handshake(c->bio) : SSL_accept(c->ssl));
}

static int do_it(struct conn *c)
{
    before();
    return after(c, SSL_do_handshake(c->ssl));
}

static int peek(struct conn *c)
{
    before();
    return after(c, SSL_peek(c->ssl, c->text, 1));
}

int call_read(struct conn *c)
{
    before();
    return after(c, c->bio != NULL ? BIO_read(c->bio, c->text, sizeof c->text)
                                   : SSL_read(c->ssl, c->text, sizeof c->text));
}

int call_write(struct conn *c, const char *text, int n)
{
    before();
    return after(c, c->bio != NULL ? BIO_write(c->bio, text, n) : SSL_write(c->ssl, text, n));
}

static int read_early(struct conn *c)
{
    size_t n = 0;
    while (!c->greeted)
        switch (SSL_read_early_data(c->ssl, c->text, sizeof c->text, &n)) {
        case SSL_READ_EARLY_DATA_ERROR:
            return after(c, -1);
        case SSL_READ_EARLY_DATA_FINISH:
            c->greeted = true;
            break;
        default:
            break;
        }
    return accept_it(c);
}

static int greet(struct conn *c)
{
    const int n = call_write(c, GREETING, sizeof GREETING - 1);
    c->greeted = n > 0;
    return n > 0 ? 1 : n;
}

/* As if each call had gone well: what is to be said is said, and what has come is read. */
static int careless(struct conn *c, bool greets)
{
    int value = accept_it(c);
    if (greets && !c->greeted)
        value = greet(c);
    if (value > 0)
        return value;
    value = call_read(c);
    c->length = value > 0 ? value : 0;
    if (value > 0 && greets && !c->greeted) /* the client has answered meanwhile */
        (void)greet(c);
    return value;
}

int call_handshake(struct conn *c)
{
    static const char *const mixed[] = {"accept", "do", "peek", "accept"};
    const char *how = plan_text("call", "accept");
    if (strcmp(how, "mix") == 0)
        how = mixed[(plan_draw(c->id, "mix", 4) + c->turns) % 4];
    if (strcmp(how, "do") == 0)
        return do_it(c);
    if (strcmp(how, "write") == 0)
        return greet(c);
    if (strcmp(how, "peek") == 0)
        return peek(c);
    if (strcmp(how, "early") == 0)
        return read_early(c);
    if (strcmp(how, "careless") == 0 || strcmp(how, "greets") == 0)
        return careless(c, how[0] == 'g');
    if (strcmp(how, "read") == 0)
        return 1; /* echo() makes the handshake */
    return accept_it(c);
}

/* By a BIO of libssl's beside the connection. It stays until that ends: its own end shuts the connection down. */
static int by_bio(struct conn *c)
{
    if (c->side == NULL) {
        c->side = BIO_new(BIO_f_ssl());
        BIO_set_ssl(c->side, c->ssl, BIO_NOCLOSE);
    }
    return (int)BIO_do_handshake(c->side);
}

/* Another function of libssl than the one whose call wants to read. None of them takes what the client has sent. */
int call_door(struct conn *c, int door)
{
    switch (door) {
    case DOOR_DO:
        return do_it(c);
    case DOOR_PEEK:
        return peek(c);
    case DOOR_BIO:
        before();
        return after(c, by_bio(c));
    default:
        return accept_it(c);
    }
}
