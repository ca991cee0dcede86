/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* SM4's keys, counter mode and CCM: checks the arguments. */
#include "api/cipher/aead_internal.h"
#include "api/cipher/sm4_internal.h"

#include <string.h>

/* The CCM AEAD stands for the cipher: both have one choice of tier. */
#define SM4 OCT_AEAD_SM4_CCM

int oct_sm4_is_on(void)
{
    return oct_aead_is_on(SM4);
}

const char *oct_sm4_tier(void)
{
    return oct_aead_tier(SM4);
}

const char *oct_sm4_reason(void)
{
    return oct_aead_reason(SM4);
}

int oct_sm4_pays(void)
{
    return oct_aead_pays(SM4, 0);
}

int oct_sm4_key_init_on(const struct oct_sm4_ops *ops, struct oct_sm4_key *key, const uint8_t *bytes)
{
    if (!key || !bytes || (uintptr_t)key % _Alignof(struct oct_sm4_key))
        return OCT_ERR_ARGUMENT;
    if (!ops)
        return OCT_ERR_UNSUPPORTED;
    struct oct_sm4_inside *made = (struct oct_sm4_inside *)key->opaque;
    memset(key, 0, sizeof *key);
    made->ops = ops;
    ops->expand(&(struct oct_aead_expand_args){.key = made->expanded, .bytes = bytes});
    return OCT_OK;
}

int oct_sm4_key_init(struct oct_sm4_key *key, const uint8_t *bytes)
{
    const struct oct_aead_ops *ops = oct_aead_selected(SM4, NULL);
    return oct_sm4_key_init_on(ops ? ops->sm4 : NULL, key, bytes);
}

void oct_sm4_key_clear(struct oct_sm4_key *key)
{
    if (key)
        oct_cleanse(key, sizeof *key);
}

/* --- counter mode */

uint64_t oct_sm4_blocks_ahead(const uint8_t counter[16])
{
    uint32_t low;
    memcpy(&low, counter + 12, 4);
    return ((uint64_t)1 << 32) - __builtin_bswap32(low);
}

void oct_sm4_count(uint8_t counter[16], uint64_t blocks)
{
    uint64_t low, high;
    memcpy(&low, counter + 8, 8);
    low = __builtin_bswap64(low) + blocks;
    if (low < blocks) {
        memcpy(&high, counter, 8);
        high = __builtin_bswap64(__builtin_bswap64(high) + 1);
        memcpy(counter, &high, 8);
    }
    low = __builtin_bswap64(low);
    memcpy(counter + 8, &low, 8);
}

int oct_sm4_ctr(const struct oct_sm4_key *key, uint8_t counter[16], const uint8_t *in, size_t len, uint8_t *out)
{
    if (!key || !counter || ((!in || !out) && len))
        return OCT_ERR_ARGUMENT;
    const struct oct_sm4_inside *k = oct_sm4_inside(key);
    while (len > 0) {
        const uint64_t ahead = 16 * oct_sm4_blocks_ahead(counter);
        const size_t n = len < ahead ? len : (size_t)ahead;
        const struct oct_sm4_text_args args = {k->expanded, counter, in, out, n};
        k->ops->ctr(&args);
        oct_sm4_count(counter, (n + 15) / 16);
        in += n;
        out += n;
        len -= n;
    }
    return OCT_OK;
}

/* --- CCM */

static int check_ccm(const struct oct_sm4_key *key, size_t nonce_len, size_t tag_len, const struct oct_sm4_ccm *r,
                     size_t n)
{
    if (!key || (!r && n))
        return OCT_ERR_ARGUMENT;
    if (nonce_len < 7 || nonce_len > 13 || tag_len < 4 || tag_len > 16 || tag_len % 2)
        return OCT_ERR_LENGTH;
    const uint64_t longest = nonce_len < 11 ? ((uint64_t)1 << 36) - 17 : ((uint64_t)1 << (8 * (15 - nonce_len))) - 1;
    for (size_t i = 0; i < n; i++) {
        if (!r[i].nonce || !r[i].tag || (!r[i].aad && r[i].aad_len) || ((!r[i].in || !r[i].out) && r[i].len))
            return OCT_ERR_ARGUMENT;
        if (r[i].len > longest || (uint64_t)r[i].aad_len >= (uint64_t)1 << 61)
            return OCT_ERR_LENGTH;
    }
    return OCT_OK;
}

/* So many records go side by side. */
static size_t to_records(struct oct_aead_record *to, const struct oct_sm4_ccm *from, size_t n)
{
    n = n < OCT_SM4_CHAINS ? n : OCT_SM4_CHAINS;
    for (size_t i = 0; i < n; i++)
        to[i] = (struct oct_aead_record){from[i].nonce, from[i].aad, from[i].aad_len, from[i].in,
                                         from[i].out,   from[i].len, from[i].tag};
    return n;
}

int oct_sm4_ccm_seal(const struct oct_sm4_key *key, size_t nonce_len, size_t tag_len, struct oct_sm4_ccm *record,
                     size_t n)
{
    const int status = check_ccm(key, nonce_len, tag_len, record, n);
    struct oct_aead_record part[OCT_SM4_CHAINS];
    const void *keys[OCT_SM4_CHAINS];
    struct oct_sm4_ccm_args args = {keys, nonce_len, tag_len, 0, part, NULL};
    if (status != OCT_OK)
        return status;
    for (size_t i = 0; i < OCT_SM4_CHAINS; i++)
        keys[i] = oct_sm4_inside(key)->expanded;
    for (; n > 0; record += args.count, n -= args.count) {
        args.count = to_records(part, record, n);
        oct_sm4_ccm_seal_records(oct_sm4_inside(key)->ops, &args);
        for (size_t i = 0; i < args.count; i++)
            record[i].status = OCT_OK;
    }
    return OCT_OK;
}

/* Whether the tag fits shows in the result. */
static int judge(struct oct_sm4_ccm *record, const uint8_t *wanted, size_t tag_len)
{
    const int good = oct_aead_same_tag(record->tag, wanted, tag_len);
    record->status = good ? OCT_OK : OCT_ERR_AUTH;
    if (!good && record->len)
        oct_cleanse(record->out, record->len);
    return record->status;
}

int oct_sm4_ccm_open(const struct oct_sm4_key *key, size_t nonce_len, size_t tag_len, struct oct_sm4_ccm *record,
                     size_t n)
{
    const int status = check_ccm(key, nonce_len, tag_len, record, n);
    struct oct_aead_record part[OCT_SM4_CHAINS];
    uint8_t wanted[OCT_SM4_CHAINS][16];
    const void *keys[OCT_SM4_CHAINS];
    struct oct_sm4_ccm_args args = {keys, nonce_len, tag_len, 0, part, wanted[0]};
    int result = OCT_OK;
    if (status != OCT_OK)
        return status;
    for (size_t i = 0; i < OCT_SM4_CHAINS; i++)
        keys[i] = oct_sm4_inside(key)->expanded;
    for (; n > 0; record += args.count, n -= args.count) {
        args.count = to_records(part, record, n);
        oct_sm4_ccm_open_records(oct_sm4_inside(key)->ops, &args);
        for (size_t i = 0; i < args.count; i++)
            if (judge(&record[i], wanted[i], tag_len) != OCT_OK)
                result = OCT_ERR_AUTH;
    }
    oct_cleanse(wanted, sizeof wanted);
    return result;
}
