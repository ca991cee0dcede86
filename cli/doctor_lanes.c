/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Whether operations really went through lanes: the counters of <octuple/counters.h>. A running process has them in a
 * page of the library's memory, wherever that is mapped, and it is read from there, so that nothing has to be switched
 * on beforehand. That takes the right to trace the process; without it, its file in OCTUPLE_COUNTERS does.
 */
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <octuple/counters.h>
#include "doctor.h"

#define PAGE_BYTES 4096

static void sum(struct doctor_lanes *lanes, const struct oct_counters *counters)
{
    uint64_t count = counters->op_count < OCT_COUNTERS_OPS ? counters->op_count : OCT_COUNTERS_OPS;
    lanes->read++;
    for (uint64_t op = 0; op < count; op++) {
        const struct oct_op_counters *one = &counters->op[op];
        lanes->lanes += one->done;
        lanes->plain += one->plain;
        lanes->failed += one->failed;
        for (int n = 0; n < OCT_LANES; n++) {
            lanes->batches += one->flushes[n];
        }
    }
}

/* The pid that the process itself sees: the last one of the line. */
static uint64_t inner_pid(pid_t pid)
{
    char path[64], *line = NULL;
    size_t room = 0;
    uint64_t found = (uint64_t)pid;
    snprintf(path, sizeof path, "/proc/%ld/status", (long)pid);
    FILE *in = fopen(path, "re");
    while (in != NULL && getline(&line, &room, in) > 0) {
        if (!strncmp(line, "NSpid:", 6)) {
            found = strtoull(strrchr(line, '\t') + 1, NULL, 10);
        }
    }
    free(line);
    if (in != NULL) {
        fclose(in);
    }
    return found;
}

/* What the library keeps in a process. */
struct found {
    struct oct_counters counters;
    struct oct_start_notes notes;
    int present; /* the library is in the process, or nobody may say that it is not */
};

static int read_at(struct found *out, int memory, uint64_t at)
{
    if (pread(memory, &out->notes, sizeof out->notes, (off_t)(at + OCT_START_OFFSET)) != sizeof out->notes) {
        out->notes.magic = 0;
    }
    return pread(memory, &out->counters, sizeof out->counters, (off_t)at) == sizeof out->counters;
}

static int search_range(struct found *out, int memory, uint64_t from, uint64_t to, uint64_t pid)
{
    for (uint64_t at = from; at + sizeof out->counters <= to; at += PAGE_BYTES) {
        uint64_t head[2];
        if (pread(memory, head, sizeof head, (off_t)at) != sizeof head) {
            return 0;
        }
        if (head[0] == OCT_COUNTERS_MAGIC && head[1] == pid) {
            return read_at(out, memory, at);
        }
    }
    return 0;
}

/* The library's mappings are the lines with its name and those that follow without a gap: its variables, or the file
 * that lies over a part of them. */
static int search_maps(struct found *out, FILE *maps, int memory, uint64_t pid)
{
    char *line = NULL;
    size_t room = 0;
    uint64_t last = 0;
    int ours = 0, found = 0;
    while (!found && getline(&line, &room, maps) > 0) {
        char *rest;
        uint64_t from = strtoull(line, &rest, 16);
        uint64_t to = strtoull(rest + 1, &rest, 16);
        ours = strstr(rest, "/liboctuple.so") != NULL || (ours && from == last);
        last = to;
        out->present |= ours;
        if (ours && !strncmp(rest, " rw", 3)) {
            found = search_range(out, memory, from, to, pid);
        }
    }
    free(line);
    return found;
}

static int read_memory(struct found *out, pid_t pid)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/mem", (long)pid);
    int memory = open(path, O_RDONLY | O_CLOEXEC);
    snprintf(path, sizeof path, "/proc/%ld/maps", (long)pid);
    FILE *maps = fopen(path, "re");
    out->present = maps == NULL;
    int found = maps != NULL && search_maps(out, maps, memory, inner_pid(pid));
    if (memory >= 0) {
        close(memory);
    }
    if (maps != NULL) {
        fclose(maps);
    }
    return found;
}

static int read_file(struct oct_counters *out, const char *path)
{
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    int good = fd >= 0 && read(fd, out, sizeof *out) == sizeof *out && out->magic == OCT_COUNTERS_MAGIC;
    if (fd >= 0) {
        close(fd);
    }
    return good;
}

/* A relative folder meant the directory that the process had at its start: not known any more. */
static int read_own_file(struct oct_counters *out, pid_t pid, const struct doctor_target *target)
{
    char path[PATH_MAX];
    const char *folder = doctor_env(target, "OCTUPLE_COUNTERS");
    return folder != NULL && folder[0] == '/' &&
           snprintf(path, sizeof path, "%s/%" PRIu64 ".octuple", folder, inner_pid(pid)) < PATH_MAX &&
           read_file(out, path);
}

void doctor_lanes_of_target(struct doctor_target *target)
{
    static pid_t pids[DOCTOR_MAX_PROCESSES];
    static struct found found;
    unsigned count = doctor_tree(target->asked, pids, DOCTOR_MAX_PROCESSES);
    target->lanes = (struct doctor_lanes){0};
    for (unsigned i = 0; i < count; i++) {
        if (read_memory(&found, pids[i]) || read_own_file(&found.counters, pids[i], target)) {
            sum(&target->lanes, &found.counters);
        } else {
            target->lanes.unreadable += found.present != 0;
        }
    }
}

int doctor_noted_config(char file[PATH_MAX], pid_t pid)
{
    static struct found found;
    if (!read_memory(&found, pid) || found.notes.magic != OCT_START_MAGIC) {
        return 0;
    }
    snprintf(file, PATH_MAX, "%.*s", (int)sizeof found.notes.openssl_conf - 1, found.notes.openssl_conf);
    return 1;
}

void doctor_lanes_of_folder(struct doctor_lanes *lanes, const char *folder)
{
    static struct oct_counters counters;
    const struct dirent *entry;
    DIR *files = opendir(folder);
    while (files != NULL && (entry = readdir(files)) != NULL) {
        char path[PATH_MAX];
        if (entry->d_name[0] != '.' && snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) < PATH_MAX &&
            read_file(&counters, path)) {
            sum(lanes, &counters);
        }
    }
    if (files != NULL) {
        closedir(files);
    }
}
