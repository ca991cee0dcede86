/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* src/trace: counting, the file of each process, and everything that may be wrong with it. A process decides once where
 * its counters live, so each case runs in a child of this one, which itself never counts. */
#include "unit.h"

#include "base/policy.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "trace/counters.h"

struct place {
    char directory[128];
    char file[192]; /* of the process that last asked */
};

static void own_file(struct place *place)
{
    snprintf(place->file, sizeof place->file, "%s/%ld.octuple", place->directory, (long)getpid());
}

static int setup(void **state)
{
    struct place *place = calloc(1, sizeof *place);
    const char *tmp = getenv("TMPDIR");
    snprintf(place->directory, sizeof place->directory, "%s/octuple-counters-XXXXXX", tmp ? tmp : "/tmp");
    *state = place;
    return mkdtemp(place->directory) == NULL;
}

static int teardown(void **state)
{
    struct place *place = *state;
    char command[192];
    snprintf(command, sizeof command, "rm -rf '%s'", place->directory);
    int failed = system(command);
    free(place);
    return failed;
}

static int file_read(const char *path, struct oct_counters *out)
{
    static struct oct_counters_file file;
    int fd = open(path, O_RDONLY);
    if (fd < 0)
        return 0;
    char more;
    int good = read(fd, &file, sizeof file) == (ssize_t)sizeof file && read(fd, &more, 1) == 0;
    close(fd);
    *out = file.sum;
    return good;
}

static uint64_t submitted_now(void)
{
    struct oct_counters c;
    oct_counters_read(&c);
    CHILD_ASSERT(c.magic == OCT_COUNTERS_MAGIC);
    CHILD_ASSERT(c.pid == (uint64_t)getpid());
    CHILD_ASSERT(c.op_count == OCT_OP_COUNT);
    return c.op[0].submitted;
}

static void count(int op, uint64_t n)
{
    struct oct_op_counters delta = {.submitted = n, .done = 2 * n};
    delta.flushes[7] = 3 * n;
    oct_count_add(op, &delta);
}

static void child_counts_in_memory(void *arg)
{
    struct oct_counters c;
    (void)arg;
    unsetenv("OCTUPLE_COUNTERS");
    count(0, 5);
    count(0, 2);
    count(OCT_OP_COUNT - 1, 1);
    count(-1, 9);
    count(OCT_OP_COUNT, 9);
    oct_count_recomputed(0, 3);
    oct_counters_note_fallback(0);
    oct_counters_note_fallback(-1);
    oct_counters_note_fallback(OCT_OP_COUNT);
    CHILD_ASSERT(submitted_now() == 7);
    oct_counters_read(&c);
    CHILD_ASSERT(c.op[0].done == 14 && c.op[0].flushes[7] == 21 && c.op[0].recomputed == 3 && c.op[0].fallback == 1);
    CHILD_ASSERT(c.op[OCT_OP_COUNT - 1].submitted == 1);
    CHILD_ASSERT(c.op[OCT_OP_COUNT].submitted == 0);
}

static void child_counts_batches(void *arg)
{
    struct oct_counters c;

    (void)arg;
    oct_counters_note_batch(2, 3, 2, 40);
    oct_counters_note_batch(2, 8, 8, 60);
    oct_counters_note_batch(2, 0, 0, 1);
    oct_counters_note_batch(2, OCT_LANES + 1, 1, 1);
    oct_counters_note_batch(2, 3, 4, 1);
    oct_counters_note_batch(-1, 1, 1, 1);
    oct_counters_note_batch(OCT_OP_COUNT, 1, 1, 1);
    oct_counters_read(&c);
    CHILD_ASSERT(c.op[2].submitted == 11 && c.op[2].done == 10 && c.op[2].failed == 1);
    CHILD_ASSERT(c.op[2].flushes[2] == 1 && c.op[2].flushes[7] == 1 && c.op[2].flushes[0] == 0);
    CHILD_ASSERT(c.op[2].lane_nanoseconds == 100);
}

static void test_batches(void **state)
{
    (void)state;
    in_child(child_counts_batches, NULL);
}

static void test_in_memory(void **state)
{
    (void)state;
    in_child(child_counts_in_memory, NULL);
}

