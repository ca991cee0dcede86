/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Callbacks to which no handshake of a server or client over TCP comes on a fibre, and why. */
#include "callbacks.h"

#define DATAGRAMS "for DTLS and QUIC only, whose connections the shim leaves alone"
#define DIRECTLY  "the function calls it itself, before it returns; libssl does not call the function"
#define NOTHING   "a macro that does nothing any more"
#define LOOKUP    "called when a store gets or loses a place to look, not when one is asked"
#define NO_CALLER "only a program calls the function behind it: libssl and the verification do not"
#define ASYNC     "for programs with asynchronous jobs of their own, which the shim leaves alone"

static const struct callback_row rows[] = {
    NOT_REACHED(SSL_CTX_set_cookie_generate_cb, DATAGRAMS),
    NOT_REACHED(SSL_CTX_set_cookie_verify_cb, DATAGRAMS),
    NOT_REACHED(DTLS_set_timer_cb, DATAGRAMS),
    NOT_REACHED(BIO_dgram_sctp_notification_cb, DATAGRAMS),
    NOT_REACHED(BIO_meth_set_sendmmsg, DATAGRAMS),
    NOT_REACHED(BIO_meth_set_recvmmsg, DATAGRAMS),
    NOT_REACHED(SSL_CTX_set_new_pending_conn_cb, DATAGRAMS),
    NOT_REACHED(SSL_CTX_set_stateless_cookie_generate_cb, "SSL_stateless() calls it, which never runs on a fibre"),
    NOT_REACHED(SSL_CTX_set_stateless_cookie_verify_cb, "SSL_stateless() calls it, which never runs on a fibre"),
    NOT_REACHED(SSL_CTX_set_async_callback, ASYNC),
    NOT_REACHED(SSL_set_async_callback, ASYNC),
    NOT_REACHED(ASYNC_WAIT_CTX_set_callback, ASYNC),
    NOT_REACHED(ASYNC_WAIT_CTX_set_wait_fd, ASYNC),
    NOT_REACHED(ASYNC_start_job, ASYNC),
    NOT_REACHED(ASYNC_set_mem_functions, "called where a fibre is made, not on it"),
    NOT_REACHED(SSL_CTX_ech_set_callback,
                "from 4.0 on, and only with keys for encrypted hellos, which no end has here"),
    NOT_REACHED(SSL_ech_set_callback, "from 4.0 on, and only with keys for encrypted hellos, which no end has here"),
    NOT_REACHED(SSL_CTX_set_tmp_rsa_callback, NOTHING),
    NOT_REACHED(SSL_set_tmp_rsa_callback, NOTHING),
    NOT_REACHED(CRYPTO_set_locking_callback, NOTHING),
    NOT_REACHED(CRYPTO_set_add_lock_callback, NOTHING),
    NOT_REACHED(CRYPTO_THREADID_set_callback, NOTHING),
    NOT_REACHED(CRYPTO_set_id_callback, NOTHING),
    NOT_REACHED(X509_LOOKUP_meth_set_new_item, LOOKUP),
    NOT_REACHED(X509_LOOKUP_meth_set_free, LOOKUP),
    NOT_REACHED(X509_LOOKUP_meth_set_init, LOOKUP),
    NOT_REACHED(X509_LOOKUP_meth_set_shutdown, LOOKUP),
    NOT_REACHED(X509_LOOKUP_meth_set_ctrl, NO_CALLER),
    NOT_REACHED(X509_LOOKUP_meth_set_get_by_issuer_serial, NO_CALLER),
    NOT_REACHED(X509_LOOKUP_meth_set_get_by_fingerprint, NO_CALLER),
    NOT_REACHED(X509_LOOKUP_meth_set_get_by_alias, NO_CALLER),
    NOT_REACHED(X509_CRL_METHOD_new, "no list of revoked certificates comes in a handshake"),
    NOT_REACHED(BIO_meth_set_puts, "libssl has no lines to write"),
    NOT_REACHED(BIO_meth_set_gets, "libssl reads no lines"),
    NOT_REACHED(BIO_meth_set_callback_ctrl, NO_CALLER),
    NOT_REACHED(BIO_callback_ctrl, NO_CALLER),
    NOT_REACHED(BIO_set_info_callback, "for BIOs that connect or accept, before there is TLS"),
    NOT_REACHED(BIO_asn1_set_prefix, "for what is written as S/MIME"),
    NOT_REACHED(BIO_asn1_set_suffix, "for what is written as S/MIME"),
    NOT_REACHED(BIO_dump_cb, DIRECTLY),
    NOT_REACHED(BIO_dump_indent_cb, DIRECTLY),
    NOT_REACHED(CRYPTO_mem_leaks_cb, DIRECTLY),
    NOT_REACHED(CRYPTO_THREAD_run_once, DIRECTLY),
    NOT_REACHED(CRYPTO_THREAD_init_local, "called when a thread ends"),
    NOT_REACHED(OPENSSL_atexit, "called when the process ends"),
    NOT_REACHED(CRYPTO_set_mem_functions, "the world counts by it; a signature would allocate without end"),
};
const struct callback_table callbacks_unreached = {rows, sizeof rows / sizeof rows[0]};
