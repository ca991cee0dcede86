/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* What programs do between "want read" and their next call: they look at the socket first, move the connection to
 * another thread's instance, or its descriptor to another number, or never call. */
#include "world.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/ioctl.h>
#include <sys/uio.h>
#include <time.h>

#define PAIRS 8
/* Rounds of a loop that has nothing to do but this: far more than handshakes take, far fewer than one that spins. */
#define ROUNDS 400

/* True if there is something to read, by one of the ways to look. */
static bool looks(int fd, int way)
{
    unsigned char byte[16];
    struct iovec place = {byte, sizeof byte};
    struct msghdr message = {.msg_iov = &place, .msg_iovlen = 1};
    int n = 0;

    if (way == 0)
        return recv(fd, byte, 1, MSG_PEEK) > 0;
    if (way == 1)
        return ioctl(fd, FIONREAD, &n) == 0 && n > 0;
    if (way == 2)
        return recvfrom(fd, byte, sizeof byte, MSG_PEEK | MSG_DONTWAIT, NULL, NULL) >= 5;
    return recvmsg(fd, &message, MSG_PEEK) > 0;
}

static bool all_over(const struct world *w)
{
    for (int i = 0; i < w->pairs; i++)
        if (!w->pair[i].server_done || !w->pair[i].client_done)
            return false;
    return true;
}

static void test_looks_first(void **state)
{
    (void)state;
    for (int way = 0; way < 4; way++)
        for (int level = 0; level < 2; level++) {
            struct world *w = world_open(EPOLLIN | (level ? 0 : EPOLLET), TLS13, PAIRS);
            struct epoll_event events[PAIRS_MAX];
            assert_int_equal(world_hello(w), PAIRS - 1);
            for (int round = 0; !all_over(w); round++) {
                assert_in_range(round, 0, ROUNDS);
                for (int i = 0; i < PAIRS; i++)
                    pair_client(&w->pair[i]);
                int n = world_wait(w, events, PAIRS_MAX, 100);
                for (int i = 0; i < n; i++) {
                    struct pair *p = events[i].data.ptr;
                    if (!p->server_done && looks(p->fd, way))
                        pair_server(p);
                }
            }
            world_exchange(w);
            world_close(w);
        }
}

/* One that looks in a way that nobody can answer: by what it has read itself. It is not woken for ever. */
static void test_never_calls(void **state)
{
    (void)state;
    struct world *w = world_open(EPOLLIN, TLS13, PAIRS);
    struct epoll_event events[PAIRS_MAX];
    int made_up = 0;
    assert_int_equal(world_hello(w), PAIRS - 1);
    for (int round = 0; round < 200; round++)
        made_up += world_wait(w, events, PAIRS_MAX, 1);
    assert_in_range(made_up, PAIRS - 1, 16 * PAIRS);
    world_run(w); /* the clients have their answer: now they have something to say */
    world_exchange(w);
    world_close(w);
}

/* By dup(), dup2(), dup3() and fcntl(): the number is another one, the old one is closed. */
static int moved(int fd, int how)
{
    const int high = 700 + fd;
    int to = -1;
    if (how == 0)
        to = dup(fd);
    else if (how == 1)
        to = dup2(fd, high);
    else if (how == 2)
        to = dup3(fd, high, O_CLOEXEC);
    else
        to = fcntl(fd, F_DUPFD, 500);
    assert_true(to >= 0);
    return to;
}

static void test_descriptor_moves(void **state)
{
    (void)state;
    for (int how = 0; how < 4; how++)
        for (int level = 0; level < 2; level++) {
            const uint32_t wanted = EPOLLIN | (level ? 0 : EPOLLET);
            struct world *w = world_open(wanted, TLS13, PAIRS);
            assert_int_equal(world_hello(w), PAIRS - 1);
            for (int i = 0; i < PAIRS; i++) {
                struct pair *p = &w->pair[i];
                struct epoll_event event = {.events = wanted, .data.ptr = p};
                const int to = moved(p->fd, how);
                assert_int_equal(epoll_ctl(w->epfd, EPOLL_CTL_DEL, p->fd, NULL), 0);
                close(p->fd);
                assert_int_equal(SSL_set_fd(p->server, to), 1);
                assert_int_equal(epoll_ctl(w->epfd, EPOLL_CTL_ADD, to, &event), 0);
                p->fd = to;
            }
            world_run(w);
            world_exchange(w);
            world_close(w);
        }
}

/* Another thread's loop. */
struct other {
    int epfd, wake[2];
    atomic_bool stop;
    atomic_int failed;
    struct pair *late[PAIRS]; /* that it registers itself */
    atomic_int late_count;
};

