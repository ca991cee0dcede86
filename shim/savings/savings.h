/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * What libssl and libcrypto do around an operation and need not: fetched.c keeps what libssl fetches for each
 * derivation, names.c the names of keys, tickets.c writes both tickets at once, sessions.c encodes what is in them,
 * process.c asks the kernel once which process this is, and decoders.c asks each decoder once what it is called. For
 * programs that speak QUIC hkdf.c keeps a context of HKDF, and ciphers.c what they fetch. Results are the same, and so
 * are the records on the wire. docs/internals/shim.md has the rest.
 */
#ifndef OCT_SHIM_SAVINGS_H
#define OCT_SHIM_SAVINGS_H

#include <stdbool.h>

/* Once, when it is decided that the shim goes to work. */
void oct_savings_setup(void);

/* The same, in a program whose handshakes of QUIC are served. */
void oct_quic_savings_setup(void);

/* Where the provider has come into the libcrypto that `handle` leads to (NULL: the program's). */
void oct_decoders_setup(void *handle);

/* These four for savings.c. */
void oct_fetched_setup(void);
void oct_tickets_setup(void);
void oct_sessions_setup(void);
void oct_process_setup(void);

#endif
