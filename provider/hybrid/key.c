/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The key object, and how a client's is made. See hybrid.h. */
#include "hybrid.h"

#include "api/verdict.h"
#include "provider/async/pair.h"
#include "provider/async/task.h"
#include "provider/core/provider.h"

#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <string.h>

static void destroy(void *vkey)
{
    struct oct_prov_hybrid *key = vkey;

    OPENSSL_clear_free(key->dk, oct_mlkem_dk_bytes(key->group->set));
    EVP_PKEY_free(key->classic);
    OPENSSL_clear_free(key, sizeof *key);
}

struct oct_prov_hybrid *oct_prov_hybrid_new(struct oct_prov *prov, const struct oct_prov_group *group)
{
    struct oct_prov_hybrid *key = oct_prov_key_new(prov, sizeof *key, destroy);

    if (key != NULL)
        key->group = group;
    return key;
}

int oct_prov_hybrid_set_share(struct oct_prov_hybrid *key, const uint8_t *share, size_t len)
{
    const struct oct_prov_group *g = key->group;
    const struct oct_hybrid_parts at = oct_hybrid_split(g, oct_mlkem_ek_bytes(g->set), g->point);

    if (len != oct_hybrid_share_size(g))
        return OCT_RAISE(key->base.prov, OCT_REASON_INPUT_LENGTH);
    if (key->base.has_private || !oct_mlkem_ek_is_valid_var(g->set, share + at.kem) ||
        !oct_hybrid_fallback_is_point(key->base.prov, g, share + at.curve))
        return OCT_RAISE(key->base.prov, OCT_REASON_POINT);
    memcpy(key->share, share, len);
    key->base.has_public = 1;
    return 1;
}

/* ML-KEM's pair, in lanes with others'. */

static int keygen_fill(const struct oct_task *task, struct oct_job *job)
{
    struct oct_prov_hybrid *key = task->key[0];
    const struct oct_prov_group *g = key->group;
    const struct oct_hybrid_parts at = oct_hybrid_split(g, oct_mlkem_ek_bytes(g->set), g->point);

    job->mlkem_keygen = (struct oct_mlkem_keygen_lane){NULL, key->share + at.kem, key->dk};
    return 1;
}

static int keygen_fallback(const struct oct_task *task)
{
    struct oct_prov_hybrid *key = task->key[0];
    struct oct_job job;

    (void)keygen_fill(task, &job);
    return oct_mlkem_keygen_anywhere(key->group->set, &job.mlkem_keygen) == OCT_OK;
}

static const struct oct_task_type keygen_type = {keygen_fill, keygen_fallback, OCT_REASON_INTERNAL, OCT_WORK_EXCHANGE};

static int generate_kem(struct oct_prov_hybrid *key)
{
    const int set = key->group->set, op = oct_mlkem_keygen_op(set);
    const struct oct_task task = {.type = &keygen_type,
                                  .prov = key->base.prov,
                                  .op = op,
                                  .lane_key = oct_op_may_be_on(op),
                                  .lanes_only = true,
                                  .key = {key}};

    key->dk = OPENSSL_zalloc(oct_mlkem_dk_bytes(set));
    if (key->dk == NULL)
        return OCT_RAISE(key->base.prov, OCT_REASON_MEMORY);
    return oct_task_run(&task);
}

int oct_hybrid_take_pair(struct oct_prov *prov, const struct oct_prov_group *group, uint8_t *point,
                         uint8_t *private_key)
{
    const size_t prefix = group->point % 2;

    if (prefix != 0)
        point[0] = POINT_CONVERSION_UNCOMPRESSED;
    return oct_pair_take(prov, group->pair_op, point + prefix, private_key);
}

/* The curve's pair, from the pool or of OpenSSL's own. */
static int generate_curve(struct oct_prov_hybrid *key)
{
    const struct oct_prov_group *g = key->group;
    uint8_t *point = key->share + oct_hybrid_split(g, oct_mlkem_ek_bytes(g->set), g->point).curve;

    if (oct_hybrid_take_pair(key->base.prov, g, point, key->private_key))
        return 1;
    oct_counters_note_fallback(g->pair_op);
    key->classic = oct_hybrid_fallback_generate(key->base.prov, g);
    return key->classic != NULL && oct_hybrid_fallback_point(g, key->classic, point);
}

int oct_prov_hybrid_generate(struct oct_prov_hybrid *key)
{
    if (!generate_kem(key) || (key->group->algorithm != NULL && !generate_curve(key)))
        return 0;
    key->base.has_public = key->base.has_private = 1;
    return 1;
}
