/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * QUIC packet protection: the packets of RFC 9001, appendix A, and bursts of every size and mixture against a plain
 * one built from libcrypto's AEAD and block cipher, on every tier.
 */
#include "aead_ref.h"

#include "api/cipher/quic_internal.h"

#include <openssl/evp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include "run_tests.h"

#define MAX_PACKETS 70
#define ROOM        2560

static size_t unhex(uint8_t *out, const char *hex)
{
    size_t len = 0;
    for (; hex[2 * len]; len++) {
        const char byte[3] = {hex[2 * len], hex[2 * len + 1], 0};
        out[len] = (uint8_t)strtoul(byte, NULL, 16);
    }
    return len;
}

/* A packet of RFC 9001, sealed and opened again. */
struct sample {
    int aead;
    const char *key, *iv, *hp, *header, *payload;
    size_t padded; /* the payload with its padding */
    uint64_t number, expected;
    const char *begin, *end; /* of the protected packet */
};

static const struct sample samples[] = {
    /* A.2, the client's Initial */
    {OCT_AEAD_AES_128_GCM, "1f369613dd76d5467730efcbe3b1a22d", "fa044b2f42a3fd3b46fb255c",
     "9f50449e04a0e810283a1e9933adedd2", "c300000001088394c8f03e5157080000449e00000002",
     "060040f1010000ed0303ebf8fa56f12939b9584a3896472ec40bb863cfd3e86804fe3a47f06a2b69484c0000041301130201000"
     "0c000000010000e00000b6578616d706c652e636f6dff01000100000a00080006001d0017001800100007000504616c706e0005"
     "00050100000000003300260024001d00209370b2c9caa47fbabaf4559fedba753de171fa71f50f1ce15d43e994ec74d748002b0"
     "003020304000d0010000e0403050306030203080408050806002d00020101001c00024001003900320408ffffffffffffffff05"
     "048000ffff07048000ffff0801100104800075300901100f088394c8f03e51570806048000ffff",
     1162, 2, 0, "c000000001088394c8f03e5157080000449e7b9aec34d1b1c98dd7689fb8ec11d242b123dc9b",
     "e221af44860018ab0856972e194cd934"},
    /* A.3, the server's Initial */
    {OCT_AEAD_AES_128_GCM, "cf3a5331653c364c88f0f379b6067e37", "0ac1493ca1905853b0bba03e",
     "c206b8d9b9f0f37644430b490eeaa314", "c1000000010008f067a5502a4262b50040750001",
     "02000000000600405a020000560303eefce7f7b37ba1d1632e96677825ddf73988cfc79825df566dc5430b9a045a120013010000"
     "2e00330024001d00209d3c940d89690b84d08a60993c144eca684d1081287c834d5311bcf32bb9da1a002b00020304",
     99, 1, 0, "cf000000010008f067a5502a4262b5004075c0d95a482cd0991cd25b0aac406a5816b639",
     "398c276456cbc42158407dd074ee"},
    /* A.5, ChaCha20-Poly1305 with a short header */
    {OCT_AEAD_CHACHA20_POLY1305, "c6d98ff3441c3fe1b2182094f69caa2ed4b716b65488960a7a984979fb23e1c8",
     "e0459b3474bdd0e44a41c144", "25a282b9e82f06f21f488917a4fc8f1b73573685608597d0efcb076b0ab7a7a4", "4200bff4", "01",
     1, 654360564, 654360560, "4cfe4189655e5cd55c41f69080575d7999c25a5bfb", ""},
};

