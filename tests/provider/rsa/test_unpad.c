/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* ctest: RUNS once SOURCES provider/rsa/unpad.c */
/* Unpadding without branches against the same rules written with branches, over all shapes of good and bad blocks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include "run_tests.h"
#include <stdlib.h>
#include <string.h>

#include "provider/rsa/unpad.h"

#define SIZE      256
#define UNTOUCHED 0xa5

static uint32_t random_state = 1;

static uint8_t next_byte(void)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (uint8_t)(random_state >> 24);
}

static void random_bytes(uint8_t *out, size_t len)
{
    for (size_t i = 0; i < len; i++)
        out[i] = next_byte();
}

static void random_nonzero(uint8_t *out, size_t len)
{
    for (size_t i = 0; i < len; i++)
        while ((out[i] = next_byte()) == 0)
            ;
}

/* 00 02, padding, 00, message of that length. */
static void make_pkcs1(uint8_t em[SIZE], size_t message_len)
{
    em[0] = 0;
    em[1] = 2;
    random_nonzero(em + 2, SIZE - 3 - message_len);
    em[SIZE - message_len - 1] = 0;
    random_bytes(em + SIZE - message_len, message_len);
}

/* Where the message starts by the letter of RFC 8017, or 0. */
static size_t reference_start(const uint8_t em[SIZE])
{
    size_t i = 2;
    if (em[0] != 0 || em[1] != 2)
        return 0;
    while (i < SIZE && em[i] != 0)
        i++;
    return i < 10 || i == SIZE ? 0 : i + 1;
}

static size_t reference_synthetic_len(const uint8_t lengths[OCT_REJECT_LENGTHS])
{
    size_t chosen = 0;
    for (int i = 0; i < 128; i++) {
        const size_t candidate = (lengths[2 * i] * 256u + lengths[2 * i + 1]) % 256; /* SIZE - 10 has eight bits */
        if (candidate < SIZE - 10)
            chosen = candidate;
    }
    return chosen;
}

static void check_pkcs1(const uint8_t em[SIZE])
{
    uint8_t out[SIZE], copy[SIZE], synthetic[SIZE], lengths[OCT_REJECT_LENGTHS];
    const size_t start = reference_start(em);
    const uint8_t *expected = em + start;
    size_t expected_len = SIZE - start, len = 12345;
    uint64_t good;

    memset(out, UNTOUCHED, sizeof out);
    memcpy(copy, em, SIZE);
    good = oct_unpad_pkcs1_explicit(out, &len, copy, SIZE);
    assert_true(good == (start == 0 ? 0 : ~(uint64_t)0));
    if (start == 0)
        expected_len = 0;
    assert_int_equal(len, start == 0 ? 12345 : expected_len);
    assert_memory_equal(out, expected, expected_len);
    for (size_t i = expected_len; i < SIZE; i++)
        assert_int_equal(out[i], UNTOUCHED);

    random_bytes(synthetic, SIZE);
    random_bytes(lengths, sizeof lengths);
    memset(out, UNTOUCHED, sizeof out);
    memcpy(copy, em, SIZE);
    if (start == 0) {
        expected_len = reference_synthetic_len(lengths);
        expected = synthetic + SIZE - expected_len;
    }
    len = oct_unpad_pkcs1_implicit(out, copy, synthetic, lengths, SIZE);
    assert_int_equal(len, expected_len);
    assert_memory_equal(out, expected, expected_len);
    for (size_t i = expected_len; i < SIZE; i++)
        assert_int_equal(out[i], UNTOUCHED);
}

static void test_pkcs1(void **state)
{
    uint8_t em[SIZE];

    (void)state;
    for (size_t len = 0; len <= SIZE - 3; len++) { /* from 246 on the padding is too short */
        make_pkcs1(em, len);
        check_pkcs1(em);
        em[1] = 1;
        check_pkcs1(em);
        em[1] = 2, em[0] = 1;
        check_pkcs1(em);
    }
    for (size_t at = 2; at < SIZE; at++) { /* the first zero anywhere, and none at all */
        random_nonzero(em, SIZE);
        em[0] = 0, em[1] = 2, em[at] = 0;
        check_pkcs1(em);
    }
    random_nonzero(em, SIZE);
    em[0] = 0, em[1] = 2;
    check_pkcs1(em);
    for (int i = 0; i < 2000; i++) {
        random_bytes(em, SIZE);
        em[0] &= 1, em[1] &= 3;
        check_pkcs1(em);
    }
}

