/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* What goes with a slice when it pauses, and what does not: registers, errors, the library context, jumps and ends. */
#include "world.h"

#include "base/slice.h"

#include <fenv.h>
#include <openssl/crypto.h>
#include <pthread.h>
#include <setjmp.h>
#include <sys/wait.h>

static SSL_CTX *with_callback(int (*callback)(SSL *, void *), void *arg)
{
    SSL_CTX *ctx = world_server_ctx(TLS13);
    SSL_CTX_set_cert_cb(ctx, callback, arg);
    return ctx;
}

static void all_served(struct world *w, int pairs)
{
    world_run(w);
    for (int i = 0; i < pairs; i++)
        assert_true(w->pair[i].server_done);
    world_exchange(w);
    world_close(w);
}

/* A handshake that begins under one rounding mode goes on under it, whoever resumes it, and leaves the program's. */
static int modes_seen[4];

static int see_mode(SSL *s, void *arg)
{
    (void)s, (void)arg;
    modes_seen[fegetround() == FE_UPWARD ? 1 : fegetround() == FE_TONEAREST ? 0 : 2]++;
    fesetround(FE_DOWNWARD);
    return 1;
}

static void test_control_words(void **state)
{
    (void)state;
    SSL_CTX *ctx = with_callback(see_mode, NULL);
    struct world *w = world_open(EPOLLIN | EPOLLET, TLS13, 4);
    fesetround(FE_UPWARD);
    for (int i = 0; i < 4; i++) {
        pair_client(&w->pair[i]);
        (void)pair_server(&w->pair[i]);
        /* The first is alone, and runs on the program's own stack. */
        assert_int_equal(pair_paused(&w->pair[i]), i > 0);
        if (i > 0)
            assert_int_equal(fegetround(), FE_UPWARD);
        fesetround(FE_UPWARD);
    }
    assert_int_equal(modes_seen[1], 4);
    fesetround(FE_TOWARDZERO);
    SSL_CTX_set_cert_cb(ctx, NULL, NULL);
    world_run(w);
    world_exchange(w);
    world_close(w);
    fesetround(FE_TONEAREST);
}

/* A callback leaves an error behind, while the certificate is sent; the signature comes after that. */
static void leave_error(int sent, int version, int type, const void *message, size_t length, SSL *s, void *arg)
{
    (void)version, (void)s, (void)arg;
    if (sent && type == SSL3_RT_HANDSHAKE && length > 0 && *(const unsigned char *)message == SSL3_MT_CERTIFICATE)
        ERR_raise_data(ERR_LIB_USER, 77, "left by %s", "a callback");
}

static void expect_error(void)
{
    const char *data = NULL;
    int flags = 0;
    assert_int_equal(ERR_GET_REASON(ERR_get_error_all(NULL, NULL, NULL, &data, &flags)), 77);
    assert_string_equal(data, "left by a callback");
    assert_int_equal(ERR_peek_error(), 0);
}

static void test_errors_go_along(void **state)
{
    (void)state;
    struct epoll_event events[PAIRS_MAX];
    struct world *w = world_open(EPOLLIN | EPOLLET, TLS13, 4);
    for (int i = 0; i < 4; i++) {
        SSL_set_msg_callback(w->pair[i].server, leave_error);
        pair_client(&w->pair[i]);
        (void)pair_server(&w->pair[i]);
        assert_int_equal(pair_paused(&w->pair[i]), i > 0);
        if (i == 0)
            expect_error();
        assert_int_equal(ERR_peek_error(), 0);
    }
    int ended = 0;
    while (ended < 3)
        for (int n = world_wait(w, events, PAIRS_MAX, -1); n > 0; n--) {
            struct pair *p = events[n - 1].data.ptr;
            (void)pair_server(p);
            if (!pair_paused(p)) {
                expect_error();
                ended++;
            }
            assert_int_equal(ERR_peek_error(), 0);
        }
    for (int i = 0; i < 4; i++)
        w->pair[i].server_failed = false; /* it wanted to read, beside an error that nobody had taken yet */
    all_served(w, 4);
}

/* A callback changes the thread's default library context. The program's is as it was once the handshake has paused. */
static int change_context(SSL *s, void *arg)
{
    (void)s;
    OSSL_LIB_CTX_set0_default(arg);
    return 1;
}

static void test_library_context(void **state)
{
    (void)state;
    OSSL_LIB_CTX *before = OSSL_LIB_CTX_set0_default(NULL), *other = OSSL_LIB_CTX_new();
    SSL_CTX *ctx = with_callback(change_context, other);
    struct world *w = world_open(EPOLLIN | EPOLLET, TLS13, 4);
    for (int i = 0; i < 4; i++) {
        pair_client(&w->pair[i]);
        (void)pair_server(&w->pair[i]);
        if (pair_paused(&w->pair[i]))
            assert_ptr_equal(OSSL_LIB_CTX_set0_default(NULL), before);
        OSSL_LIB_CTX_set0_default(before);
    }
    SSL_CTX_set_cert_cb(ctx, NULL, NULL);
    all_served(w, 4);
    OSSL_LIB_CTX_free(other);
}

