/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * SM4 on many texts and records at once against libcrypto's blocks, every tier that this CPU has: any number of them,
 * of one length and of mixed ones, under one key and under keys of their own, in place or not, counters that run over,
 * forged records. Each text lies at the edge of memory that cannot be touched.
 */
#include "aead_ref.h"
#include "sm4_ref.h"

#include "api/cipher/aead_internal.h"
#include "api/cipher/sm4_internal.h"

#include <octuple/octuple.h>

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>
#include "run_tests.h"

#define MANY 40   /* more than go side by side */
#define ROOM 4096 /* of a text, with a page behind it that cannot be touched */
#define KEYS 17

/* Keys on a tier. */
struct subject {
    struct oct_sm4_key key[KEYS];
    struct oct_aead_key gcm[KEYS], ccm[KEYS];
    uint8_t bytes[KEYS][16];
    int slow;
};

static uint8_t text[ROOM], want[ROOM];
static uint8_t *in_room[MANY], *out_room[MANY];
static struct subject subject;

static const struct oct_aead_ops *tier(int aead, unsigned i)
{
    const struct oct_aead_ops *ops[OCT_AEAD_TIERS];
    return i < oct_aead_runnable(aead, ops) ? ops[i] : NULL;
}

static void everywhere(void (*test)(struct subject *s))
{
    const struct oct_aead_ops *ops;
    for (unsigned i = 0; (ops = tier(OCT_AEAD_SM4_CCM, i)) != NULL; i++) {
        struct subject *s = &subject;
        s->slow = strcmp(ops->tier, "c") == 0;
        ref_random(s->bytes[0], sizeof s->bytes);
        for (int k = 0; k < KEYS; k++) {
            assert_int_equal(oct_sm4_key_init_on(ops->sm4, &s->key[k], s->bytes[k]), OCT_OK);
            assert_int_equal(oct_aead_key_init_on(ops, &s->ccm[k], OCT_AEAD_SM4_CCM, s->bytes[k], 16), OCT_OK);
            assert_int_equal(
                oct_aead_key_init_on(tier(OCT_AEAD_SM4_GCM, i), &s->gcm[k], OCT_AEAD_SM4_GCM, s->bytes[k], 16), OCT_OK);
        }
        test(s);
    }
}

/* How texts of a call are made. */
struct shape {
    size_t count, longest, whole; /* lengths are multiples of `whole` */
    int equal, one_key, in_place;
};

static size_t length(const struct shape *shape, size_t i)
{
    const size_t n = shape->equal ? shape->longest : ref_below(i % 3 ? shape->longest + 1 : 81);
    return (n < shape->longest ? n : shape->longest) / shape->whole * shape->whole;
}

/* A text that ends where memory does, and where it goes to. */
static const uint8_t *place(const struct shape *shape, size_t i, size_t len, uint8_t **out)
{
    uint8_t *in = in_room[i] + ROOM - len;
    memcpy(in, text, len);
    *out = shape->in_place ? in : out_room[i] + ROOM - len;
    return in;
}

static void shapes(struct subject *s, size_t whole, void (*check)(struct subject *s, const struct shape *shape))
{
    static const size_t lengths[] = {0, 16, 48, 64, 80, 256, 320, 608, 640, 1040, 1440, 3000};
    for (size_t count = 0; count <= MANY; count += s->slow ? 13 : count < 18 ? 1 : 11)
        for (size_t i = 0; i < (s->slow ? 6 : sizeof lengths / sizeof lengths[0]); i++)
            for (int bits = 0; bits < 8; bits += s->slow ? 3 : 1)
                check(s, &(struct shape){count, lengths[i] + (whole == 1 ? i : 0), whole, bits & 1, bits >> 1 & 1,
                                         bits >> 2 & 1});
}

static void check_ctr(struct subject *s, const struct shape *shape)
{
    struct oct_sm4_ctr_text list[MANY];
    const struct oct_sm4_key *key[MANY];
    uint8_t counter[MANY][16], first[MANY][16];
    ref_random(counter[0], sizeof counter);
    for (size_t i = 0; i < shape->count; i++) {
        list[i] = (struct oct_sm4_ctr_text){.counter = counter[i], .len = length(shape, i)};
        list[i].in = place(shape, i, list[i].len, &list[i].out);
        key[i] = &s->key[shape->one_key ? 0 : i % KEYS];
        if (i % 4 == 1)
            memset(counter[i] + 8, 0xff, 7);
        memcpy(first[i], counter[i], 16);
    }
    assert_int_equal(oct_sm4_ctr_many(key, list, shape->count), OCT_OK);
    for (size_t i = 0; i < shape->count; i++) {
        uint64_t carry = (list[i].len + 15) / 16;
        ref_sm4_mode("SM4-CTR", 1, s->bytes[key[i] - s->key], first[i], text, list[i].len, want);
        assert_memory_equal(list[i].out, want, list[i].len);
        for (int j = 15; j >= 0; j--, carry >>= 8)
            first[i][j] = (uint8_t)(carry += first[i][j]);
        assert_memory_equal(counter[i], first[i], 16);
    }
}

