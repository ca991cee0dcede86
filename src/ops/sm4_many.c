/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Texts and records of SM4 side by side, of any lengths. A kernel's call takes as long as its longest text, so a text
 * that is much longer than the others goes alone, where its own blocks fill the vectors.
 */
#include "base/base.h"
#include "ops/sm4.h"

#include <string.h>

/* About what costs the same: a step of texts side by side, and so many bytes of one alone, or begun. */
#define STEP_BYTES  64
#define ALONE_BYTES 1024

/* Numbers of the texts with a length, the longest first; returns how many there are. */
static size_t by_length(uint8_t order[OCT_SM4_CHAINS], const size_t *len, size_t count)
{
    size_t n = 0;
    for (size_t t = 0; t < count; t++) {
        size_t at = n;
        if (len[t] == 0)
            continue;
        for (; at > 0 && len[order[at - 1]] < len[t]; at--)
            order[at] = order[at - 1];
        order[at] = (uint8_t)t;
        n++;
    }
    return n;
}

/* order = the texts with a length, `*alone` of them first which are to go alone; returns how many there are. */
static size_t plan(uint8_t order[OCT_SM4_CHAINS], size_t *alone, const size_t *len, size_t count)
{
    const size_t n = by_length(order, len, count);
    size_t before = 0, least = SIZE_MAX;
    *alone = 0;
    for (size_t i = 0; i <= n; i++) {
        const size_t cost = before + (i < n ? (len[order[i]] + STEP_BYTES - 1) / STEP_BYTES : 0);
        if (cost <= least) {
            least = cost;
            *alone = i;
        }
        before += i < n ? (len[order[i]] + ALONE_BYTES - 1) / ALONE_BYTES : 0;
    }
    return n;
}

/* What a kernel wants to be told of its texts; and lanes without one have the first one's key and block. */
static void fill_up(struct oct_sm4_many_args *args)
{
    args->own_keys = oct_sm4_own_keys(args->key, args->count);
    args->shortest = args->longest = args->len[0];
    for (size_t t = 1; t < args->count; t++) {
        args->shortest = args->len[t] < args->shortest ? args->len[t] : args->shortest;
        args->longest = args->len[t] > args->longest ? args->len[t] : args->longest;
    }
    for (size_t t = args->count; t < OCT_SM4_CHAINS; t++) {
        args->key[t] = args->key[0];
        args->block[t] = args->block[0];
        args->in[t] = args->in[0];
        args->out[t] = args->out[0];
        args->aad[t] = args->aad[0];
        args->len[t] = args->aad_len[t] = 0;
    }
}

static void side_by_side(const struct oct_sm4_many_args *args, const uint8_t *order, size_t n, oct_sm4_many_fn *many)
{
    struct oct_sm4_many_args together;
    together.count = n;
    together.aad[0] = NULL;
    for (size_t i = 0; i < n; i++) {
        const size_t t = order[i];
        together.key[i] = args->key[t];
        together.block[i] = args->block[t];
        together.in[i] = args->in[t];
        together.out[i] = args->out[t];
        together.len[i] = args->len[t];
    }
    fill_up(&together);
    many(&together);
}

static void texts(const struct oct_sm4_many_args *args, oct_sm4_text_fn *one, oct_sm4_many_fn *many)
{
    uint8_t order[OCT_SM4_CHAINS];
    size_t alone;
    const size_t n = plan(order, &alone, args->len, args->count);
    for (size_t i = 0; i < alone; i++) {
        const size_t t = order[i];
        const struct oct_sm4_text_args text = {args->key[t], args->block[t], args->in[t], args->out[t], args->len[t]};
        one(&text);
    }
    if (n > alone)
        side_by_side(args, order + alone, n - alone, many);
}

void oct_sm4_ctr_texts(const struct oct_sm4_ops *ops, const struct oct_sm4_many_args *args)
{
    texts(args, ops->ctr, ops->ctr_many);
}

void oct_sm4_cbc_open_texts(const struct oct_sm4_ops *ops, const struct oct_sm4_many_args *args)
{
    texts(args, ops->cbc_open, ops->cbc_open_many);
}

/* The step that has the first counter block goes also where there is no text. What does not fit is too long. */
static size_t record_length(const struct oct_aead_record *r)
{
    const size_t longest = (size_t)16 * OCT_SM4GCM_MANY_BLOCKS;
    if (r->len > longest || r->aad_len > longest ||
        (r->len + 15) / 16 + (r->aad_len + 15) / 16 > OCT_SM4GCM_MANY_BLOCKS)
        return SIZE_MAX / (2 * OCT_SM4_CHAINS);
    return r->len ? r->len : 1;
}

static void records_side_by_side(const struct oct_sm4_gcm_args *args, const uint8_t *order, size_t n,
                                 oct_sm4_many_fn *many)
{
    struct oct_sm4_many_args together;
    together.count = n;
    for (size_t i = 0; i < n; i++) {
        const struct oct_aead_record *r = &args->record[order[i]];
        together.key[i] = args->key[order[i]];
        together.block[i] = r->nonce;
        together.in[i] = r->in;
        together.out[i] = r->out;
        together.len[i] = r->len;
        together.aad[i] = r->aad;
        together.aad_len[i] = r->aad_len;
        together.tag[i] = r->tag;
    }
    fill_up(&together);
    many(&together);
}

void oct_sm4_gcm_records(oct_aead_seal_fn *one, oct_sm4_many_fn *many, const struct oct_sm4_gcm_args *args)
{
    uint8_t order[OCT_SM4_CHAINS];
    size_t alone, len[OCT_SM4_CHAINS];
    for (size_t i = 0; i < args->count; i++)
        len[i] = record_length(&args->record[i]);
    const size_t n = plan(order, &alone, len, args->count);
    for (size_t i = 0; i < alone; i++) {
        const struct oct_aead_record *r = &args->record[order[i]];
        one(args->key[order[i]], r->nonce, r->aad, r->aad_len, r->in, r->len, r->out, r->tag);
    }
    if (n > alone)
        records_side_by_side(args, order + alone, n - alone, many);
}
