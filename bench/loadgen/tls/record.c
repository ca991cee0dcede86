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

static bool open13(struct oct_conn *conn, struct oct_reader *content, unsigned *type, uint8_t *record, size_t body_len)
{
    uint8_t nonce[OCT_IV_LEN], sequence[8];
    if (record[0] != OCT_CONTENT_DATA || body_len < 1 + OCT_TAG_LEN)
        return false;
    size_t len = body_len - OCT_TAG_LEN;
    write_sequence(sequence, conn->open_sequence++);
    memcpy(nonce, conn->open_iv, sizeof nonce);
    for (int i = 0; i < 8; i++)
        nonce[4 + i] ^= sequence[i];
    uint8_t *body = record + OCT_RECORD_HEADER;
    if (!oct_aead_open(conn->open, body, len, nonce, (struct oct_span){record, OCT_RECORD_HEADER}))
        return false;
    while (len > 0 && body[len - 1] == 0) /* padding */
        len--;
    if (len == 0)
        return false;
    *type = body[len - 1];
    *content = oct_reader_of(body, len - 1);
    return true;
}

/* The additional data of TLS 1.2: sequence number, then the header with the length of the plaintext. */
static void write_aad12(uint8_t aad[13], uint64_t sequence, unsigned type, size_t len)
{
    struct oct_writer writer = {aad, 8, 13};
    write_sequence(aad, sequence);
    oct_write_number(&writer, type, 1);
    oct_write_number(&writer, 0x0303, 2);
    oct_write_number(&writer, (uint32_t)len, 2);
}

static bool open12(struct oct_conn *conn, struct oct_reader *content, unsigned *type, uint8_t *record, size_t body_len)
{
    uint8_t nonce[OCT_IV_LEN], aad[13];
    if (body_len < EXPLICIT_LEN + OCT_TAG_LEN)
        return false;
    size_t len = body_len - EXPLICIT_LEN - OCT_TAG_LEN;
    uint8_t *body = record + OCT_RECORD_HEADER;
    memcpy(nonce, conn->open_iv, IMPLICIT_LEN);
    memcpy(nonce + IMPLICIT_LEN, body, EXPLICIT_LEN);
    write_aad12(aad, conn->open_sequence++, record[0], len);
    if (!oct_aead_open(conn->open, body + EXPLICIT_LEN, len, nonce, (struct oct_span){aad, sizeof aad}))
        return false;
    *type = record[0];
    *content = oct_reader_of(body + EXPLICIT_LEN, len);
    return true;
}

bool oct_record_open(struct oct_conn *conn, struct oct_reader *content, unsigned *type, uint8_t *record,
                     size_t body_len)
{
    return conn->run->options->tls == 13 ? open13(conn, content, type, record, body_len)
                                         : open12(conn, content, type, record, body_len);
}

static const struct oct_span nothing = {"", 0};

void oct_record_open_with(struct oct_conn *conn, const uint8_t *traffic_secret)
{
    struct oct_crypto *crypto = &conn->run->crypto;
    uint8_t key[OCT_KEY_MAX];
    oct_crypto_expand(crypto, key, crypto->key_len, traffic_secret, "key", nothing);
    oct_crypto_expand(crypto, conn->open_iv, OCT_IV_LEN, traffic_secret, "iv", nothing);
    oct_aead_key(crypto, conn->open, key, 0);
    conn->open_sequence = 0;
    conn->open_on = true;
}

void oct_record_seal13(struct oct_conn *conn, const uint8_t *traffic_secret, enum oct_content type, const uint8_t *data,
                       size_t len)
{
    struct oct_crypto *crypto = &conn->run->crypto;
    uint8_t key[OCT_KEY_MAX], iv[OCT_IV_LEN];
    oct_crypto_expand(crypto, key, crypto->key_len, traffic_secret, "key", nothing);
    oct_crypto_expand(crypto, iv, OCT_IV_LEN, traffic_secret, "iv", nothing);
    oct_aead_key(crypto, crypto->seal, key, 1);

    struct oct_writer writer = {conn->out, conn->out_len, sizeof conn->out};
    uint8_t *header = writer.at + writer.len;
    oct_write_bytes(&writer, "\x17\x03\x03", 3);
    oct_write_number(&writer, (uint32_t)(len + 1 + OCT_TAG_LEN), 2);
    uint8_t *body = oct_write_room(&writer, len + 1 + OCT_TAG_LEN);
    memcpy(body, data, len);
    body[len] = (uint8_t)type;
    oct_aead_seal(crypto->seal, body, iv, (struct oct_span){header, OCT_RECORD_HEADER}, body, len + 1);
    conn->out_len = writer.len;
}

void oct_record_seal12(struct oct_conn *conn, const uint8_t *key, const uint8_t *iv, enum oct_content type,
                       const uint8_t *data, size_t len)
{
    struct oct_crypto *crypto = &conn->run->crypto;
    uint8_t nonce[OCT_IV_LEN] = {0}, aad[13];
    memcpy(nonce, iv, IMPLICIT_LEN);
    write_aad12(aad, 0, type, len);
    oct_aead_key(crypto, crypto->seal, key, 1);

    struct oct_writer writer = {conn->out, conn->out_len, sizeof conn->out};
    oct_write_number(&writer, type, 1);
    oct_write_number(&writer, 0x0303, 2);
    oct_write_number(&writer, (uint32_t)(EXPLICIT_LEN + len + OCT_TAG_LEN), 2);
    memset(oct_write_room(&writer, EXPLICIT_LEN), 0, EXPLICIT_LEN);
    uint8_t *body = oct_write_room(&writer, len + OCT_TAG_LEN);
    oct_aead_seal(crypto->seal, body, nonce, (struct oct_span){aad, sizeof aad}, data, len);
    conn->out_len = writer.len;
}
