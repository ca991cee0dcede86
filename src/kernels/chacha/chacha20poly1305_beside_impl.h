/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * ChaCha20 on vectors and Poly1305 on general registers in one stream of instructions: a block of Poly1305 after each
 * pair of quarter rounds. Neither needs what the other does, and together they take little more than the longer one.
 */
#ifndef OCT_KERNELS_CHACHA20POLY1305_BESIDE_IMPL_H
#define OCT_KERNELS_CHACHA20POLY1305_BESIDE_IMPL_H

#include "kernels/chacha/chacha20_impl.h"
#include "kernels/chacha/poly1305_impl.h"

/* At most so many bytes beside a chunk, and so few that the chunk's lanes do not pay for them. */
#define BESIDE_MOST  (POLY_BYTES * CHACHA_DOUBLE_ROUNDS)
#define BESIDE_LEAST (2 * POLY_BYTES)

VEC_STEP void beside_double_round(words x[][16], digit h[3], const struct poly_factor *f, const uint8_t *data)
{
    VEC_UNROLL
    for (unsigned first = 0; first < 8; first += WORDS_QUARTERS) {
        chacha_quarters(x, 1, first / 4, first % 4);
        poly_block(h, f, data + 16 * (first / WORDS_QUARTERS));
    }
}
_Static_assert(16 * 8 / WORDS_QUARTERS == POLY_BYTES, "a double round takes as much as is worked off together");

/* At most WORDS_LANES blocks of key stream, as chacha_lanes(); `vectors` times POLY_BYTES of data into the sum. All
 * data is read before any text is written. */
static OCT_NOINLINE void beside_lanes(const struct chacha *c, uint32_t counter, uint8_t *out, const uint8_t *in,
                                      size_t len, struct poly *p, const uint8_t *data, size_t vectors)
{
    words x[1][16];
    struct poly_factor f;
    digit h[3];
    poly_load_factor(&f, p->r);
    poly_load_sum(h, p->sum);
    chacha_lanes_begin(x, 1, c, NULL, counter);
    unsigned round = 0;
    for (; round < vectors; round++, data += POLY_BYTES)
        beside_double_round(x, h, &f, data);
    for (; round < CHACHA_DOUBLE_ROUNDS; round++)
        chacha_double_round(x, 1);
    poly_store_sum(p->sum, h);
    chacha_lanes_end(x, 1, c, NULL, counter);
    chacha_xor(out, in, x[0], 16, len);
}

#endif
