/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* ctest: RUNS tables NOT_WITH any */
/*
 * A process that is ended for any system call but the few that memory, time, locks and randomness take, as strict
 * sandboxes have it (seccomp): operations run there, first ones too, and keys are made and freed.
 */
#include "unit.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <octuple/octuple.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#define MAY(name) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define MAY_TRY(name)                                                                                                  \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES)

static void lock_in(void)
{
    static const struct sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        MAY(mmap),
        MAY(munmap),
        MAY(mprotect),
        MAY(madvise),
        MAY(brk),
        MAY(futex),
        MAY(getpid),
        MAY(clock_gettime),
        MAY(getrandom),
        MAY(read),
        MAY(write),
        MAY(close),
        MAY(exit_group),
        MAY_TRY(open),
        MAY_TRY(openat),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
    };
    const struct sock_fprog program = {sizeof rules / sizeof rules[0], (struct sock_filter *)rules};

    CHILD_ASSERT(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    CHILD_ASSERT(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0);
}

static bool runs(void)
{
    struct oct_queue *queue = oct_queue_thread();
    uint8_t scalar[OCT_LANES][OCT_X25519_BYTES], out[OCT_LANES][OCT_X25519_BYTES], seed[OCT_ED25519_SEED_BYTES] = {1};
    struct oct_job job[OCT_LANES], *list[OCT_LANES];
    struct oct_ed25519_key *key = NULL;
    bool good = queue != NULL;

    memset(scalar, 0x42, sizeof scalar);
    memset(job, 0, sizeof job);
    for (int i = 0; i < OCT_LANES; i++) {
        job[i].op = OCT_OP_X25519_KEYGEN;
        job[i].x25519 = (struct oct_x25519_lane){scalar[i], NULL, out[i]};
        list[i] = &job[i];
    }
    good = good && oct_queue_run_now(queue, list, OCT_LANES) == OCT_OK && job[7].status == OCT_OK;
    good = good && oct_ed25519_key_new(&key, seed) == OCT_OK;
    oct_ed25519_key_free(key);
    return good;
}

/* The library has been loaded before, as by a server that locks itself in when it is ready. */
static void child_locks_itself_in(void *arg)
{
    (void)arg;
    oct_start();
    lock_in();
    CHILD_ASSERT(runs());
}

/* A worker: what its parent has counted is not its own. */
static void child_forks_and_locks_itself_in(void *arg)
{
    (void)arg;
    CHILD_ASSERT(runs());
    in_child(child_locks_itself_in, NULL);
}

/* The filter does end a process. */
static void test_filter(void **state)
{
    int status;
    const pid_t pid = fork();

    (void)state;
    if (pid == 0) {
        lock_in();
        syscall(SYS_gettid);
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status));
}

static void test_first_operations(void **state)
{
    (void)state;
    if (!oct_op_is_possible(OCT_OP_X25519_KEYGEN))
        skip();
    in_child(child_locks_itself_in, NULL);
}

static void test_worker(void **state)
{
    (void)state;
    if (!oct_op_is_possible(OCT_OP_X25519_KEYGEN))
        skip();
    in_child(child_forks_and_locks_itself_in, NULL);
}

int main(void)
{
    return RUN_TESTS(NULL, NULL, test_filter, test_first_operations, test_worker);
}
