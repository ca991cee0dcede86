/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The client's side of a full TLS 1.2 handshake (RFC 5246, section 7.3), with RSA key exchange or ECDHE (RFC 8422),
 * with the extended master secret (RFC 7627) where the server knows it, and a ticket if one was asked for. The server's
 * Finished comes last, and is the proof that it has accepted ours.
 */
#include "record.h"

enum message {
    MSG_SERVER_HELLO = 2,
    MSG_TICKET = 4,
    MSG_CERTIFICATE = 11,
    MSG_KEY_EXCHANGE = 12,
    MSG_HELLO_DONE = 14,
    MSG_CLIENT_KEY_EXCHANGE = 16,
    MSG_FINISHED = 20
};

#define MASTER_LEN 48
#define VERIFY_LEN 12
#define IV_LEN     4

static enum load_verdict on_server_hello(struct load_conn *conn, struct load_reader body)
{
    struct load_server_hello hello;
    if (!load_conn_server_hello(conn, &hello, body))
        return LOAD_FAILED_PROTOCOL;
    conn->state = LOAD_STATE_CERTIFICATE;
    return LOAD_GOING;
}

/* Writes the client's key exchange message, as a record, to conn->out. */
static void write_key_exchange(struct load_conn *conn, const uint8_t *bytes, size_t len, unsigned length_bytes)
{
    struct load_writer writer = {conn->out, 0, sizeof conn->out};
    load_write_bytes(&writer, "\x16\x03\x03", 3);
    size_t record = load_write_open(&writer, 2);
    load_write_number(&writer, MSG_CLIENT_KEY_EXCHANGE, 1);
    size_t message = load_write_open(&writer, 3);
    load_write_number(&writer, (uint32_t)len, length_bytes);
    load_write_bytes(&writer, bytes, len);
    load_write_close(&writer, message, 3);
    load_write_close(&writer, record, 2);
    conn->out_len = writer.len;
    conn->out_sent = 0;
}

/* The pre-master secret and its encryption are taken here, as another connection may meet another certificate before
 * this one goes on, and the pool be made anew. */
static bool take_premaster(struct load_conn *conn, struct load_reader certificate)
{
    struct load_premasters *pool = &conn->run->premasters;
    if (!load_premasters_make(pool, certificate.at, certificate.left))
        return false;
    unsigned i = (unsigned)(conn->number % LOAD_PREMASTER_COUNT);
    conn->premaster_len = LOAD_PREMASTER_LEN;
    memcpy(conn->premaster, pool->secret[i], LOAD_PREMASTER_LEN);
    write_key_exchange(conn, pool->encrypted[i], pool->encrypted_len, 2);
    return true;
}

static enum load_verdict on_certificate(struct load_conn *conn, struct load_reader body)
{
    struct load_reader list = load_read_vector(&body, 3);
    struct load_reader first = load_read_vector(&list, 3);
    while (!list.bad && list.left > 0)
        load_read_vector(&list, 3);
    if (!load_reader_at_end(&body) || list.bad || first.left == 0)
        return load_conn_refuse(conn, "a malformed Certificate");
    bool rsa_kx = conn->run->options->rsa_kx;
    if (rsa_kx && !take_premaster(conn, first))
        return load_conn_refuse(conn, "a certificate without a usable RSA key");
    conn->state = rsa_kx ? LOAD_STATE_HELLO_DONE : LOAD_STATE_KEY_EXCHANGE;
    return LOAD_GOING;
}

static enum load_verdict on_key_exchange(struct load_conn *conn, struct load_reader body)
{
    const struct load_kex *kex = &conn->offer->exchange.curve;
    uint32_t named = load_read_number(&body, 1), group = load_read_number(&body, 2);
    struct load_reader share = load_read_vector(&body, 1);
    load_read_number(&body, 2); /* the signature's algorithm */
    struct load_reader signature = load_read_vector(&body, 2);
    if (!load_reader_at_end(&body) || signature.left == 0)
        return load_conn_refuse(conn, "a malformed ServerKeyExchange");
    if (named != 3 || group != kex->group || !load_kex_derive(kex, conn->premaster, conn->number, share.at, share.left))
        return load_conn_refuse(conn, "a key share of another group");
    conn->premaster_len = kex->secret_len;
    write_key_exchange(conn, load_kex_share(kex, conn->number), kex->share_len, 1);
    conn->state = LOAD_STATE_HELLO_DONE;
    return LOAD_GOING;
}

static void derive_master(struct load_conn *conn, const uint8_t *session_hash)
{
    struct load_crypto *crypto = &conn->run->crypto;
    struct load_span premaster = {conn->premaster, conn->premaster_len};
    if (conn->extended_master)
        load_crypto_prf(crypto, conn->master, MASTER_LEN, premaster, "extended master secret",
                        (struct load_span){session_hash, crypto->hash_len}, (struct load_span){"", 0});
    else
        load_crypto_prf(crypto, conn->master, MASTER_LEN, premaster, "master secret",
                        (struct load_span){conn->client_random, LOAD_RANDOM_LEN},
                        (struct load_span){conn->server_random, LOAD_RANDOM_LEN});
}

