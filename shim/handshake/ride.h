/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The last bytes of a handshake go out with what follows them (ride.c). */
#ifndef OCT_SHIM_RIDE_H
#define OCT_SHIM_RIDE_H

#include "handshake/thread.h"

#include <sys/types.h>

/* libssl is about to send the last bytes of conn's handshake, which its client does not wait for. */
void oct_ride_begin(struct oct_conn *conn);
/* It has. */
void oct_ride_end(void);

/* send(), called in whatever way: whoever calls it knows nothing of this. */
ssize_t oct_ride_send(int fd, const void *buf, size_t n, int flags);

/* True where bytes of this thread's are being sent that may wait. */
static inline bool oct_ride_is_on(void)
{
    const struct oct_thread *t = oct_thread_peek();
    return __builtin_expect(t != NULL && t->rides != NULL, 0);
}

/* s has sent data: what waited there has gone out with it. */
void oct_ride_followed(struct oct_thread *t, const SSL *s);
static inline void oct_ride_wrote(const SSL *s)
{
    struct oct_thread *t = oct_thread_peek();
    if (__builtin_expect(t != NULL && t->ride_count != 0, 0))
        oct_ride_followed(t, s);
}

/* The thread is about to wait for events: what waits still goes out now. */
void oct_ride_go(struct oct_thread *t);

#endif
