/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Callbacks of the handshake itself: what is offered, chosen, seen and allowed. */
#define OPENSSL_SUPPRESS_DEPRECATED
#include "callbacks.h"

static void message(int sent, int version, int type, const void *buf, size_t n, SSL *s, void *arg)
{
    (void)sent, (void)version, (void)type, (void)buf, (void)n, (void)s, (void)arg;
    callback_work();
}

static void info(const SSL *s, int where, int value)
{
    (void)s, (void)where, (void)value;
    callback_work();
}

static int certificate(SSL *s, void *arg)
{
    (void)s, (void)arg;
    callback_work();
    return 1;
}

static int give_certificate(SSL *s, X509 **x, EVP_PKEY **key)
{
    (void)s;
    callback_work();
    X509_up_ref(*x = callback_credentials.leaf);
    EVP_PKEY_up_ref(*key = callback_credentials.leaf_key);
    return 1;
}

static int hello(SSL *s, int *alert, void *arg)
{
    (void)s, (void)alert, (void)arg;
    callback_work();
    return SSL_CLIENT_HELLO_SUCCESS;
}

static int server_name(SSL *s, int *alert, void *arg)
{
    (void)s, (void)alert, (void)arg;
    callback_work();
    return SSL_TLSEXT_ERR_OK;
}

static int status(SSL *s, void *arg)
{
    (void)s, (void)arg;
    callback_work();
    return SSL_TLSEXT_ERR_NOACK;
}

static void extension_seen(SSL *s, int client, int type, const unsigned char *data, int n, void *arg)
{
    (void)s, (void)client, (void)type, (void)data, (void)n, (void)arg;
    callback_work();
}

static int choose(SSL *s, const unsigned char **out, unsigned char *length, const unsigned char *in, unsigned n,
                  void *arg)
{
    (void)s, (void)n, (void)arg;
    callback_work();
    *out = in + 1;
    *length = in[0];
    return SSL_TLSEXT_ERR_OK;
}

static const unsigned char protocols[] = "\x02h2\x08http/1.1";

static void keylog(const SSL *s, const char *line)
{
    (void)s, (void)line;
    callback_work();
}

static size_t padding(SSL *s, int type, size_t n, void *arg)
{
    (void)s, (void)type, (void)n, (void)arg;
    callback_work();
    return 0;
}

static int security(const SSL *s, const SSL_CTX *ctx, int op, int bits, int nid, void *other, void *ex)
{
    (void)s, (void)ctx, (void)op, (void)bits, (void)nid, (void)other, (void)ex;
    callback_work();
    return 1;
}

static void ctx_message(SSL_CTX *own, SSL_CTX *peer)
{
    (void)peer;
    SSL_CTX_set_msg_callback(own, message);
}
static void ssl_message(SSL *own, SSL *peer)
{
    (void)peer;
    SSL_set_msg_callback(own, message);
}
static void ctx_info(SSL_CTX *own, SSL_CTX *peer)
{
    (void)peer;
    SSL_CTX_set_info_callback(own, info);
}
static void ssl_info(SSL *own, SSL *peer)
{
    (void)peer;
    SSL_set_info_callback(own, info);
}
static void ctx_certificate(SSL_CTX *own, SSL_CTX *peer)
{
    (void)peer;
    SSL_CTX_set_cert_cb(own, certificate, NULL);
}
static void ssl_certificate(SSL *own, SSL *peer)
{
    (void)peer;
    SSL_set_cert_cb(own, certificate, NULL);
}
static void ctx_hello(SSL_CTX *own, SSL_CTX *peer)
{
    (void)peer;
    SSL_CTX_set_client_hello_cb(own, hello, NULL);
}
static void ctx_keylog(SSL_CTX *own, SSL_CTX *peer)
{
    (void)peer;
    SSL_CTX_set_keylog_callback(own, keylog);
}
static void ctx_security(SSL_CTX *own, SSL_CTX *peer)
{
    (void)peer;
    SSL_CTX_set_security_callback(own, security);
}
static void ssl_security(SSL *own, SSL *peer)
{
    (void)peer;
    SSL_set_security_callback(own, security);
}
static void ctx_padding(SSL_CTX *own, SSL_CTX *peer)
{
    (void)peer;
    SSL_CTX_set_record_padding_callback(own, padding);
}
static void ssl_padding(SSL *own, SSL *peer)
{
    (void)peer;
    SSL_set_record_padding_callback(own, padding);
}
static void ctx_name(SSL_CTX *own, SSL_CTX *peer)
{
    (void)peer;
    SSL_CTX_set_tlsext_servername_callback(own, server_name);
}

