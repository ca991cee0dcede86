/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Writes to sockets, for the sake of those that end a handshake (handshake/ride.c). */
#include "handshake/ride.h"

#include <sys/socket.h>

__attribute__((visibility("default"))) ssize_t send(int fd, const void *buf, size_t n, int flags)
{
    return oct_ride_send(fd, buf, n, flags);
}
