/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * SM4-CCM (NIST SP 800-38C with SM4, RFC 8998). CBC-MAC is a chain, which no vector shortens: up to OCT_SM4_CHAINS
 * records have theirs side by side. What a chain runs over comes in segments, since headers and last blocks are made
 * here: lanes go on together for as many blocks as the shortest of their segments has.
 *
 * There is no arithmetic here but sums, so this is no kernel: chains and key stream are the tier's.
 */
#include "ops/sm4.h"

#include "base/base.h"

#include <stdbool.h>
#include <string.h>

enum ccm_stage { CCM_HEAD, CCM_AAD, CCM_AAD_END, CCM_TEXT, CCM_TEXT_END, CCM_DONE };

/* A record's chain. */
struct ccm_lane {
    const uint8_t *aad, *text, *at; /* what is not in a segment yet; the segment */
    size_t aad_len, len, blocks;
    enum ccm_stage next;
    uint8_t mac[16], made[32];
};

/* `n` bytes of `value`, the highest first. */
static void ccm_number(uint8_t *out, size_t n, uint64_t value)
{
    for (; n > 0; value >>= 8)
        out[--n] = (uint8_t)value;
}

/* The length of additional data as it stands in front of that (SP 800-38C, A.2.2); returns its bytes. */
static size_t ccm_aad_length(uint8_t *out, uint64_t len)
{
    const size_t n = len < 0xff00 ? 2 : len <= UINT32_MAX ? 4 : 8;
    if (n == 2) {
        ccm_number(out, 2, len);
        return 2;
    }
    out[0] = 0xff;
    out[1] = n == 4 ? 0xfe : 0xff;
    ccm_number(out + 2, n, len);
    return n + 2;
}

/* Bytes from *in, at most `room`, to `out`, zeros behind them. */
static void ccm_take(uint8_t *out, size_t room, const uint8_t **in, size_t *len)
{
    const size_t n = *len < room ? *len : room;
    memset(out, 0, room);
    if (n)
        memcpy(out, *in, n);
    *in += n;
    *len -= n;
}

/* The first block, and the additional data's first one. */
static void ccm_head(struct ccm_lane *lane, const uint8_t *nonce, const struct oct_sm4_ccm_args *args)
{
    const size_t nonce_len = args->nonce_len, length = 15 - nonce_len;
    const int has_aad = lane->aad_len > 0;
    lane->made[0] = (uint8_t)(has_aad << 6 | (args->tag_len - 2) / 2 << 3 | (length - 1));
    memcpy(lane->made + 1, nonce, nonce_len);
    ccm_number(lane->made + 1 + nonce_len, length, lane->len);
    if (has_aad) {
        const size_t n = ccm_aad_length(lane->made + 16, lane->aad_len);
        ccm_take(lane->made + 16 + n, 16 - n, &lane->aad, &lane->aad_len);
    }
    memset(lane->mac, 0, sizeof lane->mac);
    lane->at = lane->made;
    lane->blocks = has_aad ? 2 : 1;
    lane->next = CCM_AAD;
}

/* Whole blocks where they are, or the last one filled up with zeros. */
static void ccm_segment(struct ccm_lane *lane, const uint8_t **in, size_t *len, int end)
{
    if (end) {
        lane->blocks = *len > 0;
        lane->at = lane->made;
        ccm_take(lane->made, 16, in, len);
        return;
    }
    lane->at = *in;
    lane->blocks = *len / 16;
    *in += *len & ~(size_t)15;
    *len %= 16;
}

/* The lane's next segment that has blocks; 0 if there is none. */
static bool ccm_has_blocks(struct ccm_lane *lane)
{
    while (lane->blocks == 0 && lane->next != CCM_DONE) {
        const enum ccm_stage stage = lane->next++;
        if (stage == CCM_AAD || stage == CCM_AAD_END)
            ccm_segment(lane, &lane->aad, &lane->aad_len, stage == CCM_AAD_END);
        else
            ccm_segment(lane, &lane->text, &lane->len, stage == CCM_TEXT_END);
    }
    return lane->blocks > 0;
}

