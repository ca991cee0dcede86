/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * AEADs beside ipsec-mb, by its direct calls: one record a call, 13 bytes of additional data, one key, buffers of their
 * own for text and result. ipsec-mb computes the tag when it opens and leaves the comparison to its caller, so the
 * comparison is part of its side here.
 */
#include "ipsec_mb.h"

#include <octuple/aead.h>
#include <stdlib.h>
#include <string.h>

#define AAD_BYTES 13
#define RECORDS   8 /* one call */
#define KEY_BYTES 32
#define ALIGNMENT 64

struct state {
    struct gcm_key_data gcm;
    uint8_t text[MAX_BYTES], sealed[MAX_BYTES], ours[MAX_BYTES], theirs[MAX_BYTES];
    struct oct_aead_key *key;
    size_t len;
    uint8_t key_bytes[KEY_BYTES], nonce[OCT_AEAD_NONCE_BYTES], aad[AAD_BYTES];
    uint8_t sealed_tag[OCT_AEAD_TAG_BYTES], our_tag[OCT_AEAD_TAG_BYTES], their_tag[OCT_AEAD_TAG_BYTES];
};

static void close_state(void *arg)
{
    struct state *s = arg;
    oct_aead_key_free(s->key);
    free(s);
}

static void *open_state(const struct beside_row *row)
{
    struct state *s = aligned_alloc(ALIGNMENT, (sizeof *s + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);

    if (s == NULL)
        return NULL;
    memset(s, 0, sizeof *s);
    s->len = row->len;
    if (beside_fill(s->text, s->len) && beside_fill(s->key_bytes, KEY_BYTES) && beside_fill(s->aad, AAD_BYTES) &&
        beside_fill(s->nonce, sizeof s->nonce) &&
        oct_aead_key_new(&s->key, row->which, s->key_bytes, oct_aead_key_len(row->which)) == OCT_OK &&
        oct_aead_seal(s->key, s->nonce, s->aad, AAD_BYTES, s->text, s->len, s->sealed, s->sealed_tag) == OCT_OK) {
        if (row->which != OCT_AEAD_CHACHA20_POLY1305)
            ipsec_mb_gcm_key(row->which, s->key_bytes, &s->gcm);
        return s;
    }
    close_state(s);
    return NULL;
}

static unsigned our_seal(void *arg)
{
    struct state *s = arg;
    for (int i = 0; i < RECORDS; i++)
        if (oct_aead_seal(s->key, s->nonce, s->aad, AAD_BYTES, s->text, s->len, s->ours, s->our_tag) != OCT_OK)
            return 0;
    return (unsigned)(RECORDS * s->len);
}

static unsigned our_open(void *arg)
{
    struct state *s = arg;
    for (int i = 0; i < RECORDS; i++)
        if (oct_aead_open(s->key, s->nonce, s->aad, AAD_BYTES, s->sealed, s->len, s->ours, s->sealed_tag) != OCT_OK)
            return 0;
    return (unsigned)(RECORDS * s->len);
}

static void chacha_seal_one(IMB_MGR *m, struct state *s)
{
    struct chacha20_poly1305_context_data context;
    IMB_CHACHA20_POLY1305_INIT(m, s->key_bytes, &context, s->nonce, s->aad, AAD_BYTES);
    IMB_CHACHA20_POLY1305_ENC_UPDATE(m, s->key_bytes, &context, s->theirs, s->text, s->len);
    IMB_CHACHA20_POLY1305_ENC_FINALIZE(m, &context, s->their_tag, sizeof s->their_tag);
}

static void chacha_open_one(IMB_MGR *m, struct state *s)
{
    struct chacha20_poly1305_context_data context;
    IMB_CHACHA20_POLY1305_INIT(m, s->key_bytes, &context, s->nonce, s->aad, AAD_BYTES);
    IMB_CHACHA20_POLY1305_DEC_UPDATE(m, s->key_bytes, &context, s->theirs, s->sealed, s->len);
    IMB_CHACHA20_POLY1305_DEC_FINALIZE(m, &context, s->their_tag, sizeof s->their_tag);
}

/* A pair of functions for each AEAD, so that nothing is decided in the loops. */
#define CALLS(name, seal_one, open_one)                                                                                \
    static unsigned their_##name##_seal(void *arg)                                                                     \
    {                                                                                                                  \
        IMB_MGR *m = ipsec_mb_manager();                                                                               \
        struct state *s = arg;                                                                                         \
        for (int i = 0; i < RECORDS; i++)                                                                              \
            seal_one;                                                                                                  \
        return (unsigned)(RECORDS * s->len);                                                                           \
    }                                                                                                                  \
    static unsigned their_##name##_open(void *arg)                                                                     \
    {                                                                                                                  \
        IMB_MGR *m = ipsec_mb_manager();                                                                               \
        struct state *s = arg;                                                                                         \
        for (int i = 0; i < RECORDS; i++) {                                                                            \
            open_one;                                                                                                  \
            if (memcmp(s->their_tag, s->sealed_tag, sizeof s->their_tag) != 0)                                         \
                return 0;                                                                                              \
        }                                                                                                              \
        return (unsigned)(RECORDS * s->len);                                                                           \
    }
#define GCM_CALLS(bits)                                                                                                \
    CALLS(aes##bits##gcm, GCM_CALL(IMB_AES##bits##_GCM_ENC, s->text), GCM_CALL(IMB_AES##bits##_GCM_DEC, s->sealed))
#define GCM_CALL(call, in)                                                                                             \
    {                                                                                                                  \
        struct gcm_context_data context;                                                                               \
        call(m, &s->gcm, &context, s->theirs, in, s->len, s->nonce, s->aad, AAD_BYTES, s->their_tag,                   \
             sizeof s->their_tag);                                                                                     \
    }
GCM_CALLS(128)
GCM_CALLS(192)
GCM_CALLS(256)
CALLS(chacha20poly1305, chacha_seal_one(m, s), chacha_open_one(m, s))

static int same_seal(void *arg)
{
    struct state *s = arg;
    return memcmp(s->ours, s->theirs, s->len) == 0 && memcmp(s->our_tag, s->their_tag, sizeof s->our_tag) == 0;
}

static int same_open(void *arg)
{
    struct state *s = arg;
    return memcmp(s->ours, s->theirs, s->len) == 0 && memcmp(s->ours, s->text, s->len) == 0;
}

#define ROW(name, verb, size, aead)                                                                                    \
    {                                                                                                                  \
#name "-" #verb "-" #size, "B/s", aead, size, open_state, close_state, our_##verb, their_##name##_##verb,      \
            same_##verb                                                                                                \
    }
#define VERB(name, verb, aead)                                                                                         \
    ROW(name, verb, 64, aead), ROW(name, verb, 256, aead), ROW(name, verb, 1440, aead), ROW(name, verb, 16384, aead)
#define AEAD(name, aead) VERB(name, seal, aead), VERB(name, open, aead)

const struct beside_row ipsec_mb_aead[] = {AEAD(aes128gcm, OCT_AEAD_AES_128_GCM),
                                           AEAD(aes192gcm, OCT_AEAD_AES_192_GCM),
                                           AEAD(aes256gcm, OCT_AEAD_AES_256_GCM),
                                           AEAD(chacha20poly1305, OCT_AEAD_CHACHA20_POLY1305),
                                           {0}};
