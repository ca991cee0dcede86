/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The client's side of a full TLS 1.3 handshake with one certificate and no PSK (RFC 8446, section 2, figure 1). */
#include "record.h"

enum message {
    MSG_SERVER_HELLO = 2,
    MSG_TICKET = 4,
    MSG_EXTENSIONS = 8,
    MSG_CERTIFICATE = 11,
    MSG_VERIFY = 15,
    MSG_FINISHED = 20
};

#define VERIFY_MAX (4 + LOAD_HASH_MAX)

/* Derive-Secret, of the hash given. */
static void derive(struct load_crypto *crypto, uint8_t *out, const uint8_t *secret, const char *label,
                   const uint8_t *hash)
{
    load_crypto_expand(crypto, out, crypto->hash_len, secret, label, (struct load_span){hash, crypto->hash_len});
}

/* The verify_data of whoever owns the traffic secret, for the transcript's hash so far. */
static void finished(struct load_crypto *crypto, uint8_t *out, const uint8_t *traffic_secret, const uint8_t *hash)
{
    uint8_t key[LOAD_HASH_MAX];
    struct load_span transcript = {hash, crypto->hash_len};
    load_crypto_expand(crypto, key, crypto->hash_len, traffic_secret, "finished", (struct load_span){"", 0});
    load_crypto_hmac(crypto, out, (struct load_span){key, crypto->hash_len}, &transcript, 1);
}

static enum load_verdict on_server_hello(struct load_conn *conn, struct load_reader body)
{
    struct load_crypto *crypto = &conn->run->crypto;
    const struct load_exchange *exchange = &conn->offer->exchange;
    struct load_server_hello hello;
    uint8_t shared[LOAD_EXCHANGE_SECRET_MAX], hash[LOAD_HASH_MAX];
    if (!load_conn_server_hello(conn, &hello, body))
        return LOAD_FAILED_PROTOCOL;
    /* The session id that was sent is the beginning of the random. */
    if (hello.session_id_len != LOAD_SESSION_ID_LEN ||
        memcmp(hello.session_id, conn->client_random, LOAD_SESSION_ID_LEN))
        return load_conn_refuse(conn, "a ServerHello with another session id");
    if (hello.group != exchange->group ||
        !load_exchange_derive(exchange, shared, conn->number, conn->dk, hello.share, hello.share_len))
        return load_conn_refuse(conn, "a key share of another group");

    load_crypto_extract(crypto, conn->master, crypto->early_derived, (struct load_span){shared, exchange->secret_len});
    load_transcript_value(crypto, hash, conn->transcript);
    derive(crypto, conn->client_secret, conn->master, "c hs traffic", hash);
    derive(crypto, conn->server_secret, conn->master, "s hs traffic", hash);
    load_record_open_with(conn, conn->server_secret);
    conn->keys_changed = true;
    conn->state = LOAD_STATE_EXTENSIONS;
    return LOAD_GOING;
}

static enum load_verdict on_extensions(struct load_conn *conn, struct load_reader body)
{
    load_read_vector(&body, 2);
    if (!load_reader_at_end(&body))
        return load_conn_refuse(conn, "malformed EncryptedExtensions");
    conn->state = LOAD_STATE_CERTIFICATE;
    return LOAD_GOING;
}

static enum load_verdict on_certificate(struct load_conn *conn, struct load_reader body)
{
    struct load_reader context = load_read_vector(&body, 1);
    struct load_reader list = load_read_vector(&body, 3);
    bool bad = !load_reader_at_end(&body) || context.left != 0 || list.left == 0;
    while (!bad && list.left > 0) {
        struct load_reader certificate = load_read_vector(&list, 3);
        load_read_vector(&list, 2); /* its extensions */
        bad = list.bad || certificate.left == 0;
    }
    if (bad)
        return load_conn_refuse(conn, "a malformed Certificate");
    conn->state = LOAD_STATE_VERIFY;
    return LOAD_GOING;
}

static enum load_verdict on_verify(struct load_conn *conn, struct load_reader body)
{
    load_read_number(&body, 2);
    struct load_reader signature = load_read_vector(&body, 2);
    if (!load_reader_at_end(&body) || signature.left == 0)
        return load_conn_refuse(conn, "a malformed CertificateVerify");
    conn->state = LOAD_STATE_FINISHED;
    return LOAD_GOING;
}

