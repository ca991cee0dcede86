/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* What waits to be read, as a client may have sent it: any bytes. RFC 8446, sections 4.1.2 and 5.1. */
#include "handshake/lone_hello.h"

#include <openssl/ssl.h>

/* The place behind a vector whose length takes so many bytes; beyond n if it does not fit. */
static size_t behind(const unsigned char *bytes, size_t n, size_t at, size_t prefix)
{
    size_t length = 0;
    if (at > n || n - at < prefix)
        return n + 1;
    for (size_t i = 0; i < prefix; i++)
        length = length << 8 | bytes[at + i];
    return length <= n - at - prefix ? at + prefix + length : n + 1;
}

#define RECORD     5
#define MESSAGE    4
#define SESSION_AT (RECORD + MESSAGE + 2 + SSL3_RANDOM_SIZE)
#define EARLY_DATA 42

bool oct_is_lone_hello(const unsigned char *bytes, size_t n)
{
    if (n < SESSION_AT || bytes[0] != SSL3_RT_HANDSHAKE || bytes[1] != SSL3_VERSION_MAJOR ||
        bytes[RECORD] != SSL3_MT_CLIENT_HELLO || behind(bytes, n, 3, 2) != n || behind(bytes, n, RECORD + 1, 3) != n)
        return false;
    size_t at = behind(bytes, n, SESSION_AT, 1); /* session, ciphers, compression */
    at = behind(bytes, n, at, 2);
    at = behind(bytes, n, at, 1);
    if (at == n) /* it has no extensions */
        return true;
    if (behind(bytes, n, at, 2) != n)
        return false;
    for (at += 2; at < n;) {
        if (n - at < 4 || (bytes[at] == 0 && bytes[at + 1] == EARLY_DATA))
            return false;
        at = behind(bytes, n, at + 2, 2);
    }
    return at == n;
}
