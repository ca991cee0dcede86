/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Threads with tables of descriptors of their own: what one does with a number is nothing that befalls the socket of
 * that number in another one.
 */
#include "world.h"

#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <linux/close_range.h>

enum { PAIRS = 6 };

static struct world *w;

static void close_all(void)
{
    for (int i = 0; i < PAIRS; i++)
        assert_int_equal(close(w->pair[i].fd), 0);
    assert_int_equal(close(w->epfd), 0);
}

/* The numbers are in use again, for other sockets, registered in an instance of that number. */
static void use_again(void)
{
    struct epoll_event event = {.events = EPOLLIN}, got;
    const int other = dup2(w->elsewhere, w->epfd);
    assert_int_equal(other, w->epfd);
    for (int i = 0; i < PAIRS; i++) {
        const int made = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        assert_true(made == w->pair[i].fd || dup2(made, w->pair[i].fd) == w->pair[i].fd);
        assert_int_equal(epoll_ctl(other, EPOLL_CTL_ADD, w->pair[i].fd, &event), 0);
    }
    (void)epoll_wait(other, &got, 1, 0);
    close_all();
}

static void *by_unshare(void *unused)
{
    assert_int_equal(unshare(CLONE_FILES), 0);
    close_all();
    use_again();
    return unused;
}

static void *child_of_one(void *unused)
{
    close_all();
    return unused;
}

/* A thread has the table of the one that has made it. */
static void *by_child(void *unused)
{
    pthread_t child;
    assert_int_equal(unshare(CLONE_FILES), 0);
    assert_int_equal(pthread_create(&child, NULL, child_of_one, NULL), 0);
    pthread_join(child, NULL);
    use_again();
    return unused;
}

static void *by_range(void *unused)
{
    assert_int_equal(close_range(3, ~0u, CLOSE_RANGE_UNSHARE), 0);
    return unused;
}

static void *by_vfork(void *unused)
{
    const pid_t pid = vfork();
    if (pid == 0) {
        close(w->pair[0].fd);
        close_range(3, ~0u, 0);
        _exit(0);
    }
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    return unused;
}

static void *by_failed_call(void *unused)
{
    assert_int_equal(unshare(CLONE_FILES | (int)0x80000000u), -1);
    assert_int_equal(errno, EINVAL);
    return unused;
}

static int paused(void)
{
    int count = 0;
    for (int i = 0; i < PAIRS; i++)
        count += pair_paused(&w->pair[i]);
    return count;
}

static void elsewhere(void *(*run)(void *))
{
    pthread_t other;
    w = world_open(EPOLLIN, TLS13, PAIRS);
    const int before = world_hello(w);
    assert_true(before >= PAIRS - 1);
    assert_int_equal(pthread_create(&other, NULL, run, NULL), 0);
    pthread_join(other, NULL);
    assert_int_equal(paused(), before);
    world_run(w);
    for (int i = 0; i < PAIRS; i++)
        assert_true(w->pair[i].server_done && w->pair[i].client_done);
    world_exchange(w);
    world_close(w);
}

static void test_elsewhere(void **state)
{
    (void)state;
    elsewhere(by_vfork);
    elsewhere(by_failed_call);
    elsewhere(by_unshare);
    elsewhere(by_child);
    elsewhere(by_range);
    elsewhere(by_vfork);
}

/* The kernel has told of more that clients have sent, and will not again. */
static void tell_of_more(void)
{
    static const unsigned char change_cipher_spec[] = {20, 3, 3, 0, 1, 1};
    struct epoll_event got[PAIRS];
    for (int i = 0; i < PAIRS; i++)
        assert_int_equal(write(w->pair[i].peer, change_cipher_spec, sizeof change_cipher_spec),
                         sizeof change_cipher_spec);
    assert_int_equal(syscall(SYS_epoll_wait, w->epfd, got, PAIRS, 100), PAIRS);
}

/* The same, but what is paused is the thread's own: it keeps its sockets, and goes on with them. */
static void *serves(void *unused)
{
    w = world_open(EPOLLIN | EPOLLET, TLS13, PAIRS);
    const int before = world_hello(w);
    tell_of_more();
    assert_int_equal(unshare(CLONE_FILES), 0);
    assert_int_equal(paused(), 0);
    struct epoll_event got[PAIRS_MAX];
    assert_true(world_wait(w, got, PAIRS_MAX, 100) >= before);
    for (int i = 0; i < PAIRS; i++)
        (void)pair_server(&w->pair[i]);
    world_run(w);
    for (int i = 0; i < PAIRS; i++)
        assert_true(w->pair[i].server_done && w->pair[i].client_done);
    world_close(w);
    /* What it registers from now on is known again. */
    w = world_open(EPOLLIN, TLS13, PAIRS);
    assert_true(world_hello(w) >= PAIRS - 1);
    world_run(w);
    world_close(w);
    return unused;
}

static void test_own(void **state)
{
    pthread_t thread;
    (void)state;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(pthread_create(&thread, NULL, serves, NULL), 0);
        pthread_join(thread, NULL);
    }
}

/* An instance that threads of two tables wait for is waited for by several, whatever its number is in each. */
static void *waits(void *unused)
{
    struct epoll_event got;
    assert_int_equal(unshare(CLONE_FILES), 0);
    (void)epoll_wait(w->epfd, &got, 1, 1);
    return unused;
}

static void test_one_instance(void **state)
{
    pthread_t thread;
    (void)state;
    w = world_open(EPOLLIN, TLS13, PAIRS);
    assert_int_equal(pthread_create(&thread, NULL, waits, NULL), 0);
    pthread_join(thread, NULL);
    assert_int_equal(world_hello(w), 0);
    world_run(w);
    world_close(w);
}

int main(void)
{
    world_start();
    (void)world_server_ctx(TLS13);
    (void)world_client_ctx();
    return RUN_TESTS(NULL, NULL, test_elsewhere, test_own, test_one_instance);
}
