/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* ctest: OPTIONS -Wl,--wrap=malloc -Wl,--wrap=aligned_alloc */
/*
 * AEADs against libcrypto, every tier that this CPU has: every length to 1100 and around the sizes of groups,
 * alignments, in place or not, forgeries, pieces, random shapes; text before and behind the buffers is checked, and
 * no record allocates.
 *
 * With OCT_TEST_DEPTH=exhaustive every length at every alignment, and a hundred times as many random records (minutes).
 */
#include "aead_ref.h"
#include "depth.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include "run_tests.h"

#define EDGE 64 /* around every buffer */

static uint8_t text[REF_MAX], want[REF_MAX], want_tag[16], buffer[REF_MAX + 4 * EDGE];
static unsigned long allocations;

/* The linker sends the library's allocations here. */
void *__real_malloc(size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void *__wrap_malloc(size_t size)
{
    allocations++;
    return __real_malloc(size);
}
void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    allocations++;
    return __real_aligned_alloc(alignment, size);
}

typedef void test_fn(struct ref *r, int slow);

/* Runs a test on every tier of every AEAD, with a new key each. */
static void everywhere(test_fn *test)
{
    unsigned runs = 0;
    for (int aead = 0; aead < OCT_AEAD_COUNT; aead++) {
        const struct oct_aead_ops *ops[OCT_AEAD_TIERS];
        const unsigned count = oct_aead_runnable(aead, ops);
        for (unsigned i = 0; i < count; i++, runs++) {
            struct ref r;
            ref_open(&r, ops[i], aead);
            test(&r, strcmp(ops[i]->tier, "c") == 0);
            ref_close(&r);
        }
    }
    assert_true(runs > 0);
}

static void check_edges(const uint8_t *out, size_t len)
{
    for (size_t i = 1; i <= EDGE; i++) {
        assert_int_equal(out[-(ptrdiff_t)i], 0x5a);
        assert_int_equal(out[len + i - 1], 0x5a);
    }
}

/* One record both ways, at given alignments; in place if `at_out` is negative. */
static void check_record(struct ref *r, size_t aad_len, size_t len, size_t at_in, int at_out)
{
    static uint8_t from[REF_MAX + 4 * EDGE];
    uint8_t nonce[12], aad[300], tag[16];
    uint8_t *in = from + EDGE + at_in, *out = at_out < 0 ? in : buffer + EDGE + (size_t)at_out;
    ref_random(nonce, sizeof nonce);
    ref_random(aad, aad_len ? aad_len : 1);
    ref_seal(r, nonce, 12, aad, aad_len, text, len, want, want_tag);
    memset(at_out < 0 ? from : buffer, 0x5a, len + 4 * EDGE);
    memcpy(in, text, len);
    assert_int_equal(oct_aead_seal(r->key, nonce, aad, aad_len, in, len, out, tag), OCT_OK);
    assert_memory_equal(out, want, len);
    assert_memory_equal(tag, want_tag, 16);
    check_edges(out, len);
    memcpy(in, want, len);
    assert_int_equal(oct_aead_open(r->key, nonce, aad, aad_len, in, len, out, tag), OCT_OK);
    assert_memory_equal(out, text, len);
    check_edges(out, len);
}

static void every_length(struct ref *r, int slow)
{
    const bool all = depth_is_exhaustive();
    for (size_t len = 0; len <= 1100; len += slow && !all ? 1 + len / 40 : 1) {
        check_record(r, len % 41, len, len * 29 % 64, (int)(len * 13 % 64));
        check_record(r, 13, len, len * 5 % 64, -1);
        for (size_t align = 0; all && align < 64; align++) {
            check_record(r, 20, len, align, (int)(align * 7 % 64));
            check_record(r, 5, len, align, -1);
        }
    }
}

/* Around multiples of groups, with the counter's lower bytes running over. */
static void long_records(struct ref *r, int slow)
{
    for (size_t size = 2048; size <= (slow ? 4096 : 65536); size *= 2)
        for (int off = slow ? -1 : -66; off <= (slow ? 1 : 66); off += slow ? 1 : 11)
            check_record(r, 17, (size_t)((int)size + off), 3, 9);
    for (size_t aad_len = 0; aad_len <= 300; aad_len += slow ? 43 : 1)
        check_record(r, aad_len, 100, 0, 0);
}

static void must_fail(struct ref *r, const uint8_t *nonce, const uint8_t *aad, size_t aad_len, const uint8_t *in,
                      size_t len, const uint8_t *tag)
{
    memset(buffer, 0x5a, len + 4 * EDGE);
    uint8_t *out = buffer + EDGE;
    assert_int_equal(oct_aead_open(r->key, nonce, aad, aad_len, in, len, out, tag), OCT_ERR_AUTH);
    for (size_t i = 0; i < len; i++)
        assert_int_equal(out[i], 0);
    check_edges(out, len);
}

