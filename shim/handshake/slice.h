/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * A handshake call that can be paused without a stack of its own (base/slice.h). It begins on its thread's stack, a gap
 * below its caller. While it is paused its part of the stack lies in a copy. So the program's callbacks find themselves
 * on the stack that they know; exceptions and longjmp() out of them reach who called last.
 *
 *   slice.c         a call begins, pauses, goes on, ends
 *   points.c        where a call may pause
 *   slice_switch.c  the switch itself, in assembly, and the copies
 *   own_stack.c     where a thread's own stack lies
 */
#ifndef OCT_SHIM_SLICE_H
#define OCT_SHIM_SLICE_H

#include "handshake/conn.h"

#include "base/slice.h"

/* True if calls can be paused in this process: there is code for this CPU, no shadow stack, and no sanitizer in the
 * program that keeps account of the stack. */
bool oct_slice_possible(void);

/* True if a call that begins here may be paused: the caller stands on the thread's own stack, in no other slice, and
 * there is room. */
bool oct_slice_may_begin(struct oct_thread *t);

/* How conn's slice, which is paused, can be resumed from where the caller stands. */
enum oct_slice_place {
    OCT_SLICE_FITS,    /* the caller stands above it */
    OCT_SLICE_OVERLAPS /* live frames may lie in its place, or the caller stands on another stack */
};
enum oct_slice_place oct_slice_place(const struct oct_conn *conn);

/* Begins the call, or resumes the one that conn is paused in. Returns true if the call has ended, which the slice was
 * begun with: *value is what it returned. Where it overlaps, live frames are put aside while it runs. To be called on
 * conn's own thread. False also if there is no memory to begin; then conn has no slice. */
bool oct_slice_run(struct oct_conn *conn, oct_handshake_call *call, void *arg, int *value);

/* conn is paused in a call. */
bool oct_slice_is_away(const struct oct_conn *conn);

/* What its object had in SSL_get_shutdown() then: while it is paused it is shut. */
int oct_slice_shutdown(const struct oct_conn *conn);

/* conn's last slice began with this call. */
bool oct_slice_began_with(const struct oct_conn *conn, oct_handshake_call *call);

/* Whose call it is that the caller runs in; NULL: it is in no slice. */
struct oct_conn *oct_slice_conn(void);

/* conn's slice will never be resumed. To be called on its own thread. */
void oct_slice_abandon(struct oct_conn *conn);
/* The end of its memory. */
void oct_slice_free(struct oct_conn *conn);

/* slice_switch.c */
/* A part of the stack, copied. */
struct oct_stack_copy {
    char *bytes;
    size_t room, size;
    char *shadow; /* AddressSanitizer's; else NULL */
};
bool oct_stack_copy_reserve(struct oct_stack_copy *copy, size_t size);
bool oct_stack_copy_out(struct oct_stack_copy *copy, uintptr_t low, uintptr_t top);
void oct_stack_copy_in(const struct oct_stack_copy *copy, uintptr_t low);
void oct_stack_copy_free(struct oct_stack_copy *copy);

/* What the switch knows of a slice. Its first four are known to the assembly by their place. */
struct oct_switch {
    uintptr_t caller; /* the stack pointer of the call that runs it now */
    uintptr_t low;    /* its own, while it is away */
    uintptr_t aside;  /* live frames from here up to top lie in `frames`, and are to be put back; 0: none */
    uintptr_t stand;  /* where to stand while it is put in place; 0: below it, and below the caller */
    uintptr_t top;
    struct oct_stack_copy copy, frames;
    bool overlaps; /* what is in its place is to be put aside first */
};

/* Calls begin(arg) on the stack below top, which is s->top and a multiple of 16. There stands the mark, `s` itself, and
 * below it the outermost return address. True if the call has returned, false if it has paused. */
#define OCT_SWITCH_MARK_BYTES 16
bool oct_switch_begin(struct oct_switch *s, void (*begin)(void *arg), void *arg, uintptr_t top);
/* Inside: goes back to the call that runs it. True when it is resumed; false at once if there is no memory. */
bool oct_switch_leave(struct oct_switch *s);
/* Goes on with it; as oct_switch_begin(). */
bool oct_switch_resume(struct oct_switch *s);
/* The slice has been copied (slice.c). */
void oct_switch_copied(struct oct_switch *s);

/* points.c */
/* True if libssl stands at a point of s where a handshake may pause for such work. */
bool oct_point_is_here(const SSL *s, enum oct_slice_work work);

/* own_stack.c */
/* The lowest address of the calling thread's own stack, if `here` lies on it, and no slice is visited there; else 0. */
uintptr_t oct_own_stack(struct oct_thread *t, uintptr_t here);

/* veil.c */
/* True if the program has an info callback, or may get one while a device is at work. */
bool oct_veil_is_due(const struct oct_conn *conn);
/* Around a call of libssl in a slice. */
void oct_veil_put_on(struct oct_conn *conn);
void oct_veil_take_off(struct oct_conn *conn);

#endif
