/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See server.h. */
#include "server.h"

#include <alloca.h>
#include <errno.h>
#include <fenv.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define SIGNAL_STACK   (256 * 1024)
#define ON_SMALL_STACK 64 /* KB */

static _Thread_local int signal_kb;
static _Thread_local bool signal_client;

static __attribute__((noinline)) unsigned deep(int kb)
{
    volatile unsigned char room[1024];
    memset((unsigned char *)room, kb, sizeof room);
    return kb > 0 ? deep(kb - 1) + room[kb % 1024] : room[0];
}

static __attribute__((noinline)) unsigned wide(size_t n)
{
    volatile unsigned char *room = alloca(n);
    for (size_t i = 0; i < n; i += 512)
        room[i] = (unsigned char)i;
    return room[0];
}

/* A whole handshake in memory, of other objects. */
static void other_handshake(void)
{
    SSL *server = SSL_new(context_inner), *client = SSL_new(context_client);
    BIO *a, *b;
    bool done = false;
    BIO_new_bio_pair(&a, 65536, &b, 65536);
    SSL_set_bio(server, a, a);
    SSL_set_bio(client, b, b);
    SSL_set_accept_state(server);
    SSL_set_connect_state(client);
    for (int i = 0; i < 10 && !done; i++) {
        const int x = SSL_do_handshake(client), y = SSL_do_handshake(server);
        done = x == 1 && y == 1;
    }
    SSL_free(client);
    SSL_free(server);
    if (!done)
        fail("a handshake in memory");
}

static void on_signal(int number)
{
    const int before = errno;
    (void)number;
    (void)deep(signal_kb);
    if (signal_client)
        other_handshake();
    errno = before;
}

static void on_tick(int number)
{
    const int before = errno;
    (void)number;
    (void)deep(4);
    errno = before;
}

void acts_start(void)
{
    stack_t stack = {.ss_size = SIGNAL_STACK, .ss_sp = malloc(SIGNAL_STACK)};
    const int restart = plan_number("restart", 1) ? SA_RESTART : 0;
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = restart};
    sigaltstack(&stack, NULL);
    sigaction(SIGUSR1, &action, NULL);
    action.sa_flags |= SA_ONSTACK;
    sigaction(SIGUSR2, &action, NULL);
    signal(SIGPIPE, SIG_IGN);
    if (plan_number("ticks", 0) == 0)
        return;
    action.sa_handler = on_tick;
    action.sa_flags = restart | (plan_number("seed", 0) % 2 ? SA_ONSTACK : 0);
    sigaction(SIGALRM, &action, NULL);
    const struct timeval period = {0, plan_number("ticks", 0)};
    setitimer(ITIMER_REAL, &(struct itimerval){period, period}, NULL);
}

static void raise_here(int number, int kb, bool client)
{
    signal_kb = kb;
    signal_client = client;
    raise(number);
}

static void allocate(int kb)
{
    void *block[64];
    for (int i = 0; i < 64; i++) {
        block[i] = malloc((size_t)(kb * 16 + i + 1));
        memset(block[i], i, (size_t)(kb * 16 + i + 1));
    }
    for (int i = 0; i < 64; i++)
        free(block[i]);
}

static void fork_here(void)
{
    const pid_t pid = fork();
    if (pid == 0)
        _exit(0);
    while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
}

static void *deep_thread(void *arg)
{
    (void)deep(*(int *)arg);
    return NULL;
}

static void thread_here(int kb)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, deep_thread, &kb) != 0 || pthread_join(thread, NULL) != 0)
        fail("pthread_create");
}

static void sign(void)
{
    unsigned char signature[1024], text[64] = "something";
    size_t n = sizeof signature;
    EVP_MD_CTX *md = EVP_MD_CTX_new();
    EVP_PKEY *key = SSL_CTX_get0_privatekey(context_inner);
    const EVP_MD *digest = EVP_PKEY_is_a(key, "ED25519") ? NULL : EVP_sha256();
    if (EVP_DigestSignInit(md, NULL, digest, NULL, key) != 1 ||
        EVP_DigestSign(md, signature, &n, text, sizeof text) != 1 || RAND_bytes(text, sizeof text) != 1)
        fail("EVP_DigestSign");
    EVP_MD_CTX_free(md);
}

/* Another connection of this loop that may be called, or freed. */
static struct conn *another(const struct conn *c, bool victim)
{
    struct loop *loop = c->loop;
    struct conn *found = NULL;
    pthread_mutex_lock(&loop->lock);
    for (int i = 0; i < loop->members && found == NULL; i++) {
        struct conn *o = loop->member[i];
        if (o != c && !o->busy && !o->parked && o->victim == victim && (victim || o->phase == PHASE_HANDSHAKE))
            found = o;
    }
    pthread_mutex_unlock(&loop->lock);
    return found;
}

static void turn_another(const struct conn *c)
{
    static _Thread_local int nested;
    struct conn *o = nested < NESTING_MAX && !c->loop->shared ? another(c, false) : NULL;
    nested++;
    if (o != NULL)
        conn_turn(o);
    nested--;
}

static void free_another(const struct conn *c)
{
    struct conn *o = c->loop->shared ? NULL : another(c, true);
    if (o != NULL)
        conn_close(o, "victim");
}

