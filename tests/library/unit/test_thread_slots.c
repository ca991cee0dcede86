/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* src/trace/threads.c: threads come and go, more of them than there are slots, and a fork. Whatever they do, what the
 * slots say adds up to the sum. Each case runs in a child of this process, whose page is new. */
#include "unit.h"

#include <pthread.h>
#include <sys/syscall.h>

#include "trace/counters.h"

#define OP   OCT_OP_X25519_DERIVE
#define MANY (2 * OCT_COUNTERS_THREADS)

/* ThreadSanitizer, which knows no threads in the child of several: gcc says so in one way, clang in another. */
#if defined(__SANITIZE_THREAD__)
#define WATCHED_THREADS
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define WATCHED_THREADS
#endif
#endif

static pthread_barrier_t counted, ending;

static uint64_t word(const uint64_t *at)
{
    return __atomic_load_n(at, __ATOMIC_ACQUIRE);
}

static void count_one(void)
{
    const struct oct_op_counters one = {.submitted = 1, .done = 1};
    oct_count_add(OP, &one);
}

/* How many slots there are in this state, and what these count. */
static unsigned in_state(uint64_t state, uint64_t *submitted)
{
    const struct oct_counters_file *file = oct_counters_page();
    unsigned slots = 0;
    *submitted = 0;
    for (int i = 0; i < OCT_COUNTERS_THREADS; i++)
        if (word(&file->thread[i].state) == state) {
            slots++;
            *submitted += word(&file->thread[i].op[OP].submitted);
        }
    return slots;
}

static uint64_t sum_now(void)
{
    struct oct_counters c;
    oct_counters_read(&c);
    return c.op[OP].submitted;
}

static uint64_t slots_now(void)
{
    uint64_t alive, ended, others;
    in_state(OCT_THREAD_ALIVE, &alive);
    in_state(OCT_THREAD_ENDED, &ended);
    CHILD_ASSERT(in_state(OCT_THREAD_OTHERS, &others) == 1);
    return alive + ended + others;
}

static void *count_and_stay(void *rounds)
{
    for (int i = 0; i < *(int *)rounds; i++)
        count_one();
    pthread_barrier_wait(&counted);
    pthread_barrier_wait(&ending);
    return NULL;
}

/* So many threads at once; `then` runs while all are there. */
static void with_threads(unsigned threads, int rounds, void (*then)(void))
{
    pthread_t thread[MANY];
    pthread_barrier_init(&counted, NULL, threads + 1);
    pthread_barrier_init(&ending, NULL, threads + 1);
    for (unsigned i = 0; i < threads; i++)
        CHILD_ASSERT(pthread_create(&thread[i], NULL, count_and_stay, &rounds) == 0);
    pthread_barrier_wait(&counted);
    then();
    pthread_barrier_wait(&ending);
    for (unsigned i = 0; i < threads; i++)
        pthread_join(thread[i], NULL);
}

static void nothing(void)
{
}

static void three_are_alive(void)
{
    uint64_t submitted;
    CHILD_ASSERT(in_state(OCT_THREAD_ALIVE, &submitted) == 4 && submitted == 31);
    CHILD_ASSERT(in_state(OCT_THREAD_ENDED, &submitted) == 0);
}

/* The caller's own slot has its number; a thread that never counts has none. */
static void child_has_a_slot_each(void *arg)
{
    (void)arg;
    count_one();
    const struct oct_counters_file *file = oct_counters_page();
    CHILD_ASSERT(file->sum.slots == 2 && file->thread[1].state == OCT_THREAD_ALIVE);
    CHILD_ASSERT(file->thread[1].tid == (uint64_t)syscall(SYS_gettid) && file->thread[1].started >= file->sum.started);
    with_threads(5, 0, nothing);
    CHILD_ASSERT(file->sum.slots == 2);
    with_threads(3, 10, three_are_alive);
    uint64_t submitted;
    CHILD_ASSERT(in_state(OCT_THREAD_ENDED, &submitted) == 3 && submitted == 30);
    CHILD_ASSERT(sum_now() == 31 && slots_now() == 31);
}

static void test_a_slot_each(void **state)
{
    (void)state;
    in_child(child_has_a_slot_each, NULL);
}

static void all_are_taken(void)
{
    uint64_t submitted;
    CHILD_ASSERT(in_state(OCT_THREAD_ALIVE, &submitted) == OCT_COUNTERS_THREADS - 1);
    CHILD_ASSERT(submitted == 100 * (OCT_COUNTERS_THREADS - 1));
    CHILD_ASSERT(in_state(OCT_THREAD_OTHERS, &submitted) == 1);
    CHILD_ASSERT(submitted == 100 * (MANY - OCT_COUNTERS_THREADS + 1));
}

static void child_has_more_threads_than_slots(void *arg)
{
    (void)arg;
    with_threads(MANY, 100, all_are_taken);
    CHILD_ASSERT(sum_now() == 100 * MANY && slots_now() == 100 * MANY);
    with_threads(MANY, 1, nothing);
    CHILD_ASSERT(sum_now() == 101 * MANY && slots_now() == 101 * MANY);
}

static void test_more_threads_than_slots(void **state)
{
    (void)state;
    in_child(child_has_more_threads_than_slots, NULL);
}

