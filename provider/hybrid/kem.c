/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The groups as key encapsulation, as libssl uses them: a server encapsulates to the client's share, a client
 * decapsulates what comes back. ML-KEM and the curve are one operation of the queue, so that a handshake pauses once.
 */
#include "hybrid.h"

#include "api/verdict.h"
#include "provider/async/task.h"
#include "provider/core/dispatch.h"
#include "provider/core/provider.h"

#include <openssl/crypto.h>
#include <stdbool.h>
#include <string.h>

struct kem {
    struct oct_prov *prov;
    struct oct_prov_hybrid *key;
};

static void *kem_new(void *provctx)
{
    struct kem *kem = OPENSSL_zalloc(sizeof *kem);

    if (kem == NULL)
        OCT_RAISE(provctx, OCT_REASON_MEMORY);
    else
        kem->prov = provctx;
    return kem;
}

static void kem_free(void *vkem)
{
    struct kem *kem = vkem;

    if (kem == NULL)
        return;
    oct_prov_key_free(kem->key);
    OPENSSL_free(kem);
}

static void *kem_dup(void *vkem)
{
    const struct kem *kem = vkem;
    struct kem *copy = OPENSSL_memdup(kem, sizeof *kem);

    if (copy != NULL)
        oct_prov_key_up_ref(copy->key);
    return copy;
}

static int kem_init(void *vkem, void *key, const OSSL_PARAM params[])
{
    struct kem *kem = vkem;

    (void)params;
    if (kem == NULL || key == NULL)
        return 0;
    oct_prov_key_replace((void **)&kem->key, key);
    return 1;
}

/* One side's operation. The buffers are libssl's, on the heap. */
struct operation {
    struct oct_task task;
    const struct oct_prov_hybrid *key;
    uint8_t *out;      /* a server's: its share */
    const uint8_t *in; /* a client's: the server's share */
    uint8_t *secret;
    bool has_pair; /* of a server; the pair is here */
    uint8_t private_key[OCT_HYBRID_MAX_PRIVATE], point[1 + OCT_HYBRID_MAX_PUBLIC];
};

/* --- servers */

static int server_fill(const struct oct_task *task, struct oct_job *job)
{
    struct operation *o = (struct operation *)task;
    const struct oct_prov_group *g = o->key->group;

    if (g->algorithm == NULL) {
        job->mlkem_encaps = (struct oct_mlkem_encaps_lane){o->key->share, NULL, o->out, o->secret};
        return 1;
    }
    o->has_pair = oct_hybrid_take_pair(task->prov, g, o->point, o->private_key);
    job->hybrid_server =
        (struct oct_hybrid_server_lane){o->key->share, o->private_key, o->point + g->point % 2, o->out, o->secret};
    return o->has_pair;
}

/* The pair is that which was taken for lanes, or one of OpenSSL's own where lanes were not to run. */
static int server_curve(const struct operation *o, const uint8_t *peer, uint8_t *point, uint8_t *secret)
{
    struct oct_prov *prov = o->task.prov;
    const struct oct_prov_group *g = o->key->group;
    EVP_PKEY *own = o->has_pair ? oct_hybrid_fallback_import(prov, g, o->private_key, o->point)
                                : oct_hybrid_fallback_generate(prov, g);
    const int ok = own != NULL && oct_hybrid_fallback_point(g, own, point) &&
                   oct_hybrid_fallback_derive(prov, g, own, peer, secret);

    EVP_PKEY_free(own);
    return ok;
}

static int server_fallback(const struct oct_task *task)
{
    const struct operation *o = (const struct operation *)task;
    const struct oct_prov_group *g = o->key->group;
    const struct oct_hybrid_parts share = oct_hybrid_split(g, oct_mlkem_ek_bytes(g->set), g->point),
                                  reply = oct_hybrid_split(g, oct_mlkem_ct_bytes(g->set), g->point),
                                  secret = oct_hybrid_split(g, OCT_MLKEM_SECRET_BYTES, g->number);
    const struct oct_mlkem_encaps_lane lane = {o->key->share + share.kem, NULL, o->out + reply.kem,
                                               o->secret + secret.kem};

    if (oct_mlkem_encaps_anywhere(g->set, &lane) != OCT_OK)
        return OCT_RAISE(task->prov, OCT_REASON_INTERNAL);
    return g->algorithm == NULL ||
           server_curve(o, o->key->share + share.curve, o->out + reply.curve, o->secret + secret.curve);
}

/* --- clients */

static int client_fill(const struct oct_task *task, struct oct_job *job)
{
    const struct operation *o = (const struct operation *)task;

    if (o->key->group->algorithm == NULL) {
        job->mlkem_decaps = (struct oct_mlkem_decaps_lane){o->key->dk, o->in, o->secret};
        return 1;
    }
    job->hybrid_client = (struct oct_hybrid_client_lane){o->key->dk, o->key->private_key, o->in, o->secret};
    return o->key->classic == NULL;
}

