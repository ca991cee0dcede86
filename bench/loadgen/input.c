/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * From received bytes to records to handshake messages. Everything here is the server's to choose: each length is
 * checked against what is there, and whatever does not fit ends the connection as a counted failure.
 */
#include "conn.h"

#include "tls/record.h"

static enum load_verdict on_alert(struct load_conn *conn, struct load_reader content)
{
    load_read_number(&content, 1); /* the level means nothing in TLS 1.3, and little in 1.2 */
    uint32_t description = load_read_number(&content, 1);
    if (!load_reader_at_end(&content))
        return load_conn_refuse(conn, "a malformed alert");
    if (description == 0) {
        conn->why = "close_notify";
        return LOAD_FAILED_EOF;
    }
    conn->run->alerts[description]++;
    conn->why = "a fatal alert";
    return LOAD_FAILED_ALERT;
}

static enum load_verdict on_message(struct load_conn *conn, const uint8_t *raw, size_t len)
{
    struct load_reader body = load_reader_of(raw + 4, len - 4);
    conn->keys_changed = false;
    return conn->run->options->tls == 13 ? load_tls13_message(conn, raw[0], body)
                                         : load_tls12_message(conn, raw[0], body);
}

/* Gathers a record's bytes and hands on the messages that are complete. */
static enum load_verdict on_handshake(struct load_conn *conn, struct load_reader content)
{
    if (content.left == 0)
        return load_conn_refuse(conn, "an empty handshake record");
    if (content.left > sizeof conn->message - conn->message_len)
        return load_conn_refuse(conn, "a handshake message that is too long");
    memcpy(conn->message + conn->message_len, content.at, content.left);
    conn->message_len += content.left;

    size_t done = 0;
    enum load_verdict verdict = LOAD_GOING;
    while (verdict == LOAD_GOING && conn->state != LOAD_STATE_DOOMED && conn->message_len - done >= 4) {
        const uint8_t *raw = conn->message + done;
        size_t len = 4 + ((size_t)raw[1] << 16 | (size_t)raw[2] << 8 | raw[3]);
        if (len > sizeof conn->message)
            return load_conn_refuse(conn, "a handshake message that is too long");
        if (len > conn->message_len - done)
            break;
        verdict = on_message(conn, raw, len);
        done += len;
        if (verdict == LOAD_GOING && conn->keys_changed && done < conn->message_len)
            return load_conn_refuse(conn, "a record that spans a change of keys");
    }
    conn->message_len -= done;
    memmove(conn->message, conn->message + done, conn->message_len);
    return verdict;
}

static enum load_verdict on_change(struct load_conn *conn, struct load_reader content)
{
    if (content.left != 1 || content.at[0] != 1)
        return load_conn_refuse(conn, "a malformed ChangeCipherSpec");
    if (conn->run->options->tls == 13) /* it means nothing there: RFC 8446, appendix D.4 */
        return conn->state > LOAD_STATE_SERVER_HELLO && conn->state < LOAD_STATE_PROOF
                   ? LOAD_GOING
                   : load_conn_refuse(conn, "an untimely ChangeCipherSpec");
    if (conn->state != LOAD_STATE_CHANGE || conn->message_len)
        return load_conn_refuse(conn, "an untimely ChangeCipherSpec");
    load_tls12_open(conn);
    return LOAD_GOING;
}

static enum load_verdict on_record(struct load_conn *conn, uint8_t *record, size_t body_len)
{
    unsigned type = record[0];
    struct load_reader content = load_reader_of(record + LOAD_RECORD_HEADER, body_len);
    bool tls13 = conn->run->options->tls == 13;
    /* TLS 1.3 has two kinds of record that may arrive in the clear at any time. */
    bool clear =
        tls13 && (type == LOAD_CONTENT_CHANGE || (type == LOAD_CONTENT_ALERT && conn->state < LOAD_STATE_PROOF));
    if (conn->open_on && !clear && !load_record_open(conn, &content, &type, record, body_len))
        return load_conn_refuse(conn, "a record that does not open");
    if (conn->state == LOAD_STATE_PROOF)
        return load_tls13_proof(conn, type, content);
    switch (type) {
    case LOAD_CONTENT_CHANGE:
        return on_change(conn, content);
    case LOAD_CONTENT_ALERT:
        return on_alert(conn, content);
    case LOAD_CONTENT_HANDSHAKE:
        return on_handshake(conn, content);
    default:
        return load_conn_refuse(conn, "an unexpected type of record");
    }
}

enum load_verdict load_conn_received(struct load_conn *conn, size_t len)
{
    size_t done = 0;
    enum load_verdict verdict = LOAD_GOING;
    conn->in_len += len;
    while (verdict == LOAD_GOING && conn->state != LOAD_STATE_DOOMED && conn->in_len - done >= LOAD_RECORD_HEADER) {
        uint8_t *record = conn->in + done;
        size_t body_len = (size_t)record[3] << 8 | record[4];
        if (record[1] != 3 || body_len == 0 || LOAD_RECORD_HEADER + body_len > sizeof conn->in)
            return load_conn_refuse(conn, "what is no TLS record");
        if (LOAD_RECORD_HEADER + body_len > conn->in_len - done)
            break;
        verdict = on_record(conn, record, body_len);
        done += LOAD_RECORD_HEADER + body_len;
    }
    conn->in_len -= done;
    memmove(conn->in, conn->in + done, conn->in_len);
    return verdict;
}

bool load_conn_server_hello(struct load_conn *conn, struct load_server_hello *hello, struct load_reader body)
{
    const struct load_options *options = conn->run->options;
    conn->why = "a malformed ServerHello";
    if (!load_server_hello_parse(hello, body))
        return false;
    conn->why = "a ServerHello with another version or suite than was offered";
    if (hello->version != (options->tls == 13 ? 0x0304 : 0x0303) || !load_suite_offered(options, hello->suite))
        return false;
    memcpy(conn->server_random, hello->random, LOAD_RANDOM_LEN);
    conn->extended_master = hello->extended_master;
    return true;
}
