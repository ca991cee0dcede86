/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Where the counters live: a page of the library's own memory. Its address never changes, so that a writer needs no
 * lock and no pointer, before a fork and after it. What a process keeps besides, in OCTUPLE_COUNTERS, follows it
 * (file.c).
 *
 * A server may fork a process for each connection, and to make a file costs more there than all the rest of us. So
 * children that end early tell their parent, and after some of them its next children count nothing: they leave their
 * parent's file where it is, and write nothing there.
 */
#include "trace/counters.h"

#include "base/fork.h"
#include "base/policy.h"
#include "base/settings.h"
#include "trace/file.h"
#include "trace/hellos.h"
#include "trace/keys.h"
#include "trace/memory.h"
#include "trace/quic.h"
#include "trace/stays.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE_BYTES 4096
#define ROOM_BYTES ((sizeof(struct oct_counters_file) + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES)

/* Aligned and padded to whole pages: a child drops its parent's numbers by the page, and the notes lie behind them. */
static struct {
    union {
        struct oct_counters_file file;
        unsigned char room[ROOM_BYTES];
    };
    struct oct_start_notes notes;
} page __attribute__((aligned(PAGE_BYTES)));
_Static_assert(ROOM_BYTES == OCT_START_OFFSET, "the notes are where the header says");

static char command[sizeof page.file.sum.command];
static bool quiet;              /* a forked child that will end after one connection, as others did: neither is there */
static uint64_t born;           /* when this process began, if it was forked */
static _Atomic uint64_t unseen; /* operations that were not counted */
static pthread_once_t started = PTHREAD_ONCE_INIT;

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

/* What threads have used, and no more: a page that was never written to takes no memory. */
static void page_reset(void)
{
    struct oct_counters *sum = &page.file.sum;
    const size_t used = sum->slots < OCT_COUNTERS_THREADS ? sum->slots : OCT_COUNTERS_THREADS;
    /* Not by writing: each page that a child shares with its parent would be copied first. Locked memory stays. */
    if (used > 0 && madvise(&page, ROOM_BYTES, MADV_DONTNEED) != 0)
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

static void file_make(void)
{
    if (!oct_counters_file_wanted())
        return;
    page.file.sum.start_ticks = start_ticks();
    oct_counters_file_make(&page.file);
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
               atomic_load_explicit(oct_atomic_word(&page.file.sum.op[op].fallback), memory_order_relaxed);
    return sum;
}

/* At the end of a child that had operations. One that had few and lived for long says nothing. */
static void tell_parent(void)
{
    struct oct_fork_board *parents = oct_fork_parents_board();
    uint64_t had;

    if (parents == NULL)
        return;
    had = quiet ? atomic_load_explicit(&unseen, memory_order_relaxed) : operations();
    if (had >= OCT_POLICY_ASIDE)
        atomic_store_explicit(&parents->brief, 0, memory_order_relaxed);
    else if (had > 0 && oct_counters_now() - born < OCT_POLICY_BRIEF_LIFE)
        atomic_fetch_add_explicit(&parents->brief, 1, memory_order_relaxed);
}

__attribute__((destructor)) static void end(void)
{
    oct_counters_file_end();
    tell_parent();
}

/* The child leaves its parent's file alone, and gets one of its own. */
static void forked_child(void)
{
    int saved = errno;
    quiet = is_brief();
    born = oct_counters_now();
    unseen = 0;
    oct_counters_slot_forget();
    oct_counters_file_leave();
    if (!quiet) {
        page_reset();
        oct_keys_counters_forked(&page.file.keys);
        oct_quic_counters_forked(&page.file.quic);
        oct_memory_counters_forked(&page.file.memory);
        oct_stay_counters_forked(&page.file.stays);
        oct_hello_counters_forked(&page.file.hellos);
        file_make();
    }
    errno = saved;
}

static void notes_write(void)
{
    const char *file = secure_getenv("OPENSSL_CONF");
    size_t len = file != NULL ? strlen(file) : 0;

    if (len > 0 && len < sizeof page.notes.openssl_conf)
        memcpy(page.notes.openssl_conf, file, len + 1);
    char *to = page.notes.settings, *const end = to + sizeof page.notes.settings - 1;
    for (enum oct_setting which = 0; which < OCT_SETTING_COUNT; which++) {
        const char *name = oct_setting_row(which)->variable, *value = oct_setting(which);
        const size_t room = (size_t)(end - to);
        const size_t size = value != NULL ? strlen(name) + 1 + strlen(value) + 1 : 0;
        if (size > 0 && size < room)
            to += snprintf(to, room, "%s=%s", name, value) + 1;
    }
    page.notes.magic = OCT_START_MAGIC;
}

/* Where another thread is here when a process forks, the child does all of it again: its parent's file may be mapped by
 * then. */
static void start(void)
{
    int saved = errno;
    command_read();
    oct_counters_file_leave();
    page_reset();
    notes_write();
    oct_counters_file_directory();
    file_make();
    oct_fork_watch();
    pthread_atfork(NULL, NULL, forked_child); /* behind the other's, which finds the parent's board */
    errno = saved;
}

struct oct_counters_file *oct_counters_page(void)
{
    pthread_once(&started, start);
    return quiet ? NULL : &page.file;
}

void oct_counters_unseen(uint64_t count)
{
    atomic_fetch_add_explicit(&unseen, count, memory_order_relaxed);
}

void oct_counters_start(void)
{
    oct_counters_page();
}
