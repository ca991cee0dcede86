/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * ML-DSA's batch calls with arguments made of fuzz: lane counts, null pointers, messages and contexts of any length,
 * keys of two sets. A signature is the one that its lane gives alone, and valid; with anything changed it is not, nor
 * is one that is all fuzz. A private key with bytes changed is none, but for K. An error leaves everything untouched.
 */
#include "input.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEYS        2 /* of each set */
#define MAX_MESSAGE 300
#define MAX_LANES   (OCT_LANES + 2)
#define SIGNATURE   3309
#define FILL        0xa7

static struct oct_mldsa_key *key[OCT_MLDSA_SETS][KEYS];
static uint8_t pk[OCT_MLDSA_SETS][KEYS][1952], sk[OCT_MLDSA_SETS][KEYS][4032], zeros[OCT_MLDSA_RANDOM_BYTES];

struct call {
    struct oct_mldsa_sign_lane sign[MAX_LANES];
    struct oct_mldsa_verify_lane verify[MAX_LANES];
    uint8_t message[MAX_LANES][MAX_MESSAGE], context[MAX_LANES][256], signature[MAX_LANES][SIGNATURE];
    unsigned from[MAX_LANES], lanes;
    int set;
};

static void choose_lane(struct fuzz_input *in, struct call *c, unsigned i)
{
    const unsigned odd = fuzz_byte(in);
    const size_t len = fuzz_below(in, MAX_MESSAGE + 1), context_len = fuzz_byte(in) / 8;
    c->from[i] = odd % KEYS;
    fuzz_bytes(in, c->message[i], len < 8 ? len : 8);
    memset(c->signature[i], FILL, SIGNATURE);
    c->sign[i] = (struct oct_mldsa_sign_lane){.key = key[c->set][c->from[i]],
                                              .message = len ? c->message[i] : NULL,
                                              .message_len = len,
                                              .context = context_len ? c->context[i] : NULL,
                                              .context_len = context_len,
                                              .random = zeros,
                                              .signature = c->signature[i]};
    if (odd == 0xf1)
        c->sign[i].key = NULL;
    if (odd == 0xf2)
        c->sign[i].message = NULL;
    if (odd == 0xf3)
        c->sign[i].signature = NULL;
    if (odd == 0xf4)
        c->sign[i].context_len = OCT_MLDSA_CONTEXT_MAX + 1;
    if (odd == 0xf5)
        c->sign[i].key = key[!c->set][c->from[i]];
}

static int is_wrong(const struct call *c)
{
    if (c->lanes < 1 || c->lanes > OCT_LANES)
        return 1;
    for (unsigned i = 0; i < c->lanes; i++) {
        const struct oct_mldsa_sign_lane *l = &c->sign[i];
        if (l->key != key[c->set][c->from[i]] || !l->signature || (!l->message && l->message_len) ||
            (!l->context && l->context_len) || l->context_len > OCT_MLDSA_CONTEXT_MAX)
            return 1;
    }
    return 0;
}

/* The signature that a lane gives alone. */
static void check_alone(const struct call *c, unsigned i)
{
    uint8_t alone[SIGNATURE];
    struct oct_mldsa_sign_lane lane = c->sign[i];
    struct oct_lanes result;
    lane.signature = alone;
    FUZZ_CHECK(oct_mldsa_sign_x8(c->set, &lane, 1, &result) == OCT_OK && result.ok == 1);
    FUZZ_CHECK(memcmp(alone, c->signature[i], oct_mldsa_signature_bytes(c->set)) == 0);
}

