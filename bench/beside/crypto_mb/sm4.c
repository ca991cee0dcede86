/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * SM4 beside crypto_mb: 16 texts of one size a call on both sides, each under a key of its own. crypto_mb expands keys
 * with each record of GCM and CCM, since its contexts begin with that; for the other modes, and for Octuple, they are
 * expanded beforehand. Records have 13 bytes of additional data.
 */
#include "crypto_mb.h"

#include <crypto_mb/sm4.h>
#include <crypto_mb/sm4_ccm.h>
#include <crypto_mb/sm4_gcm.h>
#include <octuple/sm4.h>
#include <stdlib.h>
#include <string.h>

#define TEXTS     SM4_LINES
#define MAX_BYTES 16384
#define STRIDE    (MAX_BYTES + 192) /* or the lines of all texts would fall into the same few places of a cache */
#define AAD_BYTES 13
#define NONCE     12
#define TAG       16

struct state {
    SM4_GCM_CTX_mb16 gcm;
    SM4_CCM_CTX_mb16 ccm;
    mbx_sm4_key_schedule schedule;
    struct oct_sm4_key key[TEXTS];
    const struct oct_sm4_key *key_of[TEXTS];
    struct oct_aead_key *gcm_key[TEXTS], *ccm_key[TEXTS];
    size_t bytes;
    const sm4_key *keys[TEXTS];
    const int8u *from[TEXTS], *nonce[TEXTS], *additional[TEXTS];
    int8u *to[TEXTS], *tags[TEXTS], *counters[TEXTS];
    int len[TEXTS], aad_len[TEXTS], nonce_len[TEXTS], tag_len[TEXTS];
    int64u long_len[TEXTS];
    uint8_t key_bytes[TEXTS][16], aad[AAD_BYTES], iv[TEXTS][16], counter[TEXTS][16];
    uint8_t our_tag[TEXTS][TAG], their_tag[TEXTS][TAG];
    uint8_t text[TEXTS][STRIDE], ours[TEXTS][STRIDE], theirs[TEXTS][STRIDE];
};

static void close_state(void *arg)
{
    struct state *s = arg;
    for (int i = 0; i < TEXTS; i++) {
        oct_aead_key_free(s->gcm_key[i]);
        oct_aead_key_free(s->ccm_key[i]);
    }
    free(s);
}

static void fill_line(struct state *s, int i)
{
    s->keys[i] = (const sm4_key *)s->key_bytes[i];
    s->key_of[i] = &s->key[i];
    s->from[i] = s->text[i];
    s->nonce[i] = s->iv[i];
    s->additional[i] = s->aad;
    s->to[i] = s->theirs[i];
    s->tags[i] = s->their_tag[i];
    s->counters[i] = s->counter[i];
    s->len[i] = (int)s->bytes;
    s->long_len[i] = s->bytes;
    s->aad_len[i] = AAD_BYTES;
    s->nonce_len[i] = NONCE;
    s->tag_len[i] = TAG;
}

static int make_keys(struct state *s)
{
    int good = mbx_sm4_set_key_mb16(&s->schedule, s->keys) == 0;
    for (int i = 0; i < TEXTS; i++)
        good = good && oct_sm4_key_init(&s->key[i], s->key_bytes[i]) == OCT_OK &&
               oct_aead_key_new(&s->gcm_key[i], OCT_AEAD_SM4_GCM, s->key_bytes[i], 16) == OCT_OK &&
               oct_aead_key_new(&s->ccm_key[i], OCT_AEAD_SM4_CCM, s->key_bytes[i], 16) == OCT_OK;
    return good;
}

static void *open_state(const struct beside_row *row)
{
    struct state *s = aligned_alloc(_Alignof(struct state), sizeof *s);

    if (s == NULL)
        return NULL;
    memset(s, 0, sizeof *s);
    s->bytes = row->len;
    for (int i = 0; i < TEXTS; i++)
        fill_line(s, i);
    if (beside_fill(s->key_bytes, sizeof s->key_bytes) && beside_fill(s->aad, AAD_BYTES) &&
        beside_fill(s->iv, sizeof s->iv) && beside_fill(s->text, sizeof s->text) && make_keys(s))
        return s;
    close_state(s);
    return NULL;
}

static unsigned all(const struct state *s, int good)
{
    return good ? (unsigned)(TEXTS * s->bytes) : 0;
}

static unsigned our_records(struct state *s, struct oct_aead_key *const *key)
{
    struct oct_aead_many record[TEXTS];
    for (int i = 0; i < TEXTS; i++)
        record[i] = (struct oct_aead_many){key[i],   s->iv[i],   s->aad,        AAD_BYTES, s->text[i],
                                           s->bytes, s->ours[i], s->our_tag[i], OCT_OK};
    return all(s, oct_aead_seal_many(record, TEXTS) == OCT_OK);
}

