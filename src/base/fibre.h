/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Fibres of the preload shim's. The shim makes and resumes them (shim/fibre.c); whoever runs an operation on one may
 * pause it here. Private, as thread_mode.h is: liboctuple.so exports these functions to its own two libraries.
 *
 * To pause: ask oct_fibre_may_pause(), look whether what is waited for is there already, call oct_fibre_pause(), and
 * look again. Whoever makes it come true calls oct_fibre_tell(), on the fibre's own thread and not on a fibre. A fibre
 * never moves to another thread.
 */
#ifndef OCT_BASE_FIBRE_H
#define OCT_BASE_FIBRE_H

#include <octuple/status.h>

#include <stdbool.h>
#include <stdint.h>

/* Its maker fills in the first five and may only read the others. */
struct oct_fibre {
    uintptr_t low, top;                    /* its stack; the outermost return address lies right below top */
    bool (*may_pause)(struct oct_fibre *); /* it will be resumed when it has been told */
    void (*leave)(struct oct_fibre *);     /* goes back to who resumed it, and returns when it is resumed again */
    void (*can_go_on)(struct oct_fibre *); /* it has been told: it is to be resumed soon */
    bool paused, told;
    void (*lost)(void *arg);
    void *arg;
};

/* The fibre that the caller stands on; NULL: it is on none, or on another stack. */
OCT_API struct oct_fibre *oct_fibre_current(void);

/* False if the fibre must not be paused now: what it waits for is to be done at once. */
OCT_API bool oct_fibre_may_pause(struct oct_fibre *fibre);

/*
 * Pauses the calling fibre until it is told. True if it was. False if it is resumed all the same: its connection is
 * given up (oct_thread_is_draining()), or this is the child of a fork, where nobody tells.
 *
 * A fibre whose thread ends, or whose SSL object goes, may never be resumed. Then lost(arg) is called once, on the
 * fibre's own thread: nothing may be written to the fibre's stack any more, and what the caller holds is to be let go.
 */
OCT_API bool oct_fibre_pause(struct oct_fibre *fibre, void (*lost)(void *arg), void *arg);

/* What the fibre has paused for is there. Does nothing to one that is not paused. */
OCT_API void oct_fibre_tell(struct oct_fibre *fibre);

/* For the maker: the thread goes over to that fibre, or (NULL) to its own stack. */
OCT_API void oct_fibre_enter(struct oct_fibre *fibre);
/* For the maker: the fibre will never run again. */
OCT_API void oct_fibre_lose(struct oct_fibre *fibre);

#endif
