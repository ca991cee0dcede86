/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Where the counters live: a page of the library's own memory, over which the process's file in OCTUPLE_COUNTERS is
 * mapped if there is one. The address never changes, so that a writer needs no lock and no pointer, before a fork and
 * after it.
 *
 * The file is opened while the process still has what it had when the library was first used, and for a forked child
 * inside fork(): a server's worker that then drops its privileges, or changes its root, keeps its mapping. What cannot
 * be opened is silently done without: counters are no reason to fail, and a library does not write to a server's
 * stderr.
 *
 * A server may fork a process for each connection, and to make a file costs more there than all the rest of us. So
 * children that end early tell their parent, and after some of them its next children count nothing: they leave their
 * parent's file where it is, and write to none of its pages.
 */
#include "trace/counters.h"

#include "base/fork.h"
#include "base/policy.h"
#include "base/settings.h"
#include "trace/keys.h"
#include "trace/memory.h"
#include "trace/quic.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#define PAGE_BYTES 4096
#define MAP_BYTES  ((sizeof(struct oct_counters_file) + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES)

/* Aligned and padded to whole pages: nothing else lies under the mapping, and the notes lie behind it. */
static struct {
    union {
        struct oct_counters_file file;
        unsigned char room[MAP_BYTES];
    };
    struct oct_start_notes notes;
} page __attribute__((aligned(PAGE_BYTES)));
_Static_assert(MAP_BYTES == OCT_START_OFFSET, "the notes are where the header says");

static char directory[PATH_MAX]; /* absolute; empty: no files */
static char command[sizeof page.file.sum.command];
static atomic_bool mapped;      /* a file lies over the page, or is just about to */
static bool lost;               /* a forked child that could not let go of its parent's file: nothing is counted */
static bool quiet;              /* a forked child that will end after one connection, as others did: neither is there */
static uint64_t born;           /* when this process began, if it was forked */
static _Atomic uint64_t unseen; /* operations that were not counted */
static pthread_once_t started = PTHREAD_ONCE_INIT;

static char *append_number(char *to, unsigned long number)
{
    char reversed[24];
    size_t n = 0;
    do {
        reversed[n++] = (char)('0' + number % 10);
        number /= 10;
    } while (number != 0);
    while (n > 0)
        *to++ = reversed[--n];
    return to;
}

/* DIRECTORY/PID.octuple. No stdio: this also runs in a forked child. */
static bool file_path(char path[PATH_MAX])
{
    size_t len = strlen(directory);
    if (len + sizeof "/18446744073709551615.octuple" > PATH_MAX)
        return false;
    memcpy(path, directory, len);
    path[len] = '/';
    memcpy(append_number(path + len + 1, (unsigned long)getpid()), ".octuple", sizeof ".octuple");
    return true;
}

/* "PID (NAME) STATE ...", where NAME may hold anything: the text from its last bracket on, NULL where it cannot be
 * read. */
static char *own_stat(char *text, size_t room)
{
    int fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
    ssize_t len = fd >= 0 ? read(fd, text, room - 1) : -1;
    if (fd >= 0)
        close(fd);
    text[len > 0 ? len : 0] = 0;
    return strrchr(text, ')');
}

/* The 22nd word there. */
static uint64_t start_ticks(void)
{
    char text[1024];
    const char *at = own_stat(text, sizeof text);
    for (int word = 2; at != NULL && word < 22; word++)
        at = strchr(at + 1, ' ');
    return at != NULL ? strtoull(at, NULL, 10) : 0;
}

/* Servers write what ps(1) shows over their arguments, so that these are not asked. */
static void command_read(void)
{
    char text[1024], *end = own_stat(text, sizeof text), *name = strchr(text, '(');
    if (end == NULL || name == NULL)
        return;
    *end = 0;
    snprintf(command, sizeof command, "%s", name + 1);
}

static int file_create(const char *path)
{
    const int flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    int fd = open(path, flags, 0644);
    /* A file of our own pid is an earlier process's, whose pid we were given. In a sticky directory only its owner
     * can remove it, and whatever somebody else may have put there is never opened. */
    if (fd < 0 && errno == EEXIST && unlink(path) == 0)
        fd = open(path, flags, 0644);
    return fd;
}

/* The bytes of a file that are not there yet. A full disk, or a limit of files' sizes, which would be a signal in the
 * server, is noticed here. */
static bool file_fill(int fd)
{
    const size_t head = sizeof page.file.sum + sizeof page.file.thread[0];
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur >= sizeof page.file &&
           posix_fallocate(fd, 0, sizeof page.file) == 0 && write(fd, &page.file, head) == (ssize_t)head;
}

/* Maps the process's file over the page, which has nothing but its sum and the first slot yet. */
static void file_map(void)
{
    char path[PATH_MAX];
    if (directory[0] == 0 || !file_path(path))
        return;
    int fd = file_create(path);
    if (fd < 0)
        return;
    page.file.sum.start_ticks = start_ticks();
    mapped = file_fill(fd); /* before it is true: another thread may fork at any moment */
    mapped = mapped && mmap(&page, MAP_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) != MAP_FAILED;
    if (!mapped)
        unlink(path);
    close(fd);
}