/* Writes the client's Finished, and what is to follow it under the application keys. */
static void write_last_flight(struct load_conn *conn, const uint8_t *hash, const uint8_t *application_secret)
{
    static const char request[] = "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    struct load_crypto *crypto = &conn->run->crypto;
    uint8_t message[VERIFY_MAX] = {MSG_FINISHED, 0, 0, (uint8_t)crypto->hash_len};
    conn->out_len = conn->out_sent = 0;
    finished(crypto, message + 4, conn->client_secret, hash);
    load_record_seal13(conn, conn->client_secret, LOAD_CONTENT_HANDSHAKE, message, 4 + crypto->hash_len);
    if (conn->run->options->proof == LOAD_PROOF_CLOSE)
        load_record_seal13(conn, application_secret, LOAD_CONTENT_ALERT, (const uint8_t *)"\x01\0", 2);
    if (conn->run->options->proof == LOAD_PROOF_GET)
        load_record_seal13(conn, application_secret, LOAD_CONTENT_DATA, (const uint8_t *)request, sizeof request - 1);
}

static enum load_verdict on_finished(struct load_conn *conn, struct load_reader body)
{
    struct load_crypto *crypto = &conn->run->crypto;
    uint8_t hash[LOAD_HASH_MAX], expected[LOAD_HASH_MAX], master[LOAD_HASH_MAX], secret[LOAD_HASH_MAX];
    load_transcript_value(crypto, hash, conn->transcript);
    finished(crypto, expected, conn->server_secret, hash);
    if (body.left != crypto->hash_len || memcmp(body.at, expected, crypto->hash_len))
        return load_conn_refuse(conn, "a false Finished");
    load_transcript_add(conn->transcript, body.at - 4, 4 + body.left);
    load_transcript_value(crypto, hash, conn->transcript);

    static const uint8_t zeros[LOAD_HASH_MAX];
    derive(crypto, secret, conn->master, "derived", crypto->empty_hash);
    load_crypto_extract(crypto, master, secret, (struct load_span){zeros, crypto->hash_len});
    if (conn->run->options->proof != LOAD_PROOF_TICKET)
        derive(crypto, secret, master, "c ap traffic", hash);
    write_last_flight(conn, hash, secret);
    derive(crypto, secret, master, "s ap traffic", hash);
    load_record_open_with(conn, secret);
    conn->keys_changed = true;
    conn->state = LOAD_STATE_PROOF;
    return load_conn_send_last(conn);
}

enum load_verdict load_tls13_message(struct load_conn *conn, unsigned type, struct load_reader body)
{
    if (type != MSG_FINISHED)
        load_transcript_add(conn->transcript, body.at - 4, 4 + body.left);
    if (conn->state == LOAD_STATE_SERVER_HELLO && type == MSG_SERVER_HELLO)
        return on_server_hello(conn, body);
    if (conn->state == LOAD_STATE_EXTENSIONS && type == MSG_EXTENSIONS)
        return on_extensions(conn, body);
    if (conn->state == LOAD_STATE_CERTIFICATE && type == MSG_CERTIFICATE)
        return on_certificate(conn, body);
    if (conn->state == LOAD_STATE_VERIFY && type == MSG_VERIFY)
        return on_verify(conn, body);
    if (conn->state == LOAD_STATE_FINISHED && type == MSG_FINISHED)
        return on_finished(conn, body);
    return load_conn_refuse(conn, "an unexpected handshake message");
}

/*
 * What opens under the server's application keys comes from a server that knew our key share; it proves the rest only
 * if it is something that a server sends after it has checked our Finished: a ticket, close_notify in answer to ours,
 * or the answer to a request. (A server may send data of its own before that, as "0.5-RTT"; with LOAD_PROOF_GET it has
 * to be HTTP.)
 */
enum load_verdict load_tls13_proof(struct load_conn *conn, unsigned inner_type, struct load_reader content)
{
    enum load_proof proof = conn->run->options->proof;
    bool ticket = inner_type == LOAD_CONTENT_HANDSHAKE && content.left > 0 && content.at[0] == MSG_TICKET;
    if (ticket)
        return proof == LOAD_PROOF_GET ? LOAD_GOING : LOAD_COMPLETED;
    if (inner_type == LOAD_CONTENT_DATA && proof == LOAD_PROOF_GET)
        return content.left >= 5 && !memcmp(content.at, "HTTP/", 5) ? LOAD_COMPLETED
                                                                    : load_conn_refuse(conn, "no HTTP answer");
    if (inner_type != LOAD_CONTENT_ALERT)
        return load_conn_refuse(conn, "an unexpected record after the handshake");
    if (content.left != 2)
        return load_conn_refuse(conn, "a malformed alert");
    conn->why = content.at[1] ? "a fatal alert after our Finished" : "close_notify after our Finished";
    if (content.at[1] == 0)
        return proof == LOAD_PROOF_CLOSE ? LOAD_COMPLETED : LOAD_FAILED_EOF;
    conn->run->alerts[content.at[1]]++;
    return LOAD_FAILED_ALERT;
}
