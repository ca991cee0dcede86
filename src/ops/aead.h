/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The tables of AEADs: one for each (AEAD, tier), constant function pointers. A tier is a width of vector; which one
 * serves is decided once for the process, for each AEAD on its own, since CPUs differ in what they have for AES and
 * for ChaCha20.
 */
#ifndef OCT_OPS_AEAD_H
#define OCT_OPS_AEAD_H

#include "kernels/aead.h"
#include "ops/select.h"
#include "ops/sm4.h"

#include <octuple/aead.h>

/* At most this many tiers of one AEAD. */
#define OCT_AEAD_TIERS (OCT_CHACHA_ROWS - 1)

struct oct_aead_ops {
    const char *tier; /* "zmm", "ymm", "xmm", "c": what `octuple info` says */
    oct_aead_expand_fn *expand;
    oct_aead_seal_fn *seal;
    oct_aead_open_fn *open;
    oct_aead_seal_fn *open_first; /* opens, and writes what the tag has to be; NULL if first_bytes is 0 */
    /* All NULL where the AEAD is none of QUIC's. */
    oct_aead_packets_fn *seal_packets, *open_packets; /* whole QUIC packets: NULL if there are bursts */
    oct_aead_burst_fn *seal_burst, *open_burst;       /* NULL if there are packets */
    oct_aead_mask_fn *mask;
    oct_aead_stream_fn *start, *aad, *stream_seal, *stream_open, *finish; /* NULL: whole records only */
    size_t window_bytes, grain_bytes, state_bytes; /* kernels/aead.h; the first two are powers of two */
    size_t first_bytes;                            /* OCT_GCM_FIRST, or 0 */
    void (*clear_registers)(void);
    const struct oct_sm4_ops *sm4; /* the tier's other modes; NULL for other ciphers */
};

/* Which tier serves an AEAD, as select.h says; NULL if none. `reason` (may be NULL) gets the words for it; static. */
const struct oct_aead_ops *oct_aead_selected(int aead, const char **reason);

/* Which tier does if it passes its known-answer test; NULL if none. Tests nothing. */
const struct oct_aead_ops *oct_aead_possible(int aead);

/* The policy, for people: the width that was chosen and why. */
enum oct_cpu_width oct_aead_width(const char **reason);

/* Every tier of an AEAD that this CPU can run, or the portable ones alone by OCTUPLE_TABLE=c, whatever the width that
 * is permitted: portable ones first, the widest last. Returns how many. */
unsigned oct_aead_runnable(int aead, const struct oct_aead_ops *ops[OCT_AEAD_TIERS]);

/* 0 if the tier passes its known-answer test. */
int oct_aead_known_answer(const struct oct_aead_ops *ops, int aead);

#endif
