/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Protects the packet of RFC 9001, A.5, and takes the protection off again. A server gives a burst of packets to one
 * call; here it is a burst of one.
 *
 *     cc -o quic quic.c $(pkg-config --cflags --libs octuple) && ./quic
 */
#include <octuple/quic.h>
#include <stdio.h>

int main(void)
{
    /* "quic key", "quic iv" and "quic hp", as the handshake gives them. */
    static const uint8_t key[32] = {0xc6, 0xd9, 0x8f, 0xf3, 0x44, 0x1c, 0x3f, 0xe1, 0xb2, 0x18, 0x20,
                                    0x94, 0xf6, 0x9c, 0xaa, 0x2e, 0xd4, 0xb7, 0x16, 0xb6, 0x54, 0x88,
                                    0x96, 0x0a, 0x7a, 0x98, 0x49, 0x79, 0xfb, 0x23, 0xe1, 0xc8};
    static const uint8_t iv[12] = {0xe0, 0x45, 0x9b, 0x34, 0x74, 0xbd, 0xd0, 0xe4, 0x4a, 0x41, 0xc1, 0x44};
    static const uint8_t hp[32] = {0x25, 0xa2, 0x82, 0xb9, 0xe8, 0x2f, 0x06, 0xf2, 0x1f, 0x48, 0x89,
                                   0x17, 0xa4, 0xfc, 0x8f, 0x1b, 0x73, 0x57, 0x36, 0x85, 0x60, 0x85,
                                   0x97, 0xd0, 0xef, 0xcb, 0x07, 0x6b, 0x0a, 0xb7, 0xa7, 0xa4};
    struct oct_quic_keys *keys;
    if (oct_quic_keys_new(&keys, OCT_AEAD_CHACHA20_POLY1305, key, sizeof key, iv, hp) != OCT_OK) {
        fprintf(stderr, "not served here: %s\n", oct_aead_reason(OCT_AEAD_CHACHA20_POLY1305));
        return 1;
    }

    /* A short header with a packet number of three bytes, a PING frame, and room for the tag. */
    uint8_t data[5 + OCT_AEAD_TAG_BYTES] = {0x42, 0x00, 0xbf, 0xf4, 0x01};
    struct oct_quic_packet packet = {.data = data, .header_len = 4, .len = 5, .number = 654360564};
    if (oct_quic_seal(keys, &packet, 1) != OCT_OK)
        return 1;
    for (size_t i = 0; i < sizeof data; i++)
        printf("%02x", data[i]);

    /* The receiver knows how long the connection ID is, here nothing, and which number it expects. */
    packet = (struct oct_quic_packet){.data = data, .header_len = 1, .len = sizeof data, .number = 654360564};
    if (oct_quic_open(keys, &packet, 1) == OCT_OK)
        printf("\npacket %llu, frame %02x\n", (unsigned long long)packet.number, data[packet.header_len]);
    oct_quic_keys_free(keys);
    return 0;
}
