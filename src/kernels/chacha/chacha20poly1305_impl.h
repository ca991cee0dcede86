/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * ChaCha20-Poly1305 (RFC 8439): what a record and a piece of a stream have in common.
 *
 * A chunk of text goes through ChaCha20 and then, still in the first cache, through Poly1305; opening takes them the
 * other way round. The block that gives Poly1305 its key rides in the first chunk with the text's own blocks. Poly1305
 * lags behind when sealing and runs ahead when opening, so that it always meets whole groups of vectors.
 *
 * Where Poly1305 is on general registers the two go side by side instead, but for long texts
 * (chacha20poly1305_long_impl.h).
 *
 * Positions and lengths are public and stand in struct course, which is registers; struct message is secret. A message
 * stands in the frame of a function that has nothing public there: what works on it gets its address, and keeps nothing
 * public where a store through that could reach. So tools/check-isa can tell the two apart.
 */
#ifndef OCT_KERNELS_CHACHA20POLY1305_IMPL_H
#define OCT_KERNELS_CHACHA20POLY1305_IMPL_H

#include "kernels/chacha/chacha20_impl.h"
#include "kernels/chacha/chacha20poly1305.h"
#include "kernels/chacha/poly1305_impl.h"
#if TIER_WIDE
#include "kernels/chacha/chacha20poly1305_beside_impl.h"
#include "kernels/chacha/chacha20poly1305_long_impl.h"
#endif

/* From this length of text on the powers for groups of vectors pay. */
#define BULK_TEXT (2 * (size_t)POLY_GROUP)

struct message {
    struct chacha chacha;
    struct poly poly;
    uint8_t key[CHACHA_BLOCK];                  /* the block with Poly1305's key */
    uint8_t stream[CHACHA_BLOCK * WORDS_LANES]; /* blocks that are ahead of the text; used if `ahead` */
};

/* How far a call has come. */
struct course {
    uint64_t pos;     /* bytes that Poly1305 has from this call */
    unsigned keyed;   /* Poly1305 has its key */
    unsigned powers;  /* and r^1 .. r^2L */
    unsigned bulk;    /* and r^L .. r^4L */
    unsigned is_long; /* there is so much text that these pay */
    unsigned ahead;   /* `stream` has been used */
};

/* A number of bytes with padding to whole blocks. */
OCT_INLINE uint64_t padded(uint64_t len)
{
    return (len + 15) / 16 * 16;
}

VEC_STEP void take_key(struct message *m, struct course *at)
{
    poly_set_key(&m->poly, m->key);
    at->keyed = 1;
}
VEC_STEP void make_key(struct message *m, struct course *at)
{
    static const uint8_t no_text[1] = {0};
    chacha_rows1(&m->chacha, 0, m->key, m->stream, no_text, 0);
    take_key(m, at);
}

/* Poly1305 takes `len` bytes; it has its key if that makes a whole vector. */
VEC_STEP void absorb(struct message *m, struct course *at, const uint8_t *data, size_t len)
{
    if (len == 0)
        return;
    if (!at->powers && at->pos + len >= POLY_BYTES) {
        poly_make_powers(&m->poly);
        at->powers = 1;
    }
    if (!at->bulk && at->is_long && at->powers && len >= POLY_GROUP) {
        poly_make_far(&m->poly);
        at->bulk = 1;
    }
    poly_absorb(&m->poly, at->pos, at->bulk, data, len);
    at->pos += len;
}
/* And zeros up to a whole block. */
VEC_STEP void absorb_padding(struct message *m, struct course *at)
{
    static const uint8_t zeros[16] = {0};
    absorb(m, at, zeros, (size_t)(padded(at->pos) - at->pos));
}
/* All of the additional data, or the next piece of it. */
VEC_STEP void absorb_aad(struct message *m, struct course *at, const uint8_t *aad, size_t len)
{
    if (!at->keyed && padded(at->pos + len) >= POLY_BYTES)
        make_key(m, at);
    absorb(m, at, aad, len);
}

