/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Operations of providers and engines that pause by themselves, as those of accelerator cards do. Such a provider asks
 * libcrypto for the asynchronous job that it runs in, names a descriptor to wait for, and pauses the job. So the one
 * operation runs in a job, inside the slice of its handshake; where it pauses, the slice does. The rest of the
 * handshake is in no job.
 *
 * The thread watches the descriptors beside the server's own epoll instance, in an instance of their own, and goes on
 * with a job from there, whoever its connection belongs to by then: the slice is only told when the job is over.
 * Callbacks are not offered to the provider: every one knows descriptors, and no thread of its own then comes here.
 */
#include "keys/tally.h"

#include "events/events.h"
#include "libssl/errors.h"
#include "handshake/sanitize.h"
#include "handshake/thread.h"

#include "base/policy.h"

#include <errno.h>
#include <stdlib.h>

#define FDS_MAX    8
#define EVENTS_MAX 64

/* One job. Its wait context is used again, with the descriptors in it. */
struct oct_pausing {
    struct oct_pausing *next, **link; /* in flight; spare */
    struct oct_remote *op;
    ASYNC_JOB *job;
    ASYNC_WAIT_CTX *wait;
    OSSL_ASYNC_FD fds[FDS_MAX];
    size_t fd_count; /* 0: it has named none, and is asked again and again */
    int64_t look;    /* then, when */
    bool due;
    struct oct_sanitizer sanitizer;
};

/* Of a thread. */
struct oct_pausings {
    struct oct_pausing *in_flight, *spare;
    int epfd;
    unsigned blind; /* of those in flight, how many have named no descriptor */
};

static struct oct_pausing *take_spare(struct oct_pausings *all)
{
    struct oct_pausing *p = all->spare;
    if (p != NULL) {
        all->spare = p->next;
        return p;
    }
    p = calloc(1, sizeof *p);
    if (p != NULL && (p->wait = oct_keys_functions.ASYNC_WAIT_CTX_new()) != NULL)
        return p;
    free(p);
    return NULL;
}

static void give_back(struct oct_pausings *all, struct oct_pausing *p)
{
    p->op = NULL;
    p->job = NULL;
    p->fd_count = 0;
    p->next = all->spare;
    all->spare = p;
}

static int run_operation(void *arg)
{
    struct oct_remote *op = *(struct oct_remote **)arg;
    return op->run(op);
}

/* The stack of a new job is one of the shim's: not every provider that is tried in one knows of 32 KB. */
static int turn(struct oct_thread *t, struct oct_pausing *p)
{
    struct oct_remote *op = p->op;
    if (p->job == NULL && !oct_job_stack_prepare(t))
        return ASYNC_NO_JOBS;
    t->makes_job = true;
    oct_sanitizer_go_in(&p->sanitizer);
    const int said = oct_keys_functions.ASYNC_start_job(&p->job, p->wait, &op->result, run_operation, &op,
                                                        sizeof(struct oct_remote *));
    oct_sanitizer_go_out(&p->sanitizer);
    t->makes_job = false;
    op->saved_errno = errno;
    return said;
}

static void watch_job(struct oct_pausings *all, struct oct_pausing *p)
{
    const struct oct_keys_functions *f = &oct_keys_functions;
    const struct oct_libc_functions *libc = oct_libc();
    size_t n = 0, watched = 0;

    p->due = false;
    if (!f->ASYNC_WAIT_CTX_get_all_fds(p->wait, NULL, &n) || n > FDS_MAX ||
        !f->ASYNC_WAIT_CTX_get_all_fds(p->wait, p->fds, &n))
        n = 0;
    for (; watched < n; watched++) {
        /* Each event comes once, and one that is there already comes too. */
        struct epoll_event event = {.events = EPOLLIN | EPOLLONESHOT, .data.fd = p->fds[watched]};
        if (libc->epoll_ctl(all->epfd, EPOLL_CTL_MOD, p->fds[watched], &event) != 0 &&
            (errno != ENOENT || libc->epoll_ctl(all->epfd, EPOLL_CTL_ADD, p->fds[watched], &event) != 0))
            break;
    }
    p->fd_count = watched == n ? n : 0;
    all->blind += p->fd_count == 0;
    p->look = oct_events_now() + OCT_POLICY_FOREIGN_WAIT * (OCT_NANO / 1000);
}

static void delist(struct oct_pausing *p)
{
    *p->link = p->next;
    if (p->next != NULL)
        p->next->link = p->link;
}

enum oct_pausing_state oct_pausing_start(struct oct_thread *t, struct oct_remote *op)
{
    struct oct_pausings *all = t->pausings;

