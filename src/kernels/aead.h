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

#include <string.h>

#define OCT_AEAD_NONCE 12
#define OCT_AEAD_TAG   16
/* Memory of an expanded key (64-byte aligned), of an expanded header protection key, and of a stream's state at most
 * (both 16-byte aligned). */
#define OCT_AEAD_EXPANDED_BYTES 2368
#define OCT_AEAD_MASK_KEY_BYTES 256
#define OCT_AEAD_STATE_BYTES    OCT_CHACHA20POLY1305_STATE_BYTES
/* What each AEAD's state takes, its window and its grain (see below), for every tier. The last two windows of a state
 * are the caller's; a kernel uses them as its own for the first piece of text only. */
#define OCT_GCM_STATE_BYTES 192
#define OCT_GCM_WINDOW      64
#define OCT_GCM_GRAIN       16
/* A stream's first text of at most so many bytes is sealed or opened as a record, in case nothing follows. */
#define OCT_GCM_FIRST                    448
#define OCT_CHACHA20POLY1305_STATE_BYTES 2304
#define OCT_CHACHA20POLY1305_WINDOW      512
#define OCT_CHACHA20POLY1305_GRAIN       512
/* Records in one burst call, samples in one mask call. */
#define OCT_AEAD_BURST 8

/* The expanded form of a key whose length the kernel knows: in `key` for records and streams, in `mask_key` for masks.
 * Whichever is NULL is not made. */
struct oct_aead_expand_args {
    void *key, *mask_key;
    const uint8_t *bytes;
};

/* One record of a burst. */
struct oct_aead_record {
    const uint8_t *nonce; /* 12 bytes */
    const uint8_t *aad;
    size_t aad_len;
    const uint8_t *in;
    uint8_t *out;
    size_t len;
    uint8_t *tag; /* 16 bytes, written */
};

/* Up to OCT_AEAD_BURST records under one key, of any lengths; no output overlaps any other record. */
struct oct_aead_burst_args {
    const void *key;
    size_t count;
    struct oct_aead_record record[OCT_AEAD_BURST];
};

/* At most so many packets in one call. */
#define OCT_AEAD_PACKETS 32

/* A QUIC packet: header, payload and 16 bytes for the tag, one after the other at `data`; all of it may be read, and
 * what is read of a tag that is not yet there does not matter. */
struct oct_aead_packet {
    uint8_t *data;
    size_t header_len; /* with the packet number: the additional data */
    size_t number_len; /* the last 1 to 4 bytes of the header; for masks only */
    size_t len;        /* of the payload */
    uint64_t number;   /* nonce = iv xor number, big-endian at the end */
};

/*
 * Packets under one key, of any lengths, those with less payload first, worked on in place; no packet overlaps another.
 * Sealing writes the tags, and masks the headers if there is a mask_key: their samples are 16 bytes from 4 bytes behind
 * a number's beginning. Opening gets headers without masks, and writes what the tags have to be to `wanted`, 16 bytes
 * each.
 */
struct oct_aead_packets_args {
    const void *key, *mask_key;
    const uint8_t *iv; /* 12 bytes */
    uint8_t *wanted;
    size_t count;
    struct oct_aead_packet packet[OCT_AEAD_PACKETS];
};

/* mask[i] = 16 bytes from sample i of 16 bytes: AES of the sample, or the first bytes of ChaCha20's key stream. */
struct oct_aead_mask_args {
    const void *mask_key;
    size_t count;
    const uint8_t *sample[OCT_AEAD_BURST];
    uint8_t *mask; /* 16 * count bytes */
};

/*
 * A record in pieces: start, then additional data, then text, then the tag; one struct for all, each reads what is its.
 * `before` is how many bytes of additional data (of text) earlier pieces had; only after the last piece of additional
 * data does text begin.
 *
 * The first piece of text may have any length but 0. All others are whole grains, from a grain's beginning on: so many
 * bytes of text as it says above, counted from the text's beginning. What does not fit that, the caller combines with
 * key stream of its own accord, and hands over what became of it with the next text or at the end: `held_len` bytes of
 * ciphertext, those just before `before`, which do not reach over the end of a window. If `ahead` is not NULL, the key
 * stream of the whole window that text stands in after this piece is written there; a piece that is only for these two
 * has no length, and cannot be the first.
 */
struct oct_aead_stream_args {
    const void *key;
    void *state;
    const uint8_t *iv; /* start: any length of at least 1 for GCM, 12 for ChaCha20-Poly1305 */
    size_t iv_len;
    const uint8_t *in;
    uint8_t *out; /* text only */
    size_t len;
    uint64_t before;
    const uint8_t *held; /* text and tag */
    size_t held_len;
    uint8_t *ahead;      /* text only */
    uint64_t aad_total;  /* text and tag */
    uint64_t text_total; /* tag */
    uint8_t *tag;
};

/* Which bits of a header's first byte are masked: 4 of a long header, 5 of a short one; no branch on the byte. */
OCT_INLINE uint8_t oct_packet_first_bits(uint8_t first)
{
    return (uint8_t)(0x1f ^ (first >> 3 & 0x10));
}

/* Takes a mask, of which 8 bytes are read, on or off: the first byte, and a number of 1 to 4 bytes. Not a byte of the
 * text behind it is read here: to load what has just been stored as parts of something else means to wait for the
 * cache. */
OCT_INLINE void oct_packet_mask(uint8_t *data, size_t number_at, size_t number_len, const uint8_t *mask)
{
    uint64_t word;
    memcpy(&word, mask, 8);
    data[0] ^= (uint8_t)word & oct_packet_first_bits(data[0]);
    if (number_at + number_len > 4) {
        uint8_t *last = data + number_at + number_len - 4;
        uint32_t number;
        memcpy(&number, last, 4);
        number ^= (uint32_t)(word >> 8) << (32 - 8 * number_len);
        memcpy(last, &number, 4);
    } else {
        for (size_t i = 0; i < number_len; i++)
            data[number_at + i] ^= (uint8_t)(word >> (8 + 8 * i));
    }
}

typedef void oct_aead_expand_fn(const struct oct_aead_expand_args *args);
/* One record; all in registers, since loads of what has just been stored would make a short one wait. No secret is left
 * in vector registers. Sealing returns 0, so that a caller may end with it. Opening decrypts to `out`, and returns 0 if
 * the tag is right; what it returns is secret but for that, and the caller clears `out` if it is not 0. */
typedef int oct_aead_seal_fn(const void *key, const uint8_t *nonce, const uint8_t *aad, size_t aad_len,
                             const uint8_t *in, size_t len, uint8_t *out, uint8_t *tag);
typedef uint64_t oct_aead_open_fn(const void *key, const uint8_t *nonce, const uint8_t *aad, size_t aad_len,
                                  const uint8_t *in, size_t len, uint8_t *out, const uint8_t *tag);
typedef void oct_aead_burst_fn(const struct oct_aead_burst_args *args);
typedef void oct_aead_packets_fn(const struct oct_aead_packets_args *args);
typedef void oct_aead_mask_fn(const struct oct_aead_mask_args *args);
typedef void oct_aead_stream_fn(const struct oct_aead_stream_args *args);

#endif
