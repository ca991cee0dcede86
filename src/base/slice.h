/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Slices: handshake calls that the preload shim may pause. Such a call runs on its thread's own stack, a little way
 * below its caller. When it pauses, what it has put there is copied away, and its caller goes on. When it is resumed,
 * that is put back at the same addresses. The shim makes and resumes slices (shim/handshake/slice.c); whoever runs an
 * operation inside one may pause it here. Private, as thread_mode.h is: liboctuple.so exports these functions to its
 * own two libraries.
 *
 * To pause: ask oct_slice_may_pause() whether others are in flight (who waits for a device need not), look whether what
 * is waited for is there already, call oct_slice_pause(), and look again. Whoever makes it come true calls
 * oct_slice_tell(), on the slice's own thread. A slice never moves to another thread.
 *
 * While a slice is away, other calls use its place on the stack. So nothing outside may point into it: what others read
 * or write meanwhile lies on the heap, or is led to the copy by moved().
 */
#ifndef OCT_BASE_SLICE_H
#define OCT_BASE_SLICE_H

#include <octuple/status.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How an operation waits in a slice. The object lies on the heap, or lives as long as the program. */
struct oct_slice_wait {
    /* The slice has been copied: what lay at an address from low up to top, lies `by` bytes above it until the slice is
     * resumed. May be NULL. */
    void (*moved)(void *arg, uintptr_t low, uintptr_t top, ptrdiff_t by);
    /* The slice will never be resumed: what the operation holds is to be let go. Called once, on its own thread. */
    void (*lost)(void *arg);
};

/* What an operation is to libssl, which waits for it; a bit each. None: nobody may wait for it. */
enum oct_slice_work {
    OCT_WORK_NONE = 0,
    OCT_WORK_SIGN = 1,     /* with a private key */
    OCT_WORK_DECRYPT = 2,  /* with a private key */
    OCT_WORK_EXCHANGE = 4, /* a key pair, a shared secret, an encapsulation */
};

/* Its maker fills in the first seven and may only read the others. */
struct oct_slice {
    uintptr_t low, top; /* the thread's stack below it; the outermost return address is below top */
    const void *mark;   /* what stands at top */
    /* It may wait for such work here, and will be resumed when it has been told. */
    bool (*may_pause)(struct oct_slice *, enum oct_slice_work work);
    /* Goes back to who resumed it, and returns true when it is resumed again. False if it cannot: no memory. */
    bool (*leave)(struct oct_slice *);
    void (*can_go_on)(struct oct_slice *); /* it has been told: it is to be resumed soon */
    uint64_t worth; /* nanoseconds: it is not to be paused for what takes less; known once it may be paused */
    bool paused, told;
    const struct oct_slice_wait *wait;
    void *arg;
};

/* The slice that the caller runs in; NULL: it runs in none, or on another stack, or this cannot be told, since
 * coroutines that share the stack have left their slices and come back in another order. A call that has left its slice
 * by longjmp() may find that slice too, if it stands below it. */
OCT_API struct oct_slice *oct_slice_current(void);

/* False if the slice must not be paused now for such work: it is to be done at once. */
OCT_API bool oct_slice_may_pause(struct oct_slice *slice, enum oct_slice_work work);

/*
 * Pauses the calling slice until it is told. True if it was. False if it is resumed all the same: its connection is
 * given up (oct_thread_is_draining()), its program wants the result at once, this is the child of a fork, where nobody
 * tells; or if it could not be paused at all. `arg` is for the functions of `wait` and points to the heap.
 */
OCT_API bool oct_slice_pause(struct oct_slice *slice, const struct oct_slice_wait *wait, void *arg);

/* What the slice has paused for is there. Does nothing to one that is not paused. */
OCT_API void oct_slice_tell(struct oct_slice *slice);

/* For the maker: the thread goes into that slice, or (NULL) out of all. */
OCT_API void oct_slice_enter(struct oct_slice *slice);
/* For the maker: the object goes. A call may have left it by a jump, as if the thread were in it still. */
OCT_API void oct_slice_forget(const struct oct_slice *slice);
/* For the maker: the slice has been copied, as moved() has it. */
OCT_API void oct_slice_moved(const struct oct_slice *slice, uintptr_t low, ptrdiff_t by);
/* For the maker: the slice will never run again. */
OCT_API void oct_slice_lose(struct oct_slice *slice);

#endif
