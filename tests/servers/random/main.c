/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See server.h. `octuple_random_server KEYS WORD...` says on its standard output where it listens, and at the end what
 * it has seen. It ends when its standard input does. */
#include "server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

bool is_child;
static const char *keys;
static int port;
static atomic_int *bad_ends;

static int listen_somewhere(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t length = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (fd < 0 || bind(fd, (struct sockaddr *)&address, length) != 0 || listen(fd, 512) != 0 ||
        getsockname(fd, (struct sockaddr *)&address, &length) != 0)
        fail("listen");
    port = ntohs(address.sin_port);
    return fd;
}

/* After the workers have begun: the driver stops all processes at times, and one in its fork() would stay so. */
static void say_port(void)
{
    printf("%d\n", port);
    fflush(stdout);
}

bool serves_by_fork(void)
{
    return plan_number("fork", 0) != 0;
}

static pthread_mutex_t context_lock = PTHREAD_MUTEX_INITIALIZER;

SSL_CTX *context_hold(void)
{
    pthread_mutex_lock(&context_lock);
    SSL_CTX *held = context;
    SSL_CTX_up_ref(held);
    pthread_mutex_unlock(&context_lock);
    return held;
}

void context_reload(void)
{
    SSL_CTX *before = context, *fresh = context_new(keys, before);
    pthread_mutex_lock(&context_lock);
    context = fresh;
    pthread_mutex_unlock(&context_lock);
    SSL_CTX_free(before);
}

static void close_others(const struct conn *c)
{
    for (int i = 0; i < GUESTS; i++)
        if (&conns[i] != c && conns[i].phase != PHASE_NONE && !conns[i].ended) {
            close(conns[i].fd);
            if (conns[i].out_fd >= 0)
                close(conns[i].out_fd);
            conns[i].ended = true;
        }
}

static void count_end(int status)
{
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        (*bad_ends)++;
}

/* Children end by themselves: when their connection does, or the standard input. */
static void wait_for_children(void)
{
    const long end = now_ms() + 2 * LONGEST_MS;
    int status;
    for (;;) {
        const pid_t pid = waitpid(-1, &status, WNOHANG);
        if (pid < 0 && errno == ECHILD)
            return;
        if (pid > 0)
            count_end(status);
        else if (now_ms() > end)
            break;
        else
            usleep(500);
    }
    (*bad_ends)++;
}

static _Noreturn void serve_alone(struct conn *c)
{
    struct loop *before = c->loop;
    struct loop *loop = &loops[LOOPS_MAX - 1];
    is_child = true;
    if (before->outer >= 0)
        close(before->outer);
    if (before->epfd >= 0)
        close(before->epfd);
    close(before->listener);
    close_others(c);
    loop_open(loop, LOOPS_MAX - 1, -1, false);
    c->watched = false;
    atomic_store(&c->busy, false);
    loop_adopt(loop, c);
    loop->alone = true;
    if (c->length > 0)
        conn_due(c); /* the socket may have nothing more */
    else
        conn_turn(c);
    loop_run(loop);
    wait_for_children();
    end_bury(true);
    _exit(conn_count_open() != 0);
}

void child_serves(struct conn *c)
{
    const pid_t pid = fork();
    if (pid < 0)
        fail("fork");
    if (pid == 0)
        serve_alone(c);
    conn_give_up(c);
}

static void *run_thread(void *arg)
{
    struct loop *loop = arg;
    acts_start();
    quits_begin(loop);
    loop_run(loop);
    quits_end(loop);
    return NULL;
}

static void run_loops(int listener)
{
    const bool shared = plan_number("share", 0) != 0;
    loop_count = plan_number("threads", 1);
    for (int i = 0; i < (shared ? 1 : loop_count); i++)
        loop_open(&loops[i], i, plan_is("accept", "first") && i != 0 ? -1 : listener, shared);
    for (int i = 1; i < loop_count; i++)
        if (pthread_create(&loops[i].thread, NULL, run_thread, &loops[shared ? 0 : i]) != 0)
            fail("pthread_create");
    if (plan_number("host", 0) != 0)
        coroutine_host(loop_run, &loops[0]);
    else
        loop_run(&loops[0]);
    for (int i = 1; i < loop_count; i++)
        pthread_join(loops[i].thread, NULL);
}

static void run_workers(int listener, int workers)
{
    for (int i = 0; i < workers; i++) {
        const pid_t pid = fork();
        if (pid < 0)
            fail("fork");
        if (pid == 0) {
            is_child = true;
            run_loops(listener);
            wait_for_children();
            _exit(conn_count_open() != 0);
        }
    }
    say_port();
    close(listener);
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    keys = argv[1];
    plan_read(argc - 2, argv + 2);
    said_open();
    bad_ends = &said_of(0)->echoed;
    acts_start();
    context = context_new(keys, NULL);
    const int listener = listen_somewhere(), workers = plan_number("workers", 0);
    if (workers != 0) {
        run_workers(listener, workers);
    } else {
        say_port();
        run_loops(listener);
    }
    wait_for_children();
    end_bury(true);
    const int open = conn_count_open();
    said_print(open, *bad_ends);
    if (plan_number("tidy", 0) == 0)
        _exit(0); /* what was left by a jump keeps what it held */
    SSL_CTX_free(context);
    return 0;
}
