/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The copies of libssl in a process. Octuple serves one: that of the system's name whose libcrypto has the system's
 * name too, since that is the one that the provider is bound to. Programs may bring others, under names of their own as
 * Python's wheels do, as another library with the same functions, or linked into a module.
 */
#include <elf.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <openssl/opensslv.h>
#include "doctor.h"

#define NAME          "libssl"
#define TEXT_(number) #number
#define TEXT(number)  TEXT_(number)
#define SONAME        "libssl.so." TEXT(OPENSSL_SHLIB_VERSION)
#define CRYPTO        "libcrypto.so." TEXT(OPENSSL_SHLIB_VERSION)

/* Files that have no copy inside of them: a command is looked at again and again while it runs. */
#define SEEN_MAX 1024
static struct {
    dev_t device;
    ino_t inode;
} seen[SEEN_MAX];
static unsigned seen_count;

static bool was_seen(const struct stat *st)
{
    for (unsigned i = 0; i < seen_count; i++) {
        if (seen[i].device == st->st_dev && seen[i].inode == st->st_ino) {
            return true;
        }
    }
    return false;
}

static void note_seen(const struct stat *st)
{
    if (seen_count < SEEN_MAX) {
        seen[seen_count].device = st->st_dev;
        seen[seen_count++].inode = st->st_ino;
    }
}

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

/* libssl.so.3, libssl-1a2b3c.so.3; not libssl3.so, which is NSS. */
static bool is_libssl(const char *path)
{
    const char *name = base_of(path);
    return !strncmp(name, "libssl.so", 9) || (!strncmp(name, "libssl-", 7) && strstr(name, ".so") != NULL);
}

static void add(struct doctor_target *target, const char *path, const char *file)
{
    struct doctor_copy copy = {0};
    struct stat st;
    bool named = is_libssl(path);
    if (stat(file, &st) != 0 || !S_ISREG(st.st_mode) || (!named && was_seen(&st))) {
        return;
    }
    if (!doctor_library_copy(&copy, file) || (!named && !copy.inside)) {
        note_seen(&st);
        return;
    }
    copy.inside &= !named;
    if (target->copies == DOCTOR_COPIES) {
        target->copies_missed++;
        return;
    }
    snprintf(copy.path, sizeof copy.path, "%s", path);
    target->copy[target->copies++] = copy;
}

struct walk {
    struct doctor_target *target;
    char last[PATH_MAX];
};

/* A library's mappings follow each other. */
static void see(void *arg, const char *path)
{
    struct walk *walk = arg;
    struct doctor_target *target = walk->target;
    char file[PATH_MAX + sizeof target->root];
    if (!strcmp(path, walk->last)) {
        return;
    }
    snprintf(walk->last, sizeof walk->last, "%s", path);
    for (unsigned i = 0; i < target->copies; i++) {
        if (!strcmp(target->copy[i].path, path)) {
            return;
        }
    }
    snprintf(file, sizeof file, "%s%s", target->root, path);
    add(target, path, file);
}

static bool may_be_served(const struct doctor_copy *copy)
{
    return !copy->inside && copy->other == NULL && !strcmp(copy->soname, SONAME) && !strcmp(copy->crypto, CRYPTO);
}

void doctor_copies_of_process(struct doctor_target *target)
{
    struct walk walk = {.target = target};
    unsigned candidates = 0;
    doctor_each_file(target->pid, see, &walk);
    for (unsigned i = 0; i < target->copies; i++) {
        candidates += may_be_served(&target->copy[i]);
    }
    for (unsigned i = 0; i < target->copies; i++) {
        struct doctor_copy *copy = &target->copy[i];
        copy->served = !may_be_served(copy) ? COPY_UNSERVED : candidates == 1 ? COPY_SERVED : COPY_ONE_OF;
        if (copy->served == COPY_SERVED) {
            snprintf(target->libraries.ssl, sizeof target->libraries.ssl, "%s", copy->path);
        }
    }
}

static void judge_unserved(struct doctor_report *report, const struct doctor_copy *copy)
{
    static const char fate[] = "not served; what uses it runs as without Octuple";
    if (copy->inside) {
        doctor_add(report, DOCTOR_NOTE, NAME, NULL, "%s has %s linked into it: %s", copy->path,
                   copy->other != NULL ? copy->other : "OpenSSL", fate);
    } else if (copy->other != NULL) {
        doctor_add(report, DOCTOR_NOTE, NAME, NULL, "%s is %s: %s", copy->path, copy->other, fate);
    } else if (strcmp(copy->soname, SONAME) != 0) {
        doctor_add(report, DOCTOR_NOTE, NAME, NULL,
                   "%s is a copy that the program brings along, named %s instead of %s: %s", copy->path,
                   copy->soname[0] != '\0' ? copy->soname : "nothing", SONAME, fate);
    } else {
        doctor_add(report, DOCTOR_NOTE, NAME, NULL, "%s is a copy with a libcrypto of its own, %s instead of %s: %s",
                   copy->path, copy->crypto[0] != '\0' ? copy->crypto : "linked into it", CRYPTO, fate);
    }
}

void doctor_judge_copies(struct doctor_report *report, const struct doctor_target *target)
{
    bool here = target->libraries.provider[0] != '\0' || target->libraries.shim[0] != '\0';
    for (unsigned i = 0; i < target->copies; i++) {
        const struct doctor_copy *copy = &target->copy[i];
        if (copy->served == COPY_SERVED) {
            doctor_add(report, DOCTOR_OK, NAME, NULL, "%s is the copy that Octuple %s", copy->path,
                       here ? "serves" : "would serve");
        } else if (copy->served == COPY_ONE_OF) {
            doctor_add(report, DOCTOR_NOTE, NAME, "have the program use one of them",
                       "%s is one of several copies named %s: Octuple serves the one whose libcrypto the provider is "
                       "bound to, as a rule the one that was loaded first",
                       copy->path, SONAME);
        } else {
            judge_unserved(report, copy);
        }
    }
    if (target->copies_missed > 0) {
        doctor_add(report, DOCTOR_NOTE, NAME, NULL, "%u copies more", target->copies_missed);
    }
}
