/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* SM4 on texts side by side, under one key or under keys of their own: CBC, and counter mode. */
#include "api/cipher/sm4_internal.h"

#include <string.h>

/* The keys of texts: one after the other, or with a step of 0 always the same. */
struct keys {
    const struct oct_sm4_key *const *key;
    size_t step;
};

static const struct oct_sm4_inside *key_of(struct keys keys, size_t i)
{
    return oct_sm4_inside(keys.key[i * keys.step]);
}

static int check_keys(struct keys keys, size_t n)
{
    if (!keys.key)
        return n ? OCT_ERR_ARGUMENT : OCT_OK;
    for (size_t i = 0; i < n || (keys.step == 0 && i == 0); i++)
        if (!keys.key[i * keys.step])
            return OCT_ERR_ARGUMENT;
    return OCT_OK;
}

static size_t at_once(size_t left)
{
    return left < OCT_SM4_LANES ? left : OCT_SM4_LANES;
}

/* --- CBC */

static int check_cbc(struct keys keys, const struct oct_sm4_cbc *text, size_t n)
{
    if (!text && n)
        return OCT_ERR_ARGUMENT;
    for (size_t i = 0; i < n; i++) {
        if (!text[i].iv || ((!text[i].in || !text[i].out) && text[i].len))
            return OCT_ERR_ARGUMENT;
        if (text[i].len % 16)
            return OCT_ERR_LENGTH;
    }
    return check_keys(keys, n);
}

/* A text in a lane, and where it stands. */
struct lane {
    const struct oct_sm4_cbc *text;
    const struct oct_sm4_inside *key;
    size_t done;
};

/* A step of all lanes, as far as the shortest of them goes. */
static void run_lanes(struct lane *lane, size_t n)
{
    struct oct_sm4_chain_args args = {.count = n, .blocks = SIZE_MAX};
    for (size_t i = 0; i < n; i++) {
        const size_t left = (lane[i].text->len - lane[i].done) / 16;
        args.key[i] = lane[i].key->expanded;
        args.last[i] = lane[i].text->iv;
        args.in[i] = lane[i].text->in + lane[i].done;
        args.out[i] = lane[i].text->out + lane[i].done;
        args.blocks = left < args.blocks ? left : args.blocks;
    }
    args.own_keys = oct_sm4_own_keys(args.key, n);
    lane[0].key->ops->chain(&args);
    for (size_t i = 0; i < n; i++)
        lane[i].done += 16 * args.blocks;
}

/* A lane that ends gets the next text. */
static int encrypt(struct keys keys, const struct oct_sm4_cbc *text, size_t n)
{
    const int status = check_cbc(keys, text, n);
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
                lane[running++] = (struct lane){&text[next], key_of(keys, next), 0};
        if (running == 0)
            return OCT_OK;
        run_lanes(lane, running);
    }
}

/* At most OCT_SM4_LANES texts from number `first` on. What becomes of a vector is read before it may be written. */
static void decrypt_lanes(struct keys keys, const struct oct_sm4_cbc *text, size_t first, size_t n)
{
    struct oct_sm4_many_args args = {.count = n};
    uint8_t last[OCT_SM4_LANES][16];
    for (size_t i = 0; i < n; i++) {
        const struct oct_sm4_cbc *t = &text[first + i];
        memcpy(last[i], t->len ? t->in + t->len - 16 : t->iv, 16);
        args.key[i] = key_of(keys, first + i)->expanded;
        args.block[i] = t->iv;
        args.in[i] = t->in;
        args.out[i] = t->out;
        args.len[i] = t->len;
    }
    oct_sm4_cbc_open_texts(key_of(keys, first)->ops, &args);
    for (size_t i = 0; i < n; i++)
        memcpy(text[first + i].iv, last[i], 16);
}

static int decrypt(struct keys keys, const struct oct_sm4_cbc *text, size_t n)
{
    const int status = check_cbc(keys, text, n);
    if (status != OCT_OK)
        return status;
    for (size_t i = 0; i < n; i += OCT_SM4_LANES)
        decrypt_lanes(keys, text, i, at_once(n - i));
    return OCT_OK;
}

int oct_sm4_cbc_encrypt(const struct oct_sm4_key *key, const struct oct_sm4_cbc *text, size_t n)
{
    return encrypt((struct keys){&key, 0}, text, n);
}

int oct_sm4_cbc_decrypt(const struct oct_sm4_key *key, const struct oct_sm4_cbc *text, size_t n)
{
    return decrypt((struct keys){&key, 0}, text, n);
}

int oct_sm4_cbc_encrypt_many(const struct oct_sm4_key *const key[], const struct oct_sm4_cbc *text, size_t n)
{
    return encrypt((struct keys){key, 1}, text, n);
}

int oct_sm4_cbc_decrypt_many(const struct oct_sm4_key *const key[], const struct oct_sm4_cbc *text, size_t n)
{
    return decrypt((struct keys){key, 1}, text, n);
}

/* --- counter mode */

/* Texts whose counters do not run over in their last four bytes go side by side, the others alone. */
static void count_lanes(const struct oct_sm4_key *const key[], const struct oct_sm4_ctr_text *text, size_t n)
{
    struct oct_sm4_many_args args = {.count = 0};
    uint8_t *counter[OCT_SM4_LANES];
    for (size_t i = 0; i < n; i++) {
        const struct oct_sm4_ctr_text *t = &text[i];
        if (t->len > 16 * oct_sm4_blocks_ahead(t->counter)) {
            /* Arguments have been checked. */
            (void)!oct_sm4_ctr(key[i], t->counter, t->in, t->len, t->out);
            continue;
        }
        args.key[args.count] = oct_sm4_inside(key[i])->expanded;
        args.block[args.count] = counter[args.count] = t->counter;
        args.in[args.count] = t->in;
        args.out[args.count] = t->out;
        args.len[args.count++] = t->len;
    }
    oct_sm4_ctr_texts(oct_sm4_inside(key[0])->ops, &args);
    for (size_t i = 0; i < args.count; i++)
        oct_sm4_count(counter[i], (args.len[i] + 15) / 16);
}

int oct_sm4_ctr_many(const struct oct_sm4_key *const key[], const struct oct_sm4_ctr_text *text, size_t n)
{
    if (!text && n)
        return OCT_ERR_ARGUMENT;
    for (size_t i = 0; i < n; i++)
        if (!text[i].counter || ((!text[i].in || !text[i].out) && text[i].len))
            return OCT_ERR_ARGUMENT;
    const int status = check_keys((struct keys){key, 1}, n);
    for (size_t i = 0; status == OCT_OK && i < n; i += OCT_SM4_LANES)
        count_lanes(key + i, text + i, at_once(n - i));
    return status;
}