/* A bit in every byte of the tag, of the text, of the additional data, of the nonce. */
static void forgeries(struct ref *r, int slow)
{
    static const size_t lens[] = {0, 1, 16, 64, 200, 333, 1500};
    for (size_t k = 0; k < (slow ? 4 : sizeof lens / sizeof lens[0]); k++) {
        uint8_t nonce[12], aad[21];
        const size_t len = lens[k];
        ref_random(nonce, sizeof nonce);
        ref_random(aad, sizeof aad);
        ref_seal(r, nonce, 12, aad, sizeof aad, text, len, want, want_tag);
        struct {
            uint8_t *bytes;
            size_t len;
        } part[] = {{want_tag, 16}, {want, len}, {aad, sizeof aad}, {nonce, 12}};
        for (size_t p = 0; p < 4; p++)
            for (size_t i = 0; i < part[p].len; i += slow ? 5 : 1) {
                const uint8_t bit = (uint8_t)(1u << ref_below(8));
                part[p].bytes[i] ^= bit;
                must_fail(r, nonce, aad, sizeof aad, want, len, want_tag);
                part[p].bytes[i] ^= bit;
            }
        if (len)
            must_fail(r, nonce, aad, sizeof aad, want, len - 1, want_tag);
        must_fail(r, nonce, aad, sizeof aad - 1, want, len, want_tag);
        /* In place, the ciphertext is gone too. */
        memcpy(buffer, want, len);
        want_tag[0] ^= 1;
        assert_int_equal(oct_aead_open(r->key, nonce, aad, sizeof aad, buffer, len, buffer, want_tag), OCT_ERR_AUTH);
        for (size_t i = 0; i < len; i++)
            assert_int_equal(buffer[i], 0);
    }
}

/* SM4-CCM has none. */
static int has_streams(const struct ref *r)
{
    struct oct_aead_stream stream;
    const int status = oct_aead_stream_init(&stream, r->key, text, 12, 1);
    assert_int_equal(status, r->aead == OCT_AEAD_SM4_CCM ? OCT_ERR_UNSUPPORTED : OCT_OK);
    return status == OCT_OK;
}

/* Pieces of random sizes, a random length of IV where the AEAD takes one, opened and sealed; half of them in place. */
static void check_pieces(struct ref *r, size_t aad_len, size_t len)
{
    struct oct_aead_stream stream, copy;
    uint8_t iv[300], aad[300], tag[16];
    const size_t iv_len = r->aead == OCT_AEAD_CHACHA20_POLY1305 || ref_below(3) == 0 ? 12 : 1 + ref_below(300) % 128;
    ref_random(iv, sizeof iv);
    ref_random(aad, sizeof aad);
    ref_seal(r, iv, iv_len, aad, aad_len, text, len, want, want_tag);
    for (int sealing = 0; sealing < 2; sealing++) {
        const uint8_t *in = sealing ? text : want;
        assert_int_equal(oct_aead_stream_init(&stream, r->key, iv, iv_len, sealing), OCT_OK);
        for (size_t at = 0, n; at < aad_len; at += n) {
            n = 1 + ref_below(aad_len - at);
            assert_int_equal(oct_aead_stream_aad(&stream, aad + at, n), OCT_OK);
        }
        for (size_t at = 0, n; at < len; at += n) {
            n = 1 + ref_below(ref_below(2) ? len - at : (len - at < 40 ? len - at : 40));
            assert_int_equal(oct_aead_stream_update(&stream, in + at, n, buffer + at), OCT_OK);
        }
        assert_memory_equal(buffer, sealing ? want : text, len);
        copy = stream;
        if (sealing) {
            assert_int_equal(oct_aead_stream_finish_seal(&stream, tag), OCT_OK);
            assert_memory_equal(tag, want_tag, 16);
            assert_int_equal(oct_aead_stream_finish_seal(&copy, tag), OCT_OK);
            assert_memory_equal(tag, want_tag, 16);
        } else {
            const size_t tag_len = 1 + ref_below(16);
            memcpy(tag, want_tag, 16);
            assert_int_equal(oct_aead_stream_finish_open(&stream, tag, tag_len), OCT_OK);
            tag[ref_below(tag_len)] ^= 0x80;
            assert_int_equal(oct_aead_stream_finish_open(&copy, tag, tag_len), OCT_ERR_AUTH);
        }
        assert_int_equal(oct_aead_stream_update(&stream, in, 1, buffer), OCT_ERR_STATE);
    }
}

