/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* ctest: BY_HAND */
/*
 * Poly1305 alone, with keys and messages that a cipher never gives: r at its extremes, all limbs ones, sums that end at
 * p-1, p, p+1 and around 2^130 and 2^128; one message over all lanes, a message in each, and a long stretch of a
 * message. Against libcrypto's Poly1305. Compiled once per tier.
 */
#include "depth.h"
#include "kernels/chacha/poly1305_rows_impl.h"
#if TIER_WIDE
#include "kernels/chacha/poly1305_long_impl.h"
#endif

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>
#include "run_tests.h"
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/rand.h>

enum { MAX = 40 * POLY_BYTES };

static EVP_MAC *mac;
static EVP_MAC_CTX *ctx;

/* Before main(), which is compiled for the tier's CPU as well. */
static __attribute__((constructor)) void skip_without_cpu(void)
{
    __builtin_cpu_init();
#if defined(OCT_BACKEND_AVX2)
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("bmi2"))
        exit(77);
#elif defined(TIER_QUADS_YMM) || defined(TIER_QUADS_ZMM)
    if (!__builtin_cpu_supports("avx512ifma") || !__builtin_cpu_supports("avx512vl"))
        exit(77);
#endif
}

static int setup(void **state)
{
    (void)state;
    mac = EVP_MAC_fetch(NULL, "POLY1305", NULL);
    ctx = EVP_MAC_CTX_new(mac);
    return ctx ? 0 : -1;
}
static int teardown(void **state)
{
    (void)state;
    EVP_MAC_CTX_free(ctx);
    EVP_MAC_free(mac);
    return 0;
}

/* Our tag of whole blocks, the last of which is the two lengths: in one piece or in two. */
static void our_tag(uint8_t tag[16], const uint8_t key[32], const uint8_t *data, size_t len, unsigned bulk,
                    size_t split)
{
    static struct poly p;
    const uint64_t pos = len - 16;
    memset(&p, 0xaa, sizeof p);
    poly_set_key(&p, key);
    poly_make_powers(&p);
    if (bulk)
        poly_make_far(&p);
    if (split > 0)
        poly_absorb(&p, 0, bulk, data, split);
    if (len - split > 16)
        poly_absorb(&p, split, bulk, data + split, len - 16 - split);
    poly_finish(&p, pos, len % 32 == 0 || bulk || pos >= POLY_BYTES, tier_load64(data + len - 16),
                tier_load64(data + len - 8), tag);
}

static void their_tag(uint8_t tag[16], const uint8_t key[32], const uint8_t *data, size_t len)
{
    size_t n;
    assert_int_equal(EVP_MAC_init(ctx, key, 32, NULL), 1);
    assert_int_equal(EVP_MAC_update(ctx, data, len), 1);
    assert_int_equal(EVP_MAC_final(ctx, tag, &n, 16), 1);
}

static void compare(const uint8_t key[32], const uint8_t *data, size_t len)
{
    uint8_t want[16], tag[16];
    their_tag(want, key, data, len);
    for (unsigned bulk = 0; bulk < 2; bulk++)
        for (size_t split = 0; split<len; split += len> 512 ? 16 * 7 : 16) {
            our_tag(tag, key, data, len, bulk, split);
            assert_memory_equal(tag, want, 16);
        }
}

/* r and the bytes that are added: zero, one, the largest, single limbs, random. */
static void make_key(uint8_t key[32], unsigned kind)
{
    assert_int_equal(RAND_bytes(key, 32), 1);
    if (kind % 8 < 7)
        memset(key, kind % 8 == 1 ? 0xff : 0, 16);
    if (kind % 8 == 2)
        key[0] = 1;
    if (kind % 8 == 3)
        key[15] = 0x0f;
    if (kind % 8 == 4)
        memset(key, 0xff, 5);
    if (kind % 8 == 5)
        memset(key + 5, 0xff, 6);
    if (kind % 8 == 6)
        memset(key + 11, 0xff, 5);
    if (kind / 8 % 3 == 0)
        memset(key + 16, 0xff, 16);
    if (kind / 8 % 3 == 1)
        memset(key + 16, 0, 16);
}
static void make_data(uint8_t *data, size_t len, unsigned kind)
{
    if (kind % 3 == 2)
        assert_int_equal(RAND_bytes(data, (int)len), 1);
    else
        memset(data, kind % 3 ? 0xff : 0, len);
}

