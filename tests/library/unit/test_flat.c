/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* ctest: RUNS tables LINKS oct_test_references TIMEOUT 300 */
/*
 * Operations by name and in flat bytes: names, sizes, whole uses of each family on the table that the environment
 * chose, and what is refused. A result is right if another operation leads back from it, or the family's own call gives
 * the same.
 */
#include "unit.h"

#include "depth.h"
#include "rsa_keys.h"

#include <octuple/octuple.h>

#include <stdbool.h>

static struct oct_lanes result;

static void test_names(void **state)
{
    (void)state;
    for (int op = 0; op < OCT_OP_COUNT; op++)
        assert_int_equal(oct_op_find(oct_op_name(op)), op);
    const char *const none[] = {NULL, "", "rsa2048", "rsa2048-private ", "RSA2048-PRIVATE", "on"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        assert_int_equal(oct_op_find(none[i]), -1);
    assert_null(oct_op_name(-1));
    for (int aead = 0; aead < OCT_AEAD_COUNT; aead++)
        assert_int_equal(oct_aead_find(oct_aead_name(aead)), aead);
    assert_int_equal(oct_aead_find(NULL), -1);
    assert_int_equal(oct_aead_find("aes-128-ccm"), -1);
    assert_int_equal(oct_op_is_on(-1), 0);
}

static void expect_form(const char *name, size_t key, size_t in, size_t more, size_t out)
{
    struct oct_flat_form form;
    assert_int_equal(oct_flat_form_get(oct_op_find(name), &form), OCT_OK);
    assert_int_equal(form.lanes, OCT_LANES);
    assert_int_equal(form.key, key);
    assert_int_equal(form.in, in);
    assert_int_equal(form.more, more);
    assert_int_equal(form.out, out);
}

static void test_forms(void **state)
{
    struct oct_flat_form form = {.out = 7};
    (void)state;
    expect_form("rsa2048-private", 256 + 5 * 128 + 8, 256, 0, 256);
    expect_form("rsa4096-private", 512 + 5 * 256 + 8, 512, 0, 512);
    expect_form("rsa3072-keygen", 0, 0, 0, 2 * 384 + 5 * 192);
    expect_form("x25519-derive", 0, 64, 0, 32);
    expect_form("x25519-keygen", 0, 0, 0, 64);
    expect_form("p256-derive", 0, 96, 0, 32);
    expect_form("p384-keygen", 0, 0, 0, 144);
    expect_form("p256-sign", 0, 32, 64, 64);
    expect_form("sm2-verify", 0, 128, 64, 0);
    expect_form("ed25519-sign", 32, 0, OCT_ED25519_MESSAGE_LIMIT - 1, 64);
    expect_form("ed25519-verify", 0, 96, OCT_ED25519_MESSAGE_LIMIT - 1, 0);
    assert_int_equal(oct_flat_form_get(-1, &form), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_flat_form_get(OCT_OP_COUNT, &form), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_flat_form_get(OCT_OP_X25519_DERIVE, NULL), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_flat_form_get(OCT_OP_SM3, &form), OCT_ERR_UNSUPPORTED);
    assert_int_equal(form.out, 7);
}

static void needs(int op)
{
    if (!oct_op_is_on(op)) {
        print_message("skipped: %s is off here\n", oct_op_name(op));
        skip();
    }
}

/* Eight pairs, of `pair` bytes each. */
static void make_pairs(const char *name, uint8_t *pairs)
{
    assert_int_equal(oct_flat_run(oct_op_find(name), OCT_LANES, NULL, NULL, NULL, pairs, &result), OCT_OK);
    assert_int_equal(result.ok, 0xff);
    assert_int_equal(result.invalid, 0);
}

/* The private key of lane i with the public key of lane j; `own` and `other` are their lengths. */
static void put_keys(uint8_t *to, const uint8_t *pairs, unsigned i, unsigned j, size_t own, size_t other)
{
    memcpy(to, pairs + i * (own + other), own);
    memcpy(to + own, pairs + j * (own + other) + own, other);
}

/* Lane i derives with the next lane's key, and the next with its own; some lanes only, and each alone too. */
static void derive(const char *keygen, const char *name, size_t own, size_t other)
{
    enum { SOME = 5 };
    const int op = oct_op_find(name);
    const size_t whole = own + other, len[SOME] = {whole, whole, whole, whole, whole};
    uint8_t pairs[OCT_LANES * 144], there[SOME * 144], back[SOME * 144], a[SOME * 48], b[SOME * 48], alone[48];
    needs(op);
    make_pairs(keygen, pairs);
    for (unsigned i = 0; i < SOME; i++) {
        put_keys(there + i * whole, pairs, i, i + 1, own, other);
        put_keys(back + i * whole, pairs, i + 1, i, own, other);
    }
    assert_int_equal(oct_flat_run(op, SOME, NULL, there, len, a, &result), OCT_OK);
    assert_int_equal(result.ok, (1u << SOME) - 1);
    assert_int_equal(oct_flat_run(op, SOME, NULL, back, len, b, &result), OCT_OK);
    assert_memory_equal(a, b, SOME * own);
    for (unsigned i = 0; i < SOME; i++) {
        assert_int_equal(oct_flat_combine(op, NULL, there + i * whole, whole, alone, &result), OCT_OK);
        assert_int_equal(result.ok, 1);
        assert_memory_equal(alone, a + i * own, own);
    }
    memset(there + whole + own, 0, other); /* lane 1: no key */
    assert_int_equal(oct_flat_run(op, SOME, NULL, there, len, a, &result), OCT_OK);
    assert_int_equal(result.invalid, 2);
    for (unsigned i = 0; i < own; i++)
        assert_int_equal(a[own + i], 0);
    assert_int_equal(oct_flat_combine(op, NULL, there + whole, whole, alone, &result), OCT_OK);
    assert_int_equal(result.invalid, 1);
}

static void test_derive(void **state)
{
    (void)state;
    derive("x25519-keygen", "x25519-derive", 32, 32);
    derive("p256-keygen", "p256-derive", 32, 64);
    derive("p384-keygen", "p384-derive", 48, 96);
    derive("sm2-keygen", "sm2-derive", 32, 64);
}

/* Signs eight digests of different lengths where the scheme takes them, and verifies them with one of them changed. */
static void sign_and_verify(const char *curve, size_t bytes, bool any_length)
{
    char name[32];
    uint8_t pairs[OCT_LANES * 144], in[OCT_LANES * 256] = {0}, signature[OCT_LANES * 96], checked[OCT_LANES * 256];
    size_t len[OCT_LANES], from = 0, to = 0;
    snprintf(name, sizeof name, "%s-keygen", curve);
    make_pairs(name, pairs);
    for (unsigned i = 0; i < OCT_LANES; i++) {
        len[i] = bytes + (any_length ? 1 + 9 * i : 32);
        memcpy(in + from, pairs + i * 3 * bytes, bytes);
        memset(in + from + bytes, (int)i, len[i] - bytes);
        from += len[i];
    }
    snprintf(name, sizeof name, "%s-sign", curve);
    assert_int_equal(oct_flat_run(oct_op_find(name), OCT_LANES, NULL, in, len, signature, &result), OCT_OK);
    assert_int_equal(result.ok, 0xff);
    for (unsigned i = 0; i < OCT_LANES; i++) {
        memcpy(checked + to, pairs + i * 3 * bytes + bytes, 2 * bytes);
        memcpy(checked + to + 2 * bytes, signature + i * 2 * bytes, 2 * bytes);
        memset(checked + to + 4 * bytes, i == 3 ? 99 : (int)i, len[i] - bytes);
        len[i] += 3 * bytes;
        to += len[i];
    }
    snprintf(name, sizeof name, "%s-verify", curve);
    assert_int_equal(oct_flat_run(oct_op_find(name), OCT_LANES, NULL, checked, len, NULL, &result), OCT_OK);
    assert_int_equal(result.ok, 0xf7);
    assert_int_equal(result.invalid, 8);
}

static void test_ecdsa(void **state)
{
    (void)state;
    needs(OCT_OP_P256_SIGN);
    sign_and_verify("p256", 32, true);
    sign_and_verify("p384", 48, true);
    sign_and_verify("sm2", 32, false);
}

static void test_ed25519(void **state)
{
    const int sign = oct_op_find("ed25519-sign"), verify = oct_op_find("ed25519-verify");
    const size_t len[3] = {0, 1, 300};
    uint8_t seed[32] = {1, 2, 3}, message[301], signature[3 * 64], in[3 * 96 + 301];
    const struct oct_flat_key *key[3];
    struct oct_flat_key *made;
    struct oct_ed25519_key *own;
    size_t at = 0, lens[3];
    (void)state;
    needs(sign);
    memset(message, 7, sizeof message);
    assert_int_equal(oct_ed25519_key_new(&own, seed), OCT_OK);
    assert_int_equal(oct_flat_key_new(&made, sign, seed, sizeof seed), OCT_OK);
    key[0] = key[1] = key[2] = made;
    assert_int_equal(oct_flat_run(sign, 3, key, message, len, signature, &result), OCT_OK);
    assert_int_equal(result.ok, 7);
    for (unsigned i = 0; i < 3; i++) {
        memcpy(in + at, oct_ed25519_key_public(own), 32);
        memcpy(in + at + 32, signature + i * 64, 64);
        memset(in + at + 96, 7, len[i]);
        lens[i] = 96 + len[i];
        at += lens[i];
    }
    in[96 + 32] ^= 1; /* in lane 1's signature */
    assert_int_equal(oct_flat_run(verify, 3, NULL, in, lens, NULL, &result), OCT_OK);
    assert_int_equal(result.ok, 5);
    assert_int_equal(result.invalid, 2);
    oct_ed25519_key_free(own);
    oct_flat_key_free(made);
}

/* A flat key of numbers that libcrypto, or a lane, has made. */
static struct oct_flat_key *rsa_key(int op, const struct oct_rsa_numbers *numbers)
{
    uint8_t bytes[512 * 7 / 2 + 8], *p = bytes;
    const struct oct_bytes part[] = {numbers->n,  numbers->p,    numbers->q, numbers->dp,
                                     numbers->dq, numbers->qinv, numbers->e};
    const size_t whole = numbers->n.len;
    struct oct_flat_key *key = NULL;
    for (size_t i = 0; i < 7; i++) {
        const size_t room = i == 0 ? whole : i < 6 ? whole / 2 : 8;
        memset(p, 0, room);
        memcpy(p + room - part[i].len, part[i].data, part[i].len);
        p += room;
    }
    assert_int_equal(oct_flat_key_new(&key, op, bytes, (size_t)(p - bytes)), OCT_OK);
    assert_int_equal(oct_flat_key_new(&key, op, bytes, (size_t)(p - bytes) - 1), OCT_ERR_LENGTH);
    return key;
}

static void rsa_private(const char *name, unsigned bits)
{
    enum { SOME = 3 };
    const int op = oct_op_find(name);
    const size_t bytes = bits / 8, len[SOME] = {bytes, bytes, bytes};
    static struct test_rsa made;
    uint8_t in[SOME * 512], out[SOME * 512], again[512];
    test_rsa_make(&made, bits, 65537);
    struct oct_flat_key *own = rsa_key(op, &made.numbers);
    const struct oct_flat_key *const key[SOME] = {own, own, own};
    for (unsigned i = 0; i < SOME; i++)
        test_rsa_below_n(in + i * bytes, bytes, &made);
    memcpy(in + bytes, made.numbers.n.data, bytes); /* lane 1: not below n */
    assert_int_equal(oct_flat_run(op, SOME, key, in, len, out, &result), OCT_OK);
    assert_int_equal(result.ok, 5);
    assert_int_equal(result.invalid, 2);
    for (unsigned i = 0; i < SOME; i += 2) {
        test_rsa_power(again, out + i * bytes, bytes, made.e, made.n);
        assert_memory_equal(again, in + i * bytes, bytes);
    }
    assert_int_equal(oct_flat_combine(op, own, in, bytes, again, &result), OCT_OK);
    assert_memory_equal(again, out, bytes);
    oct_flat_key_free(own);
    test_rsa_free(&made);
}

static void test_rsa_keys(void **state)
{
    (void)state;
    needs(OCT_OP_RSA2048_PRIVATE);
    rsa_private("rsa2048-private", 2048);
    if (depth_is_quick()) /* the sizes share their sources */
        return;
    rsa_private("rsa3072-private", 3072);
    rsa_private("rsa4096-private", 4096);
}

/* The new key undoes its own private operation. */
static void test_rsa_keygen(void **state)
{
    enum { WHOLE = 256, HALF = 128 };
    const int op = oct_op_find("rsa2048-private");
    uint8_t out[2 * WHOLE + 5 * HALF], in[WHOLE] = {0, 1, 2}, signature[WHOLE], again[WHOLE], exponent[] = {1, 0, 1};
    const uint8_t *p = out + 2 * WHOLE;
    const struct oct_rsa_numbers numbers = {.n = {out, WHOLE},
                                            .e = {exponent, sizeof exponent},
                                            .p = {p, HALF},
                                            .q = {p + HALF, HALF},
                                            .dp = {p + 2 * HALF, HALF},
                                            .dq = {p + 3 * HALF, HALF},
                                            .qinv = {p + 4 * HALF, HALF}};
    const size_t len = WHOLE;
    struct oct_rsa_key *public;
    (void)state;
    needs(OCT_OP_RSA2048_KEYGEN);
    assert_int_equal(oct_flat_run(oct_op_find("rsa2048-keygen"), 1, NULL, NULL, NULL, out, &result), OCT_OK);
    assert_int_equal(result.ok, 1);
    struct oct_flat_key *own = rsa_key(op, &numbers);
    const struct oct_flat_key *const key[1] = {own};
    assert_int_equal(oct_flat_run(op, 1, key, in, &len, signature, &result), OCT_OK);
    assert_int_equal(oct_rsa_key_new(&public, &numbers), OCT_OK);
    const struct oct_rsa_lane lane = {public, signature, again};
    assert_int_equal(oct_rsa_public_x8(&lane, 1, &result), OCT_OK);
    assert_memory_equal(again, in, WHOLE);
    oct_rsa_key_free(public);
    oct_flat_key_free(own);
}

/* Batches are counted where octuple top looks. */
static void test_counted(void **state)
{
    static struct oct_counters before, after;
    uint8_t pairs[OCT_LANES * 64];
    (void)state;
    needs(OCT_OP_X25519_KEYGEN);
    oct_counters_read(&before);
    make_pairs("x25519-keygen", pairs);
    oct_counters_read(&after);
    assert_int_equal(after.op[OCT_OP_X25519_KEYGEN].flushes[OCT_LANES - 1] -
                         before.op[OCT_OP_X25519_KEYGEN].flushes[OCT_LANES - 1],
                     1);
}

static void test_refusals(void **state)
{
    const int sign = oct_op_find("p256-sign"), ed = oct_op_find("ed25519-sign"), rsa = oct_op_find("rsa2048-private");
    const uint8_t in[256] = {1};
    uint8_t out[8 * 64];
    size_t len[OCT_LANES] = {64, 64, 64, 64, 64, 64, 64, 64};
    struct oct_flat_key *key = NULL;
    (void)state;
    assert_int_equal(oct_flat_run(-1, 1, NULL, in, len, out, &result), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_flat_run(OCT_OP_SM3, 1, NULL, in, len, out, &result), OCT_ERR_UNSUPPORTED);
    assert_int_equal(oct_flat_run(sign, 0, NULL, in, len, out, &result), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_flat_run(sign, OCT_LANES + 1, NULL, in, len, out, &result), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_flat_run(sign, 1, NULL, NULL, len, out, &result), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_flat_run(sign, 1, NULL, in, NULL, out, &result), OCT_ERR_LENGTH);
    assert_int_equal(oct_flat_run(sign, 1, NULL, in, len, NULL, &result), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_flat_run(sign, 1, NULL, in, len, out, NULL), OCT_ERR_ARGUMENT);
    const size_t wrong[] = {0, 31, 32, 97, SIZE_MAX}; /* 32: no digest */
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        len[1] = wrong[i];
        assert_int_equal(oct_flat_run(sign, 2, NULL, in, len, out, &result), OCT_ERR_LENGTH);
        assert_int_equal(oct_flat_combine(sign, NULL, in, wrong[i], out, &result), OCT_ERR_LENGTH);
    }
    assert_int_equal(oct_flat_combine(oct_op_find("p256-keygen"), NULL, NULL, 0, out, &result), OCT_ERR_UNSUPPORTED);
    assert_int_equal(oct_flat_combine(sign, NULL, in, 64, out, NULL), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_flat_run(ed, 1, NULL, in, len, out, &result), OCT_ERR_ARGUMENT); /* without a key */
    assert_int_equal(oct_flat_key_new(&key, sign, in, 32), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_flat_key_new(&key, -1, in, 32), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_flat_key_new(&key, ed, NULL, 32), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_flat_key_new(NULL, ed, in, 32), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_flat_key_new(&key, ed, in, 31), OCT_ERR_LENGTH);
    assert_null(key);
    oct_flat_key_free(NULL);
    if (oct_op_is_on(ed)) { /* a key of another operation */
        assert_int_equal(oct_flat_key_new(&key, ed, in, 32), OCT_OK);
        const struct oct_flat_key *const other[1] = {key};
        const size_t whole = 256;
        assert_int_equal(oct_flat_run(rsa, 1, other, in, &whole, out, &result), OCT_ERR_ARGUMENT);
        oct_flat_key_free(key);
    } else {
        memset(out, 5, sizeof out);
        len[0] = 64;
        assert_int_equal(oct_flat_run(sign, 1, NULL, in, len, out, &result), OCT_ERR_UNSUPPORTED);
        assert_int_equal(oct_flat_combine(sign, NULL, in, 64, out, &result), OCT_ERR_UNSUPPORTED);
        assert_int_equal(out[0], 5);
    }
}

int main(void)
{
    return RUN_TESTS(NULL, NULL, test_names, test_forms, test_derive, test_ecdsa, test_ed25519, test_rsa_keys,
                     test_rsa_keygen, test_counted, test_refusals);
}
