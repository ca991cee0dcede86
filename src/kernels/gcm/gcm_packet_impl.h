/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * QUIC packets under one key (RFC 9001, 5.3 and 5.4), after gcm_impl.h. Where vectors have four lanes, four short
 * packets go side by side (gcm_four_impl.h). All others go one after the other. Nothing of a packet waits for the one
 * before, so the processor overlaps what it can: also the masks of four headers with the next four packets.
 */

#define GCM_PACKETS 4 /* whose headers are masked at a time */

/* J0 without the number. */
OCT_INLINE b1 gcm_packet_j0(const struct oct_aead_packets_args *args)
{
    return gcm_j0(b1_load_part(args->iv, OCT_AEAD_NONCE));
}

OCT_INLINE uint8_t *gcm_packet_tag(const struct oct_aead_packets_args *args, size_t i, const enum gcm_mode mode)
{
    const struct oct_aead_packet *p = &args->packet[i];
    return mode == GCM_SEAL ? p->data + p->header_len + p->len : args->wanted + OCT_AEAD_TAG * i;
}

/* As gcm_open() in gcm_impl.h: all that it needs comes in registers. */
static OCT_NOINLINE b1 gcm_seal(const struct gcm_key *key, const uint8_t *aad, size_t aad_len, const uint8_t *in,
                                uint8_t *out, size_t len, b1 nonce)
{
    return gcm_record_any(key, aad, aad_len, in, out, len, nonce, GCM_SEAL);
}

VEC_STEP void gcm_packet_alone(const struct oct_aead_packets_args *args, size_t i, const enum gcm_mode mode)
{
    const struct oct_aead_packet *p = &args->packet[i];
    const b1 nonce = b1_xor(b1_load_part(args->iv, OCT_AEAD_NONCE), b1_number(p->number));
    uint8_t *text = p->data + p->header_len;
    b1_store(gcm_packet_tag(args, i, mode),
             mode == GCM_SEAL ? gcm_seal(args->key, p->data, p->header_len, text, text, p->len, nonce)
                              : gcm_open(args->key, p->data, p->header_len, text, text, p->len, nonce));
}

/* AES of GCM_PACKETS samples (RFC 9001, 5.4.3), BV_LANES a vector. */
VEC_STEP void gcm_masks(const uint8_t (*round_key)[16], const uint8_t *const *sample, uint8_t *mask)
{
    bv x[GCM_PACKETS / BV_LANES];
    VEC_UNROLL
    for (size_t i = 0; i < GCM_PACKETS; i++)
        x[i / BV_LANES] = bv_put(i % BV_LANES ? x[i / BV_LANES] : bv_zero(), i % BV_LANES, b1_load(sample[i]));
    VEC_UNROLL
    for (size_t i = 0; i < GCM_PACKETS / BV_LANES; i++)
        x[i] = bv_xor(x[i], bv_broadcast(round_key[0]));
    VEC_UNROLL
    for (int round = 1; round < GCM_ROUNDS; round++) {
        VEC_UNROLL
        for (size_t i = 0; i < GCM_PACKETS / BV_LANES; i++)
            x[i] = bv_aes(x[i], bv_broadcast(round_key[round]));
    }
    VEC_UNROLL
    for (size_t i = 0; i < GCM_PACKETS / BV_LANES; i++)
        bv_store(mask + 16 * BV_LANES * i, bv_aes_last(x[i], bv_broadcast(round_key[GCM_ROUNDS])));
}

OCT_INLINE const uint8_t *gcm_sample(const struct oct_aead_packet *p)
{
    return p->data + p->header_len - p->number_len + 4;
}

OCT_INLINE void gcm_mask_headers(const struct oct_aead_packet *p, const uint8_t (*mask)[16], size_t n)
{
    VEC_UNROLL
    for (size_t i = 0; i < GCM_PACKETS; i++)
        if (i < n)
            oct_packet_mask(p[i].data, p[i].header_len - p[i].number_len, p[i].number_len, mask[i]);
}

/* Header protection of n packets from `at` on, where it is due. */
VEC_STEP void gcm_protect(const struct oct_aead_packets_args *args, size_t at, size_t n)
{
    const struct oct_aead_packet *p = &args->packet[at];
    const uint8_t *sample[GCM_PACKETS];
    uint8_t mask[GCM_PACKETS][16] OCT_ALIGN64;
    if (!args->mask_key)
        return;
    VEC_UNROLL
    for (size_t i = 0; i < GCM_PACKETS; i++)
        sample[i] = gcm_sample(&p[i < n ? i : 0]);
    gcm_masks(args->mask_key, sample, mask[0]);
    gcm_mask_headers(p, mask, n);
}

#if BV_LANES == 4
#include "kernels/gcm/gcm_flow_impl.h"
#include "kernels/gcm/gcm_four_impl.h"
#else
OCT_INLINE size_t gcm_flow(const struct oct_aead_packets_args *args, size_t at, const enum gcm_mode mode)
{
    (void)args, (void)at, (void)mode;
    return 0;
}
OCT_INLINE size_t gcm_fours_any(const struct oct_aead_packets_args *args, size_t at, const enum gcm_mode mode)
{
    (void)args, (void)at, (void)mode;
    return 0;
}
#endif

VEC_STEP void gcm_packets(const struct oct_aead_packets_args *args, const enum gcm_mode mode)
{
    for (size_t at = 0, n; at < args->count; at += n) {
        n = gcm_fours_any(args, at, mode);
        n = n ? n : gcm_flow(args, at, mode);
        if (n)
            continue;
        n = args->count - at < GCM_PACKETS ? args->count - at : GCM_PACKETS;
        for (size_t i = 0; i < n; i++)
            gcm_packet_alone(args, at + i, mode);
        if (mode == GCM_SEAL)
            gcm_protect(args, at, n);
    }
}

void GCM_NAME(seal_packets)(const struct oct_aead_packets_args *args)
{
    gcm_packets(args, GCM_SEAL);
}

void GCM_NAME(open_packets)(const struct oct_aead_packets_args *args)
{
    gcm_packets(args, GCM_OPEN);
}

void GCM_NAME(mask)(const struct oct_aead_mask_args *args)
{
    const uint8_t *sample[GCM_PACKETS];
    uint8_t mask[GCM_PACKETS][16] OCT_ALIGN64;
    for (size_t at = 0, n; at < args->count; at += n) {
        n = args->count - at < GCM_PACKETS ? args->count - at : GCM_PACKETS;
        VEC_UNROLL
        for (size_t i = 0; i < GCM_PACKETS; i++)
            sample[i] = args->sample[at + (i < n ? i : 0)];
        gcm_masks(args->mask_key, sample, mask[0]);
        for (size_t i = 0; i < n; i++)
            b1_store(args->mask + 16 * (at + i), b1_load(mask[i]));
    }
}
