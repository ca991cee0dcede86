/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Poly1305 on general registers: words of 64 bits, block after block, nearly free beside ChaCha20 on vectors
 * (chacha20poly1305_beside_impl.h). A sum has a third word of at most POLY_TOP between blocks. It needs no powers of r,
 * so that a short message costs its blocks alone. All is secret but how many blocks there are.
 */
#ifndef OCT_KERNELS_POLY1305_WIDE_IMPL_H
#define OCT_KERNELS_POLY1305_WIDE_IMPL_H

#include "kernels/chacha/poly1305_number_impl.h"
#include "vec/cipher/wide.h"

#include <string.h>

#define POLY_TOP 4
/* So many bytes wait for Poly1305's key, and are worked off together. */
#define POLY_BYTES 64
#define POLY_GROUP POLY_BYTES

struct poly {
    uint64_t sum[3], r[2], total[3], pad[2];
    uint8_t pending[POLY_BYTES];
};

/* r, and 5/4 of its upper word: what leaves the top, 2^128 * r1, comes back as that. */
struct poly_factor {
    digit r0, r1, s1;
};

VEC_STEP void poly_load_factor(struct poly_factor *f, const uint64_t r[2])
{
    f->r0 = digit_load(&r[0], POLY_R0_MOST);
    f->r1 = digit_load(&r[1], POLY_R1_MOST);
    f->s1 = digit_add(f->r1, digit_srl(f->r1, 2));
}
VEC_STEP void poly_load_sum(digit h[3], const uint64_t sum[3])
{
    h[0] = digit_load(&sum[0], ~(uint64_t)0);
    h[1] = digit_load(&sum[1], ~(uint64_t)0);
    h[2] = digit_load(&sum[2], POLY_TOP);
}
VEC_STEP void poly_store_sum(uint64_t sum[3], const digit h[3])
{
    digit_store(&sum[0], h[0], ~(uint64_t)0);
    digit_store(&sum[1], h[1], ~(uint64_t)0);
    digit_store(&sum[2], h[2], POLY_TOP);
}

/* h = (h + block + 2^128) * r. What is above 2^130 comes back five times at the bottom. */
VEC_STEP void poly_block(digit h[3], const struct poly_factor *f, const uint8_t block[16])
{
    wide_add_number(h, digit_load_bytes(block), digit_load_bytes(block + 8), digit_set(1));
    const digit a0 = h[0], a1 = h[1], a2 = h[2];

    wide d0 = wide_multiply_add(wide_multiply_add(wide_of(digit_set(0)), a0, f->r0), a1, f->s1);
    wide d1 = wide_multiply_add(wide_multiply_add(wide_of(digit_multiply(a2, f->s1)), a0, f->r1), a1, f->r0);
    d1 = wide_add(d1, wide_high(d0));
    const digit d2 = digit_add(digit_multiply(a2, f->r0), wide_high(d1)), over = digit_srl(d2, 2);

    h[0] = wide_low(d0);
    h[1] = wide_low(d1);
    h[2] = digit_low(d2, 2);
    wide_add_number(h, digit_add(over, digit_sll(over, 2)), digit_set(0), digit_set(0));
    WIDE_NUMBER(h, 3);
}
static OCT_NOINLINE void poly_blocks(uint64_t sum[3], const uint64_t r[2], const uint8_t *data, size_t count)
{
    struct poly_factor f;
    digit h[3];
    poly_load_factor(&f, r);
    poly_load_sum(h, sum);
    for (; count > 0; count--, data += 16)
        poly_block(h, &f, data);
    poly_store_sum(sum, h);
}

/* What the forms on lanes have: a first value, and powers. */
VEC_STEP void poly_begin(struct poly *p)
{
    p->sum[0] = p->sum[1] = p->sum[2] = 0;
}
VEC_STEP void poly_make_powers(struct poly *p)
{
    (void)p;
}
VEC_STEP void poly_make_far(struct poly *p)
{
    (void)p;
}
/* `count` times POLY_BYTES. */
VEC_STEP void poly_vectors(struct poly *p, unsigned started, unsigned bulk, const uint8_t *data, size_t count)
{
    (void)started, (void)bulk;
    poly_blocks(p->sum, p->r, data, count * (POLY_BYTES / 16));
}
/* All so far as one number, `total`: `last` blocks are pending. */
VEC_STEP void poly_fold(struct poly *p, unsigned started, unsigned powers, unsigned last)
{
    (void)started, (void)powers;
    poly_blocks(p->sum, p->r, p->pending, last);
    memcpy(p->total, p->sum, sizeof p->total);
    poly_reduce(p->total);
}

#endif
