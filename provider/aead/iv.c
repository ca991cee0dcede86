/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The invocation field of a nonce (SP 800-38D, 8.2.1): it starts anywhere and counts. No OpenSSL here: its test
 * compiles it alone. */
#include "cipher.h"

int oct_aead_iv_count(uint8_t counter[OCT_AEAD_TLS_EXPLICIT], uint64_t *used)
{
    unsigned carry = 1;

    if (*used == UINT64_MAX)
        return 0;
    ++*used;
    for (int i = OCT_AEAD_TLS_EXPLICIT - 1; i >= 0; i--) {
        carry += counter[i];
        counter[i] = (uint8_t)carry;
        carry >>= 8;
    }
    return 1;
}
