/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Ed25519 in lanes against libcrypto, on every table that this CPU can run: public keys, signatures byte for byte,
 * verdicts on good and spoilt ones; messages of every length around the blocks of the hash and of different lengths
 * side by side; 1 to 8 lanes, every lane position, hostile neighbours. And multiples of the base point at the edges of
 * the scalars, against plain integers.
 */
#include "api/ed25519_internal.h"
#include "ed_ref.h"
#include "tables.h"

#include <octuple/op.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include "run_tests.h"
#include <openssl/evp.h>
#include <openssl/rand.h>

#define SIGNATURE   OCT_ED25519_SIGNATURE_BYTES
#define MAX_MESSAGE 700
#define KEYS        11

static const struct oct_ops *table[OCT_OPS_TABLES];
static unsigned tables;
static EVP_PKEY *reference[KEYS];
static struct oct_ed25519_key *key[OCT_OPS_TABLES][KEYS]; /* by table */
static uint8_t message[KEYS][MAX_MESSAGE];

static int setup(void **state)
{
    (void)state;
    tables = oct_ops_runnable(table);
    ed_ref_open();
    assert_int_equal(RAND_bytes(message[0], sizeof message), 1);
    for (unsigned i = 0; i < KEYS; i++) {
        uint8_t seed[32];
        assert_int_equal(RAND_bytes(seed, sizeof seed), 1);
        if (i < 2)
            memset(seed, i ? 0xff : 0, sizeof seed);
        reference[i] = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, NULL, seed, sizeof seed);
        assert_non_null(reference[i]);
        for (unsigned t = 0; t < tables; t++)
            assert_int_equal(oct_ed25519_key_new_on(table[t], &key[t][i], seed), OCT_OK);
    }
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    for (unsigned i = 0; i < KEYS; i++) {
        EVP_PKEY_free(reference[i]);
        for (unsigned t = 0; t < tables; t++)
            oct_ed25519_key_free(key[t][i]);
    }
    ed_ref_close();
    return 0;
}

static void reference_sign(uint8_t out[SIGNATURE], unsigned k, const uint8_t *data, size_t len)
{
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    size_t out_len = SIGNATURE;
    assert_true(ctx && EVP_DigestSignInit(ctx, NULL, NULL, NULL, reference[k]) == 1);
    assert_int_equal(EVP_DigestSign(ctx, out, &out_len, data, len), 1);
    assert_int_equal(out_len, SIGNATURE);
    EVP_MD_CTX_free(ctx);
}

static int reference_verify(const uint8_t public_key[32], const uint8_t signature[SIGNATURE], const uint8_t *data,
                            size_t len)
{
    EVP_PKEY *other = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, NULL, public_key, 32);
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    assert_true(other && ctx && EVP_DigestVerifyInit(ctx, NULL, NULL, NULL, other) == 1);
    const int good = EVP_DigestVerify(ctx, signature, SIGNATURE, data, len) == 1;
    EVP_MD_CTX_free(ctx);
    EVP_PKEY_free(other);
    return good;
}

static void test_public_keys(void **state)
{
    (void)state;
    for (unsigned t = 0; t < tables; t++)
        for (unsigned i = 0; i < KEYS; i++) {
            uint8_t want[32];
            size_t len = sizeof want;
            assert_int_equal(EVP_PKEY_get_raw_public_key(reference[i], want, &len), 1);
            assert_memory_equal(oct_ed25519_key_public(key[t][i]), want, sizeof want);
        }
}

