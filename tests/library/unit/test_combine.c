/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* ctest: LONG */
/*
 * src/batch/combine.c: threads that come at random, with operations of our own that show who ran what with whom. The
 * same program runs under ThreadSanitizer. OCT_TEST_DEPTH=exhaustive: twenty times as long.
 */
#include "depth.h"
#include "unit.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "base/thread_mode.h"
#include "batch/queue_internal.h"

#define OP      OCT_OP_X25519_DERIVE
#define OTHER   OCT_OP_P256_SIGN
#define THREADS 12
#define SPOILT  0xee /* a scalar that begins so is refused by its lane */

static atomic_uint batches[OCT_LANES + 1]; /* by the number of jobs */
static atomic_uint faults, handed_back;
static atomic_int dear; /* vectors do not pay, and jobs may fall back */

/* Which peers the thread is among, as far as this test knows. A scalar says it of its owner, at TAG. */
static _Thread_local uint8_t tag;
#define TAG 2

static int check(const struct oct_job *job)
{
    if (job->op != OP && job->op != OTHER)
        return OCT_ERR_UNSUPPORTED;
    return job->x25519.scalar == NULL ? OCT_ERR_ARGUMENT : OCT_OK;
}

/* Every result is its scalar's complement. A job that has been run already, or one of another operation, is a fault. So
 * is one of a thread that is no peer of the one that runs the batch, on which all its owners wait. */
static void run(struct oct_job *const job[], unsigned jobs)
{
    batches[jobs]++;
    for (unsigned i = 0; i < jobs; i++) {
        faults += job[i]->op != job[0]->op || job[i]->status != -1 || job[i]->x25519.scalar[TAG] != tag;
        job[i]->status = job[i]->x25519.scalar[0] == SPOILT ? OCT_ERR_RANGE : OCT_OK;
        for (int k = 0; k < OCT_X25519_BYTES; k++)
            job[i]->x25519.out[k] = (uint8_t)~job[i]->x25519.scalar[k];
        if (job[i]->x25519.scalar[1] % 16 == 0)
            sched_yield(); /* in the middle of a batch */
    }
}

static bool is_whole(int op)
{
    (void)op;
    return true;
}

static void get_ready(int op)
{
    (void)op;
}

const struct oct_engine oct_engine = {check, get_ready, run, is_whole};

/* One operation, on buffers that are gone with this frame. 1 if it was run with others'. */
static int one(int op, unsigned *seed)
{
    uint8_t scalar[OCT_X25519_BYTES], out[OCT_X25519_BYTES] = {0};
    struct oct_job job = {
        .op = op, .flags = dear ? OCT_JOB_MAY_FALL_BACK : 0, .status = -1, .x25519 = {.scalar = scalar, .out = out}};
    int status;

    for (int i = 0; i < OCT_X25519_BYTES; i++)
        scalar[i] = (uint8_t)rand_r(seed);
    if (rand_r(seed) % 8 == 0)
        scalar[0] = SPOILT;
    scalar[TAG] = tag;
    status = oct_queue_combine(&job);
    if (status == OCT_ERR_FALLBACK) {
        faults += job.status != -1 || job.state != OCT_JOB_IDLE || out[0] != 0 || out[1] != 0;
        return 0;
    }
    faults += status != OCT_OK || job.state != OCT_JOB_DONE;
    if (dear && job.status == OCT_ERR_FALLBACK) {
        handed_back++;
        faults += out[0] != 0 || out[1] != 0;
        return 1;
    }
    faults += job.status != (scalar[0] == SPOILT ? OCT_ERR_RANGE : OCT_OK);
    for (int i = 0; i < OCT_X25519_BYTES; i++)
        faults += (out[i] ^ scalar[i]) != 0xff;
    return 1;
}

static void pin(int cpu)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    if (sched_setaffinity(0, sizeof set, &set) != 0)
        abort();
}

static unsigned large_batches(void)
{
    unsigned sum = 0;
    for (int i = 2; i <= OCT_LANES; i++)
        sum += batches[i];
    return sum;
}

/* Threads that are all on one CPU meet there sooner or later. */
static void *until_met(void *arg)
{
    unsigned seed = (unsigned)(uintptr_t)arg;
    while (large_batches() < 200)
        one(OP, &seed);
    return NULL;
}

/* While no thread is at work the gauge of waiting jobs is where it began. */
static void assert_nothing_waits(void)
{
    struct oct_counters now;
    oct_counters_read(&now);
    assert_int_equal(now.op[OP].waiting + now.op[OTHER].waiting, 0);
}

