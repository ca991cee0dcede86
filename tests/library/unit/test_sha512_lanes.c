/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * src/api/sha512_lanes.c on every table against the plain SHA-512 of src/base, which is held against FIPS 180-4's own
 * example: every length from 0 to 300, alone and beside seven other lengths, in two parts cut at every place, from
 * unaligned memory.
 */
#include "unit.h"

#include "api/sha512_lanes.h"

#define LENGTHS 301
#define MEMORY  1024

static const struct oct_ops *table[OCT_OPS_TABLES];
static unsigned tables;
static uint8_t memory[MEMORY];
static struct oct_sha512_space space OCT_ALIGN64;

static int setup(void **state)
{
    uint64_t x = 0x9e3779b97f4a7c15u;
    (void)state;
    tables = oct_ops_runnable(table);
    for (size_t i = 0; i < MEMORY; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        memory[i] = (uint8_t)(x >> 56);
    }
    return 0;
}

/* FIPS 180-4's examples: "abc", and one of two blocks. */
static void test_reference(void **state)
{
    static const char two[] =
        "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrs"
        "mnopqrstnopqrstu";
    static const uint8_t abc[8] = {0xdd, 0xaf, 0x35, 0xa1, 0x93, 0x61, 0x7a, 0xba};
    static const uint8_t long_one[8] = {0x8e, 0x95, 0x9b, 0x75, 0xda, 0xe3, 0x13, 0xda};
    uint8_t digest[OCT_SHA512_BYTES];
    (void)state;
    oct_sha512(digest, (const uint8_t *)"abc", 3);
    assert_memory_equal(digest, abc, sizeof abc);
    oct_sha512(digest, (const uint8_t *)two, sizeof two - 1);
    assert_memory_equal(digest, long_one, sizeof long_one);
}

/* Message i begins at byte i; its first `head` bytes are its head. */
static void compare(const struct oct_ops *ops, const size_t len[], size_t head, unsigned lanes)
{
    struct oct_hash_message message[OCT_LANES];
    uint8_t want[OCT_SHA512_BYTES];
    memset(&space, 0xa5, sizeof space);
    for (unsigned i = 0; i < lanes; i++) {
        const size_t cut = head < len[i] ? head : len[i];
        message[i] = (struct oct_hash_message){cut ? memory + i : NULL, len[i] > cut ? memory + i + cut : NULL, cut,
                                               len[i] - cut};
    }
    oct_sha512_lanes(ops, &space, message, lanes);
    for (unsigned i = 0; i < lanes; i++) {
        oct_sha512(want, memory + i, len[i]);
        assert_memory_equal(space.digest[i], want, sizeof want);
    }
}

static void test_every_length(void **state)
{
    (void)state;
    for (unsigned t = 0; t < tables; t++)
        for (size_t n = 0; n < LENGTHS; n++) {
            const size_t same[OCT_LANES] = {n, n, n, n, n, n, n, n};
            compare(table[t], same, 0, OCT_LANES);
            compare(table[t], same, 32, 1);
            compare(table[t], same, 64, 1);
        }
}

/* Lanes of one block beside lanes of several, each length in each lane, and 1 to 8 of them. */
static void test_mixed_lengths(void **state)
{
    (void)state;
    for (unsigned t = 0; t < tables; t++)
        for (size_t n = 0; n < LENGTHS; n++) {
            size_t len[OCT_LANES];
            for (unsigned i = 0; i < OCT_LANES; i++)
                len[i] = (n + 97 * i) % LENGTHS;
            compare(table[t], len, n % 65, 1 + (unsigned)n % OCT_LANES);
        }
}

/* Every place to cut, also heads longer than a block. */
static void test_every_cut(void **state)
{
    (void)state;
    for (unsigned t = 0; t < tables; t++)
        for (size_t head = 0; head <= 300; head++) {
            const size_t len[OCT_LANES] = {0, 1, 111, 112, 128, 239, 240, 300};
            compare(table[t], len, head, OCT_LANES);
        }
}

/* A long message beside an empty one. */
static void test_long(void **state)
{
    (void)state;
    for (unsigned t = 0; t < tables; t++) {
        const size_t len[OCT_LANES] = {0, MEMORY - 8, 128, 127, 129, 895, 896, 1};
        compare(table[t], len, 64, OCT_LANES);
    }
}

int main(void)
{
    return RUN_TESTS(setup, NULL, test_reference, test_every_length, test_mixed_lengths, test_every_cut, test_long);
}
