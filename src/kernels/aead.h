/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The arguments of every AEAD kernel: AES-GCM (NIST SP 800-38D) and ChaCha20-Poly1305 (RFC 8439), and of the masks that
 * protect QUIC's headers (RFC 9001, 5.4).
 *
 * Lengths, positions and pointers are public, and they stand in the argument's own struct only: nothing that is read
 * from a key or a state may decide a branch or an address. Secret are keys, states, texts, and a tag until it has
 * been sent. Texts may have any length and alignment, also 0 with a pointer that is not valid; not one byte outside
 * of them is read or written. `out` is `in` or overlaps neither `in` nor `aad`; the tag's 16 bytes overlap no text
 * that is still to be read.
 */
#ifndef OCT_KERNELS_AEAD_H
#define OCT_KERNELS_AEAD_H

#include "base/base.h"

#define OCT_AEAD_NONCE 12
#define OCT_AEAD_TAG 16
/* Memory of an expanded key, of an expanded header protection key, and of a stream's state at most; each 16-byte aligned. */
#define OCT_AEAD_EXPANDED_BYTES 624
#define OCT_AEAD_MASK_KEY_BYTES 256
#define OCT_AEAD_STATE_BYTES OCT_CHACHA20POLY1305_STATE_BYTES
/* What each AEAD's state takes, and its window (see below), for every tier. The last two windows of a state are the caller's; a
 * kernel uses them as its own for the first piece of text only. */
#define OCT_GCM_STATE_BYTES 192
#define OCT_GCM_WINDOW 64
#define OCT_CHACHA20POLY1305_STATE_BYTES 3200
#define OCT_CHACHA20POLY1305_WINDOW 512
/* Records in one burst call, samples in one mask call. */
#define OCT_AEAD_BURST 8

/* The expanded form of a key whose length the kernel knows: in `key` for records and streams, in `mask_key` for masks.
 * Whichever is NULL is not made. */
struct oct_aead_expand_args {
    void *key, *mask_key;
    const uint8_t *bytes;
};

/* One record. Opening decrypts to `out` and writes to `tag` what the tag has to be; the caller compares, and clears
 * `out` where it differs. */
struct oct_aead_record {
    const uint8_t *nonce; /* 12 bytes */
    const uint8_t *aad;
    size_t aad_len;
    const uint8_t *in;
    uint8_t *out;
    size_t len;
    uint8_t *tag; /* 16 bytes, written */
};

struct oct_aead_record_args {
    const void *key;
    struct oct_aead_record record;
};

/* Up to OCT_AEAD_BURST records under one key, of any lengths; no output overlaps any other record. */
struct oct_aead_burst_args {
    const void *key;
    size_t count;
    struct oct_aead_record record[OCT_AEAD_BURST];
};

/* mask[i] = 16 bytes from sample i of 16 bytes: AES of the sample, or the first bytes of ChaCha20's key stream. */
struct oct_aead_mask_args {
    const void *mask_key;
    size_t count;
    const uint8_t *sample[OCT_AEAD_BURST];
    uint8_t *mask; /* 16 * count bytes */
};

/*
 * A record in pieces: start, then additional data, then text, then the tag; one struct for all, each reads what is its. `before`
 * is how many bytes of additional data (of text) earlier pieces had; only after the last piece of additional data does text begin.
 *
 * The first piece of text may have any length but 0. All others are whole windows from a window's beginning on, a window being
 * as many bytes of text as it says above, counted from the text's beginning. What does not fit that, the caller combines with key stream
 * of its own accord: `window` takes the ciphertext of `len` bytes, which may be 0, that have gone this way, up to a window's
 * end at most, and, if `out` is not NULL, writes there the key stream of the whole window that the text then stands in. Before
 * other text, and at the end by `finish`, such ciphertext has to be handed over too.
 */
struct oct_aead_stream_args {
    const void *key;
    void *state;
    const uint8_t *iv; /* start: any length of at least 1 for GCM, 12 for ChaCha20-Poly1305 */
    size_t iv_len;
    const uint8_t *in;
    uint8_t *out; /* text and window */
    size_t len;
    uint64_t before;
    uint64_t aad_total;  /* text, window and tag */
    uint64_t text_total; /* tag */
    uint8_t *tag;
};

typedef void oct_aead_expand_fn(const struct oct_aead_expand_args *args);
typedef void oct_aead_record_fn(const struct oct_aead_record_args *args);
typedef void oct_aead_burst_fn(const struct oct_aead_burst_args *args);
typedef void oct_aead_mask_fn(const struct oct_aead_mask_args *args);
typedef void oct_aead_stream_fn(const struct oct_aead_stream_args *args);

#endif
