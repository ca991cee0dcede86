/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Finding counters, and reading them.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "counters.h"
#include "process.h"

#define PAGE_BYTES 4096
/* The magic number without its last byte, the version. */
#define ANY_VERSION (OCT_COUNTERS_MAGIC & 0x00ffffffffffffffull)

static enum counters_result judge(const uint64_t head[2], uint64_t pid)
{
    if ((head[0] & 0x00ffffffffffffffull) != ANY_VERSION || head[1] != pid)
        return COUNTERS_NONE;
    return head[0] == OCT_COUNTERS_MAGIC ? COUNTERS_READ : COUNTERS_OTHER_VERSION;
}

static int read_exactly(int fd, void *to, size_t size, uint64_t at)
{
    return pread(fd, to, size, (off_t)at) == (ssize_t)size;
}

/* Only slots that were ever in use: a process has few threads, as a rule. */
static enum counters_result read_at(struct oct_counters_file *out, int fd, uint64_t at)
{
    if (!read_exactly(fd, &out->sum, sizeof out->sum, at))
        return COUNTERS_NONE;
    if (out->sum.slots > OCT_COUNTERS_THREADS)
        out->sum.slots = OCT_COUNTERS_THREADS;
    if (!read_exactly(fd, out->thread, out->sum.slots * sizeof out->thread[0], at + sizeof out->sum))
        return COUNTERS_NONE;
    if (!read_exactly(fd, &out->keys, sizeof out->keys, at + offsetof(struct oct_counters_file, keys)))
        out->keys = (struct oct_key_counters){0}; /* the writer's version had none */
    if (!read_exactly(fd, &out->quic, sizeof out->quic, at + offsetof(struct oct_counters_file, quic)))
        out->quic = (struct oct_quic_counters){0};
    if (!read_exactly(fd, &out->memory, sizeof out->memory, at + offsetof(struct oct_counters_file, memory)))
        out->memory = (struct oct_memory_counters){0};
    if (!read_exactly(fd, &out->stays, sizeof out->stays, at + offsetof(struct oct_counters_file, stays)) ||
        out->stays.form != OCT_STAY_FORM)
        out->stays = (struct oct_stay_counters){0};
    if (!read_exactly(fd, &out->hellos, sizeof out->hellos, at + offsetof(struct oct_counters_file, hellos)) ||
        out->hellos.form != OCT_HELLO_FORM)
        out->hellos = (struct oct_hello_counters){0};
    oct_counters_sum_waiting(out);
    return COUNTERS_READ;
}

/* Where the library keeps what it keeps in a process. */
struct search {
    int memory;
    uint64_t pid; /* as the process itself sees it */
    uint64_t at;
    enum counters_result result;
};

static void search_range(struct search *search, uint64_t from, uint64_t to)
{
    for (uint64_t at = from; at + PAGE_BYTES <= to && search->result == COUNTERS_NONE; at += PAGE_BYTES) {
        uint64_t head[2];
        if (!read_exactly(search->memory, head, sizeof head, at)) {
            search->result = COUNTERS_NOT_PERMITTED;
            return;
        }
        search->result = judge(head, search->pid);
        search->at = at;
    }
}

/* Looks where they were first. Then in the library's mappings, which are the lines with its name and those that follow
 * without a gap: its variables. */
static struct search find(pid_t pid, uint64_t where)
{
    char path[64], *line = NULL;
    size_t room = 0;
    uint64_t last = 0;
    int ours = 0, present = 0;
    snprintf(path, sizeof path, "/proc/%ld/mem", (long)pid);
    struct search search = {
        .memory = open(path, O_RDONLY | O_CLOEXEC), .pid = process_inner_pid(pid), .result = COUNTERS_NONE};
    if (where != 0)
        search_range(&search, where, where + PAGE_BYTES);
    if (search.result == COUNTERS_READ)
        return search;
    FILE *maps = process_open(pid, "maps");
    search.result = maps == NULL && (errno == EACCES || errno == EPERM) ? COUNTERS_NOT_PERMITTED : COUNTERS_NONE;
    while (maps != NULL && search.result == COUNTERS_NONE && getline(&line, &room, maps) > 0) {
        char *rest;
        uint64_t from = strtoull(line, &rest, 16);
        uint64_t to = strtoull(rest + 1, &rest, 16);
        ours = strstr(rest, "/liboctuple.so") != NULL || (ours && from == last);
        last = to;
        if (ours && !strncmp(rest, " rw", 3))
            search_range(&search, from, to);
        present |= ours;
    }
    if (present && search.result == COUNTERS_NONE)
        search.result = COUNTERS_NOT_STARTED;
    /* Files of /proc that open may still refuse to be read. */
    if (maps != NULL && search.result == COUNTERS_NONE && ferror(maps))
        search.result = COUNTERS_NOT_PERMITTED;
    free(line);
    if (maps != NULL)
        fclose(maps);
    return search;
}

