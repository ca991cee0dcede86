/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* A signal that comes while jobs run inside a call that would sleep ends that call, as it does without them. */
#include "world.h"

#include <octuple/queue.h>
#include <poll.h>
#include <signal.h>
#include <sys/select.h>

/* Longer than any batch: a call that is not interrupted comes back with 0. */
#define MILLISECONDS 3000

/* An older kernel has no epoll_pwait2(). */
enum call { WAIT, PWAIT, POLL, PPOLL, SELECT, PSELECT, PWAIT2 };
static enum call last = PWAIT2;

static volatile sig_atomic_t handled;

static void handler(int number)
{
    (void)number;
    handled++;
}

/* Runs in mid-batch, as a job's owner is told that it is done. */
static void raise_here(struct oct_job *job)
{
    (void)job;
    assert_int_equal(kill(getpid(), SIGUSR1), 0);
}

static unsigned char out[32], scalar[32] = {1}, point[32] = {9};
static struct oct_job job;

/* One more job, whose end is a signal. */
static void submit(void)
{
    job = (struct oct_job){.op = OCT_OP_X25519_DERIVE, .done = raise_here};
    job.x25519 = (struct oct_x25519_lane){.out = out, .scalar = scalar, .peer = point};
    assert_int_equal(oct_queue_submit(oct_queue_thread(), &job), OCT_OK);
}

static int by_select(int fd, int milliseconds, const sigset_t *mask, bool p)
{
    struct timeval time = {milliseconds / 1000, milliseconds % 1000 * 1000};
    struct timespec fine = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    fd_set in;
    FD_ZERO(&in);
    FD_SET(fd, &in);
    return p ? pselect(fd + 1, &in, NULL, NULL, &fine, mask) : select(fd + 1, &in, NULL, NULL, &time);
}

static int call(enum call which, int fd, int milliseconds, const sigset_t *mask)
{
    struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    struct pollfd set = {.fd = fd, .events = POLLIN};
    struct epoll_event events[PAIRS_MAX];
    if (which == WAIT)
        return epoll_wait(fd, events, PAIRS_MAX, milliseconds);
    if (which == PWAIT)
        return epoll_pwait(fd, events, PAIRS_MAX, milliseconds, mask);
    if (which == PWAIT2)
        return epoll_pwait2(fd, events, PAIRS_MAX, &time, mask);
    if (which == POLL || which == PPOLL)
        return which == POLL ? poll(&set, 1, milliseconds) : ppoll(&set, 1, &time, mask);
    return by_select(fd, milliseconds, mask, which == PSELECT);
}

static bool takes_mask(enum call which)
{
    return which == PWAIT || which == PWAIT2 || which == PPOLL || which == PSELECT;
}

static struct world *open_with_jobs(void)
{
    struct world *w = world_open(EPOLLIN, TLS13, 4);
    assert_int_equal(world_hello(w), 3);
    submit();
    handled = 0;
    return w;
}

/* No event is made up, since nothing is waited for that has one. */
static void test_interrupted(void **state)
{
    (void)state;
    for (enum call which = WAIT; which <= last; which++) {
        struct world *w = open_with_jobs();
        sigset_t mask;
        errno = 0;
        assert_int_equal(call(which, w->elsewhere, MILLISECONDS, NULL), -1);
        assert_int_equal(errno, EINTR);
        assert_int_equal(handled, 1);
        sigprocmask(SIG_BLOCK, NULL, &mask);
        assert_false(sigismember(&mask, SIGUSR1) || sigismember(&mask, SIGTERM));
        world_run(w);
        world_close(w);
    }
}

/* Events that were made up are returned, and the handler has run by then. */
static void test_events_are_returned(void **state)
{
    (void)state;
    for (enum call which = WAIT; which <= last; which++) {
        struct world *w = open_with_jobs();
        assert_int_equal(call(which, w->epfd, MILLISECONDS, NULL), which <= PWAIT || which == PWAIT2 ? 3 : 1);
        assert_int_equal(handled, 1);
        world_run(w);
        world_close(w);
    }
}

/* The call's own mask counts: it lets a signal in that is blocked otherwise, or keeps it out until the call is over. */
static void test_mask_of_the_call(void **state)
{
    sigset_t usr1, none;
    (void)state;
    sigemptyset(&none);
    sigemptyset(&usr1);
    sigaddset(&usr1, SIGUSR1);
    for (enum call which = WAIT; which <= last; which++) {
        if (!takes_mask(which))
            continue;
        struct world *w = open_with_jobs();
        sigprocmask(SIG_BLOCK, &usr1, NULL);
        assert_int_equal(call(which, w->elsewhere, MILLISECONDS, &none), -1);
        assert_int_equal(errno, EINTR);
        assert_int_equal(handled, 1);
        sigprocmask(SIG_UNBLOCK, &usr1, NULL);
        world_run(w);
        world_close(w);

        w = open_with_jobs();
        assert_int_equal(call(which, w->elsewhere, 50, &usr1), 0);
        assert_int_equal(handled, 1);
        world_run(w);
        world_close(w);
    }
}

/* Blocked by the program, it stays so. */
static void test_blocked_stays_blocked(void **state)
{
    sigset_t usr1;
    (void)state;
    sigemptyset(&usr1);
    sigaddset(&usr1, SIGUSR1);
    for (enum call which = WAIT; which <= last; which++) {
        struct world *w = open_with_jobs();
        sigprocmask(SIG_BLOCK, &usr1, NULL);
        assert_int_equal(call(which, w->elsewhere, 50, NULL), 0);
        assert_int_equal(handled, 0);
        sigprocmask(SIG_UNBLOCK, &usr1, NULL);
        assert_int_equal(handled, 1);
        world_run(w);
        world_close(w);
    }
}

int main(void)
{
    world_start();
    struct epoll_event event;
    if (epoll_pwait2(-1, &event, 1, NULL, NULL) < 0 && errno == ENOSYS) {
        print_message("epoll_pwait2() is not tested: the kernel is older than 5.11\n");
        last = PSELECT;
    }
    signal(SIGUSR1, handler);
    return RUN_TESTS(NULL, NULL, test_interrupted, test_events_are_returned, test_mask_of_the_call,
                     test_blocked_stays_blocked);
}
