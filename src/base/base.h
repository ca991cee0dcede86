/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * What every file may use: compiler words, cleansing, the value barrier, assertions, marks for secrets.
 */
#ifndef OCT_BASE_BASE_H
#define OCT_BASE_BASE_H

#include <stddef.h>
#include <stdint.h>

#define OCT_INLINE       static inline __attribute__((always_inline))
#define OCT_UNLIKELY(x)  __builtin_expect(!!(x), 0)
#define OCT_NOINLINE     __attribute__((noinline))
#define OCT_ALIGN64      __attribute__((aligned(64)))
#define OCT_ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/* Before a short loop, such as that of a portable backend over its lanes. At -O2 gcc leaves it a loop, which takes
 * twice the time; clang unrolls it there by itself. */
#if defined(__clang__)
#define OCT_UNROLL
#else
#define OCT_UNROLL _Pragma("GCC unroll 16")
#endif

/* An error here is a defect of ours, never bad input. Always on: it costs nothing next to what the library does. */
#define OCT_ASSERT(condition)                                                                                          \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            oct_assert_failed(#condition, __FILE__, __LINE__);                                                         \
    } while (0)
_Noreturn void oct_assert_failed(const char *condition, const char *file, int line);

/* Sets memory to zero in a way that the compiler does not remove. */
void oct_cleanse(void *data, size_t len);

/* Overwrites the stack region below the caller, where the frames of kernels that have just returned left spilled
 * secrets. OCT_SCRUB_BYTES is more than any kernel's depth (tests/library/diff/test_rsa_stack.c measures it). */
#define OCT_SCRUB_BYTES (12 * 1024)
void oct_scrub_stack(void);

/*
 * MSan takes whatever goes into an asm statement for used, so under it memory hides the value and keeps its marks. It
 * also does not carry a mark along with the carry of a sum: one marked bit marks the whole word here, before a mask is
 * made of it.
 */
#if defined(__has_feature)
#if __has_feature(memory_sanitizer)
#include <sanitizer/msan_interface.h>
#define OCT_BARRIER_BY_MEMORY 1
#endif
#endif

/* Hides a value from the optimiser, so that it cannot turn masks into branches. */
OCT_INLINE uint64_t oct_value_barrier(uint64_t v)
{
#if defined(OCT_BARRIER_BY_MEMORY)
    volatile uint64_t hidden = v;
    if (__msan_test_shadow((const void *)&hidden, sizeof hidden) >= 0)
        __msan_allocated_memory((const void *)&hidden, sizeof hidden);
    return hidden;
#else
    __asm__("" : "+r"(v));
    return v;
#endif
}

/* All ones if v is not zero, else zero; no branch. */
OCT_INLINE uint64_t oct_mask_nonzero(uint64_t v)
{
    v = oct_value_barrier(v);
    return oct_value_barrier((uint64_t)0 - ((v | ((uint64_t)0 - v)) >> 63));
}

#endif
