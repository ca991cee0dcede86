/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* ctest: RUNS tables NOT_WITH any */
/*
 * What is made once in a process, at its first operation: another thread may fork in the midst of it. The child must
 * neither wait for a thread that it does not have, nor go on with what its parent had half made.
 */
#include "unit.h"

#include <fcntl.h>
#include <octuple/octuple.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "ops/ops.h"
#include "trace/counters.h"

/* Bounds a child that hangs. */
#define SECONDS 30
#define ROUNDS  8
#define FORKS   12

/* --- mmap() in front of the C library's: a thread can be held there */

static bool (*hold)(size_t size, int flags); /* whether to hold who maps this; once */
static sem_t mapped, go_on;

static bool is_file(size_t size, int flags)
{
    (void)size;
    return (flags & MAP_SHARED) != 0;
}

static bool is_comb(size_t size, int flags)
{
    (void)flags;
    return size == OCT_COMB25519_WORDS * sizeof(uint64_t);
}

void *mmap(void *address, size_t size, int prot, int flags, int fd, off_t offset)
{
    void *got = (void *)syscall(SYS_mmap, address, size, prot, flags, fd, offset);

    if (hold != NULL && hold(size, flags)) {
        hold = NULL;
        sem_post(&mapped);
        sem_wait(&go_on);
    }
    return got;
}

/* --- first operations */

static void *first_operation(void *arg)
{
    uint8_t scalar[OCT_LANES][OCT_X25519_BYTES], out[OCT_LANES][OCT_X25519_BYTES];
    struct oct_x25519_lane lane[OCT_LANES];
    struct oct_lanes result;

    memset(scalar, 0x42, sizeof scalar);
    for (int i = 0; i < OCT_LANES; i++)
        lane[i] = (struct oct_x25519_lane){scalar[i], NULL, out[i]};
    if (oct_x25519_public_x8(lane, OCT_LANES, &result) != OCT_OK || result.ok != 0xff)
        return NULL;
    return memcmp(out[0], out[7], sizeof out[0]) == 0 ? arg : NULL;
}

/* A process that has done nothing yet: one thread begins, the other forks again and again, more and more slowly. */
static void child_forks_at_first(void *arg)
{
    pthread_t thread;
    pid_t child[FORKS];
    void *good;

    CHILD_ASSERT(oct_op_is_possible(OCT_OP_X25519_KEYGEN)); /* chooses the table, tests nothing */
    CHILD_ASSERT(pthread_create(&thread, NULL, first_operation, arg) == 0);
    for (int i = 0; i < FORKS; i++) {
        usleep((useconds_t)(100 * (1 + i) * *(int *)arg));
        child[i] = fork();
        if (child[i] == 0) {
            alarm(SECONDS);
            _exit(first_operation(arg) == NULL);
        }
    }
    CHILD_ASSERT(pthread_join(thread, &good) == 0 && good != NULL);
    for (int i = 0; i < FORKS; i++) {
        int status;
        CHILD_ASSERT(child[i] > 0 && waitpid(child[i], &status, 0) == child[i]);
        CHILD_ASSERT(status == 0);
    }
}

static void test_forks_at_first(void **state)
{
    (void)state;
    if (!oct_op_is_possible(OCT_OP_X25519_KEYGEN))
        skip();
    for (int round = 1; round <= ROUNDS; round++)
        in_child(child_forks_at_first, &round);
}

/* The other thread is making the table that key pairs take. */
static void child_forks_while_table_is_made(void *arg)
{
    pthread_t thread;
    pid_t child;
    int status;
    void *good;

    CHILD_ASSERT(sem_init(&mapped, 0, 0) == 0 && sem_init(&go_on, 0, 0) == 0);
    hold = is_comb;
    CHILD_ASSERT(pthread_create(&thread, NULL, first_operation, arg) == 0);
    sem_wait(&mapped);
    child = fork();
    if (child == 0) {
        alarm(SECONDS);
        _exit(first_operation(arg) == NULL);
    }
    CHILD_ASSERT(child > 0 && waitpid(child, &status, 0) == child && status == 0);
    sem_post(&go_on);
    CHILD_ASSERT(pthread_join(thread, &good) == 0 && good != NULL);
}

static void test_fork_while_table_is_made(void **state)
{
    (void)state;
    if (!oct_op_is_possible(OCT_OP_X25519_KEYGEN))
        skip();
    in_child(child_forks_while_table_is_made, &(int){1});
}

/* --- counters */

static char folder[] = "/tmp/octuple-fork-XXXXXX";

static uint64_t file_pid(pid_t of)
{
    struct oct_counters sum;
    char path[64];
    int fd;

    snprintf(path, sizeof path, "%s/%d.octuple", folder, (int)of);
    fd = open(path, O_RDONLY);
    const bool got = fd >= 0 && read(fd, &sum, sizeof sum) == (ssize_t)sizeof sum;
    if (fd >= 0)
        close(fd);
    return got ? sum.pid : 0;
}

static void *start_counting(void *arg)
{
    oct_counters_start();
    return arg;
}

/* The other thread has mapped the file, and has not come to note it. */
static void child_forks_while_counters_start(void *arg)
{
    pthread_t thread;
    pid_t child;
    int status;

    (void)arg;
    CHILD_ASSERT(setenv("OCTUPLE_COUNTERS", folder, 1) == 0);
    CHILD_ASSERT(sem_init(&mapped, 0, 0) == 0 && sem_init(&go_on, 0, 0) == 0);
    hold = is_file;
    CHILD_ASSERT(pthread_create(&thread, NULL, start_counting, NULL) == 0);
    sem_wait(&mapped);
    child = fork();
    if (child == 0) {
        alarm(SECONDS);
        oct_counters_start();
        CHILD_ASSERT(oct_counters_page()->sum.pid == (uint64_t)getpid() && file_pid(getpid()) == (uint64_t)getpid());
        CHILD_ASSERT(file_pid(getppid()) == (uint64_t)getppid());
        _exit(0);
    }
    CHILD_ASSERT(child > 0 && waitpid(child, &status, 0) == child && status == 0);
    sem_post(&go_on);
    CHILD_ASSERT(pthread_join(thread, NULL) == 0);
    CHILD_ASSERT(oct_counters_page()->sum.pid == (uint64_t)getpid() && file_pid(getpid()) == (uint64_t)getpid());
}

static void test_fork_while_counters_start(void **state)
{
    char command[64];

    (void)state;
    assert_non_null(mkdtemp(folder));
    in_child(child_forks_while_counters_start, NULL);
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

int main(void)
{
    return RUN_TESTS(NULL, NULL, test_forks_at_first, test_fork_while_table_is_made, test_fork_while_counters_start);
}
