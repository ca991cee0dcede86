/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * QUIC packets for `octuple speed`: bursts of 32 with short headers of 11 bytes, one after the other as a segmented
 * send has them, sealed in place with header protection, both sides writing the headers anew each time; what is counted
 * is payload. OpenSSL's side has one context for the AEAD and one for the masks (AES of a sample, or ChaCha20 from
 * there), made and keyed beforehand.
 */
#include <stdlib.h>
#include <string.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include "speed.h"
#include "keys.h"

#define BURST        32
#define MAX_PAYLOAD  16384
#define HEADER_BYTES 11
#define NUMBER_BYTES 2
#define PACKET_BYTES (HEADER_BYTES + MAX_PAYLOAD + OCT_AEAD_TAG_BYTES)

struct quic_state {
    int which;
    struct oct_quic_keys *keys;
    EVP_CIPHER_CTX *aead, *mask;
    size_t len;
    uint8_t iv[OCT_AEAD_NONCE_BYTES], header[BURST][HEADER_BYTES];
    struct oct_quic_packet packet[BURST];
    uint8_t ours[BURST * PACKET_BYTES], theirs[BURST * PACKET_BYTES];
};

static void quic_close(void *arg)
{
    struct quic_state *s = arg;
    if (s == NULL)
        return;
    EVP_CIPHER_CTX_free(s->aead);
    EVP_CIPHER_CTX_free(s->mask);
    oct_quic_keys_free(s->keys);
    OPENSSL_cleanse(s, sizeof *s);
    free(s);
}

static EVP_CIPHER_CTX *keyed(const char *name, const uint8_t *key)
{
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(speed_libctx(), name, NULL);
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    if (cipher == NULL || context == NULL || !EVP_EncryptInit_ex2(context, cipher, key, NULL, NULL)) {
        EVP_CIPHER_CTX_free(context);
        context = NULL;
    }
    EVP_CIPHER_free(cipher);
    return context;
}

/* Packet i of a burst. */
static uint8_t *packet_at(const struct quic_state *s, uint8_t *burst, unsigned i)
{
    return burst + i * (HEADER_BYTES + s->len + OCT_AEAD_TAG_BYTES);
}

static int quic_prepare(struct quic_state *s)
{
    uint8_t key[32], hp[32];
    int ok = RAND_priv_bytes_ex(speed_libctx(), key, sizeof key, 0) > 0 &&
             RAND_priv_bytes_ex(speed_libctx(), hp, sizeof hp, 0) > 0 &&
             RAND_bytes_ex(speed_libctx(), s->iv, sizeof s->iv, 0) > 0 &&
             RAND_bytes_ex(speed_libctx(), s->header[0], HEADER_BYTES, 0) > 0 &&
             RAND_bytes_ex(speed_libctx(), s->ours, sizeof s->ours, 0) > 0;
    memcpy(s->theirs, s->ours, sizeof s->ours);
    for (unsigned i = 0; i < BURST; i++) { /* packet i has number i */
        memcpy(s->header[i], s->header[0], HEADER_BYTES);
        s->header[i][0] = 0x40 | (NUMBER_BYTES - 1);
        s->header[i][HEADER_BYTES - 2] = 0;
        s->header[i][HEADER_BYTES - 1] = (uint8_t)i;
        s->packet[i] = (struct oct_quic_packet){
            .data = packet_at(s, s->ours, i), .header_len = HEADER_BYTES, .len = HEADER_BYTES + s->len, .number = i};
    }
    s->aead = ok ? keyed(oct_aead_name(s->which), key) : NULL;
    s->mask = ok ? keyed(s->which == OCT_AEAD_AES_128_GCM ? "AES-128-ECB" : "ChaCha20", hp) : NULL;
    ok = s->aead != NULL && s->mask != NULL;
    if (ok && oct_aead_is_on(s->which))
        ok = oct_quic_keys_new(&s->keys, s->which, key, oct_aead_key_len(s->which), s->iv, hp) == OCT_OK;
    OPENSSL_cleanse(key, sizeof key);
    OPENSSL_cleanse(hp, sizeof hp);
    return ok;
}