static int client_curve(const struct operation *o, const uint8_t *peer, uint8_t *secret)
{
    struct oct_prov *prov = o->task.prov;
    const struct oct_prov_group *g = o->key->group;
    const uint8_t *point = o->key->share + oct_hybrid_split(g, oct_mlkem_ek_bytes(g->set), g->point).curve;
    EVP_PKEY *own = o->key->classic, *made = NULL;
    int ok;

    if (own == NULL)
        own = made = oct_hybrid_fallback_import(prov, g, o->key->private_key, point);
    ok = own != NULL && oct_hybrid_fallback_derive(prov, g, own, peer, secret);
    EVP_PKEY_free(made);
    return ok;
}

static int client_fallback(const struct oct_task *task)
{
    const struct operation *o = (const struct operation *)task;
    const struct oct_prov_group *g = o->key->group;
    const struct oct_hybrid_parts reply = oct_hybrid_split(g, oct_mlkem_ct_bytes(g->set), g->point),
                                  secret = oct_hybrid_split(g, OCT_MLKEM_SECRET_BYTES, g->number);
    const struct oct_mlkem_decaps_lane lane = {o->key->dk, o->in + reply.kem, o->secret + secret.kem};

    if (oct_mlkem_decaps_anywhere(g->set, &lane) != OCT_OK)
        return OCT_RAISE(task->prov, OCT_REASON_INTERNAL);
    return g->algorithm == NULL || client_curve(o, o->in + reply.curve, o->secret + secret.curve);
}

static const struct oct_task_type server_type = {server_fill, server_fallback, OCT_REASON_ZERO_SECRET,
                                                 OCT_WORK_EXCHANGE};
static const struct oct_task_type client_type = {client_fill, client_fallback, OCT_REASON_ZERO_SECRET, OCT_WORK_NONE};

static int run(struct operation *o, const struct oct_task_type *type, int op)
{
    const struct oct_prov_hybrid *key = o->key;
    int ok;

    o->task = (struct oct_task){.type = type,
                                .prov = key->base.prov,
                                .op = op,
                                .lane_key = oct_op_may_be_on(op),
                                .may_pay_alone = true,
                                .lanes_only = key->group->algorithm == NULL,
                                .key = {(void *)key}};
    ok = oct_task_run(&o->task);
    OPENSSL_cleanse(o->private_key, sizeof o->private_key);
    if (!ok)
        OPENSSL_cleanse(o->secret, oct_hybrid_secret_size(key->group));
    return ok;
}

/* A size that is asked for (without a buffer), or what a buffer has to have. */
static bool has_room(const struct kem *kem, size_t *len, size_t need, int buffer)
{
    if (len == NULL)
        return buffer;
    if (buffer && *len < need)
        return OCT_RAISE(kem->prov, OCT_REASON_BUFFER_TOO_SMALL);
    *len = need;
    return 1;
}

static int kem_encapsulate(void *vkem, unsigned char *out, size_t *out_len, unsigned char *secret, size_t *secret_len)
{
    const struct kem *kem = vkem;
    struct operation o;

    if (kem == NULL || kem->key == NULL || !kem->key->base.has_public)
        return kem != NULL && OCT_RAISE(kem->prov, OCT_REASON_MISSING_KEY);
    if (!has_room(kem, secret_len, oct_hybrid_secret_size(kem->key->group), out != NULL) ||
        !has_room(kem, out_len, oct_hybrid_reply_size(kem->key->group), out != NULL))
        return 0;
    if (out == NULL)
        return 1;
    if (secret == NULL)
        return OCT_RAISE(kem->prov, OCT_REASON_BUFFER_TOO_SMALL);
    o = (struct operation){.key = kem->key, .out = out, .secret = secret};
    return run(&o, &server_type, kem->key->group->server_op);
}

static int kem_decapsulate(void *vkem, unsigned char *secret, size_t *secret_len, const unsigned char *in,
                           size_t in_len)
{
    const struct kem *kem = vkem;
    struct operation o;

    if (kem == NULL || kem->key == NULL || !kem->key->base.has_private)
        return kem != NULL && OCT_RAISE(kem->prov, OCT_REASON_MISSING_KEY);
    if (!has_room(kem, secret_len, oct_hybrid_secret_size(kem->key->group), secret != NULL))
        return 0;
    if (secret == NULL)
        return 1;
    if (in_len != oct_hybrid_reply_size(kem->key->group))
        return OCT_RAISE(kem->prov, OCT_REASON_INPUT_LENGTH);
    o = (struct operation){.key = kem->key, .in = in, .secret = secret};
    return run(&o, &client_type, kem->key->group->client_op);
}

const OSSL_DISPATCH oct_hybrid_kem_table[] = {
    OCT_KEM_ENTRY(NEWCTX, newctx, kem_new),
    OCT_KEM_ENTRY(FREECTX, freectx, kem_free),
    OCT_KEM_ENTRY(DUPCTX, dupctx, kem_dup),
    OCT_KEM_ENTRY(ENCAPSULATE_INIT, encapsulate_init, kem_init),
    OCT_KEM_ENTRY(ENCAPSULATE, encapsulate, kem_encapsulate),
    OCT_KEM_ENTRY(DECAPSULATE_INIT, decapsulate_init, kem_init),
    OCT_KEM_ENTRY(DECAPSULATE, decapsulate, kem_decapsulate),
    OCT_DISPATCH_END,
};