static void test_extremes(void **state)
{
    static uint8_t data[MAX];
    uint8_t key[32];
    (void)state;
    for (unsigned kind = 0; kind < 24; kind++)
        for (unsigned of = amount(0, 0, 1); of < amount(3, 3, 2); of++) /* in brief the largest numbers */
            for (size_t len = 16; len <= MAX; len += len < 12 * POLY_BYTES / 4 ? 16 : 16 * 37) {
                make_key(key, kind);
                make_data(data, len, of);
                compare(key, data, len);
            }
}

static void add_rows(struct poly_rows *p, const unsigned blocks[POLY_ROWS], unsigned count, unsigned most)
{
#if TIER_WIDE
    (void)most;
    for (unsigned i = 0; i < count; i++)
        poly_row_add(p, i, POLY_ROW_BLOCKS - blocks[i]);
#else
    for (unsigned i = 0; i < count; i++)
        p->blocks[i] = blocks[i];
    poly_rows_add(p, POLY_ROW_BLOCKS - (most + 1) / 2 * 2, POLY_ROW_BLOCKS, 1, 1);
#endif
}
/* Messages of one block to all that a row holds side by side, each with its key; lanes at the end stay empty. */
static void compare_rows(unsigned count, unsigned kind, unsigned of)
{
    static uint8_t data[POLY_ROWS][16 * POLY_ROW_BLOCKS];
    struct poly_rows p;
    uint8_t key[POLY_ROWS][32], want[16], tag[16];
    unsigned most = 0, count_of[POLY_ROWS];
    memset(&p, 0, sizeof p);
    for (unsigned i = 0; i < count; i++) {
        const unsigned blocks = 1 + (7 * i + kind + count) % POLY_ROW_BLOCKS;
        count_of[i] = blocks;
        most = blocks > most ? blocks : most;
        make_key(key[i], kind + i);
        make_data(data[i], sizeof data[i], of + i);
        poly_row_key(&p.row[i], key[i]);
        memcpy(p.row[i].block[POLY_ROW_BLOCKS - blocks], data[i], 16 * (size_t)blocks);
    }
    add_rows(&p, count_of, count, most);
    for (unsigned i = 0; i < count; i++) {
        their_tag(want, key[i], data[i], 16 * (size_t)count_of[i]);
        poly_row_tag(tag, &p, i);
        assert_memory_equal(tag, want, 16);
    }
}
static void test_rows(void **state)
{
    (void)state;
    for (unsigned count = 1; count <= POLY_ROWS; count++)
        for (unsigned kind = 0; kind < 24 * POLY_ROW_BLOCKS; kind++)
            for (unsigned of = 0; of < 3; of++)
                compare_rows(count, kind, of);
}

/* With r = 1 the result is the sum of the blocks: two blocks make any number from 2 * 2^128 on, five any from 5 *
 * 2^128, so that the sum stands just below and above p = 4 * 2^128 - 5 and its double. */
static void test_final_reduction(void **state)
{
    uint8_t key[32] = {1}, data[16 * 8];
    (void)state;
    for (unsigned pad = 0; pad < 2; pad++)
        for (unsigned blocks = 2; blocks <= 8; blocks++)
            for (unsigned filled = 0; filled <= blocks; filled++)
                for (unsigned low = 0; low < 32; low++) {
                    memset(key + 16, pad ? 0xff : 0, 16);
                    memset(data, 0, sizeof data);
                    memset(data, 0xff, (size_t)16 * filled);
                    data[0] = (uint8_t)(data[0] - low);
                    data[16 * (blocks - 1)] = (uint8_t)(data[16 * (blocks - 1)] + low / 3);
                    compare(key, data, (size_t)16 * blocks);
                }
}

