/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * QUIC packets (RFC 9001, section 5) in bursts: a window of packets is ordered by key phase and length, so that those
 * that run together are alike. An AEAD that has kernels for whole packets gets it at once, any other goes through its
 * bursts and through the header masks OCT_AEAD_BURST at a time.
 *
 * The length of a packet number comes out from under header protection, which an attacker may probe with forged
 * headers (RFC 9001, 9.5): it decides the lengths of what follows, and is public from there on, as in every
 * implementation that works in place.
 */
#include "api/quic_internal.h"
#include "base/checkmem.h"
#include "kernels/packet.h"

#include <string.h>

#define WINDOW OCT_AEAD_PACKETS
#define LONG_HEADER 0x80
#define KEY_PHASE 0x04
#define SAMPLE_BYTES 16

/* Packets of one call that wait for a burst, with what orders them. */
struct window {
    struct oct_quic_packet *packet[WINDOW];
    uint64_t order[WINDOW]; /* key phase, then length */
    unsigned count;
};

static unsigned phase_of(uint8_t first)
{
    return first & LONG_HEADER ? 0 : (first & KEY_PHASE) != 0;
}

static unsigned number_len_of(uint8_t first)
{
    return (first & 3) + 1u;
}

static uint64_t seal_limit(int aead)
{
    return aead == OCT_AEAD_CHACHA20_POLY1305 ? UINT64_MAX : (uint64_t)1 << 23;
}

static uint64_t forgery_limit(int aead)
{
    return aead == OCT_AEAD_CHACHA20_POLY1305 ? (uint64_t)1 << 36 : (uint64_t)1 << 52;
}

/* Into the window, kept in order. */
static void window_put(struct window *w, struct oct_quic_packet *packet, unsigned phase, size_t len)
{
    const uint64_t order = (uint64_t)phase << 63 | len;
    unsigned i = w->count++;
    for (; i > 0 && w->order[i - 1] > order; i--) {
        w->order[i] = w->order[i - 1];
        w->packet[i] = w->packet[i - 1];
    }
    w->order[i] = order;
    w->packet[i] = packet;
}

/* nonce = iv xor number, big-endian at the end (RFC 9001, 5.3). */
static void make_nonce(uint8_t nonce[OCT_AEAD_NONCE], const uint8_t iv[OCT_AEAD_NONCE], uint64_t number)
{
    uint64_t tail;
    memcpy(nonce, iv, 4);
    memcpy(&tail, iv + 4, 8);
    tail ^= __builtin_bswap64(number);
    memcpy(nonce + 4, &tail, 8);
}

/* The masks of n packets, whose samples stand 4 bytes behind the beginning of their numbers. */
static void make_masks(const struct oct_quic_keys *keys, struct oct_quic_packet *const *packet, const size_t *number_at,
                       unsigned n, uint8_t mask[OCT_AEAD_BURST][SAMPLE_BYTES])
{
    struct oct_aead_mask_args args;
    args.mask_key = keys->mask_key;
    args.count = n;
    args.mask = mask[0];
    for (unsigned i = 0; i < n; i++)
        args.sample[i] = packet[i]->data + number_at[i] + 4;
    keys->key[0].ops->mask(&args);
    /* They are sent, xored to what is known. */
    OCT_DECLASSIFY(mask, SAMPLE_BYTES * n);
}

/* --- sealing */

static int check_seal(const struct oct_quic_keys *keys, const struct oct_quic_packet *packet)
{
    if (!packet->data || packet->header_len < 2 || packet->len < packet->header_len)
        return OCT_ERR_ARGUMENT;
    const unsigned number_len = number_len_of(packet->data[0]), phase = phase_of(packet->data[0]);
    if (packet->header_len <= number_len)
        return OCT_ERR_ARGUMENT;
    if (packet->len - packet->header_len + number_len < 4)
        return OCT_ERR_LENGTH;
    if (packet->number >> 62)
        return OCT_ERR_RANGE;
    if (!keys->has[phase])
        return OCT_ERR_KEY;
    return oct_aead_check_lengths(keys->key[0].aead, packet->header_len, packet->len - packet->header_len);
}

/* What kernels for whole packets get, of n packets whose numbers and headers are known. */
static void fill_packets(struct oct_aead_packets_args *args, const struct oct_quic_keys *keys,
                         struct oct_quic_packet *const *packet, unsigned n, unsigned phase)
{
    args->key = keys->key[phase].expanded;
    args->iv = keys->iv[phase];
    args->count = n;
    for (unsigned i = 0; i < n; i++) {
        const struct oct_quic_packet *p = packet[i];
        args->packet[i] = (struct oct_aead_packet){p->data, p->header_len, number_len_of(p->data[0]),
                                                   p->len - p->header_len, p->number};
    }
}

