/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See ec_peer.h. */
#include "ec_peer.h"

#include <octuple/ec.h>

#include <string.h>

/* All of a SubjectPublicKeyInfo before the coordinates: it has only one encoding. */
static const uint8_t p256_head[] = {0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06,
                                    0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00, 0x04};
static const uint8_t p384_head[] = {0x30, 0x76, 0x30, 0x10, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02,
                                    0x01, 0x06, 0x05, 0x2b, 0x81, 0x04, 0x00, 0x22, 0x03, 0x62, 0x00, 0x04};

enum ec_peer_form ec_peer_point(const uint8_t **point, int curve, struct rec_bytes encoded)
{
    *point = encoded.data + 1;
    return encoded.len == 1 + 2 * oct_ec_bytes(curve) && encoded.data[0] == 4 ? EC_PEER_STRICT : EC_PEER_NONE;
}

/* A BIT STRING that ends the encoding: its length, no unused bits, uncompressed. */
static int ends_in_point(const uint8_t *at, size_t bytes)
{
    return at[0] == 3 && at[1] == 2 + 2 * bytes && at[2] == 0 && at[3] == 4;
}

enum ec_peer_form ec_peer_spki(const uint8_t **point, int curve, struct rec_bytes encoded)
{
    const size_t bytes = oct_ec_bytes(curve);
    const uint8_t *head = curve == OCT_EC_P256 ? p256_head : p384_head;
    const size_t head_len = curve == OCT_EC_P256 ? sizeof p256_head : sizeof p384_head;
    *point = encoded.data + (encoded.len < 2 * bytes ? 0 : encoded.len - 2 * bytes);
    if (encoded.len == head_len + 2 * bytes && memcmp(encoded.data, head, head_len) == 0)
        return EC_PEER_STRICT;
    return encoded.len >= 4 + 2 * bytes && ends_in_point(*point - 4, bytes) ? EC_PEER_BROKEN : EC_PEER_NONE;
}

void ec_peer_number(uint8_t *out, int curve, struct rec_bytes number)
{
    const size_t bytes = oct_ec_bytes(curve);
    while (number.len > 0 && number.data[0] == 0) {
        number.data++;
        number.len--;
    }
    REC_REQUIRE(number.len <= bytes);
    memset(out, 0, bytes - number.len);
    memcpy(out + bytes - number.len, number.data, number.len);
}

int ec_peer_curve(const struct rec_case *c)
{
    const int p256 = rec_says(c, "curve", "secp256r1");
    REC_REQUIRE(p256 || rec_says(c, "curve", "secp384r1"));
    return p256 ? OCT_EC_P256 : OCT_EC_P384;
}