static void pieces(struct ref *r, int slow)
{
    for (int i = 0; i < (slow ? 12 : 400) && has_streams(r); i++)
        check_pieces(r, ref_below(3) ? ref_below(40) : ref_below(300), ref_below(slow ? 600 : i % 20 ? 900 : 9000));
}

/* Pieces of one size after a first one of another, around the windows for which key stream is made ahead. */
static void check_even_pieces(struct ref *r, size_t first, size_t size, size_t len)
{
    struct oct_aead_stream stream;
    uint8_t nonce[12], tag[16];
    ref_random(nonce, sizeof nonce);
    ref_seal(r, nonce, 12, text, 5, text, len, want, want_tag);
    for (int sealing = 0; sealing < 2; sealing++) {
        memset(buffer, 0x5a, sizeof buffer);
        memcpy(buffer + EDGE, sealing ? text : want, len);
        assert_int_equal(oct_aead_stream_init(&stream, r->key, nonce, 12, sealing), OCT_OK);
        assert_int_equal(oct_aead_stream_aad(&stream, text, 5), OCT_OK);
        for (size_t at = 0, n = first; at < len; at += n, n = size) {
            n = n < len - at ? n : len - at;
            assert_int_equal(oct_aead_stream_update(&stream, buffer + EDGE + at, n, buffer + EDGE + at), OCT_OK);
        }
        assert_memory_equal(buffer + EDGE, sealing ? want : text, len);
        check_edges(buffer + EDGE, len);
        assert_int_equal(sealing ? oct_aead_stream_finish_seal(&stream, tag)
                                 : oct_aead_stream_finish_open(&stream, want_tag, 16),
                         OCT_OK);
        assert_true(!sealing || memcmp(tag, want_tag, 16) == 0);
    }
}

static void even_pieces(struct ref *r, int slow)
{
    static const size_t sizes[] = {1, 7, 16, 31, 63, 64, 65, 129, 511, 512, 513, 1024, 1440, 2500};
    const size_t count = sizeof sizes / sizeof sizes[0];
    for (size_t i = 0; i < count && has_streams(r); i++)
        for (size_t j = 0; j < count; j += slow ? 5 : 1)
            check_even_pieces(r, sizes[j], sizes[i], slow ? 1100 : 3 * sizes[i] < 1700 ? 1700 : 3 * sizes[i]);
}

/* A stream takes no more memory than the struct has; tests/library/diff/test_aead_guard.c shows that it takes no more
 * than it says. */
static void test_stream_size(void **state)
{
    (void)state;
    for (int aead = 0; aead < OCT_AEAD_COUNT; aead++)
        assert_in_range(oct_aead_stream_size(aead), aead != OCT_AEAD_SM4_CCM, sizeof(struct oct_aead_stream));
    assert_int_equal(oct_aead_stream_size(OCT_AEAD_COUNT), 0);
}

static void random_records(struct ref *r, int slow)
{
    const unsigned n = amount(60000, 600, 600);
    for (unsigned i = 0; i < (slow ? n / 20 : n); i++)
        check_record(r, ref_below(64),
                     ref_below(i % 16 ? 700
                               : slow ? 2000
                                      : 20000),
                     ref_below(64), (int)ref_below(80) - 16);
}

/* Nothing that works on a record or a stream allocates. */
static void no_allocation(struct ref *r, int slow)
{
    struct oct_aead_stream stream;
    uint8_t nonce[12] = {0}, tag[16];
    const unsigned long before = allocations;
    (void)slow;
    for (size_t len = 0; len < 3000; len += 599) {
        assert_int_equal(oct_aead_seal(r->key, nonce, text, 13, text, len, buffer, tag), OCT_OK);
        assert_int_equal(oct_aead_open(r->key, nonce, text, 13, buffer, len, buffer, tag), OCT_OK);
        if (!has_streams(r))
            continue;
        assert_int_equal(oct_aead_stream_init(&stream, r->key, nonce, 12, 1), OCT_OK);
        assert_int_equal(oct_aead_stream_update(&stream, text, len, buffer), OCT_OK);
        assert_int_equal(oct_aead_stream_finish_seal(&stream, tag), OCT_OK);
    }
    assert_int_equal(oct_aead_key_init_on(r->key->ops, r->memory, r->aead, r->bytes, oct_aead_key_len(r->aead)),
                     OCT_OK);
    assert_int_equal(allocations, before);
}