static void run_threads(unsigned threads, void *(*function)(void *))
{
    pthread_t thread[THREADS];

    for (uintptr_t i = 0; i < threads; i++)
        if (pthread_create(&thread[i], NULL, function, (void *)i) != 0)
            abort();
    for (unsigned i = 0; i < threads; i++)
        pthread_join(thread[i], NULL);
}

static void test_they_meet(void **state)
{
    cpu_set_t before;
    (void)state;
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    pin(sched_getcpu());
    for (unsigned threads = 2; threads <= THREADS; threads += 5) {
        memset(batches, 0, sizeof batches);
        run_threads(threads, until_met);
        for (unsigned jobs = threads + 1; jobs <= OCT_LANES; jobs++)
            assert_int_equal(batches[jobs], 0);
        assert_int_equal(batches[1], 0); /* who is alone runs by itself */
    }
    assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
    assert_nothing_waits();
    assert_int_equal(faults, 0);
}

static void *until_handed_back(void *arg)
{
    unsigned seed = (unsigned)(uintptr_t)arg;
    while (handed_back < 200) {
        oct_queue_note_fallback(oct_queue_thread(), OP, 1);
        one(OP, &seed);
        sched_yield(); /* they take turns, or each would be alone for its time slice */
    }
    return NULL;
}

/* Where a vector does not pay for as many as have met, each gets its own back. */
static void test_not_worth(void **state)
{
    (void)state;
    dear = 1;
    pin(sched_getcpu());
    run_threads(4, until_handed_back);
    dear = 0;
    assert_int_equal(faults, 0);
}

static void test_alone(void **state)
{
    unsigned seed = 1;
    (void)state;
    pin(sched_getcpu());
    for (int i = 0; i < 100; i++)
        one(OTHER, &seed); /* others may have been here */
    memset(batches, 0, sizeof batches);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(one(OTHER, &seed), 0);
    assert_int_equal(large_batches() + batches[1], 0);
}

static void test_arguments(void **state)
{
    uint8_t bytes[OCT_X25519_BYTES];
    struct oct_job job = {.op = OP};
    (void)state;
    assert_int_equal(oct_queue_combine(NULL), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_queue_combine(&job), OCT_ERR_ARGUMENT);
    job.x25519 = (struct oct_x25519_lane){.scalar = bytes, .out = bytes};
    job.op = OCT_OP_COUNT;
    assert_int_equal(oct_queue_combine(&job), OCT_ERR_ARGUMENT);
    job.op = OCT_OP_RSA2048_PRIVATE;
    assert_int_equal(oct_queue_combine(&job), OCT_ERR_UNSUPPORTED);
    job.op = OP;
    job.flags = 2;
    assert_int_equal(oct_queue_combine(&job), OCT_ERR_ARGUMENT);
    job.flags = 0;
    assert_int_equal(oct_queue_submit(oct_queue_thread(), &job), OCT_OK);
    assert_int_equal(oct_queue_combine(&job), OCT_ERR_STATE);
    assert_int_equal(oct_queue_cancel(oct_queue_thread(), &job), OCT_OK);
}

/* The policy and nice of the calling thread, from now on. False where the tests run at a nice, and may not go back. */
static bool become(int policy, int nice)
{
    const struct sched_param param = {0};
    return sched_setscheduler(0, policy, &param) == 0 &&
           setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), nice) == 0;
}

/* Two kinds of several threads, and three threads that have no peers. */
static const struct kind {
    int policy, nice;
    uint8_t tag;
} kinds[] = {
    {SCHED_OTHER, 0, 1}, {SCHED_OTHER, 0, 1},  {SCHED_OTHER, 0, 1}, {SCHED_OTHER, 5, 2},
    {SCHED_OTHER, 5, 2}, {SCHED_OTHER, 19, 3}, {SCHED_BATCH, 0, 4}, {SCHED_IDLE, 0, 5},
};
#define KINDS (sizeof kinds / sizeof kinds[0])
static atomic_uint met[6]; /* by the tag */

static void *until_peers_met(void *arg)
{
    const struct kind *kind = &kinds[(uintptr_t)arg];
    unsigned seed = (unsigned)(uintptr_t)arg;

    faults += !become(kind->policy, kind->nice);
    tag = kind->tag;
    while (met[1] < 100 || met[2] < 100) {
        met[tag] += (unsigned)one(OP, &seed);
        sched_yield(); /* or each would have its time slice */
    }
    return NULL;
}

