/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The copies of libssl in a process. Octuple serves one: that of the system's name whose libcrypto has the system's
 * name too, since that is the one that the provider is bound to; without such a one, AWS-LC on request. Programs may
 * bring others, under names of their own as Python's wheels do, as another library with the same functions, or linked
 * into a module.
 */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include "facts.h"

/* Files that have no copy inside of them: a command is looked at again and again while it runs. */
#define SEEN_MAX 1024
static struct {
    dev_t device;
    ino_t inode;
} seen[SEEN_MAX];
static unsigned seen_count;

struct walk {
    struct facts *facts;
    char last[PATH_MAX];
};

static void see(void *arg, const char *path)
{
    struct walk *walk = arg;
    struct facts *facts = walk->facts;
    struct facts_copy copy = {0};
    struct stat st;
    char file[PATH_MAX + sizeof facts->root];
    /* A library's mappings follow each other. */
    if (!strcmp(path, walk->last))
        return;
    snprintf(walk->last, sizeof walk->last, "%s", path);
    for (unsigned i = 0; i < facts->copies; i++)
        if (!strcmp(facts->copy[i].path, path))
            return;
    /* libssl.so.3, libssl-1a2b3c.so.3; not libssl3.so, which is NSS. */
    const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
    bool named = !strncmp(name, "libssl.so", 9) || (!strncmp(name, "libssl-", 7) && strstr(name, ".so") != NULL);
    snprintf(file, sizeof file, "%s%s", facts->root, path);
    if (stat(file, &st) != 0 || !S_ISREG(st.st_mode))
        return;
    for (unsigned i = 0; i < seen_count && !named; i++)
        if (seen[i].device == st.st_dev && seen[i].inode == st.st_ino)
            return;
    if (!facts_read_copy(&copy, file) || (!named && !copy.inside)) {
        if (seen_count < SEEN_MAX) {
            seen[seen_count].device = st.st_dev;
            seen[seen_count++].inode = st.st_ino;
        }
        return;
    }
    copy.inside &= !named;
    snprintf(copy.path, sizeof copy.path, "%s", path);
    if (facts->copies == FACTS_COPIES)
        facts->copies_missed++;
    else
        facts->copy[facts->copies++] = copy;
}

static bool may_be_served(const struct facts_copy *copy)
{
    return !copy->inside && copy->other == NULL && !strcmp(copy->soname, FACTS_LIBSSL) &&
           !strcmp(copy->crypto, FACTS_LIBCRYPTO);
}

void facts_find_copies(struct facts *facts)
{
    struct walk walk = {.facts = facts};
    unsigned candidates = 0;
    facts_each_file(facts->pid, see, &walk);
    for (unsigned i = 0; i < facts->copies; i++)
        candidates += may_be_served(&facts->copy[i]);
    for (unsigned i = 0; i < facts->copies; i++) {
        struct facts_copy *copy = &facts->copy[i];
        const bool awslc = candidates == 0 && facts_asks_for_awslc(facts) && !copy->inside && copy->other != NULL &&
                           !strcmp(copy->other, FACTS_AWSLC);
        copy->served = awslc                  ? COPY_SERVED
                       : !may_be_served(copy) ? COPY_UNSERVED
                       : candidates == 1      ? COPY_SERVED
                                              : COPY_ONE_OF;
        if (copy->served == COPY_SERVED)
            snprintf(facts->libraries.ssl, sizeof facts->libraries.ssl, "%s", copy->path);
    }
}