/* Puts private memory in the place of a parent's file. Should even that be refused, nothing is counted any more. */
static bool file_leave(void)
{
    if (mapped)
        lost = mmap(&page, MAP_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) ==
               MAP_FAILED;
    mapped = mapped && lost;
    return !lost;
}

/* What threads have used, and no more: a page that was never written to takes no memory. */
static void page_reset(void)
{
    struct oct_counters *sum = &page.file.sum;
    const size_t used = sum->slots < OCT_COUNTERS_THREADS ? sum->slots : OCT_COUNTERS_THREADS;
    /* Not by writing: each page that a child shares with its parent would be copied first. Locked memory stays. */
    if (used > 0 && madvise(&page, MAP_BYTES, MADV_DONTNEED) != 0)
        memset(&page.file, 0, sizeof *sum + used * sizeof page.file.thread[0]);
    sum->magic = OCT_COUNTERS_MAGIC;
    sum->pid = (uint64_t)getpid();
    sum->op_count = OCT_OP_COUNT;
    sum->slots = 1;
    sum->started = oct_counters_now();
    memcpy(sum->command, command, sizeof command);
    page.file.thread[0].state = OCT_THREAD_OTHERS;
    oct_counters_slots_forget();
}

/* The parent forks a process for each connection, as far as its last children told it. */
static bool is_brief(void)
{
    const struct oct_fork_board *parents = oct_fork_parents_board();
    return parents != NULL && atomic_load_explicit(&parents->brief, memory_order_relaxed) >= OCT_POLICY_BRIEF_CHILDREN;
}

static uint64_t operations(void)
{
    uint64_t sum = 0;
    for (int op = 0; op < OCT_OP_COUNT; op++)
        sum += atomic_load_explicit(oct_atomic_word(&page.file.sum.op[op].submitted), memory_order_relaxed) +
               atomic_load_explicit(oct_atomic_word(&page.file.sum.op[op].plain), memory_order_relaxed);
    return sum;
}

/* At the end of a child that had operations. One that had few and lived for long says nothing. */
__attribute__((destructor)) static void tell_parent(void)
{
    struct oct_fork_board *parents = oct_fork_parents_board();
    uint64_t had;

    if (parents == NULL)
        return;
    had = lost || quiet ? atomic_load_explicit(&unseen, memory_order_relaxed) : operations();
    if (had >= OCT_POLICY_CHILD_ASIDE)
        atomic_store_explicit(&parents->brief, 0, memory_order_relaxed);
    else if (had > 0 && oct_counters_now() - born < OCT_POLICY_BRIEF_LIFE)
        atomic_fetch_add_explicit(&parents->brief, 1, memory_order_relaxed);
}

/* The child leaves its parent's file alone: private memory first, then a file of its own. */
static void forked_child(void)
{
    int saved = errno;
    quiet = is_brief();
    born = oct_counters_now();
    unseen = 0;
    oct_counters_slot_forget();
    if (!quiet && file_leave()) {
        page_reset();
        file_map();
        oct_keys_counters_forked(&page.file.keys);
        oct_quic_counters_forked(&page.file.quic);
        oct_memory_counters_forked(&page.file.memory);
    }
    errno = saved;
}

/* A server may change its directory later: the path is made absolute now. With AT_SECURE the environment is not ours to
 * trust. */
static void directory_read(void)
{
    const char *wish = oct_setting(OCT_SETTING_COUNTERS);
    char here[PATH_MAX] = "";

    if (wish == NULL)
        return;
    if (wish[0] != '/' && getcwd(here, sizeof here) == NULL)
        return;
    int len = snprintf(directory, sizeof directory, "%s%s%s", here, here[0] ? "/" : "", wish);
    if (len < 0 || (size_t)len >= sizeof directory)
        directory[0] = 0;
}

static void notes_write(void)
{
    const char *file = secure_getenv("OPENSSL_CONF");
    size_t len = file != NULL ? strlen(file) : 0;

    if (len > 0 && len < sizeof page.notes.openssl_conf)
        memcpy(page.notes.openssl_conf, file, len + 1);
    page.notes.magic = OCT_START_MAGIC;
}

/* Where another thread is here when a process forks, the child does all of it again: its parent's file may lie over the
 * page by then. */
static void start(void)
{
    int saved = errno;
    command_read();
    if (file_leave()) {
        page_reset();
        notes_write();
        directory_read();
        file_map();
    }
    oct_fork_watch();
    pthread_atfork(NULL, NULL, forked_child); /* behind the other's, which finds the parent's board */
    errno = saved;
}

struct oct_counters_file *oct_counters_page(void)
{
    pthread_once(&started, start);
    return lost || quiet ? NULL : &page.file;
}

void oct_counters_unseen(uint64_t count)
{
    atomic_fetch_add_explicit(&unseen, count, memory_order_relaxed);
}

void oct_counters_start(void)
{
    oct_counters_page();
}
