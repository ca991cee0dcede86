/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* ctest: RUNS widths */
/*
 * AEADs and QUIC packets on the c tier: a record of any shape, whole and in pieces, has to come out the same and open
 * again; forged records and any bytes as QUIC packets end with their documented status, with nothing written where
 * nothing belongs.
 */
#include "input.h"

#include <octuple/octuple.h>

#include <stdlib.h>
#include <string.h>

#define MAX_TEXT 1024

struct record {
    struct oct_aead_key *key;
    uint8_t nonce[12], aad[64], text[MAX_TEXT], sealed[MAX_TEXT], tag[16], out[MAX_TEXT];
    size_t aad_len, len;
};

static void check_pieces(struct fuzz_input *in, struct record *r)
{
    struct oct_aead_stream stream;
    uint8_t tag[16];
    FUZZ_CHECK(oct_aead_stream_init(&stream, r->key, r->nonce, 12, 1) == OCT_OK);
    for (size_t at = 0, n; at < r->aad_len; at += n) {
        n = 1 + fuzz_below(in, (unsigned)(r->aad_len - at));
        FUZZ_CHECK(oct_aead_stream_aad(&stream, r->aad + at, n) == OCT_OK);
    }
    for (size_t at = 0, n; at < r->len; at += n) {
        n = 1 + fuzz_below(in, (unsigned)(r->len - at));
        FUZZ_CHECK(oct_aead_stream_update(&stream, r->text + at, n, r->out + at) == OCT_OK);
    }
    FUZZ_CHECK(oct_aead_stream_finish_seal(&stream, tag) == OCT_OK);
    FUZZ_CHECK(memcmp(r->out, r->sealed, r->len) == 0 && memcmp(tag, r->tag, 16) == 0);
}

static void check_forgery(struct fuzz_input *in, struct record *r)
{
    const unsigned bit = 1u + fuzz_below(in, 255);
    r->tag[fuzz_below(in, 16)] ^= (uint8_t)bit;
    FUZZ_CHECK(oct_aead_open(r->key, r->nonce, r->aad, r->aad_len, r->sealed, r->len, r->out, r->tag) == OCT_ERR_AUTH);
    for (size_t i = 0; i < r->len; i++)
        FUZZ_CHECK(r->out[i] == 0);
}

static void fuzz_record(struct fuzz_input *in)
{
    struct record r;
    uint8_t bytes[32];
    const int aead = (int)fuzz_below(in, OCT_AEAD_COUNT);
    memset(&r, 0, sizeof r);
    fuzz_bytes(in, bytes, sizeof bytes);
    if (oct_aead_key_new(&r.key, aead, bytes, oct_aead_key_len(aead)) != OCT_OK) {
        FUZZ_CHECK(!oct_aead_is_on(aead));
        return;
    }
    r.aad_len = fuzz_below(in, sizeof r.aad + 1);
    r.len = fuzz_below(in, MAX_TEXT + 1);
    fuzz_bytes(in, r.nonce, 12);
    fuzz_bytes(in, r.aad, r.aad_len);
    fuzz_bytes(in, r.text, r.len);
    FUZZ_CHECK(oct_aead_seal(r.key, r.nonce, r.aad, r.aad_len, r.text, r.len, r.sealed, r.tag) == OCT_OK);
    FUZZ_CHECK(oct_aead_open(r.key, r.nonce, r.aad, r.aad_len, r.sealed, r.len, r.out, r.tag) == OCT_OK);
    FUZZ_CHECK(memcmp(r.out, r.text, r.len) == 0);
    if (oct_aead_stream_size(aead))
        check_pieces(in, &r);
    check_forgery(in, &r);
    oct_aead_key_free(r.key);
}

/* Whatever stands in the packets: a status for each, and no byte beyond them. */
static void fuzz_packets(struct fuzz_input *in)
{
    static uint8_t data[4][256];
    struct oct_quic_keys *keys = NULL;
    struct oct_quic_packet packet[4];
    uint8_t bytes[60];
    const unsigned count = 1 + fuzz_below(in, 4), seal = fuzz_below(in, 2);
    fuzz_bytes(in, bytes, sizeof bytes);
    FUZZ_CHECK(oct_quic_keys_new(&keys, OCT_AEAD_AES_128_GCM, bytes, 16, bytes + 16, bytes + 28) == OCT_OK);
    memset(data, 0x5a, sizeof data);
    for (unsigned i = 0; i < count; i++) {
        const size_t header = fuzz_below(in, 40), len = fuzz_below(in, 200);
        fuzz_bytes(in, data[i], len);
        packet[i] =
            (struct oct_quic_packet){.data = data[i], .header_len = header, .len = len, .number = fuzz_byte(in)};
    }
    const int status = seal ? oct_quic_seal(keys, packet, count) : oct_quic_open(keys, packet, count);
    int first = OCT_OK;
    for (unsigned i = 0; i < count; i++) {
        first = first == OCT_OK ? packet[i].status : first;
        FUZZ_CHECK(packet[i].len <= 200);
        for (size_t j = 216; j < sizeof data[i]; j++)
            FUZZ_CHECK(data[i][j] == 0x5a);
    }
    FUZZ_CHECK(status == first);
    oct_quic_keys_free(keys);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_input in = {data, size};
    if (fuzz_byte(&in) & 1)
        fuzz_record(&in);
    else
        fuzz_packets(&in);
    return 0;
}
