/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Where functions may be traced at their return. For that the kernel puts an address of its own in place of the return
 * address, and expects a thread's returns in the reverse order of its calls. A handshake that is paused inside of a
 * function breaks that order, and then the thread goes on at the wrong place: the server crashes. And a probe is in the
 * library's file, so it is met by every process that has the same file mapped, traced or not. So what all of these
 * could do is read from the files that they have mapped, before anything is attached, and again every second.
 */
#include <dirent.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "trace.h"

/* Who calls one of these changes stacks on its own account. OpenSSL's own use is what the others are about. */
static const char *const stack_changers[] = {"swapcontext", "makecontext", "jump_fcontext"};

/* A program that asks for these may let handshakes be paused, although nothing in it pauses them now. */
static const char *const async_users[] = {"SSL_waiting_for_async", "SSL_get_all_async_fds", "ASYNC_start_job"};

#define COUNT(list) (sizeof(list) / sizeof(list)[0])

struct look {
    char root[32];       /* before the paths that the process sees */
    struct stat crypto;  /* the libcrypto in question */
    int shares;          /* it is mapped here */
    uint64_t files;      /* a sum over all paths */
    char last[PATH_MAX]; /* a file has several mappings, one behind the other */
    char pauses[PATH_MAX], changes[PATH_MAX], asks[PATH_MAX];
};

static const char *file_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

static void here(const struct look *look, char to[2 * PATH_MAX], const char *path)
{
    snprintf(to, 2 * PATH_MAX, "%s%s", look->root, path);
}

/* The first, cheap look: is it the library, and what else is there. */
static void see_names(void *arg, const char *path)
{
    struct look *look = arg;
    char file[2 * PATH_MAX];
    struct stat st;
    for (const char *at = path; *at != '\0'; at++)
        look->files = (look->files ^ (unsigned char)*at) * 0x100000001b3;
    if (!look->shares && !strncmp(file_of(path), "libcrypto.so", 12)) {
        here(look, file, path);
        /* Containers of one image have the same file on devices of their own (overlayfs), and share its probes: what
         * counts is its number there and its size. */
        look->shares = stat(file, &st) == 0 && st.st_ino == look->crypto.st_ino && st.st_size == look->crypto.st_size;
    }
}

static int imports_any(const struct trace_elf *elf, const char *const *names, size_t count)
{
    int found = 0;
    for (size_t i = 0; i < count && !found; i++)
        found = trace_elf_imports(elf, names[i]);
    return found;
}

static void see_symbols(void *arg, const char *path)
{
    struct look *look = arg;
    char file[2 * PATH_MAX];
    if (!strcmp(path, look->last) || !strncmp(file_of(path), "libcrypto.so", 12) ||
        !strncmp(file_of(path), "libssl.so", 9))
        return;
    snprintf(look->last, sizeof look->last, "%s", path);
    here(look, file, path);
    struct trace_elf *elf = trace_elf_open(file);
    if (elf == NULL)
        return;
    if (trace_elf_imports(elf, "ASYNC_pause_job"))
        snprintf(look->pauses, sizeof look->pauses, "%s", path);
    if (imports_any(elf, stack_changers, COUNT(stack_changers)))
        snprintf(look->changes, sizeof look->changes, "%s", path);
    if (imports_any(elf, async_users, COUNT(async_users)))
        snprintf(look->asks, sizeof look->asks, "%s", path);
    trace_elf_close(elf);
}

/* What is known of a process, as long as it has the same files. */
#define KNOWN 65536
static struct {
    pid_t pid;
    uint64_t files;
} known[KNOWN];

/* Fibres that are never paused are in order, too; but on threads other than the first the kernel may take the place of
 * their stacks for a sign that their caller has gone. */
static enum trace_returns judge_process(struct look *look, pid_t pid, char *why, size_t room)
{
    const struct dirent *entry;
    char path[64];
    unsigned threads = 0;
    facts_each_file(pid, see_names, look);
    if (!look->shares || (known[pid % KNOWN].pid == pid && known[pid % KNOWN].files == look->files))
        return TRACE_RETURNS_ALL;
    facts_each_file(pid, see_symbols, look);
    if (look->changes[0] != '\0') {
        snprintf(why, room, "process %ld: %s changes stacks by itself", (long)pid, look->changes);
        return TRACE_RETURNS_NONE;
    }
    if (look->pauses[0] != '\0') {
        snprintf(why, room, "process %ld: %s pauses handshakes", (long)pid, look->pauses);
        return TRACE_RETURNS_OUTER;
    }
    if (look->asks[0] == '\0') {
        known[pid % KNOWN].pid = pid;
        known[pid % KNOWN].files = look->files;
        return TRACE_RETURNS_ALL;
    }
    /* Threads come later: nothing is kept of such a process. */
    snprintf(path, sizeof path, "/proc/%ld/task", (long)pid);
    DIR *folder = opendir(path);
    while (folder != NULL && (entry = readdir(folder)) != NULL)
        threads += entry->d_name[0] != '.';
    if (folder != NULL)
        closedir(folder);
    if (threads <= 1)
        return TRACE_RETURNS_ALL;
    snprintf(why, room, "process %ld: %s can have handshakes paused, on several threads", (long)pid, look->asks);
    return TRACE_RETURNS_OUTER;
}

void trace_fibres_judge(struct trace_target *target)
{
    static struct look look;
    struct stat st = {0};
    const struct dirent *entry;
    DIR *proc = opendir("/proc");
    target->returns = TRACE_RETURNS_ALL;
    if (stat(target->crypto, &st) != 0 || proc == NULL) {
        target->returns = TRACE_RETURNS_NONE;
        snprintf(target->why, sizeof target->why, "who shares libcrypto with process %ld cannot be found out",
                 (long)target->seen);
    }
    while (target->returns != TRACE_RETURNS_NONE && proc != NULL && (entry = readdir(proc)) != NULL) {
        char why[sizeof target->why];
        pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
        if (pid <= 0 || pid == getpid())
            continue;
        look = (struct look){.crypto = st};
        snprintf(look.root, sizeof look.root, "/proc/%ld/root", (long)pid);
        enum trace_returns returns = judge_process(&look, pid, why, sizeof why);
        if (returns > target->returns) {
            target->returns = returns;
            memcpy(target->why, why, sizeof why);
        }
    }
    if (proc != NULL)
        closedir(proc);
}
