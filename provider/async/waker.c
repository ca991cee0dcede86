/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See waker.h. */
#include "waker.h"

#include "base/fork.h"
#include "base/thread_mode.h"
#include "provider/core/key.h"

#include <errno.h>
#include <openssl/crypto.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/eventfd.h>
#include <unistd.h>

/*
 * Who frees a record. A wait context may be freed by another thread than the one in whose queue the job waits, while
 * that one runs it: then the last of the two frees the record, and they settle by one exchange who that is.
 *
 *     IDLE -> WAITING (begin) -> DONE (its job has run) -> IDLE (end)
 *                 '-> GONE (another thread has freed the context): who has run the job frees the record
 *
 * In every other state whoever frees the context frees the record. A queue goes with its thread, and runs nothing
 * any more: each thread has a list of the records that wait in its queue, and looks after them when it ends.
 */
enum { IDLE, WAITING, DONE, GONE };

struct oct_waker {
    atomic_int life;
    ASYNC_WAIT_CTX *ctx;
    int fd;              /* -1 if there is a callback */
    uint64_t generation; /* of the process: a forked child must not touch the eventfd that it shares with its parent */
    struct oct_queue *queue;
    struct oct_job *job;           /* NULL between operations */
    void *key[OCT_TASK_KEYS];      /* references while there is a job */
    struct waiting *list;          /* the one that it waits in, of the thread of its queue */
    struct oct_waker *prev, *next; /* there */
    int armed;                     /* the fibre is, or is about to be, paused */
    int shown;                     /* a fibre has paused with it, so the application has been told of the descriptor */
    int polled_by_others;
};

/* The records that wait in a thread's queue. Only that thread looks inside. */
struct waiting {
    struct oct_waker *first;
    uint64_t generation; /* a list of the parent's is an empty one */
    int will_end;        /* the thread will call thread_ends() */
};

static _Thread_local struct waiting mine;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t thread_end;
static int thread_end_known;

/* Its address names our entry among those of a wait context. */
static const char wait_key;

static void hold_all(struct oct_waker *wait, void *const key[OCT_TASK_KEYS])
{
    for (int i = 0; i < OCT_TASK_KEYS; i++) {
        wait->key[i] = key[i];
        oct_prov_key_up_ref(key[i]);
    }
}

static void release(struct oct_waker *wait)
{
    for (int i = 0; i < OCT_TASK_KEYS; i++) {
        oct_prov_key_free(wait->key[i]);
        wait->key[i] = NULL;
    }
}

static void free_record(struct oct_waker *wait)
{
    release(wait);
    OPENSSL_free(wait);
}

static void call_back(struct oct_waker *wait)
{
    ASYNC_WAIT_CTX *ctx = wait->ctx;
    ASYNC_callback_fn callback;
    void *arg;

    if (!ASYNC_WAIT_CTX_get_callback(ctx, &callback, &arg) || callback == NULL)
        return;
    ASYNC_WAIT_CTX_set_status(ctx, ASYNC_STATUS_OK);
    callback(arg);
}

static bool is_of_this_process(const struct oct_waker *wait)
{
    return wait->generation == oct_fork_generation();
}

static void list_add(struct oct_waker *wait)
{
    wait->list = &mine;
    wait->prev = NULL;
    wait->next = mine.first;
    if (mine.first != NULL)
        mine.first->prev = wait;
    mine.first = wait;
}

/* wait->list stays as it is: another thread may be asking for it. */
static void list_remove(struct oct_waker *wait)
{
    if (wait->prev != NULL)
        wait->prev->next = wait->next;
    else
        wait->list->first = wait->next;
    if (wait->next != NULL)
        wait->next->prev = wait->prev;
}

/* The queue may have gone before, and cancelled its jobs: cancelling asks the job first. */
static void thread_ends(void *list)
{
    (void)list;
    mine.will_end = 0;
    while (mine.generation == oct_fork_generation() && mine.first != NULL) {
        struct oct_waker *wait = mine.first;
        oct_queue_cancel(wait->queue, wait->job);
        list_remove(wait);
        if (atomic_exchange(&wait->life, DONE) == GONE)
            free_record(wait);
    }
}

static void make_thread_key(void)
{
    thread_end_known = pthread_key_create(&thread_end, thread_ends) == 0;
}

