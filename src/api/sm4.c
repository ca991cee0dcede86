/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* SM4 in counter mode, CBC and CCM: checks the arguments, and puts texts side by side where they are chains. */
#include "api/aead_internal.h"
#include "api/sm4_internal.h"

#include <string.h>

struct key {
    const struct oct_sm4_ops *ops;
    uint8_t expanded[OCT_SM4_EXPANDED_BYTES] OCT_ALIGN64;
};
_Static_assert(sizeof(struct key) <= sizeof(struct oct_sm4_key), "a key fits");
_Static_assert(OCT_SM4_LANES == OCT_SM4_CHAINS, "a call's lanes");

/* The CCM AEAD stands for the cipher: both have one choice of tier. */
#define SM4 OCT_AEAD_SM4_CCM

static const struct key *inside(const struct oct_sm4_key *key)
{
    return (const struct key *)key->opaque;
}

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
    struct key *made = (struct key *)key->opaque;
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

/* Blocks that the last four bytes of a counter can count before they begin anew. */
static uint64_t blocks_ahead(const uint8_t counter[16])
{
    uint32_t low;
    memcpy(&low, counter + 12, 4);
    return ((uint64_t)1 << 32) - __builtin_bswap32(low);
}

/* counter += blocks, at most blocks_ahead(). */
static void count(uint8_t counter[16], uint64_t blocks)
{
    for (int i = 15; i >= 0 && blocks; i--) {
        blocks += counter[i];
        counter[i] = (uint8_t)blocks;
        blocks >>= 8;
    }
}

int oct_sm4_ctr(const struct oct_sm4_key *key, uint8_t counter[16], const uint8_t *in, size_t len, uint8_t *out)
{
    if (!key || !counter || ((!in || !out) && len))
        return OCT_ERR_ARGUMENT;
    const struct key *k = inside(key);
    while (len > 0) {
        const uint64_t ahead = 16 * blocks_ahead(counter);
        const size_t n = len < ahead ? len : (size_t)ahead;
        const struct oct_sm4_text_args args = {k->expanded, counter, in, out, n};
        k->ops->ctr(&args);
        count(counter, (n + 15) / 16);
        in += n;
        out += n;
        len -= n;
    }
    return OCT_OK;
}

/* --- CBC */

static int check_cbc(const struct oct_sm4_key *key, const struct oct_sm4_cbc *text, size_t n)
{
    if (!key || (!text && n))
        return OCT_ERR_ARGUMENT;
    for (size_t i = 0; i < n; i++) {
        if (!text[i].iv || ((!text[i].in || !text[i].out) && text[i].len))
            return OCT_ERR_ARGUMENT;
        if (text[i].len % 16)
            return OCT_ERR_LENGTH;
    }
    return OCT_OK;
}

/* A text in a lane, and where it stands. */
struct lane {
    const struct oct_sm4_cbc *text;
    size_t done;
};

/* A step of all lanes, as far as the shortest of them goes. */
static void run_lanes(const struct key *k, struct lane *lane, size_t n)
{
    struct oct_sm4_chain_args args = {.key = k->expanded, .count = n, .blocks = SIZE_MAX};
    for (size_t i = 0; i < n; i++) {
        const size_t left = (lane[i].text->len - lane[i].done) / 16;
        args.last[i] = lane[i].text->iv;
        args.in[i] = lane[i].text->in + lane[i].done;
        args.out[i] = lane[i].text->out + lane[i].done;
        args.blocks = left < args.blocks ? left : args.blocks;
    }
    k->ops->chain(&args);
    for (size_t i = 0; i < n; i++)
        lane[i].done += 16 * args.blocks;
}

/* A lane that ends gets the next text. */
int oct_sm4_cbc_encrypt(const struct oct_sm4_key *key, const struct oct_sm4_cbc *text, size_t n)
{
    const int status = check_cbc(key, text, n);
    struct lane lane[OCT_SM4_LANES];
    size_t next = 0, running = 0;
    if (status != OCT_OK)
        return status;
    for (;;) {
        for (size_t i = 0; i < running;)
            if (lane[i].done == lane[i].text->len)
                lane[i] = lane[--running];
            else
                i++;
        for (; next < n && running < OCT_SM4_LANES; next++)
            if (text[next].len)
                lane[running++] = (struct lane){&text[next], 0};
        if (running == 0)
            return OCT_OK;
        run_lanes(inside(key), lane, running);
    }
}

int oct_sm4_cbc_decrypt(const struct oct_sm4_key *key, const struct oct_sm4_cbc *text, size_t n)
{
    const int status = check_cbc(key, text, n);
    if (status != OCT_OK)
        return status;
    const struct key *k = inside(key);
    for (size_t i = 0; i < n; i++) {
        uint8_t last[16];
        const struct oct_sm4_text_args args = {k->expanded, text[i].iv, text[i].in, text[i].out, text[i].len};
        if (text[i].len == 0)
            continue;
        memcpy(last, text[i].in + text[i].len - 16, 16);
        k->ops->cbc_open(&args);
        memcpy(text[i].iv, last, 16);
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
    struct oct_sm4_ccm_args args = {NULL, nonce_len, tag_len, 0, part, NULL};
    if (status != OCT_OK)
        return status;
    args.key = inside(key)->expanded;
    for (; n > 0; record += args.count, n -= args.count) {
        args.count = to_records(part, record, n);
        oct_sm4_ccm_seal_records(inside(key)->ops, &args);
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
    struct oct_sm4_ccm_args args = {NULL, nonce_len, tag_len, 0, part, wanted[0]};
    int result = OCT_OK;
    if (status != OCT_OK)
        return status;
    args.key = inside(key)->expanded;
    for (; n > 0; record += args.count, n -= args.count) {
        args.count = to_records(part, record, n);
        oct_sm4_ccm_open_records(inside(key)->ops, &args);
        for (size_t i = 0; i < args.count; i++)
            if (judge(&record[i], wanted[i], tag_len) != OCT_OK)
                result = OCT_ERR_AUTH;
    }
    oct_cleanse(wanted, sizeof wanted);
    return result;
}
