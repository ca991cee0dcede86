/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Where the configuration of `octuple run` lives.
 *
 * It has to outlast this process: a server reads it again when it is upgraded in place or starts a helper, perhaps as
 * another user. So it is an ordinary file, readable by all (it holds paths, no secrets) and writable by its owner
 * alone, in a folder that nobody else can write to. Its name is a digest of its text: a second start finds the file of
 * the first, two different configurations do not disturb each other, and nothing accumulates.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <openssl/evp.h>
#include "run.h"

/* Of the digest: enough that nobody meets a collision by accident, and contents are compared anyway. */
#define NAME_BYTES 12
#define NAME_SIZE  64

/* Belongs to us, and nobody else can change what is in it. */
static int is_ours(int fd, mode_t type)
{
    struct stat st;
    return fstat(fd, &st) == 0 && (st.st_mode & S_IFMT) == type && st.st_uid == geteuid() && !(st.st_mode & 022);
}

/* Nobody else can rename a folder of ours in it: /run, /tmp with its sticky bit, our own runtime folder. 0 with errno.
 */
static int parent_is_safe(const char *path)
{
    char parent[PATH_MAX];
    struct stat st;
    int len = (int)(strrchr(path, '/') - path);
    if (snprintf(parent, sizeof parent, "%.*s", len, path) >= PATH_MAX || stat(parent, &st) != 0) {
        return 0;
    }
    errno = EPERM;
    return (st.st_uid == 0 || st.st_uid == geteuid()) && (!(st.st_mode & 022) || (st.st_mode & S_ISVTX));
}

/* Opens the folder, making it if need be. -1 with errno; EPERM if somebody else could write there. */
static int open_folder(const char *path)
{
    int made, fd;
    if (!parent_is_safe(path)) {
        return -1;
    }
    made = mkdir(path, 0755) == 0;
    fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) {
        return -1;
    }
    /* The umask must not shut out the user that a server becomes. */
    if (!is_ours(fd, S_IFDIR) || (made && fchmod(fd, 0755) != 0)) {
        close(fd);
        errno = EPERM;
        return -1;
    }
    return fd;
}

static void make_name(char name[NAME_SIZE], const char *text)
{
    unsigned char digest[EVP_MAX_MD_SIZE] = {0};
    int at = snprintf(name, NAME_SIZE, "openssl-");
    EVP_Digest(text, strlen(text), digest, NULL, EVP_sha256(), NULL);
    for (int i = 0; i < NAME_BYTES; i++) {
        at += snprintf(name + at, NAME_SIZE - (size_t)at, "%02x", digest[i]);
    }
    snprintf(name + at, NAME_SIZE - (size_t)at, ".cnf");
}

static int holds(int folder, const char *name, const char *text)
{
    size_t len = strlen(text);
    char *found = malloc(len + 1);
    int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    int same = found != NULL && fd >= 0 && is_ours(fd, S_IFREG) && read(fd, found, len + 1) == (ssize_t)len &&
               !memcmp(found, text, len);
    if (fd >= 0) {
        close(fd);
    }
    free(found);
    return same;
}

static int write_all(int fd, const char *text)
{
    for (size_t left = strlen(text); left > 0;) {
        ssize_t n = write(fd, text, left);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            return 0;
        }
        text += n;
        left -= (size_t)n;
    }
    return 1;
}

/* Written aside and renamed: a program that starts at this moment reads the whole file or none. */
static int write_file(int folder, const char *name, const char *text)
{
    char aside[96];
    snprintf(aside, sizeof aside, "%s.%ld", name, (long)getpid());
    int fd = openat(folder, aside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (fd < 0) {
        return 0;
    }
    int written = write_all(fd, text) && fchmod(fd, 0644) == 0;
    int error = errno;
    if (close(fd) == 0 && written && renameat(folder, aside, folder, name) == 0) {
        return 1;
    }
    error = written ? errno : error;
    unlinkat(folder, aside, 0);
    errno = error;
    return 0;
}

static int store_in(const char *where, const char *name, const char *text, char path[PATH_MAX])
{
    int folder = open_folder(where);
    int done = folder >= 0 && (size_t)snprintf(path, PATH_MAX, "%s/%s", where, name) < PATH_MAX &&
               (holds(folder, name, text) || write_file(folder, name, text));
    int error = errno;
    if (folder >= 0) {
        close(folder);
    }
    errno = error;
    return done;
}

/* The folders, best first. A user's runtime folder is closed to others, so root, whose servers change their user, does
 * not use it. */
static void folder_name(char where[PATH_MAX], int choice)
{
    const char *runtime = getenv("XDG_RUNTIME_DIR");
    if (choice == 1) {
        snprintf(where, PATH_MAX, "/tmp/octuple-%lu", (unsigned long)geteuid());
    } else if (geteuid() == 0) {
        snprintf(where, PATH_MAX, "/run/octuple");
    } else if (runtime != NULL && runtime[0] == '/') {
        snprintf(where, PATH_MAX, "%s/octuple", runtime);
    } else {
        where[0] = '\0';
    }
}

int run_store(char path[PATH_MAX], const char *text)
{
    char name[NAME_SIZE], where[2][PATH_MAX];
    int error[2] = {0};
    make_name(name, text);
    for (int choice = 0; choice < 2; choice++) {
        folder_name(where[choice], choice);
        if (where[choice][0] != '\0' && store_in(where[choice], name, text, path)) {
            return 1;
        }
        error[choice] = errno;
    }
    cli_say(RUN_WHO, "no place for the OpenSSL configuration:");
    for (int choice = 0; choice < 2; choice++) {
        if (where[choice][0] != '\0') {
            fprintf(stderr, "  %s: %s\n", where[choice],
                    error[choice] == EPERM ? "not a folder that belongs to you alone" : strerror(error[choice]));
        }
    }
    fputs("Make one of them writable, or write the configuration yourself ('octuple run --print-config > FILE') and "
          "start\n"
          "with OPENSSL_CONF=FILE.\n",
          stderr);
    return 0;
}
