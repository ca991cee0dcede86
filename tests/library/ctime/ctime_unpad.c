/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* ctest: SOURCES provider/rsa/unpad.c */
/*
 * The provider's unpadding with the decrypted block, and whatever replaces a bad one, marked secret. Good blocks and
 * bad ones of every kind go the same way. unpad.c has no OpenSSL in it and is compiled into this program.
 */
#include "secret.h"

#include "provider/rsa/unpad.h"

#include "base/base.h"

#include <string.h>

#define SIZE 256
#define HASH 32

static uint8_t em[SIZE], synthetic[SIZE], lengths[OCT_REJECT_LENGTHS], out[SIZE], small[OCT_TLS_PREMASTER];

/* 00 type padding 00 message; `zero_at` is where the zero stands, 0 for none. Marks everything. */
static void block(uint8_t type, size_t zero_at)
{
    OCT_DECLASSIFY(em, sizeof em);
    memset(em, 0xa5, sizeof em);
    em[0] = 0;
    em[1] = type;
    if (zero_at)
        em[zero_at] = 0;
    for (size_t i = 0; i < sizeof synthetic; i++) {
        synthetic[i] = (uint8_t)(i * 7 + 1);
        lengths[i] = (uint8_t)(i * 11 + 3);
    }
    OCT_SECRET(em, sizeof em);
    OCT_SECRET(synthetic, sizeof synthetic);
    OCT_SECRET(lengths, sizeof lengths);
}

/* Where the zero stands in a few good and bad blocks, and the type byte. */
static const struct {
    uint8_t type;
    size_t zero_at;
    int good;
} blocks[] = {{2, 10, 1}, {2, SIZE - 1, 1}, {2, 100, 1}, {2, 9, 0}, {2, 2, 0}, {2, 0, 0}, {1, 100, 0}, {0, 100, 0}};

static void check_implicit(void)
{
    for (unsigned i = 0; i < OCT_ARRAY_LEN(blocks); i++) {
        block(blocks[i].type, blocks[i].zero_at);
        size_t len = oct_unpad_pkcs1_implicit(out, em, synthetic, lengths, SIZE);
        REQUIRE(is_secret(&len, sizeof len) && is_secret(out, sizeof out - 11));
        OCT_DECLASSIFY(&len, sizeof len);
        REQUIRE(!blocks[i].good || len == SIZE - 1 - blocks[i].zero_at);
    }
}

static void check_explicit(void)
{
    for (unsigned i = 0; i < OCT_ARRAY_LEN(blocks); i++) {
        size_t len = 0;
        block(blocks[i].type, blocks[i].zero_at);
        uint64_t good = oct_unpad_pkcs1_explicit(out, &len, em, SIZE);
        REQUIRE(is_secret(&good, sizeof good));
        OCT_DECLASSIFY(&good, sizeof good);
        REQUIRE((good != 0) == blocks[i].good);
    }
}

static void check_tls(void)
{
    static const unsigned version[][2] = {{0x0303, 0}, {0x0303, 0x0301}, {0x0301, 0x0303}};
    for (unsigned i = 0; i < OCT_ARRAY_LEN(blocks); i++)
        for (unsigned j = 0; j < OCT_ARRAY_LEN(version); j++) {
            block(blocks[i].type, blocks[i].zero_at ? SIZE - OCT_TLS_PREMASTER - 1 : 0);
            oct_unpad_tls(small, em, SIZE, version[j][0], version[j][1], synthetic);
            REQUIRE(is_secret(small, sizeof small));
        }
}

/* lHash, zeros, 01, message; one variant for each thing that may be wrong. */
static void check_oaep(void)
{
    static const uint8_t hash[HASH] = {1, 2, 3};
    for (unsigned wrong = 0; wrong < 4; wrong++) {
        size_t len = 0;
        uint64_t first = wrong == 1 ? 0 : ~(uint64_t)0;
        OCT_DECLASSIFY(em, sizeof em);
        memset(em, 0, sizeof em);
        memcpy(em, hash, sizeof hash);
        em[100] = wrong == 2 ? 0 : 1;
        em[5] ^= wrong == 3;
        OCT_SECRET(em, sizeof em);
        OCT_SECRET(&first, sizeof first);
        uint64_t good = oct_unpad_oaep(out, &len, em, SIZE - HASH - 1, hash, HASH, first);
        REQUIRE(is_secret(&good, sizeof good));
        OCT_DECLASSIFY(&good, sizeof good);
        OCT_DECLASSIFY(&len, sizeof len);
        REQUIRE(good == (wrong ? 0 : ~(uint64_t)0));
        REQUIRE(wrong || len == SIZE - HASH - 1 - 101);
    }
}

int main(void)
{
    REQUIRE(OCT_CHECKMEM_ON());
    check_implicit();
    check_explicit();
    check_tls();
    check_oaep();
    puts("unpadding: clean");
    return 0;
}