static void finished(struct load_conn *conn, uint8_t *out, const char *label, const uint8_t *hash)
{
    struct load_crypto *crypto = &conn->run->crypto;
    load_crypto_prf(crypto, out, VERIFY_LEN, (struct load_span){conn->master, MASTER_LEN}, label,
                    (struct load_span){hash, crypto->hash_len}, (struct load_span){"", 0});
}

/* Derives the keys, appends ChangeCipherSpec and Finished to conn->out, and adds the Finished to the transcript. */
static void write_finished(struct load_conn *conn, const uint8_t *hash)
{
    struct load_crypto *crypto = &conn->run->crypto;
    uint8_t block[2 * LOAD_KEY_MAX + 2 * IV_LEN], message[4 + VERIFY_LEN] = {MSG_FINISHED, 0, 0, VERIFY_LEN};
    size_t key_len = crypto->key_len;
    load_crypto_prf(crypto, block, 2 * key_len + 2 * IV_LEN, (struct load_span){conn->master, MASTER_LEN},
                    "key expansion", (struct load_span){conn->server_random, LOAD_RANDOM_LEN},
                    (struct load_span){conn->client_random, LOAD_RANDOM_LEN});
    memcpy(conn->server_secret, block + key_len, key_len);
    memcpy(conn->open_iv, block + 2 * key_len + IV_LEN, IV_LEN);

    struct load_writer writer = {conn->out, conn->out_len, sizeof conn->out};
    load_write_bytes(&writer, "\x14\x03\x03\0\x01\x01", 6);
    conn->out_len = writer.len;
    finished(conn, message + 4, "client finished", hash);
    load_transcript_add(conn->transcript, message, sizeof message);
    load_record_seal12(conn, block, block + 2 * key_len, LOAD_CONTENT_HANDSHAKE, message, sizeof message);
}

static enum load_verdict on_hello_done(struct load_conn *conn, struct load_reader body)
{
    uint8_t hash[LOAD_HASH_MAX];
    if (body.left != 0)
        return load_conn_refuse(conn, "a malformed ServerHelloDone");
    load_transcript_add(conn->transcript, conn->out + LOAD_RECORD_HEADER, conn->out_len - LOAD_RECORD_HEADER);
    load_transcript_value(&conn->run->crypto, hash, conn->transcript);
    derive_master(conn, hash);
    write_finished(conn, hash);
    conn->state = LOAD_STATE_CHANGE;
    conn->keys_changed = true; /* the server has nothing to add before its ChangeCipherSpec */
    return load_conn_send_last(conn);
}

static enum load_verdict on_ticket(struct load_conn *conn, struct load_reader body)
{
    load_read_number(&body, 4); /* its lifetime */
    load_read_vector(&body, 2);
    return load_reader_at_end(&body) ? LOAD_GOING : load_conn_refuse(conn, "a malformed NewSessionTicket");
}

void load_tls12_open(struct load_conn *conn)
{
    load_aead_key(&conn->run->crypto, conn->open, conn->server_secret, 0);
    conn->open_sequence = 0;
    conn->open_on = true;
    conn->state = LOAD_STATE_FINISHED;
}

static enum load_verdict on_finished(struct load_conn *conn, struct load_reader body)
{
    uint8_t hash[LOAD_HASH_MAX], expected[VERIFY_LEN];
    load_transcript_value(&conn->run->crypto, hash, conn->transcript);
    finished(conn, expected, "server finished", hash);
    if (body.left != VERIFY_LEN || memcmp(body.at, expected, VERIFY_LEN))
        return load_conn_refuse(conn, "a false Finished");
    return LOAD_COMPLETED;
}

enum load_verdict load_tls12_message(struct load_conn *conn, unsigned type, struct load_reader body)
{
    if (type != MSG_FINISHED)
        load_transcript_add(conn->transcript, body.at - 4, 4 + body.left);
    if (conn->state == LOAD_STATE_SERVER_HELLO && type == MSG_SERVER_HELLO)
        return on_server_hello(conn, body);
    if (conn->state == LOAD_STATE_CERTIFICATE && type == MSG_CERTIFICATE)
        return on_certificate(conn, body);
    if (conn->state == LOAD_STATE_KEY_EXCHANGE && type == MSG_KEY_EXCHANGE)
        return on_key_exchange(conn, body);
    if (conn->state == LOAD_STATE_HELLO_DONE && type == MSG_HELLO_DONE)
        return on_hello_done(conn, body);
    if (conn->state == LOAD_STATE_CHANGE && type == MSG_TICKET && conn->run->options->tickets)
        return on_ticket(conn, body);
    if (conn->state == LOAD_STATE_FINISHED && type == MSG_FINISHED)
        return on_finished(conn, body);
    return load_conn_refuse(conn, "an unexpected handshake message");
}
