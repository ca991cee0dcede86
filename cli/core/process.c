/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * What several commands ask /proc.
 */
#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "process.h"

FILE *process_open(pid_t pid, const char *what)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/%s", (long)pid, what);
    return fopen(path, "re");
}

char *process_read(pid_t pid, const char *what, size_t *size)
{
    FILE *in = process_open(pid, what);
    char *text = NULL;
    FILE *out = in != NULL ? open_memstream(&text, size) : NULL;
    char piece[4096];
    size_t n;
    while (out != NULL && (n = fread(piece, 1, sizeof piece, in)) > 0)
        fwrite(piece, 1, n, out);
    if (out != NULL) {
        fputc('\0', out);
        fclose(out);
    }
    if (in != NULL)
        fclose(in);
    return text;
}

/* A word of "PID (NAME) STATE PARENT ...", counted from 1, where NAME may hold anything; from the third on. Points into
 * the text, NULL if there is none. */
static const char *stat_word(const char *text, int number)
{
    const char *at = text != NULL ? strrchr(text, ')') : NULL;
    for (int word = 2; at != NULL && word < number; word++)
        at = strchr(at + 1, ' ');
    return at != NULL ? at + 1 : NULL;
}

uint64_t process_start_ticks(pid_t pid)
{
    size_t size;
    char *text = process_read(pid, "stat", &size);
    const char *state = stat_word(text, 3), *word = stat_word(text, 22);
    uint64_t ticks = word != NULL && *state != 'Z' && *state != 'X' ? strtoull(word, NULL, 10) : 0;
    free(text);
    return ticks;
}

unsigned process_all(pid_t *pids, unsigned room)
{
    const struct dirent *entry;
    unsigned count = 0;
    DIR *proc = opendir("/proc");
    while (proc != NULL && (entry = readdir(proc)) != NULL) {
        pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
        if (pid > 0 && pid != getpid() && count < room)
            pids[count++] = pid;
    }
    if (proc != NULL)
        closedir(proc);
    return count;
}

unsigned process_tree(pid_t root, pid_t *pids, unsigned room)
{
    static pid_t all[PROCESS_MAX], parent[PROCESS_MAX];
    unsigned known = process_all(all, PROCESS_MAX), count = 0;
    for (unsigned i = 0; i < known; i++) {
        size_t size;
        char *text = process_read(all[i], "stat", &size);
        const char *word = stat_word(text, 4);
        parent[i] = word != NULL ? (pid_t)strtol(word, NULL, 10) : 0;
        free(text);
        if (all[i] == root && room > 0)
            pids[count++] = root;
    }
    for (unsigned i = 0; i < count; i++) {
        for (unsigned k = 0; k < known && count < room; k++)
            if (parent[k] == pids[i])
                pids[count++] = all[k];
    }
    return count;
}

pid_t process_as_pid(const char *word)
{
    char *end;
    long value = strtol(word, &end, 10);
    return *word >= '1' && *word <= '9' && *end == '\0' && value <= INT_MAX ? (pid_t)value : 0;
}

/* The kernel keeps 15 characters of what a process calls itself; the program may not be shown to us. */
bool process_has_name(pid_t pid, const char *name)
{
    char link[64], program[4096];
    size_t size;
    char *own = process_read(pid, "comm", &size);
    int same = own != NULL && strlen(own) == strnlen(name, 15) + 1 && !strncmp(own, name, strlen(own) - 1);
    free(own);
    snprintf(link, sizeof link, "/proc/%ld/exe", (long)pid);
    ssize_t len = readlink(link, program, sizeof program - 1);
    program[len > 0 ? len : 0] = '\0';
    const char *slash = strrchr(program, '/');
    return same || !strcmp(slash != NULL ? slash + 1 : program, name);
}

unsigned process_named(const char *name, pid_t *pids, unsigned room)
{
    static pid_t all[PROCESS_MAX], tree[PROCESS_MAX];
    const unsigned known = process_all(all, PROCESS_MAX);
    unsigned named = 0, count = 0;
    for (unsigned i = 0; i < known; i++)
        if (process_has_name(all[i], name))
            all[named++] = all[i];
    for (unsigned i = 0; i < named; i++) {
        const unsigned size = all[i] != 0 ? process_tree(all[i], tree, PROCESS_MAX) : 0;
        for (unsigned k = 1; k < size; k++)
            for (unsigned j = 0; j < named; j++)
                all[j] = all[j] == tree[k] ? 0 : all[j];
    }
    for (unsigned i = 0; i < named && count < room; i++)
        if (all[i] != 0)
            pids[count++] = all[i];
    return count;
}

/* The last one of the line is the innermost. */
uint64_t process_inner_pid(pid_t pid)
{
    char *line = NULL;
    size_t room = 0;
    uint64_t found = (uint64_t)pid;
    FILE *in = process_open(pid, "status");
    while (in != NULL && getline(&line, &room, in) > 0)
        if (!strncmp(line, "NSpid:", 6))
            found = strtoull(strrchr(line, '\t') + 1, NULL, 10);
    free(line);
    if (in != NULL)
        fclose(in);
    return found;
}