/* out = in xor stored blocks. */
VEC_STEP void xor_stored(uint8_t *out, const uint8_t *in, const uint8_t *stream, size_t len)
{
    size_t i = 0;
    for (; len - i >= WORDS_BYTES; i += WORDS_BYTES)
        words_store(out + i, words_xor(words_load(stream + i), words_load(in + i)));
    if (len > i)
        chacha_xor_part(out + i, in + i, words_load(stream + i), len - i);
}

/* How many of the `len` bytes that are there Poly1305 takes now: up to a group's end. */
VEC_STEP size_t lag(uint64_t pos, size_t len)
{
    const size_t over = (size_t)((pos + len) % POLY_GROUP);
    return len > over ? len - over : 0;
}
/* How many it takes if it needs `len` of `limit` bytes: up to a group's end, if there is one. */
VEC_STEP size_t lead(uint64_t pos, size_t len, size_t limit)
{
    const size_t under = (size_t)(POLY_GROUP - (pos + len) % POLY_GROUP) % POLY_GROUP;
    return limit - len < under ? limit : len + under;
}

/* The first chunk of text, and Poly1305's key with it. Returns how many of the `len` bytes it has worked off. */
VEC_STEP size_t first_chunk(struct message *m, struct course *at, uint8_t *out, const uint8_t *in, size_t len,
                            const unsigned opening)
{
    const size_t room = (size_t)CHACHA_BLOCK * (WORDS_LANES - 1), n = len < room ? len : room;
    const size_t blocks = 1 + (n + CHACHA_BLOCK - 1) / CHACHA_BLOCK;
    /* What makes no whole vector yet Poly1305 takes without its key. */
    const unsigned is_short = at->pos + len < POLY_BYTES;
    if (opening && is_short)
        absorb(m, at, in, len);
    if (!opening || is_short) {
        chacha_some(&m->chacha, 0, blocks, m->key, out, in, n);
        take_key(m, at);
        return n;
    }
    at->ahead = 1;
    chacha_some(&m->chacha, 0, blocks, m->key, m->stream, NULL, n);
    take_key(m, at);
    absorb(m, at, in, lead(at->pos, n, len));
    xor_stored(out, in, m->stream, n);
    return n;
}

/* A chunk of n bytes with the blocks counter, counter + 1, ... */
VEC_STEP void chunk(struct message *m, uint32_t counter, uint8_t *out, const uint8_t *in, size_t n)
{
    if (n == CHACHA_BULK)
        chacha_bulk(&m->chacha, counter, out, in, 1);
    else
        chacha_some(&m->chacha, counter, (n + CHACHA_BLOCK - 1) / CHACHA_BLOCK, NULL, out, in, n);
}
OCT_INLINE size_t chunk_bytes(size_t left)
{
    const size_t some = (size_t)CHACHA_BLOCK * WORDS_LANES;
    return left >= CHACHA_BULK ? CHACHA_BULK : left < some ? left : some;
}

#if TIER_WIDE
/* A chunk, and the `size` bytes of data for Poly1305 beside it. Returns 0, with nothing done, if they are too few. */
VEC_STEP unsigned chunk_beside(struct message *m, struct course *at, uint32_t counter, uint8_t *out, const uint8_t *in,
                               size_t n, const uint8_t *data, size_t size)
{
    const size_t fill = (size_t)(POLY_BYTES - at->pos % POLY_BYTES) % POLY_BYTES;
    if (size < fill + BESIDE_LEAST)
        return 0;
    const size_t whole = (size - fill) / POLY_BYTES * POLY_BYTES;
    const size_t before = fill + (whole > BESIDE_MOST ? whole - BESIDE_MOST : 0), beside = fill + whole - before;
    absorb(m, at, data, before);
    /* What is left makes nothing whole: it is only kept. */
    poly_absorb(&m->poly, at->pos + beside, 0, data + before + beside, size - before - beside);
    beside_lanes(&m->chacha, counter, out, in, n, &m->poly, data + before, beside / POLY_BYTES);
    at->pos += size - before;
    return 1;
}
/* The long part of the `left` bytes of text from `in` on; Poly1305 has got all before `data`. Returns how many bytes
 * it has worked off, 0 if it does not pay. */
