/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Helper threads: as many as the setting allows, made one by one as operations find none idle, in the process that
 * needs them. What finds none and may make none waits in line. A helper takes no signals, and holds no lock of the
 * shim's while a device works.
 *
 * A module that computes itself, as software tokens do, would take the processor from the server, whose thread is one
 * where there are many helpers. So these are nicer.
 *
 * In the child of a fork there are none, and nothing waits. A process that ends waits for those that are at work,
 * because what they work with is about to be taken apart.
 */
#include "keys/remote.h"

#include "events/events.h"
#include "libssl/errors.h"

#include "base/fork.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define STACK_BYTES (1024 * 1024)

static struct {
    struct oct_remote *first, **end; /* waiting in line */
    unsigned line, threads, idle, working, generation;
    bool ending, forks, watched;
} pool = {.end = &pool.first};

static void forked_child(void);
static struct oct_fork_lock lock = {.mutex = PTHREAD_MUTEX_INITIALIZER, .in_child = forked_child};
static pthread_cond_t come = PTHREAD_COND_INITIALIZER, gone = PTHREAD_COND_INITIALIZER;

static void *help(void *arg)
{
    (void)arg;
    if (oct_keys_settings.nice != 0)
        (void)setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + oct_keys_settings.nice); /* of this thread */
    oct_fork_lock(&lock);
    for (;;) {
        while (pool.first == NULL || pool.ending) {
            pool.idle++;
            pthread_cond_wait(&come, &lock.mutex);
            pool.idle--;
        }
        struct oct_remote *op = pool.first;
        pool.first = op->next;
        if (pool.first == NULL)
            pool.end = &pool.first;
        pool.line--;
        pool.working++;
        atomic_store(&op->state, OCT_REMOTE_RUNNING);
        oct_fork_unlock(&lock);

        const int64_t begun = oct_events_now();
        oct_ssl()->ERR_clear_error();
        (void)oct_ssl()->OSSL_LIB_CTX_set0_default(op->library);
        op->result = op->run(op);
        op->saved_errno = errno;
        op->took = (uint64_t)(oct_events_now() - begun);
        op->errors = oct_errors_take(); /* they become the handshake's */
        oct_watch_post(op);

        oct_fork_lock(&lock);
        pool.working--;
        pthread_cond_signal(&gone);
    }
    return NULL;
}

/* Signals that the program waits for are its own threads' business. */
static bool start_thread(void)
{
    pthread_attr_t attributes;
    sigset_t all, before;
    pthread_t thread;
    bool made = false;

    if (pthread_attr_init(&attributes) != 0)
        return false;
    sigfillset(&all);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    if (pthread_sigmask(SIG_SETMASK, &all, &before) == 0) {
        made = pthread_create(&thread, &attributes, help, NULL) == 0;
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    pthread_attr_destroy(&attributes);
    return made;
}

/* Runs before libcrypto's own, which was registered earlier. */
static void process_ends(int status)
{
    struct timespec until;
    bool hangs;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += oct_keys_settings.timeout / OCT_NANO + 1;
    oct_fork_lock(&lock);
    pool.ending = true;
    while (pool.working != 0 && pthread_cond_timedwait(&gone, &lock.mutex, &until) == 0)
        ;
    hangs = pool.working != 0;
    oct_fork_unlock(&lock);
    if (!hangs)
        return;
    fprintf(stderr, "octuple: a device hangs; the process ends without it\n");
    fflush(NULL);
    _exit(status); /* allow(_exit): the rest of exit() would take apart what the helper works with */
}

static void forked_child(void)
{
    static const pthread_cond_t fresh = PTHREAD_COND_INITIALIZER;
    pool.first = NULL;
    pool.end = &pool.first;
    pool.line = pool.threads = pool.idle = pool.working = 0;
    pool.generation++;
    memcpy(&come, &fresh, sizeof come);
    memcpy(&gone, &fresh, sizeof gone);
    oct_watch_forked();
}

/* A thread that ends takes its own lock (thread.c), which is watched later, and then this one. */
void oct_helpers_setup(void)
{
    pool.forks = oct_fork_lock_watch(&lock);
}

#if defined(__GLIBC__)
static void exits(int status, void *arg)
{
    (void)arg;
    process_ends(status);
}

static bool watch_exit(void)
{
    return on_exit(exits, NULL) == 0;
}
#else
/* musl does not say with which status. */
static void exits(void)
{
    process_ends(EXIT_FAILURE);
}

static bool watch_exit(void)
{
    return atexit(exits) == 0; /* allow(atexit): there is no other way to wait for helpers */
}
#endif

bool oct_helpers_submit(struct oct_remote *op)
{
    oct_fork_lock(&lock);
    if (!pool.watched)
        pool.watched = pool.forks && watch_exit();
    bool taken = pool.watched && !pool.ending;
    if (taken && pool.idle <= pool.line && pool.threads < oct_keys_settings.threads && start_thread())
        pool.threads++;
    taken = taken && pool.threads != 0;
    if (taken) {
        op->next = NULL;
        *pool.end = op;
        pool.end = &op->next;
        pool.line++;
        pthread_cond_signal(&come);
    }
    oct_fork_unlock(&lock);
    return taken;
}

bool oct_helpers_cancel(struct oct_remote *op)
{
    oct_fork_lock(&lock);
    const bool queued = atomic_load(&op->state) == OCT_REMOTE_QUEUED;
    for (struct oct_remote **link = &pool.first; queued && *link != NULL; link = &(*link)->next)
        if (*link == op) {
            *link = op->next;
            if (pool.end == &op->next)
                pool.end = link;
            pool.line--;
            break;
        }
    oct_fork_unlock(&lock);
    if (!queued)
        return false;
    op->failed = true;
    oct_watch_post(op);
    return true;
}

unsigned oct_helpers_generation(void)
{
    return pool.generation;
}
