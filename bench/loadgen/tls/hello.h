/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The ClientHello, made once and patched for each connection, and what a ServerHello says. */
#ifndef OCTUPLE_LOADGEN_HELLO_H
#define OCTUPLE_LOADGEN_HELLO_H

#include "bytes.h"
#include "exchange.h"
#include "options.h"

#define LOAD_HELLO_MAX      2048
#define LOAD_RECORD_HEADER  5
#define LOAD_SESSION_ID_LEN 32

/* A whole record with a ClientHello; the offsets are those of what differs from connection to connection. */
struct load_hello {
    uint8_t record[LOAD_HELLO_MAX];
    size_t len;
    size_t random_at, session_at, share_at; /* session_at and share_at are 0 where there is none */
};

/* Exactly one key share and one strength is offered, so that a server can only do what is to be measured, or refuse. */
void load_hello_init(struct load_hello *hello, const struct load_options *options,
                     const struct load_exchange *exchange);

struct load_server_hello {
    const uint8_t *random;
    const uint8_t *session_id;
    size_t session_id_len;
    unsigned suite;
    unsigned version; /* 0x0303 or 0x0304 */
    unsigned group;   /* TLS 1.3: of the key share; else 0 */
    const uint8_t *share;
    size_t share_len;
    bool extended_master; /* RFC 7627 */
};

/* The pointers are into the reader's bytes. False if malformed, or a HelloRetryRequest: with one group on offer a
 * server has no use for it. */
bool load_server_hello_parse(struct load_server_hello *hello, struct load_reader body);

/* Whether the suite is one that was offered. */
bool load_suite_offered(const struct load_options *options, unsigned suite);

#endif