void look_at(const struct conn *c)
{
    unsigned char text[64];
    (void)SSL_state_string_long(c->ssl);
    (void)SSL_get_fd(c->ssl);
    (void)SSL_want(c->ssl);
    (void)SSL_pending(c->ssl);
    (void)SSL_has_pending(c->ssl);
    (void)SSL_get_servername(c->ssl, TLSEXT_NAMETYPE_host_name);
    (void)SSL_get0_peer_certificate(c->ssl);
    (void)SSL_get_current_cipher(c->ssl);
    (void)SSL_get_verify_result(c->ssl);
    (void)SSL_get_finished(c->ssl, text, sizeof text);
    SSL_SESSION_free(SSL_get1_session(c->ssl));
}

static void try_something(void)
{
    ERR_set_mark();
    ERR_raise(ERR_LIB_USER, ERR_R_PASSED_INVALID_ARGUMENT);
    ERR_pop_to_mark();
}

static void round_up(void)
{
    const int before = fegetround();
    volatile double third = 1.0;
    fesetround(FE_UPWARD);
    third /= 3;
    fesetround(before);
}

static bool act_on_stack(const struct rule *r)
{
    const char *what = r->act;
    const int kb = coroutine_is_small() && r->amount > ON_SMALL_STACK ? ON_SMALL_STACK : r->amount;
    if (strcmp(what, "deep") == 0)
        (void)deep(kb);
    else if (strcmp(what, "wide") == 0)
        (void)wide((size_t)kb * 1024 + 1);
    else if (strcmp(what, "signal") == 0)
        raise_here(SIGUSR1, kb, false);
    else if (strcmp(what, "altsignal") == 0)
        raise_here(SIGUSR2, kb < ON_SMALL_STACK ? kb : ON_SMALL_STACK, false);
    else if (strcmp(what, "sigclient") == 0)
        raise_here(SIGUSR2, 4, true);
    else if (strcmp(what, "thread") == 0)
        thread_here(kb);
    else
        return false;
    return true;
}

static void act_else(struct conn *c, const struct rule *r)
{
    const char *what = r->act;
    if (strcmp(what, "loop") == 0)
        loop_turn(c->loop, r->amount);
    else if (strcmp(what, "turn") == 0)
        turn_another(c);
    else if (strcmp(what, "client") == 0)
        other_handshake();
    else if (strcmp(what, "fork") == 0)
        fork_here();
    else if (strcmp(what, "alloc") == 0)
        allocate(r->amount);
    else if (strcmp(what, "free") == 0)
        free_another(c);
    else if (strcmp(what, "yield") == 0)
        (void)coroutine_yield(c);
    else if (strcmp(what, "sign") == 0)
        sign();
    else if (strcmp(what, "round") == 0)
        round_up();
    else if (strcmp(what, "observe") == 0)
        look_at(c);
    else if (strcmp(what, "sleep") == 0)
        usleep((useconds_t)r->amount);
    else if (strcmp(what, "error") == 0)
        try_something();
    else if (strcmp(what, "errno") == 0)
        errno = EBADF;
}

static void jump(struct conn *c)
{
    if (c->jump != NULL && pthread_equal(c->caller, pthread_self()))
        _longjmp(*c->jump, 1);
    said_of(c->id)->not_decided++;
}

/* The server does nothing for it just now, so no callback of it decides anything. */
static bool rests(const struct conn *c)
{
    return c->victim || c->parked || c->move_to != NULL;
}

static bool decides(const struct rule *r)
{
    return strcmp(r->act, "jump") == 0 || strcmp(r->act, "refuse") == 0 || strcmp(r->act, "retry") == 0;
}

static enum outcome perform(struct conn *c, const struct rule *r, enum point point)
{
    if (strcmp(r->act, "refuse") == 0)
        return REFUSE;
    if (strcmp(r->act, "retry") == 0)
        return RETRY;
    if (strcmp(r->act, "jump") == 0)
        jump(c);
    if ((point == AT_WAIT && act_between(c, r)) || act_on_stack(r))
        return GO_ON;
    act_else(c, r);
    if (strcmp(r->act, "error") != 0)
        ERR_clear_error(); /* what other connections have left there would be taken for this one's */
    return GO_ON;
}

enum outcome act(struct conn *c, enum point point)
{
    enum outcome all = GO_ON;
    if (c == NULL)
        return all;
    if (c->freed || quits_over())
        said_of(c->id)->odd |= 1u << ODD_LATE;
    if (c->ended)
        return all;
    quits_make("callback");
    said_of(c->id)->counts[point]++;
    for (int i = 0; i < plan_rule_count; i++) {
        const struct rule *r = &plan_rules[i];
        if (strcmp(r->point, point_names[point]) != 0 || c->id % r->mod != r->rest ||
            (r->times != 0 && c->done[i] >= r->times) || c->ended)
            continue;
        if (rests(c)) {
            said_of(c->id)->not_decided += decides(r);
            continue;
        }
        c->done[i]++;
        const enum outcome o = perform(c, r, point);
        if (o != GO_ON)
            return o;
    }
    return all;
}