static void check_sample(const struct oct_aead_ops *ops, const struct sample *s)
{
    uint8_t key[32], iv[12], hp[32], packet[ROOM], plain[ROOM], want[200];
    struct oct_quic_keys *keys = NULL;
    const size_t key_len = unhex(key, s->key), header = unhex(packet, s->header);
    memset(packet + header, 0, sizeof packet - header);
    unhex(packet + header, s->payload);
    unhex(iv, s->iv);
    unhex(hp, s->hp);
    memcpy(plain, packet, sizeof packet);
    assert_int_equal(oct_quic_keys_new_on(ops, &keys, s->aead, key, key_len, iv, hp), OCT_OK);
    struct oct_quic_packet p = {.data = packet, .header_len = header, .len = header + s->padded, .number = s->number};
    assert_int_equal(oct_quic_seal(keys, &p, 1), OCT_OK);
    assert_memory_equal(packet, want, unhex(want, s->begin));
    const size_t end = unhex(want, s->end);
    assert_memory_equal(packet + header + s->padded + 16 - end, want, end);
    const size_t number_len = (plain[0] & 3u) + 1;
    p = (struct oct_quic_packet){
        .data = packet, .header_len = header - number_len, .len = header + s->padded + 16, .number = s->expected};
    assert_int_equal(oct_quic_open(keys, &p, 1), OCT_OK);
    assert_memory_equal(packet, plain, header + s->padded);
    assert_int_equal(p.number, s->number);
    assert_int_equal(p.header_len, header);
    assert_int_equal(p.len, header + s->padded);
    oct_quic_keys_free(keys);
}

static void test_rfc_9001(void **state)
{
    unsigned runs = 0;
    (void)state;
    for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++) {
        const struct oct_aead_ops *ops[OCT_AEAD_TIERS];
        const unsigned count = oct_aead_runnable(samples[i].aead, ops);
        for (unsigned t = 0; t < count; t++, runs++)
            check_sample(ops[t], &samples[i]);
    }
    assert_true(runs >= 2);
}

/* --- bursts */

struct flight {
    struct ref ref[2]; /* by key phase */
    uint8_t iv[2][12], hp[32];
    EVP_CIPHER_CTX *mask;
    struct oct_quic_keys *keys;
    struct oct_quic_packet packet[MAX_PACKETS];
    uint8_t data[MAX_PACKETS][ROOM], plain[MAX_PACKETS][ROOM], want[MAX_PACKETS][ROOM];
    size_t header[MAX_PACKETS], len[MAX_PACKETS];
    uint64_t number[MAX_PACKETS];
};

/* Packet i, and what it has to become. If all are `alike` they have headers of that length. */
static void make_packet(struct flight *f, size_t i, size_t payload, size_t alike)
{
    const int is_long = !alike && ref_below(3) == 0;
    const unsigned number_len = 1 + (unsigned)ref_below(4), phase = is_long ? 0 : (unsigned)ref_below(2);
    const size_t header = alike ? alike : number_len + 1 + ref_below(is_long ? 50 : 21), least = 4 - number_len;
    uint8_t nonce[12], mask[16], *plain = f->plain[i], *want = f->want[i];
    payload = payload < least ? least : payload;
    ref_random(plain, header + payload);
    plain[0] = (uint8_t)((plain[0] & 0x78) | (is_long ? 0x80 : 0) | (number_len - 1) | (!is_long && phase ? 4 : 0));
    if (!is_long && !phase)
        plain[0] &= (uint8_t)~4;
    f->number[i] = ref_below(UINT32_MAX) * (uint64_t)(1 + ref_below(1000));
    for (unsigned j = 0; j < number_len; j++)
        plain[header - 1 - j] = (uint8_t)(f->number[i] >> (8 * j));
    f->header[i] = header;
    f->len[i] = header + payload;
    memcpy(nonce, f->iv[phase], 12);
    for (unsigned j = 0; j < 8; j++)
        nonce[11 - j] ^= (uint8_t)(f->number[i] >> (8 * j));
    memcpy(want, plain, header);
    ref_seal(&f->ref[phase], nonce, 12, plain, header, plain + header, payload, want + header, want + f->len[i]);
    ref_mask(f->mask, f->ref[0].aead, f->hp, want + header - number_len + 4, mask);
    want[0] ^= mask[0] & (is_long ? 0x0f : 0x1f);
    for (unsigned j = 0; j < number_len; j++)
        want[header - number_len + j] ^= mask[1 + j];
    memset(f->data[i], 0x5a, ROOM);
    memcpy(f->data[i] + 1, plain, f->len[i]);
    f->packet[i] = (struct oct_quic_packet){
        .data = f->data[i] + 1, .header_len = header, .len = f->len[i], .number = f->number[i], .status = -1};
}

