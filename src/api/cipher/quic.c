/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * QUIC packets (RFC 9001, section 5) in bursts: a window for each key phase has its packets ordered by length, so that
 * those that run together are alike. An AEAD that has kernels for whole packets gets a window at once, any other goes
 * through its bursts and through the header masks OCT_AEAD_BURST at a time.
 *
 * The length of a packet number comes out from under header protection, which an attacker may probe with forged
 * headers (RFC 9001, 9.5): it decides the lengths of what follows, and is public from there on, as in every
 * implementation that works in place.
 */
#include "api/cipher/quic_internal.h"
#include "base/checkmem.h"

#include <string.h>

#define WINDOW       OCT_AEAD_PACKETS
#define LONG_HEADER  0x80
#define KEY_PHASE    0x04
#define SAMPLE_BYTES 16
#define ANY_LENGTH   ((size_t)1 << 30) /* what every AEAD can do */

/* Packets of one key phase that wait, as kernels want them, the shorter ones first; and whose they are. */
struct window {
    struct oct_aead_packets_args args;
    struct oct_quic_packet *owner[WINDOW];
    uint64_t left; /* how many the key may still seal, those that wait included */
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

static void window_init(struct window *w, const struct oct_quic_keys *keys, unsigned phase)
{
    w->args.key = keys->key[phase].expanded;
    w->args.mask_key = keys->mask_key;
    w->args.iv = keys->iv[phase];
    w->args.count = 0;
    w->left = keys->has[phase] ? seal_limit(keys->key[0].aead) - keys->sealed[phase] : 0;
}

/* Makes room before all that are longer, of `count`; returns where. */
static size_t window_move(struct window *w, size_t count, size_t len)
{
    size_t i = count;
    for (; i > 0 && w->args.packet[i - 1].len > len; i--) {
        w->args.packet[i] = w->args.packet[i - 1];
        w->owner[i] = w->owner[i - 1];
    }
    return i;
}

/* Into the window, which is not full. */
static inline void window_put(struct window *w, struct oct_quic_packet *owner, struct oct_aead_packet packet)
{
    size_t i = w->args.count++;
    if (i > 0 && w->args.packet[i - 1].len > packet.len)
        i = window_move(w, i, packet.len);
    w->args.packet[i] = packet;
    w->owner[i] = owner;
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

/* A window's packets from `at` on, as many as fit, for kernels that know bursts only; nonces are written to `nonce`. */
static void fill_burst(struct oct_aead_burst_args *burst, const struct window *w, size_t at,
                       uint8_t nonce[OCT_AEAD_BURST][OCT_AEAD_NONCE])
{
    const size_t left = w->args.count - at;
    burst->key = w->args.key;
    burst->count = left < OCT_AEAD_BURST ? left : OCT_AEAD_BURST;
    for (size_t i = 0; i < burst->count; i++) {
        const struct oct_aead_packet *p = &w->args.packet[at + i];
        uint8_t *payload = p->data + p->header_len;
        make_nonce(nonce[i], w->args.iv, p->number);
        burst->record[i] =
            (struct oct_aead_record){nonce[i], p->data, p->header_len, payload, payload, p->len, payload + p->len};
    }
}

/* The masks of samples of n packets. */
static void make_masks(const struct oct_quic_keys *keys, struct oct_aead_mask_args *args, size_t n,
                       uint8_t mask[OCT_AEAD_BURST][SAMPLE_BYTES])
{
    args->mask_key = keys->mask_key;
    args->count = n;
    args->mask = mask[0];
    keys->key[0].ops->mask(args);
    /* They are sent, xored to what is known. */
    OCT_DECLASSIFY(mask, SAMPLE_BYTES * n);
}

/* --- sealing */

static int check_seal(const struct oct_quic_keys *keys, struct oct_quic_packet packet)
{
    if (!packet.data || packet.header_len < 2 || packet.len < packet.header_len)
        return OCT_ERR_ARGUMENT;
    const unsigned number_len = number_len_of(packet.data[0]);
    const size_t payload = packet.len - packet.header_len;
    if (packet.header_len <= number_len)
        return OCT_ERR_ARGUMENT;
    if (payload + number_len < 4)
        return OCT_ERR_LENGTH;
    if (packet.number >> 62)
        return OCT_ERR_RANGE;
    return packet.len < ANY_LENGTH ? OCT_OK : oct_aead_check_lengths(keys->key[0].aead, packet.header_len, payload);
}

/* At most OCT_AEAD_BURST packets of a window; returns how many. */
static size_t seal_burst(const struct oct_quic_keys *keys, const struct window *w, size_t at)
{
    uint8_t nonce[OCT_AEAD_BURST][OCT_AEAD_NONCE], mask[OCT_AEAD_BURST][SAMPLE_BYTES];
    const struct oct_aead_packet *p = &w->args.packet[at];
    struct oct_aead_burst_args burst;
    struct oct_aead_mask_args masks;
    fill_burst(&burst, w, at, nonce);
    keys->key[0].ops->seal_burst(&burst);
    for (size_t i = 0; i < burst.count; i++)
        masks.sample[i] = p[i].data + p[i].header_len - p[i].number_len + 4;
    make_masks(keys, &masks, burst.count, mask);
    for (size_t i = 0; i < burst.count; i++)
        oct_packet_mask(p[i].data, p[i].header_len - p[i].number_len, p[i].number_len, mask[i]);
    return burst.count;
}

static void seal_window(struct oct_quic_keys *keys, struct window *w, unsigned phase)
{
    const struct oct_aead_ops *ops = keys->key[0].ops;
    if (ops->seal_packets)
        ops->seal_packets(&w->args);
    else
        for (size_t at = 0; at < w->args.count;)
            at += seal_burst(keys, w, at);
    keys->sealed[phase] += w->args.count;
    w->left -= w->args.count;
    w->args.count = 0;
}

/* Puts a packet into the window of its phase, and seals that when it is full; returns the packet's status. */
static inline int seal_one(struct oct_quic_keys *keys, struct window windows[2], struct oct_quic_packet *owner)
{
    const struct oct_quic_packet p = *owner; /* what is stored meanwhile does not change it */
    const int status = check_seal(keys, p);
    if (status != OCT_OK)
        return status;
    const unsigned phase = phase_of(p.data[0]);
    struct window *w = &windows[phase];
    if (w->args.count >= w->left)
        return keys->has[phase] ? OCT_ERR_LIMIT : OCT_ERR_KEY;
    window_put(
        w, owner,
        (struct oct_aead_packet){p.data, p.header_len, number_len_of(p.data[0]), p.len - p.header_len, p.number});
    if (w->args.count == WINDOW)
        seal_window(keys, w, phase);
    return OCT_OK;
}

int oct_quic_seal(struct oct_quic_keys *keys, struct oct_quic_packet packet[], size_t count)
{
    struct window w[2];
    int first_error = OCT_OK;
    if (!keys || (!packet && count))
        return OCT_ERR_ARGUMENT;
    for (unsigned phase = 0; phase < 2; phase++)
        window_init(&w[phase], keys, phase);
    for (size_t i = 0; i < count; i++) {
        const int status = seal_one(keys, w, &packet[i]);
        packet[i].status = status;
        first_error = first_error == OCT_OK ? status : first_error;
    }
    for (unsigned phase = 0; phase < 2; phase++)
        seal_window(keys, &w[phase], phase);
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

/* Takes header protection off; now number and lengths are known. */
static struct oct_aead_packet unmask(struct oct_quic_packet *packet, const uint8_t *mask)
{
    struct oct_quic_packet p = *packet;
    uint32_t number, number_mask;
    memcpy(&number, p.data + p.header_len, 4);
    memcpy(&number_mask, mask + 1, 4);
    const unsigned number_len = number_len_of(p.data[0] ^ (mask[0] & oct_packet_first_bits(p.data[0])));
    oct_packet_mask(p.data, p.header_len, number_len, mask);
    number = __builtin_bswap32(number ^ number_mask) >> (32 - 8 * number_len);
    packet->number = p.number = full_number(p.number, number, number_len);
    packet->header_len = p.header_len += number_len;
    packet->len = p.len -= OCT_AEAD_TAG;
    return (struct oct_aead_packet){p.data, p.header_len, number_len, p.len - p.header_len, p.number};
}

static void judge(struct oct_quic_keys *keys, struct oct_quic_packet *owner, const struct oct_aead_packet *packet,
                  const uint8_t *wanted)
{
    uint8_t *payload = packet->data + packet->header_len;
    if (oct_aead_same_tag(wanted, payload + packet->len, OCT_AEAD_TAG))
        return;
    if (packet->len)
        oct_cleanse(payload, packet->len);
    owner->status = OCT_ERR_AUTH;
    keys->forged++;
}

static size_t open_burst(const struct oct_quic_keys *keys, const struct window *w, size_t at)
{
    uint8_t nonce[OCT_AEAD_BURST][OCT_AEAD_NONCE];
    struct oct_aead_burst_args burst;
    fill_burst(&burst, w, at, nonce);
    for (size_t i = 0; i < burst.count; i++)
        burst.record[i].tag = w->args.wanted + OCT_AEAD_TAG * (at + i);
    keys->key[0].ops->open_burst(&burst);
    return burst.count;
}

static void open_window(struct oct_quic_keys *keys, struct window *w)
{
    uint8_t wanted[WINDOW][OCT_AEAD_TAG];
    const struct oct_aead_ops *ops = keys->key[0].ops;
    w->args.wanted = wanted[0];
    if (ops->open_packets)
        ops->open_packets(&w->args);
    else
        for (size_t at = 0; at < w->args.count;)
            at += open_burst(keys, w, at);
    for (size_t i = 0; i < w->args.count; i++)
        judge(keys, w->owner[i], &w->args.packet[i], wanted[i]);
    w->args.count = 0;
}

/* At most OCT_AEAD_BURST packets without their masks, into the windows. One whose key is not there gets no further. */
static void unmask_burst(const struct oct_quic_keys *keys, struct window w[2], struct oct_quic_packet *const *packet,
                         size_t n)
{
    uint8_t mask[OCT_AEAD_BURST][SAMPLE_BYTES];
    struct oct_aead_mask_args masks;
    for (size_t i = 0; i < n; i++)
        masks.sample[i] = packet[i]->data + packet[i]->header_len + 4;
    make_masks(keys, &masks, n, mask);
    for (size_t i = 0; i < n; i++) {
        struct oct_quic_packet *p = packet[i];
        const struct oct_aead_packet found = unmask(p, mask[i]);
        const unsigned phase = phase_of(found.data[0]);
        if (keys->has[phase])
            window_put(&w[phase], p, found);
        else
            p->status = OCT_ERR_KEY;
    }
}

/* At most WINDOW packets. */
static void open_some(struct oct_quic_keys *keys, struct window w[2], struct oct_quic_packet *const *packet,
                      size_t count)
{
    for (size_t i = 0; i < count; i += OCT_AEAD_BURST)
        unmask_burst(keys, w, packet + i, count - i < OCT_AEAD_BURST ? count - i : OCT_AEAD_BURST);
    for (unsigned phase = 0; phase < 2; phase++)
        open_window(keys, &w[phase]);
}

int oct_quic_open(struct oct_quic_keys *keys, struct oct_quic_packet packet[], size_t count)
{
    struct oct_quic_packet *wait[WINDOW];
    struct window w[2];
    size_t waiting = 0;
    if (!keys || (!packet && count))
        return OCT_ERR_ARGUMENT;
    for (unsigned phase = 0; phase < 2; phase++)
        window_init(&w[phase], keys, phase);
    for (size_t i = 0; i < count; i++) {
        packet[i].status = check_open(keys, &packet[i]);
        if (packet[i].status == OCT_OK)
            wait[waiting++] = &packet[i];
        if (waiting == WINDOW || i + 1 == count) {
            open_some(keys, w, wait, waiting);
            waiting = 0;
        }
    }
    keys->key[0].ops->clear_registers();
    for (size_t i = 0; i < count; i++)
        if (packet[i].status != OCT_OK)
            return packet[i].status;
    return OCT_OK;
}