static void below_p(uint64_t w[3], const uint64_t word[3])
{
#if TIER_WIDE
    memcpy(w, word, 3 * sizeof *w);
    poly_reduce(w);
#else
    uint64_t limb[POLY_LIMBS] = {0};
    for (unsigned k = 0; k < POLY_LIMBS; k++)
        limb[k] = poly_limb(word, k);
    const unsigned shift = POLY_RADIX * (POLY_LIMBS - 1) - 64;
    limb[POLY_LIMBS - 1] = (word[1] >> shift) | word[2] << (64 - shift);
    poly_canonical(w, limb);
#endif
}
/* The number itself around p, 2p and 2^130, from limbs that are not carried. */
static void test_canonical(void **state)
{
    (void)state;
    for (unsigned top = 0; top < 64; top++)
        for (int low = -12; low <= 12; low++) {
            /* top * 2^128 + low, as limbs of POLY_RADIX bits; low < 0 borrows from top. */
            uint64_t w[3], want[3];
            if (low < 0 && top == 0)
                continue;
            const uint64_t high = top - (low < 0), ones = low < 0 ? ~(uint64_t)0 : 0;
            const uint64_t word[3] = {(uint64_t)(int64_t)low, ones, high};
            below_p(w, word);
            /* mod p: what is above 2^130 counts five times. */
            int64_t small = (int64_t)low + 5 * (int64_t)(top / 4);
            uint64_t rest = top % 4;
            if (rest == 0 && small < 0)
                small -= 5, rest = 4;
            want[0] = (uint64_t)small;
            want[1] = small < 0 ? ~(uint64_t)0 : 0;
            want[2] = rest - (small < 0);
            if (want[2] == 3 && want[1] == ~(uint64_t)0 && want[0] >= (uint64_t)-5)
                want[0] += 5, want[1] = want[2] = 0;
            assert_memory_equal(w, want, sizeof w);
        }
}

#if TIER_WIDE
/* A stretch of some groups on lanes after `before` blocks, and `after` blocks behind it; in two calls if there are so
 * many. The sum before it is what those blocks make, and the number of a few is around p. */
static void compare_stretch(unsigned kind, unsigned of, size_t before, size_t groups, size_t after)
{
    static uint8_t data[16 * 64 + LONG_BEGIN + 9 * LONG_GROUP];
    static struct poly_long l;
    static struct poly p;
    const size_t begin = 16 * before, stretch = LONG_BEGIN + groups * LONG_GROUP;
    const uint8_t *const end = data + begin + stretch;
    uint8_t key[32], want[16], tag[16];
    make_key(key, kind);
    make_data(data, sizeof data, of);
    if (of % 3 == 1)
        data[0] = (uint8_t)(data[0] - kind);
    their_tag(want, key, data, begin + stretch + 16 * after);
    memset(&p, 0xaa, sizeof p);
    memset(&l, 0xaa, sizeof l);
    poly_set_key(&p, key);
    poly_blocks(p.sum, p.r, data, before);
    poly_long_begin(&l, &p, data + begin);
    poly_long_groups(&l, data + begin + LONG_BEGIN, groups / 2);
    poly_long_groups(&l, data + begin + LONG_BEGIN + groups / 2 * LONG_GROUP, groups - groups / 2);
    poly_long_end(&l, &p);
    poly_blocks(p.sum, p.r, end, after);
    poly_reduce(p.sum);
    poly_tag(tag, p.sum, p.pad[0], p.pad[1]);
    assert_memory_equal(tag, want, 16);
}
static void test_stretches(void **state)
{
    (void)state;
    for (unsigned kind = 0; kind < 24; kind++)
        for (unsigned of = 0; of < 3; of++)
            for (size_t before = 0; before <= 8; before++)
                for (size_t groups = 0; groups <= 9; groups++)
                    compare_stretch(kind, of, before, groups, (kind + groups) % 4);
}
#endif

int main(void)
{
#if TIER_WIDE
    return RUN_TESTS(setup, teardown, test_extremes, test_rows, test_final_reduction, test_canonical, test_stretches);
#else
    return RUN_TESTS(setup, teardown, test_extremes, test_rows, test_final_reduction, test_canonical);
#endif
}
