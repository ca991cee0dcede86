/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * X25519 on the c table with scalars and peers marked secret: good peers and one of small order. The vector is that of
 * RFC 7748, 6.1, so that what is checked is also what works.
 */
#include "secret.h"

#include "api/x25519_internal.h"

#include <string.h>

#define BYTES OCT_X25519_BYTES

static const uint8_t alice[BYTES] = {0x77, 0x07, 0x6d, 0x0a, 0x73, 0x18, 0xa5, 0x7d, 0x3c, 0x16, 0xc1,
                                     0x72, 0x51, 0xb2, 0x66, 0x45, 0xdf, 0x4c, 0x2f, 0x87, 0xeb, 0xc0,
                                     0x99, 0x2a, 0xb1, 0x77, 0xfb, 0xa5, 0x1d, 0xb9, 0x2c, 0x2a};
static const uint8_t alice_public[BYTES] = {0x85, 0x20, 0xf0, 0x09, 0x89, 0x30, 0xa7, 0x54, 0x74, 0x8b, 0x7d,
                                            0xdc, 0xb4, 0x3e, 0xf7, 0x5a, 0x0d, 0xbf, 0x3a, 0x0d, 0x26, 0x38,
                                            0x1a, 0xf4, 0xeb, 0xa4, 0xa9, 0x8e, 0xaa, 0x9b, 0x4e, 0x6a};
static const uint8_t bob_public[BYTES] = {0xde, 0x9e, 0xdb, 0x7d, 0x7b, 0x7d, 0xc1, 0xb4, 0xd3, 0x5b, 0x61,
                                          0xc2, 0xec, 0xe4, 0x35, 0x37, 0x3f, 0x83, 0x43, 0xc8, 0x5b, 0x78,
                                          0x67, 0x4d, 0xad, 0xfc, 0x7e, 0x14, 0x6f, 0x88, 0x2b, 0x4f};
static const uint8_t shared[BYTES] = {0x4a, 0x5d, 0x9d, 0x5b, 0xa4, 0xce, 0x2d, 0xe1, 0x72, 0x8e, 0x3b,
                                      0xf4, 0x80, 0x35, 0x0f, 0x25, 0xe0, 0x7e, 0x21, 0xc9, 0x47, 0xd1,
                                      0x9e, 0x33, 0x76, 0xf0, 0x9b, 0x3c, 0x1e, 0x16, 0x17, 0x42};

struct batch {
    struct oct_x25519_lane lane[OCT_LANES];
    uint8_t scalar[OCT_LANES][BYTES], peer[OCT_LANES][BYTES], out[OCT_LANES][BYTES];
    struct oct_lanes result;
};

/* Lane `bad` gets a peer of small order. */
static void fill(struct batch *b, unsigned lanes, unsigned bad)
{
    for (unsigned i = 0; i < lanes; i++) {
        memcpy(b->scalar[i], alice, BYTES);
        memcpy(b->peer[i], bob_public, BYTES);
        if (i == bad)
            memset(b->peer[i], 0, BYTES);
        OCT_SECRET(b->scalar[i], BYTES);
        OCT_SECRET(b->peer[i], BYTES);
        b->lane[i] = (struct oct_x25519_lane){b->scalar[i], b->peer[i], b->out[i]};
    }
}

static void expect(struct batch *b, unsigned lanes, unsigned bad, const uint8_t *want)
{
    static const uint8_t zero[BYTES];
    const unsigned all = (1u << lanes) - 1, wrong = bad < lanes ? 1u << bad : 0;
    REQUIRE(!is_secret(&b->result, sizeof b->result));
    REQUIRE(b->result.ok == (all & ~wrong) && b->result.invalid == wrong);
    for (unsigned i = 0; i < lanes; i++) {
        REQUIRE(is_secret(b->out[i], BYTES));
        OCT_DECLASSIFY(b->out[i], BYTES);
        REQUIRE(memcmp(b->out[i], i == bad ? zero : want, BYTES) == 0);
    }
}

int main(void)
{
    static struct batch b;
    REQUIRE(OCT_CHECKMEM_ON());
    for (unsigned lanes = 1; lanes <= OCT_LANES; lanes += 7) {
        fill(&b, lanes, 3);
        REQUIRE(oct_x25519_derive_on(&oct_ops_c, b.lane, lanes, &b.result) == OCT_OK);
        expect(&b, lanes, 3, shared);
        fill(&b, lanes, OCT_LANES);
        REQUIRE(oct_x25519_public_on(&oct_ops_c, b.lane, lanes, &b.result) == OCT_OK);
        expect(&b, lanes, OCT_LANES, alice_public);
    }
    printf("x25519: clean\n");
    return 0;
}
