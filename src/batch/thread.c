/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The queue of each thread. */
#include "batch/queue_internal.h"

#include "base/spares.h"
#include "base/thread_mode.h"

#include <pthread.h>

static pthread_once_t keyed = PTHREAD_ONCE_INIT;

/* The key exists for its destructor; the pointer beside it is quicker to read. */
static pthread_key_t key;
static int key_error;
static __thread struct oct_queue *own;
static struct oct_spares spares; /* with what they have learned of costs */

/* Not one that is in a call, which the thread's end has cut off. */
static bool leave(struct oct_queue *queue)
{
    if (queue->busy)
        return false;
    oct_queue_empty(queue);
    queue->deferred = false;
    return oct_spares_leave(&spares, queue);
}

/* Destructors of other keys may still ask for a queue after this one: they get a new one, and this is called again. */
static void thread_ends(void *queue)
{
    own = NULL;
    oct_thread_set_mode(OCT_THREAD_BLOCKING);
    if (!leave(queue))
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
    queue = key_error == 0 ? oct_spares_take(&spares) : NULL;
    if (queue == NULL && (key_error != 0 || oct_queue_new(&queue, NULL) != OCT_OK))
        return NULL;
    if (pthread_setspecific(key, queue) != 0) {
        oct_queue_destroy(queue);
        return NULL;
    }
    own = queue;
    return own;
}
