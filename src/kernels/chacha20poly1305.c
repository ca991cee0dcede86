/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* ChaCha20-Poly1305: records, bursts, masks, keys. Streams are in chacha20poly1305_stream_impl.h. */
#include "kernels/chacha20poly1305_impl.h"

#include "kernels/chacha20poly1305_stream_impl.h"

/* Sealed and opened by the same steps; `opening` is a constant. */
VEC_STEP void take_record(struct message *m, const void *key, const struct oct_aead_record *r, const unsigned opening)
{
    struct course at = {.is_long = r->len >= BULK_TEXT};
    m->chacha = *(const struct chacha *)key;
    chacha_set_nonce(&m->chacha, r->nonce);
    absorb_aad(m, &at, r->aad, r->aad_len);
    absorb_padding(m, &at);
    if (r->len > 0)
        take_text(m, &at, r->out, r->in, r->len, 1, opening);
    else if (!at.keyed)
        make_key(m, &at);
    absorb_padding(m, &at);
    poly_finish(&m->poly, at.pos, at.powers, r->aad_len, r->len, r->tag);
    forget(m, &at);
}
static OCT_NOINLINE void seal_record(struct message *m, const void *key, const struct oct_aead_record *r)
{
    take_record(m, key, r, 0);
}
static OCT_NOINLINE void open_record(struct message *m, const void *key, const struct oct_aead_record *r)
{
    take_record(m, key, r, 1);
}

void OCT_NAME(chacha20poly1305_seal)(const struct oct_aead_record_args *args)
{
    struct message m;
    seal_record(&m, args->key, &args->record);
}

void OCT_NAME(chacha20poly1305_open)(const struct oct_aead_record_args *args)
{
    struct message m;
    open_record(&m, args->key, &args->record);
}

void OCT_NAME(chacha20poly1305_seal_burst)(const struct oct_aead_burst_args *args)
{
    struct message m;
    for (size_t i = 0; i < args->count; i++)
        seal_record(&m, args->key, &args->record[i]);
}

void OCT_NAME(chacha20poly1305_open_burst)(const struct oct_aead_burst_args *args)
{
    struct message m;
    for (size_t i = 0; i < args->count; i++)
        open_record(&m, args->key, &args->record[i]);
}

/* A key expands to the state that it stands in, whatever it is for. */
_Static_assert(sizeof(struct chacha) <= OCT_AEAD_EXPANDED_BYTES && sizeof(struct chacha) <= OCT_AEAD_MASK_KEY_BYTES,
               "an expanded key fits");
void OCT_NAME(chacha20poly1305_expand)(const struct oct_aead_expand_args *args)
{
    if (args->key)
        chacha_set_key(args->key, args->bytes);
    if (args->mask_key)
        chacha_set_key(args->mask_key, args->bytes);
}

/* Header protection (RFC 9001, 5.4.4). A sample is the last row of a state, counter and nonce, so samples are loaded as they are, and
 * a mask is the first row. All samples of a call go side by side; where there are fewer, the first stands in for the others. */
#define MASK_SETS (OCT_AEAD_BURST / WORDS_ROWS)
_Static_assert(MASK_SETS <= CHACHA_ROW_SETS, "all samples are rows");
void OCT_NAME(chacha20poly1305_mask)(const struct oct_aead_mask_args *args)
{
    words x[MASK_SETS][4];
    VEC_UNROLL for (unsigned i = 0; i < OCT_AEAD_BURST; i++)
    {
        const words before = i % WORDS_ROWS ? x[i / WORDS_ROWS][3] : words_set1(0);
        x[i / WORDS_ROWS][3] = words_put_row(before, i % WORDS_ROWS, args->sample[i < args->count ? i : 0]);
    }
    chacha_row_states(x, MASK_SETS, args->mask_key);
    VEC_UNROLL for (unsigned i = 0; i < OCT_AEAD_BURST; i++)
        if (i < args->count)
            words_store_row(args->mask + 16 * i, x[i / WORDS_ROWS][0], i % WORDS_ROWS);
}

void OCT_NAME(chacha20poly1305_clear_registers)(void)
{
    words_clear_registers();
}
