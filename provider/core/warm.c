/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See warm.h. */
#include "warm.h"

#include "key.h"
#include "provider.h"

#include "base/call_scope.h"
#include "base/fork.h"

#include <errno.h>
#include <openssl/async.h>
#include <openssl/err.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

enum { NOBODY_ASKED, FOR_NOTHING, FOR_FIRST }; /* on a board: FOR_FIRST + op */

static struct oct_prov *provider; /* guarded by the lock */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* By op + 1: what this process, or one that it was forked from, has made ready. Nobody does it again: a parent that
 * writes to pages which its last child still shares has each of them copied. */
static atomic_bool ready[1 + OCT_OP_COUNT];
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* By op + 1: of which keys this process has some, since its last fork. */
static atomic_bool expected[1 + OCT_OP_COUNT], expects;

/* Keys that have put something off. A fork holds the lock, and who else does so takes no other. */
static pthread_mutex_t keys_lock = PTHREAD_MUTEX_INITIALIZER;
static struct oct_prov_key *keys; /* guarded by it */

/* Of the key's operation, and of what handshakes need besides. */
static void run_tests(struct oct_prov *prov, int op)
{
    (void)oct_op_is_on(op);
    for (int f = 0; f < OCT_FAMILIES; f++)
        for (const struct oct_warm *w = oct_prov_families[f]->warm; w != NULL && w->op >= 0; w++)
            if (prov->settings.on[w->turned_by])
                (void)oct_op_is_on(w->op);
}

/* False: there is no memory. */
static bool make_ready(struct oct_prov *prov, int op)
{
    const struct oct_fallback *fallback;

    run_tests(prov, op);
    fallback = oct_fallback_get(prov);
    if (fallback != NULL)
        oct_fallback_warm(fallback->ctx);
    if (prov->app != NULL)
        oct_fallback_warm(prov->app);
    return fallback != NULL;
}

static void make_ready_once(int op)
{
    if (!ready[1 + op])
        ready[1 + op] = make_ready(provider, op);
}

static void take_out(struct oct_prov_key *key)
{
    *key->off_link = key->off_next;
    if (key->off_next != NULL)
        key->off_next->off_link = key->off_link;
    key->off_link = NULL;
}

/* One that has put something off, with a reference; NULL: there is none. */
static struct oct_prov_key *next_key(void)
{
    pthread_mutex_lock(&keys_lock);
    struct oct_prov_key *key = keys;
    while (key != NULL && !oct_prov_key_try_up_ref(key))
        key = key->off_next;
    if (key != NULL)
        take_out(key);
    pthread_mutex_unlock(&keys_lock);
    return key;
}

static void make_keys(void)
{
    struct oct_prov_key *key;
    while ((key = next_key()) != NULL) {
        key->put_off(key);
        oct_prov_key_free(key);
    }
}

static void make_all(struct oct_fork_board *own)
{
    const int asked = own != NULL ? atomic_exchange(&own->asked, NOBODY_ASKED) : NOBODY_ASKED;
    if (asked != NOBODY_ASKED)
        make_ready_once(asked - FOR_FIRST);
    atomic_store(&expects, false);
    for (int i = 0; i <= OCT_OP_COUNT; i++)
        if (atomic_exchange(&expected[i], false))
            make_ready_once(i - 1);
    make_keys();
}

static bool is_due(const struct oct_fork_board *own)
{
    return atomic_load_explicit(&expects, memory_order_relaxed) ||
           (own != NULL && atomic_load_explicit(&own->asked, memory_order_relaxed) != NOBODY_ASKED);
}

/* Behind libcrypto's back: nothing of it may be seen by who forks. A fibre of OpenSSL's has no stack for it. In the
 * midst of a handshake call libcrypto may be in use, as where a handler of crashes forks: then the next fork does it.
 * Whoever takes the provider down now does not wait for long. */
static void prepare(void)
{
    const int errno_before = errno;
    struct oct_fork_board *own = oct_fork_board();

    if (!is_due(own) || ASYNC_get_current_job() != NULL || oct_call_scope_is_open() ||
        pthread_mutex_trylock(&lock) != 0)
        return;
    ERR_set_mark();
    if (provider != NULL)
        make_all(own);
    ERR_pop_to_mark();
    pthread_mutex_unlock(&lock);
    errno = errno_before;
}

static void before_fork(void)
{
    prepare();
    pthread_mutex_lock(&keys_lock);
}

static void in_parent(void)
{
    pthread_mutex_unlock(&keys_lock);
}

static void in_child(void)
{
    static const pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;
    memcpy(&lock, &fresh, sizeof lock); /* whose thread has not come along may have had it */
    pthread_mutex_unlock(&keys_lock);
}

static void begin(void)
{
    oct_fork_watch();
    pthread_atfork(before_fork, in_parent, in_child);
}

void oct_warm_begin(struct oct_prov *prov)
{
    pthread_once(&once, begin);
    pthread_mutex_lock(&lock);
    if (provider == NULL) {
        provider = prov;
        for (int i = 0; i <= OCT_OP_COUNT; i++)
            ready[i] = false;
    }
    pthread_mutex_unlock(&lock);
}

void oct_warm_end(struct oct_prov *prov)
{
    pthread_mutex_lock(&lock);
    if (provider == prov)
        provider = NULL;
    pthread_mutex_unlock(&lock);
}

void oct_warm_ask(int op)
{
    struct oct_fork_board *parents = oct_fork_parents_board();

    if (parents != NULL && !ready[1 + op])
        atomic_store_explicit(&parents->asked, FOR_FIRST + op, memory_order_relaxed);
    atomic_store(&expected[1 + op], true);
    atomic_store(&expects, true);
}

void oct_warm_put_off(struct oct_prov_key *key, void (*make)(void *key))
{
    pthread_mutex_lock(&keys_lock);
    key->put_off = make;
    if (key->off_link == NULL) {
        key->off_next = keys;
        key->off_link = &keys;
        if (keys != NULL)
            keys->off_link = &key->off_next;
        keys = key;
    }
    pthread_mutex_unlock(&keys_lock);
}

void oct_warm_forget(struct oct_prov_key *key)
{
    pthread_mutex_lock(&keys_lock);
    if (key->off_link != NULL)
        take_out(key);
    pthread_mutex_unlock(&keys_lock);
}
