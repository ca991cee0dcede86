/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * One connection: a socket, the record layer, and the state of a handshake, from connect() to a verdict. tls12.c and
 * tls13.c know what the messages mean; conn.c moves bytes and records; load.c decides when to begin.
 *
 * A handshake counts as completed when the server's Finished has been verified, ours has been sent, and the server has
 * provably accepted it (enum load_proof). Certificates and signatures are parsed but not verified: that would cost more
 * than all the rest, and says nothing about the server's CPU.
 */
#ifndef OCTUPLE_LOADGEN_CONN_H
#define OCTUPLE_LOADGEN_CONN_H

#include "tls/crypto.h"
#include "tls/hello.h"
#include "options.h"

enum load_verdict {
    LOAD_GOING, /* not over yet */
    LOAD_COMPLETED,
    LOAD_ABORTED,        /* by this client, as planned */
    LOAD_LEFT,           /* by this client, whose patience was over */
    LOAD_FAILED_CONNECT, /* no TCP connection: refused, no ports, no descriptors */
    LOAD_FAILED_ALERT,   /* the server sent a fatal alert */
    LOAD_FAILED_EOF,     /* the server closed (or sent close_notify) before the handshake was over */
    LOAD_FAILED_RESET,   /* the connection was reset by the server */
    LOAD_FAILED_TIMEOUT,
    LOAD_FAILED_PROTOCOL, /* a malformed or unexpected message, a false tag or a false Finished */
    LOAD_VERDICTS
};

/* Where a client that is to abort gives up. */
enum load_abort_point {
    LOAD_ABORT_NEVER,
    LOAD_ABORT_CONNECTED,   /* nothing was sent */
    LOAD_ABORT_IN_HELLO,    /* a part of the ClientHello was sent */
    LOAD_ABORT_HELLO,       /* the ClientHello was sent */
    LOAD_ABORT_IN_FLIGHT,   /* some bytes of the server's flight were read */
    LOAD_ABORT_FLIGHT,      /* the server's flight was processed, nothing was sent */
    LOAD_ABORT_IN_FINISHED, /* a part of the client's last flight was sent */
    LOAD_ABORT_FINISHED,    /* all was sent, and the proof was not waited for */
    LOAD_ABORT_POINTS
};

enum load_state {
    LOAD_STATE_FREE,
    LOAD_STATE_CONNECTING,
    LOAD_STATE_SERVER_HELLO,
    LOAD_STATE_EXTENSIONS, /* 1.3 */
    LOAD_STATE_CERTIFICATE,
    LOAD_STATE_VERIFY,       /* 1.3: CertificateVerify */
    LOAD_STATE_KEY_EXCHANGE, /* 1.2, ECDHE */
    LOAD_STATE_HELLO_DONE,   /* 1.2 */
    LOAD_STATE_CHANGE,       /* 1.2: ChangeCipherSpec */
    LOAD_STATE_FINISHED,
    LOAD_STATE_PROOF, /* 1.3 */
    LOAD_STATE_DOOMED /* to be aborted at doomed_at; deaf until then */
};

/* What a connection offers: a group, and the ClientHello that says so. */
struct load_offer {
    struct load_exchange exchange;
    struct load_hello hello;
};

/* What all connections of a run share. */
struct load_run {
    const struct load_options *options;
    struct load_crypto crypto;
    struct load_offer offer[LOAD_GROUPS_MAX]; /* one for each of the options' groups */
    struct load_premasters premasters;
    uint64_t random; /* state of load_run_random() */
    int epoll;
    uint64_t alerts[256]; /* fatal alerts by description */
    char first_failure[160];
};

#define LOAD_IN_MAX        (LOAD_RECORD_HEADER + 16384 + 2048) /* the largest record of TLS 1.2 */
#define LOAD_HANDSHAKE_MAX 32768                               /* of one message: room for a long certificate chain */
#define LOAD_OUT_MAX       2048

struct load_conn {
    struct load_run *run;
    int fd;
    enum load_state state;
    struct load_offer *offer;
    uint64_t number;             /* the n-th connection with this offer */
    uint64_t scheduled, started; /* nanoseconds */
    enum load_abort_point abort_at;
    bool abort_by_reset;
    uint64_t abort_delay, doomed_at;

    EVP_MD_CTX *transcript;
    EVP_CIPHER_CTX *open; /* the server's keys, while open_on */
    bool open_on;
    bool keys_changed; /* by the message just handled: nothing may follow it in its record */
    bool extended_master;
    uint8_t open_iv[LOAD_IV_LEN];
    uint64_t open_sequence;
    uint8_t client_random[LOAD_RANDOM_LEN], server_random[LOAD_RANDOM_LEN];
    uint8_t premaster[LOAD_SHARED_MAX];
    size_t premaster_len;
    uint8_t master[LOAD_HASH_MAX];        /* 1.2: the master secret; 1.3: the handshake secret */
    uint8_t client_secret[LOAD_HASH_MAX]; /* 1.3: the client's handshake traffic secret */
    uint8_t server_secret[LOAD_HASH_MAX]; /* 1.3: the server's; 1.2: the server's key */

    const char *why; /* of a failure */
    size_t out_len, out_sent;
    size_t in_len, message_len;
    uint8_t out[LOAD_OUT_MAX];
    uint8_t dk[LOAD_DK_MAX]; /* of the share that was offered */
    uint8_t in[LOAD_IN_MAX];
    uint8_t message[LOAD_HANDSHAKE_MAX];
};

/* A pseudo-random number that depends on --seed alone; good enough for a load generator's randoms. */
uint64_t load_run_random(struct load_run *run);

/* CLOCK_MONOTONIC in nanoseconds. */
uint64_t load_now(void);

void load_conn_init(struct load_conn *conn, struct load_run *run);
void load_conn_clear(struct load_conn *conn);

/* Connects, and sends the ClientHello at once if the connection stands at once. epoll data is `slot`. */
enum load_verdict load_conn_start(struct load_conn *conn, uint32_t slot, uint64_t number, uint64_t scheduled);

/* epoll has reported these events. */
enum load_verdict load_conn_event(struct load_conn *conn, uint32_t slot, uint32_t events);

/* Ends the connection: by RST, or by FIN for a client that aborts that way. */
void load_conn_close(struct load_conn *conn, bool by_reset);

/* Handles len bytes that arrived (the first half of load_conn_event(), for the tests too). */
enum load_verdict load_conn_received(struct load_conn *conn, size_t len);

/* Notes why, and returns LOAD_FAILED_PROTOCOL. */
enum load_verdict load_conn_refuse(struct load_conn *conn, const char *why);

/* Sends what is in conn->out, the client's last flight, unless the plan is to abort before, in or after it. */
enum load_verdict load_conn_send_last(struct load_conn *conn);

/* One whole handshake message; raw is body with its header of four bytes before it. */
enum load_verdict load_tls12_message(struct load_conn *conn, unsigned type, struct load_reader body);
enum load_verdict load_tls13_message(struct load_conn *conn, unsigned type, struct load_reader body);

/* A ServerHello's fields that both versions check alike; false with conn->why set. */
bool load_conn_server_hello(struct load_conn *conn, struct load_server_hello *hello, struct load_reader body);

/* TLS 1.3: the records after the server's Finished. */
enum load_verdict load_tls13_proof(struct load_conn *conn, unsigned inner_type, struct load_reader content);

/* TLS 1.2: the server's keys are used from here on. */
void load_tls12_open(struct load_conn *conn);

#endif
