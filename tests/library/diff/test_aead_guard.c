/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * AEADs at the edge of memory: every buffer of a call begins right behind a page that cannot be touched, or ends
 * right before one, and a single byte too many ends the program. Every tier, every length to 700, and some long ones;
 * bursts of QUIC packets, each between pages of its own, of lengths that go side by side and others, mixed and alike.
 */
#include "aead_ref.h"

#include "api/cipher/quic_internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>
#include "run_tests.h"

#define ROOM 32768

/* Memory of ROOM bytes between two such pages. */
static uint8_t *guarded(void)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    uint8_t *p = mmap(NULL, ROOM + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(p, MAP_FAILED);
    assert_int_equal(mprotect(p + page, ROOM, PROT_READ | PROT_WRITE), 0);
    return p + page;
}

enum { IN, OUT, AAD, NONCE, TAG, KEY, STREAM, BUFFERS };
static uint8_t *room[BUFFERS], text[ROOM], want[ROOM], want_tag[16];

/* `len` bytes at the beginning or at the end of a room. */
static uint8_t *place(int buffer, size_t len, int at_end)
{
    return at_end ? room[buffer] + ROOM - len : room[buffer];
}

static void check(struct ref *r, size_t aad_len, size_t len, int at_end)
{
    uint8_t *in = place(IN, len, at_end), *out = place(OUT, len, at_end), *aad = place(AAD, aad_len, at_end);
    uint8_t *nonce = place(NONCE, 12, at_end), *tag = place(TAG, 16, at_end);
    struct oct_aead_stream *stream = (void *)place(STREAM, oct_aead_stream_size(r->aead), at_end);
    struct oct_aead_key *key = (void *)place(KEY, sizeof *key, at_end);
    memcpy(key, r->key, sizeof *key);
    ref_random(nonce, 12);
    memcpy(aad, text, aad_len);
    memcpy(in, text, len);
    ref_seal(r, nonce, 12, aad, aad_len, in, len, want, want_tag);
    assert_int_equal(oct_aead_seal(key, nonce, aad, aad_len, in, len, out, tag), OCT_OK);
    assert_memory_equal(out, want, len);
    assert_memory_equal(tag, want_tag, 16);
    memcpy(in, want, len);
    assert_int_equal(oct_aead_open(key, nonce, aad, aad_len, in, len, in, tag), OCT_OK);
    assert_memory_equal(in, text, len);
    if (!oct_aead_stream_size(r->aead))
        return;
    assert_int_equal(oct_aead_stream_init(stream, key, nonce, 12, 1), OCT_OK);
    assert_int_equal(oct_aead_stream_aad(stream, aad, aad_len), OCT_OK);
    assert_int_equal(oct_aead_stream_update(stream, in, len / 3, out), OCT_OK);
    assert_int_equal(oct_aead_stream_update(stream, in + len / 3, len - len / 3, out + len / 3), OCT_OK);
    assert_int_equal(oct_aead_stream_finish_seal(stream, tag), OCT_OK);
    assert_memory_equal(out, want, len);
    assert_memory_equal(tag, want_tag, 16);
}

static void test_edges(void **state)
{
    unsigned runs = 0;
    (void)state;
    for (int aead = 0; aead < OCT_AEAD_COUNT; aead++) {
        const struct oct_aead_ops *ops[OCT_AEAD_TIERS];
        const unsigned count = oct_aead_runnable(aead, ops);
        for (unsigned i = 0; i < count; i++, runs++) {
            const size_t step = strcmp(ops[i]->tier, "c") == 0 ? 13 : 1;
            struct ref r;
            ref_open(&r, ops[i], aead);
            for (int at_end = 0; at_end < 2; at_end++) {
                for (size_t len = 0; len <= 700; len += step)
                    check(&r, len % 67, len, at_end);
                for (size_t len = 1000; len <= (step > 1 ? 2000 : 9000); len += 531)
                    check(&r, len % 300, len, at_end);
            }
            ref_close(&r);
        }
    }
    assert_true(runs > 0);
}

#define PACKETS 9
static uint8_t *packet_room[PACKETS];

