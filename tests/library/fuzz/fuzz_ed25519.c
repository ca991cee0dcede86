/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * oct_ed25519_sign_x8() and oct_ed25519_verify_x8() with arguments made of fuzz: lane counts, null pointers, messages
 * of any length in any lane, and keys, messages and signatures with bits turned. Signatures are libcrypto's byte for
 * byte, verdicts are libcrypto's but for encodings of public keys that are not canonical, which it takes; an error
 * leaves everything untouched.
 */
#include "input.h"

#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEYS        4
#define MAX_MESSAGE 300
#define MAX_LANES   (OCT_LANES + 2)
#define SIGNATURE   OCT_ED25519_SIGNATURE_BYTES
#define FILL        0xa7

static struct oct_ed25519_key *key[KEYS];
static EVP_PKEY *reference[KEYS];

struct call {
    struct oct_ed25519_sign_lane sign[MAX_LANES];
    struct oct_ed25519_verify_lane verify[MAX_LANES];
    uint8_t message[MAX_LANES][MAX_MESSAGE], signature[MAX_LANES][SIGNATURE], public_key[MAX_LANES][32];
    unsigned from[MAX_LANES], lanes;
};

static void choose_lane(struct fuzz_input *in, struct call *c, unsigned i)
{
    const unsigned odd = fuzz_byte(in);
    const size_t len = fuzz_below(in, MAX_MESSAGE + 1);
    c->from[i] = odd % KEYS;
    fuzz_bytes(in, c->message[i], len < 8 ? len : 8);
    memset(c->signature[i], FILL, SIGNATURE);
    c->sign[i] = (struct oct_ed25519_sign_lane){key[c->from[i]], len ? c->message[i] : NULL, len, c->signature[i]};
    if (odd == 0xf1)
        c->sign[i].key = NULL;
    if (odd == 0xf2)
        c->sign[i].message = NULL;
    if (odd == 0xf3)
        c->sign[i].signature = NULL;
}

static int is_wrong(const struct call *c)
{
    if (c->lanes < 1 || c->lanes > OCT_LANES)
        return 1;
    for (unsigned i = 0; i < c->lanes; i++)
        if (!c->sign[i].key || !c->sign[i].signature || (!c->sign[i].message && c->sign[i].message_len))
            return 1;
    return 0;
}

static void check_signature(const struct call *c, unsigned i)
{
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    uint8_t want[SIGNATURE];
    size_t len = sizeof want;
    FUZZ_CHECK(ctx && EVP_DigestSignInit(ctx, NULL, NULL, NULL, reference[c->from[i]]) == 1);
    FUZZ_CHECK(EVP_DigestSign(ctx, want, &len, c->message[i], c->sign[i].message_len) == 1);
    FUZZ_CHECK(memcmp(want, c->signature[i], SIGNATURE) == 0);
    EVP_MD_CTX_free(ctx);
}

/* y = p or more, or x = 0 (y = 1 or p - 1) with a sign. */
static int is_canonical(const uint8_t encoding[32])
{
    uint8_t y[32];
    unsigned ones = 0, zeros = 0;
    memcpy(y, encoding, 32);
    y[31] &= 0x7f;
    for (int i = 1; i < 31; i++) {
        ones += y[i] == 0xff;
        zeros += y[i] == 0;
    }
    const int high = ones == 30 && y[31] == 0x7f, low = zeros == 30 && y[31] == 0;
    if (high && y[0] >= 0xed)
        return 0;
    return !((high && y[0] == 0xec) || (low && y[0] == 1)) || encoding[31] < 0x80;
}

static int reference_verify(const struct oct_ed25519_verify_lane *lane)
{
    EVP_PKEY *other = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, NULL, lane->public_key, 32);
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    FUZZ_CHECK(other && ctx && EVP_DigestVerifyInit(ctx, NULL, NULL, NULL, other) == 1);
    const int good = EVP_DigestVerify(ctx, lane->signature, SIGNATURE, lane->message, lane->message_len) == 1;
    EVP_MD_CTX_free(ctx);
    EVP_PKEY_free(other);
    return good && is_canonical(lane->public_key);
}

/* Turns something of a good signature, or nothing. */
static void spoil(struct fuzz_input *in, struct call *c, unsigned i)
{
    const unsigned how = fuzz_below(in, 8);
    memcpy(c->public_key[i], oct_ed25519_key_public(key[c->from[i]]), 32);
    if (how == 1 || how == 2)
        c->signature[i][fuzz_below(in, SIGNATURE)] ^= (uint8_t)fuzz_byte(in);
    if (how == 3)
        c->public_key[i][fuzz_below(in, 32)] ^= (uint8_t)fuzz_byte(in);
    if (how == 4)
        c->message[i][0] ^= (uint8_t)fuzz_byte(in);
    if (how == 5) { /* encodings at the edges */
        memset(c->public_key[i], fuzz_byte(in) & 1 ? 0xff : 0, 32);
        c->public_key[i][0] = (uint8_t)fuzz_byte(in);
        c->public_key[i][31] ^= (uint8_t)(fuzz_byte(in) & 0x80);
    }
    if (how == 6)
        fuzz_bytes(in, c->signature[i], SIGNATURE);
    c->verify[i] =
        (struct oct_ed25519_verify_lane){c->public_key[i], c->sign[i].message, c->sign[i].message_len, c->signature[i]};
}

static void check_verify(struct fuzz_input *in, struct call *c)
{
    struct oct_lanes result = {0, 0};
    unsigned good = 0;
    for (unsigned i = 0; i < c->lanes; i++) {
        spoil(in, c, i);
        good |= (unsigned)reference_verify(&c->verify[i]) << i;
    }
    FUZZ_CHECK(oct_ed25519_verify_x8(c->verify, c->lanes, &result) == OCT_OK);
    FUZZ_CHECK(result.ok == good && result.invalid == (((1u << c->lanes) - 1) & ~good));
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    if (!oct_op_is_on(OCT_OP_ED25519_SIGN) || !oct_op_is_on(OCT_OP_ED25519_VERIFY)) {
        printf("SKIP: %s\n", oct_op_reason(OCT_OP_ED25519_SIGN));
        exit(77);
    }
    for (unsigned i = 0; i < KEYS; i++) {
        uint8_t seed[32];
        memset(seed, (int)(7 * i), sizeof seed);
        FUZZ_CHECK(oct_ed25519_key_new(&key[i], seed) == OCT_OK);
        reference[i] = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, NULL, seed, sizeof seed);
        FUZZ_CHECK(reference[i]);
    }
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct call c;
    struct fuzz_input in = {data, size};
    struct oct_lanes result = {.ok = 0x5a, .invalid = 0xa5};
    c.lanes = fuzz_below(&in, MAX_LANES);
    for (unsigned i = 0; i < MAX_LANES; i++)
        choose_lane(&in, &c, i);
    const int status = oct_ed25519_sign_x8(c.sign, c.lanes, &result);
    if (is_wrong(&c)) {
        FUZZ_CHECK(status == OCT_ERR_ARGUMENT && result.ok == 0x5a && result.invalid == 0xa5);
        for (unsigned i = 0; i < MAX_LANES; i++)
            for (unsigned j = 0; j < SIGNATURE; j++)
                FUZZ_CHECK(c.signature[i][j] == FILL);
        return 0;
    }
    FUZZ_CHECK(status == OCT_OK && result.ok == (1u << c.lanes) - 1 && result.invalid == 0);
    for (unsigned i = 0; i < c.lanes; i++)
        check_signature(&c, i);
    check_verify(&in, &c);
    return 0;
}
