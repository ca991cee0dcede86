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
 */
#include "trace/counters.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE_BYTES 4096
#define MAP_BYTES  ((sizeof(struct oct_counters) + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES)

/* Aligned and padded to whole pages: nothing else lies under the mapping, and the notes lie behind it. */
static struct {
    union {
        struct oct_counters counters;
        unsigned char room[MAP_BYTES];
    };
    struct oct_start_notes notes;
} page __attribute__((aligned(PAGE_BYTES)));
_Static_assert(MAP_BYTES == OCT_START_OFFSET, "the notes are where the header says");

static char directory[PATH_MAX]; /* absolute; empty: no files */
static bool mapped;              /* a file lies over the page */
static bool lost;                /* a forked child that could not let go of its parent's file: nothing is counted */
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

/* Maps the process's file over the page. The first contents are written, not left as a hole: a full disk is
 * noticed here and not as a SIGBUS in the server later. */
static bool file_map(void)
{
    char path[PATH_MAX];
    if (directory[0] == 0 || !file_path(path))
        return false;
    int fd = file_create(path);
    if (fd < 0)
        return false;
    bool good = write(fd, &page.counters, sizeof page.counters) == (ssize_t)sizeof page.counters &&
                mmap(&page, MAP_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) != MAP_FAILED;
    if (!good)
        unlink(path);
    close(fd);
    return good;
}

static void page_reset(void)
{
    memset(&page.counters, 0, sizeof page.counters);
    page.counters.magic = OCT_COUNTERS_MAGIC;
    page.counters.pid = (uint64_t)getpid();
    page.counters.op_count = OCT_OP_COUNT;
}

/* The child leaves its parent's file alone: private memory first, then a file of its own. Should even the private
 * memory be refused, the child does without counters. */
static void forked_child(void)
{
    int saved = errno;
    if (mapped &&
        mmap(&page, MAP_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED) {
        lost = true;
        return;
    }
    page_reset();
    mapped = file_map();
    errno = saved;
}

/* A server may change its directory later: the path is made absolute now. With AT_SECURE the environment is not ours to
 * trust. */
static void directory_read(void)
{
    const char *wish = secure_getenv("OCTUPLE_COUNTERS");
    char here[PATH_MAX] = "";

    if (wish == NULL || wish[0] == 0)
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

static void start(void)
{
    int saved = errno;
    page_reset();
    notes_write();
    directory_read();
    mapped = file_map();
    pthread_atfork(NULL, NULL, forked_child);
    errno = saved;
}

struct oct_counters *oct_counters_page(void)
{
    pthread_once(&started, start);
    return lost ? NULL : &page.counters;
}

void oct_counters_start(void)
{
    oct_counters_page();
}