/* Turns something of a good signature, or nothing: 1 if it still is the same. */
static int spoil(struct fuzz_input *in, struct call *c, unsigned i)
{
    const size_t len = oct_mldsa_signature_bytes(c->set);
    const unsigned how = fuzz_below(in, 8), change = fuzz_byte(in);
    struct oct_mldsa_verify_lane *l = &c->verify[i];
    *l = (struct oct_mldsa_verify_lane){.key = how % 2 ? key[c->set][c->from[i]] : NULL,
                                        .public_key = pk[c->set][c->from[i]],
                                        .message = c->sign[i].message,
                                        .message_len = c->sign[i].message_len,
                                        .context = c->sign[i].context,
                                        .context_len = c->sign[i].context_len,
                                        .signature = c->signature[i]};
    if (how < 4 && change) /* anywhere, or among the hints */
        c->signature[i][how < 2 ? fuzz_below(in, (unsigned)len) : len - 1 - fuzz_below(in, 84)] ^= (uint8_t)change;
    if (how == 4 && change && l->message)
        c->message[i][0] ^= (uint8_t)change;
    if (how == 5)
        fuzz_bytes(in, c->signature[i], len);
    if (how == 6) {
        l->key = NULL;
        l->public_key = pk[c->set][!c->from[i]];
    }
    return how < 4 ? !change : how == 4 ? !change || !l->message : how == 7;
}

static void check_verify(struct fuzz_input *in, struct call *c)
{
    struct oct_lanes result = {0, 0};
    unsigned good = 0;
    for (unsigned i = 0; i < c->lanes; i++)
        good |= (unsigned)spoil(in, c, i) << i;
    FUZZ_CHECK(oct_mldsa_verify_x8(c->set, c->verify, c->lanes, &result) == OCT_OK);
    FUZZ_CHECK(result.ok == good && result.invalid == (((1u << c->lanes) - 1) & ~good));
}

/* A private key with one byte changed. */
static void check_key(struct fuzz_input *in, int set)
{
    static uint8_t bytes[4032];
    struct oct_mldsa_key *made = NULL;
    const size_t len = oct_mldsa_sk_bytes(set), at = fuzz_below(in, (unsigned)len);
    const unsigned change = fuzz_byte(in);
    memcpy(bytes, sk[set][0], len);
    bytes[at] ^= (uint8_t)change;
    const int same = !change || (at >= 32 && at < 64), status = oct_mldsa_key_new_private(&made, set, bytes);
    FUZZ_CHECK(status == (same ? OCT_OK : OCT_ERR_RANGE) && (made != NULL) == same);
    oct_mldsa_key_free(made);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    if (!oct_op_is_on(OCT_OP_MLDSA44_SIGN) || !oct_op_is_on(OCT_OP_MLDSA65_VERIFY)) {
        printf("SKIP: %s\n", oct_op_reason(OCT_OP_MLDSA44_SIGN));
        exit(77);
    }
    for (int set = 0; set < OCT_MLDSA_SETS; set++)
        for (unsigned i = 0; i < KEYS; i++) {
            uint8_t seed[OCT_MLDSA_KEYGEN_BYTES];
            struct oct_mldsa_keygen_lane lane = {seed, pk[set][i], sk[set][i]};
            struct oct_lanes result;
            memset(seed, (int)(7 * i), sizeof seed);
            FUZZ_CHECK(oct_mldsa_keygen_x8(set, &lane, 1, &result) == OCT_OK);
            FUZZ_CHECK(oct_mldsa_key_new_private(&key[set][i], set, sk[set][i]) == OCT_OK);
        }
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct call c;
    struct fuzz_input in = {data, size};
    struct oct_lanes result = {.ok = 0x5a, .invalid = 0xa5};
    c.set = (int)(fuzz_byte(&in) % OCT_MLDSA_SETS);
    c.lanes = fuzz_below(&in, MAX_LANES);
    for (unsigned i = 0; i < MAX_LANES; i++)
        choose_lane(&in, &c, i);
    const int status = oct_mldsa_sign_x8(c.set, c.sign, c.lanes, &result);
    if (is_wrong(&c)) {
        FUZZ_CHECK(status == OCT_ERR_ARGUMENT || status == OCT_ERR_LENGTH);
        FUZZ_CHECK(result.ok == 0x5a && result.invalid == 0xa5);
        for (unsigned i = 0; i < MAX_LANES; i++)
            for (unsigned j = 0; j < SIGNATURE; j++)
                FUZZ_CHECK(c.signature[i][j] == FILL);
        return 0;
    }
    FUZZ_CHECK(status == OCT_OK && result.ok == (1u << c.lanes) - 1 && result.invalid == 0);
    check_alone(&c, fuzz_below(&in, c.lanes));
    check_verify(&in, &c);
    check_key(&in, c.set);
    return 0;
}
