/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Where a handshake may pause, and nowhere else: at four points of a server's first handshake, each a state of libssl
 * and the work that it does there. At these libssl holds nothing that is not the connection's own, and no function of
 * the program stands on the stack. docs/pauses.md says for each what lies there, and what it points to.
 */
#include "handshake/slice.h"

#include <string.h>

/* The numbers of states change between releases, their names do not. */
static const struct {
    const char *state;
    unsigned work; /* of enum oct_slice_work */
} points[] = {
    {"TWSH", OCT_WORK_EXCHANGE},                     /* ServerHello of TLS 1.3: the server's key share */
    {"TWSCV", OCT_WORK_SIGN},                        /* CertificateVerify of TLS 1.3 */
    {"TWSKE", OCT_WORK_SIGN | OCT_WORK_EXCHANGE},    /* ServerKeyExchange of TLS 1.2: key pair, and signature */
    {"TRCKE", OCT_WORK_DECRYPT | OCT_WORK_EXCHANGE}, /* ClientKeyExchange of TLS 1.2 */
};

bool oct_point_is_here(const SSL *s, enum oct_slice_work work)
{
    const struct oct_ssl_functions *ssl = oct_ssl();
    const char *state = ssl->SSL_state_string(s);

    for (size_t i = 0; i < sizeof points / sizeof points[0]; i++)
        if (strcmp(state, points[i].state) == 0)
            return (points[i].work & work) != 0 && ssl->SSL_is_server(s);
    return false;
}
