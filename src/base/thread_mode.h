/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * How the calling thread is served, and so what an operation on it does. Private: the preload shim writes it, the queue
 * and the OpenSSL provider read it. liboctuple.so exports these functions to its own two libraries; they are not part
 * of the C API, are not installed, and may change with any version. docs/internals/scheduling.md has the protocol.
 */
#ifndef OCT_BASE_THREAD_MODE_H
#define OCT_BASE_THREAD_MODE_H

#include <octuple/status.h>

#include <stdbool.h>

enum oct_thread_mode {
    /* Nobody serves the thread, and the operation may not pause: it may block, and run with those of other threads. */
    OCT_THREAD_BLOCKING = 0,
    /* Nobody serves the thread, and the operation is on a fibre of the program's. It pauses, and the first fibre that
     * is resumed polls the queue for all. */
    OCT_THREAD_NATIVE_ASYNC = 1,
    /* The shim serves the thread and polls its queue. Other handshakes are in flight, so the operation pauses and is
     * resumed when it is done. */
    OCT_THREAD_EVENT_LOOP = 2,
    /* The shim serves the thread, and the operation has nobody to wait for: it runs at once. */
    OCT_THREAD_ALONE = 3
};

/*
 * Sets how the thread is served: OCT_THREAD_EVENT_LOOP or OCT_THREAD_ALONE, by the shim before each handshake call in a
 * slice; OCT_THREAD_BLOCKING for a thread that nobody serves any more. What a thread was last set to stays until then.
 * In the child of a fork, and in what a thread does after its queue has gone, nobody serves the thread.
 */
OCT_API void oct_thread_set_mode(enum oct_thread_mode mode);

/* The mode of an operation. on_fibre: it is in a slice or on a fibre that may pause. On a thread that is served, an
 * operation that may not pause is alone: it must not block the thread either. */
OCT_API enum oct_thread_mode oct_thread_mode(bool on_fibre);

/* While draining, a paused operation that is resumed on this thread gives up: it cancels its job and fails, and
 * no operation on this thread pauses. Set around the resumption of a connection that is being freed. */
OCT_API void oct_thread_set_draining(bool on);
OCT_API bool oct_thread_is_draining(void);

/* True if the process surely has one thread: nobody else's operation can come while one runs. */
OCT_API bool oct_thread_is_only_one(void);

/* For the provider, when it is loaded; and for the shim, whether it ever was: then OpenSSL has read its configuration.
 */
OCT_API void oct_provider_set_loaded(void);
OCT_API bool oct_provider_was_loaded(void);

#endif