/* On one CPU threads meet those of the same policy and nice. None sleeps for another, or is woken by it. */
static void test_peers(void **state)
{
    (void)state;
    if (!become(SCHED_OTHER, 0))
        skip();
    pin(sched_getcpu());
    run_threads(KINDS, until_peers_met);
    assert_int_equal(met[3] + met[4] + met[5], 0);
    assert_nothing_waits();
    assert_int_equal(faults, 0);
}

/* Threads that get nicer and nicer, not all at once. In the end they are peers again, and meet. */
#define STEPS 5

static atomic_uint arrived;

static void *gets_nicer(void *arg)
{
    unsigned seed = (unsigned)(uintptr_t)arg;

    for (tag = 0; tag < STEPS; tag++) {
        faults += !become(SCHED_OTHER, tag);
        for (unsigned i = 0; i < 200; i++) {
            one(OP, &seed);
            if (rand_r(&seed) % 4 == 0)
                sched_yield();
        }
    }
    faults += !become(SCHED_OTHER, tag);
    arrived++;
    while (batches[4] < 50) {
        one(OP, &seed);
        sched_yield();
        if (arrived < 4)
            memset(batches, 0, sizeof batches);
    }
    return NULL;
}

static void test_nice_changes(void **state)
{
    (void)state;
    if (!become(SCHED_OTHER, 0))
        skip();
    pin(sched_getcpu());
    memset(batches, 0, sizeof batches);
    run_threads(4, gets_nicer);
    assert_int_equal(faults, 0);
}

/* A thread whose queue says that it serves many connections never waits, whoever else comes. Nor does one that the shim
 * serves, even if it has no queue yet. */
static atomic_int loops_over;

static void *served(void)
{
    unsigned seed = 8;

    oct_thread_set_mode(OCT_THREAD_ALONE);
    for (int i = 0; i < 2000; i++) {
        faults += one(OP, &seed) || oct_queue_thread_peek() != NULL;
        sched_yield();
    }
    loops_over++;
    return NULL;
}

static void *event_loop(void)
{
    struct oct_queue *queue = oct_queue_thread();
    unsigned seed = 7;

    for (int i = 0; i < 2000; i++) {
        oct_queue_set_deferred(queue, i % 2);
        oct_thread_set_mode(i % 2 ? OCT_THREAD_BLOCKING : OCT_THREAD_EVENT_LOOP);
        faults += one(OP, &seed);
        sched_yield();
    }
    loops_over++;
    return NULL;
}

static void *others(void *arg)
{
    unsigned seed = (unsigned)(uintptr_t)arg;
    if (seed < 2)
        return seed == 0 ? event_loop() : served();
    while (loops_over < 2)
        one(OP, &seed);
    return NULL;
}

static void test_event_loop(void **state)
{
    (void)state;
    pin(sched_getcpu());
    run_threads(5, others);
    assert_int_equal(faults, 0);
}

/* What is to be done by threads that come and go, and by processes that they fork. */
static unsigned rounds = 400;

static void child_main(unsigned seed)
{
    for (int i = 0; i < 20; i++) {
        one(OP, &seed);
        one(OTHER, &seed);
    }
    _exit(faults != 0);
}

static void fork_once(unsigned seed)
{
    int status = -1;
    pid_t child = fork();

    if (child == 0)
        child_main(seed);
    faults += child < 0 || waitpid(child, &status, 0) != child || status != 0;
}

static void *comes_and_goes(void *arg)
{
    unsigned seed = 1000 + (unsigned)(uintptr_t)arg;

    for (unsigned i = 0; i < rounds; i++) {
        one(rand_r(&seed) % 3 == 0 ? OTHER : OP, &seed);
        if (rand_r(&seed) % 4 == 0)
            sched_yield();
        if (rand_r(&seed) % 64 == 0)
            usleep(rand_r(&seed) % 200);
        if (rand_r(&seed) % 256 == 0)
            fork_once(seed);
    }
    return NULL;
}

static void test_stress(void **state)
{
    const unsigned times = amount(200, 10, 3);
    (void)state;
    for (unsigned i = 0; i < times; i++)
        run_threads(THREADS, comes_and_goes);
    assert_nothing_waits();
    assert_int_equal(faults, 0);
}

int main(void)
{
    return RUN_TESTS(NULL, NULL, test_stress, test_they_meet, test_arguments, test_event_loop, test_not_worth,
                     test_alone, test_peers, test_nice_changes);
}
