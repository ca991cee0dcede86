/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * SM4's modes against libcrypto, every tier that this CPU has: counter mode of every length to 1100 and past the ends
 * of its counters, CBC of texts of mixed lengths side by side, CCM with every length of nonce and tag; in place or not,
 * at the edge of memory. tests/library/diff/test_aead.c has the AEADs.
 */
#include "aead_ref.h"
#include "sm4_ref.h"

#include "api/cipher/sm4_internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>
#include "run_tests.h"

#define ROOM 8192
#define MANY 40 /* texts of one call: more than go side by side */

/* A key on both sides. */
struct subject {
    struct oct_sm4_key key;
    uint8_t bytes[16];
    int slow;
};
typedef void test_fn(struct subject *s);

static uint8_t text[ROOM], want[ROOM];
static uint8_t *room[2]; /* between pages that cannot be touched */

static void everywhere(test_fn *test)
{
    const struct oct_aead_ops *ops[OCT_AEAD_TIERS];
    const unsigned count = oct_aead_runnable(OCT_AEAD_SM4_CCM, ops);
    assert_true(count > 0);
    for (unsigned i = 0; i < count; i++) {
        struct subject s = {.slow = strcmp(ops[i]->tier, "c") == 0};
        ref_random(s.bytes, sizeof s.bytes);
        assert_int_equal(oct_sm4_key_init_on(ops[i]->sm4, &s.key, s.bytes), OCT_OK);
        test(&s);
        oct_sm4_key_clear(&s.key);
        for (size_t j = 0; j < sizeof s.key; j++)
            assert_int_equal(s.key.opaque[j], 0);
    }
}

/* Text at the beginning or at the end of a room; in place, or into the other room. */
static void check_ctr(struct subject *s, const uint8_t iv[16], size_t len, int at_end, int in_place)
{
    uint8_t counter[16], expected[16];
    uint8_t *in = room[0] + (at_end ? ROOM - len : 0), *out = in_place ? in : room[1] + (at_end ? ROOM - len : 0);
    uint64_t carry = (len + 15) / 16;
    memcpy(counter, iv, 16);
    memcpy(expected, iv, 16);
    for (int i = 15; i >= 0; i--, carry >>= 8)
        expected[i] = (uint8_t)(carry += expected[i]);
    ref_sm4_mode("SM4-CTR", 1, s->bytes, iv, text, len, want);
    memcpy(in, text, len);
    assert_int_equal(oct_sm4_ctr(&s->key, counter, in, len, out), OCT_OK);
    assert_memory_equal(out, want, len);
    assert_memory_equal(counter, expected, 16);
}

static void ctr(struct subject *s)
{
    uint8_t iv[16];
    for (size_t len = 0; len <= 1100; len += s->slow ? 1 + len / 30 : 1) {
        ref_random(iv, sizeof iv);
        check_ctr(s, iv, len, len & 1, len >> 1 & 1);
    }
    for (size_t len = 1500; len < ROOM; len += s->slow ? 3000 : 333)
        check_ctr(s, iv, len, len & 1, len >> 1 & 1);
    /* The last 4 bytes run over, or all of them, before, within and behind sets. */
    for (unsigned ahead = 0; ahead < 80; ahead += s->slow ? 13 : 1) {
        memset(iv, 0xff, 16);
        iv[15] = (uint8_t)(255 - ahead);
        check_ctr(s, iv, 1300, 0, 0);
        iv[11] = 7;
        check_ctr(s, iv, 1300, 1, 1);
    }
}

/* Texts of random lengths next to each other in a room, `shared` of them of one length. */
static size_t make_texts(struct oct_sm4_cbc *list, uint8_t (*iv)[16], size_t count, size_t shared, int in_place)
{
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t len = i < shared ? 160 : 16 * ref_below(20);
        if (at + len > ROOM)
            return i;
        list[i] = (struct oct_sm4_cbc){iv[i], room[0] + at, len, room[in_place ? 0 : 1] + at};
        at += len;
    }
    return count;
}

