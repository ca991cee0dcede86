/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * One connection: a socket, the record layer, and the state of a handshake, from connect() to a verdict. tls12.c and
 * tls13.c know what the messages mean; conn.c moves bytes and records; load.c decides when to begin.
 *
 * A handshake counts as completed when the server's Finished has been verified, ours has been sent, and the server has
 * provably accepted it (enum oct_proof). Certificates and signatures are parsed but not verified: that would cost more
 * than all the rest, and says nothing about the server's CPU.
 */
#ifndef OCTUPLE_LOADGEN_CONN_H
#define OCTUPLE_LOADGEN_CONN_H

#include "tls/crypto.h"
#include "tls/hello.h"
#include "options.h"

enum oct_verdict {
    OCT_GOING, /* not over yet */
    OCT_COMPLETED,
    OCT_ABORTED,        /* by this client, as planned */
    OCT_FAILED_CONNECT, /* no TCP connection: refused, no ports, no descriptors */
    OCT_FAILED_ALERT,   /* the server sent a fatal alert */
    OCT_FAILED_EOF,     /* the server closed (or sent close_notify) before the handshake was over */
    OCT_FAILED_RESET,   /* the connection was reset by the server */
    OCT_FAILED_TIMEOUT,
    OCT_FAILED_PROTOCOL, /* a malformed or unexpected message, a false tag or a false Finished */
    OCT_VERDICTS
};

/* Where a client that is to abort gives up. */
enum oct_abort_point {
    OCT_ABORT_NEVER,
    OCT_ABORT_CONNECTED,   /* nothing was sent */
    OCT_ABORT_IN_HELLO,    /* a part of the ClientHello was sent */
    OCT_ABORT_HELLO,       /* the ClientHello was sent */
    OCT_ABORT_IN_FLIGHT,   /* some bytes of the server's flight were read */
    OCT_ABORT_FLIGHT,      /* the server's flight was processed, nothing was sent */
    OCT_ABORT_IN_FINISHED, /* a part of the client's last flight was sent */
    OCT_ABORT_FINISHED,    /* all was sent, and the proof was not waited for */
    OCT_ABORT_POINTS
};

enum oct_state {
    OCT_STATE_FREE,
    OCT_STATE_CONNECTING,
    OCT_STATE_SERVER_HELLO,
    OCT_STATE_EXTENSIONS, /* 1.3 */
    OCT_STATE_CERTIFICATE,
    OCT_STATE_VERIFY,       /* 1.3: CertificateVerify */
    OCT_STATE_KEY_EXCHANGE, /* 1.2, ECDHE */
    OCT_STATE_HELLO_DONE,   /* 1.2 */
    OCT_STATE_CHANGE,       /* 1.2: ChangeCipherSpec */
    OCT_STATE_FINISHED,
    OCT_STATE_PROOF, /* 1.3 */
    OCT_STATE_DOOMED /* to be aborted at doomed_at; deaf until then */
};

/* What a connection offers: a group, and the ClientHello that says so. */
struct oct_offer {
    struct oct_exchange exchange;
    struct oct_hello hello;
};

/* What all connections of a run share. */
struct oct_run {
    const struct oct_options *options;
    struct oct_crypto crypto;
    struct oct_offer offer[OCT_GROUPS_MAX]; /* one for each of the options' groups */
    struct oct_premasters premasters;
    uint64_t random; /* state of oct_run_random() */
    int epoll;
    uint64_t alerts[256]; /* fatal alerts by description */
    char first_failure[160];
};

#define OCT_IN_MAX        (OCT_RECORD_HEADER + 16384 + 2048) /* the largest record of TLS 1.2 */
#define OCT_HANDSHAKE_MAX 32768                              /* of one message: room for a long certificate chain */
#define OCT_OUT_MAX       2048

struct oct_conn {
    struct oct_run *run;
    int fd;
    enum oct_state state;
    struct oct_offer *offer;
    uint64_t number;             /* the n-th connection with this offer */
    uint64_t scheduled, started; /* nanoseconds */
    enum oct_abort_point abort_at;
    bool abort_by_reset;
    uint64_t abort_delay, doomed_at;

    EVP_MD_CTX *transcript;
    EVP_CIPHER_CTX *open; /* the server's keys, while open_on */
    bool open_on;
    bool keys_changed; /* by the message just handled: nothing may follow it in its record */
    bool extended_master;
    uint8_t open_iv[OCT_IV_LEN];
    uint64_t open_sequence;
    uint8_t client_random[OCT_RANDOM_LEN], server_random[OCT_RANDOM_LEN];
    uint8_t premaster[OCT_SHARED_MAX];
    size_t premaster_len;
    uint8_t master[OCT_HASH_MAX];        /* 1.2: the master secret; 1.3: the handshake secret */
    uint8_t client_secret[OCT_HASH_MAX]; /* 1.3: the client's handshake traffic secret */
    uint8_t server_secret[OCT_HASH_MAX]; /* 1.3: the server's; 1.2: the server's key */

    const char *why; /* of a failure */
    size_t out_len, out_sent;
    size_t in_len, message_len;
    uint8_t out[OCT_OUT_MAX];
    uint8_t dk[OCT_DK_MAX]; /* of the share that was offered */
    uint8_t in[OCT_IN_MAX];
    uint8_t message[OCT_HANDSHAKE_MAX];
};

/* A pseudo-random number that depends on --seed alone; good enough for a load generator's randoms. */
uint64_t oct_run_random(struct oct_run *run);

/* CLOCK_MONOTONIC in nanoseconds. */
uint64_t oct_now(void);

void oct_conn_init(struct oct_conn *conn, struct oct_run *run);
void oct_conn_clear(struct oct_conn *conn);

/* Connects, and sends the ClientHello at once if the connection stands at once. epoll data is `slot`. */
enum oct_verdict oct_conn_start(struct oct_conn *conn, uint32_t slot, uint64_t number, uint64_t scheduled);

/* epoll has reported these events. */
enum oct_verdict oct_conn_event(struct oct_conn *conn, uint32_t slot, uint32_t events);

/* Ends the connection: by RST, or by FIN for a client that aborts that way. */
void oct_conn_close(struct oct_conn *conn, bool by_reset);

/* Handles len bytes that arrived (the first half of oct_conn_event(), for the tests too). */
enum oct_verdict oct_conn_received(struct oct_conn *conn, size_t len);

/* Notes why, and returns OCT_FAILED_PROTOCOL. */
enum oct_verdict oct_conn_refuse(struct oct_conn *conn, const char *why);

/* Sends what is in conn->out, the client's last flight, unless the plan is to abort before, in or after it. */
enum oct_verdict oct_conn_send_last(struct oct_conn *conn);

/* One whole handshake message; raw is body with its header of four bytes before it. */
enum oct_verdict oct_tls12_message(struct oct_conn *conn, unsigned type, struct oct_reader body);
enum oct_verdict oct_tls13_message(struct oct_conn *conn, unsigned type, struct oct_reader body);

/* A ServerHello's fields that both versions check alike; false with conn->why set. */
bool oct_conn_server_hello(struct oct_conn *conn, struct oct_server_hello *hello, struct oct_reader body);

/* TLS 1.3: the records after the server's Finished. */
enum oct_verdict oct_tls13_proof(struct oct_conn *conn, unsigned inner_type, struct oct_reader content);

/* TLS 1.2: the server's keys are used from here on. */
void oct_tls12_open(struct oct_conn *conn);

#endif
