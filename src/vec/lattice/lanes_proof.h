/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* What i16x32 and i32x16 share in records (vec_proof.h): a line for each lane, as exchanges mix lanes. Memory is too
 * small for numbers of lines: what was stored is kept beside, by address. */
#ifndef OCT_VEC_LANES_PROOF_H
#define OCT_VEC_LANES_PROOF_H

#include <string.h>

#define PROOF_LANES 32
typedef struct {
    int line[PROOF_LANES];
} proof_lanes;

/* What was stored at p, or new numbers of low .. high. */
proof_lanes oct_proof_recall(const void *p, int lanes, int64_t low, int64_t high);
void oct_proof_keep(const void *p, proof_lanes a);

OCT_INLINE proof_lanes proof_each(const char *operation, proof_lanes a, proof_lanes b, int lanes, uint64_t constant,
                                  unsigned fits)
{
    for (int i = 0; i < lanes; i++) {
        a.line[i] = oct_proof_record(operation, a.line[i], b.line[i], 0, constant);
        if (fits)
            (void)oct_proof_record("fits", a.line[i], 0, 0, fits);
        if (fits)
            a.line[i]++; /* the line that says that it fits is the number too */
    }
    return a;
}
OCT_INLINE proof_lanes proof_constants(const int64_t *x, int lanes)
{
    proof_lanes r;
    for (int i = 0; i < lanes; i++)
        r.line[i] = oct_proof_record("constant", 0, 0, 0, (uint64_t)x[i]);
    return r;
}
/* 1 where a > limit, else 0. */
OCT_INLINE proof_lanes proof_above(proof_lanes a, int lanes, int64_t limit)
{
    for (int i = 0; i < lanes; i++)
        a.line[i] = oct_proof_record("above", a.line[i], 0, 0, (uint64_t)limit);
    return a;
}
OCT_INLINE void proof_within(proof_lanes a, int lanes, int64_t low, int64_t high)
{
    for (int i = 0; i < lanes; i++)
        (void)oct_proof_record("within", a.line[i], 0, (int)low, (uint64_t)high);
}
/* from[u] says where unit u of the two vectors' result comes from; a unit is `width` lanes. */
OCT_INLINE void proof_move(proof_lanes *x, proof_lanes *y, int width, const uint8_t from[32])
{
    proof_lanes now[2];
    for (int u = 0; u < 32; u++)
        for (int i = 0; i < width; i++) {
            const proof_lanes *old = from[u] < 16 ? x : y;
            now[u / 16].line[u % 16 * width + i] = old->line[from[u] % 16 * width + i];
        }
    *x = now[0];
    *y = now[1];
}
/* Bit 4 of a unit's number becomes bit `bit`, and the reverse. */
OCT_INLINE void proof_exchange(proof_lanes *x, proof_lanes *y, int width, unsigned bit)
{
    uint8_t from[32];
    for (unsigned u = 0; u < 32; u++)
        from[u] = (uint8_t)((u & ~(1u << 4 | 1u << bit)) | (u >> bit & 1) << 4 | (u >> 4 & 1) << bit);
    proof_move(x, y, width, from);
}
OCT_INLINE void proof_zip(proof_lanes *x, proof_lanes *y, int width)
{
    uint8_t from[32];
    for (unsigned u = 0; u < 32; u++)
        from[u] = (uint8_t)(u >> 1 | (u & 1) << 4);
    proof_move(x, y, width, from);
}
OCT_INLINE void proof_unzip(proof_lanes *x, proof_lanes *y, int width)
{
    uint8_t from[32];
    for (unsigned u = 0; u < 32; u++)
        from[u] = (uint8_t)((u << 1 & 31) | u >> 4);
    proof_move(x, y, width, from);
}

#endif
