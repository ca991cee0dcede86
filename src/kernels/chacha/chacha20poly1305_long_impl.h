/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The long part of a text where Poly1305 is on general registers: ChaCha20 of some chunks, then Poly1305 of them on
 * lanes, or the other way round. That is fewer instructions than both beside each other, which counts where another
 * thread of the core is busy. The chunks are still in the first cache.
 */
#ifndef OCT_KERNELS_CHACHA20POLY1305_LONG_IMPL_H
#define OCT_KERNELS_CHACHA20POLY1305_LONG_IMPL_H

#include "kernels/chacha/chacha20_impl.h"
#include "kernels/chacha/poly1305_long_impl.h"

/* From so much text on it pays; so many chunks go together. */
#define LONG_TEXT  1024
#define LONG_PIECE 4

/* `chunks` times CHACHA_BULK of text; Poly1305 from `data` on, up to a group's end within the text when sealing, and
 * up to one that covers it when opening. Returns that end. */
VEC_STEP const uint8_t *long_pieces(struct poly_long *l, const struct chacha *c, struct poly *p, uint32_t counter,
                                    uint8_t *out, const uint8_t *in, size_t chunks, const uint8_t *data,
                                    const unsigned opening)
{
    poly_long_begin(l, p, data);
    data += LONG_BEGIN;
    for (size_t n; chunks > 0; chunks -= n) {
        n = chunks < LONG_PIECE ? chunks : LONG_PIECE;
        if (!opening)
            chacha_bulk(c, counter, out, in, n);
        const uint8_t *text = (opening ? in : out) + n * CHACHA_BULK;
        const size_t left = text > data ? (size_t)(text - data) : 0;
        const size_t groups = (left + (opening ? LONG_GROUP - 1 : 0)) / LONG_GROUP;
        poly_long_groups(l, data, groups);
        data += groups * LONG_GROUP;
        if (opening)
            chacha_bulk(c, counter, out, in, n);
        counter += (uint32_t)(n * (CHACHA_BULK / CHACHA_BLOCK));
        out += n * CHACHA_BULK;
        in += n * CHACHA_BULK;
    }
    poly_long_end(l, p);
    return data;
}
static OCT_NOINLINE const uint8_t *seal_pieces(struct poly_long *l, const struct chacha *c, struct poly *p,
                                               uint32_t counter, uint8_t *out, const uint8_t *in, size_t chunks,
                                               const uint8_t *data)
{
    return long_pieces(l, c, p, counter, out, in, chunks, data, 0);
}
static OCT_NOINLINE const uint8_t *open_pieces(struct poly_long *l, const struct chacha *c, struct poly *p,
                                               uint32_t counter, uint8_t *out, const uint8_t *in, size_t chunks,
                                               const uint8_t *data)
{
    return long_pieces(l, c, p, counter, out, in, chunks, data, 1);
}

/* The frame of what is secret, as that of struct message. */
static OCT_NOINLINE const uint8_t *seal_long(const struct chacha *c, struct poly *p, uint32_t counter, uint8_t *out,
                                             const uint8_t *in, size_t chunks, const uint8_t *data)
{
    struct poly_long l OCT_ALIGN64;
    data = seal_pieces(&l, c, p, counter, out, in, chunks, data);
    oct_cleanse(&l, sizeof l);
    return data;
}
static OCT_NOINLINE const uint8_t *open_long(const struct chacha *c, struct poly *p, uint32_t counter, uint8_t *out,
                                             const uint8_t *in, size_t chunks, const uint8_t *data)
{
    struct poly_long l OCT_ALIGN64;
    data = open_pieces(&l, c, p, counter, out, in, chunks, data);
    oct_cleanse(&l, sizeof l);
    return data;
}

#endif
