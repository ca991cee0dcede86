/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * octuple-load's parsers against a server that sends anything: every message that is cut short, too long, out of turn
 * or random has to end in a counted failure. Run under AddressSanitizer this is also the proof that nothing is read
 * outside. What lies inside protected records is handed straight to the message handlers: from outside the tag would
 * stop it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

#include "conn.h"
#include "hist.h"
#include "tls/record.h"

#define ROUNDS 20000

static struct load_options options;
static struct load_run run;
static struct load_conn *conn;

/* A connection that has sent its ClientHello and waits in `state`. */
static void begin(unsigned tls, bool rsa_kx, enum load_state state)
{
    options = (struct load_options){.tls = tls,
                                    .rsa_kx = rsa_kx,
                                    .group = {LOAD_GROUP_X25519},
                                    .groups = 1,
                                    .bits = 128,
                                    .proof = LOAD_PROOF_TICKET};
    run = (struct load_run){.options = &options, .random = 1, .epoll = -1};
    load_crypto_init(&run.crypto, options.bits);
    load_exchange_init(&run.offer->exchange, options.group[0], 0);
    load_hello_init(&run.offer->hello, &options, &run.offer->exchange);
    conn = calloc(1, sizeof *conn);
    assert_non_null(conn);
    load_conn_init(conn, &run);
    load_transcript_begin(&run.crypto, conn->transcript);
    conn->state = state;
    conn->out_len = 64; /* as if a ClientKeyExchange stood there, which is so before the state that reads it */
}

static void end(void)
{
    load_conn_clear(conn);
    free(conn);
    load_premasters_clear(&run.premasters);
    load_exchange_clear(&run.offer->exchange);
    load_crypto_clear(&run.crypto);
}

/* Hands over one message in an allocation of exactly its size. */
static enum load_verdict hand_over(unsigned type, const uint8_t *body, size_t len)
{
    uint8_t *raw = malloc(4 + len);
    assert_non_null(raw);
    uint8_t header[4] = {(uint8_t)type, (uint8_t)(len >> 16), (uint8_t)(len >> 8), (uint8_t)len};
    memcpy(raw, header, 4);
    if (len)
        memcpy(raw + 4, body, len);
    struct load_reader reader = load_reader_of(raw + 4, len);
    enum load_verdict verdict =
        options.tls == 13 ? load_tls13_message(conn, type, reader) : load_tls12_message(conn, type, reader);
    free(raw);
    return verdict;
}

static enum load_verdict receive(const uint8_t *bytes, size_t len)
{
    assert_true(len <= sizeof conn->in);
    memcpy(conn->in, bytes, len);
    conn->in_len = 0;
    return load_conn_received(conn, len);
}

/* A good message: its bytes, and the state in which it is due. */
struct good {
    unsigned tls, type;
    bool rsa_kx;
    enum load_state state, next;
    size_t len;
    uint8_t body[160];
};

#define R8  1, 2, 3, 4, 5, 6, 7, 8
#define R32 R8, R8, R8, R8
#define Z8  0, 0, 0, 0, 0, 0, 0, 0

static const struct good good[] = {
    /* ServerHello with supported_versions and an X25519 share; the session id is that of a fresh struct load_conn */
    {13, 2, false, LOAD_STATE_SERVER_HELLO, LOAD_STATE_EXTENSIONS, 118, {3,  3, R32, 32, Z8, Z8, Z8, Z8, 0x13, 0x01,
                                                                         0,  0, 46,  0,  43, 0,  2,  3,  4,    0,
                                                                         51, 0, 36,  0,  29, 0,  32, R32}},
    {13, 8, false, LOAD_STATE_EXTENSIONS, LOAD_STATE_CERTIFICATE, 8, {0, 6, 0, 10, 0, 2, 0, 0}},
    {13, 11, false, LOAD_STATE_CERTIFICATE, LOAD_STATE_VERIFY, 12, {0, 0, 0, 8, 0, 0, 3, 9, 9, 9, 0, 0}},
    {13, 15, false, LOAD_STATE_VERIFY, LOAD_STATE_FINISHED, 7, {8, 4, 0, 3, 1, 2, 3}},
    {12,
     2,
     false,
     LOAD_STATE_SERVER_HELLO,
     LOAD_STATE_CERTIFICATE,
     44,
     {3, 3, R32, 0, 0xc0, 0x2f, 0, 0, 4, 0, 23, 0, 0}},
    {12, 11, false, LOAD_STATE_CERTIFICATE, LOAD_STATE_KEY_EXCHANGE, 9, {0, 0, 6, 0, 0, 3, 9, 9, 9}},
    {12, 12, false, LOAD_STATE_KEY_EXCHANGE, LOAD_STATE_HELLO_DONE, 43, {3, 0, 29, 32, R32, 8, 4, 0, 3, 1, 2, 3}},
};
#define GOODS (sizeof good / sizeof good[0])

