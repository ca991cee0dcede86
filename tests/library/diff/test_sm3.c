/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * SM3 in lanes against libcrypto: every length around the edges of blocks, all numbers of lanes, lanes of different
 * length, any alignment, messages that end at a page which cannot be read; and the standard's two examples.
 */
#include "api/sm3_lanes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>
#include "run_tests.h"
#include <openssl/evp.h>
#include <openssl/rand.h>

#define PAGE 4096

static const struct oct_ops *table[OCT_OPS_TABLES];
static unsigned tables;
static uint8_t *pages; /* two, and one behind them that cannot be read */

static int setup(void **state)
{
    (void)state;
    tables = oct_ops_runnable(table);
    pages = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED || RAND_bytes(pages, 2 * PAGE) != 1)
        return -1;
    return mprotect(pages + 2 * PAGE, PAGE, PROT_NONE);
}

static int teardown(void **state)
{
    (void)state;
    return munmap(pages, 3 * PAGE);
}

/* `len` bytes up to the end of what can be read. */
static const uint8_t *message_of(size_t len)
{
    return pages + 2 * PAGE - len;
}

static void compare(const struct oct_ops *ops, const size_t len[OCT_SM3_LANES], unsigned lanes)
{
    uint8_t digest[OCT_SM3_LANES + 1][OCT_SM3_BYTES], want[OCT_SM3_BYTES];
    struct oct_sm3_lane lane[OCT_SM3_LANES];
    memset(digest, 0xaa, sizeof digest);
    for (unsigned i = 0; i < lanes; i++)
        lane[i] = (struct oct_sm3_lane){len[i] ? message_of(len[i]) : NULL, len[i], digest[i]};
    assert_int_equal(oct_sm3_on(ops, lane, lanes), OCT_OK);
    for (unsigned i = 0; i < lanes; i++) {
        assert_int_equal(EVP_Digest(message_of(len[i]), len[i], want, NULL, EVP_sm3(), NULL), 1);
        assert_memory_equal(digest[i], want, sizeof want);
    }
    for (unsigned i = 0; i < OCT_SM3_BYTES; i++)
        assert_int_equal(digest[lanes][i], 0xaa);
}

static void test_lengths(void **state)
{
    (void)state;
    for (unsigned t = 0; t < tables; t++)
        for (size_t len = 0; len <= 260; len += table[t] == &oct_ops_c ? 3 : 1) {
            size_t lens[OCT_SM3_LANES];
            for (unsigned i = 0; i < OCT_SM3_LANES; i++)
                lens[i] = len;
            compare(table[t], lens, 1 + (unsigned)len % OCT_SM3_LANES);
        }
}

static void test_mixed(void **state)
{
    (void)state;
    for (unsigned t = 0; t < tables; t++)
        for (unsigned round = 0; round < 64; round++) {
            size_t lens[OCT_SM3_LANES];
            for (unsigned i = 0; i < OCT_SM3_LANES; i++)
                lens[i] = (131 * (size_t)round + 977 * (size_t)i * (round % 3)) % (PAGE + 1);
            compare(table[t], lens, 1 + round % OCT_SM3_LANES);
        }
}

/* GB/T 32905, annex A. */
static void test_standard(void **state)
{
    static const uint8_t one[OCT_SM3_BYTES] = {0x66, 0xc7, 0xf0, 0xf4, 0x62, 0xee, 0xed, 0xd9, 0xd1, 0xf2, 0xd4,
                                               0x6b, 0xdc, 0x10, 0xe4, 0xe2, 0x41, 0x67, 0xc4, 0x87, 0x5c, 0xf2,
                                               0xf7, 0xa2, 0x29, 0x7d, 0xa0, 0x2b, 0x8f, 0x4b, 0xa8, 0xe0};
    static const uint8_t two[OCT_SM3_BYTES] = {0xde, 0xbe, 0x9f, 0xf9, 0x22, 0x75, 0xb8, 0xa1, 0x38, 0x60, 0x48,
                                               0x89, 0xc1, 0x8e, 0x5a, 0x4d, 0x6f, 0xdb, 0x70, 0xe5, 0x38, 0x7e,
                                               0x57, 0x65, 0x29, 0x3d, 0xcb, 0xa3, 0x9c, 0x0c, 0x57, 0x32};
    uint8_t text[64], digest[2][OCT_SM3_BYTES];
    (void)state;
    for (unsigned i = 0; i < 64; i++)
        text[i] = (uint8_t) "abcd"[i % 4];
    const struct oct_sm3_lane lane[2] = {{text, 3, digest[0]}, {text, 64, digest[1]}};
    for (unsigned t = 0; t < tables; t++) {
        assert_int_equal(oct_sm3_on(table[t], lane, 2), OCT_OK);
        assert_memory_equal(digest[0], one, sizeof one);
        assert_memory_equal(digest[1], two, sizeof two);
    }
}

static void test_arguments(void **state)
{
    uint8_t digest[OCT_SM3_BYTES] = {0xaa};
    const struct oct_sm3_lane good = {NULL, 0, digest}, broken[] = {{NULL, 1, digest}, {digest, 0, NULL}};
    (void)state;
    assert_int_equal(oct_sm3_x16(NULL, 1), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_sm3_x16(&good, 0), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_sm3_x16(&good, OCT_SM3_LANES + 1), OCT_ERR_ARGUMENT);
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(oct_sm3_x16(&broken[i], 1), OCT_ERR_ARGUMENT);
    assert_int_equal(digest[0], 0xaa);
    assert_int_equal(oct_sm3_x16(&good, 1), oct_op_is_on(OCT_OP_SM3) ? OCT_OK : OCT_ERR_UNSUPPORTED);
}

int main(void)
{
    return RUN_TESTS(setup, teardown, test_lengths, test_mixed, test_standard, test_arguments);
}
