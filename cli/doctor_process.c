/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * A running process, as /proc shows it: nothing is attached, stopped or written. Where OpenSSL is not in the process
 * itself, but in one that it started (a supervisor, a shell), that one is looked into.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "doctor.h"
#include "process.h"

const char *doctor_env(const struct doctor_target *target, const char *name)
{
    size_t len = strlen(name);
    if (target->environment == NULL) {
        return getenv(name);
    }
    const char *end = target->environment + target->environment_size;
    for (const char *at = target->environment; at < end; at += strlen(at) + 1) {
        if (!strncmp(at, name, len) && at[len] == '=') {
            return at + len + 1;
        }
    }
    return NULL;
}

/* The root of the process in the names that /proc gives us: "" if it is ours, or the top of a container's mounts. */
static void read_root(char name[PATH_MAX], pid_t pid)
{
    char link[64];
    snprintf(link, sizeof link, "/proc/%ld/root", (long)pid);
    ssize_t len = readlink(link, name, PATH_MAX - 1);
    name[len > 1 ? len : 0] = '\0';
}

/* A name that /proc gives us, as the process itself sees it. */
static const char *seen_inside(const char *path, const char *root)
{
    size_t len = strlen(root);
    return !strncmp(path, root, len) && path[len] == '/' ? path + len : path;
}

int doctor_each_file(pid_t pid, void (*see)(void *arg, const char *path), void *arg)
{
    char *line = NULL, root[PATH_MAX];
    size_t room = 0;
    FILE *in = process_open(pid, "maps");
    if (in == NULL) {
        return errno;
    }
    read_root(root, pid);
    while (getline(&line, &room, in) > 0) {
        char *path = strchr(line, '/');
        if (path != NULL) {
            path[strcspn(path, "\n")] = '\0';
            see(arg, seen_inside(path, root));
        }
    }
    free(line);
    fclose(in);
    return 0;
}

static void note(void *libraries, const char *path)
{
    doctor_library_note(libraries, path);
}

static int read_maps(struct doctor_libraries *libraries, pid_t pid)
{
    return doctor_each_file(pid, note, libraries);
}

/* Programs that show what they do in `ps` (nginx) put that over their arguments and environment. */
static void read_environment(struct doctor_target *target)
{
    free(target->environment);
    target->environment = process_read(target->pid, "environ", &target->environment_size);
    target->overwritten = target->environment != NULL && target->environment_size > 1 &&
                          memchr(target->environment, '=', strlen(target->environment)) == NULL;
    target->noted = target->overwritten && doctor_noted_config(target->noted_config, target->pid);
}

/* AT_SECURE and AT_BASE: does the loader heed LD_PRELOAD, and is there one. */
static void read_auxv(struct doctor_target *target)
{
    Elf64_auxv_t entry;
    FILE *in = process_open(target->pid, "auxv");
    while (in != NULL && fread(&entry, sizeof entry, 1, in) == 1) {
        if (entry.a_type == AT_SECURE) {
            target->secure = entry.a_un.a_val != 0;
        } else if (entry.a_type == AT_BASE) {
            target->is_static = entry.a_un.a_val == 0;
        }
    }
    if (in != NULL) {
        fclose(in);
    }
}

static int read_seccomp(pid_t pid)
{
    size_t size;
    char *text = process_read(pid, "status", &size);
    const char *at = text != NULL ? strstr(text, "\nSeccomp:") : NULL;
    int mode = at != NULL ? (int)strtol(at + strlen("\nSeccomp:"), NULL, 10) : 0;
    free(text);
    return mode != 0;
}

static int differs(pid_t pid, const char *what)
{
    char theirs[64], ours[64];
    struct stat a, b;
    snprintf(theirs, sizeof theirs, "/proc/%ld/%s", (long)pid, what);
    snprintf(ours, sizeof ours, "/proc/self/%s", what);
    return stat(theirs, &a) != 0 || stat(ours, &b) != 0 || a.st_dev != b.st_dev || a.st_ino != b.st_ino;
}

static int read_program(struct doctor_target *target)
{
    char link[64], name[PATH_MAX], root[PATH_MAX];
    snprintf(link, sizeof link, "/proc/%ld/exe", (long)target->pid);
    ssize_t len = readlink(link, name, sizeof name - 1);
    if (len < 0) {
        return errno;
    }
    name[len] = '\0';
    read_root(root, target->pid);
    snprintf(target->program, sizeof target->program, "%s", seen_inside(name, root));
    return 0;
}

/* Which library it is, from the library's file or the program's own. */
static void read_library(struct doctor_target *target)
{
    char path[PATH_MAX + sizeof target->root];
    if (target->libraries.crypto[0] != '\0') {
        snprintf(path, sizeof path, "%s%s", target->root, target->libraries.crypto);
        doctor_openssl_read(&target->openssl, path);
    } else if (target->libraries.other == NULL) {
        snprintf(path, sizeof path, "/proc/%ld/exe", (long)target->pid);
        target->libraries.other = doctor_library_inside(path);
        target->libraries.other_inside = target->libraries.other != NULL;
    }
}

/* The target is changed only if it can be looked into. */
static int look_at(struct doctor_target *target, pid_t pid)
{
    struct doctor_target fresh = {.asked = target->asked, .pid = pid, .waited = target->waited};
    int error = read_maps(&fresh.libraries, pid);
    error = error == 0 ? read_program(&fresh) : error;
    if (error != 0) {
        return error;
    }
    fresh.environment = target->environment;
    *target = fresh;
    snprintf(target->root, sizeof target->root, "/proc/%ld/root", (long)pid);
    read_environment(target);
    target->apart = differs(pid, "root") || differs(pid, "ns/mnt");
    target->seccomp = read_seccomp(pid);
    read_auxv(target);
    read_library(target);
    doctor_copies_of_process(target);
    return 0;
}

int doctor_look_process(struct doctor_target *target, pid_t pid)
{
    static pid_t pids[PROCESS_MAX];
    target->asked = pid;
    int error = look_at(target, pid);
    if (error != 0 || target->libraries.crypto[0] != '\0') {
        return error;
    }
    unsigned count = process_tree(pid, pids, PROCESS_MAX);
    for (unsigned i = 1; i < count; i++) {
        struct doctor_libraries found = {0};
        if (read_maps(&found, pids[i]) == 0 && found.crypto[0] != '\0') {
            return look_at(target, pids[i]);
        }
    }
    return 0;
}