/* The child of a callback's fork() is in the slice too, and ends its own copy of the handshake there. */
static int forked;

static int fork_once(SSL *s, void *arg)
{
    if (world_slice() == NULL || forked++ > 0)
        return 1;
    const pid_t child = fork();
    if (child == 0) {
        alarm(30);
        SSL_set0_wbio(s, BIO_new(BIO_s_null())); /* the socket is the parent's too */
    } else {
        *(pid_t *)arg = child;
    }
    return 1;
}

static void test_fork_in_callback(void **state)
{
    (void)state;
    pid_t child = 0;
    int status = 0;
    const pid_t parent = getpid();
    SSL_CTX *ctx = with_callback(fork_once, &child);
    struct world *w = world_open(EPOLLIN | EPOLLET, TLS13, 4);
    for (int i = 0; i < 4; i++) {
        pair_client(&w->pair[i]);
        const int value = pair_server(&w->pair[i]);
        if (getpid() != parent) /* nobody tells there: the operation has run at once */
            _exit(value == 0 && !pair_paused(&w->pair[i]) && world_slice() == NULL ? 0 : 1);
    }
    SSL_CTX_set_cert_cb(ctx, NULL, NULL);
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    all_served(w, 4);
}

/* A callback ends its thread from within a slice. Others of that thread are paused: the thread runs them to their end.
 */
static int end_thread(SSL *s, void *arg)
{
    if (world_slice() != NULL && s == *(SSL **)arg)
        pthread_exit(NULL);
    return 1;
}

static SSL *last_one;
static int paused_there;

static void *serve_and_end(void *arg)
{
    struct world **out = arg, *w = *out = world_open(EPOLLIN | EPOLLET, TLS13, 4);
    last_one = w->pair[3].server;
    for (int i = 0; i < 4; i++) {
        pair_client(&w->pair[i]);
        (void)pair_server(&w->pair[i]);
        paused_there += pair_paused(&w->pair[i]);
    }
    return NULL;
}

static void test_thread_ends_in_callback(void **state)
{
    (void)state;
    pthread_t thread;
    struct world *w = NULL;
    SSL_CTX *ctx = with_callback(end_thread, &last_one);
    assert_int_equal(pthread_create(&thread, NULL, serve_and_end, &w), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(paused_there, 2);
    SSL_CTX_set_cert_cb(ctx, NULL, NULL);
    assert_null(oct_slice_current());
    world_close(w);
}

/* A callback frees another connection, which is paused. */
static int free_other(SSL *s, void *arg)
{
    struct pair *p = *(struct pair **)arg;
    if (world_slice() != NULL && s != p->server && p->server != NULL && pair_paused(p)) {
        SSL_free(p->server);
        p->server = NULL;
    }
    return 1;
}

static void test_free_in_callback(void **state)
{
    (void)state;
    struct pair *other = NULL;
    SSL_CTX *ctx = with_callback(free_other, &other);
    struct world *w = world_open(EPOLLIN | EPOLLET, TLS13, 5);
    other = &w->pair[2];
    for (int i = 0; i < 5; i++) {
        pair_client(&w->pair[i]);
        (void)pair_server(&w->pair[i]);
    }
    assert_null(w->pair[2].server);
    SSL_CTX_set_cert_cb(ctx, NULL, NULL);
    pair_end(w, &w->pair[2]);
    world_run(w);
    for (int i = 0; i < 5; i++)
        assert_true(i == 2 || w->pair[i].server_done);
    world_close(w);
}

/* A callback jumps out of its slice. The others, paused or not, go on as ever; the one that was left is freed. */
static jmp_buf out;

static int jump(SSL *s, void *arg)
{
    if (world_slice() != NULL && s == *(SSL **)arg)
        longjmp(out, 1);
    return 1;
}

static void test_jump_out(void **state)
{
    (void)state;
    static SSL *victim;
    static int jumped;
    SSL_CTX *ctx = with_callback(jump, &victim);
    static struct world *w;
    for (int round = 0; round < 5; round++) {
        w = world_open(EPOLLIN | EPOLLET, TLS13, 6);
        victim = w->pair[3].server;
        for (int i = 0; i < 6; i++)
            pair_client(&w->pair[i]);
        for (volatile int i = 0; i < 6; i++)
            if (setjmp(out) == 0)
                (void)pair_server(&w->pair[i]);
            else
                jumped++;
        assert_int_equal(jumped, round + 1);
        for (int i = 1; i < 6; i++)
            assert_int_equal(pair_paused(&w->pair[i]), i != 3);
        pair_end(w, &w->pair[3]);
        world_run(w);
        for (int i = 0; i < 6; i++)
            assert_true(i == 3 || w->pair[i].server_done);
        world_close(w);
    }
    SSL_CTX_set_cert_cb(ctx, NULL, NULL);
}

int main(void)
{
    world_start();
    return RUN_TESTS(NULL, NULL, test_control_words, test_errors_go_along, test_library_context, test_fork_in_callback,
                     test_free_in_callback, test_jump_out, test_thread_ends_in_callback);
}