static void *quic_open_state(const struct speed_op *op)
{
    struct quic_state *s = speed_libctx() != NULL ? calloc(1, sizeof *s) : NULL;
    if (s != NULL) {
        s->len = op->param;
        s->which = SPEED_AEAD(op->oct_op);
    }
    if (s == NULL || !quic_prepare(s)) {
        cli_say("octuple speed", "OpenSSL cannot prepare %s", op->name);
        quic_close(s);
        return NULL;
    }
    return s;
}

static unsigned quic_octuple(void *arg)
{
    static const uint8_t key[32] = {1};
    struct quic_state *s = arg;
    for (unsigned i = 0; i < BURST; i++)
        memcpy(s->packet[i].data, s->header[i], HEADER_BYTES);
    /* The limit on packets by one key is the caller's to mind (RFC 9001, 6.6): a key that has come near it is set
     * again. */
    if (oct_quic_keys_sealed(s->keys, 0) + BURST >= (uint64_t)1 << 23 &&
        oct_quic_keys_update(s->keys, 0, key, oct_aead_key_len(s->which), s->iv) != OCT_OK)
        return 0;
    return oct_quic_seal(s->keys, s->packet, BURST) == OCT_OK ? (unsigned)(BURST * s->len) : 0;
}

static int openssl_packet(struct quic_state *s, uint8_t *data, unsigned number)
{
    static const uint8_t zero[16];
    const uint8_t *sample = data + HEADER_BYTES - NUMBER_BYTES + 4;
    uint8_t nonce[OCT_AEAD_NONCE_BYTES], mask[16], *payload = data + HEADER_BYTES;
    int n, good;
    memcpy(nonce, s->iv, sizeof nonce);
    nonce[10] ^= (uint8_t)(number >> 8);
    nonce[11] ^= (uint8_t)number;
    if (!EVP_EncryptInit_ex2(s->aead, NULL, NULL, nonce, NULL) ||
        !EVP_EncryptUpdate(s->aead, NULL, &n, data, HEADER_BYTES) ||
        !EVP_EncryptUpdate(s->aead, payload, &n, payload, (int)s->len) ||
        !EVP_EncryptFinal_ex(s->aead, payload + s->len, &n) ||
        EVP_CIPHER_CTX_ctrl(s->aead, EVP_CTRL_AEAD_GET_TAG, OCT_AEAD_TAG_BYTES, payload + s->len) <= 0)
        return 0;
    if (s->which == OCT_AEAD_AES_128_GCM)
        good = EVP_EncryptUpdate(s->mask, mask, &n, sample, 16);
    else
        good = EVP_EncryptInit_ex2(s->mask, NULL, NULL, sample, NULL) && EVP_EncryptUpdate(s->mask, mask, &n, zero, 16);
    if (!good)
        return 0;
    data[0] ^= mask[0] & 0x1f;
    data[HEADER_BYTES - 2] ^= mask[1];
    data[HEADER_BYTES - 1] ^= mask[2];
    return 1;
}

static unsigned quic_openssl(void *arg)
{
    struct quic_state *s = arg;
    for (unsigned i = 0; i < BURST; i++) {
        uint8_t *data = packet_at(s, s->theirs, i);
        memcpy(data, s->header[i], HEADER_BYTES);
        if (!openssl_packet(s, data, i))
            return 0;
    }
    return (unsigned)(BURST * s->len);
}

/* Only after the first call on either side: each seals what the one before has left. */
static int quic_same(void *arg)
{
    struct quic_state *s = arg;
    return memcmp(s->ours, s->theirs, BURST * (HEADER_BYTES + s->len + OCT_AEAD_TAG_BYTES)) == 0;
}

#define QUIC_OP(text, which, size)                                                                                     \
    {                                                                                                                  \
        "quic-" text "-seal-" #size, "GB/s", SPEED_AEAD(which), size, quic_open_state, quic_close, quic_octuple,       \
            quic_openssl, quic_same                                                                                    \
    }
#define QUIC_OPS(text, which)                                                                                          \
    QUIC_OP(text, which, 64), QUIC_OP(text, which, 256), QUIC_OP(text, which, 1440), QUIC_OP(text, which, 16384)

const struct speed_op speed_quic_ops[] = {
    QUIC_OPS("aes128gcm", OCT_AEAD_AES_128_GCM),
    QUIC_OPS("chacha20poly1305", OCT_AEAD_CHACHA20_POLY1305),
    {0},
};
