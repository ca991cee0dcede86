/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * A server whose sockets become blocking when the first call of a handshake has wanted to read. The next call has the
 * handshake's result.
 *
 * usage: blocks fcntl|ioctl|dup|fork|thread round|later PORT KEYS
 *
 * The socket becomes so by this thread's fcntl() or ioctl(), by a descriptor that dup() made, or one that a child has,
 * or by another thread. The next call follows the round of events, or the next event of the connection.
 */
#include "host.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define WAITING_MAX 256

static struct host host;
static void (*set)(int fd, bool blocks);
static bool in_round;
static struct guest *waiting[WAITING_MAX];
static unsigned waiting_count, good, again, failed;

static void by_fcntl(int fd, bool blocks)
{
    int flags = fcntl(fd, F_GETFL);
    if (fcntl(fd, F_SETFL, blocks ? flags & ~O_NONBLOCK : flags | O_NONBLOCK) != 0)
        host_fail("fcntl");
}

static void by_ioctl(int fd, bool blocks)
{
    int no = !blocks;
    if (ioctl(fd, FIONBIO, &no) != 0)
        host_fail("ioctl");
}

static void by_dup(int fd, bool blocks)
{
    int other = dup(fd);
    by_fcntl(other, blocks);
    close(other);
}

static void by_fork(int fd, bool blocks)
{
    pid_t child = fork();
    if (child == 0) {
        by_fcntl(fd, blocks);
        _exit(0);
    }
    waitpid(child, NULL, 0);
}

static void *in_thread(void *fd)
{
    by_fcntl(*(int *)fd, true);
    return NULL;
}

static void by_thread(int fd, bool blocks)
{
    pthread_t thread;
    if (!blocks) {
        by_fcntl(fd, false);
        return;
    }
    pthread_create(&thread, NULL, in_thread, &fd);
    pthread_join(thread, NULL);
}

/* The call that has the result. Some handshakes need none: their clients answer while the first call works. */
static void finish(struct guest *guest)
{
    set(guest->fd, true);
    int value = SSL_accept(guest->ssl);
    if (value == 1)
        good++;
    else if (host_wants(guest->ssl, value))
        again++;
    else
        failed++;
    set(guest->fd, false);
    guest->own = NULL;
}

static bool turn(struct guest *guest, uint32_t events)
{
    if (guest->own != NULL && !in_round)
        finish(guest);
    if (guest->turns > 1 || SSL_is_init_finished(guest->ssl))
        return host_step(guest, events);
    int value = SSL_accept(guest->ssl);
    if (value == 1)
        return host_echo(guest->ssl);
    if (!host_wants(guest->ssl, value))
        return false;
    guest->own = guest;
    if (in_round && waiting_count < WAITING_MAX)
        waiting[waiting_count++] = guest;
    return true;
}

/* Those whose first call was in this round. Later events tell what has come besides. */
static void rest(void)
{
    for (unsigned i = 0; i < waiting_count; i++)
        finish(waiting[i]);
    waiting_count = 0;
}

static void choose(const char *how)
{
    static const struct {
        const char *name;
        void (*set)(int, bool);
    } ways[] = {{"fcntl", by_fcntl}, {"ioctl", by_ioctl}, {"dup", by_dup}, {"fork", by_fork}, {"thread", by_thread}};
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++)
        if (strcmp(ways[i].name, how) == 0)
            set = ways[i].set;
}

int main(int argc, char **argv)
{
    if (argc != 5)
        return 2;
    choose(argv[1]);
    if (set == NULL)
        return 2;
    in_round = strcmp(argv[2], "round") == 0;
    host = (struct host){.ctx = echo_context(argv[4], "rsa2048"), .turn = turn, .rest = rest};
    host_serve(echo_listen(argv[3]), &host);
    printf("{\"some\": %s, \"again\": %u, \"failed\": %u}\n", good + again + failed > 0 ? "true" : "false", again,
           failed);
    return 0;
}
