/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The TLS groups that a server takes, by handshakes with it. listen.c finds where a process listens, address.c reads an
 * address that was given and connects, handshake.c speaks TLS, offer.c offers one group after the other. groups.c and
 * why.c make findings of it.
 */
#ifndef OCT_CLI_DOCTOR_PORTS_H
#define OCT_CLI_DOCTOR_PORTS_H

#include <netdb.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <sys/types.h>

#define DOCTOR_PORTS        8
#define DOCTOR_MILLISECONDS 1000 /* for a connection and its handshake */

/* The groups that are offered, one at a time. */
struct doctor_group {
    const char *name;
    bool post_quantum;
};
#define DOCTOR_GROUPS 6
extern const struct doctor_group doctor_groups[DOCTOR_GROUPS];

/* What became of a group, or of a port. */
enum doctor_answer {
    ANSWER_NONE,        /* not asked: this command's OpenSSL does not have the group, or the port was given up */
    ANSWER_TAKEN,       /* the handshake was completed */
    ANSWER_ALERT,       /* TLS, and a refusal */
    ANSWER_PLAIN,       /* something else than TLS, or the connection closed without a word */
    ANSWER_SILENT,      /* nothing in time */
    ANSWER_UNREACHABLE, /* no connection */
};

struct doctor_port {
    char name[NI_MAXHOST + 16]; /* HOST:PORT, for people */
    char host[NI_MAXHOST];      /* the server's name for TLS; "" for an address */
    struct sockaddr_storage address;
    socklen_t size;
    bool any; /* bound to all addresses of the machine */
    enum doctor_answer group[DOCTOR_GROUPS];
    enum doctor_answer answer; /* TAKEN if a group was taken, else the last answer */
    int error;                 /* errno of UNREACHABLE, the number of an ALERT */
    int odd_rsa;               /* the bits of its certificate's RSA key, if no lanes are for them; else 0 */
};

struct doctor_ports {
    struct doctor_port port[DOCTOR_PORTS];
    unsigned count, missed; /* those beyond the array */
    bool given;             /* the address was given */
    const char *obstacle;   /* why there are none; NULL if there may be some */
    const char *advice;
};

/* Stores where the process and its descendants listen for TCP, as addresses that can be reached from here. May enter
 * the network namespace of the process, for good. */
void doctor_find_ports(struct doctor_ports *ports, pid_t pid);

/* HOST:PORT or [ADDRESS]:PORT. Returns 0 if it is neither. */
int doctor_read_address(struct doctor_port *port, const char *text);

/* Looks up the host that was read: of several addresses the first that takes a connection. Returns NULL, or why it is
 * not found (static). */
const char *doctor_find_address(struct doctor_port *port);

/* A descriptor that does not block, or -1 with errno; ETIMEDOUT at the deadline, in milliseconds of doctor_clock(). */
int doctor_connect(const struct doctor_port *port, long deadline);
long doctor_clock(void);

/* 1 when there is one of `events` at the descriptor (poll(2)); 0 when there was none until the deadline. */
int doctor_wait(int fd, short events, long deadline);

/* Offers one group; `error` is then as in doctor_port. A server that speaks first within `patience` milliseconds is not
 * sent anything: TLS is not what it speaks. */
struct ssl_ctx_st;
enum doctor_answer doctor_handshake(struct ssl_ctx_st *ctx, struct doctor_port *port, const char *group, long patience,
                                    int *error);

/* Offers each group to each port. */
void doctor_offer_groups(struct doctor_ports *ports);

/* Whether the port takes a post-quantum group. */
bool doctor_is_post_quantum(const struct doctor_port *port);

/* Whether this command could offer one. */
bool doctor_offered_post_quantum(const struct doctor_port *port);

#endif