/* The list is ready for records of this process, and its thread will look after them. */
static int list_open(void)
{
    pthread_once(&once, make_thread_key);
    if (mine.generation != oct_fork_generation())
        mine.first = NULL;
    mine.generation = oct_fork_generation();
    if (thread_end_known && !mine.will_end)
        mine.will_end = pthread_setspecific(thread_end, &mine) == 0;
    return mine.will_end;
}

/*
 * The wait context goes. If a job still waits, its fibre will never run again (OpenSSL has no way to end one). A queue
 * may only be touched by its own thread: from another thread the job is left to run, into memory of the fibre that is
 * never freed either.
 */
static void cleanup(ASYNC_WAIT_CTX *ctx, const void *key, OSSL_ASYNC_FD fd, void *data)
{
    struct oct_waker *wait = data;
    int waiting = WAITING;

    (void)ctx, (void)key;
    if (fd >= 0)
        close(fd);
    if (is_of_this_process(wait) && atomic_load(&wait->life) == WAITING) {
        if (wait->list != &mine) {
            if (atomic_compare_exchange_strong(&wait->life, &waiting, GONE))
                return;
        } else {
            oct_queue_cancel(wait->queue, wait->job);
            list_remove(wait);
        }
    }
    free_record(wait);
}

/* Forgets the entry of a context that stays: after a fork, or when the application has set a callback meanwhile. */
static void discard(ASYNC_WAIT_CTX *ctx, struct oct_waker *wait)
{
    ASYNC_WAIT_CTX_clear_fd(ctx, &wait_key);
    if (wait->fd >= 0)
        close(wait->fd);
    free_record(wait);
}

static struct oct_waker *wait_new(ASYNC_WAIT_CTX *ctx, int with_fd)
{
    struct oct_waker *wait = OPENSSL_zalloc(sizeof *wait);

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
static struct oct_waker *wait_of(ASYNC_WAIT_CTX *ctx, int with_fd)
{
    struct oct_waker *wait = NULL;
    OSSL_ASYNC_FD fd;
    void *data;

    if (ASYNC_WAIT_CTX_get_fd(ctx, &wait_key, &fd, &data))
        wait = data;
    if (wait == NULL)
        return wait_new(ctx, with_fd);
    if (is_of_this_process(wait) && wait->job != NULL)
        return NULL;
    if (is_of_this_process(wait) && (wait->fd >= 0) == with_fd)
        return wait;
    discard(ctx, wait);
    return wait_new(ctx, with_fd);
}

struct oct_waker *oct_waker_begin(ASYNC_JOB *fibre, struct oct_queue *queue, struct oct_job *job,
                                  void *const key[OCT_TASK_KEYS])
{
    ASYNC_WAIT_CTX *ctx = ASYNC_get_wait_ctx(fibre);
    ASYNC_callback_fn callback = NULL;
    struct oct_waker *wait;
    void *arg;
    int with_fd, errno_before = errno;

    if (ctx == NULL || !list_open())
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
    wait->polled_by_others = !with_fd && oct_thread_mode(true) == OCT_THREAD_EVENT_LOOP;
    list_add(wait);
    atomic_store(&wait->life, WAITING);
    return wait;
}

void oct_waker_arm(struct oct_waker *wait)
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

bool oct_waker_should_poll(struct oct_waker *wait)
{
    return !wait->polled_by_others;
}

void oct_waker_end(struct oct_waker *wait)
{
    uint64_t count;
    int errno_before = errno;

    if (wait->armed && wait->fd >= 0 && is_of_this_process(wait)) {
        ssize_t got = read(wait->fd, &count, sizeof count);
        (void)got;
    }
    if (is_of_this_process(wait) && atomic_load(&wait->life) == WAITING)
        list_remove(wait); /* cancelled: else oct_waker_done() has done it */
    atomic_store(&wait->life, IDLE);
    wait->armed = 0;
    wait->job = NULL;
    release(wait);
    /* Applications learn of descriptors when a fibre pauses, and some take it that there are no others (HAProxy). */
    if (wait->fd >= 0 && !wait->shown)
        discard(wait->ctx, wait);
    errno = errno_before;
}

/* Once the life is DONE another thread may free the record. Not if there is somebody to tell: whoever polls for others
 * lets no other thread free their contexts. */
void oct_waker_done(struct oct_job *job)
{
    struct oct_waker *wait = job->arg;
    const int tell = wait->armed && wait->polled_by_others;
    int waiting = WAITING;

    list_remove(wait);
    if (!atomic_compare_exchange_strong(&wait->life, &waiting, DONE))
        free_record(wait);
    else if (tell)
        call_back(wait);
}
