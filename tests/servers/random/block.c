/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See server.h. Sockets that block for one call. */
#include "server.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

static void set(int fd, bool blocks)
{
    const int flags = fcntl(fd, F_GETFL);
    if (fcntl(fd, F_SETFL, blocks ? flags & ~O_NONBLOCK : flags | O_NONBLOCK) != 0)
        fail("fcntl");
}

static void *in_thread(void *fd)
{
    set(*(int *)fd, true);
    return NULL;
}

static void by_thread(int fd)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, in_thread, &fd) != 0 || pthread_join(thread, NULL) != 0)
        fail("pthread_create");
}

static void by_child(int fd)
{
    const pid_t pid = fork();
    if (pid == 0) {
        set(fd, true);
        _exit(0);
    }
    while (pid > 0 && waitpid(pid, NULL, 0) < 0)
        ;
}

static void by_copy(int fd)
{
    const int other = dup(fd);
    set(other, true);
    close(other);
}

void block_begin(struct conn *c, int way)
{
    int no = 0;
    if (way == BLOCK_IOCTL && ioctl(c->fd, FIONBIO, &no) != 0)
        fail("ioctl");
    if (way == BLOCK_FCNTL)
        set(c->fd, true);
    if (way == BLOCK_COPY)
        by_copy(c->fd);
    if (way == BLOCK_THREAD)
        by_thread(c->fd);
    if (way == BLOCK_CHILD)
        by_child(c->fd);
    c->blocks = true;
}

void block_end(struct conn *c)
{
    c->blocks = false;
    set(c->fd, false);
}
