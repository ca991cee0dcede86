/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See warm.h. */
#include "warm.h"

#include "provider.h"

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

void oct_warm_tests(struct oct_prov *prov, int op)
{
    const struct oct_settings *settings = &prov->settings;

    (void)oct_op_is_on(op);
    for (int f = 0; f < OCT_FAMILIES; f++)
        for (const struct oct_warm *w = oct_prov_families[f]->warm; w != NULL && w->op >= 0; w++)
            if (oct_settings_has(settings, f, w->switches))
                (void)oct_op_is_on(w->op);
}

/* Behind libcrypto's back: nothing of it may be seen by who forks. */
static void make_ready(struct oct_prov *prov, int op)
{
    const int errno_before = errno;
    const struct oct_fallback *fallback;

    ERR_set_mark();
    oct_warm_tests(prov, op);
    fallback = oct_fallback_get(prov);
    if (fallback != NULL)
        oct_fallback_warm(fallback->ctx);
    if (prov->app != NULL)
        oct_fallback_warm(prov->app);
    ERR_pop_to_mark();
    errno = errno_before;
}

/* A fibre of OpenSSL's has no stack for it. Whoever takes the provider down now does not wait for long. */
static void before_fork(void)
{
    struct oct_fork_board *own = oct_fork_board();

    if (own == NULL || atomic_load_explicit(&own->asked, memory_order_relaxed) == NOBODY_ASKED ||
        ASYNC_get_current_job() != NULL || pthread_mutex_trylock(&lock) != 0)
        return;
    if (provider != NULL) {
        const int op = atomic_exchange(&own->asked, NOBODY_ASKED) - FOR_FIRST;
        if (!ready[1 + op])
            make_ready(provider, op);
        ready[1 + op] = true;
    }
    pthread_mutex_unlock(&lock);
}

static void in_child(void)
{
    static const pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;
    memcpy(&lock, &fresh, sizeof lock); /* whose thread has not come along may have had it */
}

static void begin(void)
{
    oct_fork_watch();
    pthread_atfork(before_fork, NULL, in_child);
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
}
