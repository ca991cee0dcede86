/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Ed25519 keys and signatures on the c table with seeds and messages marked secret; lengths are public. The vectors are
 * those of RFC 8032, 7.1, so that what is checked is also what works.
 */
#include "secret.h"

#include "api/ed25519_internal.h"

#include <string.h>

#define SIGNATURE OCT_ED25519_SIGNATURE_BYTES

/* Tests 2 and 3: messages of one and of two bytes. */
static const struct {
    size_t len;
    uint8_t message[2], seed[32], public_key[32], signature[SIGNATURE];
} test[2] = {
    {1,
     {0x72},
     {0x4c, 0xcd, 0x08, 0x9b, 0x28, 0xff, 0x96, 0xda, 0x9d, 0xb6, 0xc3, 0x46, 0xec, 0x11, 0x4e, 0x0f,
      0x5b, 0x8a, 0x31, 0x9f, 0x35, 0xab, 0xa6, 0x24, 0xda, 0x8c, 0xf6, 0xed, 0x4f, 0xb8, 0xa6, 0xfb},
     {0x3d, 0x40, 0x17, 0xc3, 0xe8, 0x43, 0x89, 0x5a, 0x92, 0xb7, 0x0a, 0xa7, 0x4d, 0x1b, 0x7e, 0xbc,
      0x9c, 0x98, 0x2c, 0xcf, 0x2e, 0xc4, 0x96, 0x8c, 0xc0, 0xcd, 0x55, 0xf1, 0x2a, 0xf4, 0x66, 0x0c},
     {0x92, 0xa0, 0x09, 0xa9, 0xf0, 0xd4, 0xca, 0xb8, 0x72, 0x0e, 0x82, 0x0b, 0x5f, 0x64, 0x25, 0x40,
      0xa2, 0xb2, 0x7b, 0x54, 0x16, 0x50, 0x3f, 0x8f, 0xb3, 0x76, 0x22, 0x23, 0xeb, 0xdb, 0x69, 0xda,
      0x08, 0x5a, 0xc1, 0xe4, 0x3e, 0x15, 0x99, 0x6e, 0x45, 0x8f, 0x36, 0x13, 0xd0, 0xf1, 0x1d, 0x8c,
      0x38, 0x7b, 0x2e, 0xae, 0xb4, 0x30, 0x2a, 0xee, 0xb0, 0x0d, 0x29, 0x16, 0x12, 0xbb, 0x0c, 0x00}},
    {2,
     {0xaf, 0x82},
     {0xc5, 0xaa, 0x8d, 0xf4, 0x3f, 0x9f, 0x83, 0x7b, 0xed, 0xb7, 0x44, 0x2f, 0x31, 0xdc, 0xb7, 0xb1,
      0x66, 0xd3, 0x85, 0x35, 0x07, 0x6f, 0x09, 0x4b, 0x85, 0xce, 0x3a, 0x2e, 0x0b, 0x44, 0x58, 0xf7},
     {0xfc, 0x51, 0xcd, 0x8e, 0x62, 0x18, 0xa1, 0xa3, 0x8d, 0xa4, 0x7e, 0xd0, 0x02, 0x30, 0xf0, 0x58,
      0x08, 0x16, 0xed, 0x13, 0xba, 0x33, 0x03, 0xac, 0x5d, 0xeb, 0x91, 0x15, 0x48, 0x90, 0x80, 0x25},
     {0x62, 0x91, 0xd6, 0x57, 0xde, 0xec, 0x24, 0x02, 0x48, 0x27, 0xe6, 0x9c, 0x3a, 0xbe, 0x01, 0xa3,
      0x0c, 0xe5, 0x48, 0xa2, 0x84, 0x74, 0x3a, 0x44, 0x5e, 0x36, 0x80, 0xd7, 0xdb, 0x5a, 0xc3, 0xac,
      0x18, 0xff, 0x9b, 0x53, 0x8d, 0x16, 0xf2, 0x90, 0xae, 0x67, 0xf7, 0x60, 0x98, 0x4d, 0xc6, 0x59,
      0x4a, 0x7c, 0x15, 0xe9, 0x71, 0x6e, 0xd2, 0x8d, 0xc0, 0x27, 0xbe, 0xce, 0xea, 0x1e, 0xc4, 0x0a}},
};

