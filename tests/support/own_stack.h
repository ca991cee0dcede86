/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* A function on a stack of the test's own, which can be looked at afterwards: how deep it went, and what it left. Comes
 * after <cmocka.h>. */
#ifndef OCT_TEST_OWN_STACK_H
#define OCT_TEST_OWN_STACK_H

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define STACK_BYTES (512 * 1024)
#define STACK_FRESH 0xa5 /* every byte that nobody has written to */

/* The caller frees it. */
static inline uint8_t *own_stack_new(void)
{
    uint8_t *stack = aligned_alloc(4096, STACK_BYTES);
    assert_non_null(stack);
    return stack;
}

static inline void own_stack_run(uint8_t *stack, void *(*body)(void *), void *arg)
{
    pthread_attr_t attributes;
    pthread_t thread;

    memset(stack, STACK_FRESH, STACK_BYTES);
    assert_int_equal(pthread_attr_init(&attributes), 0);
    assert_int_equal(pthread_attr_setstack(&attributes, stack, STACK_BYTES), 0);
    assert_int_equal(pthread_create(&thread, &attributes, body, arg), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    pthread_attr_destroy(&attributes);
}

/* Bytes from the frame at `top` to the lowest byte that was written to. */
static inline size_t own_stack_depth(const uint8_t *stack, const uint8_t *top)
{
    const uint8_t *low = stack;

    while (*low == STACK_FRESH)
        low++;
    return (size_t)(top - low);
}

/* How many words of a region are one of these secrets, small numbers apart. */
static inline unsigned own_stack_secrets(const uint8_t *from, const uint8_t *to, const uint64_t *secret, size_t count)
{
    unsigned found = 0;
    for (; from + 8 <= to; from += 8) {
        uint64_t word;
        memcpy(&word, from, sizeof word);
        for (size_t i = 0; i < count; i++)
            found += word == secret[i] && word > 0xffff;
    }
    return found;
}

#endif