/* `lanes` signatures, message i of length len[i]; signed, compared, verified. */
static void compare(unsigned t, unsigned lanes, unsigned first_key, const size_t len[])
{
    struct oct_ed25519_sign_lane sign[OCT_LANES];
    struct oct_ed25519_verify_lane verify[OCT_LANES];
    uint8_t got[OCT_LANES][SIGNATURE], want[SIGNATURE];
    struct oct_lanes result = {0, 0xff};
    for (unsigned i = 0; i < lanes; i++) {
        const unsigned k = (first_key + 3 * i) % KEYS;
        sign[i] = (struct oct_ed25519_sign_lane){key[t][k], len[i] ? message[i] : NULL, len[i], got[i]};
        verify[i] =
            (struct oct_ed25519_verify_lane){oct_ed25519_key_public(key[t][k]), sign[i].message, len[i], got[i]};
    }
    assert_int_equal(oct_ed25519_sign_on(table[t], sign, lanes, &result), OCT_OK);
    assert_int_equal(result.ok, (1u << lanes) - 1);
    assert_int_equal(result.invalid, 0);
    for (unsigned i = 0; i < lanes; i++) {
        reference_sign(want, (first_key + 3 * i) % KEYS, message[i], len[i]);
        assert_memory_equal(got[i], want, SIGNATURE);
    }
    result = (struct oct_lanes){0, 0xff};
    assert_int_equal(oct_ed25519_verify_on(table[t], verify, lanes, &result), OCT_OK);
    assert_int_equal(result.ok, (1u << lanes) - 1);
    assert_int_equal(result.invalid, 0);
}

/* The portable table is slow. */
static unsigned rounds(unsigned t, unsigned portable, unsigned vector)
{
    return table[t] == &oct_ops_c ? portable : vector / tables_stride(table[t]);
}

static void test_sign(void **state)
{
    (void)state;
    for (unsigned t = 0; t < tables; t++)
        for (unsigned lanes = 1; lanes <= OCT_LANES; lanes++)
            for (unsigned start = 0; start < rounds(t, amount(8, 8, 3), amount(300, 100, 25)); start++) {
                size_t len[OCT_LANES];
                for (unsigned i = 0; i < OCT_LANES; i++)
                    len[i] = (start + (start % 3) * 89 * i) % MAX_MESSAGE;
                compare(t, lanes, start, len);
            }
}

/* Where the hashes' blocks begin and end: 32 or 64 bytes before the message, 17 after. */
static void test_block_edges(void **state)
{
    static const size_t edge[] = {0,  1,  46, 47, 48,  49,  63,  64,  65,  78,  79, 80,
                                  81, 95, 96, 97, 111, 112, 174, 175, 176, 191, 192};
    (void)state;
    for (unsigned t = 0; t < tables; t++)
        for (unsigned start = 0; start < OCT_ARRAY_LEN(edge); start++) {
            size_t len[OCT_LANES];
            for (unsigned i = 0; i < OCT_LANES; i++)
                len[i] = edge[(start + i) % OCT_ARRAY_LEN(edge)];
            compare(t, OCT_LANES, start, len);
        }
}

struct sample {
    uint8_t public_key[32], signature[SIGNATURE], data[64];
    size_t len;
};

static void make_sample(struct sample *s, unsigned k)
{
    s->len = 40 + k;
    memcpy(s->data, message[k], sizeof s->data);
    memcpy(s->public_key, oct_ed25519_key_public(key[0][k]), 32);
    reference_sign(s->signature, k, s->data, s->len);
}

enum { KINDS = 12 };

/* One defect of each kind; kind 0 is none. */
static void spoil(struct sample *s, unsigned kind)
{
    static const uint8_t order[32] = {0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58,       0xd6,
                                      0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14, [31] = 0x10};
    unsigned carry = 0;
    switch (kind % KINDS) {
    case 1: /* s + l: the same equation */
        for (unsigned i = 0; i < 32; i++) {
            carry += s->signature[32 + i] + order[i];
            s->signature[32 + i] = (uint8_t)carry;
            carry >>= 8;
        }
        break;
    case 2:
        s->signature[32] ^= 1;
        break;
    case 3:
        s->signature[63] ^= 0x80;
        break;
    case 4:
        s->signature[5] ^= 0x10;
        break;
    case 5: /* the other sign */
        s->signature[31] ^= 0x80;
        break;
    case 6:
        s->data[0] ^= 1;
        break;
    case 7:
        s->len--;
        break;
    case 8:
        s->public_key[31] ^= 0x80;
        break;
    case 9:
        s->public_key[7] ^= 2;
        break;
    case 10:
        memset(s->signature, 0, SIGNATURE);
        break;
    case 11:
        memset(s->public_key, 0xff, 32);
        break;
    }
}

