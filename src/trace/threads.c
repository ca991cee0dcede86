/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Which slot a thread counts in. It takes one with its first operation and keeps it until it ends, so that nobody else
 * writes there: no lock, and no atomic addition. Slots go round: those that were never used first, then that of the
 * thread that ended longest ago, whose numbers move to the first slot. Where all are taken the first one serves, whose
 * additions are atomic.
 */
#include "trace/counters.h"

#include "base/clock.h"
#include "trace/file.h"

#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define OWN_SLOTS (OCT_COUNTERS_THREADS - 1)

static __thread struct oct_thread_counters *own;
static atomic_uint turn; /* where the next thread begins to look */

/* The key exists for its destructor. */
static pthread_key_t key;
static pthread_once_t keyed = PTHREAD_ONCE_INIT;
static int key_error;

uint64_t oct_counters_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (uint64_t)t.tv_sec * OCT_NANOSECONDS + (uint64_t)t.tv_nsec;
}

/* Destructors of other keys may still count after this one: in the first slot. */
static void thread_ends(void *file)
{
    struct oct_thread_counters *others = &((struct oct_counters_file *)file)->thread[0];
    if (own != NULL && own != others) {
        struct oct_thread_counters *mine = own;
        atomic_store_explicit(oct_atomic_word(&mine->state), OCT_THREAD_ENDED, memory_order_release);
        oct_counters_file_write(&(struct oct_counters_part){mine, sizeof mine->state}, 1);
    }
    own = others;
}

static void make_key(void)
{
    key_error = pthread_key_create(&key, thread_ends);
}

/* The state that the slot had, FREE or ENDED, if it could be taken; else TAKEN. */
static uint64_t take(struct oct_thread_counters *slot)
{
    uint64_t state = atomic_load_explicit(oct_atomic_word(&slot->state), memory_order_relaxed);
    if (state != OCT_THREAD_FREE && state != OCT_THREAD_ENDED)
        return OCT_THREAD_TAKEN;
    const int taken = atomic_compare_exchange_strong_explicit(oct_atomic_word(&slot->state), &state, OCT_THREAD_TAKEN,
                                                              memory_order_acquire, memory_order_relaxed);
    return taken ? state : OCT_THREAD_TAKEN;
}

/* A reader may see the numbers in both places for a moment, but not that the slot is another thread's. */
static void move_to_others(struct oct_counters_file *file, struct oct_thread_counters *slot)
{
    uint64_t *from = (uint64_t *)slot->op, *to = (uint64_t *)file->thread[0].op;
    for (size_t i = 0; i < sizeof slot->op / (sizeof *from); i++) {
        const uint64_t n = atomic_load_explicit(oct_atomic_word(from + i), memory_order_relaxed);
        if (n == 0)
            continue;
        atomic_fetch_add_explicit(oct_atomic_word(to + i), n, memory_order_relaxed);
        atomic_store_explicit(oct_atomic_word(from + i), 0, memory_order_relaxed);
    }
}

/* Before anything is written there: the child of a fork clears what is in use. */
static void raise_slots(struct oct_counters_file *file, uint64_t slots)
{
    uint64_t now = atomic_load_explicit(oct_atomic_word(&file->sum.slots), memory_order_relaxed);
    while (now < slots && !atomic_compare_exchange_strong_explicit(oct_atomic_word(&file->sum.slots), &now, slots,
                                                                   memory_order_relaxed, memory_order_relaxed))
        ;
}

static struct oct_thread_counters *find(struct oct_counters_file *file)
{
    const unsigned first = atomic_fetch_add_explicit(&turn, 1, memory_order_relaxed);
    for (unsigned i = 0; i < OWN_SLOTS; i++) {
        struct oct_thread_counters *slot = &file->thread[1 + (first + i) % OWN_SLOTS];
        const uint64_t state = take(slot);
        if (state == OCT_THREAD_TAKEN)
            continue;
        raise_slots(file, (uint64_t)(slot - file->thread) + 1);
        if (state == OCT_THREAD_ENDED)
            move_to_others(file, slot);
        return slot;
    }
    return &file->thread[0];
}

/* As gettid() says, for readers from outside. A strict sandbox ends a process for that call; glibc writes the same
 * number into each mutex that it locks, and musl into each that looks for errors. */
static uint64_t thread_number(void)
{
#if defined(__GLIBC__)
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&mutex);
    const int number = mutex.__data.__owner;
#else
    pthread_mutexattr_t checked;
    pthread_mutex_t mutex;
    pthread_mutexattr_init(&checked);
    pthread_mutexattr_settype(&checked, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&mutex, &checked);
    pthread_mutex_lock(&mutex);
    const int number = mutex.__u.__vi[1] & 0x3fffffff;
#endif
    pthread_mutex_unlock(&mutex);
    return (uint64_t)number;
}

/* Without a destructor a slot would never come back, so that thread does without one. */
static struct oct_thread_counters *begin(struct oct_counters_file *file)
{
    pthread_once(&keyed, make_key);
    if (key_error != 0 || pthread_setspecific(key, file) != 0)
        return &file->thread[0];
    struct oct_thread_counters *slot = find(file);
    if (slot != &file->thread[0]) {
        atomic_store_explicit(oct_atomic_word(&slot->tid), thread_number(), memory_order_relaxed);
        atomic_store_explicit(oct_atomic_word(&slot->started), oct_counters_now(), memory_order_relaxed);
        atomic_store_explicit(oct_atomic_word(&slot->state), OCT_THREAD_ALIVE, memory_order_release);
        const struct oct_counters_part part[] = {{&file->sum, offsetof(struct oct_counters, op)},
                                                 {&file->thread[0], sizeof file->thread[0]},
                                                 {slot, sizeof *slot}};
        oct_counters_file_write(part, 3);
    }
    return slot;
}

struct oct_thread_counters *oct_counters_slot(struct oct_counters_file *file)
{
    if (own == NULL)
        own = begin(file);
    return own;
}

void oct_counters_slot_forget(void)
{
    own = NULL;
}

void oct_counters_slots_forget(void)
{
    oct_counters_slot_forget();
    turn = 0;
}
