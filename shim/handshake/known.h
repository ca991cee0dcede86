/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* What is known of SSL objects (known.c). */
#ifndef OCT_SHIM_KNOWN_H
#define OCT_SHIM_KNOWN_H

#include "handshake/conn.h"

/* Its connection (struct oct_conn), and what quic/ knows of it (struct oct_quic). */
enum oct_known_kind { OCT_KNOWN_CONN, OCT_KNOWN_QUIC, OCT_KNOWN_KINDS };

/* NULL: nothing. From any thread. */
void *oct_known(const SSL *s, enum oct_known_kind kind);
/* What `ask` says of the connection of s, which stays for so long; false if there is none. From any thread. `ask` takes
 * no lock that somebody may hold who comes here. */
bool oct_known_ask(const SSL *s, bool (*ask)(struct oct_conn *conn));
/* That many more calls of s are paused, from one to its end. So whoever comes to s knows by one load that it is not. */
void oct_known_away(const SSL *s, int more);
bool oct_known_may_be_away(const SSL *s);
/* NULL takes it out. False if there is no memory. */
bool oct_known_set(const SSL *s, enum oct_known_kind kind, void *value);

/* The program has one reference to s more than the first, as OpenSSL does not tell how many there are. And one less:
 * false if it has told of none. */
void oct_known_refer(const SSL *s);
bool oct_known_unrefer(const SSL *s);

/* False if the end of objects cannot be seen: then nothing can be known. */
bool oct_known_setup(void);
/* In the child of a fork: tells each connection. */
void oct_known_forked(void (*tell)(struct oct_conn *conn));

#endif