static void peer_names(SSL *own, SSL *peer)
{
    (void)own;
    SSL_set_tlsext_host_name(peer, "localhost");
}
static void ctx_status(SSL_CTX *own, SSL_CTX *peer)
{
    (void)peer;
    SSL_CTX_set_tlsext_status_cb(own, status);
}
static void peer_wants_status(SSL *own, SSL *peer)
{
    (void)own;
    SSL_set_tlsext_status_type(peer, TLSEXT_STATUSTYPE_ocsp);
}

static void ssl_seen(SSL *own, SSL *peer)
{
    (void)peer;
    SSL_set_tlsext_debug_callback(own, extension_seen);
}

static void ctx_give(SSL_CTX *own, SSL_CTX *peer)
{
    SSL_CTX *bare = own;
    SSL_CTX_set_client_cert_cb(bare, give_certificate);
    SSL_CTX_set_verify(peer, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, NULL);
}

/* Its own certificate is taken away from it, so that it asks. */
static void ssl_bare(SSL *own, SSL *peer)
{
    (void)peer;
    SSL_certs_clear(own);
}

static void ctx_alpn(SSL_CTX *own, SSL_CTX *peer)
{
    SSL_CTX_set_alpn_protos(peer, protocols, sizeof protocols - 1);
    SSL_CTX_set_alpn_select_cb(own, choose, NULL);
}

static void raw_ctx_name(SSL_CTX *own, SSL_CTX *peer)
{
    (void)peer;
    SSL_CTX_callback_ctrl(own, SSL_CTRL_SET_TLSEXT_SERVERNAME_CB, (void (*)(void))server_name);
}

static void raw_ssl_seen(SSL *own, SSL *peer)
{
    (void)peer;
    SSL_callback_ctrl(own, SSL_CTRL_SET_TLSEXT_DEBUG_CB, (void (*)(void))extension_seen);
}

#ifndef OPENSSL_NO_NEXTPROTONEG
static int advertise(SSL *s, const unsigned char **out, unsigned *length, void *arg)
{
    (void)s;
    if (arg == NULL)
        callback_work();
    *out = protocols;
    *length = sizeof protocols - 1;
    return SSL_TLSEXT_ERR_OK;
}

static int choose_next(SSL *s, unsigned char **out, unsigned char *length, const unsigned char *in, unsigned n,
                       void *arg)
{
    (void)s, (void)n;
    if (arg == NULL)
        callback_work();
    *out = (unsigned char *)(uintptr_t)(in + 1);
    *length = in[0];
    return SSL_TLSEXT_ERR_OK;
}

static void ctx_advertise(SSL_CTX *own, SSL_CTX *peer)
{
    SSL_CTX_set_next_protos_advertised_cb(own, advertise, NULL);
    SSL_CTX_set_next_proto_select_cb(peer, choose_next, peer);
}

static void ctx_choose_next(SSL_CTX *own, SSL_CTX *peer)
{
    SSL_CTX_set_next_protos_advertised_cb(peer, advertise, peer);
    SSL_CTX_set_next_proto_select_cb(own, choose_next, NULL);
}
#endif

#ifndef OPENSSL_NO_CT
static int transparency(const CT_POLICY_EVAL_CTX *ctx, const STACK_OF(SCT) * scts, void *arg)
{
    (void)ctx, (void)scts, (void)arg;
    callback_work();
    return 1;
}

static void ctx_transparency(SSL_CTX *own, SSL_CTX *peer)
{
    (void)peer;
    SSL_CTX_set_verify(own, SSL_VERIFY_PEER, NULL);
    SSL_CTX_set_ct_validation_callback(own, transparency, NULL);
}

