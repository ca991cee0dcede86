/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The DER of ECDSA signatures, and of SM2's (RFC 3279, 2.2.3): SEQUENCE { r INTEGER, s INTEGER }. Signatures are
 * public. */
#include "ec_forms.h"

#include <string.h>

/* A positive INTEGER: without leading zeros, but with one where the top bit is set. */
static size_t write_integer(uint8_t *out, const uint8_t *number, size_t size)
{
    size_t pad;

    while (size > 1 && number[0] == 0) {
        number++;
        size--;
    }
    pad = number[0] >> 7;
    out[0] = 0x02;
    out[1] = (uint8_t)(pad + size);
    out[2] = 0;
    memcpy(out + 2 + pad, number, size);
    return 2 + pad + size;
}

/* The contents are shorter than 128 bytes on all curves, so that all lengths are one byte. */
size_t oct_ec_der_write(uint8_t out[OCT_ECDSA_MAX_DER], const uint8_t *numbers, size_t size)
{
    size_t len = write_integer(out + 2, numbers, size);

    len += write_integer(out + 2 + len, numbers + size, size);
    out[0] = 0x30;
    out[1] = (uint8_t)len;
    return 2 + len;
}

/* How many bytes the INTEGER at `der` takes, its value right-aligned in `number`; 0 if it is none that fits. */
static size_t read_integer(uint8_t *number, size_t size, const uint8_t *der, size_t len)
{
    const size_t bytes = len >= 3 && der[0] == 0x02 ? der[1] : 0, pad = bytes > size;

    if (bytes == 0 || bytes > size + 1 || 2 + bytes > len)
        return 0;
    memset(number, 0, size);
    memcpy(number + size - (bytes - pad), der + 2 + pad, bytes - pad);
    return 2 + bytes;
}

int oct_ec_der_read(uint8_t *numbers, size_t size, const uint8_t *der, size_t len)
{
    uint8_t again[OCT_ECDSA_MAX_DER];
    const size_t first = len > 2 ? read_integer(numbers, size, der + 2, len - 2) : 0;

    if (first == 0 || read_integer(numbers + size, size, der + 2 + first, len - 2 - first) == 0)
        return 0;
    /* One form only: what is written otherwise (signs, zeros, lengths, trailing bytes) is not this. */
    return oct_ec_der_write(again, numbers, size) == len && memcmp(again, der, len) == 0;
}