/* What kernels for bursts get; the nonces are written to `nonce`. Where tags go is the caller's to say. */
static void fill_burst(struct oct_aead_burst_args *args, const struct oct_quic_keys *keys,
                       struct oct_quic_packet *const *packet, unsigned n, unsigned phase, uint8_t (*nonce)[OCT_AEAD_NONCE])
{
    args->key = keys->key[phase].expanded;
    args->count = n;
    for (unsigned i = 0; i < n; i++) {
        const struct oct_quic_packet *p = packet[i];
        uint8_t *payload = p->data + p->header_len;
        make_nonce(nonce[i], keys->iv[phase], p->number);
        args->record[i] = (struct oct_aead_record){nonce[i], p->data,  p->header_len, payload, payload,
                                                   p->len - p->header_len, p->data + p->len};
    }
}

static void seal_packets(struct oct_quic_keys *keys, struct oct_quic_packet *const *packet, unsigned n, unsigned phase)
{
    struct oct_aead_packets_args args;
    fill_packets(&args, keys, packet, n, phase);
    args.mask_key = keys->mask_key;
    keys->key[phase].ops->seal_packets(&args);
}

static void seal_burst(struct oct_quic_keys *keys, struct oct_quic_packet *const *packet, unsigned n, unsigned phase)
{
    uint8_t nonce[OCT_AEAD_BURST][OCT_AEAD_NONCE], mask[OCT_AEAD_BURST][SAMPLE_BYTES];
    size_t number_at[OCT_AEAD_BURST];
    struct oct_aead_burst_args args;
    fill_burst(&args, keys, packet, n, phase, nonce);
    for (unsigned i = 0; i < n; i++)
        number_at[i] = packet[i]->header_len - number_len_of(packet[i]->data[0]);
    keys->key[phase].ops->seal_burst(&args);
    make_masks(keys, packet, number_at, n, mask);
    for (unsigned i = 0; i < n; i++)
        oct_packet_mask(packet[i]->data, number_at[i], packet[i]->header_len - number_at[i], mask[i]);
}

typedef void run_fn(struct oct_quic_keys *keys, struct oct_quic_packet *const *packet, unsigned n, unsigned phase);

/* All of a window, in runs of one phase and of at most `most` packets. */
static void run_window(struct oct_quic_keys *keys, const struct window *w, run_fn *run, unsigned most)
{
    for (unsigned i = 0, n; i < w->count; i += n) {
        const unsigned phase = (unsigned)(w->order[i] >> 63);
        for (n = 1; n < most && i + n < w->count && w->order[i + n] >> 63 == phase;)
            n++;
        run(keys, w->packet + i, n, phase);
    }
}

static void seal_window(struct oct_quic_keys *keys, struct window *w)
{
    if (keys->key[0].ops->seal_packets)
        run_window(keys, w, seal_packets, OCT_AEAD_PACKETS);
    else
        run_window(keys, w, seal_burst, OCT_AEAD_BURST);
    w->count = 0;
}

int oct_quic_seal(struct oct_quic_keys *keys, struct oct_quic_packet packet[], size_t count)
{
    struct window w;
    int first_error = OCT_OK;
    if (!keys || (!packet && count))
        return OCT_ERR_ARGUMENT;
    w.count = 0;
    for (size_t i = 0; i < count; i++) {
        int status = check_seal(keys, &packet[i]);
        const unsigned phase = status == OCT_OK ? phase_of(packet[i].data[0]) : 0;
        if (status == OCT_OK && keys->sealed[phase] >= seal_limit(keys->key[0].aead))
            status = OCT_ERR_LIMIT;
        packet[i].status = status;
        if (first_error == OCT_OK)
            first_error = status;
        if (status != OCT_OK)
            continue;
        keys->sealed[phase]++;
        window_put(&w, &packet[i], phase, packet[i].len);
        if (w.count == WINDOW)
            seal_window(keys, &w);
    }
    seal_window(keys, &w);
    keys->key[0].ops->clear_registers();
    return first_error;
}

/* --- opening */

/* The full number nearest to what is expected (RFC 9000, A.3). */
static uint64_t full_number(uint64_t expected, uint64_t truncated, unsigned bytes)
{
    const uint64_t window = (uint64_t)1 << (8 * bytes), half = window / 2;
    const uint64_t candidate = (expected & ~(window - 1)) | truncated;
    if (candidate + half <= expected && candidate < ((uint64_t)1 << 62) - window)
        return candidate + window;
    if (candidate > expected + half && candidate >= window)
        return candidate - window;
    return candidate;
}

static int check_open(const struct oct_quic_keys *keys, const struct oct_quic_packet *packet)
{
    if (!packet->data || packet->header_len < 1)
        return OCT_ERR_ARGUMENT;
    if (packet->len < packet->header_len || packet->len - packet->header_len < 4 + SAMPLE_BYTES)
        return OCT_ERR_LENGTH;
    if (packet->number >> 62)
        return OCT_ERR_RANGE;
    return keys->forged >= forgery_limit(keys->key[0].aead) ? OCT_ERR_LIMIT : OCT_OK;
}

