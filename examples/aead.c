/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Seals and opens the text of RFC 8439, 2.8.2.
 *
 *     cc -o aead aead.c $(pkg-config --cflags --libs octuple) && ./aead
 */
#include <octuple/aead.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
    static const uint8_t nonce[OCT_AEAD_NONCE_BYTES] = {7, 0, 0, 0, 0x40, 0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47};
    static const uint8_t head[] = {0x50, 0x51, 0x52, 0x53, 0xc0, 0xc1, 0xc2, 0xc3, 0xc4, 0xc5, 0xc6, 0xc7};
    char text[] = "Ladies and Gentlemen of the class of '99: "
                  "If I could offer you only one tip for the future, sunscreen would be it.";
    uint8_t secret[32], out[sizeof text], tag[OCT_AEAD_TAG_BYTES];
    for (int i = 0; i < 32; i++)
        secret[i] = (uint8_t)(0x80 + i); /* a real key is drawn, and no nonce serves twice with it */

    struct oct_aead_key *key;
    if (oct_aead_key_new(&key, OCT_AEAD_CHACHA20_POLY1305, secret, sizeof secret) != OCT_OK) {
        fprintf(stderr, "not served here: %s\n", oct_aead_reason(OCT_AEAD_CHACHA20_POLY1305));
        return 1;
    }
    size_t len = strlen(text);
    if (oct_aead_seal(key, nonce, head, sizeof head, (uint8_t *)text, len, out, tag) != OCT_OK)
        return 1;
    printf("tag: ");
    for (int i = 0; i < OCT_AEAD_TAG_BYTES; i++)
        printf("%02x", tag[i]);

    int opened = oct_aead_open(key, nonce, head, sizeof head, out, len, out, tag); /* in place */
    printf("\nopened: %s\n", opened == OCT_OK ? (memcmp(out, text, len) == 0 ? "the same" : "another text") : "no");
    tag[0] ^= 1;
    opened = oct_aead_open(key, nonce, head, sizeof head, out, len, out, tag);
    printf("with another tag: %s\n", oct_status_text(opened));
    oct_aead_key_free(key);
    return 0;
}