static void *count_and_go(void *arg)
{
    count_one();
    return arg;
}

/* A thread for each connection: the slots of those that ended serve again, and what they counted is kept. */
static void child_has_threads_that_come_and_go(void *arg)
{
    (void)arg;
    for (int i = 0; i < 5 * OCT_COUNTERS_THREADS; i++) {
        pthread_t thread[2];
        for (int k = 0; k < 2; k++)
            CHILD_ASSERT(pthread_create(&thread[k], NULL, count_and_go, NULL) == 0);
        for (int k = 0; k < 2; k++)
            pthread_join(thread[k], NULL);
    }
    uint64_t submitted;
    CHILD_ASSERT(in_state(OCT_THREAD_ALIVE, &submitted) == 0);
    CHILD_ASSERT(in_state(OCT_THREAD_ENDED, &submitted) == OCT_COUNTERS_THREADS - 1);
    CHILD_ASSERT(submitted == OCT_COUNTERS_THREADS - 1);
    CHILD_ASSERT(sum_now() == 10 * OCT_COUNTERS_THREADS && slots_now() == 10 * OCT_COUNTERS_THREADS);
}

static void test_threads_come_and_go(void **state)
{
    (void)state;
    in_child(child_has_threads_that_come_and_go, NULL);
}

static void fork_and_look(void)
{
    pid_t pid = fork();
    if (pid == 0) {
        uint64_t submitted;
        CHILD_ASSERT(in_state(OCT_THREAD_ALIVE, &submitted) == 0 && in_state(OCT_THREAD_ENDED, &submitted) == 0);
        CHILD_ASSERT(sum_now() == 0 && slots_now() == 0 && oct_counters_page()->sum.slots == 1);
        oct_count_waiting(OP, 2);
        count_one();
        CHILD_ASSERT(in_state(OCT_THREAD_ALIVE, &submitted) == 1 && submitted == 1);
        CHILD_ASSERT(oct_counters_page()->thread[1].tid == (uint64_t)getpid());
#ifndef WATCHED_THREADS
        with_threads(MANY, 1, nothing);
        CHILD_ASSERT(sum_now() == 1 + MANY && slots_now() == 1 + MANY);
#endif
        _exit(0);
    }
    int status;
    CHILD_ASSERT(pid > 0 && waitpid(pid, &status, 0) == pid && status == 0);
}

static void child_forks(void *arg)
{
    (void)arg;
    count_one();
    with_threads(3, 10, fork_and_look);
    CHILD_ASSERT(sum_now() == 31 && slots_now() == 31);
}

static void test_fork(void **state)
{
    (void)state;
    in_child(child_forks, NULL);
}

static uint64_t waiting_now(void)
{
    struct oct_counters c;
    oct_counters_read(&c);
    return c.op[OP].waiting;
}

static void *take_three(void *arg)
{
    oct_count_waiting(OP, -3);
    return arg;
}

/* A gauge of two threads' slots: only their sum means anything. */
static void child_waits(void *arg)
{
    pthread_t thread;
    (void)arg;
    oct_count_waiting(OP, 5);
    oct_count_waiting(-1, 5);
    oct_count_waiting(OCT_OP_COUNT, 5);
    CHILD_ASSERT(waiting_now() == 5);
    CHILD_ASSERT(pthread_create(&thread, NULL, take_three, NULL) == 0);
    pthread_join(thread, NULL);
    CHILD_ASSERT(waiting_now() == 2);
    for (int i = 0; i < OCT_COUNTERS_THREADS; i++) {
        CHILD_ASSERT(pthread_create(&thread, NULL, count_and_go, NULL) == 0);
        pthread_join(thread, NULL);
        CHILD_ASSERT(waiting_now() == 2);
    }
    oct_count_waiting(OP, -3);
    CHILD_ASSERT(waiting_now() == 0);
}

static void test_waiting(void **state)
{
    (void)state;
    in_child(child_waits, NULL);
}

/* Another library's key, whose destructor counts when ours has run: it counts, and takes no slot any more. */
static pthread_key_t late_key;

static void count_late(void *value)
{
    (void)value;
    count_one();
}

static void *count_until_late(void *arg)
{
    count_one();
    pthread_setspecific(late_key, arg);
    return arg;
}

static void child_counts_late(void *arg)
{
    pthread_t thread;
    uint64_t submitted;
    (void)arg;
    count_one();
    CHILD_ASSERT(pthread_key_create(&late_key, count_late) == 0);
    CHILD_ASSERT(pthread_create(&thread, NULL, count_until_late, &late_key) == 0);
    pthread_join(thread, NULL);
    CHILD_ASSERT(sum_now() == 3 && slots_now() == 3);
    CHILD_ASSERT(in_state(OCT_THREAD_ENDED, &submitted) == 1 && in_state(OCT_THREAD_ALIVE, &submitted) == 1);
}

static void test_late_destructor(void **state)
{
    (void)state;
    in_child(child_counts_late, NULL);
}

int main(void)
{
    return RUN_TESTS(NULL, NULL, test_a_slot_each, test_more_threads_than_slots, test_threads_come_and_go, test_fork,
                     test_waiting, test_late_destructor);
}