static void check_cbc(struct subject *s, size_t count, size_t shared, int in_place)
{
    struct oct_sm4_cbc list[MANY], back[MANY];
    uint8_t iv[MANY][16], used[MANY][16];
    ref_random(iv[0], sizeof iv);
    memcpy(used, iv, sizeof iv);
    memcpy(room[0], text, ROOM);
    count = make_texts(list, iv, count, shared, in_place);
    assert_int_equal(oct_sm4_cbc_encrypt(&s->key, list, count), OCT_OK);
    for (size_t i = 0; i < count; i++) {
        const size_t at = (size_t)(list[i].in - room[0]), len = list[i].len;
        ref_sm4_mode("SM4-CBC", 1, s->bytes, used[i], text + at, len, want);
        assert_memory_equal(list[i].out, want, len);
        assert_memory_equal(iv[i], len ? want + len - 16 : used[i], 16);
        back[i] = (struct oct_sm4_cbc){used[i], list[i].out, len, room[in_place ? 0 : 1] + at};
    }
    assert_int_equal(oct_sm4_cbc_decrypt(&s->key, back, count), OCT_OK);
    for (size_t i = 0; i < count; i++)
        assert_memory_equal(back[i].out, text + (list[i].in - room[0]), back[i].len);
    assert_memory_equal(used, iv, count * sizeof iv[0]);
}

static void cbc(struct subject *s)
{
    for (size_t count = 0; count <= MANY; count += s->slow ? 7 : 1)
        for (int in_place = 0; in_place < 2; in_place++) {
            check_cbc(s, count, 0, in_place);
            check_cbc(s, count, count, in_place);
        }
    /* One text of each length, decrypted at the edge of memory; what came last is in the vector. */
    for (size_t len = 16; len <= 3000; len += s->slow ? 496 : 16)
        for (int in_place = 0; in_place < 2; in_place++) {
            uint8_t iv[16], last[16];
            ref_random(iv, sizeof iv);
            memcpy(last, iv, 16);
            ref_sm4_mode("SM4-CBC", 1, s->bytes, iv, text, len, want);
            uint8_t *in = room[0] + ROOM - len, *out = room[in_place ? 0 : 1] + ROOM - len;
            memcpy(in, want, len);
            const struct oct_sm4_cbc one = {last, in, len, out};
            assert_int_equal(oct_sm4_cbc_decrypt(&s->key, &one, 1), OCT_OK);
            assert_memory_equal(out, text, len);
            assert_memory_equal(last, want + len - 16, 16);
        }
}

/* Records of mixed lengths side by side, each at a place of its own; then opened, one of them forged. */
static void check_ccm(struct subject *s, size_t nonce_len, size_t tag_len, size_t count, size_t longest)
{
    struct oct_sm4_ccm record[MANY];
    uint8_t nonce[MANY][13], tag[MANY][16], want_tag[16];
    const size_t bad = count ? ref_below(count) : 0;
    ref_random(nonce[0], sizeof nonce);
    for (size_t i = 0; i < count; i++) {
        const size_t len = ref_below(longest + 1), aad_len = ref_below(4) ? ref_below(80) : 0;
        uint8_t *at = room[0] + i * (ROOM / MANY);
        memcpy(at, text, len);
        record[i] = (struct oct_sm4_ccm){nonce[i], text + 77, aad_len, at, len, at, tag[i], -1};
    }
    assert_int_equal(oct_sm4_ccm_seal(&s->key, nonce_len, tag_len, record, count), OCT_OK);
    for (size_t i = 0; i < count; i++) {
        const struct ref_sm4 r = {s->bytes, nonce[i],      nonce_len, text + 77, record[i].aad_len,
                                  text,     record[i].len, want,      want_tag,  tag_len};
        ref_sm4_ccm(&r);
        assert_memory_equal(record[i].out, want, record[i].len);
        assert_memory_equal(tag[i], want_tag, tag_len);
        assert_int_equal(record[i].status, OCT_OK);
    }
    tag[bad][ref_below(tag_len)] ^= (uint8_t)(1u << ref_below(8));
    assert_int_equal(oct_sm4_ccm_open(&s->key, nonce_len, tag_len, record, count), count ? OCT_ERR_AUTH : OCT_OK);
    for (size_t i = 0; i < count; i++) {
        static const uint8_t zero[ROOM];
        assert_int_equal(record[i].status, i == bad ? OCT_ERR_AUTH : OCT_OK);
        assert_memory_equal(record[i].out, i == bad ? zero : text, record[i].len);
    }
}