static void test_every_length(void **state)
{
    (void)state;
    everywhere(every_length);
}
static void test_long_records(void **state)
{
    (void)state;
    everywhere(long_records);
}
static void test_forgeries(void **state)
{
    (void)state;
    everywhere(forgeries);
}
static void test_pieces(void **state)
{
    (void)state;
    everywhere(pieces);
}
static void test_even_pieces(void **state)
{
    (void)state;
    everywhere(even_pieces);
}
static void test_random_records(void **state)
{
    (void)state;
    everywhere(random_records);
}
static void test_no_allocation(void **state)
{
    (void)state;
    everywhere(no_allocation);
}

/* Every tier passes its known answer here, and a tier with another's numbers does not. */
static void test_known_answers(void **state)
{
    (void)state;
    for (int aead = 0; aead < OCT_AEAD_COUNT; aead++) {
        const struct oct_aead_ops *ops[OCT_AEAD_TIERS];
        const unsigned count = oct_aead_runnable(aead, ops);
        for (unsigned i = 0; i < count; i++) {
            assert_int_equal(oct_aead_known_answer(ops[i], aead), 0);
            if (aead < OCT_AEAD_CHACHA20_POLY1305)
                assert_int_not_equal(oct_aead_known_answer(ops[i], (aead + 1) % 3), 0);
        }
    }
}

/* Bad arguments write nothing. */
static void test_arguments(void **state)
{
    struct oct_aead_key *key = (void *)1;
    struct oct_aead_stream stream;
    uint8_t bytes[32] = {0}, out[16] = {7}, tag[16] = {7};
    (void)state;
    assert_int_equal(oct_aead_key_new(NULL, 0, bytes, 16), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_aead_key_new(&key, OCT_AEAD_COUNT, bytes, 16), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_aead_key_new(&key, -1, bytes, 16), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_aead_key_new(&key, 0, NULL, 16), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_aead_key_new(&key, 0, bytes, 24), OCT_ERR_LENGTH);
    assert_ptr_equal(key, (void *)1);
    assert_null(oct_aead_name(OCT_AEAD_COUNT));
    assert_int_equal(oct_aead_key_len(-1), 0);
    if (!oct_aead_is_on(0)) {
        assert_int_equal(oct_aead_key_new(&key, 0, bytes, 16), OCT_ERR_UNSUPPORTED);
        return;
    }
    assert_int_equal(oct_aead_key_new(&key, 0, bytes, 16), OCT_OK);
    assert_int_equal(oct_aead_key_aead(key), 0);
    assert_int_equal(oct_aead_seal(key, NULL, NULL, 0, bytes, 16, out, tag), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_aead_seal(key, bytes, NULL, 1, bytes, 16, out, tag), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_aead_seal(key, bytes, NULL, 0, NULL, 16, out, tag), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_aead_seal(key, bytes, NULL, 0, bytes, 16, NULL, tag), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_aead_seal(key, bytes, NULL, 0, bytes, ((size_t)1 << 36) - 31, out, tag), OCT_ERR_LENGTH);
    assert_int_equal(oct_aead_seal(key, bytes, bytes, (size_t)1 << 61, bytes, 16, out, tag), OCT_ERR_LENGTH);
    assert_int_equal(oct_aead_open(key, bytes, NULL, 0, bytes, 16, out, NULL), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_aead_stream_init(&stream, key, bytes, 0, 1), OCT_ERR_LENGTH);
    assert_int_equal(oct_aead_stream_init(&stream, key, bytes, 12, 2), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_aead_stream_init(&stream, key, bytes, 12, 1), OCT_OK);
    assert_int_equal(oct_aead_stream_finish_open(&stream, tag, 16), OCT_ERR_STATE);
    assert_int_equal(oct_aead_stream_update(&stream, bytes, ((size_t)1 << 36) - 31, out), OCT_ERR_LENGTH);
    assert_int_equal(oct_aead_stream_update(&stream, bytes, 3, out + 1), OCT_OK);
    assert_int_equal(oct_aead_stream_aad(&stream, bytes, 1), OCT_ERR_STATE);
    oct_aead_stream_clear(&stream);
    assert_int_equal(oct_aead_stream_update(&stream, bytes, 1, out), OCT_ERR_STATE);
    assert_int_equal(out[0], 7);
    assert_int_equal(tag[0], 7);
    oct_aead_key_free(key);
    oct_aead_key_free(NULL);
}

static int setup(void **state)
{
    (void)state;
    ref_random(text, sizeof text);
    return 0;
}

int main(void)
{
    return RUN_TESTS(setup, NULL, test_known_answers, test_arguments, test_every_length, test_long_records,
                     test_forgeries, test_pieces, test_no_allocation, test_random_records, test_even_pieces,
                     test_stream_size);
}
