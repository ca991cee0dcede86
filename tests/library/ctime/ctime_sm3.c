/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * SM3 and the digests that SM2 signs, on the c table, with messages marked secret: of one length and of several.
 * Digests are those that come out without marks.
 */
#include "secret.h"

#include "api/sm2_internal.h"
#include "api/sm3_lanes.h"

#include <stdio.h>
#include <string.h>

#define LEN 300

static uint8_t message[OCT_SM3_LANES][LEN], digest[2][OCT_SM3_LANES][OCT_SM3_BYTES];

static size_t length_of(unsigned lane, int mixed)
{
    return mixed ? LEN - 17 * lane : LEN;
}

static void hash(uint8_t out[OCT_SM3_LANES][OCT_SM3_BYTES], int mixed)
{
    struct oct_sm3_lane lane[OCT_SM3_LANES];
    for (unsigned i = 0; i < OCT_SM3_LANES; i++)
        lane[i] = (struct oct_sm3_lane){message[i], length_of(i, mixed), out[i]};
    REQUIRE(oct_sm3_on(&oct_ops_c, lane, OCT_SM3_LANES) == OCT_OK);
}

static void hash_for_sm2(uint8_t out[OCT_SM3_LANES][OCT_SM3_BYTES], int mixed)
{
    static const uint8_t public_key[64] = {1, 2, 3};
    struct oct_sm2_digest_lane lane[OCT_LANES];
    for (unsigned i = 0; i < OCT_LANES; i++)
        lane[i] = (struct oct_sm2_digest_lane){
            (const uint8_t *)OCT_SM2_DEFAULT_ID, 16, public_key, message[i], length_of(i, mixed), out[i]};
    REQUIRE(oct_sm2_digest_on(&oct_ops_c, lane, OCT_LANES) == OCT_OK);
}

static void check(void (*run)(uint8_t out[OCT_SM3_LANES][OCT_SM3_BYTES], int mixed), int mixed)
{
    run(digest[0], mixed);
    OCT_SECRET(message, sizeof message);
    run(digest[1], mixed);
    REQUIRE(is_secret(digest[1][0], OCT_SM3_BYTES));
    OCT_DECLASSIFY(message, sizeof message);
    OCT_DECLASSIFY(digest, sizeof digest);
    REQUIRE(memcmp(digest[0], digest[1], sizeof digest[0]) == 0);
}

int main(void)
{
    REQUIRE(OCT_CHECKMEM_ON());
    for (unsigned i = 0; i < OCT_SM3_LANES; i++)
        memset(message[i], 0x21 + (int)i, LEN);
    for (int mixed = 0; mixed < 2; mixed++) {
        check(hash, mixed);
        check(hash_for_sm2, mixed);
    }
    printf("SM3: clean\n");
    return 0;
}
