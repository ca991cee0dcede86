/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The folders that a configuration may be kept in, for a user, and for a service, who have none of root's.
 *
 * Whoever can write to such a folder chooses the module that the program loads. So it belongs to us and is closed to
 * the writing of others, and it has no name that others could take before us, or after it was cleaned away: it lies in
 * a folder of ours that systemd or the login made, or has a name that was drawn at random.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "folder.h"

bool launch_folder_is_ours(int fd, mode_t type)
{
    struct stat st;
    return fstat(fd, &st) == 0 && (st.st_mode & S_IFMT) == type && st.st_uid == geteuid() && !(st.st_mode & 022);
}

/* Nobody else can rename a folder of ours in it: /run, our own runtime folder, or one with a sticky bit. */
static bool parent_is_safe(const char *path)
{
    char parent[PATH_MAX];
    struct stat st;
    int len = (int)(strrchr(path, '/') - path);
    if (snprintf(parent, sizeof parent, "%.*s", len > 0 ? len : 1, path) >= PATH_MAX || stat(parent, &st) != 0)
        return false;
    errno = EPERM;
    return (st.st_uid == 0 || st.st_uid == geteuid()) && (!(st.st_mode & 022) || (st.st_mode & S_ISVTX));
}

/* The umask must not shut out the user that a server becomes. */
static int open_ours(const char *path, bool made)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0 && (!launch_folder_is_ours(fd, S_IFDIR) || (made && fchmod(fd, 0755) != 0))) {
        close(fd);
        errno = EPERM;
        fd = -1;
    }
    return fd;
}

/* Those that last longest first. A user's login takes XDG_RUNTIME_DIR with it when it ends. */
int launch_folder_lasting(char path[PATH_MAX], unsigned choice)
{
    static const char *const variables[] = {"CACHE_DIRECTORY", "RUNTIME_DIRECTORY", "XDG_RUNTIME_DIR"};
    const char *named = choice == 0 ? "/run" : getenv(variables[choice - 1]);
    char folder[PATH_MAX];
    struct stat st;
    /* What systemd gives a service is a list with colons; its first folder will do. */
    const int len = named != NULL ? (int)strcspn(named, ":") : 0;
    bool usable = len > 0 && named[0] == '/' && snprintf(folder, sizeof folder, "%.*s", len, named) < PATH_MAX &&
                  snprintf(path, PATH_MAX, "%s/octuple", folder) < PATH_MAX;
    /* It is of use to root only if the users that its servers become can reach it; nobody else has a say in it. */
    if (choice == 0)
        usable = usable && geteuid() == 0;
    else if (usable && stat(folder, &st) == 0)
        usable = st.st_uid == geteuid() && !(st.st_mode & 022) && (geteuid() != 0 || (st.st_mode & S_IXOTH));
    if (!usable) {
        errno = 0;
        return -1;
    }
    if (!parent_is_safe(path))
        return -1;
    bool made = mkdir(path, 0755) == 0;
    return made || errno == EEXIST ? open_ours(path, made) : -1;
}

/* A container may have nothing that can be written to but what TMPDIR names. NULL: it names nothing. */
static const char *shared(unsigned choice)
{
    static const char *const usual[LAUNCH_FOLDERS_SHARED - 1] = {"/tmp", "/var/tmp", "/dev/shm"};
    const char *named = getenv("TMPDIR");
    if (choice > 0)
        return usual[choice - 1];
    return named != NULL && named[0] == '/' && named[1] != '\0' ? named : NULL;
}

static int prefix(char name[32])
{
    return snprintf(name, 32, "octuple-%lu-", (unsigned long)geteuid());
}

int launch_folder_find(char path[PATH_MAX], unsigned choice, bool (*fits)(int folder, const void *arg), const void *arg)
{
    char start[32];
    size_t len = (size_t)prefix(start);
    const struct dirent *entry;
    int found = -1;
    DIR *entries = shared(choice) != NULL ? opendir(shared(choice)) : NULL;
    while (entries != NULL && found < 0 && (entry = readdir(entries)) != NULL) {
        if (strncmp(entry->d_name, start, len) != 0)
            continue;
        snprintf(path, PATH_MAX, "%s/%s", shared(choice), entry->d_name);
        found = open_ours(path, false);
        if (found >= 0 && !fits(found, arg)) {
            close(found);
            found = -1;
        }
    }
    if (entries != NULL)
        closedir(entries);
    return found;
}

int launch_folder_make(char path[PATH_MAX], unsigned choice)
{
    const char *folder = shared(choice);
    char start[32];
    prefix(start);
    snprintf(path, PATH_MAX, "%s/%sXXXXXX", folder != NULL ? folder : "", start);
    errno = 0;
    if (folder == NULL || !parent_is_safe(path) || mkdtemp(path) == NULL) {
        snprintf(path, PATH_MAX, "%s", folder != NULL ? folder : "");
        return -1;
    }
    return open_ours(path, true);
}