static unsigned our_gcm(void *arg)
{
    struct state *s = arg;
    return our_records(s, s->gcm_key);
}

static unsigned their_gcm(void *arg)
{
    struct state *s = arg;
    return all(s, mbx_sm4_gcm_init_mb16(s->keys, s->nonce, s->nonce_len, &s->gcm) == 0 &&
                      mbx_sm4_gcm_update_aad_mb16(s->additional, s->aad_len, &s->gcm) == 0 &&
                      mbx_sm4_gcm_encrypt_mb16(s->to, s->from, s->len, &s->gcm) == 0 &&
                      mbx_sm4_gcm_get_tag_mb16(s->tags, s->tag_len, &s->gcm) == 0);
}

static unsigned our_ccm(void *arg)
{
    struct state *s = arg;
    return our_records(s, s->ccm_key);
}

static unsigned their_ccm(void *arg)
{
    struct state *s = arg;
    return all(s, mbx_sm4_ccm_init_mb16(s->keys, s->nonce, s->nonce_len, s->tag_len, s->long_len, &s->ccm) == 0 &&
                      mbx_sm4_ccm_update_aad_mb16(s->additional, s->aad_len, &s->ccm) == 0 &&
                      mbx_sm4_ccm_encrypt_mb16(s->to, s->from, s->len, &s->ccm) == 0 &&
                      mbx_sm4_ccm_get_tag_mb16(s->tags, s->tag_len, &s->ccm) == 0);
}

static unsigned our_ctr(void *arg)
{
    struct state *s = arg;
    struct oct_sm4_ctr_text text[TEXTS];
    uint8_t counter[TEXTS][16];
    memcpy(counter, s->iv, sizeof counter);
    for (int i = 0; i < TEXTS; i++)
        text[i] = (struct oct_sm4_ctr_text){counter[i], s->text[i], s->bytes, s->ours[i]};
    return all(s, oct_sm4_ctr_many(s->key_of, text, TEXTS) == OCT_OK);
}

static unsigned their_ctr(void *arg)
{
    struct state *s = arg;
    memcpy(s->counter, s->iv, sizeof s->counter);
    return all(s, mbx_sm4_encrypt_ctr128_mb16(s->to, s->from, s->len, &s->schedule, s->counters) == 0);
}

static unsigned our_cbc(struct state *s,
                        int (*run)(const struct oct_sm4_key *const key[], const struct oct_sm4_cbc *text, size_t count))
{
    struct oct_sm4_cbc text[TEXTS];
    uint8_t iv[TEXTS][16];
    memcpy(iv, s->iv, sizeof iv);
    for (int i = 0; i < TEXTS; i++)
        text[i] = (struct oct_sm4_cbc){iv[i], s->text[i], s->bytes, s->ours[i]};
    return all(s, run(s->key_of, text, TEXTS) == OCT_OK);
}

static unsigned our_encrypt(void *arg)
{
    return our_cbc(arg, oct_sm4_cbc_encrypt_many);
}

static unsigned our_decrypt(void *arg)
{
    return our_cbc(arg, oct_sm4_cbc_decrypt_many);
}

static unsigned their_encrypt(void *arg)
{
    struct state *s = arg;
    return all(s, mbx_sm4_encrypt_cbc_mb16(s->to, s->from, s->len, &s->schedule, s->nonce) == 0);
}

static unsigned their_decrypt(void *arg)
{
    struct state *s = arg;
    return all(s, mbx_sm4_decrypt_cbc_mb16(s->to, s->from, s->len, &s->schedule, s->nonce) == 0);
}

static int same(void *arg)
{
    struct state *s = arg;
    int differs = memcmp(s->our_tag, s->their_tag, sizeof s->our_tag);
    for (int i = 0; i < TEXTS; i++)
        differs |= memcmp(s->ours[i], s->theirs[i], s->bytes);
    return !differs;
}

#define ROW(name, mode, size)                                                                                          \
    {                                                                                                                  \
        name "-" #size, "B/s", 0, size, open_state, close_state, our_##mode, their_##mode, same                        \
    }
#define ROWS(name, mode) ROW(name, mode, 64), ROW(name, mode, 256), ROW(name, mode, 1440), ROW(name, mode, 16384)

const struct beside_row crypto_mb_sm4[] = {
    ROWS("sm4gcm-seal", gcm),        ROWS("sm4ccm-seal", ccm),        ROWS("sm4ctr", ctr),
    ROWS("sm4cbc-encrypt", encrypt), ROWS("sm4cbc-decrypt", decrypt), {0}};
