/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* src/base/guarded.c: pieces, the pages that they lie in, threads, forks, and limits. */
#include "unit.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>

#include "base/guarded.h"

/* A sanitizer's own memory is more than a limit of addresses leaves. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(memory_sanitizer) || __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif

#define SIZE  3568
#define MANY  1000
#define FIRST (6 * 4096) /* the first region, and a page on each side */

/* The flags of the page that an address lies in, and the addresses of its mapping. */
struct page {
    char flags[256];
    unsigned long from, to;
};

static struct page page_of(const void *at)
{
    FILE *smaps = fopen("/proc/self/smaps", "r");
    struct page page = {"", 0, 0};
    unsigned long from, to;
    char line[4096];
    bool here = false;

    CHILD_ASSERT(smaps != NULL);
    while (fgets(line, sizeof line, smaps) != NULL) {
        if (sscanf(line, "%lx-%lx ", &from, &to) == 2 && (here = from <= (unsigned long)at && (unsigned long)at < to)) {
            page.from = from;
            page.to = to;
        } else if (here && strncmp(line, "VmFlags:", 8) == 0) {
            snprintf(page.flags, sizeof page.flags, "%.200s", line + 8);
        }
    }
    fclose(smaps);
    return page;
}

static bool has_flag(const void *at, const char *flag)
{
    const struct page page = page_of(at);
    return strstr(page.flags, flag) != NULL;
}

static bool is_zero(const uint8_t *p, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (p[i] != 0)
            return false;
    return true;
}

static void set_limit(int what, rlim_t bytes)
{
    const struct rlimit limit = {bytes, bytes};
    CHILD_ASSERT(setrlimit(what, &limit) == 0);
}

static void child_has_pieces(void *arg)
{
    uint8_t *piece[MANY];

    (void)arg;
    for (int i = 0; i < MANY; i++) {
        piece[i] = oct_guarded_new(SIZE);
        CHILD_ASSERT(piece[i] != NULL && (uintptr_t)piece[i] % 64 == 0 && is_zero(piece[i], SIZE));
        memset(piece[i], i % 255 + 1, SIZE);
    }
    for (int i = 0; i < MANY; i++)
        CHILD_ASSERT(piece[i][0] == i % 255 + 1 && piece[i][SIZE - 1] == i % 255 + 1 && has_flag(piece[i], " dd"));
    uint8_t *const last = piece[MANY - 1];
    oct_guarded_free(last, SIZE);
    CHILD_ASSERT(is_zero(last, SIZE) && oct_guarded_new(SIZE) == last);
    uint8_t *const other = oct_guarded_new(96);
    CHILD_ASSERT(other != NULL && has_flag(other, " dd"));
    oct_guarded_free(other, 96);
    oct_guarded_free(NULL, 96);
}

static void test_pieces(void **state)
{
    (void)state;
    in_child(child_has_pieces, NULL);
}

static void dies_at(const uint8_t *at)
{
    int status;
    const pid_t pid = fork();

    if (pid == 0) {
        signal(SIGSEGV, SIG_DFL); /* a sanitizer has a handler */
        *(volatile uint8_t *)(uintptr_t)at = 1;
        _exit(0);
    }
    CHILD_ASSERT(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
}

static void child_has_guards(void *arg)
{
    const uint8_t *piece = oct_guarded_new(SIZE);
    const struct page page = page_of(piece);

    (void)arg;
    dies_at((const uint8_t *)page.from - 1);
    dies_at((const uint8_t *)page.to);
}

static void test_guards(void **state)
{
    (void)state;
    in_child(child_has_guards, NULL);
}

/* A parent's keys are its child's too, who may make more and free them. */
static void child_forks(void *arg)
{
    uint8_t *piece = oct_guarded_new(SIZE);
    int status;

    (void)arg;
    memset(piece, 7, SIZE);
    const pid_t pid = fork();
    if (pid == 0) {
        CHILD_ASSERT(piece[0] == 7 && piece[SIZE - 1] == 7 && has_flag(piece, " dd"));
        uint8_t *mine = oct_guarded_new(SIZE);
        CHILD_ASSERT(mine != NULL && mine != piece);
        oct_guarded_free(piece, SIZE);
        oct_guarded_free(mine, SIZE);
        _exit(0);
    }
    CHILD_ASSERT(waitpid(pid, &status, 0) == pid && status == 0 && piece[0] == 7);
}

static void test_fork(void **state)
{
    (void)state;
    in_child(child_forks, NULL);
}

/* Locked where the limit is high, to an eighth of it at the most; and there without a lock as well. */
static void child_locks(void *arg)
{
    const rlim_t limit = *(rlim_t *)arg;
    unsigned long lock = 0;

    set_limit(RLIMIT_MEMLOCK, limit);
    const uint8_t *first = oct_guarded_new(SIZE);
    CHILD_ASSERT(first != NULL && has_flag(first, " lo") == (limit / 8 >= FIRST));
    for (int i = 0; i < MANY; i++)
        CHILD_ASSERT(oct_guarded_new(SIZE) != NULL);
    FILE *file = fopen("/proc/self/status", "r");
    char line[256];
    while (fgets(line, sizeof line, file) != NULL)
        (void)sscanf(line, "VmLck: %lu kB", &lock);
    fclose(file);
    CHILD_ASSERT(1024 * lock <= limit / 8);
}

static void test_limit_of_locks(void **state)
{
    (void)state;
    for (rlim_t limit = 0; limit <= 4 << 20; limit = limit == 0 ? 1 << 16 : 4 * limit)
        in_child(child_locks, &limit);
}

/* Other threads' locks are counted by nobody: the kernel says no, and there is memory without a lock. */
static void child_locks_too_late(void *arg)
{
    (void)arg;
    oct_guarded_start();
    set_limit(RLIMIT_MEMLOCK, 0);
    CHILD_ASSERT(oct_guarded_new(SIZE) != NULL);
}

static void test_limit_is_lowered(void **state)
{
    (void)state;
    in_child(child_locks_too_late, NULL);
}

#if !defined(SANITIZED)
static void child_has_no_memory(void *arg)
{
    unsigned pieces = 0;

    (void)arg;
    set_limit(RLIMIT_AS, 64 << 20);
    while (pieces < 100000 && oct_guarded_new(SIZE) != NULL)
        pieces++;
    CHILD_ASSERT(pieces > MANY && pieces < 100000);
}

static void test_no_memory(void **state)
{
    (void)state;
    in_child(child_has_no_memory, NULL);
}
#endif

static void *come_and_go(void *arg)
{
    const uint8_t mark = (uint8_t)(uintptr_t)arg;
    uint8_t *piece[20];

    for (int round = 0; round < 200; round++) {
        for (int i = 0; i < 20; i++) {
            piece[i] = oct_guarded_new(SIZE);
            CHILD_ASSERT(piece[i] != NULL && is_zero(piece[i], SIZE));
            memset(piece[i], mark, SIZE);
        }
        for (int i = 0; i < 20; i++) {
            CHILD_ASSERT(piece[i][0] == mark && piece[i][SIZE - 1] == mark);
            oct_guarded_free(piece[i], SIZE);
        }
    }
    return NULL;
}

static void test_threads(void **state)
{
    pthread_t thread[4];

    (void)state;
    for (uintptr_t i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, come_and_go, (void *)(i + 1)), 0);
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_join(thread[i], NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_guards),
        cmocka_unit_test(test_fork),
        cmocka_unit_test(test_limit_of_locks),
        cmocka_unit_test(test_limit_is_lowered),
#if !defined(SANITIZED)
        cmocka_unit_test(test_no_memory),
#endif
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
