/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See server.h. */
#include "server.h"

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <stdio.h>
#include <string.h>

SSL_CTX *_Atomic context;
SSL_CTX *context_inner, *context_client, *context_other;
static SSL_CTX *context_second;

static enum outcome at(const SSL *ssl, enum point point)
{
    return ssl != NULL ? act(SSL_get_app_data(ssl), point) : GO_ON;
}

static int on_hello(SSL *ssl, int *alert, void *arg)
{
    (void)alert, (void)arg;
    const enum outcome o = at(ssl, AT_HELLO);
    return o == REFUSE ? SSL_CLIENT_HELLO_ERROR : o == RETRY ? SSL_CLIENT_HELLO_RETRY : SSL_CLIENT_HELLO_SUCCESS;
}

static int on_name(SSL *ssl, int *alert, void *arg)
{
    (void)alert, (void)arg;
    const struct conn *c = SSL_get_app_data(ssl);
    if (context_second != NULL && c != NULL && c->id % 2 != 0)
        SSL_set_SSL_CTX(ssl, context_second);
    return at(ssl, AT_SERVERNAME) == REFUSE ? SSL_TLSEXT_ERR_ALERT_FATAL : SSL_TLSEXT_ERR_OK;
}

static int on_alpn(SSL *ssl, const unsigned char **out, unsigned char *length, const unsigned char *in, unsigned n,
                   void *arg)
{
    (void)n, (void)arg;
    *out = in + 1;
    *length = in[0];
    return at(ssl, AT_ALPN) == REFUSE ? SSL_TLSEXT_ERR_ALERT_FATAL : SSL_TLSEXT_ERR_OK;
}

static int on_certificate(SSL *ssl, void *arg)
{
    (void)arg;
    const enum outcome o = at(ssl, AT_CERTIFICATE);
    return o == REFUSE ? 0 : o == RETRY ? -1 : 1;
}

static int on_verify(int good, X509_STORE_CTX *store)
{
    SSL *ssl = X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx());
    return at(ssl, AT_VERIFY) != REFUSE && (good || !trust_is_asked());
}

static void on_keys(const SSL *ssl, const char *line)
{
    (void)line;
    (void)at(ssl, AT_KEYLOG);
}

static int on_ticket(SSL *ssl, void *arg)
{
    (void)arg;
    return at(ssl, AT_TICKET) != REFUSE;
}

static SSL_TICKET_RETURN on_unticket(SSL *ssl, SSL_SESSION *session, const unsigned char *name, size_t n,
                                     SSL_TICKET_STATUS status, void *arg)
{
    (void)session, (void)name, (void)n, (void)arg;
    (void)at(ssl, AT_UNTICKET);
    return status == SSL_TICKET_SUCCESS         ? SSL_TICKET_RETURN_USE
           : status == SSL_TICKET_SUCCESS_RENEW ? SSL_TICKET_RETURN_USE_RENEW
                                                : SSL_TICKET_RETURN_IGNORE_RENEW;
}

static int on_session(SSL *ssl, SSL_SESSION *session)
{
    if (plan_is("cache", "own"))
        sessions_store(session);
    (void)at(ssl, AT_SESSION);
    return 0;
}

/* How often calls return depends on when bytes arrive. */
static void on_info(const SSL *ssl, int where, int value)
{
    (void)value;
    if (where & (SSL_CB_LOOP | SSL_CB_ALERT | SSL_CB_HANDSHAKE_START | SSL_CB_HANDSHAKE_DONE))
        (void)at(ssl, AT_INFO);
}

static void on_message(int writes, int version, int type, const void *bytes, size_t length, SSL *ssl, void *arg)
{
    (void)writes, (void)version, (void)bytes, (void)length, (void)arg;
    if (type == SSL3_RT_HANDSHAKE)
        (void)at(ssl, AT_MESSAGE);
}

static size_t on_padding(SSL *ssl, int type, size_t length, void *arg)
{
    (void)type, (void)length, (void)arg;
    (void)at(ssl, AT_PADDING);
    return 0;
}

static int on_security(const SSL *ssl, const SSL_CTX *ctx, int operation, int bits, int number, void *other, void *arg)
{
    (void)ctx, (void)operation, (void)bits, (void)number, (void)other, (void)arg;
    (void)at(ssl, AT_SECURITY);
    return 1;
}

static int on_ticket_key(SSL *ssl, unsigned char name[16], unsigned char iv[EVP_MAX_IV_LENGTH], EVP_CIPHER_CTX *cipher,
                         EVP_MAC_CTX *mac, int seals)
{
    static unsigned char key[32] = "a key for tickets of the tests";
    static char digest[] = "sha256";
    OSSL_PARAM params[] = {OSSL_PARAM_octet_string(OSSL_MAC_PARAM_KEY, key, sizeof key),
                           OSSL_PARAM_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0), OSSL_PARAM_END};
    (void)ssl;
    if (seals) {
        memset(name, 'n', 16);
        memset(iv, 'i', 16);
    }
    if (EVP_CipherInit_ex(cipher, EVP_aes_256_cbc(), NULL, key, iv, seals) != 1 ||
        EVP_MAC_CTX_set_params(mac, params) != 1)
        return -1;
    return 1;
}

