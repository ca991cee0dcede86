/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The process's file in OCTUPLE_COUNTERS, for readers who may not look into its memory, and for when it has ended.
 *
 * Whoever may write to a file may shorten it, and who then touches a mapping of it is ended by SIGBUS; so is who
 * touches one for which a full disk has no block. So nobody counts in the mapping: the kernel copies there what was
 * counted, by process_vm_writev(), and where that fails it says so. From then on the process does without its file.
 * There is no descriptor of it either, which a server might close and its number be given to a file of its own.
 *
 * The file is opened while the process still has what it had when the library was first used, and for a forked child
 * inside fork(): a server's worker that then drops its privileges, or changes its root, keeps its mapping. What cannot
 * be opened is silently done without: counters are no reason to fail, and a library does not write to a server's
 * stderr.
 */
#include "trace/file.h"

#include "base/settings.h"
#include "trace/counters.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define FILE_BYTES sizeof(struct oct_counters_file)
#define HEAD_BYTES (sizeof(struct oct_counters) + sizeof(struct oct_thread_counters))
#define TAIL_AT    offsetof(struct oct_counters_file, keys)

static char directory[PATH_MAX]; /* absolute; empty: no files */
static const struct oct_counters_file *page;
static unsigned char *_Atomic mapping; /* of the file; NULL: there is none. It stays mapped until the process ends */

/* What a thread gathers, to have it copied by one call. */
static __thread struct {
    bool on;
    const struct oct_thread_counters *slot;
    uint64_t ops; /* whose numbers are yet to be copied, one bit for each */
} gathered;
_Static_assert(OCT_COUNTERS_OPS <= 64, "a bit for each operation");

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
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur >= FILE_BYTES &&
           posix_fallocate(fd, 0, FILE_BYTES) == 0 && write(fd, page, HEAD_BYTES) == (ssize_t)HEAD_BYTES;
}

/* True if the kernel has copied all of it. As a bare call: ThreadSanitizer takes the C library's for a plain read of
 * what others add to. */
static bool copy(unsigned char *to, const struct oct_counters_part *part, size_t parts)
{
    struct iovec here[OCT_COUNTERS_PARTS], there[OCT_COUNTERS_PARTS];
    size_t size = 0;
    for (size_t i = 0; i < parts; i++) {
        here[i] = (struct iovec){(void *)(uintptr_t)part[i].at, part[i].size};
        there[i] = (struct iovec){to + ((uintptr_t)part[i].at - (uintptr_t)page), part[i].size};
        size += part[i].size;
    }
    return syscall(SYS_process_vm_writev, (long)getpid(), here, parts, there, parts, 0l) == (long)size;
}

void oct_counters_file_write(const struct oct_counters_part *part, size_t parts)
{
    unsigned char *to = atomic_load_explicit(&mapping, memory_order_acquire);
    int saved = errno;
    /* It is not unmapped: another thread may be writing there. */
    if (to != NULL && !copy(to, part, parts))
        atomic_store_explicit(&mapping, NULL, memory_order_relaxed);
    errno = saved;
}

static struct oct_counters_part tail(void)
{
    return (struct oct_counters_part){&page->keys, FILE_BYTES - TAIL_AT};
}

static bool is_set(const uint64_t *state)
{
    return atomic_load_explicit(oct_atomic_word(state), memory_order_relaxed) != 0;
}

static bool has_more(void)
{
    return is_set(&page->keys.state) || is_set(&page->quic.state) || is_set(&page->memory.state);
}

static void copy_gathered(void)
{
    struct oct_counters_part part[OCT_COUNTERS_PARTS];
    size_t parts = 0;
    for (uint64_t ops = gathered.ops; ops != 0; ops &= ops - 1) {
        const int op = __builtin_ctzll(ops);
        part[parts++] = (struct oct_counters_part){&page->sum.op[op], sizeof page->sum.op[op]};
        part[parts++] = (struct oct_counters_part){&gathered.slot->op[op], sizeof gathered.slot->op[op]};
        if (parts + 3 > OCT_COUNTERS_PARTS) {
            oct_counters_file_write(part, parts);
            parts = 0;
        }
    }
    if (has_more())
        part[parts++] = tail();
    if (parts != 0)
        oct_counters_file_write(part, parts);
    gathered.ops = 0;
}

void oct_counters_file_gather(bool on)
{
    gathered.on = on;
    if (!on && gathered.ops != 0)
        copy_gathered();
}

void oct_counters_file_follow(const struct oct_thread_counters *slot, int op)
{
    if (atomic_load_explicit(&mapping, memory_order_relaxed) == NULL)
        return;
    gathered.slot = slot;
    gathered.ops |= (uint64_t)1 << op;
    if (!gathered.on)
        copy_gathered();
}

void oct_counters_file_tail(void)
{
    const struct oct_counters_part part = tail();
    oct_counters_file_write(&part, 1);
}

void oct_counters_file_end(void)
{
    uint64_t slots;
    if (atomic_load_explicit(&mapping, memory_order_relaxed) == NULL)
        return;
    slots = atomic_load_explicit(oct_atomic_word(&page->sum.slots), memory_order_relaxed);
    const struct oct_counters_part part[] = {{page, sizeof page->sum + slots * sizeof page->thread[0]}, tail()};
    oct_counters_file_write(part, 2);
}

bool oct_counters_file_wanted(void)
{
    return directory[0] != 0;
}

/* The page has nothing but its sum and the first slot yet. */
void oct_counters_file_make(const struct oct_counters_file *counters)
{
    char path[PATH_MAX];
    page = counters;
    if (!oct_counters_file_wanted() || !file_path(path))
        return;
    int fd = file_create(path);
    if (fd < 0)
        return;
    void *to = file_fill(fd) ? mmap(NULL, FILE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) : MAP_FAILED;
    close(fd);
    const struct oct_counters_part part = tail();
    if (to != MAP_FAILED && copy(to, &part, 1)) {
        atomic_store_explicit(&mapping, to, memory_order_release);
        return;
    }
    if (to != MAP_FAILED)
        munmap(to, FILE_BYTES);
    unlink(path);
}

void oct_counters_file_leave(void)
{
    unsigned char *parents = atomic_exchange_explicit(&mapping, NULL, memory_order_relaxed);
    if (parents != NULL)
        munmap(parents, FILE_BYTES);
}

/* A server may change its directory later: the path is made absolute now. With AT_SECURE the environment is not ours to
 * trust. */
void oct_counters_file_directory(void)
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
