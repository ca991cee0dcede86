/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* AEAD records of many keys in one call. Those of SM4 are put side by side, mode by mode; others go as they come. */
#include "api/cipher/aead_internal.h"

#include <octuple/op.h>

#include <string.h>

/* Records of one AEAD that wait until there are as many as go side by side. */
struct waiting {
    struct oct_aead_many *record[OCT_SM4_CHAINS];
    size_t count;
};

/* What the functions of a mode take. Opening writes what tags have to be to `wanted`. */
static void to_args(struct oct_sm4_gcm_args *args, const struct waiting *w, uint8_t (*wanted)[16])
{
    args->count = w->count;
    for (size_t i = 0; i < w->count; i++) {
        const struct oct_aead_many *r = w->record[i];
        args->key[i] = r->key->expanded;
        args->record[i] =
            (struct oct_aead_record){r->nonce, r->aad, r->aad_len, r->in, r->out, r->len, wanted ? wanted[i] : r->tag};
    }
}

static struct oct_sm4_ccm_args ccm_args(const struct oct_sm4_gcm_args *args, uint8_t (*wanted)[16])
{
    return (struct oct_sm4_ccm_args){args->key,   OCT_AEAD_NONCE, OCT_AEAD_TAG,
                                     args->count, args->record,   wanted ? wanted[0] : NULL};
}

static void seal_waiting(struct waiting *w)
{
    struct oct_sm4_gcm_args args;
    if (w->count == 0)
        return;
    const struct oct_aead_ops *ops = w->record[0]->key->ops;
    to_args(&args, w, NULL);
    if (w->record[0]->key->aead == OCT_AEAD_SM4_GCM) {
        oct_sm4_gcm_records(ops->seal, ops->sm4->gcm_seal_many, &args);
    } else {
        const struct oct_sm4_ccm_args ccm = ccm_args(&args, NULL);
        oct_sm4_ccm_seal_records(ops->sm4, &ccm);
    }
    for (size_t i = 0; i < w->count; i++)
        w->record[i]->status = OCT_OK;
    w->count = 0;
}

/* Whether a tag fits shows in the result. */
static int judge(struct oct_aead_many *r, const uint8_t *wanted)
{
    const int good = oct_aead_same_tag(r->tag, wanted, OCT_AEAD_TAG);
    r->status = good ? OCT_OK : OCT_ERR_AUTH;
    if (!good && r->len)
        oct_cleanse(r->out, r->len);
    return r->status;
}

static int open_waiting(struct waiting *w)
{
    struct oct_sm4_gcm_args args;
    uint8_t wanted[OCT_SM4_CHAINS][16];
    int status = OCT_OK;
    if (w->count == 0)
        return OCT_OK;
    const struct oct_aead_ops *ops = w->record[0]->key->ops;
    to_args(&args, w, wanted);
    if (w->record[0]->key->aead == OCT_AEAD_SM4_GCM) {
        oct_sm4_gcm_records(ops->open_first, ops->sm4->gcm_open_many, &args);
    } else {
        const struct oct_sm4_ccm_args ccm = ccm_args(&args, wanted);
        oct_sm4_ccm_open_records(ops->sm4, &ccm);
    }
    for (size_t i = 0; i < w->count; i++)
        if (judge(w->record[i], wanted[i]) != OCT_OK)
            status = OCT_ERR_AUTH;
    oct_cleanse(wanted, sizeof wanted);
    w->count = 0;
    return status;
}

static int check(const struct oct_aead_many *r, size_t n)
{
    if (!r && n)
        return OCT_ERR_ARGUMENT;
    for (size_t i = 0; i < n; i++) {
        if (!r[i].key || !r[i].nonce || !r[i].tag || (!r[i].aad && r[i].aad_len) ||
            ((!r[i].in || !r[i].out) && r[i].len))
            return OCT_ERR_ARGUMENT;
        const int status = oct_aead_check_lengths(r[i].key->aead, r[i].aad_len, r[i].len);
        if (status != OCT_OK)
            return status;
    }
    return OCT_OK;
}

static int both(int a, int b)
{
    return a == OCT_OK ? b : a;
}

/* A record goes where its AEAD's records wait, and all of them with it if that is full; or at once. */
static int take(struct waiting waiting[2], struct oct_aead_many *r, int opening)
{
    if (r->key->aead == OCT_AEAD_SM4_GCM || r->key->aead == OCT_AEAD_SM4_CCM) {
        struct waiting *w = &waiting[r->key->aead == OCT_AEAD_SM4_CCM];
        w->record[w->count++] = r;
        if (w->count < OCT_SM4_CHAINS)
            return OCT_OK;
        if (opening)
            return open_waiting(w);
        seal_waiting(w);
        return OCT_OK;
    }
    r->status = opening ? oct_aead_open(r->key, r->nonce, r->aad, r->aad_len, r->in, r->len, r->out, r->tag)
                        : oct_aead_seal(r->key, r->nonce, r->aad, r->aad_len, r->in, r->len, r->out, r->tag);
    return r->status;
}

int oct_aead_seal_many(struct oct_aead_many *record, size_t n)
{
    const int status = check(record, n);
    struct waiting waiting[2];
    if (status != OCT_OK)
        return status;
    waiting[0].count = waiting[1].count = 0;
    for (size_t i = 0; i < n; i++)
        (void)take(waiting, &record[i], 0);
    seal_waiting(&waiting[0]);
    seal_waiting(&waiting[1]);
    return OCT_OK;
}

int oct_aead_open_many(struct oct_aead_many *record, size_t n)
{
    int status = check(record, n);
    struct waiting waiting[2];
    if (status != OCT_OK)
        return status;
    waiting[0].count = waiting[1].count = 0;
    for (size_t i = 0; i < n; i++)
        status = both(status, take(waiting, &record[i], 1));
    for (int i = 0; i < 2; i++)
        status = both(status, open_waiting(&waiting[i]));
    return status;
}