VEC_STEP size_t long_part(struct message *m, struct course *at, uint32_t counter, uint8_t *out, const uint8_t *in,
                          size_t left, const uint8_t *data, const unsigned opening)
{
    const size_t fill = (size_t)(POLY_BYTES - at->pos % POLY_BYTES) % POLY_BYTES;
    if (left < LONG_TEXT || (!opening && (size_t)(out - data) < fill + LONG_BEGIN))
        return 0;
    const size_t chunks = (left - (opening ? LONG_GROUP - 1 : 0)) / CHACHA_BULK;
    absorb(m, at, data, fill);
    data += fill;
    at->pos += (size_t)((opening ? open_long : seal_long)(&m->chacha, &m->poly, counter, out, in, chunks, data) - data);
    return chunks * CHACHA_BULK;
}
#else
VEC_STEP unsigned chunk_beside(struct message *m, struct course *at, uint32_t counter, uint8_t *out, const uint8_t *in,
                               size_t n, const uint8_t *data, size_t size)
{
    (void)m, (void)at, (void)counter, (void)out, (void)in, (void)n, (void)data, (void)size;
    return 0;
}
VEC_STEP size_t long_part(struct message *m, struct course *at, uint32_t counter, uint8_t *out, const uint8_t *in,
                          size_t left, const uint8_t *data, const unsigned opening)
{
    (void)m, (void)at, (void)counter, (void)out, (void)in, (void)left, (void)data, (void)opening;
    return 0;
}
#endif

/* Text from the beginning of block `counter` on, to its end, len > 0: 1 is the text's first block, and only then
 * Poly1305 may be without its key. */
VEC_STEP void take_text(struct message *m, struct course *at, uint8_t *out, const uint8_t *in, size_t len,
                        uint32_t counter, const unsigned opening)
{
    const uint64_t begin = at->pos;
    size_t done = 0;
    if (!at->keyed)
        done = first_chunk(m, at, out, in, len, opening);
    for (size_t n; done < len; done += n) {
        const size_t absorbed = (size_t)(at->pos - begin);
        const uint8_t *data = (opening ? in : out) + absorbed;
        const uint32_t number = counter + (uint32_t)(done / CHACHA_BLOCK);
        size_t size = 0;
        n = long_part(m, at, number, out + done, in + done, len - done, data, opening);
        if (n > 0)
            continue;
        n = chunk_bytes(len - done);
        /* When sealing, of the chunk before, whose stores have long reached the cache. */
        if (!opening)
            size = lag(at->pos, done - absorbed);
        else if (absorbed < done + n)
            size = lead(at->pos, done + n - absorbed, len - absorbed);
        if (chunk_beside(m, at, number, out + done, in + done, n, data, size))
            continue;
        if (opening)
            absorb(m, at, data, size);
        chunk(m, number, out + done, in + done, n);
        if (!opening)
            absorb(m, at, data, size);
    }
    if (!opening)
        absorb(m, at, out + (at->pos - begin), len - (size_t)(at->pos - begin));
}

/* What a call leaves behind of its message. */
VEC_STEP void forget(struct message *m, const struct course *at)
{
    oct_cleanse(m, at->ahead ? sizeof *m : offsetof(struct message, stream));
}

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
/* What is public of a record comes as arguments. */
static OCT_NOINLINE void seal_record(struct message *m, const void *key, const uint8_t *nonce, const uint8_t *aad,
                                     size_t aad_len, const uint8_t *in, size_t len, uint8_t *out, uint8_t *tag)
{
    const struct oct_aead_record r = {nonce, aad, aad_len, in, out, len, tag};
    take_record(m, key, &r, 0);
}
static OCT_NOINLINE void open_record(struct message *m, const void *key, const uint8_t *nonce, const uint8_t *aad,
                                     size_t aad_len, const uint8_t *in, size_t len, uint8_t *out, uint8_t *tag)
{
    const struct oct_aead_record r = {nonce, aad, aad_len, in, out, len, tag};
    take_record(m, key, &r, 1);
}

#endif
