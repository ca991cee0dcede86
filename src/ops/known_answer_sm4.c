/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The known-answer test of SM4's modes. What the block cipher gives is held against digests in known_answer_aead.c;
 * here the modes have to agree with it: counter mode and chains with chains of one, decryption with encryption, and
 * texts side by side with texts alone.
 */
#include "ops/known_answer.h"
#include "ops/sm4.h"

#include <string.h>

#define BLOCKS   70 /* a group, and a part of a set */
#define BYTES    ((size_t)16 * BLOCKS)
#define TOGETHER 10                  /* chains side by side */
#define SHARE    (BLOCKS / TOGETHER) /* blocks of each */
#define SIDE     64                  /* bytes of a text of many, at most */
_Static_assert(SIDE *OCT_SM4_CHAINS <= BYTES, "texts side by side fit");

struct subject {
    const struct oct_sm4_ops *ops;
    uint8_t key[OCT_SM4_EXPANDED_BYTES] OCT_ALIGN64;
    uint8_t text[BYTES], out[BYTES], alone[BYTES], block[16];
};

/* Blocks of `in` encrypted, each as a chain of its own that begins with zeros; ten side by side, as chains() holds
 * against chains that are alone. */
static void single_blocks(const struct subject *s, const uint8_t *in, uint8_t *out)
{
    for (size_t at = 0; at < BYTES;) {
        uint8_t last[TOGETHER][16] = {{0}};
        struct oct_sm4_chain_args some = {.count = TOGETHER, .blocks = 1};
        for (size_t i = 0; i < TOGETHER; i++, at += 16) {
            some.key[i] = s->key;
            some.last[i] = last[i];
            some.in[i] = in + at;
            some.out[i] = out + at;
        }
        s->ops->chain(&some);
    }
}

static int counters(struct subject *s)
{
    const struct oct_sm4_text_args args = {s->key, s->block, s->text, s->out, BYTES};
    uint8_t counter[BYTES];
    for (unsigned i = 0; i < BLOCKS; i++) {
        memcpy(counter + 16 * i, s->block, 15);
        counter[16 * i + 15] = (uint8_t)i;
    }
    s->block[15] = 0;
    single_blocks(s, counter, s->alone);
    for (size_t i = 0; i < BYTES; i++)
        s->alone[i] ^= s->text[i];
    s->ops->ctr(&args);
    return memcmp(s->out, s->alone, BYTES) == 0;
}

/* Chains side by side and one after the other, and decrypted again. */
static int chains(struct subject *s)
{
    struct oct_sm4_chain_args all = {.count = TOGETHER, .blocks = SHARE};
    uint8_t last[TOGETHER][16], last_alone[16];
    int good = 1;
    for (size_t i = 0; i < TOGETHER; i++) {
        const size_t at = i * 16 * SHARE;
        const struct oct_sm4_chain_args one = {{s->key}, 1, SHARE, 0, {last_alone}, {s->text + at}, {s->alone + at}};
        memcpy(last[i], s->block, 16);
        memcpy(last_alone, s->block, 16);
        s->ops->chain(&one);
        all.key[i] = s->key;
        all.last[i] = last[i];
        all.in[i] = s->text + at;
        all.out[i] = s->out + at;
    }
    s->ops->chain(&all);
    good &= memcmp(s->out, s->alone, BYTES) == 0 && memcmp(last[TOGETHER - 1], last_alone, 16) == 0;
    for (size_t i = 0; i < TOGETHER; i++) {
        const struct oct_sm4_text_args open = {s->key, s->block, all.out[i], all.out[i], (size_t)16 * SHARE};
        s->ops->cbc_open(&open);
    }
    return good && memcmp(s->out, s->text, BYTES) == 0;
}

/* Texts side by side, of mixed lengths under two keys, and the same alone. */
static int many(struct subject *s, const uint8_t *other)
{
    struct oct_sm4_many_args all = {.count = OCT_SM4_CHAINS, .longest = 64, .own_keys = 1};
    int good = 1;
    for (unsigned i = 0; i < OCT_SM4_CHAINS; i++) {
        all.key[i] = i % 3 ? s->key : other;
        all.block[i] = s->block;
        all.in[i] = s->text + SIDE * (size_t)i;
        all.out[i] = s->out + SIDE * (size_t)i;
        all.len[i] = 16 * (size_t)(i % 5);
    }
    for (int open = 0; open < 2; open++) {
        (open ? s->ops->cbc_open_many : s->ops->ctr_many)(&all);
        for (unsigned i = 0; i < OCT_SM4_CHAINS; i++) {
            const struct oct_sm4_text_args one = {all.key[i], s->block, all.in[i], s->alone, all.len[i]};
            (open ? s->ops->cbc_open : s->ops->ctr)(&one);
            good &= memcmp(s->alone, all.out[i], all.len[i]) == 0;
        }
    }
    return good;
}

int oct_sm4_known_answer(const struct oct_sm4_ops *ops)
{
    uint8_t other[OCT_SM4_EXPANDED_BYTES] OCT_ALIGN64;
    struct subject s = {.ops = ops};
    uint64_t stream = 0x6f637475706c6590;
    uint8_t bytes[16];
    oct_known_draw_bytes(bytes, sizeof bytes, &stream);
    oct_known_draw_bytes(s.block, sizeof s.block, &stream);
    oct_known_draw_bytes(s.text, sizeof s.text, &stream);
    ops->expand(&(struct oct_aead_expand_args){.key = s.key, .bytes = bytes});
    bytes[0] ^= 1;
    ops->expand(&(struct oct_aead_expand_args){.key = other, .bytes = bytes});
    return counters(&s) && chains(&s) && many(&s, other) ? 0 : -1;
}