static void to_open(struct flight *f, size_t i)
{
    const size_t number_len = (f->plain[i][0] & 3u) + 1;
    const uint64_t near = f->number[i] > 100 ? f->number[i] - ref_below(100) : f->number[i];
    f->packet[i] = (struct oct_quic_packet){
        .data = f->data[i] + 1, .header_len = f->header[i] - number_len, .len = f->len[i] + 16, .number = near};
}

/* Packets of lengths below `most`, all the same if they are to be `alike`. */
static void check_burst(struct flight *f, size_t count, size_t most, size_t alike)
{
    const size_t broken = ref_below(2 * count), same = ref_below(most) + 5;
    const uint64_t forged = oct_quic_keys_forged(f->keys);
    for (size_t i = 0; i < count; i++)
        make_packet(f, i, alike ? same : ref_below(most) + (i == broken ? 5 : 0), alike);
    assert_int_equal(oct_quic_seal(f->keys, f->packet, count), OCT_OK);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(f->packet[i].status, OCT_OK);
        assert_memory_equal(f->data[i] + 1, f->want[i], f->len[i] + 16);
        assert_int_equal(f->data[i][0], 0x5a);
        assert_int_equal(f->data[i][f->len[i] + 17], 0x5a);
        to_open(f, i);
    }
    if (broken < count) /* the last byte of the tag, which is not in its sample: the header stays readable */
        f->data[broken][f->len[broken] + 16] ^= 1;
    assert_int_equal(oct_quic_open(f->keys, f->packet, count), broken < count ? OCT_ERR_AUTH : OCT_OK);
    for (size_t i = 0; i < count; i++) {
        uint8_t *data = f->data[i] + 1;
        assert_int_equal(f->packet[i].status, i == broken ? OCT_ERR_AUTH : OCT_OK);
        assert_memory_equal(data, f->plain[i], i == broken ? f->header[i] : f->len[i]);
        for (size_t j = f->header[i]; i == broken && j < f->len[i]; j++)
            assert_int_equal(data[j], 0);
        assert_true(i == broken || f->packet[i].number == f->number[i]);
        assert_int_equal(f->packet[i].header_len, f->header[i]);
        assert_int_equal(f->packet[i].len, f->len[i]);
    }
    assert_int_equal(oct_quic_keys_forged(f->keys), forged + (broken < count));
}

static void test_bursts(void **state)
{
    static const int aeads[] = {OCT_AEAD_AES_128_GCM, OCT_AEAD_AES_256_GCM, OCT_AEAD_CHACHA20_POLY1305};
    static struct flight f;
    unsigned runs = 0;
    (void)state;
    for (size_t a = 0; a < 3; a++) {
        const struct oct_aead_ops *ops[OCT_AEAD_TIERS];
        const unsigned tiers = oct_aead_runnable(aeads[a], ops);
        for (unsigned t = 0; t < tiers; t++, runs++) {
            const int slow = strcmp(ops[t]->tier, "c") == 0;
            const size_t key_len = oct_aead_key_len(aeads[a]);
            memset(&f, 0, sizeof f);
            f.mask = EVP_CIPHER_CTX_new();
            ref_random(f.hp, sizeof f.hp);
            ref_random(f.iv[0], sizeof f.iv);
            for (int phase = 0; phase < 2; phase++)
                ref_open(&f.ref[phase], ops[t], aeads[a]);
            assert_int_equal(oct_quic_keys_new_on(ops[t], &f.keys, aeads[a], f.ref[0].bytes, key_len, f.iv[0], f.hp),
                             OCT_OK);
            assert_int_equal(oct_quic_keys_update(f.keys, 1, f.ref[1].bytes, key_len, f.iv[1]), OCT_OK);
            for (size_t count = 1; count <= (slow ? 9 : MAX_PACKETS); count++)
                for (size_t most = 20; most <= (slow ? 320 : 1600); most *= slow ? 16 : 3)
                    check_burst(&f, count, most, 0);
            for (size_t round = 0; round < (slow ? 20 : 500); round++)
                check_burst(&f, 1 + round % MAX_PACKETS, round % 2 ? 200 : slow ? 500 : 2400, 5 + 9 * (round % 4));
            assert_true(oct_quic_keys_sealed(f.keys, 0) > 0 && oct_quic_keys_sealed(f.keys, 1) > 0);
            oct_quic_keys_free(f.keys);
            EVP_CIPHER_CTX_free(f.mask);
            ref_close(&f.ref[0]);
            ref_close(&f.ref[1]);
        }
    }
    assert_true(runs > 0);
}