static void child_counts_in_file(void *arg)
{
    struct place *place = arg;
    struct oct_counters c;
    own_file(place);
    setenv("OCTUPLE_COUNTERS", place->directory, 1);
    count(0, 4);
    clearenv();
    CHILD_ASSERT(file_read(place->file, &c));
    CHILD_ASSERT(c.magic == OCT_COUNTERS_MAGIC && c.pid == (uint64_t)getpid() && c.op_count == OCT_OP_COUNT);
    CHILD_ASSERT(c.op[0].submitted == 4 && c.start_ticks != 0 && strcmp(c.command, "test_counters") == 0);
    CHILD_ASSERT(c.started != 0 && c.started <= oct_counters_now());
    count(0, 4);
    CHILD_ASSERT(file_read(place->file, &c) && c.op[0].submitted == 8);
    CHILD_ASSERT(submitted_now() == 8);
}

/* The file stays after the process has ended, with the last counts. */
static void test_in_file(void **state)
{
    struct place *place = *state;
    struct oct_counters c;
    pid_t child = fork();
    if (child == 0) {
        child_counts_in_file(place);
        _exit(0);
    }
    assert_child_good(child);
    snprintf(place->file, sizeof place->file, "%s/%ld.octuple", place->directory, (long)child);
    assert_true(file_read(place->file, &c));
    assert_int_equal(c.op[0].submitted, 8);
    assert_int_equal(c.pid, child);
}

/* No descriptor stays open: a server that counts its descriptors, or closes them all, is not disturbed. */
static void child_keeps_no_descriptor(void *arg)
{
    struct place *place = arg;
    setenv("OCTUPLE_COUNTERS", place->directory, 1);
    int before = dup(0);
    close(before);
    errno = 77;
    oct_counters_start();
    CHILD_ASSERT(errno == 77);
    int after = dup(0);
    CHILD_ASSERT(before == after);
}

static void test_no_descriptor(void **state)
{
    in_child(child_keeps_no_descriptor, *state);
}

static void grandchild_counts(struct place *place, uint64_t n)
{
    struct oct_counters c;
    CHILD_ASSERT(submitted_now() == 0);
    count(0, n);
    own_file(place);
    CHILD_ASSERT(file_read(place->file, &c) && c.op[0].submitted == n && c.pid == (uint64_t)getpid());
}