static void *serve_there(void *arg)
{
    struct other *o = arg;
    struct epoll_event events[PAIRS_MAX];
    int taken = 0;
    while (!atomic_load(&o->stop)) {
        int n = epoll_wait(o->epfd, events, PAIRS_MAX, 10);
        for (; taken < atomic_load(&o->late_count); taken++) {
            struct epoll_event event = {.events = EPOLLIN, .data.ptr = o->late[taken]};
            if (epoll_ctl(o->epfd, EPOLL_CTL_ADD, o->late[taken]->fd, &event) != 0)
                atomic_fetch_add(&o->failed, 1);
        }
        for (int i = 0; i < n; i++) {
            struct pair *p = events[i].data.ptr;
            if (p == NULL || p->server_done)
                continue;
            if (pair_server(p) < 0)
                atomic_fetch_add(&o->failed, 1);
        }
    }
    return NULL;
}

/* The thread that has given its connections away, in its loop: by epoll_wait(), or by poll() on the instance. */
static void wait_here(struct world *w, bool by_poll)
{
    struct epoll_event events[PAIRS_MAX];
    struct pollfd instance = {.fd = w->epfd, .events = POLLIN};
    if (!by_poll)
        (void)world_wait(w, events, PAIRS_MAX, 10);
    else if (poll(&instance, 1, 10) > 0)
        (void)world_wait(w, events, PAIRS_MAX, 0);
}

static void test_other_thread_goes_on(void **state)
{
    (void)state;
    for (int way = 0; way < 4; way++) {
        const bool itself = way % 2 != 0, by_poll = way / 2 != 0;
        struct other o = {.epfd = epoll_create1(0)};
        struct world *w = world_open(EPOLLIN, TLS13, PAIRS);
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, serve_there, &o), 0);
        assert_int_equal(world_hello(w), PAIRS - 1);
        for (int i = 0; i < PAIRS; i++) {
            struct pair *p = &w->pair[i];
            struct epoll_event event = {.events = EPOLLIN, .data.ptr = p};
            assert_int_equal(epoll_ctl(w->epfd, EPOLL_CTL_DEL, p->fd, NULL), 0);
            o.late[i] = p;
            if (itself)
                atomic_fetch_add(&o.late_count, 1);
            else
                assert_int_equal(epoll_ctl(o.epfd, EPOLL_CTL_ADD, p->fd, &event), 0);
        }
        for (int round = 0; round < ROUNDS; round++) {
            int over = 0;
            wait_here(w, by_poll); /* its own loop goes on, with others */
            for (int i = 0; i < PAIRS; i++) {
                pair_client(&w->pair[i]);
                over += w->pair[i].client_done;
            }
            if (over == PAIRS && round > 20)
                break;
        }
        atomic_store(&o.stop, true);
        pthread_join(thread, NULL);
        assert_int_equal(atomic_load(&o.failed), 0);
        for (int i = 0; i < PAIRS; i++)
            assert_true(w->pair[i].server_done && w->pair[i].client_done);
        world_exchange(w);
        world_close(w);
        close(o.epfd);
    }
}

/* Its first call comes from a shallow place, the others from deep ones. */
static __attribute__((noinline)) int from_depth(struct pair *p, size_t bytes)
{
    volatile char room[16384];
    room[0] = room[sizeof room - 1] = 1;
    const int value = bytes > sizeof room ? from_depth(p, bytes - sizeof room) : pair_server(p);
    return value + room[0] - 1;
}

static void test_calls_from_deep(void **state)
{
    (void)state;
    for (size_t depth = 16384; depth <= 2 * 1024 * 1024; depth *= 4) {
        struct world *w = world_open(EPOLLIN, TLS13, PAIRS);
        struct epoll_event events[PAIRS_MAX];
        assert_int_equal(world_hello(w), PAIRS - 1);
        for (int round = 0; !all_over(w); round++) {
            assert_in_range(round, 0, ROUNDS);
            for (int i = 0; i < PAIRS; i++)
                pair_client(&w->pair[i]);
            int n = world_wait(w, events, PAIRS_MAX, 100);
            for (int i = 0; i < n; i++) {
                struct pair *p = events[i].data.ptr;
                if (!p->server_done)
                    (void)from_depth(p, depth);
            }
        }
        world_exchange(w);
        world_close(w);
    }
}

static struct world *inner;
static int inner_epfd;

/* A callback runs another loop of its thread, which hears of the last connection and calls it. Its slice's place is in
 * use there, so that its call is run to its end at once. */
static void run_loop(const SSL *s, int where, int value)
{
    struct epoll_event event;
    struct pair *p = inner != NULL ? &inner->pair[inner->pairs - 1] : NULL;
    (void)s, (void)where, (void)value;
    if (p == NULL)
        return;
    inner = NULL;
    assert_int_equal(epoll_wait(inner_epfd, &event, 1, 0), 1);
    assert_ptr_equal(event.data.ptr, p);
    assert_int_equal(pair_server(p), 0);
    assert_false(pair_paused(p));
}

