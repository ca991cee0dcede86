/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* What AddressSanitizer and ThreadSanitizer are told of a change of stacks. Without them, nothing. */
#ifndef OCT_SHIM_SANITIZE_H
#define OCT_SHIM_SANITIZE_H

#include <stddef.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define OCT_ASAN 1
#endif
#if __has_feature(thread_sanitizer)
#define OCT_TSAN 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define OCT_ASAN 1
#endif
#if defined(__SANITIZE_THREAD__)
#define OCT_TSAN 1
#endif

/* Of one slice, or of one of OpenSSL's jobs. AddressSanitizer's account of the stack is copied with the slice
 * (slice_switch.c). */
struct oct_sanitizer {
#if defined(OCT_TSAN)
    void *fibre, *thread;
#endif
    char unused;
};

#if defined(OCT_ASAN)
#include <sanitizer/asan_interface.h>
#endif
#if defined(OCT_TSAN)
#include <sanitizer/tsan_interface.h>
#endif

/* A call is about to begin. */
static inline void oct_sanitizer_begin(struct oct_sanitizer *s)
{
    (void)s;
#if defined(OCT_TSAN)
    if (s->fibre != NULL)
        __tsan_destroy_fiber(s->fibre); /* its first call never returned, and would stay on its stack of calls */
    s->fibre = __tsan_create_fiber(0);
#endif
}

/* It will never run again. */
static inline void oct_sanitizer_end(struct oct_sanitizer *s)
{
    (void)s;
#if defined(OCT_TSAN)
    if (s->fibre != NULL)
        __tsan_destroy_fiber(s->fibre);
#endif
}

/* In front of the way in, and of the way out or behind it. */
static inline void oct_sanitizer_go_in(struct oct_sanitizer *s)
{
    (void)s;
#if defined(OCT_TSAN)
    s->fibre = s->fibre != NULL ? s->fibre : __tsan_create_fiber(0);
    s->thread = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(s->fibre, 0);
#endif
}

static inline void oct_sanitizer_go_out(struct oct_sanitizer *s)
{
    (void)s;
#if defined(OCT_TSAN)
    __tsan_switch_to_fiber(s->thread, 0);
#endif
}

#endif