/* Every fourth burst is of packets that are all alike. */
static unsigned own(unsigned i, size_t first)
{
    return first % 4 == 3 ? 0 : i;
}

/* Packet i of a burst, to be sealed: its number is i, and stands in the last bytes of its header. */
static void make_packet(struct oct_quic_packet *packet, unsigned i, size_t first, uint8_t *data)
{
    const unsigned number_len = 1 + (own(i, first) + (unsigned)first) % 4;
    const size_t header = number_len + 1 + (first + 5 * own(i, first)) % 40;
    memcpy(data, text, packet->len);
    memset(data + header - number_len, 0, number_len);
    data[0] = (uint8_t)(0x40 | (number_len - 1));
    data[header - 1] = (uint8_t)i;
    *packet = (struct oct_quic_packet){.data = data, .header_len = header, .len = packet->len, .number = i};
}

/* Sealed together they are what each is when sealed alone, elsewhere; opened together they are what they were. */
static void check_burst(struct oct_quic_keys *keys, unsigned count, size_t first, int at_end)
{
    struct oct_quic_packet packet[PACKETS] = {{0}}, alone;
    size_t header[PACKETS], len[PACKETS];
    for (unsigned i = 0; i < count; i++) {
        packet[i].len = len[i] = 48 + (own(i, first) == 3 ? 1440 : (5 * first + 61 * own(i, first)) % 900);
        make_packet(&packet[i], i, first, at_end ? packet_room[i] + ROOM - len[i] - 16 : packet_room[i]);
        header[i] = packet[i].header_len;
    }
    assert_int_equal(oct_quic_seal(keys, packet, count), OCT_OK);
    for (unsigned i = 0; i < count; i++) {
        alone.len = len[i];
        make_packet(&alone, i, first, want);
        assert_int_equal(oct_quic_seal(keys, &alone, 1), OCT_OK);
        assert_memory_equal(packet[i].data, want, len[i] + 16);
        packet[i].header_len -= 1 + (own(i, first) + first) % 4;
        packet[i].len += 16;
    }
    assert_int_equal(oct_quic_open(keys, packet, count), OCT_OK);
    for (unsigned i = 0; i < count; i++) {
        assert_int_equal(packet[i].header_len, header[i]);
        assert_int_equal(packet[i].number, i);
        assert_memory_equal(packet[i].data + header[i], text + header[i], len[i] - header[i]);
    }
}

static void test_quic_edges(void **state)
{
    static const int aeads[] = {OCT_AEAD_AES_128_GCM, OCT_AEAD_AES_256_GCM, OCT_AEAD_CHACHA20_POLY1305};
    uint8_t bytes[32], iv[12], hp[32];
    unsigned runs = 0;
    (void)state;
    ref_random(bytes, sizeof bytes);
    ref_random(iv, sizeof iv);
    ref_random(hp, sizeof hp);
    for (unsigned a = 0; a < OCT_ARRAY_LEN(aeads); a++) {
        const struct oct_aead_ops *ops[OCT_AEAD_TIERS];
        const unsigned count = oct_aead_runnable(aeads[a], ops);
        for (unsigned i = 0; i < count; i++, runs++) {
            const size_t step = strcmp(ops[i]->tier, "c") == 0 ? 29 : 1;
            struct oct_quic_keys *keys = NULL;
            assert_int_equal(oct_quic_keys_new_on(ops[i], &keys, aeads[a], bytes, oct_aead_key_len(aeads[a]), iv, hp),
                             OCT_OK);
            for (size_t first = 0; first < 300; first += step)
                for (int at_end = 0; at_end < 2; at_end++)
                    check_burst(keys, 1 + (unsigned)(first % PACKETS), first, at_end);
            oct_quic_keys_free(keys);
        }
    }
    assert_true(runs > 0);
}

static int setup(void **state)
{
    (void)state;
    for (int i = 0; i < BUFFERS; i++)
        room[i] = guarded();
    for (int i = 0; i < PACKETS; i++)
        packet_room[i] = guarded();
    ref_random(text, sizeof text);
    return 0;
}

int main(void)
{
    return RUN_TESTS(setup, NULL, test_edges, test_quic_edges);
}