    if (all == NULL && (all = calloc(1, sizeof *all)) != NULL && (all->epfd = epoll_create1(EPOLL_CLOEXEC)) < 0) {
        free(all);
        all = NULL;
    }
    t->pausings = all;
    struct oct_pausing *p = all != NULL ? take_spare(all) : NULL;
    if (p == NULL)
        return OCT_PAUSING_IMPOSSIBLE;
    p->op = op;
    const int said = turn(t, p);
    if (said == ASYNC_PAUSE) {
        op->pausing = p;
        atomic_store(&op->state, OCT_REMOTE_RUNNING);
        p->next = all->in_flight;
        p->link = &all->in_flight;
        if (p->next != NULL)
            p->next->link = &p->next;
        all->in_flight = p;
        watch_job(all, p);
        return OCT_PAUSING_PAUSED;
    }
    give_back(all, p);
    return said == ASYNC_FINISH ? OCT_PAUSING_FINISHED : OCT_PAUSING_IMPOSSIBLE;
}

/* What the thread has beside its stack and belongs to the handshake goes with the job. */
static void go_on(struct oct_thread *t, struct oct_pausing *p)
{
    const struct oct_ssl_functions *ssl = oct_ssl();
    struct oct_pausings *all = t->pausings;
    struct oct_remote *op = p->op;

    all->blind -= p->fd_count == 0;
    const int errno_before = errno;
    struct oct_errors *outer = oct_errors_take();
    OSSL_LIB_CTX *before = ssl->OSSL_LIB_CTX_set0_default(op->library);
    oct_errors_give_back(op->errors);
    const int said = turn(t, p);
    op->errors = oct_errors_take();
    (void)ssl->OSSL_LIB_CTX_set0_default(before);
    oct_errors_give_back(outer);
    errno = errno_before;
    if (said == ASYNC_PAUSE) {
        watch_job(all, p);
        return;
    }
    op->failed = said != ASYNC_FINISH;
    op->took = (uint64_t)(oct_events_now() - op->begun);
    oct_tally_paused(op);
    op->pausing = NULL;
    delist(p);
    give_back(all, p);
    atomic_store(&op->state, OCT_REMOTE_DONE);
    oct_watch_done(op);
}

void oct_pausing_collect(struct oct_thread *t)
{
    struct oct_pausings *all = t->pausings;
    struct epoll_event events[EVENTS_MAX];

    if (all == NULL || all->in_flight == NULL)
        return;
    const int n = oct_libc()->epoll_wait(all->epfd, events, EVENTS_MAX, 0);
    for (struct oct_pausing *p = all->in_flight; p != NULL; p = p->next)
        for (size_t k = 0; k < p->fd_count; k++)
            for (int i = 0; i < n; i++)
                p->due = p->due || p->fds[k] == events[i].data.fd;
    const int64_t now = all->blind != 0 ? oct_events_now() : 0;
    for (struct oct_pausing *p = all->in_flight, *next; p != NULL; p = next) {
        next = p->next;
        if (p->due || (p->fd_count == 0 && p->look <= now))
            go_on(t, p);
    }
}

int oct_pausing_fd(const struct oct_thread *t)
{
    return t->pausings != NULL && t->pausings->in_flight != NULL ? t->pausings->epfd : -1;
}

int64_t oct_pausing_due(const struct oct_thread *t)
{
    return t->pausings != NULL && t->pausings->blind != 0
               ? oct_events_now() + OCT_POLICY_FOREIGN_WAIT * (OCT_NANO / 1000)
               : INT64_MAX;
}

/* The device may still write where the job has its memory, so that stays, and the job with it. */
void oct_pausing_lose(struct oct_thread *t, struct oct_remote *op)
{
    struct oct_pausing *p = op->pausing;
    if (p == NULL)
        return;
    t->pausings->blind -= p->fd_count == 0;
    delist(p);
    op->pausing = NULL;
}

void oct_pausing_end(struct oct_thread *t)
{
    struct oct_pausings *all = t->pausings;

    t->pausings = NULL;
    if (all == NULL)
        return;
    while (all->spare != NULL) {
        struct oct_pausing *p = all->spare;
        all->spare = p->next;
        oct_keys_functions.ASYNC_WAIT_CTX_free(p->wait);
        oct_sanitizer_end(&p->sanitizer);
        free(p);
    }
    (void)oct_libc()->close(all->epfd);
    free(all);
}

/* The parent's jobs are the parent's devices' too. */
void oct_pausing_forked(struct oct_thread *t)
{
    if (t->pausings != NULL)
        (void)oct_libc()->close(t->pausings->epfd);
    t->pausings = NULL;
}