/* Keys whose seeds are marked come out marked, and right. */
static void make_keys(struct oct_ed25519_key *key[2])
{
    for (int i = 0; i < 2; i++) {
        uint8_t seed[32], public_key[32];
        memcpy(seed, test[i].seed, sizeof seed);
        OCT_SECRET(seed, sizeof seed);
        REQUIRE(oct_ed25519_key_new_on(&oct_ops_c, &key[i], seed) == OCT_OK);
        REQUIRE(is_secret(key[i]->scalar, sizeof key[i]->scalar) && is_secret(key[i]->prefix, sizeof key[i]->prefix));
        REQUIRE(is_secret(key[i]->public_key, sizeof public_key));
        memcpy(public_key, oct_ed25519_key_public(key[i]), sizeof public_key);
        OCT_DECLASSIFY(public_key, sizeof public_key);
        REQUIRE(memcmp(public_key, test[i].public_key, sizeof public_key) == 0);
    }
}

static void check_sign(struct oct_ed25519_key *const key[2], unsigned lanes)
{
    static uint8_t message[OCT_LANES][2], signature[OCT_LANES][SIGNATURE];
    struct oct_ed25519_sign_lane lane[OCT_LANES];
    struct oct_lanes result;
    for (unsigned i = 0; i < lanes; i++) {
        memcpy(message[i], test[i % 2].message, sizeof message[i]);
        OCT_SECRET(message[i], sizeof message[i]);
        lane[i] = (struct oct_ed25519_sign_lane){key[i % 2], message[i], test[i % 2].len, signature[i]};
    }
    REQUIRE(oct_ed25519_sign_on(&oct_ops_c, lane, lanes, &result) == OCT_OK);
    REQUIRE(!is_secret(&result, sizeof result));
    REQUIRE(result.ok == (1u << lanes) - 1 && result.invalid == 0);
    for (unsigned i = 0; i < lanes; i++) {
        REQUIRE(is_secret(signature[i], 32) && is_secret(signature[i] + 32, 32));
        OCT_DECLASSIFY(signature[i], SIGNATURE);
        REQUIRE(memcmp(signature[i], test[i % 2].signature, SIGNATURE) == 0);
    }
}

/* Long messages, in which blocks are hashed where they stand, of different lengths: against the same without marks. */
static void check_lengths(struct oct_ed25519_key *const key[2])
{
    static uint8_t message[2][OCT_LANES][400], signature[2][OCT_LANES][SIGNATURE];
    struct oct_lanes result;
    for (unsigned side = 0; side < 2; side++) {
        struct oct_ed25519_sign_lane lane[OCT_LANES];
        for (unsigned i = 0; i < OCT_LANES; i++) {
            memset(message[side][i], 0x31 + (int)i, sizeof message[side][i]);
            if (side)
                OCT_SECRET(message[side][i], sizeof message[side][i]);
            lane[i] = (struct oct_ed25519_sign_lane){key[i % 2], message[side][i], 55 * i, signature[side][i]};
        }
        REQUIRE(oct_ed25519_sign_on(&oct_ops_c, lane, OCT_LANES, &result) == OCT_OK && result.ok == 0xff);
    }
    OCT_DECLASSIFY(signature, sizeof signature);
    REQUIRE(memcmp(signature[0], signature[1], sizeof signature[0]) == 0);
}

int main(void)
{
    struct oct_ed25519_key *key[2];
    REQUIRE(OCT_CHECKMEM_ON());
    make_keys(key);
    check_sign(key, 3);
    check_lengths(key);
    for (int i = 0; i < 2; i++)
        oct_ed25519_key_free(key[i]);
    printf("ed25519: clean\n");
    return 0;
}
