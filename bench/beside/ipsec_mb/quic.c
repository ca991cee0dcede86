/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * QUIC bursts beside ipsec-mb: 32 packets with short headers of 11 bytes, one after the other as a segmented send has
 * them, sealed in place with header protection. ipsec-mb has a call for the AEAD and one for the masks; nonces are made
 * and masks applied by its caller, so that is part of its side here. Both write the headers anew each time.
 */
#include "ipsec_mb.h"

#include <octuple/quic.h>
#include <stdlib.h>
#include <string.h>

#define BURST         32
#define HEADER_BYTES  11
#define NUMBER_BYTES  2
#define MAX_PAYLOAD   1440
#define PACKET_BYTES  (HEADER_BYTES + MAX_PAYLOAD + OCT_AEAD_TAG_BYTES)
#define MASK_BYTES    16 /* of AES; of ChaCha20 five are written */
#define KEY_BYTES     32
#define SCHEDULE      (15 * 16)
#define PACKETS_A_KEY ((uint64_t)1 << 23)
#define ALIGNMENT     64

struct state {
    struct gcm_key_data gcm;
    uint8_t hp_keys[SCHEDULE] __attribute__((aligned(ALIGNMENT)));
    uint8_t unused[SCHEDULE] __attribute__((aligned(ALIGNMENT)));
    uint8_t ours[BURST * PACKET_BYTES], theirs[BURST * PACKET_BYTES];
    int aead;
    size_t len;
    struct oct_quic_keys *keys;
    uint8_t key[KEY_BYTES], hp[KEY_BYTES], iv[OCT_AEAD_NONCE_BYTES], header[BURST][HEADER_BYTES];
    struct oct_quic_packet packet[BURST];
    uint8_t nonce[BURST][OCT_AEAD_NONCE_BYTES], mask[BURST][MASK_BYTES];
    void *payloads[BURST], *tags[BURST], *masks[BURST];
    const void *texts[BURST], *nonces[BURST], *headers[BURST], *samples[BURST];
    uint64_t lens[BURST];
};

static void close_state(void *arg)
{
    struct state *s = arg;
    oct_quic_keys_free(s->keys);
    free(s);
}

/* Packet i has number i. */
static void fill_packet(struct state *s, unsigned i)
{
    const size_t at = i * (HEADER_BYTES + s->len + OCT_AEAD_TAG_BYTES);
    uint8_t *theirs = s->theirs + at;

    memcpy(s->header[i], s->header[0], HEADER_BYTES);
    s->header[i][0] = 0x40 | (NUMBER_BYTES - 1);
    s->header[i][HEADER_BYTES - 2] = 0;
    s->header[i][HEADER_BYTES - 1] = (uint8_t)i;
    s->packet[i] = (struct oct_quic_packet){
        .data = s->ours + at, .header_len = HEADER_BYTES, .len = HEADER_BYTES + s->len, .number = i};
    s->headers[i] = theirs;
    s->texts[i] = s->payloads[i] = theirs + HEADER_BYTES;
    s->tags[i] = theirs + HEADER_BYTES + s->len;
    s->samples[i] = theirs + HEADER_BYTES - NUMBER_BYTES + 4;
    s->nonces[i] = s->nonce[i];
    s->masks[i] = s->mask[i];
    s->lens[i] = s->len;
    memcpy(s->nonce[i], s->iv, sizeof s->iv);
}

