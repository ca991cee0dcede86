/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* ctest: RUNS once SOURCES provider/aead/iv.c */
/* The counter in a nonce: it carries, it goes round, and it ends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include "run_tests.h"

#include "provider/aead/cipher.h"

#include <string.h>

static void test_count(void **state)
{
    static const uint8_t from[][8] = {{0}, {1, 2, 3, 4, 5, 6, 7, 0xff}, {0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}};
    static const uint8_t to[][8] = {{0, 0, 0, 0, 0, 0, 0, 1}, {1, 2, 3, 4, 5, 6, 8, 0}, {1}};
    uint8_t counter[8];
    uint64_t used = 0;

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        memcpy(counter, from[i], 8);
        assert_int_equal(oct_aead_iv_count(counter, &used), 1);
        assert_memory_equal(counter, to[i], 8);
        assert_true(used == i + 1);
    }
}

/* It starts anywhere, so it has to go round. */
static void test_round(void **state)
{
    uint8_t counter[8];
    uint64_t used = 5;

    (void)state;
    memset(counter, 0xff, 8);
    assert_int_equal(oct_aead_iv_count(counter, &used), 1);
    assert_memory_equal(counter, "\0\0\0\0\0\0\0", 8);
}

static void test_end(void **state)
{
    uint8_t counter[8] = {9};
    uint64_t used = UINT64_MAX - 1;

    (void)state;
    assert_int_equal(oct_aead_iv_count(counter, &used), 1);
    assert_int_equal(oct_aead_iv_count(counter, &used), 0);
    assert_int_equal(oct_aead_iv_count(counter, &used), 0);
    assert_true(used == UINT64_MAX);
    assert_memory_equal(counter, "\x09\0\0\0\0\0\0\x01", 8);
}

int main(void)
{
    return RUN_TESTS(NULL, NULL, test_count, test_round, test_end);
}
