/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Where the configuration of `octuple run` lives, if the one that is installed with it does not do.
 *
 * It has to outlast this process: a server reads it again when it is upgraded in place or starts a helper, perhaps as
 * another user, and OpenSSL that does not find it goes without any, the system's included. So it is an ordinary file,
 * readable by all (it holds paths, no secrets) and writable by its owner alone, in a folder that nobody else can write
 * to (folder.c). Its name is a digest of its text: a second start finds the file of the first, two different
 * configurations do not disturb each other, and nothing accumulates.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <openssl/evp.h>
#include "launch.h"
#include "folder.h"

/* Of the digest: enough that nobody meets a collision by accident, and contents are compared anyway. */
#define NAME_BYTES 12
#define NAME_SIZE  64

static int holds(int folder, const char *name, const char *text)
{
    size_t len = strlen(text);
    char *found = malloc(len + 1);
    int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    int same = found != NULL && fd >= 0 && launch_folder_is_ours(fd, S_IFREG) &&
               read(fd, found, len + 1) == (ssize_t)len && !memcmp(found, text, len);
    if (fd >= 0)
        close(fd);
    free(found);
    return same;
}

/* Written aside and renamed: a program that starts at this moment reads the whole file or none. */
static int write_file(int folder, const char *name, const char *text, mode_t mode)
{
    char aside[96];
    snprintf(aside, sizeof aside, "%s.%ld", name, (long)getpid());
    int fd = openat(folder, aside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (fd < 0)
        return 0;
    size_t left = strlen(text);
    for (ssize_t n; left > 0 && ((n = write(fd, text, left)) > 0 || (n < 0 && errno == EINTR));) {
        text += n > 0 ? n : 0;
        left -= n > 0 ? (size_t)n : 0;
    }
    int written = left == 0 && fchmod(fd, mode) == 0;
    int error = errno;
    if (close(fd) == 0 && written && renameat(folder, aside, folder, name) == 0)
        return 1;
    error = written ? errno : error;
    unlinkat(folder, aside, 0);
    errno = error;
    return 0;
}

static bool store_lasting(char path[PATH_MAX], unsigned choice, const char *name, const char *text)
{
    char where[PATH_MAX] = ""; /* stays so where there is no such folder */
    int folder = launch_folder_lasting(where, choice);
    if (folder < 0) {
        snprintf(path, PATH_MAX, "%s", where);
        return false;
    }
    bool done = (size_t)snprintf(path, PATH_MAX, "%s/%s", where, name) < PATH_MAX &&
                (holds(folder, name, text) || write_file(folder, name, text, 0644));
    int error = errno;
    close(folder);
    errno = error;
    return done;
}

struct file {
    const char *name, *text;
};

static bool fits(int folder, const void *arg)
{
    const struct file *file = arg;
    return holds(folder, file->name, file->text);
}

/* The sticky bit of a file tells systemd-tmpfiles to leave it, and so the folder around it, where it is. */
static bool store_shared(char path[PATH_MAX], unsigned choice, const char *name, const char *text)
{
    const struct file file = {name, text};
    char where[PATH_MAX];
    bool done = true;
    int folder = launch_folder_find(where, choice, fits, &file);
    if (folder < 0) {
        folder = launch_folder_make(where, choice);
        done = folder >= 0 && write_file(folder, name, text, S_ISVTX | 0644);
    }
    int error = errno;
    if (folder >= 0)
        close(folder);
    if (folder >= 0 && !done)
        rmdir(where);
    errno = error;
    return (size_t)snprintf(path, PATH_MAX, "%s%s%s", where, done ? "/" : "", done ? name : "") < PATH_MAX && done;
}

bool launch_store(char path[PATH_MAX], const char *text, char *why, size_t room)
{
    unsigned char digest[EVP_MAX_MD_SIZE] = {0};
    char name[NAME_SIZE];
    int at = snprintf(name, sizeof name, "openssl-");
    EVP_Digest(text, strlen(text), digest, NULL, EVP_sha256(), NULL);
    for (int i = 0; i < NAME_BYTES; i++)
        at += snprintf(name + at, sizeof name - (size_t)at, "%02x", digest[i]);
    snprintf(name + at, sizeof name - (size_t)at, ".cnf");
    why[0] = '\0';
    for (unsigned choice = 0; choice < LAUNCH_FOLDERS_LASTING + LAUNCH_FOLDERS_SHARED; choice++) {
        bool lasting = choice < LAUNCH_FOLDERS_LASTING;
        if (lasting ? store_lasting(path, choice, name, text)
                    : store_shared(path, choice - LAUNCH_FOLDERS_LASTING, name, text))
            return true;
        const int error = errno;
        const size_t said = strlen(why);
        if (error != 0) {
            snprintf(why + said, room - said, "%s%s: %s", said > 0 ? ", " : "", path,
                     error == EPERM ? "not a folder that belongs to this user alone" : strerror(error));
        }
    }
    return false;
}
