/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * A TLS server in miniature, for tests of the shim: an epoll instance, server ends on sockets, client ends in memory,
 * all in one thread, so that every step happens when the test says so. It is an ordinary program: it knows nothing of
 * the shim, under which it runs, except that it asks libssl whether a handshake is paused.
 */
#ifndef OCT_TEST_WORLD_H
#define OCT_TEST_WORLD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "run_tests.h"

#include <errno.h>
#include <fcntl.h>
#include <octuple/octuple.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../../shim/libssl/libc.h"

#ifndef __GLIBC__
/* Nobody but the shim may have these: weak, so that a program of them can be linked without it. */
#pragma weak epoll_pwait2
#pragma weak close_range
#endif

#define PAIRS_MAX 32

/* Whether operations are counted that have nobody to wait for: AWS-LC does them without anybody's knowing. */
#ifdef OPENSSL_IS_AWSLC
#define COUNTS_LONE 0
#else
#define COUNTS_LONE 1
#endif

enum kind { TLS13, TLS12_ECDHE, TLS12_RSA };

struct pair {
    SSL *server, *client;
    int fd, peer; /* the server's socket and its other end */
    bool server_done, client_done, server_failed;
    int (*drive)(struct pair *); /* how the server drives its handshake; NULL: SSL_do_handshake() */
};

struct world {
    int epfd;
    int elsewhere;   /* an epoll instance where nothing happens */
    uint32_t events; /* with which sockets are registered */
    int wait_kind;   /* 0 epoll_wait, 1 epoll_pwait, 2 epoll_pwait2 */
    struct pair pair[PAIRS_MAX];
    int pairs;
};

/* Shared by all tests, and made when first asked for, which must be on the first thread. */
SSL_CTX *world_server_ctx(enum kind kind);
SSL_CTX *world_client_ctx(void);
/* One over a key, signed by itself, that nobody verifies; the caller's. */
X509 *world_certificate(EVP_PKEY *key);

/* For main(): counts what OpenSSL has allocated, and fails where the shim or the provider is not at work. */
void world_start(void);
long world_allocations(void);
/* How often OpenSSL 3.0 has walked its map of names, with memory for all of them. */
long world_name_walks(void);
/* How often it has looked up the number of one name, with memory for that. */
long world_name_questions(void);
/* Under valgrind, where an RSA operation takes half a second: less of the same, and TLS 1.3 signs with P-256. The shim
 * does not care whose operation waits. */
bool world_slow(void);

/* A server that has slept on its epoll instance, as it does before its first connection. */
struct world *world_open(uint32_t events, enum kind kind, int pairs);
/* One that has only looked at it, with a timeout of 0. */
struct world *world_open_unslept(uint32_t events, enum kind kind, int pairs);
void world_close(struct world *w);

/* One more pair in w, whose socket is registered if events are not 0. */
struct pair *world_add(struct world *w, SSL_CTX *ctx, uint32_t events);
void pair_end(struct world *w, struct pair *p);

/* The client's handshake goes as far as it can, and its bytes are moved. */
void pair_client(struct pair *p);
/* One call of the server into its handshake: 1 done, 0 wants to read, -1 failed. */
int pair_server(struct pair *p);
/* True while the server's handshake is paused. */
bool pair_paused(const struct pair *p);
/* What tells the slice of the shim's, or the job of OpenSSL's, that the caller runs in; NULL: none. */
const void *world_slice(void);

int world_wait(struct world *w, struct epoll_event *events, int max, int timeout);
/* All clients write their hello and the servers read it, one after the other, as if each came in a round of its own:
 * the first is alone. Returns how many are paused then. */
int world_hello(struct world *w);
/* An event loop, with its clients, until every handshake is over. Fails the test after some seconds. */
void world_run(struct world *w);
/* A byte each way on every pair. */
void world_exchange(struct world *w);

#endif
