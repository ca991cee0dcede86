/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * A loop around epoll for the programs of this folder, in one thread. What happens to a connection is the program's;
 * contexts and sockets that listen are made as in ../programs/echo.h. It ends when the standard input does.
 */
#ifndef OCT_TEST_HOST_H
#define OCT_TEST_HOST_H

#include "../programs/echo.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One connection. */
struct guest {
    int fd, second; /* the other descriptor of the socket, if there is one */
    SSL *ssl;
    BIO *bio;  /* the program's own, if it has one */
    void *own; /* likewise */
    int turns; /* events so far */
    bool over;
    struct guest *next; /* of those that the round has ended */
};

/* What a program does. NULL: what is said here. */
struct host {
    SSL_CTX *ctx;
    void (*welcome)(struct guest *guest);               /* makes guest->ssl: by SSL_new(ctx), on the socket */
    bool (*turn)(struct guest *guest, uint32_t events); /* an event; false ends the connection: host_step() */
    void (*leave)(struct guest *guest);                 /* frees what welcome() made: by SSL_free(), and closes */
    void (*rest)(void);                                 /* after the events of each round: nothing */
    uint32_t events;                                    /* besides EPOLLIN */
    bool twice;                                         /* each socket is registered under two descriptors */
};

void host_serve(int listener, const struct host *host);
/* SSL_accept() as far as it goes, then host_echo(). False if the connection is over. */
bool host_step(struct guest *guest, uint32_t events);
/* Echoes all that has come. */
bool host_echo(SSL *ssl);
/* True if the call that gave this value wants to read. */
bool host_wants(const SSL *ssl, int value);
/* Ends the program, and says what it could not do. */
void host_fail(const char *what);
/* The standard input has ended, or does so within this time. */
bool host_ends(int milliseconds);

#ifdef __cplusplus
}
#endif
#endif