/* All chains to their ends. */
static void ccm_run(const struct oct_sm4_ops *ops, const void *const *key, struct ccm_lane *lane, size_t count)
{
    for (;;) {
        struct oct_sm4_chain_args chain = {.blocks = SIZE_MAX};
        struct ccm_lane *running[OCT_SM4_CHAINS];
        for (size_t i = 0; i < count; i++) {
            if (!ccm_has_blocks(&lane[i]))
                continue;
            running[chain.count] = &lane[i];
            chain.key[chain.count] = key[i];
            chain.last[chain.count] = lane[i].mac;
            chain.in[chain.count++] = lane[i].at;
            chain.blocks = lane[i].blocks < chain.blocks ? lane[i].blocks : chain.blocks;
        }
        if (chain.count == 0)
            return;
        chain.own_keys = oct_sm4_own_keys(chain.key, chain.count);
        ops->chain(&chain);
        for (size_t i = 0; i < chain.count; i++) {
            running[i]->at += 16 * chain.blocks;
            running[i]->blocks -= chain.blocks;
        }
    }
}

/* A record's counter block number n. */
static void ccm_counter(uint8_t block[16], const struct oct_sm4_ccm_args *args, const uint8_t *nonce, uint8_t n)
{
    memset(block, 0, 16);
    block[0] = (uint8_t)(14 - args->nonce_len);
    memcpy(block + 1, nonce, args->nonce_len);
    block[15] = n;
}

static void ccm_crypt(const struct oct_sm4_ops *ops, const struct oct_sm4_ccm_args *args)
{
    struct oct_sm4_many_args texts = {.count = args->count};
    uint8_t block[OCT_SM4_CHAINS][16];
    for (size_t i = 0; i < args->count; i++) {
        const struct oct_aead_record *r = &args->record[i];
        ccm_counter(block[i], args, r->nonce, 1);
        texts.key[i] = args->key[i];
        texts.block[i] = block[i];
        texts.in[i] = r->in;
        texts.out[i] = r->out;
        texts.len[i] = r->len;
    }
    oct_sm4_ctr_texts(ops, &texts);
}

/* Tags of records whose texts are at `out` when opening, at `in` when sealing. */
static void ccm_tags(const struct oct_sm4_ops *ops, const struct oct_sm4_ccm_args *args, int opening,
                     uint8_t (*tag)[16])
{
    struct ccm_lane lane[OCT_SM4_CHAINS];
    struct oct_sm4_chain_args mask = {.count = args->count, .blocks = 1};
    uint8_t block[OCT_SM4_CHAINS][16];
    for (size_t i = 0; i < args->count; i++) {
        const struct oct_aead_record *r = &args->record[i];
        lane[i] = (struct ccm_lane){.aad = r->aad, .text = opening ? r->out : r->in, .aad_len = r->aad_len};
        lane[i].len = r->len;
        ccm_head(&lane[i], r->nonce, args);
        ccm_counter(block[i], args, r->nonce, 0);
        memset(tag[i], 0, 16);
        mask.key[i] = args->key[i];
        mask.in[i] = block[i];
        mask.last[i] = tag[i];
    }
    mask.own_keys = oct_sm4_own_keys(mask.key, mask.count);
    ops->chain(&mask);
    ccm_run(ops, args->key, lane, args->count);
    for (size_t i = 0; i < args->count; i++)
        for (size_t j = 0; j < 16; j++)
            tag[i][j] ^= lane[i].mac[j];
    oct_cleanse(lane, sizeof lane);
}

/* Texts are read for their tags before they are overwritten. */
void oct_sm4_ccm_seal_records(const struct oct_sm4_ops *ops, const struct oct_sm4_ccm_args *args)
{
    uint8_t tag[OCT_SM4_CHAINS][16];
    ccm_tags(ops, args, 0, tag);
    ccm_crypt(ops, args);
    for (size_t i = 0; i < args->count; i++)
        memcpy(args->record[i].tag, tag[i], args->tag_len);
    oct_cleanse(tag, sizeof tag);
}

void oct_sm4_ccm_open_records(const struct oct_sm4_ops *ops, const struct oct_sm4_ccm_args *args)
{
    ccm_crypt(ops, args);
    ccm_tags(ops, args, 1, (uint8_t(*)[16])args->wanted);
}