static void *open_state(const struct beside_row *row)
{
    struct state *s = aligned_alloc(ALIGNMENT, (sizeof *s + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);

    if (s == NULL)
        return NULL;
    memset(s, 0, sizeof *s);
    s->aead = row->which;
    s->len = row->len;
    if (beside_fill(s->key, sizeof s->key) && beside_fill(s->hp, sizeof s->hp) && beside_fill(s->iv, sizeof s->iv) &&
        beside_fill(s->header[0], HEADER_BYTES) && beside_fill(s->ours, sizeof s->ours) &&
        oct_quic_keys_new(&s->keys, s->aead, s->key, oct_aead_key_len(s->aead), s->iv, s->hp) == OCT_OK) {
        memcpy(s->theirs, s->ours, sizeof s->ours);
        if (s->aead == OCT_AEAD_AES_128_GCM) {
            ipsec_mb_gcm_key(s->aead, s->key, &s->gcm);
            IMB_AES_KEYEXP_128(ipsec_mb_manager(), s->hp, s->hp_keys, s->unused);
        }
        for (unsigned i = 0; i < BURST; i++)
            fill_packet(s, i);
        return s;
    }
    close_state(s);
    return NULL;
}

/* A key that has come near its limit is set again; the limit is the caller's to mind (RFC 9001, 6.6). */
static int renew(struct state *s)
{
    return oct_quic_keys_sealed(s->keys, 0) + BURST < PACKETS_A_KEY ||
           oct_quic_keys_update(s->keys, 0, s->key, oct_aead_key_len(s->aead), s->iv) == OCT_OK;
}

static unsigned our_seal(void *arg)
{
    struct state *s = arg;
    for (unsigned i = 0; i < BURST; i++)
        memcpy(s->packet[i].data, s->header[i], HEADER_BYTES);
    return renew(s) && oct_quic_seal(s->keys, s->packet, BURST) == OCT_OK ? (unsigned)(BURST * s->len) : 0;
}

/* Headers, and nonces: the IV with the packet number in its last eight bytes. */
static void begin_burst(struct state *s)
{
    uint64_t iv, word;

    memcpy(&iv, s->iv + 4, sizeof iv);
    for (uint64_t i = 0; i < BURST; i++) {
        memcpy((uint8_t *)s->payloads[i] - HEADER_BYTES, s->header[i], HEADER_BYTES);
        word = iv ^ __builtin_bswap64(i);
        memcpy(s->nonce[i] + 4, &word, sizeof word);
    }
}

static unsigned apply_masks(struct state *s)
{
    for (unsigned i = 0; i < BURST; i++) {
        uint8_t *header = (uint8_t *)s->payloads[i] - HEADER_BYTES;
        header[0] ^= s->mask[i][0] & 0x1f;
        header[HEADER_BYTES - 2] ^= s->mask[i][1];
        header[HEADER_BYTES - 1] ^= s->mask[i][2];
    }
    return (unsigned)(BURST * s->len);
}

static unsigned their_aes128gcm_seal(void *arg)
{
    IMB_MGR *m = ipsec_mb_manager();
    struct state *s = arg;

    begin_burst(s);
    imb_quic_aes_gcm(m, &s->gcm, IMB_KEY_128_BYTES, IMB_DIR_ENCRYPT, s->payloads, s->texts, s->lens, s->nonces,
                     s->headers, HEADER_BYTES, s->tags, OCT_AEAD_TAG_BYTES, BURST);
    imb_quic_hp_aes_ecb(m, s->hp_keys, s->masks, s->samples, BURST, IMB_KEY_128_BYTES);
    return apply_masks(s);
}

static unsigned their_chacha20poly1305_seal(void *arg)
{
    IMB_MGR *m = ipsec_mb_manager();
    struct state *s = arg;

    begin_burst(s);
    imb_quic_chacha20_poly1305(m, s->key, IMB_DIR_ENCRYPT, s->payloads, s->texts, s->lens, s->nonces, s->headers,
                               HEADER_BYTES, s->tags, BURST);
    imb_quic_hp_chacha20(m, s->hp, s->masks, s->samples, BURST);
    return apply_masks(s);
}

/* Only after the first call on either side: each seals what the one before has left. */
static int same(void *arg)
{
    struct state *s = arg;
    return memcmp(s->ours, s->theirs, BURST * (HEADER_BYTES + s->len + OCT_AEAD_TAG_BYTES)) == 0;
}

#define ROW(name, aead, size)                                                                                          \
    {                                                                                                                  \
        "quic-" #name "-seal-" #size, "B/s", aead, size, open_state, close_state, our_seal, their_##name##_seal, same  \
    }
#define ROWS(name, aead) ROW(name, aead, 64), ROW(name, aead, 256), ROW(name, aead, 1440)

const struct beside_row ipsec_mb_quic[] = {
    ROWS(aes128gcm, OCT_AEAD_AES_128_GCM), ROWS(chacha20poly1305, OCT_AEAD_CHACHA20_POLY1305), {0}};
