/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Poly1305 (RFC 8439) of a message in pieces, in the form that the tier multiplies best. POLY_BYTES of it are taken
 * together; `pos` counts the bytes so far, padding included, and pos mod POLY_BYTES are pending. All but pos and
 * lengths is secret.
 */
#ifndef OCT_KERNELS_POLY1305_IMPL_H
#define OCT_KERNELS_POLY1305_IMPL_H

#include "vec/cipher/tier.h"

#if TIER_WIDE
#include "kernels/chacha/poly1305_wide_impl.h"
#else
#include "kernels/chacha/poly1305_lanes_impl.h"
#endif

VEC_STEP void poly_set_key(struct poly *p, const uint8_t key[32])
{
    poly_split_key(p->r, p->pad, key);
    poly_begin(p);
}

/* `len` bytes at `pos`; POLY_BYTES at a time are worked off, the rest is kept. Needs the key and the powers if there
 * is so much.
 */
VEC_STEP void poly_absorb(struct poly *p, uint64_t pos, unsigned bulk, const uint8_t *data, size_t len)
{
    const size_t fill = (size_t)(pos % POLY_BYTES);
    if (fill > 0) {
        const size_t n = len < POLY_BYTES - fill ? len : POLY_BYTES - fill;
        memcpy(p->pending + fill, data, n);
        if (fill + n < POLY_BYTES)
            return;
        poly_vectors(p, pos >= POLY_BYTES, bulk, p->pending, 1);
        pos += n;
        data += n;
        len -= n;
    }
    if (len >= POLY_BYTES)
        poly_vectors(p, pos >= POLY_BYTES, bulk, data, len / POLY_BYTES);
    memcpy(p->pending, data + len / POLY_BYTES * POLY_BYTES, len % POLY_BYTES);
}

/* The tag of all so far, which is whole blocks, and of the block of lengths. */
VEC_STEP void poly_finish(struct poly *p, uint64_t pos, unsigned powers, uint64_t aad_len, uint64_t text_len,
                          uint8_t tag[16])
{
    const size_t fill = (size_t)(pos % POLY_BYTES);
    tier_store64(p->pending + fill, aad_len);
    tier_store64(p->pending + fill + 8, text_len);
    /* What is beyond meets powers that are zero; it is made a number all the same. */
    memset(p->pending + fill + 16, 0, POLY_BYTES - fill - 16);
    poly_fold(p, pos >= POLY_BYTES, powers, (unsigned)(fill / 16) + 1);
    poly_tag(tag, p->total, p->pad[0], p->pad[1]);
}

#endif
