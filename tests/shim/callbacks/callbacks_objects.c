/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Callbacks for a program's extra data on OpenSSL's objects. Handshakes make and free sessions, certificates, BIOs and
 * contexts for verification by themselves; the others are made in a certificate callback here, as programs do.
 */
#define OPENSSL_SUPPRESS_DEPRECATED
#include "callbacks.h"

static int kind_of_object, extra;

static void added(void *parent, void *p, CRYPTO_EX_DATA *data, int index, long number, void *arg)
{
    (void)parent, (void)p, (void)data, (void)index, (void)number, (void)arg;
    callback_work();
}

static int copied(CRYPTO_EX_DATA *to, const CRYPTO_EX_DATA *from, void **p, int index, long number, void *arg)
{
    (void)to, (void)from, (void)p, (void)index, (void)number, (void)arg;
    callback_work();
    return 1;
}

static void has_extra(int kind)
{
    kind_of_object = kind;
    extra = CRYPTO_get_ex_new_index(kind, 0, NULL, added, copied, added);
}

static void no_extra(void)
{
    CRYPTO_free_ex_index(kind_of_object, extra);
}

static int make_connection(SSL *s, void *arg)
{
    (void)arg;
    SSL *more = SSL_new(SSL_get_SSL_CTX(s));
    SSL_free(SSL_dup(more));
    SSL_free(more);
    return 1;
}

static int make_context(SSL *s, void *arg)
{
    (void)s, (void)arg;
    SSL_CTX_free(SSL_CTX_new(TLS_method()));
    return 1;
}

static int make_any(SSL *s, void *arg)
{
    (void)s, (void)arg;
    CRYPTO_EX_DATA data;
    const bool ok = CRYPTO_new_ex_data(CRYPTO_EX_INDEX_APP, NULL, &data);
    CRYPTO_free_ex_data(CRYPTO_EX_INDEX_APP, NULL, &data);
    return ok;
}

#define EXTRA(what, kind, maker)                                                                                       \
    static void what(SSL_CTX *own, SSL_CTX *peer)                                                                      \
    {                                                                                                                  \
        int (*const function)(SSL *, void *) = maker;                                                                  \
        (void)peer;                                                                                                    \
        if (function != NULL)                                                                                          \
            SSL_CTX_set_cert_cb(own, function, NULL);                                                                  \
        has_extra(kind);                                                                                               \
    }
EXTRA(of_session, CRYPTO_EX_INDEX_SSL_SESSION, NULL)
EXTRA(of_certificate, CRYPTO_EX_INDEX_X509, NULL)
EXTRA(of_verification, CRYPTO_EX_INDEX_X509_STORE_CTX, NULL)
EXTRA(of_bio, CRYPTO_EX_INDEX_BIO, NULL)
EXTRA(of_connection, CRYPTO_EX_INDEX_SSL, make_connection)
EXTRA(of_context, CRYPTO_EX_INDEX_SSL_CTX, make_context)
EXTRA(of_store, CRYPTO_EX_INDEX_X509_STORE, make_context)
EXTRA(of_any, CRYPTO_EX_INDEX_APP, make_any)

static int password(char *buf, int n, int writes, void *arg)
{
    (void)writes, (void)arg;
    callback_work();
    memcpy(buf, "secret", n > 6 ? 6 : (size_t)n);
    return 6;
}

/* The key is read from an encrypted file for every connection. */
static int read_key(SSL *s, void *arg)
{
    (void)arg;
    return SSL_use_PrivateKey_file(s, callback_credentials.encrypted_key, SSL_FILETYPE_PEM);
}

static int read_key_of_ctx(SSL *s, void *arg)
{
    SSL_CTX *ctx = SSL_CTX_new(TLS_method());
    (void)s, (void)arg;
    SSL_CTX_set_default_passwd_cb(ctx, password);
    const int ok = SSL_CTX_use_PrivateKey_file(ctx, callback_credentials.encrypted_key, SSL_FILETYPE_PEM);
    SSL_CTX_free(ctx);
    return ok;
}

static void ctx_read_key(SSL_CTX *own, SSL_CTX *peer)
{
    (void)peer;
    SSL_CTX_set_cert_cb(own, read_key_of_ctx, NULL);
}

static void ssl_read_key(SSL *own, SSL *peer)
{
    (void)peer;
    SSL_set_default_passwd_cb(own, password);
    SSL_set_cert_cb(own, read_key, NULL);
}

static const struct callback_row rows[] = {
    ROW(SSL_SESSION_get_ex_new_index, .ctx = of_session, .undo = no_extra),
    ROW(X509_get_ex_new_index, .flags = MUTUAL, .ctx = of_certificate, .undo = no_extra),
    ROW(X509_STORE_CTX_get_ex_new_index, .flags = MUTUAL, .ctx = of_verification, .undo = no_extra),
    ROW(BIO_get_ex_new_index, .ctx = of_bio, .undo = no_extra),
    ROW(SSL_get_ex_new_index, .ctx = of_connection, .undo = no_extra),
    ROW(SSL_CTX_get_ex_new_index, .ctx = of_context, .undo = no_extra),
    ROW(X509_STORE_get_ex_new_index, .ctx = of_store, .undo = no_extra),
    ROW(CRYPTO_get_ex_new_index, .ctx = of_any, .undo = no_extra),
    ROW(SSL_CTX_set_default_passwd_cb, .ctx = ctx_read_key),
    ROW(SSL_set_default_passwd_cb, .ssl = ssl_read_key),
};
const struct callback_table callbacks_objects = {rows, sizeof rows / sizeof rows[0]};