static void move_to(int epfd, const struct world *w, struct pair *p)
{
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = p};
    assert_int_equal(epoll_ctl(w->epfd, EPOLL_CTL_DEL, p->fd, NULL), 0);
    if (epfd >= 0)
        assert_int_equal(epoll_ctl(epfd, EPOLL_CTL_ADD, p->fd, &event), 0);
}

/* The second has lost its registration, so it goes on where its thread would sleep. What its callback leaves behind is
 * not slept on: the third has gone on, too, before the thread sleeps. */
static void test_callback_leaves_another(void **state)
{
    (void)state;
    struct world *w = world_open(EPOLLIN, TLS13, 3);
    struct epoll_event event;
    struct pair *second = &w->pair[1], *third = &w->pair[2];
    inner_epfd = epoll_create1(EPOLL_CLOEXEC);
    move_to(inner_epfd, w, third);
    assert_int_equal(epoll_wait(inner_epfd, &event, 1, 1), 0);
    SSL_set_info_callback(second->server, run_loop);
    assert_int_equal(world_hello(w), 1);
    assert_int_equal(pair_server(third), 0);
    assert_true(pair_paused(second) && pair_paused(third));
    move_to(-1, w, second);
    inner = w;
    assert_int_equal(world_wait(w, &event, 1, 10), 0);
    assert_null(inner);
    pair_client(third);
    assert_true(third->client_done);
    event = (struct epoll_event){.events = EPOLLIN, .data.ptr = second};
    assert_int_equal(epoll_ctl(w->epfd, EPOLL_CTL_ADD, second->fd, &event), 0);
    assert_int_equal(pair_server(third), 1);
    world_run(w);
    world_exchange(w);
    world_close(w);
    close(inner_epfd);
}

/* While its thread runs the call to its end, another thread makes the same call, or clears the object; or a callback of
 * it makes that call. */
enum { ANOTHER_CALLS, ANOTHER_CLEARS, CALLBACK_CALLS, LATE_WAYS };
static struct pair *late;
static int late_way;
static int late_value, late_error, late_errno;
static unsigned long late_queue;
static bool late_retries;

static int by_early_data(struct pair *p)
{
    size_t n;
    char early[16];
    const int value = SSL_read_early_data(p->server, early, sizeof early, &n);
    return value == SSL_READ_EARLY_DATA_FINISH ? SSL_do_handshake(p->server) : -1;
}

static void *call_late(void *arg)
{
    struct pair *p = arg;
    errno = 0;
    late_value = late_way == ANOTHER_CLEARS ? SSL_clear(p->server) : by_early_data(p);
    late_errno = errno;
    late_retries = BIO_should_retry(SSL_get_rbio(p->server)) && BIO_should_read(SSL_get_rbio(p->server));
    late_error = SSL_get_error(p->server, late_value);
    late_queue = ERR_peek_error();
    return NULL;
}

static void call_again(const SSL *s, int where, int value)
{
    struct pair *p = late;
    pthread_t thread;
    (void)s, (void)where, (void)value;
    late = NULL;
    if (p != NULL && late_way == CALLBACK_CALLS)
        call_late(p);
    else if (p != NULL && (pthread_create(&thread, NULL, call_late, p) != 0 || pthread_join(thread, NULL) != 0))
        abort();
}

static void test_called_meanwhile(void **state)
{
    struct epoll_event event;
    (void)state;
    for (late_way = 0; late_way < LATE_WAYS; late_way++) {
        struct world *w = world_open(EPOLLIN, TLS13, 2);
        struct pair *second = &w->pair[1];
        const bool fails = late_way == ANOTHER_CLEARS;
        second->drive = by_early_data;
        SSL_set_info_callback(second->server, call_again);
        assert_int_equal(world_hello(w), 1);
        assert_true(pair_paused(second));
        move_to(-1, w, second);
        late = second;
        assert_int_equal(world_wait(w, &event, 1, 10), 0);
        assert_null(late);
        assert_int_equal(late_error, fails ? SSL_ERROR_SSL : SSL_ERROR_WANT_READ);
        assert_int_equal(late_queue != 0, fails);
        assert_true(fails || (late_errno == EAGAIN && late_retries));
        event = (struct epoll_event){.events = EPOLLIN, .data.ptr = second};
        assert_int_equal(epoll_ctl(w->epfd, EPOLL_CTL_ADD, second->fd, &event), 0);
        world_run(w);
        world_exchange(w);
        world_close(w);
    }
}

int main(void)
{
    /* Nothing pauses on this thread after the last. */
    world_start();
    return RUN_TESTS(NULL, NULL, test_looks_first, test_descriptor_moves, test_calls_from_deep,
                     test_callback_leaves_another, test_other_thread_goes_on, test_called_meanwhile, test_never_calls);
}