static void good_messages_are_taken(void **state)
{
    (void)state;
    for (size_t i = 0; i < GOODS; i++) {
        begin(good[i].tls, good[i].rsa_kx, good[i].state);
        assert_int_equal(hand_over(good[i].type, good[i].body, good[i].len), LOAD_GOING);
        assert_int_equal(conn->state, good[i].next);
        end();
    }
}

static void cut_messages_are_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < GOODS; i++) {
        for (size_t len = 0; len < good[i].len; len++) {
            if (good[i].tls == 12 && good[i].type == 2 && len == 38)
                continue; /* a ServerHello of TLS 1.2 may end before its extensions */
            begin(good[i].tls, good[i].rsa_kx, good[i].state);
            assert_int_equal(hand_over(good[i].type, good[i].body, len), LOAD_FAILED_PROTOCOL);
            assert_non_null(conn->why);
            end();
        }
    }
}

static void longer_messages_are_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < GOODS; i++) {
        uint8_t body[sizeof good[i].body + 1] = {0};
        memcpy(body, good[i].body, good[i].len);
        begin(good[i].tls, good[i].rsa_kx, good[i].state);
        assert_int_equal(hand_over(good[i].type, body, good[i].len + 1), LOAD_FAILED_PROTOCOL);
        end();
    }
}

static void messages_out_of_turn_are_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < GOODS; i++) {
        for (enum load_state at = LOAD_STATE_SERVER_HELLO; at <= LOAD_STATE_FINISHED; at++) {
            if (at == good[i].state)
                continue;
            begin(good[i].tls, good[i].rsa_kx, at);
            assert_int_equal(hand_over(good[i].type, good[i].body, good[i].len), LOAD_FAILED_PROTOCOL);
            end();
        }
    }
}

/* Good messages with a few bytes changed: whatever becomes of them, no handshake is completed. */
static void changed_messages_complete_nothing(void **state)
{
    (void)state;
    uint64_t seed = 7;
    for (unsigned round = 0; round < ROUNDS; round++) {
        const struct good *from = &good[round % GOODS];
        uint8_t body[sizeof from->body];
        begin(from->tls, from->rsa_kx, from->state);
        run.random = seed;
        memcpy(body, from->body, sizeof body);
        for (uint64_t changes = load_run_random(&run) % 4; changes-- > 0;)
            body[load_run_random(&run) % from->len] = (uint8_t)load_run_random(&run);
        enum load_verdict verdict = hand_over(from->type, body, load_run_random(&run) % (from->len + 1));
        assert_true(verdict == LOAD_GOING || verdict == LOAD_FAILED_PROTOCOL);
        seed = run.random;
        end();
    }
}

static void random_messages_complete_nothing(void **state)
{
    (void)state;
    uint64_t seed = 99;
    for (unsigned round = 0; round < ROUNDS; round++) {
        uint8_t body[64];
        static const uint8_t types[] = {2, 4, 8, 11, 12, 13, 14, 15, 20, 24};
        begin(round & 1 ? 13 : 12, round & 2, LOAD_STATE_SERVER_HELLO + round / 4 % 8);
        run.random = seed;
        for (size_t i = 0; i < sizeof body; i++)
            body[i] =
                (uint8_t)(load_run_random(&run) % (round & 8 ? 256 : 4)); /* small numbers make plausible lengths */
        enum load_verdict verdict =
            hand_over(types[load_run_random(&run) % sizeof types], body, load_run_random(&run) % (sizeof body + 1));
        assert_true(verdict != LOAD_COMPLETED && verdict != LOAD_ABORTED);
        seed = run.random;
        end();
    }
}

static void false_finished_is_refused(void **state)
{
    (void)state;
    static const uint8_t verify[48];
    static const size_t lengths[] = {0, 11, 12, 13, 31, 32, 33, 48};
    for (unsigned tls = 12; tls <= 13; tls++) {
        for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
            begin(tls, false, LOAD_STATE_FINISHED);
            assert_int_equal(hand_over(20, verify, lengths[i]), LOAD_FAILED_PROTOCOL);
            end();
        }
    }
}