/* What libcrypto says, too, of every kind in every lane beside every other. */
static void test_verify(void **state)
{
    (void)state;
    for (unsigned t = 0; t < tables; t++)
        for (unsigned start = 0; start < rounds(t, 2 * KINDS, amount(20, 20, 4) * KINDS); start++) {
            struct sample s[OCT_LANES];
            struct oct_ed25519_verify_lane lane[OCT_LANES];
            struct oct_lanes result = {0, 0};
            const unsigned lanes = 1 + start % OCT_LANES;
            unsigned good = 0;
            for (unsigned i = 0; i < lanes; i++) {
                const unsigned kind = (start / 2 * (1 + i) + start) % KINDS;
                make_sample(&s[i], (start + i) % KEYS);
                spoil(&s[i], kind);
                lane[i] = (struct oct_ed25519_verify_lane){s[i].public_key, s[i].data, s[i].len, s[i].signature};
                const int valid = reference_verify(s[i].public_key, s[i].signature, s[i].data, s[i].len);
                assert_int_equal(valid, kind == 0);
                good |= (unsigned)valid << i;
            }
            assert_int_equal(oct_ed25519_verify_on(table[t], lane, lanes, &result), OCT_OK);
            assert_int_equal(result.ok, good);
            assert_int_equal(result.invalid, ((1u << lanes) - 1) & ~good);
        }
}

/* A lane's signature depends neither on its place nor on what runs beside it. */
static void test_lane_independence(void **state)
{
    uint8_t want[SIGNATURE], got[OCT_LANES][SIGNATURE];
    (void)state;
    reference_sign(want, 5, message[5], 130);
    for (unsigned t = 0; t < tables; t++)
        for (unsigned place = 0; place < OCT_LANES; place++)
            for (unsigned neighbours = 0; neighbours < rounds(t, amount(KEYS, KEYS, 2), KEYS); neighbours++) {
                struct oct_ed25519_sign_lane lane[OCT_LANES];
                struct oct_lanes result;
                for (unsigned i = 0; i < OCT_LANES; i++)
                    lane[i] = (struct oct_ed25519_sign_lane){key[t][neighbours], message[i], 61 * neighbours, got[i]};
                lane[place] = (struct oct_ed25519_sign_lane){key[t][5], message[5], 130, got[place]};
                assert_int_equal(oct_ed25519_sign_on(table[t], lane, OCT_LANES, &result), OCT_OK);
                assert_memory_equal(got[place], want, SIGNATURE);
            }
}

/* --- the kernel of multiples of the base point */

static uint64_t number_bits(const BIGNUM *n, unsigned from, unsigned bits)
{
    uint64_t r = 0;
    for (unsigned i = 0; i < bits; i++)
        r |= (uint64_t)BN_is_bit_set(n, (int)(from + i)) << i;
    return r;
}

/* The eight numbers from `n` on, as the kernel reduces and multiplies them. */
static void check_base(const struct oct_ops *ops, const BIGNUM *n)
{
    static oct_limb8 wide[OCT_ED25519_WIDE_LIMBS] OCT_ALIGN64, scalar[5] OCT_ALIGN64, point[5] OCT_ALIGN64;
    void *workspace = aligned_alloc(64, (*ops->ed25519_base[0].workspace + 63) / 64 * 64);
    const struct oct_ed25519_base_args args = {workspace, oct_comb25519(ops), wide, scalar, point};
    BIGNUM *x[OCT_LANES];
    BN_CTX *ctx = BN_CTX_new();
    struct ed_ref base, want;
    assert_true(workspace && args.comb && ctx);
    for (unsigned i = 0; i < OCT_LANES; i++) {
        assert_true((x[i] = BN_dup(n)) != NULL && BN_add_word(x[i], i));
        for (unsigned j = 0; j < OCT_ED25519_WIDE_LIMBS; j++)
            wide[j][i] = number_bits(x[i], 52 * j, j < 9 ? 52 : 44);
    }
    assert_int_equal(ops->ed25519_base[0].run(&args), 0xff);
    ed_ref_new(&base);
    ed_ref_new(&want);
    ed_ref_base(&base);
    for (unsigned i = 0; i < OCT_LANES; i++) {
        uint8_t encoded[32];
        BIGNUM *bits = BN_new();
        if (BN_num_bits(x[i]) > 512)
            assert_true(BN_mask_bits(x[i], 512));
        assert_true(bits && BN_mod(x[i], x[i], ed_ref_order, ctx));
        ed_ref_multiply(&want, x[i], &base);
        ed_ref_encode(encoded, &want);
        assert_true(BN_lebin2bn(encoded, 32, bits) != NULL);
        for (unsigned j = 0; j < 5; j++) {
            assert_int_equal(scalar[j][i], number_bits(x[i], 52 * j, 52));
            assert_int_equal(point[j][i], number_bits(bits, 51 * j, j < 4 ? 51 : 52));
        }
        BN_free(bits);
        BN_free(x[i]);
    }
    ed_ref_free(&base);
    ed_ref_free(&want);
    BN_CTX_free(ctx);
    free(workspace);
}

