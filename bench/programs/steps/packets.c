/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Where the time of QUIC packets under AES-GCM goes: bursts of 32 alike, one after the other, nanoseconds for each
 * packet, on every tier: the kernel without header protection, with it, and the whole call, whose checks and ordering
 * come on top. Of opening, the kernel gets headers without masks. All take turns, and of many rounds the best counts.
 */
#include "api/cipher/quic_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BURST       OCT_AEAD_PACKETS
#define HEADER      11
#define NUMBER      2
#define MAX_PAYLOAD 1440
#define ROUNDS      4000

static uint8_t sealed[BURST * (HEADER + MAX_PAYLOAD + OCT_AEAD_TAG)], data[sizeof sealed], wanted[BURST][OCT_AEAD_TAG];
static struct oct_quic_packet packet[BURST];
static struct oct_aead_packets_args args;
static struct oct_quic_keys *keys;
static size_t payload;

static void write_headers(void)
{
    for (unsigned i = 0; i < BURST; i++) {
        uint8_t *p = data + i * (HEADER + payload + OCT_AEAD_TAG);
        const uint8_t header[HEADER] = {0x40 | (NUMBER - 1), [HEADER - 1] = (uint8_t)i};
        memcpy(p, header, HEADER);
        packet[i] = (struct oct_quic_packet){p, HEADER, HEADER + payload, i, 0};
        args.packet[i] = (struct oct_aead_packet){p, HEADER, NUMBER, payload, i};
    }
}

static void copy_sealed(void)
{
    memcpy(data, sealed, BURST * (HEADER + payload + OCT_AEAD_TAG));
    for (unsigned i = 0; i < BURST; i++) {
        packet[i].header_len = HEADER - NUMBER;
        packet[i].len = HEADER + payload + OCT_AEAD_TAG;
    }
}

static void kernel_seal(void)
{
    keys->key[0].ops->seal_packets(&args);
}

static void kernel_open(void)
{
    keys->key[0].ops->open_packets(&args);
}

static void whole_seal(void)
{
    keys->sealed[0] = 0;
    if (oct_quic_seal(keys, packet, BURST) != OCT_OK)
        abort();
}

static void whole_open(void)
{
    if (oct_quic_open(keys, packet, BURST) != OCT_OK)
        abort();
}

static const struct work {
    const char *name;
    void (*prepare)(void), (*run)(void);
    int masks;
} works[] = {
    {"seal, AEAD alone", write_headers, kernel_seal, 0}, {"with masks", write_headers, kernel_seal, 1},
    {"whole call", write_headers, whole_seal, 1},        {"open, AEAD alone", write_headers, kernel_open, 0},
    {"whole call", copy_sealed, whole_open, 1},
};

/* Nanoseconds of one burst; registers are cleared here as the whole calls do. */
static uint64_t once(const struct work *w)
{
    struct timespec a, b;
    args.mask_key = w->masks ? keys->mask_key : NULL;
    w->prepare();
    clock_gettime(CLOCK_MONOTONIC, &a);
    w->run();
    keys->key[0].ops->clear_registers();
    clock_gettime(CLOCK_MONOTONIC, &b);
    return (uint64_t)(b.tv_sec - a.tv_sec) * 1000000000u + (uint64_t)b.tv_nsec - (uint64_t)a.tv_nsec;
}

static void measure(const struct oct_aead_ops *ops, int aead)
{
    uint64_t best[OCT_ARRAY_LEN(works)];
    write_headers();
    whole_seal();
    memcpy(sealed, data, sizeof data);
    for (unsigned r = 0; r < ROUNDS; r++)
        for (size_t i = 0; i < OCT_ARRAY_LEN(works); i++) {
            const uint64_t ns = once(&works[i]);
            best[i] = r == 0 || ns < best[i] ? ns : best[i];
        }
    printf("%-12s %-4s %5zu", oct_aead_name(aead), ops->tier, payload);
    for (size_t i = 0; i < OCT_ARRAY_LEN(works); i++)
        printf("  %s %.1f", works[i].name, (double)best[i] / BURST);
    printf("\n");
}

int main(void)
{
    static const uint8_t bytes[32] = {1};
    static const int aeads[] = {OCT_AEAD_AES_128_GCM, OCT_AEAD_AES_256_GCM};
    for (size_t a = 0; a < OCT_ARRAY_LEN(aeads); a++) {
        const struct oct_aead_ops *ops[OCT_AEAD_TIERS];
        const unsigned tiers = oct_aead_runnable(aeads[a], ops);
        for (unsigned t = tiers - 1; t > 0; t--) {
            if (oct_quic_keys_new_on(ops[t], &keys, aeads[a], bytes, oct_aead_key_len(aeads[a]), bytes, bytes) !=
                OCT_OK)
                return 1;
            args.key = keys->key[0].expanded;
            args.iv = keys->iv[0];
            args.wanted = wanted[0];
            args.count = BURST;
            for (payload = 64; payload <= MAX_PAYLOAD; payload = payload < 256 ? payload * 2 : payload * 5 + 160)
                measure(ops[t], aeads[a]);
            oct_quic_keys_free(keys);
        }
    }
    return 0;
}