static void certificate_without_rsa_key_is_refused(void **state)
{
    (void)state;
    static const uint8_t list[] = {0, 0, 8, 0, 0, 5, 0x30, 3, 2, 1, 1};
    begin(12, true, LOAD_STATE_CERTIFICATE);
    assert_int_equal(hand_over(11, list, sizeof list), LOAD_FAILED_PROTOCOL);
    end();
}

static void what_is_no_record_is_refused(void **state)
{
    (void)state;
    static const uint8_t bad[][6] = {
        {22, 2, 3, 0, 1, 0},       /* SSL 2 */
        {22, 3, 3, 0, 0, 0},       /* empty */
        {22, 3, 3, 0xff, 0xff, 0}, /* too long */
        {99, 3, 3, 0, 1, 0},       /* no such type */
        {23, 3, 3, 0, 1, 0},       /* data before the handshake */
        {20, 3, 3, 0, 1, 1},       /* ChangeCipherSpec before the ServerHello */
        {20, 3, 3, 0, 1, 2},       /* a false one */
        {21, 3, 3, 0, 1, 2},       /* half an alert */
    };
    for (unsigned tls = 12; tls <= 13; tls++) {
        for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
            begin(tls, false, LOAD_STATE_SERVER_HELLO);
            assert_int_equal(receive(bad[i], sizeof bad[i]), LOAD_FAILED_PROTOCOL);
            end();
        }
    }
}

static void alerts_are_counted(void **state)
{
    (void)state;
    static const uint8_t fatal[] = {21, 3, 3, 0, 2, 2, 40}, close_notify[] = {21, 3, 3, 0, 2, 1, 0};
    begin(13, false, LOAD_STATE_SERVER_HELLO);
    assert_int_equal(receive(fatal, sizeof fatal), LOAD_FAILED_ALERT);
    assert_int_equal(run.alerts[40], 1);
    end();
    begin(12, false, LOAD_STATE_SERVER_HELLO);
    assert_int_equal(receive(close_notify, sizeof close_notify), LOAD_FAILED_EOF);
    end();
}

/* Bytes that trickle in one at a time, and a message over several records, are the same as all at once. */
static void pieces_are_put_together(void **state)
{
    (void)state;
    uint8_t stream[512];
    struct load_writer writer = {stream, 0, sizeof stream};
    uint8_t message[4 + 118] = {2, 0, 0, 118};
    memcpy(message + 4, good[0].body, 118);
    for (size_t at = 0; at < sizeof message; at += 61) {
        load_write_bytes(&writer, "\x16\x03\x03\0\x3d", 5);
        load_write_bytes(&writer, message + at, 61);
    }
    begin(13, false, LOAD_STATE_SERVER_HELLO);
    for (size_t i = 0; i < writer.len; i++) {
        conn->in[conn->in_len] = stream[i];
        assert_int_equal(conn->state, LOAD_STATE_SERVER_HELLO);
        assert_int_equal(load_conn_received(conn, 1), LOAD_GOING);
    }
    assert_int_equal(conn->state, LOAD_STATE_EXTENSIONS);
    end();
}

static void record_across_a_change_of_keys_is_refused(void **state)
{
    (void)state;
    uint8_t record[5 + 4 + 118 + 4] = {22, 3, 3, 0, 4 + 118 + 4, 2, 0, 0, 118};
    memcpy(record + 9, good[0].body, 118);
    record[9 + 118] = 8;
    begin(13, false, LOAD_STATE_SERVER_HELLO);
    assert_int_equal(receive(record, sizeof record), LOAD_FAILED_PROTOCOL);
    end();
}

static void a_message_without_end_is_refused(void **state)
{
    (void)state;
    static uint8_t record[5 + 16384] = {22, 3, 3, 0x40, 0, 11, 0, 0xff, 0xff};
    begin(12, false, LOAD_STATE_CERTIFICATE);
    assert_int_equal(receive(record, sizeof record), LOAD_FAILED_PROTOCOL);
    end();
}

static void random_streams_complete_nothing(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (unsigned round = 0; round < ROUNDS; round++) {
        uint8_t stream[200];
        begin(round & 1 ? 13 : 12, false, LOAD_STATE_SERVER_HELLO + round / 2 % 10);
        run.random = seed;
        for (size_t i = 0; i < sizeof stream; i++)
            stream[i] = (uint8_t)load_run_random(&run);
        uint8_t header[5] = {(uint8_t)(20 + load_run_random(&run) % 4), 3, 3, 0,
                             (uint8_t)(load_run_random(&run) % 100)};
        memcpy(stream, header, sizeof header);
        conn->open_on = load_run_random(&run) & 1;
        if (conn->open_on)
            load_aead_key(&run.crypto, conn->open, stream, 0);
        enum load_verdict verdict = receive(stream, sizeof stream);
        assert_true(verdict != LOAD_COMPLETED && verdict != LOAD_ABORTED);
        seed = run.random;
        end();
    }
}