static void child_wait(pid_t pid)
{
    int status;
    CHILD_ASSERT(pid > 0 && waitpid(pid, &status, 0) == pid);
    CHILD_ASSERT(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* Each process its own file and its own numbers, in three generations, with an environment that is gone. */
static void child_forks(void *arg)
{
    struct place *place = arg;
    setenv("OCTUPLE_COUNTERS", place->directory, 1);
    count(0, 100);
    clearenv();
    pid_t pid = fork();
    if (pid == 0) {
        grandchild_counts(place, 7);
        pid_t next = fork();
        if (next == 0) {
            grandchild_counts(place, 9);
            _exit(0);
        }
        child_wait(next);
        CHILD_ASSERT(submitted_now() == 7);
        _exit(0);
    }
    child_wait(pid);
    CHILD_ASSERT(submitted_now() == 100);
    own_file(place);
    struct oct_counters c;
    CHILD_ASSERT(file_read(place->file, &c) && c.op[0].submitted == 100);
}

static void test_fork(void **state)
{
    in_child(child_forks, *state);
}

static void child_forks_in_memory(void *arg)
{
    (void)arg;
    unsetenv("OCTUPLE_COUNTERS");
    count(0, 100);
    pid_t pid = fork();
    if (pid == 0) {
        CHILD_ASSERT(submitted_now() == 0);
        count(0, 1);
        CHILD_ASSERT(submitted_now() == 1);
        _exit(0);
    }
    child_wait(pid);
    CHILD_ASSERT(submitted_now() == 100);
}

static void test_fork_in_memory(void **state)
{
    (void)state;
    in_child(child_forks_in_memory, NULL);
}

/* The directory goes away: the child counts in memory and leaves its parent's numbers alone. */
static void child_forks_without_directory(void *arg)
{
    struct place *place = arg;
    setenv("OCTUPLE_COUNTERS", place->directory, 1);
    count(0, 100);
    own_file(place);
    CHILD_ASSERT(unlink(place->file) == 0 && rmdir(place->directory) == 0);
    pid_t pid = fork();
    if (pid == 0) {
        CHILD_ASSERT(submitted_now() == 0);
        count(0, 1);
        CHILD_ASSERT(submitted_now() == 1);
        _exit(0);
    }
    child_wait(pid);
    CHILD_ASSERT(submitted_now() == 100);
    CHILD_ASSERT(mkdir(place->directory, 0700) == 0);
}

static void test_fork_without_directory(void **state)
{
    in_child(child_forks_without_directory, *state);
}

static bool counts(void)
{
    struct oct_counters c;
    oct_counters_read(&c);
    return c.magic != 0;
}

static void end_at_once(void)
{
    _exit(0);
}

/* A child with so many operations, which ends by exit(), or with its thread. True if it had a file; else it counted
 * nothing. */
static bool child_has_file(struct place *place, uint64_t operations, bool ends_with_thread)
{
    char file[sizeof place->file];
    pid_t pid = fork();
    if (pid == 0) {
        own_file(place);
        if (operations > 0)
            count(0, operations);
        CHILD_ASSERT(counts() == (access(place->file, F_OK) == 0));
        CHILD_ASSERT(!counts() || submitted_now() == operations);
        if (ends_with_thread) {
            atexit(end_at_once); /* who looks for leaks then would miss this thread's stack */
            pthread_exit(NULL);
        }
        exit(0);
    }
    child_wait(pid);
    snprintf(file, sizeof file, "%s/%ld.octuple", place->directory, (long)pid);
    return unlink(file) == 0;
}

/* The child of such a child is nobody's short-lived one. */
static void grandchild_has_file(struct place *place)
{
    const pid_t pid = fork();
    if (pid == 0) {
        CHILD_ASSERT(!counts());
        CHILD_ASSERT(child_has_file(place, 2, false));
        exit(0);
    }
    child_wait(pid);
}

/* A server that forks a process for each connection pays for a file no more, until a child serves for long. */
static void child_forks_for_connections(void *arg)
{
    struct place *place = arg;
    setenv("OCTUPLE_COUNTERS", place->directory, 1);
    count(0, 100);
    const struct oct_thread_counters *slot = oct_counters_slot(oct_counters_page());
    for (int i = 0; i < 2 * OCT_POLICY_BRIEF_CHILDREN; i++)
        CHILD_ASSERT(child_has_file(place, 0, false)); /* of another kind: it has no operations */
    for (int i = 0; i < OCT_POLICY_BRIEF_CHILDREN; i++)
        CHILD_ASSERT(child_has_file(place, 2, false));
    CHILD_ASSERT(!child_has_file(place, 2, false));
    CHILD_ASSERT(!child_has_file(place, 2, true));
    grandchild_has_file(place);
    CHILD_ASSERT(!child_has_file(place, OCT_POLICY_ASIDE, false));
    CHILD_ASSERT(child_has_file(place, 2, false));
    /* Children that did not count wrote nothing into the file of this process. */
    CHILD_ASSERT(submitted_now() == 100 && slot->state == OCT_THREAD_ALIVE && slot->op[0].submitted == 100);
}

static void test_process_for_each_connection(void **state)
{
    in_child(child_forks_for_connections, *state);
}

/* First use only after the privileges are gone, in a directory that anybody may write to. */
static void child_drops_privileges(void *arg)
{
    struct place *place = arg;
    setenv("OCTUPLE_COUNTERS", place->directory, 1);
    CHILD_ASSERT(setgid(65534) == 0 && setuid(65534) == 0);
    count(0, 3);
    own_file(place);
    struct oct_counters c;
    struct stat st;
    CHILD_ASSERT(file_read(place->file, &c) && c.op[0].submitted == 3);
    CHILD_ASSERT(stat(place->file, &st) == 0 && st.st_uid == 65534);
}

static void skip_unless_root(void)
{
    if (geteuid() == 0)
        return;
    print_message("skipped: only root can drop privileges\n");
    skip();
}

static void test_dropped_privileges(void **state)
{
    struct place *place = *state;
    skip_unless_root();
    assert_int_equal(chmod(place->directory, 01777), 0);
    in_child(child_drops_privileges, place);
}

/* The usual server: root opens the library, forks workers, workers drop. A directory of root's own is enough. */
static void child_is_a_master(void *arg)
{
    struct place *place = arg;
    setenv("OCTUPLE_COUNTERS", place->directory, 1);
    oct_counters_start();
    pid_t worker = fork();
    if (worker == 0) {
        CHILD_ASSERT(setgid(65534) == 0 && setuid(65534) == 0);
        count(0, 3);
        _exit(0);
    }
    child_wait(worker);
    struct oct_counters c;
    snprintf(place->file, sizeof place->file, "%s/%ld.octuple", place->directory, (long)worker);
    CHILD_ASSERT(file_read(place->file, &c) && c.op[0].submitted == 3);
}

static void test_master_and_worker(void **state)
{
    skip_unless_root();
    in_child(child_is_a_master, *state);
}

static void child_may_not_write(void *arg)
{
    struct place *place = arg;
    setenv("OCTUPLE_COUNTERS", place->directory, 1);
    CHILD_ASSERT(geteuid() != 0 || (setgid(65534) == 0 && setuid(65534) == 0));
    count(0, 3);
    own_file(place);
    CHILD_ASSERT(access(place->file, F_OK) != 0);
    CHILD_ASSERT(submitted_now() == 3);
}

static void test_directory_not_writable(void **state)
{
    struct place *place = *state;
    assert_int_equal(chmod(place->directory, 0555), 0);
    in_child(child_may_not_write, place);
    assert_int_equal(chmod(place->directory, 0700), 0);
}

/* Somebody put a link in our place: what it leads to is not touched. */
static void child_finds_link(void *arg)
{
    struct place *place = arg;
    char victim[160], text[8] = "";
    snprintf(victim, sizeof victim, "%s/victim", place->directory);
    int fd = open(victim, O_RDWR | O_CREAT, 0600);
    CHILD_ASSERT(fd >= 0 && write(fd, "precious", 8) == 8);
    own_file(place);
    CHILD_ASSERT(symlink(victim, place->file) == 0);
    setenv("OCTUPLE_COUNTERS", place->directory, 1);
    count(0, 6);
    CHILD_ASSERT(pread(fd, text, 8, 0) == 8 && memcmp(text, "precious", 8) == 0);
    CHILD_ASSERT(submitted_now() == 6);
    struct stat st;
    CHILD_ASSERT(lstat(place->file, &st) == 0 && S_ISREG(st.st_mode) && st.st_size == sizeof(struct oct_counters_file));
}

static void test_link_in_the_way(void **state)
{
    in_child(child_finds_link, *state);
}

static void child_finds_old_file(void *arg)
{
    struct place *place = arg;
    struct oct_counters c;
    own_file(place);
    int fd = open(place->file, O_RDWR | O_CREAT, 0600);
    memset(&c, 0x55, sizeof c);
    CHILD_ASSERT(fd >= 0 && write(fd, &c, sizeof c) == (ssize_t)sizeof c);
    setenv("OCTUPLE_COUNTERS", place->directory, 1);
    count(0, 6);
    CHILD_ASSERT(file_read(place->file, &c) && c.op[0].submitted == 6 && c.op[1].submitted == 0);
    CHILD_ASSERT(submitted_now() == 6);
}

static void test_old_file(void **state)
{
    in_child(child_finds_old_file, *state);
}

static void child_finds_directory_in_the_way(void *arg)
{
    struct place *place = arg;
    own_file(place);
    CHILD_ASSERT(mkdir(place->file, 0700) == 0);
    setenv("OCTUPLE_COUNTERS", place->directory, 1);
    count(0, 6);
    CHILD_ASSERT(submitted_now() == 6);
}

static void test_directory_in_the_way(void **state)
{
    in_child(child_finds_directory_in_the_way, *state);
}

static void child_relative(void *arg)
{
    struct place *place = arg;
    struct oct_counters c;
    CHILD_ASSERT(chdir(place->directory) == 0);
    setenv("OCTUPLE_COUNTERS", ".", 1);
    count(0, 6);
    CHILD_ASSERT(chdir("/") == 0);
    pid_t pid = fork();
    if (pid == 0) {
        count(0, 8);
        own_file(place);
        CHILD_ASSERT(file_read(place->file, &c) && c.op[0].submitted == 8);
        _exit(0);
    }
    child_wait(pid);
}

static void test_relative_directory(void **state)
{
    in_child(child_relative, *state);
}

static void child_long_path(void *arg)
{
    static char path[2 * 4096];
    (void)arg;
    memset(path, 'x', sizeof path - 1);
    path[0] = '/';
    for (size_t len = sizeof path - 1; len > 4080; len = len > 4100 ? 4100 : len - 1) {
        path[len] = 0;
        pid_t pid = fork();
        if (pid == 0) {
            setenv("OCTUPLE_COUNTERS", path, 1);
            count(0, 1);
            CHILD_ASSERT(submitted_now() == 1);
            _exit(0);
        }
        child_wait(pid);
    }
}

static void test_path_too_long(void **state)
{
    in_child(child_long_path, *state);
}

#define THREADS 4
#define ROUNDS  1000000

static pthread_barrier_t together;

static void *count_often(void *arg)
{
    pthread_barrier_wait(&together);
    const struct oct_op_counters one = {.submitted = 1};
    for (int i = 0; i < ROUNDS; i++)
        oct_count_add(0, &one);
    return arg;
}

static void child_threads(void *arg)
{
    pthread_t thread[THREADS];
    (void)arg;
    unsetenv("OCTUPLE_COUNTERS");
    pthread_barrier_init(&together, NULL, THREADS);
    for (int i = 0; i < THREADS; i++)
        CHILD_ASSERT(pthread_create(&thread[i], NULL, count_often, NULL) == 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    CHILD_ASSERT(submitted_now() == THREADS * ROUNDS);
}

static void test_threads_lose_nothing(void **state)
{
    in_child(child_threads, *state);
}

/* A limit of files' sizes is no reason to end the server, which a longer file would do (SIGXFSZ). */
static void child_limits_files(void *arg)
{
    struct place *place = arg;
    const struct rlimit limit = {100000, 100000};
    CHILD_ASSERT(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    setenv("OCTUPLE_COUNTERS", place->directory, 1);
    count(0, 6);
    own_file(place);
    CHILD_ASSERT(access(place->file, F_OK) != 0);
    CHILD_ASSERT(submitted_now() == 6);
}

static void test_limit_of_files(void **state)
{
    in_child(child_limits_files, *state);
}

/* What may become of a file while its process counts: a mapping of it would end the process by SIGBUS. */
static void child_loses_file(struct place *place, void (*happens)(const char *path), bool still_written)
{
    struct oct_counters c;
    own_file(place);
    setenv("OCTUPLE_COUNTERS", place->directory, 1);
    count(0, 4);
    const int fd = open(place->file, O_RDONLY);
    happens(place->file);
    errno = 77;
    count(0, 4);
    count(OCT_OP_COUNT - 1, 4);
    CHILD_ASSERT(errno == 77 && submitted_now() == 8);
    CHILD_ASSERT(pread(fd, &c, sizeof c, 0) == (still_written ? (ssize_t)sizeof c : 0));
    CHILD_ASSERT(!still_written || c.op[0].submitted == 8);
    const pid_t pid = fork();
    if (pid == 0) {
        grandchild_counts(place, 7);
        exit(0);
    }
    child_wait(pid);
}

static void make_empty(const char *path)
{
    CHILD_ASSERT(truncate(path, 0) == 0);
}

static void replace(const char *path)
{
    CHILD_ASSERT(unlink(path) == 0);
    const int fd = open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
    CHILD_ASSERT(fd >= 0 && close(fd) == 0);
}

static void child_is_cut(void *arg)
{
    child_loses_file(arg, make_empty, false);
}

static void child_is_replaced(void *arg)
{
    struct place *place = arg;
    struct stat st;
    char file[sizeof place->file];
    own_file(place);
    memcpy(file, place->file, sizeof file);
    child_loses_file(place, replace, true);
    CHILD_ASSERT(stat(file, &st) == 0 && st.st_size == 0);
}

static void test_file_is_cut(void **state)
{
    in_child(child_is_cut, *state);
}

static void test_file_is_replaced(void **state)
{
    in_child(child_is_replaced, *state);
}

/* Only the end of the file goes, and comes back empty: what was counted before is not written there again. */
static void child_is_cut_short(void *arg)
{
    struct place *place = arg;
    struct oct_counters c;
    own_file(place);
    setenv("OCTUPLE_COUNTERS", place->directory, 1);
    count(OCT_OP_COUNT - 1, 4);
    CHILD_ASSERT(truncate(place->file, 100) == 0);
    count(OCT_OP_COUNT - 1, 4);
    CHILD_ASSERT(truncate(place->file, sizeof(struct oct_counters_file)) == 0);
    count(OCT_OP_COUNT - 1, 4);
    CHILD_ASSERT(file_read(place->file, &c) && c.op[OCT_OP_COUNT - 1].submitted == 0);
    oct_counters_read(&c);
    CHILD_ASSERT(c.op[OCT_OP_COUNT - 1].submitted == 12);
}

static void test_file_is_cut_short(void **state)
{
    in_child(child_is_cut_short, *state);
}

/* Threads count while somebody else shortens the file again and again. */
static void child_is_cut_by_others(void *arg)
{
    struct place *place = arg;
    pthread_t thread[THREADS];
    own_file(place);
    setenv("OCTUPLE_COUNTERS", place->directory, 1);
    oct_counters_start();
    pthread_barrier_init(&together, NULL, THREADS + 1);
    for (int i = 0; i < THREADS; i++)
        CHILD_ASSERT(pthread_create(&thread[i], NULL, count_often, NULL) == 0);
    pthread_barrier_wait(&together);
    for (int i = 0; i < 1000; i++)
        CHILD_ASSERT(truncate(place->file, i % 2 ? sizeof(struct oct_counters_file) : 0) == 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    CHILD_ASSERT(submitted_now() == THREADS * ROUNDS);
}

static void test_file_is_cut_by_others(void **state)
{
    in_child(child_is_cut_by_others, *state);
}

/* A small tmpfs of this process's own. False if it may not have one. */
static bool small_disk(const char *directory, const char *size)
{
    return unshare(CLONE_NEWNS) == 0 && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
           mount("octuple-test", directory, "tmpfs", 0, size) == 0;
}

static void skip_unless_disk(void)
{
    int status;
    const pid_t pid = fork();
    if (pid == 0)
        _exit(small_disk("/tmp", "size=64k") ? 0 : 1);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return;
    print_message("skipped: only root can mount a small file system\n");
    skip();
}

static void child_finds_no_room(void *arg)
{
    struct place *place = arg;
    CHILD_ASSERT(small_disk(place->directory, "size=64k"));
    setenv("OCTUPLE_COUNTERS", place->directory, 1);
    count(0, 6);
    own_file(place);
    CHILD_ASSERT(access(place->file, F_OK) != 0);
    CHILD_ASSERT(submitted_now() == 6);
}

static void test_full_disk(void **state)
{
    skip_unless_disk();
    in_child(child_finds_no_room, *state);
}

static void fill_up(const char *path)
{
    char other[256], byte = 1;
    snprintf(other, sizeof other, "%s.other", path);
    const int fd = open(other, O_WRONLY | O_CREAT | O_EXCL, 0600);
    while (write(fd, &byte, 1) == 1 && lseek(fd, 4095, SEEK_CUR) > 0)
        ;
    CHILD_ASSERT(errno == ENOSPC && close(fd) == 0);
}

/* Somebody takes the file's blocks, and the file system has no others. */
static void child_loses_blocks(void *arg)
{
    struct place *place = arg;
    CHILD_ASSERT(small_disk(place->directory, "size=1m"));
    own_file(place);
    setenv("OCTUPLE_COUNTERS", place->directory, 1);
    count(0, 4);
    const int fd = open(place->file, O_RDWR);
    CHILD_ASSERT(fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, sizeof(struct oct_counters_file)) == 0);
    fill_up(place->file);
    count(0, 4);
    CHILD_ASSERT(submitted_now() == 8);
}

static void test_blocks_are_taken(void **state)
{
    skip_unless_disk();
    in_child(child_loses_blocks, *state);
}

/* Every line is a comment or NAME{LABELS} NUMBER, and every family is announced before it is used. */
static void check_form(const char *text)
{
    char announced[128] = "", name[128], labels[128];
    const char *line = text;
    while (*line != 0) {
        const char *end = strchr(line, '\n');
        double number;
        int used = 0;
        CHILD_ASSERT(end != NULL);
        if (strncmp(line, "# TYPE ", 7) == 0)
            CHILD_ASSERT(sscanf(line, "# TYPE %127s %127s%n", announced, labels, &used) == 2 && line + used == end);
        else if (line[0] != '#') {
            CHILD_ASSERT(sscanf(line, "%127[a-z_]{%127[^}]} %lf%n", name, labels, &number, &used) == 3);
            CHILD_ASSERT(line + used == end && strcmp(name, announced) == 0);
        }
        line = end + 1;
    }
}

static void child_prometheus(void *arg)
{
    struct oct_op_counters delta = {.lane_nanoseconds = 12000000345u};
    (void)arg;
    unsetenv("OCTUPLE_COUNTERS");
    count(0, 5);
    oct_count_add(0, &delta);
    char *text = oct_counters_prometheus();
    CHILD_ASSERT(text != NULL);
    check_form(text);
    CHILD_ASSERT(strstr(text, "octuple_jobs_submitted_total{op=\"rsa2048-private\"} 5\n"));
    CHILD_ASSERT(strstr(text, "octuple_jobs_done_total{op=\"rsa2048-private\"} 10\n"));
    CHILD_ASSERT(strstr(text, "octuple_jobs_submitted_total{op=\"rsa4096-public\"} 0\n"));
    CHILD_ASSERT(strstr(text, "octuple_batches_total{op=\"rsa2048-private\",jobs=\"8\"} 15\n"));
    CHILD_ASSERT(strstr(text, "octuple_batch_seconds_total{op=\"rsa2048-private\"} 12.000000345\n"));
    free(text);
}

static void test_prometheus(void **state)
{
    in_child(child_prometheus, *state);
}

/* Each family once, with the series of both; an operation that only a later version has a name for. */
static void child_prometheus_of_several(void *arg)
{
    static struct oct_op_counters first[OCT_COUNTERS_OPS], second[OCT_COUNTERS_OPS];
    const struct oct_counters_series series[] = {{first, OCT_OP_COUNT + 1, "pid=\"7\",command=\"a\""},
                                                 {second, 1, NULL}};
    (void)arg;
    first[OCT_OP_COUNT].done = 3;
    first[0].waiting = 4;
    second[0].done = 5;
    char *text = oct_counters_prometheus_of(series, 2), expected[256];
    CHILD_ASSERT(text != NULL);
    check_form(text);
    snprintf(expected, sizeof expected,
             "octuple_jobs_done_total{pid=\"7\",command=\"a\",op=\"operation-%d\"} 3\n"
             "octuple_jobs_done_total{op=\"rsa2048-private\"} 5\n# HELP ",
             OCT_OP_COUNT);
    CHILD_ASSERT(strstr(text, expected));
    CHILD_ASSERT(strstr(text, "# TYPE octuple_jobs_waiting gauge\n"
                              "octuple_jobs_waiting{pid=\"7\",command=\"a\",op=\"rsa2048-private\"} 4\n"));
    free(text);
}

static void test_prometheus_of_several(void **state)
{
    (void)state;
    in_child(child_prometheus_of_several, NULL);
}

#define WITH_PLACE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_PLACE(test_batches),
        WITH_PLACE(test_in_memory),
        WITH_PLACE(test_in_file),
        WITH_PLACE(test_no_descriptor),
        WITH_PLACE(test_fork),
        WITH_PLACE(test_fork_in_memory),
        WITH_PLACE(test_fork_without_directory),
        WITH_PLACE(test_process_for_each_connection),
        WITH_PLACE(test_dropped_privileges),
        WITH_PLACE(test_master_and_worker),
        WITH_PLACE(test_directory_not_writable),
        WITH_PLACE(test_link_in_the_way),
        WITH_PLACE(test_old_file),
        WITH_PLACE(test_directory_in_the_way),
        WITH_PLACE(test_relative_directory),
        WITH_PLACE(test_path_too_long),
        WITH_PLACE(test_threads_lose_nothing),
        WITH_PLACE(test_limit_of_files),
        WITH_PLACE(test_file_is_cut),
        WITH_PLACE(test_file_is_replaced),
        WITH_PLACE(test_file_is_cut_short),
        WITH_PLACE(test_file_is_cut_by_others),
        WITH_PLACE(test_full_disk),
        WITH_PLACE(test_blocks_are_taken),
        WITH_PLACE(test_prometheus),
        WITH_PLACE(test_prometheus_of_several),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
