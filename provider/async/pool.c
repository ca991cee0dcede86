/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See pool.h. */
#include "pool.h"

#include "aside.h"
#include "api/verdict.h"
#include "base/fork.h"
#include "base/policy.h"
#include "base/spares.h"
#include "base/thread_mode.h"
#include "provider/core/provider.h"

#include <openssl/err.h>
#include <openssl/rand.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

/* All of it lies in wiped memory, so that a child finds `left` zero whatever forked it. The generation is checked as
 * well: nothing hangs on one of the two alone. */
struct pool {
    unsigned left;
    uint64_t generation;
    uint8_t private_key[OCT_LANES][OCT_EC_MAX_BYTES];
    uint8_t public_key[OCT_LANES][2 * OCT_EC_MAX_BYTES];
};

struct pools {
    struct pool of[OCT_POOLS];
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t thread_end;
static int thread_end_known;
static _Thread_local struct pools *mine;
static struct oct_spares spares; /* those of threads that have ended, with the pairs that are left */

static void pools_free(struct pools *pools)
{
    OPENSSL_cleanse(pools, sizeof *pools);
    munmap(pools, sizeof *pools);
}

static void pools_end(void *memory)
{
    mine = NULL;
    if (!oct_spares_leave(&spares, memory))
        pools_free(memory);
}

static void make_thread_key(void)
{
    thread_end_known = pthread_key_create(&thread_end, pools_end) == 0;
}

static struct pools *pools_map(void)
{
    struct pools *pools = mmap(NULL, sizeof *pools, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (pools == MAP_FAILED)
        return NULL;
    if (madvise(pools, sizeof *pools, MADV_WIPEONFORK) == 0 && madvise(pools, sizeof *pools, MADV_DONTDUMP) == 0)
        return pools;
    munmap(pools, sizeof *pools);
    return NULL;
}

static struct pools *pools_get(void)
{
    struct pools *pools;

    pthread_once(&once, make_thread_key);
    if (!thread_end_known)
        return NULL;
    pools = oct_spares_take(&spares);
    if (pools == NULL)
        pools = pools_map();
    if (pools == NULL || pthread_setspecific(thread_end, pools) == 0)
        return pools;
    pools_free(pools);
    return NULL;
}

static int draw(struct oct_prov *prov, const struct oct_pool_kind *kind, struct pool *pool)
{
    OSSL_LIB_CTX *libctx = oct_app_ctx(prov);

    if (libctx == NULL || RAND_priv_bytes_ex(libctx, pool->private_key[0], sizeof pool->private_key, 0) <= 0)
        return 0;
    for (int i = 0; kind->clamp != NULL && i < OCT_LANES; i++)
        kind->clamp(pool->private_key[i]);
    return 1;
}

/* A private key that is not 1 .. n-1 is invalid: then none of the eight is taken (on P-256 once in 2^29 times), and
 * those that are taken are even over the range. */
static int make_public(const struct oct_pool_kind *kind, struct pool *pool)
{
    struct oct_queue *queue = oct_queue_thread();
    struct oct_job job[OCT_LANES], *list[OCT_LANES];
    int ok = queue != NULL;

    memset(job, 0, sizeof job);
    for (int i = 0; i < OCT_LANES; i++) {
        job[i].op = kind->op;
        kind->fill(&job[i], pool->private_key[i], pool->public_key[i]);
        list[i] = &job[i];
    }
    ok = ok && oct_queue_run_now(queue, list, OCT_LANES) == OCT_OK;
    for (int i = 0; i < OCT_LANES; i++)
        ok = ok && job[i].status == OCT_OK;
    return ok;
}

static int refill(struct oct_prov *prov, const struct oct_pool_kind *kind, struct pool *pool)
{
    if (!draw(prov, kind, pool) || !make_public(kind, pool)) {
        OPENSSL_cleanse(pool, sizeof *pool);
        return 0;
    }
    pool->generation = oct_fork_generation();
    pool->left = OCT_LANES;
    return 1;
}

/* The thread's pool with at least one pair in it, or NULL. */
static struct pool *filled_pool(struct oct_prov *prov, const struct oct_pool_kind *kind)
{
    struct pool *pool;
    int ok;

    if (mine == NULL)
        mine = pools_get();
    if (mine == NULL)
        return NULL;
    pool = &mine->of[kind->id];
    if (pool->left > 0 && pool->generation == oct_fork_generation())
        return pool;
    OPENSSL_cleanse(pool, sizeof *pool);
    ERR_set_mark();
    ok = refill(prov, kind, pool);
    ERR_pop_to_mark();
    return ok ? pool : NULL;
}

/* The first pairs of a process need not wait for known answers, which cost more than they would save. */
static bool is_early(const struct oct_pool_kind *kind)
{
    static atomic_uint asked[OCT_POOLS];
    return oct_op_verdict(kind->op) == OCT_VERDICT_UNTESTED && oct_thread_mode(true) != OCT_THREAD_EVENT_LOOP &&
           atomic_fetch_add_explicit(&asked[kind->id], 1, memory_order_relaxed) < OCT_POLICY_ASIDE;
}

int oct_pool_take(struct oct_prov *prov, const struct oct_pool_kind *kind, uint8_t *public_key, uint8_t *private_key)
{
    struct pool *pool;
    unsigned i;

    if (oct_aside_take() || !prov->settings.on[OCT_PROV_SWITCH_pools] || is_early(kind) || !oct_op_is_on(kind->op))
        return 0;
    pool = filled_pool(prov, kind);
    if (pool == NULL)
        return 0;
    i = --pool->left;
    memcpy(public_key, pool->public_key[i], kind->public_size);
    memcpy(private_key, pool->private_key[i], kind->private_size);
    OPENSSL_cleanse(pool->private_key[i], sizeof pool->private_key[i]);
    OPENSSL_cleanse(pool->public_key[i], sizeof pool->public_key[i]);
    return 1;
}

void oct_pool_clear(void)
{
    struct pools *spare;

    if (mine != NULL)
        OPENSSL_cleanse(mine, sizeof *mine);
    while ((spare = oct_spares_take(&spares)) != NULL)
        pools_free(spare);
}