/* Only what a server sends after it has checked our Finished is a proof. */
static void only_a_proof_proves(void **state)
{
    (void)state;
    static const uint8_t ticket[] = {4, 0, 0, 0}, answer[] = "HTTP/1.1 200 OK", notice[] = {1, 0}, fatal[] = {2, 51};
    static const struct {
        enum load_proof proof;
        unsigned type;
        const uint8_t *bytes;
        size_t len;
        enum load_verdict verdict;
    } row[] = {
        {LOAD_PROOF_TICKET, 22, ticket, 4, LOAD_COMPLETED},
        {LOAD_PROOF_TICKET, 23, answer, 15, LOAD_FAILED_PROTOCOL},
        {LOAD_PROOF_TICKET, 21, notice, 2, LOAD_FAILED_EOF},
        {LOAD_PROOF_TICKET, 21, fatal, 2, LOAD_FAILED_ALERT},
        {LOAD_PROOF_TICKET, 22, ticket, 0, LOAD_FAILED_PROTOCOL},
        {LOAD_PROOF_TICKET, 20, ticket, 4, LOAD_FAILED_PROTOCOL},
        {LOAD_PROOF_CLOSE, 21, notice, 2, LOAD_COMPLETED},
        {LOAD_PROOF_CLOSE, 22, ticket, 4, LOAD_COMPLETED},
        {LOAD_PROOF_CLOSE, 21, fatal, 2, LOAD_FAILED_ALERT},
        {LOAD_PROOF_CLOSE, 21, fatal, 1, LOAD_FAILED_PROTOCOL},
        {LOAD_PROOF_GET, 23, answer, 15, LOAD_COMPLETED},
        {LOAD_PROOF_GET, 22, ticket, 4, LOAD_GOING},
        {LOAD_PROOF_GET, 23, ticket, 4, LOAD_FAILED_PROTOCOL},
        {LOAD_PROOF_GET, 21, notice, 2, LOAD_FAILED_EOF},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        begin(13, false, LOAD_STATE_PROOF);
        options.proof = row[i].proof;
        assert_int_equal(load_tls13_proof(conn, row[i].type, load_reader_of(row[i].bytes, row[i].len)), row[i].verdict);
        end();
    }
}

static void quantiles_are_right(void **state)
{
    (void)state;
    static struct load_hist hist;
    assert_int_equal(load_hist_quantile(&hist, 0.5), 0);
    for (uint64_t i = 1; i <= 100000; i++)
        load_hist_add(&hist, i * 1000);
    static const double fraction[] = {0.01, 0.5, 0.9, 0.99, 0.999};
    for (size_t i = 0; i < sizeof fraction / sizeof fraction[0]; i++) {
        double wanted = fraction[i] * 1e8, found = (double)load_hist_quantile(&hist, fraction[i]);
        assert_true(found > wanted * 0.996 && found < wanted * 1.004);
    }
    assert_int_equal(load_hist_quantile(&hist, 1), 100000000);
    load_hist_add(&hist, UINT64_MAX / 2); /* beyond the last bucket */
    assert_int_equal(hist.max, UINT64_MAX / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_messages_are_taken),
        cmocka_unit_test(cut_messages_are_refused),
        cmocka_unit_test(longer_messages_are_refused),
        cmocka_unit_test(messages_out_of_turn_are_refused),
        cmocka_unit_test(changed_messages_complete_nothing),
        cmocka_unit_test(random_messages_complete_nothing),
        cmocka_unit_test(false_finished_is_refused),
        cmocka_unit_test(certificate_without_rsa_key_is_refused),
        cmocka_unit_test(what_is_no_record_is_refused),
        cmocka_unit_test(alerts_are_counted),
        cmocka_unit_test(pieces_are_put_together),
        cmocka_unit_test(record_across_a_change_of_keys_is_refused),
        cmocka_unit_test(a_message_without_end_is_refused),
        cmocka_unit_test(random_streams_complete_nothing),
        cmocka_unit_test(only_a_proof_proves),
        cmocka_unit_test(quantiles_are_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
