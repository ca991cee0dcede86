/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* What the command line asks for. */
#ifndef OCTUPLE_LOADGEN_OPTIONS_H
#define OCTUPLE_LOADGEN_OPTIONS_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

#define LOAD_GROUPS_MAX 8

enum load_group {
    LOAD_GROUP_X25519 = 0x001d, /* the values are those of RFC 8446, section 4.2.7 */
    LOAD_GROUP_P256 = 0x0017,
    LOAD_GROUP_P384 = 0x0018,
    LOAD_GROUP_P521 = 0x0019,
    LOAD_GROUP_SECP256R1MLKEM768 = 0x11eb, /* and those of draft-ietf-tls-ecdhe-mlkem */
    LOAD_GROUP_X25519MLKEM768 = 0x11ec,
    LOAD_GROUP_SECP384R1MLKEM1024 = 0x11ed
};

/* What shows that a server has accepted a TLS 1.3 client's Finished. TLS 1.2 needs nothing: the server speaks last. */
enum load_proof {
    LOAD_PROOF_TICKET, /* its NewSessionTicket, which it sends by itself, after the Finished */
    LOAD_PROOF_CLOSE,  /* its close_notify in answer to ours (a ticket will do as well) */
    LOAD_PROOF_GET     /* its answer to an HTTP request */
};

/* Milliseconds, drawn evenly from least to most. */
struct load_range {
    unsigned least, most;
};

struct load_options {
    struct sockaddr_in server;
    unsigned tls;                           /* 12 or 13 */
    bool rsa_kx;                            /* TLS 1.2: RSA key exchange, no ECDHE */
    enum load_group group[LOAD_GROUPS_MAX]; /* connections take them in turn, one each */
    unsigned groups;
    unsigned bits; /* 128: AES-128-GCM with SHA-256; 256: AES-256-GCM with SHA-384 */
    enum load_proof proof;
    bool tickets;         /* TLS 1.2: offer session tickets (TLS 1.3 clients always do) */
    unsigned shares;      /* 0: the generator as key share, see kex.h; else how many real ones to make beforehand */
    unsigned connections; /* at the same time, at the most */
    double rate;          /* open loop: new connections a second; 0: closed loop */
    uint64_t handshakes;  /* connections to begin; 0: no limit */
    double seconds;       /* how long to begin connections; 0: no limit */
    double timeout;       /* seconds for one handshake */
    double warm_up;       /* seconds whose handshakes are in no rate and no latency */
    double abort_percent; /* connections that the client gives up at a random point */
    struct load_range patience; /* for how long a client waits before it leaves by FIN; most 0: for --timeout */
    struct load_range retry;    /* after which time one that was not served comes again; most 0: never */
    uint64_t seed;
    unsigned sources; /* how many addresses 127.0.0.x to connect from; 0: leave it to the system */
    int cpu;          /* -1: do not pin */
    bool json;
};

/* Fills *options. Returns -1 to go on, else the program's exit status: 0 after --help, 2 after an error that has been
 * told. */
int load_options_parse(struct load_options *options, int argc, char **argv);

#endif
