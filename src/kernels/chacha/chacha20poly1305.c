/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* ChaCha20-Poly1305: records, masks, keys. Bursts and streams have headers of their own. */
#include "kernels/chacha/chacha20poly1305_impl.h"

#include "kernels/chacha/chacha20poly1305_burst_impl.h"
#include "kernels/chacha/chacha20poly1305_stream_impl.h"

int OCT_NAME(chacha20poly1305_seal)(const void *key, const uint8_t *nonce, const uint8_t *aad, size_t aad_len,
                                    const uint8_t *in, size_t len, uint8_t *out, uint8_t *tag)
{
    struct message m;
    seal_record(&m, key, nonce, aad, aad_len, in, len, out, tag);
    words_clear_registers();
    return 0;
}

uint64_t OCT_NAME(chacha20poly1305_open)(const void *key, const uint8_t *nonce, const uint8_t *aad, size_t aad_len,
                                         const uint8_t *in, size_t len, uint8_t *out, const uint8_t *tag)
{
    uint8_t wanted[OCT_AEAD_TAG];
    struct message m;
    open_record(&m, key, nonce, aad, aad_len, in, len, out, wanted);
    words_clear_registers();
    return (tier_load64(wanted) ^ tier_load64(tag)) | (tier_load64(wanted + 8) ^ tier_load64(tag + 8));
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

/* Header protection (RFC 9001, 5.4.4). A sample is the last row of a state, counter and nonce, so samples are loaded as
 * they are, and a mask is the first row. All samples of a call go side by side; where there are fewer, the first stands
 * in for the others. */
#define MASK_SETS (OCT_AEAD_BURST / WORDS_ROWS)
_Static_assert(MASK_SETS <= CHACHA_ROW_SETS, "all samples are rows");
void OCT_NAME(chacha20poly1305_mask)(const struct oct_aead_mask_args *args)
{
    words x[MASK_SETS][4];
    VEC_UNROLL
    for (unsigned i = 0; i < OCT_AEAD_BURST; i++) {
        const words before = i % WORDS_ROWS ? x[i / WORDS_ROWS][3] : words_set1(0);
        x[i / WORDS_ROWS][3] = words_put_row(before, i % WORDS_ROWS, args->sample[i < args->count ? i : 0]);
    }
    chacha_row_states(x, MASK_SETS, args->mask_key);
    VEC_UNROLL
    for (unsigned i = 0; i < OCT_AEAD_BURST; i++)
        if (i < args->count)
            words_store_row(args->mask + 16 * i, x[i / WORDS_ROWS][0], i % WORDS_ROWS);
}

void OCT_NAME(chacha20poly1305_clear_registers)(void)
{
    words_clear_registers();
}
