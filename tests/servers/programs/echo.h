/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * A TLS server that echoes what it reads, for the programs of this folder: one thread around epoll, sockets that do not
 * block. It ends when the standard input does.
 */
#ifndef OCT_TEST_ECHO_H
#define OCT_TEST_ECHO_H

#include <openssl/ssl.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ECHO_LEFT (-1000) /* the handshake was left by another way than its end: the connection is closed */

/* A context over KEYS/NAME.key; ends the program if there is none. */
SSL_CTX *echo_context(const char *keys, const char *name);
/* A socket that listens on the loopback; ends the program if it cannot. */
int echo_listen(const char *port);
/* Serves until the standard input ends. Handshakes are driven by `handshake`: SSL_accept(), or what calls it. */
void echo_serve(SSL_CTX *ctx, int listener, int (*handshake)(SSL *));
/* True if the client asks for a name that begins so. */
int echo_asks_for(const SSL *ssl, const char *begin);

#ifdef __cplusplus
}
#endif
#endif
