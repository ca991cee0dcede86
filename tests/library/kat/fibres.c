/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See fibres.h. */
#include "fibres.h"
#include "vectors.h"

#include <openssl/async.h>
#include <poll.h>

struct fibre {
    void (*function)(void *);
    void *arg;
};

static int enter(void *memory)
{
    const struct fibre *f = memory;
    f->function(f->arg);
    return 1;
}

/* A paused job has a wait fd, which is readable since the operation was queued. */
static void look_at_fd(ASYNC_WAIT_CTX *ctx, struct fibres_seen *seen)
{
    OSSL_ASYNC_FD fd[4];
    size_t count = 0;
    KAT_REQUIRE(ASYNC_WAIT_CTX_get_all_fds(ctx, NULL, &count));
    if (count != 1) {
        seen->fds_missing++;
        return;
    }
    KAT_REQUIRE(ASYNC_WAIT_CTX_get_all_fds(ctx, fd, &count));
    struct pollfd p = {.fd = fd[0], .events = POLLIN};
    if (poll(&p, 1, 0) != 1 || !(p.revents & POLLIN))
        seen->fds_unready++;
}

void fibres_run(void (*function)(void *), void *arg[], unsigned count, struct fibres_seen *seen)
{
    struct fibre fibre[FIBRES];
    ASYNC_JOB *job[FIBRES] = {0};
    ASYNC_WAIT_CTX *wait[FIBRES];
    int ended[FIBRES] = {0};
    unsigned left = count;
    KAT_REQUIRE(count <= FIBRES);
    for (unsigned i = 0; i < count; i++) {
        fibre[i] = (struct fibre){function, arg[i]};
        wait[i] = ASYNC_WAIT_CTX_new();
        KAT_REQUIRE(wait[i]);
    }
    for (unsigned turn = 0; left > 0; turn++) {
        KAT_REQUIRE(turn < 1000);
        for (unsigned i = 0; i < count; i++) {
            int result = 0;
            if (ended[i])
                continue;
            const int status = ASYNC_start_job(&job[i], wait[i], &result, enter, &fibre[i], sizeof fibre[i]);
            KAT_REQUIRE(status == ASYNC_PAUSE || status == ASYNC_FINISH);
            if (status == ASYNC_FINISH) {
                KAT_REQUIRE(result == 1);
                ended[i] = 1;
                left--;
                continue;
            }
            seen->pauses += turn == 0;
            look_at_fd(wait[i], seen);
        }
    }
    for (unsigned i = 0; i < count; i++)
        ASYNC_WAIT_CTX_free(wait[i]);
}
