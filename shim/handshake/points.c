/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Where a handshake may pause, and nowhere else: at four points of a server's first handshake, each a state of libssl
 * and the work that it does there. At these libssl holds nothing that is not the connection's own, and no function of
 * the program stands on the stack. docs/pauses.md has the rule.
 *
 * What lies on the stack there, read in the sources of OpenSSL 3.0 and 3.5:
 *
 * - Always: state_machine(), read_state_machine(), write_state_machine() hold the object, and functions of libssl.
 * WPACKET and PACKET point into the object's own init_buf. The program's info callback is veiled (veil.c).
 * - TWSH: tls_construct_stoc_key_share(), ssl_derive(), ssl_encapsulate(). The peer's share and the server's key are
 * the object's own, in s3. The description of the group is the context's, never changes, and the object holds a
 * reference. Buffers are on the heap, and local.
 * - TWSCV, TWSKE: tls_construct_cert_verify(), tls_construct_server_key_exchange(). The key is that of the object's own
 *   CERT, a copy with references; SSL_use_PrivateKey() and SSL_set_SSL_CTX() would replace it, and are guarded. The
 *   digest is the context's, which the object holds.
 * - TRCKE: tls_process_cke_rsa(), tls_process_cke_ecdhe(). The same key, or the ephemeral one in s3. What the client
 * has sent lies in init_buf.
 *
 * Where a certificate is verified libssl holds a store without a reference, and callbacks of the program stand on the
 * stack: so nothing pauses there.
 */
#include "handshake/above.h"
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
    if (oct_method_part != NULL)
        return true; /* libssl itself offers to wait */
    const struct oct_ssl_functions *ssl = oct_ssl();
    const char *state = ssl->SSL_state_string(s);

    for (size_t i = 0; i < sizeof points / sizeof points[0]; i++)
        if (strcmp(state, points[i].state) == 0)
            return (points[i].work & work) != 0 && ssl->SSL_is_server(s);
    return false;
}
