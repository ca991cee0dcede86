/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Included before all else of a program: it takes OpenSSL's functions from libssl by dlopen() and dlsym(), as .NET and
 * Envoy with OpenSSL do. `reached_version`: by dlvsym() and this version. */
#ifndef OCT_TEST_REACHED_H
#define OCT_TEST_REACHED_H

#include <openssl/err.h>
#include <openssl/ssl.h>

#define REACHED(X)                                                                                                     \
    X(TLS_server_method)                                                                                               \
    X(SSL_CTX_new)                                                                                                     \
    X(SSL_CTX_use_certificate_chain_file)                                                                              \
    X(SSL_CTX_use_PrivateKey_file)                                                                                     \
    X(SSL_get_servername)                                                                                              \
    X(SSL_new)                                                                                                         \
    X(SSL_set_fd)                                                                                                      \
    X(SSL_set_accept_state)                                                                                            \
    X(SSL_accept)                                                                                                      \
    X(SSL_do_handshake)                                                                                                \
    X(SSL_get_state)                                                                                                   \
    X(SSL_is_init_finished)                                                                                            \
    X(SSL_read)                                                                                                        \
    X(SSL_write)                                                                                                       \
    X(SSL_get_error)                                                                                                   \
    X(SSL_free)                                                                                                        \
    X(ERR_clear_error)                                                                                                 \
    X(ERR_print_errors_fp)

struct reached {
#define OCT_MEMBER(name) __typeof__(name) *name;
    REACHED(OCT_MEMBER)
#undef OCT_MEMBER
};
extern struct reached reached;
/* Ends the program if one is missing, or if dlerror() has something to say. */
void reach(const char *version);

#ifndef REACHED_HERE
#define TLS_server_method                  reached.TLS_server_method
#define SSL_CTX_new                        reached.SSL_CTX_new
#define SSL_CTX_use_certificate_chain_file reached.SSL_CTX_use_certificate_chain_file
#define SSL_CTX_use_PrivateKey_file        reached.SSL_CTX_use_PrivateKey_file
#define SSL_get_servername                 reached.SSL_get_servername
#define SSL_new                            reached.SSL_new
#define SSL_set_fd                         reached.SSL_set_fd
#define SSL_set_accept_state               reached.SSL_set_accept_state
#define SSL_accept                         reached.SSL_accept
#define SSL_do_handshake                   reached.SSL_do_handshake
#define SSL_get_state                      reached.SSL_get_state
#define SSL_is_init_finished               reached.SSL_is_init_finished
#define SSL_read                           reached.SSL_read
#define SSL_write                          reached.SSL_write
#define SSL_get_error                      reached.SSL_get_error
#define SSL_free                           reached.SSL_free
#define ERR_clear_error                    reached.ERR_clear_error
#define ERR_print_errors_fp                reached.ERR_print_errors_fp
#endif
#endif
