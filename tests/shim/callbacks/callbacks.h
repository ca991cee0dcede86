/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Every way in which OpenSSL lets a program's own code run inside a handshake, as a table. Each callback makes
 * signatures of its own, an expensive operation that is not libssl's, while other connections' handshakes wait.
 *
 * Nothing in a callback asserts: cmocka would jump off the fibre. What went wrong is counted, and looked at afterwards.
 */
#ifndef OCT_TEST_CALLBACKS_H
#define OCT_TEST_CALLBACKS_H

#include "world.h"

#include <openssl/x509_vfy.h>

/* The end on the socket, which the shim serves, is "own"; the other end, in memory, is "peer". */
enum {
    OWN_CONNECTS = 1, /* own is the client */
    MUTUAL = 2,       /* own asks for the peer's certificate and verifies it */
    RESUMES = 4,      /* the same once more, with the peers' sessions of the first time */
    NO_TICKETS = 8,   /* sessions are in own's cache */
    MIXED = 16,       /* with RESUMES: two connections do not, so that the others are not alone */
    REUSED = 32       /* the first connections count as resumed: both ends know the session */
};

struct callback_row {
    const char *name;   /* the function or macro, or what a callback does, in parentheses */
    const char *reason; /* why no handshake over TCP comes to such a callback; NULL: it is tested */
    enum kind kind;
    unsigned flags;
    const char *ciphers;                      /* of TLS 1.2, where they matter */
    void (*ctx)(SSL_CTX *own, SSL_CTX *peer); /* installs it; run once, before there are connections */
    void (*ssl)(SSL *own, SSL *peer);         /* the same, for each connection */
    int (*drive)(struct pair *p);             /* see struct pair */
    void (*undo)(void);
};

/* A tested row, and one that is not. The name is not expanded where it is a macro. */
#define ROW(function, ...)                                                                                             \
    {                                                                                                                  \
        .name = #function, __VA_ARGS__                                                                                 \
    }
#define NOT_REACHED(function, why)                                                                                     \
    {                                                                                                                  \
        .name = #function, .reason = why                                                                               \
    }

struct callback_table {
    const struct callback_row *rows;
    size_t count;
};
extern const struct callback_table callbacks_tls, callbacks_sessions, callbacks_secrets, callbacks_x509, callbacks_bio,
    callbacks_objects, callbacks_nested, callbacks_unreached;

/* What became of the callbacks of one row. */
struct callback_tally {
    int visits, on_fibre;
    int twice;  /* entered while it was still inside, for another connection */
    int moved;  /* left on another fibre than it was entered on */
    int wrong;  /* signatures that are not right, or other work that failed */
    int left;   /* while it was inside the program's event loop went on */
    int queued; /* operations that waited in the queue came or went meanwhile */
};
extern struct callback_tally callback_tally;

/* Before a row: nothing has happened. The event loop calls a connection. */
void callback_forget(void);
void callback_loop_goes_on(void);
/* In a callback: two signatures, RSA-2048 and P-256, each verified. */
void callback_work(void);
/* Around other work in a callback. False if none is to be done: there was enough, or the call comes from inside it. */
bool callback_enter(void);
void callback_leave(bool worked);
/* The work itself. */
bool callback_sign_both(void);

/* Keys and certificates, made once: an authority with a P-256 key, which has revoked nothing, and a leaf with an RSA
 * key for everybody. */
struct callback_credentials {
    EVP_PKEY *authority_key, *leaf_key, *ec_key;
    X509 *authority, *leaf;
    X509_CRL *revoked;
    char folder[64], encrypted_key[96]; /* the leaf's key in a file, with the password "secret" */
};
extern struct callback_credentials callback_credentials;
void callbacks_start(void);
void callbacks_end(void);

/* A context for either end, with the leaf and, as far as trusted, the authority. */
SSL_CTX *callback_ctx(enum kind kind, unsigned flags, const char *ciphers);

#endif