/* Lengths of synthetic messages at their limits: none fits, only the first fits, the longest possible. */
static void test_synthetic_lengths(void **state)
{
    uint8_t em[SIZE] = {1}, out[SIZE], synthetic[SIZE], lengths[OCT_REJECT_LENGTHS];

    (void)state;
    random_bytes(synthetic, SIZE);
    memset(lengths, 0xff, sizeof lengths);
    assert_int_equal(oct_unpad_pkcs1_implicit(out, em, synthetic, lengths, SIZE), 0);
    em[0] = 1;
    lengths[0] = 0xab, lengths[1] = 7;
    assert_int_equal(oct_unpad_pkcs1_implicit(out, em, synthetic, lengths, SIZE), 7);
    em[0] = 1;
    lengths[254] = 0, lengths[255] = SIZE - 11;
    assert_int_equal(oct_unpad_pkcs1_implicit(out, em, synthetic, lengths, SIZE), SIZE - 11);
    assert_memory_equal(out, synthetic + 11, SIZE - 11);
}

static void check_tls(const uint8_t em[SIZE], unsigned version, unsigned other)
{
    const uint8_t *secret = em + SIZE - OCT_TLS_PREMASTER;
    const unsigned found = secret[0] * 256u + secret[1];
    uint8_t out[OCT_TLS_PREMASTER], random[OCT_TLS_PREMASTER];
    int good = em[0] == 0 && em[1] == 2 && secret[-1] == 0 && memchr(em + 2, 0, SIZE - 3 - OCT_TLS_PREMASTER) == NULL &&
               (found == version || (other != 0 && found == other));

    random_bytes(random, sizeof random);
    oct_unpad_tls(out, em, SIZE, version, other, random);
    assert_memory_equal(out, good ? secret : random, sizeof out);
}

static void test_tls(void **state)
{
    uint8_t em[SIZE];

    (void)state;
    for (unsigned i = 0; i < SIZE; i++) {
        make_pkcs1(em, OCT_TLS_PREMASTER);
        em[SIZE - 48] = 3, em[SIZE - 47] = 3;
        check_tls(em, 0x0303, 0);
        check_tls(em, 0x0304, 0);
        check_tls(em, 0x0304, 0x0303);
        check_tls(em, 0x0403, 0);
        em[i] ^= 1; /* each byte wrong, once */
        check_tls(em, 0x0303, 0);
        em[i] = 0;
        check_tls(em, 0x0303, 0x0302);
    }
    for (size_t len = 40; len < 60; len++) {
        make_pkcs1(em, len);
        em[SIZE - 48] = 3, em[SIZE - 47] = 3;
        check_tls(em, 0x0303, 0);
    }
}

#define HASH 32
#define DB   (SIZE - HASH - 1)

static void check_oaep(const uint8_t db[DB], const uint8_t hash[HASH], uint64_t first_is_zero)
{
    uint8_t out[DB], copy[DB];
    size_t i = HASH, len = 999, expected = 0;
    int good = first_is_zero != 0 && memcmp(db, hash, HASH) == 0;

    while (i < DB && db[i] == 0)
        i++;
    good = good && i < DB && db[i] == 1;
    if (good)
        expected = DB - i - 1;
    memset(out, UNTOUCHED, sizeof out);
    memcpy(copy, db, DB);
    assert_true(oct_unpad_oaep(out, &len, copy, DB, hash, HASH, first_is_zero) == (good ? ~(uint64_t)0 : 0));
    assert_int_equal(len, good ? expected : 999);
    assert_memory_equal(out, db + DB - expected, expected);
    for (size_t j = expected; j < DB; j++)
        assert_int_equal(out[j], UNTOUCHED);
}

static void test_oaep(void **state)
{
    const uint64_t yes = ~(uint64_t)0;
    uint8_t db[DB], hash[HASH];

    (void)state;
    for (size_t at = HASH; at < DB; at++) {
        random_bytes(hash, HASH);
        memcpy(db, hash, HASH);
        memset(db + HASH, 0, at - HASH);
        db[at] = 1;
        random_bytes(db + at + 1, DB - at - 1);
        check_oaep(db, hash, yes);
        check_oaep(db, hash, 0);
        db[at] = 2;
        check_oaep(db, hash, yes);
        db[at] = 1, db[at % HASH] ^= 0x80;
        check_oaep(db, hash, yes);
    }
    memcpy(db, hash, HASH);
    memset(db + HASH, 0, DB - HASH);
    check_oaep(db, hash, yes);
}

int main(void)
{
    return RUN_TESTS(NULL, NULL, test_pkcs1, test_synthetic_lengths, test_tls, test_oaep);
}
