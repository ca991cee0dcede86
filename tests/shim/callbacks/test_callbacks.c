/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* ctest: BY_HAND */
/*
 * The program's own code is never paused: not in any callback, whatever it does there. See callbacks.h.
 *
 * octuple_test_callbacks           tests all rows
 * octuple_test_callbacks NAME      one of them
 * octuple_test_callbacks --list    prints their names, and why some cannot be reached
 */
#include "callbacks.h"

#include <octuple/queue.h>
#include <signal.h>
#include <stdio.h>

#define CONNECTIONS 5
#define ROWS_MAX    256
#define SECONDS     90 /* until a row that hangs ends the test */

static const struct callback_table *const tables[] = {
    &callbacks_tls, &callbacks_sessions, &callbacks_secrets, &callbacks_x509,
    &callbacks_bio, &callbacks_objects,  &callbacks_nested,  &callbacks_unreached,
};
static const char *row_now;

static void hangs(int number)
{
    (void)number;
    if (write(2, row_now, strlen(row_now)) < 0 || write(2, ": hangs\n", 8) < 0)
        _exit(2);
    _exit(1);
}

static bool shim_is_on(void)
{
    const char *preload = getenv("LD_PRELOAD");
    return preload != NULL && strstr(preload, "octuple") != NULL;
}

static int (*drive_now)(struct pair *); /* the row's, or NULL */

static int take_turn(struct pair *p)
{
    callback_loop_goes_on();
    return drive_now != NULL ? drive_now(p) : SSL_do_handshake(p->server);
}

static void add_connection(struct world *w, const struct callback_row *row, SSL_CTX *own, SSL_CTX *peer,
                           SSL_SESSION *session)
{
    struct pair *p = world_add(w, own, w->events);
    p->drive = take_turn;
    SSL_free(p->client);
    p->client = SSL_new(peer);
    SSL_set_bio(p->client, BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
    if (row->flags & OWN_CONNECTS) {
        SSL_set_connect_state(p->server);
        SSL_set_accept_state(p->client);
    } else {
        SSL_set_connect_state(p->client);
    }
    if (row->flags & MUTUAL)
        SSL_set_verify(p->server, SSL_VERIFY_PEER, NULL);
    if (session != NULL)
        assert_int_equal(SSL_set_session(p->client, session), 1);
    if (row->ssl != NULL)
        row->ssl(p->server, p->client);
}

static void handshakes(struct world *w, const struct callback_row *row)
{
    if (row->flags & OWN_CONNECTS)
        for (int i = 0; i < w->pairs; i++)
            pair_server(&w->pair[i]);
    else
        world_hello(w);
    for (int i = 0; i < w->pairs; i++)
        pair_client(&w->pair[i]);
    world_run(w);
    for (int i = 0; i < w->pairs; i++)
        assert_true(w->pair[i].server_done && w->pair[i].client_done);
    world_exchange(w);
}

static bool resumes(const struct callback_row *row, int i, bool resumed)
{
    return resumed && ((row->flags & MIXED) == 0 || i >= 2);
}

/* So many connections at once; keeps the peers' sessions, or resumes those. */
static void round_of(const struct callback_row *row, SSL_CTX *own, SSL_CTX *peer, SSL_SESSION **sessions, bool resumed)
{
    struct world *w = world_open(EPOLLIN | EPOLLET, row->kind, 0);
    for (int i = 0; i < CONNECTIONS; i++)
        add_connection(w, row, own, peer, resumes(row, i, resumed) ? sessions[i] : NULL);
    handshakes(w, row);
    for (int i = 0; i < CONNECTIONS; i++) {
        const bool reused = resumes(row, i, resumed) || (row->flags & REUSED) != 0;
        assert_int_equal(SSL_session_reused(w->pair[i].server), reused);
        if (!resumed)
            sessions[i] = SSL_get1_session(w->pair[i].client);
        SSL_set_shutdown(w->pair[i].server, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
        SSL_set_shutdown(w->pair[i].client, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
    }
    assert_int_equal(oct_queue_waiting(oct_queue_thread_peek()), 0);
    world_close(w);
}

static void nothing_was_paused(const struct callback_row *row)
{
    const struct callback_tally *t = &callback_tally;
    assert_true(t->visits > 0);
    assert_int_equal(t->twice, 0);
    assert_int_equal(t->moved, 0);
    assert_int_equal(t->wrong, 0);
    assert_int_equal(t->left, 0);
    assert_int_equal(t->queued, 0);
    if (shim_is_on() && (row->flags & OWN_CONNECTS) == 0)
        assert_true(t->on_fibre > 0);
}

static void test_row(void **state)
{
    const struct callback_row *row = *state;
    SSL_SESSION *sessions[CONNECTIONS] = {NULL};
    SSL_CTX *own = callback_ctx(row->kind, row->flags, row->ciphers);
    SSL_CTX *peer = callback_ctx(row->kind, row->flags, row->ciphers);

    row_now = row->name;
    drive_now = row->drive;
    alarm(SECONDS);
    callback_forget();
    if (row->ctx != NULL)
        row->ctx(own, peer);
    round_of(row, own, peer, sessions, false);
    if (row->flags & RESUMES)
        round_of(row, own, peer, sessions, true);
    if (row->undo != NULL)
        row->undo();
    for (int i = 0; i < CONNECTIONS; i++)
        SSL_SESSION_free(sessions[i]);
    SSL_CTX_free(own);
    SSL_CTX_free(peer);
    alarm(0);
    nothing_was_paused(row);
}

/* Libssl's own operations still wait for each other. */
static void test_own_operations_are_paused(void **state)
{
    struct world *w = world_open(EPOLLIN | EPOLLET, TLS13, 5);
    (void)state;
    assert_int_equal(world_hello(w), shim_is_on() ? 4 : 0);
    world_run(w);
    world_exchange(w);
    world_close(w);
}

static void list(void)
{
    for (size_t t = 0; t < sizeof tables / sizeof tables[0]; t++)
        for (size_t i = 0; i < tables[t]->count; i++) {
            const struct callback_row *row = &tables[t]->rows[i];
            printf("%s%s%s\n", row->name, row->reason != NULL ? ": " : "", row->reason != NULL ? row->reason : "");
        }
}

static size_t collect(struct CMUnitTest *tests, const char *only)
{
    size_t n = 0;
    for (size_t t = 0; t < sizeof tables / sizeof tables[0]; t++)
        for (size_t i = 0; i < tables[t]->count; i++) {
            const struct callback_row *row = &tables[t]->rows[i];
            if (row->reason != NULL || (only != NULL && strcmp(only, row->name) != 0))
                continue;
            assert_true(n < ROWS_MAX);
            tests[n++] = (struct CMUnitTest){row->name, test_row, NULL, NULL, (void *)(uintptr_t)row};
        }
    return n;
}

int main(int count, char **arguments)
{
    static struct CMUnitTest tests[ROWS_MAX + 1] = {
        {"its own operations are paused", test_own_operations_are_paused, NULL, NULL, NULL}};
    const char *only = count > 1 ? arguments[1] : NULL;
    if (only != NULL && strcmp(only, "--list") == 0) {
        list();
        return 0;
    }
    world_start();
    callbacks_start();
    signal(SIGALRM, hangs);
    const size_t n = collect(tests + 1, only);
    const int failed = n == 0 ? 1 : _cmocka_run_group_tests("callbacks", tests, n + 1, NULL, NULL);
    callbacks_end();
    return failed;
}