int counters_start_notes(struct oct_start_notes *out, pid_t pid)
{
    struct search search = find(pid, 0);
    int good = search.result == COUNTERS_READ &&
               read_exactly(search.memory, out, sizeof *out, search.at + OCT_START_OFFSET) &&
               out->magic == OCT_START_MAGIC;
    if (search.memory >= 0)
        close(search.memory);
    return good;
}

static enum counters_result of_file(struct oct_counters_file *out, const char *path)
{
    uint64_t head[2];
    struct stat st;
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    enum counters_result result = fd < 0 && errno == EACCES ? COUNTERS_NOT_PERMITTED : COUNTERS_NONE;
    if (fd >= 0 && read_exactly(fd, head, sizeof head, 0))
        result = judge(head, head[1]);
    else if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
        result = COUNTERS_CUT;
    if (result == COUNTERS_READ && read_at(out, fd, 0) != COUNTERS_READ)
        result = COUNTERS_CUT;
    if (fd >= 0)
        close(fd);
    return result;
}

static enum counters_result of_memory(struct oct_counters_file *out, pid_t pid, uint64_t *where)
{
    struct search search = find(pid, *where);
    *where = search.result == COUNTERS_READ ? search.at : 0;
    if (search.result == COUNTERS_READ)
        search.result = read_at(out, search.memory, search.at);
    if (search.memory >= 0)
        close(search.memory);
    return search.result;
}

enum counters_result counters_of_process(struct oct_counters_file *out, pid_t pid, uint64_t *where)
{
    const char name[] = "OCTUPLE_COUNTERS=/";
    char path[PATH_MAX];
    size_t size = 0;
    enum counters_result result = of_memory(out, pid, where);
    if (result != COUNTERS_NOT_PERMITTED)
        return result;
    /* Then its own file. A relative folder meant the directory that it had at its start: not known any more. */
    char *environment = process_read(pid, "environ", &size), *at = environment;
    result = COUNTERS_NONE;
    while (at != NULL && at < environment + size && strncmp(at, name, sizeof name - 1) != 0)
        at += strlen(at) + 1;
    if (at != NULL && at < environment + size &&
        snprintf(path, sizeof path, "%s/%" PRIu64 ".octuple", strchr(at, '/'), process_inner_pid(pid)) < PATH_MAX)
        result = of_file(out, path);
    free(environment);
    return result == COUNTERS_READ || result == COUNTERS_OTHER_VERSION ? result : COUNTERS_NOT_PERMITTED;
}

/* A process that still runs has its latest numbers in its memory, and all of them where its file was shortened. */
static enum counters_result of_entry(struct oct_counters_file *out, const char *folder, const char *name)
{
    static struct oct_counters_file now;
    char path[PATH_MAX], *end;
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= PATH_MAX)
        return COUNTERS_NONE;
    enum counters_result result = of_file(out, path);
    pid_t pid = (pid_t)strtol(name, &end, 10);
    bool runs = result == COUNTERS_CUT && pid > 0 && *end == '.';
    if (result == COUNTERS_READ) {
        pid = (pid_t)out->sum.pid;
        runs = pid > 0 && out->sum.start_ticks != 0 && process_start_ticks(pid) == out->sum.start_ticks;
    }
    if (runs && of_memory(&now, pid, &(uint64_t){0}) == COUNTERS_READ) {
        *out = now;
        return COUNTERS_READ;
    }
    return result;
}

int counters_of_folder(const char *folder, void (*found)(void *arg, const struct oct_counters_file *file), void *arg,
                       struct counters_left *left)
{
    static struct oct_counters_file file;
    const struct dirent *entry;
    DIR *files = opendir(folder);
    if (files == NULL)
        return errno;
    while ((entry = readdir(files)) != NULL) {
        const char *dot = strrchr(entry->d_name, '.');
        if (entry->d_name[0] == '.' || dot == NULL || strcmp(dot, ".octuple") != 0)
            continue;
        enum counters_result result = of_entry(&file, folder, entry->d_name);
        if (result == COUNTERS_READ)
            found(arg, &file);
        left->other_versions += result == COUNTERS_OTHER_VERSION;
        left->cut += result == COUNTERS_CUT;
    }
    closedir(files);
    return 0;
}
