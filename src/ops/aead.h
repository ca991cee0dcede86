/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The tables of AEADs: one for each (AEAD, tier), constant function pointers. A tier is a width of vector; which one
 * serves is decided once for the process, for each AEAD on its own, since CPUs differ in what they have for AES and
 * for ChaCha20.
 */
#ifndef OCT_OPS_AEAD_H
#define OCT_OPS_AEAD_H

#include "cpu/cpu.h"
#include "kernels/aead.h"
#include "ops/sm4.h"

#include <octuple/aead.h>

/* At most this many tiers of one AEAD. */
#define OCT_AEAD_TIERS 4

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

/* A tier as a candidate: it serves if the policy allows its width and the CPU has all the features. */
struct oct_aead_tier {
    const struct oct_aead_ops *ops;
    int width;         /* 512, 256, 128; 0: the portable tier, only by OCTUPLE_TABLE=c */
    uint32_t features; /* bits 1 << enum oct_cpu_feature */
};

/* What tiers need of the CPU. */
#define OCT_TIER_NEEDS(feature) ((uint32_t)1 << OCT_CPU_##feature)
#define OCT_TIER_NEEDS_XMM                                                                                             \
    (OCT_TIER_NEEDS(AES) | OCT_TIER_NEEDS(PCLMULQDQ) | OCT_TIER_NEEDS(AVX2) | OCT_TIER_NEEDS(BMI2))
#define OCT_TIER_NEEDS_YMM (OCT_TIER_NEEDS_XMM | OCT_TIER_NEEDS(VAES) | OCT_TIER_NEEDS(VPCLMULQDQ))
#define OCT_TIER_NEEDS_ZMM                                                                                             \
    (OCT_TIER_NEEDS_YMM | OCT_TIER_NEEDS(AVX512F) | OCT_TIER_NEEDS(AVX512BW) | OCT_TIER_NEEDS(AVX512DQ) |              \
     OCT_TIER_NEEDS(AVX512VL))

/* Rows that a build has or has not: a tier of 512 bits, and those that are narrower. */
#if defined(OCT_HAVE_VECTOR_TIERS)
#define OCT_TIER_WIDE(...) {__VA_ARGS__},
#else
#define OCT_TIER_WIDE(...)
#endif
#if defined(OCT_HAVE_NARROW_TIERS)
#define OCT_TIER_NARROW(...) {__VA_ARGS__},
#else
#define OCT_TIER_NARROW(...)
#endif

/* The candidates of each AEAD, the widest first; after the last one there is a row without a table, or the end.
 * gcm_tiers.c and its like have the tables. */
extern const struct oct_aead_tier oct_aead_gcm_tiers[3][OCT_AEAD_TIERS], oct_aead_chacha_tiers[OCT_AEAD_TIERS],
    oct_aead_sm4_gcm_tiers[OCT_AEAD_TIERS], oct_aead_sm4_ccm_tiers[OCT_AEAD_TIERS];

/* Which tier serves an AEAD: chosen once by CPU, OCTUPLE_TABLE and OCTUPLE_WIDTH, and only after it has passed its
 * known-answer test; NULL if none. `reason` (may be NULL) gets the words for it; static. */
const struct oct_aead_ops *oct_aead_selected(int aead, const char **reason);

/* The policy, for people: the width that was chosen and why. */
enum oct_cpu_width oct_aead_width(const char **reason);

/* Every tier of an AEAD that this CPU can run, widest first, whatever the policy. Returns how many. */
unsigned oct_aead_runnable(int aead, const struct oct_aead_ops *ops[OCT_AEAD_TIERS]);

/* 0 if the tier passes its known-answer test. */
int oct_aead_known_answer(const struct oct_aead_ops *ops, int aead);

#endif
