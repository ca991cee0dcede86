/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The queue of each thread. */
#include "batch/queue_internal.h"

#include "base/thread_mode.h"

#include <pthread.h>

static pthread_once_t keyed = PTHREAD_ONCE_INIT;

/* The key exists for its destructor; the pointer beside it is quicker to read. */
static pthread_key_t key;
static int key_error;
static __thread struct oct_queue *own;

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
