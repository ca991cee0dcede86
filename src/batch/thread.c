/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The queue of each thread, and the number that tells a forked child from its parent. */
#include "batch/queue_internal.h"

#include "base/thread_mode.h"

#include <pthread.h>

static uint64_t generation = 1;
static pthread_once_t watched = PTHREAD_ONCE_INIT;
static pthread_once_t keyed = PTHREAD_ONCE_INIT;

/* The key exists for its destructor; the pointer beside it is quicker to read. */
static pthread_key_t key;
static int key_error;
static __thread struct oct_queue *own;

/* The child has one thread, and nobody serves it yet. */
static void forked_child(void)
{
    oct_thread_set_mode(OCT_THREAD_BLOCKING);
    __atomic_fetch_add(&generation, 1, __ATOMIC_RELAXED);
}

static void watch(void)
{
    pthread_atfork(NULL, NULL, forked_child);
}

void oct_process_watch(void)
{
    pthread_once(&watched, watch);
}

uint64_t oct_process_generation(void)
{
    return __atomic_load_n(&generation, __ATOMIC_RELAXED);
}

/* Destructors of other keys may still ask for a queue after this one: they get a new one, and this is called again. */
static void thread_ends(void *queue)
{
    own = NULL;
    oct_thread_set_mode(OCT_THREAD_BLOCKING);
    oct_queue_destroy(queue);
}

static void make_key(void)
{
    key_error = pthread_key_create(&key, thread_ends);
}

struct oct_queue *oct_queue_thread_peek(void)
{
    return own;
}

struct oct_queue *oct_queue_thread(void)
{
    struct oct_queue *queue;

    if (own != NULL)
        return own;
    pthread_once(&keyed, make_key);
    if (key_error != 0 || oct_queue_new(&queue, NULL) != OCT_OK)
        return NULL;
    if (pthread_setspecific(key, queue) != 0) {
        oct_queue_destroy(queue);
        return NULL;
    }
    own = queue;
    return own;
}
