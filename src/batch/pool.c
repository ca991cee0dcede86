/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
#include "batch/pool.h"

#include "api/verdict.h"
#include "base/base.h"
#include "base/fork.h"
#include "base/policy.h"
#include "base/spares.h"
#include "base/thread_mode.h"

#include <octuple/octuple.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

/* What pairs of a kind are. */
struct kind {
    int op;
    size_t private_size, public_size;
    void (*clamp)(uint8_t *private_key); /* brings random bytes into the form of a private key; NULL: they are one */
    void (*fill)(struct oct_job *job, const uint8_t *private_key, uint8_t *public_key);
};

/* RFC 7748, section 5: as OpenSSL stores the private keys that it makes. */
static void x25519_clamp(uint8_t *private_key)
{
    private_key[0] &= 0xf8;
    private_key[31] = (uint8_t)((private_key[31] & 0x7f) | 0x40);
}

static void x25519_fill(struct oct_job *job, const uint8_t *private_key, uint8_t *public_key)
{
    job->x25519 = (struct oct_x25519_lane){private_key, NULL, public_key};
}

static void ec_fill(struct oct_job *job, const uint8_t *private_key, uint8_t *public_key)
{
    job->ec_public = (struct oct_ec_public_lane){private_key, public_key};
}

static const struct kind kinds[] = {
    {OCT_OP_X25519_KEYGEN, OCT_X25519_BYTES, OCT_X25519_BYTES, x25519_clamp, x25519_fill},
    {OCT_OP_P256_KEYGEN, 32, 64, NULL, ec_fill},
    {OCT_OP_P384_KEYGEN, 48, 96, NULL, ec_fill},
    {OCT_OP_SM2_KEYGEN, 32, 64, NULL, ec_fill},
};
#define KINDS OCT_ARRAY_LEN(kinds)

/* All of it lies in wiped memory, so that a child finds `left` zero whatever forked it. The generation is checked as
 * well: nothing hangs on one of the two alone. */
struct pool {
    unsigned left;
    uint64_t generation;
    uint8_t private_key[OCT_LANES][OCT_EC_MAX_BYTES];
    uint8_t public_key[OCT_LANES][2 * OCT_EC_MAX_BYTES];
};

struct pools {
    struct pool of[KINDS];
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t thread_end;
static bool thread_end_known;
static _Thread_local struct pools *mine;
static struct oct_spares spares; /* those of threads that have ended, with the pairs that are left */

static void pools_free(struct pools *pools)
{
    oct_cleanse(pools, sizeof *pools);
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

/* A private key that is not 1 .. n-1 is invalid: then none of the eight is taken (on P-256 once in 2^29 times), and
 * those that are taken are even over the range. */
static bool make_public(const struct kind *kind, struct pool *pool)
{
    struct oct_queue *queue = oct_queue_thread();
    struct oct_job job[OCT_LANES], *list[OCT_LANES];
    bool ok = queue != NULL;

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

static bool refill(const struct kind *kind, struct pool *pool, oct_pool_draw *draw, void *arg)
{
    bool ok = draw(arg, pool->private_key[0], sizeof pool->private_key);
    for (int i = 0; ok && kind->clamp != NULL && i < OCT_LANES; i++)
        kind->clamp(pool->private_key[i]);
    if (!ok || !make_public(kind, pool)) {
        oct_cleanse(pool, sizeof *pool);
        return false;
    }
    pool->generation = oct_fork_generation();
    pool->left = OCT_LANES;
    return true;
}

/* The thread's pool with at least one pair in it, or NULL. */
static struct pool *filled_pool(const struct kind *kind, oct_pool_draw *draw, void *arg)
{
    if (mine == NULL)
        mine = pools_get();
    if (mine == NULL)
        return NULL;
    struct pool *pool = &mine->of[kind - kinds];
    if (pool->left > 0 && pool->generation == oct_fork_generation())
        return pool;
    oct_cleanse(pool, sizeof *pool);
    return refill(kind, pool, draw, arg) ? pool : NULL;
}

/* The first pairs of a process need not wait for known answers, which cost more than they would save. */
static bool is_early(const struct kind *kind)
{
    static atomic_uint asked[KINDS];
    return oct_op_verdict(kind->op) == OCT_VERDICT_UNTESTED && oct_thread_mode(true) != OCT_THREAD_EVENT_LOOP &&
           atomic_fetch_add_explicit(&asked[kind - kinds], 1, memory_order_relaxed) < OCT_POLICY_ASIDE;
}

bool oct_pool_take(int op, oct_pool_draw *draw, void *arg, uint8_t *public_key, uint8_t *private_key)
{
    const struct kind *kind = kinds;
    while (kind < kinds + KINDS && kind->op != op)
        kind++;
    if (kind == kinds + KINDS || is_early(kind) || !oct_op_is_on(op))
        return false;
    struct pool *pool = filled_pool(kind, draw, arg);
    if (pool == NULL)
        return false;
    const unsigned i = --pool->left;
    memcpy(public_key, pool->public_key[i], kind->public_size);
    memcpy(private_key, pool->private_key[i], kind->private_size);
    oct_cleanse(pool->private_key[i], sizeof pool->private_key[i]);
    oct_cleanse(pool->public_key[i], sizeof pool->public_key[i]);
    return true;
}

void oct_pool_clear(void)
{
    struct pools *spare;

    if (mine != NULL)
        oct_cleanse(mine, sizeof *mine);
    while ((spare = oct_spares_take(&spares)) != NULL)
        pools_free(spare);
}
