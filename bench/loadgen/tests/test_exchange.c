/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The hybrid key exchanges of octuple-load against a server's side made of ML-KEM alone: the client's scalar is 1, so
 * that the curve's secret is the x coordinate of whatever point the server sends.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include <octuple/mlkem.h>

#include "tls/exchange.h"

#define POINT_MAX 97

/* Sizes and order as the draft has them. */
struct row {
    enum load_group group;
    enum oct_mlkem_set set;
    size_t point, x, share, reply, secret;
    bool curve_first;
};

static const struct row row[] = {
    {LOAD_GROUP_X25519MLKEM768, OCT_MLKEM_768, 32, 32, 1216, 1120, 64, false},
    {LOAD_GROUP_SECP256R1MLKEM768, OCT_MLKEM_768, 65, 32, 1249, 1153, 64, true},
    {LOAD_GROUP_SECP384R1MLKEM1024, OCT_MLKEM_1024, 97, 48, 1665, 1665, 80, true},
};
#define ROWS (sizeof row / sizeof row[0])

static struct load_exchange exchange;
static uint8_t share[OCT_HYBRID_MAX_SHARE], reply[OCT_HYBRID_MAX_SHARE + 1], dk[LOAD_DK_MAX];

/* A server's answer to `share`, and the secret that it comes to. */
static void answer(const struct row *of, uint8_t *secret)
{
    uint8_t point[POINT_MAX], ss[OCT_MLKEM_SECRET_BYTES];
    memset(point, 0xa5, sizeof point);
    point[0] = of->curve_first ? 4 : 0xa5;
    uint8_t *ct = reply + (of->curve_first ? of->point : 0);
    struct oct_mlkem_encaps_lane lane = {share + (of->curve_first ? of->point : 0), NULL, ct, ss};
    assert_int_equal(oct_mlkem_encaps_anywhere(of->set, &lane), OCT_OK);
    memcpy(reply + (of->curve_first ? 0 : of->reply - of->point), point, of->point);
    memcpy(secret + (of->curve_first ? of->x : 0), ss, sizeof ss);
    memset(secret + (of->curve_first ? 0 : sizeof ss), 0xa5, of->x);
}

static void both_sides_come_to_one_secret(void **state)
{
    (void)state;
    for (size_t i = 0; i < ROWS; i++) {
        uint8_t wanted[LOAD_EXCHANGE_SECRET_MAX], found[LOAD_EXCHANGE_SECRET_MAX];
        load_exchange_init(&exchange, row[i].group, 0);
        assert_int_equal(exchange.share_len, row[i].share);
        assert_int_equal(exchange.secret_len, row[i].secret);
        for (unsigned n = 0; n < 2 * LOAD_KEM_PAIRS + 1; n++) {
            load_exchange_offer(&exchange, share, dk, n);
            answer(&row[i], wanted);
            assert_true(load_exchange_derive(&exchange, found, n, dk, reply, row[i].reply));
            assert_memory_equal(found, wanted, row[i].secret);
        }
        load_exchange_clear(&exchange);
    }
}

static void replies_of_another_length_are_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < ROWS; i++) {
        uint8_t secret[LOAD_EXCHANGE_SECRET_MAX];
        load_exchange_init(&exchange, row[i].group, 0);
        load_exchange_offer(&exchange, share, dk, 0);
        answer(&row[i], secret);
        for (size_t len = 0; len <= sizeof reply; len++)
            assert_int_equal(load_exchange_derive(&exchange, secret, 0, dk, reply, len), len == row[i].reply);
        load_exchange_clear(&exchange);
    }
}

/* More handshakes than one batch of key pairs has. */
static void no_two_handshakes_share_a_key_pair(void **state)
{
    (void)state;
    static uint8_t all[3 * LOAD_KEM_PAIRS][OCT_HYBRID_MAX_SHARE];
    load_exchange_init(&exchange, LOAD_GROUP_X25519MLKEM768, 0);
    for (unsigned i = 0; i < 3 * LOAD_KEM_PAIRS; i++) {
        load_exchange_offer(&exchange, all[i], dk, i);
        for (unsigned j = 0; j < i; j++)
            assert_memory_not_equal(all[i], all[j], exchange.ek_len);
    }
    load_exchange_clear(&exchange);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_sides_come_to_one_secret),
        cmocka_unit_test(replies_of_another_length_are_refused),
        cmocka_unit_test(no_two_handshakes_share_a_key_pair),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
