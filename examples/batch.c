/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Eight key exchanges in two calls: lanes 0 and 1 agree on a secret, 2 and 3 do, and so on.
 *
 *     cc -o batch batch.c $(pkg-config --cflags --libs octuple) && ./batch
 */
#include <octuple/octuple.h>
#include <octuple/x25519.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

int main(void)
{
    uint8_t scalar[8][OCT_X25519_BYTES], key[8][OCT_X25519_BYTES], secret[8][OCT_X25519_BYTES];
    struct oct_x25519_lane lane[8];
    struct oct_lanes result;
    if (getrandom(scalar, sizeof scalar, 0) != sizeof scalar)
        return 1;

    for (unsigned i = 0; i < 8; i++)
        lane[i] = (struct oct_x25519_lane){.scalar = scalar[i], .out = key[i]};
    if (oct_x25519_public_x8(lane, 8, &result) != OCT_OK) {
        fprintf(stderr, "no lanes here: %s\n", oct_op_reason(OCT_OP_X25519_KEYGEN));
        return 1; /* a real program computes them as it did before */
    }

    for (unsigned i = 0; i < 8; i++)
        lane[i] = (struct oct_x25519_lane){.scalar = scalar[i], .peer = key[i ^ 1], .out = secret[i]};
    if (oct_x25519_derive_x8(lane, 8, &result) != OCT_OK)
        return 1;
    for (unsigned i = 0; i < 8; i += 2) {
        int good = result.ok >> i & result.ok >> (i + 1) & 1; /* a bit for each lane */
        printf("%s\n", good && memcmp(secret[i], secret[i + 1], sizeof secret[i]) == 0 ? "agreed" : "failed");
    }
    return 0;
}