/* Around 0, l, 2^252, 2^256, multiples of l of all sizes, and 2^512; random ones. */
static void test_base(void **state)
{
    BIGNUM *n = BN_new();
    (void)state;
    assert_non_null(n);
    for (unsigned t = 0; t < tables; t++) {
        assert_true(BN_set_word(n, 0));
        check_base(table[t], n);
        for (int shift = 0; shift <= 259; shift += 37) {
            assert_true(BN_lshift(n, ed_ref_order, shift) && BN_sub_word(n, 4));
            check_base(table[t], n);
        }
        for (int shift = 252; shift <= 512; shift += 52) {
            assert_true(BN_one(n) && BN_lshift(n, n, shift) && BN_sub_word(n, 8));
            check_base(table[t], n);
        }
        for (int i = 0; i < 4; i++) {
            assert_true(BN_rand(n, 511, BN_RAND_TOP_ANY, BN_RAND_BOTTOM_ANY));
            check_base(table[t], n);
        }
    }
    BN_free(n);
}

/* Bad arguments write nothing. */
static void test_arguments(void **state)
{
    uint8_t out[SIGNATURE], before[SIGNATURE], seed[32] = {1};
    struct oct_lanes result = {0x55, 0x55};
    struct oct_ed25519_key *made = NULL;
    struct oct_ed25519_sign_lane lane[2] = {{key[0][0], out, 3, out}, {key[0][0], NULL, 3, out}};
    struct oct_ed25519_verify_lane check[2] = {{seed, out, 3, out}, {seed, NULL, 3, out}};
    (void)state;
    memset(out, 0xaa, sizeof out);
    memcpy(before, out, sizeof out);
    assert_int_equal(oct_ed25519_key_new(NULL, seed), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_ed25519_key_new(&made, NULL), OCT_ERR_ARGUMENT);
    assert_null(made);
    assert_null(oct_ed25519_key_public(NULL));
    oct_ed25519_key_free(NULL);
    assert_int_equal(oct_ed25519_sign_x8(NULL, 1, &result), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_ed25519_sign_x8(lane, 1, NULL), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_ed25519_sign_x8(lane, 0, &result), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_ed25519_sign_x8(lane, 9, &result), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_ed25519_sign_x8(lane, 2, &result), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_ed25519_verify_x8(NULL, 1, &result), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_ed25519_verify_x8(check, 1, NULL), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_ed25519_verify_x8(check, 0, &result), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_ed25519_verify_x8(check, 9, &result), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_ed25519_verify_x8(check, 2, &result), OCT_ERR_ARGUMENT);
    lane[0].message_len = check[0].message_len = OCT_ED25519_MESSAGE_LIMIT;
    assert_int_equal(oct_ed25519_sign_x8(lane, 1, &result), OCT_ERR_LENGTH);
    assert_int_equal(oct_ed25519_verify_x8(check, 1, &result), OCT_ERR_LENGTH);
    assert_memory_equal(out, before, sizeof out);
    assert_int_equal(result.ok, 0x55);
    assert_int_equal(result.invalid, 0x55);
}

int main(void)
{
    return RUN_TESTS(setup, teardown, test_public_keys, test_sign, test_block_edges, test_verify,
                     test_lane_independence, test_base, test_arguments);
}