static void ssl_transparency(SSL *own, SSL *peer)
{
    (void)peer;
    SSL_set_verify(own, SSL_VERIFY_PEER, NULL);
    SSL_set_ct_validation_callback(own, transparency, NULL);
}
#endif

#ifndef OPENSSL_NO_DEPRECATED_3_0
static DH *group(SSL *s, int is_export, int bits)
{
    static DH *dh;
    (void)s, (void)is_export, (void)bits;
    callback_work();
    if (dh == NULL)
        dh = DH_new_by_nid(NID_ffdhe2048);
    return dh;
}

static void ctx_group(SSL_CTX *own, SSL_CTX *peer)
{
    (void)peer;
    SSL_CTX_set_tmp_dh_callback(own, group);
}
static void ssl_group(SSL *own, SSL *peer)
{
    (void)peer;
    SSL_set_tmp_dh_callback(own, group);
}
#endif

static const struct callback_row rows[] = {
    ROW(SSL_CTX_set_msg_callback, .ctx = ctx_message),
    ROW(SSL_set_msg_callback, .kind = TLS12_ECDHE, .ssl = ssl_message),
    ROW(SSL_CTX_set_info_callback, .ctx = ctx_info),
    ROW(SSL_set_info_callback, .kind = TLS12_ECDHE, .ssl = ssl_info),
    ROW(SSL_CTX_set_cert_cb, .ctx = ctx_certificate),
    ROW(SSL_set_cert_cb, .kind = TLS12_ECDHE, .ssl = ssl_certificate),
    ROW(SSL_CTX_set_client_cert_cb, .flags = OWN_CONNECTS, .ctx = ctx_give, .ssl = ssl_bare),
    ROW(SSL_CTX_set_client_hello_cb, .ctx = ctx_hello),
    ROW(SSL_CTX_set_tlsext_servername_callback, .ctx = ctx_name, .ssl = peer_names),
    ROW(SSL_CTX_set_tlsext_status_cb, .ctx = ctx_status, .ssl = peer_wants_status),
    ROW(SSL_set_tlsext_debug_callback, .ssl = ssl_seen),
    ROW(SSL_CTX_set_alpn_select_cb, .ctx = ctx_alpn),
    ROW(SSL_CTX_set_keylog_callback, .ctx = ctx_keylog),
    ROW(SSL_CTX_set_security_callback, .ctx = ctx_security),
    ROW(SSL_set_security_callback, .ssl = ssl_security),
    ROW(SSL_CTX_set_record_padding_callback, .ctx = ctx_padding),
    ROW(SSL_set_record_padding_callback, .ssl = ssl_padding),
    ROW(SSL_CTX_callback_ctrl, .ctx = raw_ctx_name, .ssl = peer_names),
    ROW(SSL_callback_ctrl, .ssl = raw_ssl_seen),
#ifndef OPENSSL_NO_NEXTPROTONEG
    ROW(SSL_CTX_set_next_protos_advertised_cb, .kind = TLS12_ECDHE, .ctx = ctx_advertise),
    ROW(SSL_CTX_set_next_proto_select_cb, .kind = TLS12_ECDHE, .flags = OWN_CONNECTS, .ctx = ctx_choose_next),
#endif
#ifndef OPENSSL_NO_CT
    ROW(SSL_CTX_set_ct_validation_callback, .flags = OWN_CONNECTS, .ctx = ctx_transparency),
    ROW(SSL_set_ct_validation_callback, .flags = OWN_CONNECTS, .ssl = ssl_transparency),
#endif
#ifndef OPENSSL_NO_DEPRECATED_3_0
    ROW(SSL_CTX_set_tmp_dh_callback, .kind = TLS12_ECDHE, .ciphers = "DHE", .ctx = ctx_group),
    ROW(SSL_set_tmp_dh_callback, .kind = TLS12_ECDHE, .ciphers = "DHE", .ssl = ssl_group),
#endif
};
const struct callback_table callbacks_tls = {rows, sizeof rows / sizeof rows[0]};