static void check_cbc(struct subject *s, const struct shape *shape)
{
    struct oct_sm4_cbc list[MANY];
    const struct oct_sm4_key *key[MANY];
    uint8_t iv[MANY][16], first[MANY][16];
    ref_random(iv[0], sizeof iv);
    memcpy(first, iv, sizeof iv);
    for (size_t i = 0; i < shape->count; i++) {
        list[i] = (struct oct_sm4_cbc){.iv = iv[i], .len = length(shape, i)};
        list[i].in = place(shape, i, list[i].len, &list[i].out);
        key[i] = &s->key[shape->one_key ? 0 : i % KEYS];
    }
    assert_int_equal(oct_sm4_cbc_encrypt_many(key, list, shape->count), OCT_OK);
    for (size_t i = 0; i < shape->count; i++) {
        const size_t len = list[i].len;
        ref_sm4_mode("SM4-CBC", 1, s->bytes[key[i] - s->key], first[i], text, len, want);
        assert_memory_equal(list[i].out, want, len);
        assert_memory_equal(iv[i], len ? want + len - 16 : first[i], 16);
        memcpy(in_room[i] + ROOM - len, want, len);
        memcpy(iv[i], first[i], 16);
    }
    assert_int_equal(oct_sm4_cbc_decrypt_many(key, list, shape->count), OCT_OK);
    for (size_t i = 0; i < shape->count; i++) {
        ref_sm4_mode("SM4-CBC", 1, s->bytes[key[i] - s->key], first[i], text, list[i].len, want);
        assert_memory_equal(list[i].out, text, list[i].len);
        assert_memory_equal(iv[i], list[i].len ? want + list[i].len - 16 : first[i], 16);
    }
}

/* --- records */

static uint8_t nonce[MANY][12], tag[MANY][16];
static int mixed; /* SM4-GCM and SM4-CCM in one call, and a cipher of another family */
static struct oct_aead_key aes;

static size_t make_records(struct subject *s, const struct shape *shape, struct oct_aead_many *record)
{
    ref_random(nonce[0], sizeof nonce);
    for (size_t i = 0; i < shape->count; i++) {
        struct oct_aead_many *r = &record[i];
        const size_t k = shape->one_key ? 0 : i % KEYS;
        *r = (struct oct_aead_many){.nonce = nonce[i], .aad = text + 77, .tag = tag[i], .status = -1};
        r->key = mixed && i % 5 == 4 ? &aes : mixed && i % 2 ? &s->ccm[k] : &s->gcm[k];
        r->aad_len = ref_below(4) ? ref_below(i % 7 == 3 ? 700 : 80) : 0;
        r->len = length(shape, i);
        r->in = place(shape, i, r->len, &r->out);
    }
    return shape->count ? ref_below(shape->count) : 0;
}

/* What libcrypto, or the standard as the reference writes it, makes of a record. */
static void expected(struct subject *s, const struct oct_aead_many *r, uint8_t want_tag[16])
{
    const struct oct_aead_key *gcm = s->gcm, *ccm = s->ccm;
    const int is_ccm = oct_aead_key_aead(r->key) == OCT_AEAD_SM4_CCM;
    if (r->key == &aes) {
        assert_int_equal(oct_aead_seal(&aes, r->nonce, r->aad, r->aad_len, text, r->len, want, want_tag), OCT_OK);
        return;
    }
    const uint8_t *bytes = s->bytes[is_ccm ? r->key - ccm : r->key - gcm];
    const struct ref_sm4 ref = {bytes, r->nonce, 12, r->aad, r->aad_len, text, r->len, want, want_tag, 16};
    (is_ccm ? ref_sm4_ccm : ref_sm4_gcm)(&ref);
}

