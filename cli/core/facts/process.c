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
#include "cli/core/counters.h"
#include "cli/core/process.h"
#include "facts.h"

const char *facts_env_next(const struct facts *facts, const char *before)
{
    if (facts->environment == NULL) {
        char **at = environ;
        while (before != NULL && at != NULL && *at != NULL && *at++ != before)
            continue;
        return at != NULL ? *at : NULL;
    }
    const char *begin = facts->noted ? facts->noted_settings : facts->environment;
    const char *end = begin + (facts->noted ? sizeof facts->noted_settings : facts->environment_size);
    const char *at = before != NULL ? before + strlen(before) + 1 : begin;
    return at < end && *at != '\0' ? at : NULL;
}

const char *facts_env(const struct facts *facts, const char *name)
{
    size_t len = strlen(name);
    if (facts->environment == NULL)
        return getenv(name);
    const char *end = facts->environment + facts->environment_size;
    for (const char *at = facts->environment; at < end; at += strlen(at) + 1)
        if (!strncmp(at, name, len) && at[len] == '=')
            return at + len + 1;
    for (const char *at = NULL; facts->noted && (at = facts_env_next(facts, at)) != NULL;)
        if (!strncmp(at, name, len) && at[len] == '=')
            return at + len + 1;
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

int facts_each_file(pid_t pid, void (*see)(void *arg, const char *path), void *arg)
{
    char *line = NULL, root[PATH_MAX];
    size_t room = 0;
    FILE *in = process_open(pid, "maps");
    if (in == NULL)
        return errno;
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
    facts_note_library(libraries, path);
}

static int read_maps(struct facts_libraries *libraries, pid_t pid)
{
    return facts_each_file(pid, note, libraries);
}

static void read_label(char *label, size_t room, pid_t pid, const char *name)
{
    size_t size;
    char *text = process_read(pid, name, &size);
    snprintf(label, room, "%.*s", text != NULL ? (int)strcspn(text, "\n") : 0, text != NULL ? text : "");
    free(text);
}

static void read_limits(struct facts *facts)
{
    size_t size;
    read_label(facts->label, sizeof facts->label, facts->pid, "attr/current");
    read_label(facts->label_before, sizeof facts->label_before, facts->pid, "attr/prev");
    char *text = process_read(facts->pid, "status", &size);
    const char *at = text != NULL ? strstr(text, "\nSeccomp:") : NULL;
    facts->seccomp = at != NULL && (int)strtol(at + strlen("\nSeccomp:"), NULL, 10) != 0;
    free(text);
    char exe[64], header[EI_NIDENT] = "";
    snprintf(exe, sizeof exe, "/proc/%ld/exe", (long)facts->pid);
    const int fd = open(exe, O_RDONLY | O_CLOEXEC);
    facts->is_foreign = fd >= 0 && read(fd, header, sizeof header) == sizeof header && header[EI_CLASS] != ELFCLASS64;
    if (fd >= 0)
        close(fd);
    if (facts->is_foreign)
        return;
    /* AT_SECURE and AT_BASE: does the loader heed LD_PRELOAD, and is there one. */
    Elf64_auxv_t entry;
    FILE *in = process_open(facts->pid, "auxv");
    while (in != NULL && fread(&entry, sizeof entry, 1, in) == 1)
        if (entry.a_type == AT_SECURE)
            facts->secure = entry.a_un.a_val != 0;
        else if (entry.a_type == AT_BASE)
            facts->is_static = entry.a_un.a_val == 0;
    if (in != NULL)
        fclose(in);
}

static int differs(pid_t pid, const char *what)
{
    char theirs[64], ours[64];
    struct stat a, b;
    snprintf(theirs, sizeof theirs, "/proc/%ld/%s", (long)pid, what);
    snprintf(ours, sizeof ours, "/proc/self/%s", what);
    return stat(theirs, &a) != 0 || stat(ours, &b) != 0 || a.st_dev != b.st_dev || a.st_ino != b.st_ino;
}

void facts_read_library(struct facts *facts, const char *program)
{
    char path[PATH_MAX + sizeof facts->root];
    if (facts->libraries.crypto[0] != '\0') {
        snprintf(path, sizeof path, "%s%s", facts->root, facts->libraries.crypto);
        facts_read_openssl(&facts->openssl, path);
    } else if (facts->libraries.other == NULL) {
        facts->libraries.other = facts_library_inside(program);
        facts->libraries.other_inside = facts->libraries.other != NULL;
    }
}

/* The target is changed only if it can be looked into. */
static int look_at(struct facts *facts, pid_t pid)
{
    static struct oct_start_notes notes;
    struct facts fresh = {.asked = facts->asked, .pid = pid, .environment = facts->environment};
    char exe[64], name[PATH_MAX], root[PATH_MAX];
    int error = read_maps(&fresh.libraries, pid);
    if (error != 0)
        return error;
    snprintf(exe, sizeof exe, "/proc/%ld/exe", (long)pid);
    ssize_t len = readlink(exe, name, sizeof name - 1);
    if (len < 0)
        return errno;
    name[len] = '\0';
    read_root(root, pid);
    *facts = fresh;
    snprintf(facts->program, sizeof facts->program, "%s", seen_inside(name, root));
    snprintf(facts->root, sizeof facts->root, "/proc/%ld/root", (long)pid);
    /* Programs that show what they do in `ps` (nginx) put that over their arguments and environment. Then the library
     * knows the OPENSSL_CONF that it found when it was loaded, "" if none. */
    free(facts->environment);
    facts->environment = process_read(pid, "environ", &facts->environment_size);
    facts->overwritten = facts->environment != NULL && facts->environment_size > 1 &&
                         memchr(facts->environment, '=', strlen(facts->environment)) == NULL;
    facts->noted = facts->overwritten && counters_start_notes(&notes, pid);
    if (facts->noted) {
        snprintf(facts->noted_config, PATH_MAX, "%.*s", (int)sizeof notes.openssl_conf - 1, notes.openssl_conf);
        memcpy(facts->noted_settings, notes.settings, sizeof facts->noted_settings - 1);
    }
    facts->apart = differs(pid, "root") || differs(pid, "ns/mnt");
    read_limits(facts);
    facts_read_library(facts, exe);
    facts_find_copies(facts);
    return 0;
}

int facts_look(struct facts *facts, pid_t pid)
{
    static pid_t pids[PROCESS_MAX];
    facts->asked = pid;
    int error = look_at(facts, pid);
    if (error != 0 || facts->libraries.crypto[0] != '\0')
        return error;
    unsigned count = process_tree(pid, pids, PROCESS_MAX);
    for (unsigned i = 1; i < count; i++) {
        struct facts_libraries found = {0};
        if (read_maps(&found, pids[i]) == 0 && found.crypto[0] != '\0')
            return look_at(facts, pids[i]);
    }
    return 0;
}