/* Every kind of bad packet gets its status and stays as it was; its neighbours are served. */
static void test_bad_packets(void **state)
{
    const struct oct_aead_ops *ops[OCT_AEAD_TIERS];
    struct oct_quic_keys *keys = NULL;
    uint8_t bytes[32] = {1}, data[5][64], before[64];
    (void)state;
    oct_aead_runnable(0, ops);
    assert_int_equal(oct_quic_keys_new_on(ops[0], &keys, 0, bytes, 15, bytes, bytes), OCT_ERR_LENGTH);
    assert_int_equal(oct_quic_keys_new_on(ops[0], &keys, 1, bytes, 24, bytes, bytes), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_quic_keys_new_on(ops[0], NULL, 0, bytes, 16, bytes, bytes), OCT_ERR_ARGUMENT);
    assert_null(keys);
    assert_int_equal(oct_quic_keys_new_on(ops[0], &keys, 0, bytes, 16, bytes, bytes), OCT_OK);
    assert_int_equal(oct_quic_keys_update(keys, 2, bytes, 16, bytes), OCT_ERR_ARGUMENT);
    for (int i = 0; i < 5; i++)
        memset(data[i], 0x40, 64);
    data[4][7] = 5;    /* the number, as the header has it */
    data[2][0] = 0x44; /* key phase 1, which has no key */
    struct oct_quic_packet p[5] = {{data[0], 1, 20, 0, 0},
                                   {data[1], 8, 10, 0, 0},
                                   {data[2], 8, 30, 0, 0},
                                   {data[3], 8, 30, (uint64_t)1 << 62, 0},
                                   {data[4], 8, 30, 5, 0}};
    memcpy(before, data[1], 64);
    assert_int_equal(oct_quic_seal(keys, p, 5), OCT_ERR_ARGUMENT);
    assert_int_equal(p[1].status, OCT_ERR_LENGTH);
    assert_int_equal(p[2].status, OCT_ERR_KEY);
    assert_int_equal(p[3].status, OCT_ERR_RANGE);
    assert_int_equal(p[4].status, OCT_OK);
    assert_memory_equal(data[1], before, 64);
    assert_memory_equal(data[3], before, 64);
    assert_memory_not_equal(data[4], before, 64);
    assert_int_equal(oct_quic_keys_sealed(keys, 0), 1);
    keys->sealed[0] = (uint64_t)1 << 23;
    p[0] = (struct oct_quic_packet){data[0], 8, 30, 6, 0};
    assert_int_equal(oct_quic_seal(keys, p, 1), OCT_ERR_LIMIT);
    assert_memory_equal(data[0], before, 64);
    p[0] = (struct oct_quic_packet){data[0], 8, 27, 6, 0};
    assert_int_equal(oct_quic_open(keys, p, 1), OCT_ERR_LENGTH);
    keys->forged = (uint64_t)1 << 52;
    p[0] = (struct oct_quic_packet){data[4], 7, 46, 6, 0};
    assert_int_equal(oct_quic_open(keys, p, 1), OCT_ERR_LIMIT);
    keys->forged = 0;
    assert_int_equal(oct_quic_open(keys, p, 1), OCT_OK);
    assert_int_equal(p[0].number, 5);
    assert_int_equal(oct_quic_open(keys, NULL, 1), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_quic_seal(NULL, p, 1), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_quic_seal(keys, NULL, 0), OCT_OK);
    oct_quic_keys_free(keys);
    oct_quic_keys_free(NULL);
}

int main(void)
{
    return RUN_TESTS(NULL, NULL, test_rfc_9001, test_bursts, test_bad_packets);
}
