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

/* Of one fibre. */
struct oct_sanitizer {
#if defined(OCT_ASAN)
    void *inside, *outside; /* AddressSanitizer's own stacks */
    const void *bottom;     /* the stack of who resumed the fibre */
    size_t size;
#endif
#if defined(OCT_TSAN)
    void *fibre, *thread;
#endif
    char unused;
};

#if defined(OCT_ASAN)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(OCT_TSAN)
#include <sanitizer/tsan_interface.h>
#endif

/* A fibre is about to be started on memory that others may have used. */
static inline void oct_sanitizer_begin(struct oct_sanitizer *s, void *stack, size_t size)
{
    (void)s, (void)stack, (void)size;
#if defined(OCT_ASAN)
    s->inside = NULL;
    ASAN_UNPOISON_MEMORY_REGION(stack, size);
#endif
#if defined(OCT_TSAN)
    if (s->fibre != NULL)
        __tsan_destroy_fiber(s->fibre); /* its first call never returned, and would stay on its stack of calls */
    s->fibre = __tsan_create_fiber(0);
#endif
}

/* The fibre will never run again. */
static inline void oct_sanitizer_end(struct oct_sanitizer *s)
{
    (void)s;
#if defined(OCT_TSAN)
    if (s->fibre != NULL)
        __tsan_destroy_fiber(s->fibre);
#endif
}

/* In front of the way to the fibre, and behind the way back from it. */
static inline void oct_sanitizer_go_in(struct oct_sanitizer *s, const void *stack, size_t size)
{
    (void)s, (void)stack, (void)size;
#if defined(OCT_ASAN)
    __sanitizer_start_switch_fiber(&s->outside, stack, size);
#endif
#if defined(OCT_TSAN)
    s->thread = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(s->fibre, 0);
#endif
}

static inline void oct_sanitizer_came_out(struct oct_sanitizer *s)
{
    (void)s;
#if defined(OCT_ASAN)
    __sanitizer_finish_switch_fiber(s->outside, NULL, NULL);
#endif
}

/* On the fibre: it has been reached; it is about to be left, for good or not. */
static inline void oct_sanitizer_came_in(struct oct_sanitizer *s)
{
    (void)s;
#if defined(OCT_ASAN)
    __sanitizer_finish_switch_fiber(s->inside, &s->bottom, &s->size);
#endif
}

static inline void oct_sanitizer_go_out(struct oct_sanitizer *s, int for_good)
{
    (void)s, (void)for_good;
#if defined(OCT_ASAN)
    __sanitizer_start_switch_fiber(for_good ? NULL : &s->inside, s->bottom, s->size);
#endif
#if defined(OCT_TSAN)
    __tsan_switch_to_fiber(s->thread, 0);
#endif
}

/* Around a turn of one of OpenSSL's jobs, which AddressSanitizer finds out by itself. */
static inline void oct_sanitizer_job_begin(struct oct_sanitizer *s)
{
    (void)s;
#if defined(OCT_TSAN)
    s->fibre = s->fibre != NULL ? s->fibre : __tsan_create_fiber(0);
    s->thread = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(s->fibre, 0);
#endif
}

static inline void oct_sanitizer_job_end(struct oct_sanitizer *s)
{
    (void)s;
#if defined(OCT_TSAN)
    __tsan_switch_to_fiber(s->thread, 0);
#endif
}

#endif