static void check_records(struct subject *s, const struct shape *shape)
{
    static const uint8_t zero[ROOM];
    struct oct_aead_many record[MANY];
    const size_t bad = make_records(s, shape, record);
    assert_int_equal(oct_aead_seal_many(record, shape->count), OCT_OK);
    for (size_t i = 0; i < shape->count; i++) {
        uint8_t want_tag[16];
        expected(s, &record[i], want_tag);
        assert_memory_equal(record[i].out, want, record[i].len);
        assert_memory_equal(tag[i], want_tag, 16);
        assert_int_equal(record[i].status, OCT_OK);
        memcpy(in_room[i] + ROOM - record[i].len, want, record[i].len);
        record[i].status = -1;
    }
    tag[bad][ref_below(16)] ^= (uint8_t)(1u << ref_below(8));
    assert_int_equal(oct_aead_open_many(record, shape->count), shape->count ? OCT_ERR_AUTH : OCT_OK);
    for (size_t i = 0; i < shape->count; i++) {
        assert_int_equal(record[i].status, i == bad ? OCT_ERR_AUTH : OCT_OK);
        assert_memory_equal(record[i].out, i == bad ? zero : text, record[i].len);
    }
}

static void ctr(struct subject *s)
{
    shapes(s, 1, check_ctr);
}
static void cbc(struct subject *s)
{
    shapes(s, 16, check_cbc);
}
static void gcm(struct subject *s)
{
    mixed = 0;
    shapes(s, 1, check_records);
}
static void all_aeads(struct subject *s)
{
    mixed = 1;
    shapes(s, 1, check_records);
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
static void test_gcm(void **state)
{
    (void)state;
    everywhere(gcm);
}
static void test_all_aeads(void **state)
{
    (void)state;
    everywhere(all_aeads);
}

/* Bad arguments write nothing. */
static void arguments(struct subject *s)
{
    uint8_t iv[16] = {1}, out[32] = {7}, a_tag[16] = {7};
    const struct oct_sm4_key *key[2] = {&s->key[0], NULL};
    struct oct_sm4_ctr_text counted[2] = {{iv, text, 16, out}, {iv, text, 16, out}};
    struct oct_sm4_cbc chained[2] = {{iv, text, 16, out}, {iv, text, 16, out}};
    struct oct_aead_many record[2] = {{&s->gcm[0], iv, NULL, 0, text, 16, out, a_tag, 5},
                                      {&s->gcm[0], iv, NULL, 1, text, 16, out, a_tag, 5}};
    assert_int_equal(oct_sm4_ctr_many(key, counted, 2), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_sm4_ctr_many(NULL, counted, 1), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_sm4_ctr_many(key, NULL, 1), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_sm4_ctr_many(NULL, NULL, 0), OCT_OK);
    assert_int_equal(oct_sm4_cbc_encrypt_many(key, chained, 2), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_sm4_cbc_decrypt_many(key, chained, 2), OCT_ERR_ARGUMENT);
    counted[0].counter = NULL;
    assert_int_equal(oct_sm4_ctr_many(key, counted, 1), OCT_ERR_ARGUMENT);
    chained[0].len = 17;
    assert_int_equal(oct_sm4_cbc_decrypt_many(key, chained, 1), OCT_ERR_LENGTH);
    assert_int_equal(oct_aead_seal_many(record, 2), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_aead_open_many(record, 2), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_aead_seal_many(NULL, 1), OCT_ERR_ARGUMENT);
    record[1].key = &s->ccm[0];
    record[1].aad_len = 0;
    record[1].len = (size_t)1 << 24;
    assert_int_equal(oct_aead_seal_many(record, 2), OCT_ERR_LENGTH);
    record[1].key = NULL;
    assert_int_equal(oct_aead_open_many(record, 2), OCT_ERR_ARGUMENT);
    assert_int_equal(out[0], 7);
    assert_int_equal(a_tag[0], 7);
    assert_int_equal(record[0].status, 5);
    assert_int_equal(iv[0], 1);
}
static void test_arguments(void **state)
{
    (void)state;
    everywhere(arguments);
}

/* A room between pages that cannot be touched. */
static uint8_t *guarded(void)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    uint8_t *p = mmap(NULL, ROOM + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(p, MAP_FAILED);
    assert_int_equal(mprotect(p + page, ROOM, PROT_READ | PROT_WRITE), 0);
    return p + page;
}

static int setup(void **state)
{
    uint8_t bytes[16] = {5};
    (void)state;
    for (int i = 0; i < MANY; i++) {
        in_room[i] = guarded();
        out_room[i] = guarded();
    }
    ref_random(text, sizeof text);
    return oct_aead_key_init_on(tier(OCT_AEAD_AES_128_GCM, 0), &aes, OCT_AEAD_AES_128_GCM, bytes, 16);
}

int main(void)
{
    return RUN_TESTS(setup, NULL, test_ctr, test_cbc, test_gcm, test_all_aeads, test_arguments);
}
