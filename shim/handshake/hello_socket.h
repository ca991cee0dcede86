/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* A connection whose hello nobody has read yet, as the kernel has it. */
#ifndef OCT_SHIM_HELLO_SOCKET_H
#define OCT_SHIM_HELLO_SOCKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Milliseconds since the client's last bytes came, and since it last said anything, its end included. */
struct oct_waits {
    uint32_t data, any;
};

enum oct_peer {
    OCT_PEER_UNKNOWN, /* it is no connection of TCP */
    OCT_PEER_THERE,
    OCT_PEER_ENDED, /* it has ended its side */
    OCT_PEER_GONE,  /* it has reset the connection */
    OCT_PEER_OTHER  /* this side has ended its own */
};

enum oct_peer oct_hello_peer(int fd, struct oct_waits *waits);

/* Of several paths below one connection (MPTCP) one may have ended alone. */
bool oct_hello_is_plain_tcp(int fd);

/* How many bytes wait at fd, if these are one whole hello without early data; else 0. */
size_t oct_hello_waits(int fd);
/* Just these bytes: the error of a reset is libssl's to find. False: there was something else. */
bool oct_hello_throw_away(int fd);

#endif