/* Takes header protection off; now number and length of the header are known. */
static void unmask(struct oct_quic_packet *packet, const uint8_t *mask)
{
    uint64_t truncated = 0;
    const size_t number_at = packet->header_len;
    const uint8_t first = packet->data[0] ^ (mask[0] & oct_packet_first_bits(packet->data[0]));
    const unsigned number_len = number_len_of(first);
    oct_packet_mask(packet->data, number_at, number_len, mask);
    for (unsigned i = 0; i < number_len; i++)
        truncated = truncated << 8 | packet->data[number_at + i];
    packet->number = full_number(packet->number, truncated, number_len);
    packet->header_len += number_len;
    packet->len -= OCT_AEAD_TAG;
}

static void judge(struct oct_quic_keys *keys, struct oct_quic_packet *packet, const uint8_t *wanted)
{
    const size_t payload = packet->len - packet->header_len;
    if (oct_aead_same_tag(wanted, packet->data + packet->len, OCT_AEAD_TAG))
        return;
    if (payload)
        oct_cleanse(packet->data + packet->header_len, payload);
    packet->status = OCT_ERR_AUTH;
    keys->forged++;
}

static void open_packets(struct oct_quic_keys *keys, struct oct_quic_packet *const *packet, unsigned n, unsigned phase)
{
    uint8_t wanted[OCT_AEAD_PACKETS][OCT_AEAD_TAG];
    struct oct_aead_packets_args args;
    fill_packets(&args, keys, packet, n, phase);
    args.wanted = wanted[0];
    keys->key[phase].ops->open_packets(&args);
    for (unsigned i = 0; i < n; i++)
        judge(keys, packet[i], wanted[i]);
}

static void open_burst(struct oct_quic_keys *keys, struct oct_quic_packet *const *packet, unsigned n, unsigned phase)
{
    uint8_t nonce[OCT_AEAD_BURST][OCT_AEAD_NONCE], wanted[OCT_AEAD_BURST][OCT_AEAD_TAG];
    struct oct_aead_burst_args args;
    fill_burst(&args, keys, packet, n, phase, nonce);
    for (unsigned i = 0; i < n; i++)
        args.record[i].tag = wanted[i];
    keys->key[phase].ops->open_burst(&args);
    for (unsigned i = 0; i < n; i++)
        judge(keys, packet[i], wanted[i]);
}

/* At most OCT_AEAD_BURST packets without their masks, into the window. One whose key is not there gets no further. */
static void unmask_burst(const struct oct_quic_keys *keys, struct window *ready, struct oct_quic_packet *const *packet,
                         unsigned n)
{
    uint8_t mask[OCT_AEAD_BURST][SAMPLE_BYTES];
    size_t number_at[OCT_AEAD_BURST];
    for (unsigned i = 0; i < n; i++)
        number_at[i] = packet[i]->header_len;
    make_masks(keys, packet, number_at, n, mask);
    for (unsigned i = 0; i < n; i++) {
        struct oct_quic_packet *p = packet[i];
        unmask(p, mask[i]);
        if (keys->has[phase_of(p->data[0])])
            window_put(ready, p, phase_of(p->data[0]), p->len);
        else
            p->status = OCT_ERR_KEY;
    }
}

static void open_window(struct oct_quic_keys *keys, struct oct_quic_packet *const *packet, unsigned count)
{
    struct window ready;
    ready.count = 0;
    for (unsigned i = 0; i < count; i += OCT_AEAD_BURST)
        unmask_burst(keys, &ready, packet + i, count - i < OCT_AEAD_BURST ? count - i : OCT_AEAD_BURST);
    if (keys->key[0].ops->open_packets)
        run_window(keys, &ready, open_packets, OCT_AEAD_PACKETS);
    else
        run_window(keys, &ready, open_burst, OCT_AEAD_BURST);
}

int oct_quic_open(struct oct_quic_keys *keys, struct oct_quic_packet packet[], size_t count)
{
    struct oct_quic_packet *wait[WINDOW];
    unsigned waiting = 0;
    if (!keys || (!packet && count))
        return OCT_ERR_ARGUMENT;
    for (size_t i = 0; i < count; i++) {
        packet[i].status = check_open(keys, &packet[i]);
        if (packet[i].status == OCT_OK)
            wait[waiting++] = &packet[i];
        if (waiting == WINDOW || i + 1 == count) {
            open_window(keys, wait, waiting);
            waiting = 0;
        }
    }
    keys->key[0].ops->clear_registers();
    for (size_t i = 0; i < count; i++)
        if (packet[i].status != OCT_OK)
            return packet[i].status;
    return OCT_OK;
}
