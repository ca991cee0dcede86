/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See wait.h. */
#include "wait.h"

#include "fork.h"
#include "key.h"

#include <errno.h>
#include <openssl/crypto.h>
#include <stdatomic.h>
#include <sys/eventfd.h>
#include <unistd.h>

struct oct_wait {
    _Atomic(ASYNC_WAIT_CTX *) ctx; /* NULL once the context is gone */
    int fd;                        /* -1 if there is a callback */
    unsigned generation; /* of the process: a forked child must not touch the eventfd that it shares with its parent */
    struct oct_queue *queue;
    struct oct_job *job;      /* NULL between operations */
    void *key[OCT_TASK_KEYS]; /* references while there is a job */
    int armed;                /* the fibre is, or is about to be, paused */
    int shown;                /* a fibre has paused with it, so the application has been told of the descriptor */
    int polled_by_others;
};

/* Its address names our entry among those of a wait context. */
static const char wait_key;

static void hold_all(struct oct_wait *wait, void *const key[OCT_TASK_KEYS])
{
    for (int i = 0; i < OCT_TASK_KEYS; i++) {
        wait->key[i] = key[i];
        oct_prov_key_up_ref(key[i]);
    }
}

static void release(struct oct_wait *wait)
{
    for (int i = 0; i < OCT_TASK_KEYS; i++) {
        oct_prov_key_free(wait->key[i]);
        wait->key[i] = NULL;
    }
}

static void call_back(struct oct_wait *wait)
{
    ASYNC_WAIT_CTX *ctx = wait->ctx;
    ASYNC_callback_fn callback;
    void *arg;

    if (ctx == NULL || !ASYNC_WAIT_CTX_get_callback(ctx, &callback, &arg) || callback == NULL)
        return;
    ASYNC_WAIT_CTX_set_status(ctx, ASYNC_STATUS_OK);
    callback(arg);
}

/*
 * The wait context goes. If a job still waits, its fibre will never run again (OpenSSL has no way to end one). A queue
 * may only be touched by its own thread: from another thread the job is left to run, into memory of the fibre that is
 * never freed either, and its callback, finding nobody there, frees the record.
 */
static void cleanup(ASYNC_WAIT_CTX *ctx, const void *key, OSSL_ASYNC_FD fd, void *data)
{
    struct oct_wait *wait = data;

    (void)ctx, (void)key;
    if (fd >= 0)
        close(fd);
    wait->ctx = NULL;
    if (wait->job != NULL && wait->job->state == OCT_JOB_WAITING && wait->generation == oct_fork_generation()) {
        if (wait->queue != oct_queue_thread_peek())
            return;
        oct_queue_cancel(wait->queue, wait->job);
    }
    release(wait);
    OPENSSL_free(wait);
}

/* Forgets the entry of a context that stays: after a fork, or when the application has set a callback meanwhile. */
static void discard(ASYNC_WAIT_CTX *ctx, struct oct_wait *wait)
{
    ASYNC_WAIT_CTX_clear_fd(ctx, &wait_key);
    if (wait->fd >= 0)
        close(wait->fd);
    release(wait);
    OPENSSL_free(wait);
}

static struct oct_wait *wait_new(ASYNC_WAIT_CTX *ctx, int with_fd)
{
    struct oct_wait *wait = OPENSSL_zalloc(sizeof *wait);

    if (wait == NULL)
        return NULL;
    wait->ctx = ctx;
    wait->generation = oct_fork_generation();
    wait->fd = with_fd ? eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK) : -1;
    if ((!with_fd || wait->fd >= 0) && ASYNC_WAIT_CTX_set_wait_fd(ctx, &wait_key, wait->fd, wait, cleanup))
        return wait;
    if (wait->fd >= 0)
        close(wait->fd);
    OPENSSL_free(wait);
    return NULL;
}

/* The context's record, made or made anew if need be; NULL if it is busy or cannot be made. */
static struct oct_wait *wait_of(ASYNC_WAIT_CTX *ctx, int with_fd)
{
    struct oct_wait *wait = NULL;
    OSSL_ASYNC_FD fd;
    void *data;

    if (ASYNC_WAIT_CTX_get_fd(ctx, &wait_key, &fd, &data))
        wait = data;
    if (wait == NULL)
        return wait_new(ctx, with_fd);
    if (wait->generation == oct_fork_generation() && wait->job != NULL)
        return NULL;
    if (wait->generation == oct_fork_generation() && (wait->fd >= 0) == with_fd)
        return wait;
    discard(ctx, wait);
    return wait_new(ctx, with_fd);
}

struct oct_wait *oct_wait_begin(ASYNC_JOB *fibre, struct oct_queue *queue, struct oct_job *job,
                                void *const key[OCT_TASK_KEYS])
{
    ASYNC_WAIT_CTX *ctx = ASYNC_get_wait_ctx(fibre);
    ASYNC_callback_fn callback = NULL;
    struct oct_wait *wait;
    void *arg;
    int with_fd, errno_before = errno;

    if (ctx == NULL)
        return NULL;
    with_fd = !ASYNC_WAIT_CTX_get_callback(ctx, &callback, &arg) || callback == NULL;
    wait = wait_of(ctx, with_fd);
    errno = errno_before;
    if (wait == NULL)
        return NULL;
    wait->queue = queue;
    wait->job = job;
    hold_all(wait, key);
    wait->armed = 0;
    wait->polled_by_others = !with_fd && oct_queue_company(queue) > 1;
    return wait;
}

void oct_wait_arm(struct oct_wait *wait)
{
    const uint64_t one = 1;
    int errno_before = errno;

    wait->armed = wait->shown = 1;
    if (wait->fd >= 0) {
        ssize_t written = write(wait->fd, &one, sizeof one);
        (void)written; /* EAGAIN alone is possible, and means that it is readable already */
    } else if (!wait->polled_by_others) {
        call_back(wait);
    }
    errno = errno_before;
}

int oct_wait_should_poll(struct oct_wait *wait)
{
    return !wait->polled_by_others;
}

void oct_wait_end(struct oct_wait *wait)
{
    uint64_t count;
    int errno_before = errno;

    if (wait->armed && wait->fd >= 0 && wait->generation == oct_fork_generation()) {
        ssize_t got = read(wait->fd, &count, sizeof count);
        (void)got;
    }
    wait->armed = 0;
    wait->job = NULL;
    release(wait);
    /* Applications learn of descriptors when a fibre pauses, and some take it that there are no others (HAProxy). */
    if (wait->fd >= 0 && !wait->shown)
        discard(wait->ctx, wait);
    errno = errno_before;
}

void oct_wait_done(struct oct_job *job)
{
    struct oct_wait *wait = job->arg;

    if (wait->ctx == NULL) {
        release(wait);
        OPENSSL_free(wait);
        return;
    }
    if (wait->armed && wait->polled_by_others)
        call_back(wait);
}