static void ccm(struct subject *s)
{
    for (size_t nonce_len = 7; nonce_len <= 13; nonce_len++)
        for (size_t tag_len = 4; tag_len <= 16; tag_len += 2)
            check_ccm(s, nonce_len, tag_len, s->slow ? 2 : 5, s->slow ? 40 : 200);
    for (size_t count = 0; count <= MANY; count += s->slow ? 13 : 1)
        check_ccm(s, 12, 16, count, ROOM / MANY);
    /* Additional data whose length takes six bytes: what comes of it has to open again, and not with a byte less. */
    if (s->slow)
        return;
    uint8_t *aad = calloc(1, 0xff00 + 5), tag[16];
    struct oct_sm4_ccm one = {text, aad, 0xff00 + 5, text, 100, want, tag, 0};
    assert_int_equal(oct_sm4_ccm_seal(&s->key, 12, 16, &one, 1), OCT_OK);
    one.in = want;
    assert_int_equal(oct_sm4_ccm_open(&s->key, 12, 16, &one, 1), OCT_OK);
    assert_memory_equal(want, text, 100);
    one.aad_len--;
    assert_int_equal(oct_sm4_ccm_open(&s->key, 12, 16, &one, 1), OCT_ERR_AUTH);
    free(aad);
}

static void test_ctr(void **state)
{
    (void)state;
    everywhere(ctr);
}
static void test_cbc(void **state)
{
    (void)state;
    everywhere(cbc);
}
static void test_ccm(void **state)
{
    (void)state;
    everywhere(ccm);
}

/* Bad arguments write nothing. */
static void arguments(struct subject *s)
{
    uint8_t iv[16] = {1}, out[32] = {7}, tag[16] = {7};
    struct oct_sm4_cbc list[2] = {{iv, text, 16, out}, {iv, text, 17, out}};
    struct oct_sm4_ccm record = {iv, NULL, 0, text, 16, out, tag, 0};
    assert_int_equal(oct_sm4_key_init_on(NULL, &s->key, s->bytes), OCT_ERR_UNSUPPORTED);
    assert_int_equal(oct_sm4_key_init(NULL, s->bytes), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_sm4_key_init(&s->key, NULL), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_sm4_ctr(NULL, iv, text, 16, out), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_sm4_ctr(&s->key, iv, NULL, 16, out), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_sm4_cbc_encrypt(&s->key, list, 2), OCT_ERR_LENGTH);
    assert_int_equal(oct_sm4_cbc_decrypt(&s->key, list, 2), OCT_ERR_LENGTH);
    list[1].iv = NULL;
    assert_int_equal(oct_sm4_cbc_encrypt(&s->key, list, 2), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_sm4_cbc_encrypt(&s->key, NULL, 1), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_sm4_ccm_seal(&s->key, 6, 16, &record, 1), OCT_ERR_LENGTH);
    assert_int_equal(oct_sm4_ccm_seal(&s->key, 14, 16, &record, 1), OCT_ERR_LENGTH);
    assert_int_equal(oct_sm4_ccm_seal(&s->key, 12, 5, &record, 1), OCT_ERR_LENGTH);
    assert_int_equal(oct_sm4_ccm_open(&s->key, 12, 2, &record, 1), OCT_ERR_LENGTH);
    record.len = 65536;
    assert_int_equal(oct_sm4_ccm_seal(&s->key, 13, 16, &record, 1), OCT_ERR_LENGTH);
    record.in = NULL;
    assert_int_equal(oct_sm4_ccm_seal(&s->key, 12, 16, &record, 1), OCT_ERR_ARGUMENT);
    assert_int_equal(out[0], 7);
    assert_int_equal(tag[0], 7);
    assert_int_equal(iv[0], 1);
}
static void test_arguments(void **state)
{
    (void)state;
    everywhere(arguments);
}

static int setup(void **state)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    (void)state;
    for (int i = 0; i < 2; i++) {
        uint8_t *p = mmap(NULL, ROOM + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        assert_ptr_not_equal(p, MAP_FAILED);
        assert_int_equal(mprotect(p + page, ROOM, PROT_READ | PROT_WRITE), 0);
        room[i] = p + page;
    }
    ref_random(text, sizeof text);
    return 0;
}

int main(void)
{
    return RUN_TESTS(setup, NULL, test_ctr, test_cbc, test_ccm, test_arguments);
}
