/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * A server that enters libssl by another door than SSL_accept() when that has wanted to read for the first time. In an
 * unfinished handshake no door leads anywhere, and the handshake goes on as if nobody had tried.
 *
 * usage: doors DOOR PORT KEYS
 *
 * DOOR is a row of the table below. What the door said is printed once for each answer: its value's sign, the error of
 * the connection, and the reason in the error queue.
 */
#include "host.h"

#include <openssl/err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ANSWERS_MAX 16

static struct host host;
static int (*enter)(struct guest *);
static struct {
    int sign, error, reason;
} answers[ANSWERS_MAX];
static int answer_count;

static int by_read(struct guest *guest)
{
    char byte;
    return SSL_read(guest->ssl, &byte, 1);
}

static int by_read_ex(struct guest *guest)
{
    char byte;
    size_t n;
    return SSL_read_ex(guest->ssl, &byte, 1, &n);
}

static int by_peek(struct guest *guest)
{
    char byte;
    return SSL_peek(guest->ssl, &byte, 1);
}

static int by_write(struct guest *guest)
{
    return SSL_write(guest->ssl, "secret", 6);
}

static int by_write_ex(struct guest *guest)
{
    size_t n;
    return SSL_write_ex(guest->ssl, "secret", 6, &n);
}

static int by_early_write(struct guest *guest)
{
    size_t n;
    return SSL_write_early_data(guest->ssl, "secret", 6, &n);
}

static int by_handshake(struct guest *guest)
{
    return SSL_do_handshake(guest->ssl);
}

static int by_shutdown(struct guest *guest)
{
    return SSL_shutdown(guest->ssl);
}

static int by_key_update(struct guest *guest)
{
    return SSL_key_update(guest->ssl, SSL_KEY_UPDATE_NOT_REQUESTED);
}

static int by_post_handshake(struct guest *guest)
{
    return SSL_verify_client_post_handshake(guest->ssl);
}

static int by_bio_read(struct guest *guest)
{
    char byte;
    return BIO_read(guest->own, &byte, 1);
}

static int by_bio_write(struct guest *guest)
{
    return BIO_write(guest->own, "secret", 6);
}

static int by_bio_write_ex(struct guest *guest)
{
    size_t n;
    return BIO_write_ex(guest->own, "secret", 6, &n);
}

static int by_bio_puts(struct guest *guest)
{
    return BIO_puts(guest->own, "secret");
}

static int by_bio_handshake(struct guest *guest)
{
    return (int)BIO_do_handshake((BIO *)guest->own);
}

static int by_bio_flush(struct guest *guest)
{
    return BIO_flush((BIO *)guest->own);
}

static int by_bio_pending(struct guest *guest)
{
    return (int)BIO_pending((BIO *)guest->own);
}

/* Pushes a buffer before the connection, whose flush writes. */
static int by_buffer(struct guest *guest)
{
    BIO *buffer = BIO_new(BIO_f_buffer());
    BIO_push(buffer, guest->own);
    int value = BIO_write(buffer, "secret", 6) == 6 ? BIO_flush(buffer) : -2;
    BIO_pop(buffer);
    BIO_free(buffer);
    return value;
}

static void choose(const char *door)
{
    static const struct {
        const char *name;
        int (*enter)(struct guest *);
    } doors[] = {{"read", by_read},
                 {"read_ex", by_read_ex},
                 {"peek", by_peek},
                 {"write", by_write},
                 {"write_ex", by_write_ex},
                 {"early_write", by_early_write},
                 {"handshake", by_handshake},
                 {"shutdown", by_shutdown},
                 {"key_update", by_key_update},
                 {"post_handshake", by_post_handshake},
                 {"bio_read", by_bio_read},
                 {"bio_write", by_bio_write},
                 {"bio_write_ex", by_bio_write_ex},
                 {"bio_puts", by_bio_puts},
                 {"bio_handshake", by_bio_handshake},
                 {"bio_flush", by_bio_flush},
                 {"bio_pending", by_bio_pending},
                 {"buffer", by_buffer}};
    for (size_t i = 0; i < sizeof doors / sizeof doors[0]; i++)
        if (strcmp(doors[i].name, door) == 0)
            enter = doors[i].enter;
}

static void note(int sign, int error, int reason)
{
    for (int i = 0; i < answer_count; i++)
        if (answers[i].sign == sign && answers[i].error == error && answers[i].reason == reason)
            return;
    if (answer_count < ANSWERS_MAX) {
        answers[answer_count].sign = sign;
        answers[answer_count].error = error;
        answers[answer_count++].reason = reason;
    }
}

static void welcome(struct guest *guest)
{
    BIO *door = BIO_new(BIO_f_ssl());
    guest->ssl = SSL_new(host.ctx);
    if (door == NULL || guest->ssl == NULL || SSL_set_fd(guest->ssl, guest->fd) != 1)
        host_fail("SSL_new");
    BIO_set_ssl(door, guest->ssl, BIO_NOCLOSE);
    guest->own = door;
}

static void leave(struct guest *guest)
{
    BIO_free(guest->own);
    SSL_free(guest->ssl);
    close(guest->fd);
}

static bool turn(struct guest *guest, uint32_t events)
{
    bool stays = host_step(guest, events);
    if (!stays || guest->turns > 1 || SSL_is_init_finished(guest->ssl))
        return stays;
    ERR_clear_error();
    int value = enter(guest);
    int error = SSL_get_error(guest->ssl, value);
    note((value > 0) - (value < 0), error, ERR_GET_REASON(ERR_peek_last_error()));
    return true;
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    choose(argv[1]);
    if (enter == NULL)
        return 2;
    host = (struct host){.ctx = echo_context(argv[3], "rsa2048"), .welcome = welcome, .turn = turn, .leave = leave};
    host_serve(echo_listen(argv[2]), &host);
    printf("{\"answers\": %d", answer_count);
    for (int i = 0; i < answer_count; i++)
        printf(", \"value %d, error %d, reason %d\": true", answers[i].sign, answers[i].error, answers[i].reason);
    printf("}\n");
    return 0;
}
