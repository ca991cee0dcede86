/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See record.h. */
#include "record.h"

#define EXPLICIT_LEN 8 /* of TLS 1.2's nonce, in the record */
#define IMPLICIT_LEN 4

static void write_sequence(uint8_t bytes[8], uint64_t sequence)
{
    for (int i = 8; i-- > 0; sequence >>= 8)
        bytes[i] = (uint8_t)sequence;
}

static bool open13(struct load_conn *conn, struct load_reader *content, unsigned *type, uint8_t *record,
                   size_t body_len)
{
    uint8_t nonce[LOAD_IV_LEN], sequence[8];
    if (record[0] != LOAD_CONTENT_DATA || body_len < 1 + LOAD_TAG_LEN)
        return false;
    size_t len = body_len - LOAD_TAG_LEN;
    write_sequence(sequence, conn->open_sequence++);
    memcpy(nonce, conn->open_iv, sizeof nonce);
    for (int i = 0; i < 8; i++)
        nonce[4 + i] ^= sequence[i];
    uint8_t *body = record + LOAD_RECORD_HEADER;
    if (!load_aead_open(conn->open, body, len, nonce, (struct load_span){record, LOAD_RECORD_HEADER}))
        return false;
    while (len > 0 && body[len - 1] == 0) /* padding */
        len--;
    if (len == 0)
        return false;
    *type = body[len - 1];
    *content = load_reader_of(body, len - 1);
    return true;
}

/* The additional data of TLS 1.2: sequence number, then the header with the length of the plaintext. */
static void write_aad12(uint8_t aad[13], uint64_t sequence, unsigned type, size_t len)
{
    struct load_writer writer = {aad, 8, 13};
    write_sequence(aad, sequence);
    load_write_number(&writer, type, 1);
    load_write_number(&writer, 0x0303, 2);
    load_write_number(&writer, (uint32_t)len, 2);
}

static bool open12(struct load_conn *conn, struct load_reader *content, unsigned *type, uint8_t *record,
                   size_t body_len)
{
    uint8_t nonce[LOAD_IV_LEN], aad[13];
    if (body_len < EXPLICIT_LEN + LOAD_TAG_LEN)
        return false;
    size_t len = body_len - EXPLICIT_LEN - LOAD_TAG_LEN;
    uint8_t *body = record + LOAD_RECORD_HEADER;
    memcpy(nonce, conn->open_iv, IMPLICIT_LEN);
    memcpy(nonce + IMPLICIT_LEN, body, EXPLICIT_LEN);
    write_aad12(aad, conn->open_sequence++, record[0], len);
    if (!load_aead_open(conn->open, body + EXPLICIT_LEN, len, nonce, (struct load_span){aad, sizeof aad}))
        return false;
    *type = record[0];
    *content = load_reader_of(body + EXPLICIT_LEN, len);
    return true;
}

bool load_record_open(struct load_conn *conn, struct load_reader *content, unsigned *type, uint8_t *record,
                      size_t body_len)
{
    return conn->run->options->tls == 13 ? open13(conn, content, type, record, body_len)
                                         : open12(conn, content, type, record, body_len);
}

static const struct load_span nothing = {"", 0};

void load_record_open_with(struct load_conn *conn, const uint8_t *traffic_secret)
{
    struct load_crypto *crypto = &conn->run->crypto;
    uint8_t key[LOAD_KEY_MAX];
    load_crypto_expand(crypto, key, crypto->key_len, traffic_secret, "key", nothing);
    load_crypto_expand(crypto, conn->open_iv, LOAD_IV_LEN, traffic_secret, "iv", nothing);
    load_aead_key(crypto, conn->open, key, 0);
    conn->open_sequence = 0;
    conn->open_on = true;
}

void load_record_seal13(struct load_conn *conn, const uint8_t *traffic_secret, enum load_content type,
                        const uint8_t *data, size_t len)
{
    struct load_crypto *crypto = &conn->run->crypto;
    uint8_t key[LOAD_KEY_MAX], iv[LOAD_IV_LEN];
    load_crypto_expand(crypto, key, crypto->key_len, traffic_secret, "key", nothing);
    load_crypto_expand(crypto, iv, LOAD_IV_LEN, traffic_secret, "iv", nothing);
    load_aead_key(crypto, crypto->seal, key, 1);

    struct load_writer writer = {conn->out, conn->out_len, sizeof conn->out};
    uint8_t *header = writer.at + writer.len;
    load_write_bytes(&writer, "\x17\x03\x03", 3);
    load_write_number(&writer, (uint32_t)(len + 1 + LOAD_TAG_LEN), 2);
    uint8_t *body = load_write_room(&writer, len + 1 + LOAD_TAG_LEN);
    memcpy(body, data, len);
    body[len] = (uint8_t)type;
    load_aead_seal(crypto->seal, body, iv, (struct load_span){header, LOAD_RECORD_HEADER}, body, len + 1);
    conn->out_len = writer.len;
}

void load_record_seal12(struct load_conn *conn, const uint8_t *key, const uint8_t *iv, enum load_content type,
                        const uint8_t *data, size_t len)
{
    struct load_crypto *crypto = &conn->run->crypto;
    uint8_t nonce[LOAD_IV_LEN] = {0}, aad[13];
    memcpy(nonce, iv, IMPLICIT_LEN);
    write_aad12(aad, 0, type, len);
    load_aead_key(crypto, crypto->seal, key, 1);

    struct load_writer writer = {conn->out, conn->out_len, sizeof conn->out};
    load_write_number(&writer, type, 1);
    load_write_number(&writer, 0x0303, 2);
    load_write_number(&writer, (uint32_t)(EXPLICIT_LEN + len + LOAD_TAG_LEN), 2);
    memset(load_write_room(&writer, EXPLICIT_LEN), 0, EXPLICIT_LEN);
    uint8_t *body = load_write_room(&writer, len + LOAD_TAG_LEN);
    load_aead_seal(crypto->seal, body, nonce, (struct load_span){aad, sizeof aad}, data, len);
    conn->out_len = writer.len;
}