static void use_key(SSL_CTX *ctx, const char *keys, const char *name)
{
    char path[2][4096];
    snprintf(path[0], sizeof path[0], "%s/%s.crt", keys, name);
    snprintf(path[1], sizeof path[1], "%s/%s.key", keys, name);
    if (SSL_CTX_use_certificate_chain_file(ctx, path[0]) != 1 ||
        SSL_CTX_use_PrivateKey_file(ctx, path[1], SSL_FILETYPE_PEM) != 1)
        fail(path[1]);
}

static void use_callbacks(SSL_CTX *ctx)
{
    if (plan_minds("hello"))
        SSL_CTX_set_client_hello_cb(ctx, on_hello, NULL);
    if (plan_minds("servername") || plan_number("sni", 0))
        SSL_CTX_set_tlsext_servername_callback(ctx, on_name);
    if (plan_minds("alpn"))
        SSL_CTX_set_alpn_select_cb(ctx, on_alpn, NULL);
    if (plan_minds("certificate"))
        SSL_CTX_set_cert_cb(ctx, on_certificate, NULL);
    if (plan_minds("keylog"))
        SSL_CTX_set_keylog_callback(ctx, on_keys);
    if (plan_minds("ticket") || plan_minds("unticket"))
        SSL_CTX_set_session_ticket_cb(ctx, on_ticket, on_unticket, NULL);
    if (plan_minds("session") || plan_is("cache", "own"))
        SSL_CTX_sess_set_new_cb(ctx, on_session);
    if (plan_minds("info"))
        SSL_CTX_set_info_callback(ctx, on_info);
    if (plan_minds("message"))
        SSL_CTX_set_msg_callback(ctx, on_message);
    if (plan_minds("padding"))
        SSL_CTX_set_record_padding_callback(ctx, on_padding);
    if (plan_minds("security"))
        SSL_CTX_set_security_callback(ctx, on_security);
}

static SSL_CTX *bare(const char *keys, const char *name)
{
    SSL_CTX *ctx = SSL_CTX_new(TLS_server_method());
    static const unsigned char session_context[] = "random";
    use_key(ctx, keys, name);
    SSL_CTX_set_session_id_context(ctx, session_context, sizeof session_context);
    return ctx;
}

/* Tickets stay good. */
static void keep_tickets(SSL_CTX *ctx, SSL_CTX *before)
{
    unsigned char keys[80];
    if (before != NULL && SSL_CTX_get_tlsext_ticket_keys(before, keys, sizeof keys) == 1)
        SSL_CTX_set_tlsext_ticket_keys(ctx, keys, sizeof keys);
}

static void use_plan(SSL_CTX *ctx, const char *keys)
{
    if (plan_text("also", NULL) != NULL)
        use_key(ctx, keys, plan_text("also", NULL));
    if (plan_is("tls", "2"))
        SSL_CTX_set_max_proto_version(ctx, TLS1_2_VERSION);
    if (plan_is("tls", "3"))
        SSL_CTX_set_min_proto_version(ctx, TLS1_3_VERSION);
    if (plan_is("suites", "rsa"))
        SSL_CTX_set_cipher_list(ctx, "kRSA");
    if (plan_number("tickets", 1) == 0)
        SSL_CTX_set_options(ctx, SSL_OP_NO_TICKET);
    if (plan_number("ticketkey", 0) != 0)
        SSL_CTX_set_tlsext_ticket_key_evp_cb(ctx, on_ticket_key);
    if (plan_number("ahead", 0) != 0)
        SSL_CTX_set_read_ahead(ctx, 1);
    if (plan_number("release", 0) != 0)
        SSL_CTX_set_mode(ctx, SSL_MODE_RELEASE_BUFFERS);
    if (plan_is("cache", "own"))
        sessions_use(ctx);
    if (plan_minds("verify") || plan_text("verify", NULL) != NULL)
        trust_use(ctx, plan_minds("verify") || !trust_is_asked() ? on_verify : NULL);
    SSL_CTX_set_mode(ctx, SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_ENABLE_PARTIAL_WRITE);
    use_callbacks(ctx);
}

SSL_CTX *context_new(const char *keys, SSL_CTX *before)
{
    trust_open(keys);
    SSL_CTX *ctx = bare(keys, plan_text("key", "rsa2048"));
    use_plan(ctx, keys);
    keep_tickets(ctx, before);
    if (context_inner == NULL) {
        context_inner = bare(keys, plan_text("key", "rsa2048"));
        context_client = SSL_CTX_new(TLS_client_method());
        if (plan_minds_act("swap")) {
            context_other = bare(keys, plan_text("other", "rsa2048"));
            use_plan(context_other, keys);
            keep_tickets(context_other, ctx);
        }
        if (plan_number("sni", 0)) {
            context_second = bare(keys, plan_text("second", "ecdsa-p256"));
            use_plan(context_second, keys);
            keep_tickets(context_second, ctx);
        }
    }
    return ctx;
}
