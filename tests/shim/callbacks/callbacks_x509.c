/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Callbacks of the verification of a peer's certificate. Each does its work and then what OpenSSL would have done. */
#include "callbacks.h"

#include <openssl/x509v3.h>

static int verified(int ok, X509_STORE_CTX *ctx)
{
    (void)ctx;
    callback_work();
    return ok;
}

static int verify_all(X509_STORE_CTX *ctx, void *arg)
{
    (void)arg;
    callback_work();
    return X509_verify_cert(ctx);
}

static int verify_chain(X509_STORE_CTX *ctx)
{
    (void)ctx;
    callback_work();
    return 1;
}

static int get_issuer(X509 **issuer, X509_STORE_CTX *ctx, X509 *x)
{
    callback_work();
    return X509_STORE_CTX_get1_issuer(issuer, ctx, x);
}

static int is_issuer(X509_STORE_CTX *ctx, X509 *x, X509 *issuer)
{
    (void)ctx;
    callback_work();
    return X509_check_issued(issuer, x) == X509_V_OK;
}

static int get_crl(X509_STORE_CTX *ctx, X509_CRL **crl, X509 *x)
{
    (void)ctx, (void)x;
    callback_work();
    X509_CRL_up_ref(*crl = callback_credentials.revoked);
    return 1;
}

static int crl_is_good(X509_STORE_CTX *ctx, X509_CRL *crl)
{
    (void)ctx, (void)crl;
    callback_work();
    return 1;
}

static int is_not_revoked(X509_STORE_CTX *ctx, X509_CRL *crl, X509 *x)
{
    (void)ctx, (void)crl, (void)x;
    callback_work();
    return 1;
}

static int cleaned_up(X509_STORE_CTX *ctx)
{
    (void)ctx;
    callback_work();
    return 1;
}

static STACK_OF(X509) * find_certificates(X509_STORE_CTX *ctx, const X509_NAME *name)
{
    callback_work();
    return X509_STORE_CTX_get1_certs(ctx, (X509_NAME *)(uintptr_t)name);
}

static STACK_OF(X509_CRL) * find_crls(const X509_STORE_CTX *ctx, const X509_NAME *name)
{
    callback_work();
    return X509_STORE_CTX_get1_crls((X509_STORE_CTX *)(uintptr_t)ctx, (X509_NAME *)(uintptr_t)name);
}

static int trusts(X509_TRUST *trust, X509 *x, int flags)
{
    (void)trust, (void)x, (void)flags;
    callback_work();
    return X509_TRUST_TRUSTED;
}

static int trusts_unknown(int id, X509 *x, int flags)
{
    (void)id, (void)x, (void)flags;
    callback_work();
    return X509_TRUST_TRUSTED;
}

static int with_verify_cb(X509_STORE_CTX *ctx, void *arg)
{
    (void)arg;
    X509_STORE_CTX_set_verify_cb(ctx, verified);
    return X509_verify_cert(ctx);
}

static int with_verify(X509_STORE_CTX *ctx, void *arg)
{
    (void)arg;
    X509_STORE_CTX_set_verify(ctx, verify_chain);
    return X509_verify_cert(ctx);
}

#if OPENSSL_VERSION_NUMBER >= 0x30200000L
static int with_get_crl(X509_STORE_CTX *ctx, void *arg)
{
    (void)arg;
    X509_STORE_CTX_set_get_crl(ctx, get_crl);
    return X509_verify_cert(ctx);
}
#endif

static X509_STORE *store_of(SSL_CTX *ctx, unsigned long flags)
{
    X509_STORE *store = SSL_CTX_get_cert_store(ctx);
    X509_STORE_set_flags(store, flags);
    if (flags & X509_V_FLAG_CRL_CHECK)
        X509_STORE_add_crl(store, callback_credentials.revoked);
    return store;
}

#define IN_STORE(what, flags, setter, function)                                                                        \
    static void what(SSL_CTX *own, SSL_CTX *peer)                                                                      \
    {                                                                                                                  \
        (void)peer;                                                                                                    \
        setter(store_of(own, flags), function);                                                                        \
    }
IN_STORE(store_verify, 0, X509_STORE_set_verify, verify_chain)
IN_STORE(store_verify_func, 0, X509_STORE_set_verify_func, verify_chain)
IN_STORE(store_verify_cb, 0, X509_STORE_set_verify_cb, verified)
IN_STORE(store_verify_cb_func, 0, X509_STORE_set_verify_cb_func, verified)
IN_STORE(store_get_issuer, 0, X509_STORE_set_get_issuer, get_issuer)
IN_STORE(store_is_issuer, 0, X509_STORE_set_check_issued, is_issuer)
IN_STORE(store_revocation, 0, X509_STORE_set_check_revocation, cleaned_up)
IN_STORE(store_get_crl, X509_V_FLAG_CRL_CHECK, X509_STORE_set_get_crl, get_crl)
IN_STORE(store_check_crl, X509_V_FLAG_CRL_CHECK, X509_STORE_set_check_crl, crl_is_good)
IN_STORE(store_cert_crl, X509_V_FLAG_CRL_CHECK, X509_STORE_set_cert_crl, is_not_revoked)
IN_STORE(store_policy, X509_V_FLAG_POLICY_CHECK, X509_STORE_set_check_policy, cleaned_up)
IN_STORE(store_crls, X509_V_FLAG_CRL_CHECK, X509_STORE_set_lookup_crls, find_crls)
IN_STORE(store_crls_cb, X509_V_FLAG_CRL_CHECK, X509_STORE_set_lookup_crls_cb, find_crls)
IN_STORE(store_cleanup, 0, X509_STORE_set_cleanup, cleaned_up)

/* The leaf itself is trusted and its issuer is not known: the leaf is looked for last. */
static void store_certificates(SSL_CTX *own, SSL_CTX *peer)
{
    X509_STORE *store = X509_STORE_new();
    (void)peer;
    X509_STORE_set_flags(store, X509_V_FLAG_PARTIAL_CHAIN);
    X509_STORE_add_cert(store, callback_credentials.leaf);
    X509_STORE_set_lookup_certs(store, find_certificates);
    SSL_CTX_set_cert_store(own, store);
}

static int find_nothing(X509_LOOKUP *lookup, X509_LOOKUP_TYPE type, const X509_NAME *name, X509_OBJECT *object)
{
    (void)lookup, (void)type, (void)name, (void)object;
    callback_work();
    return 0;
}

static X509_LOOKUP_METHOD *method;

/* Lists of revoked certificates are always looked for in all places. */
static void store_lookup(SSL_CTX *own, SSL_CTX *peer)
{
    (void)peer;
    method = X509_LOOKUP_meth_new("a place with nothing in it");
    X509_LOOKUP_meth_set_get_by_subject(method, (X509_LOOKUP_get_by_subject_fn)(void (*)(void))find_nothing);
    X509_STORE_add_lookup(store_of(own, X509_V_FLAG_CRL_CHECK), method);
}

static void ctx_verify(SSL_CTX *own, SSL_CTX *peer)
{
    (void)peer;
    SSL_CTX_set_verify(own, SSL_VERIFY_PEER, verified);
}
static void ssl_verify(SSL *own, SSL *peer)
{
    (void)peer;
    SSL_set_verify(own, SSL_VERIFY_PEER, verified);
}
static void ctx_all(SSL_CTX *own, SSL_CTX *peer)
{
    (void)peer;
    SSL_CTX_set_cert_verify_callback(own, verify_all, NULL);
}

static void ctx_cb(SSL_CTX *own, SSL_CTX *peer)
{
    (void)peer;
    SSL_CTX_set_cert_verify_callback(own, with_verify_cb, NULL);
}

static void ctx_own(SSL_CTX *own, SSL_CTX *peer)
{
    (void)peer;
    SSL_CTX_set_cert_verify_callback(own, with_verify, NULL);
}

#if OPENSSL_VERSION_NUMBER >= 0x30200000L
static void ctx_crl(SSL_CTX *own, SSL_CTX *peer)
{
    (void)peer;
    store_of(own, X509_V_FLAG_CRL_CHECK);
    SSL_CTX_set_cert_verify_callback(own, with_get_crl, NULL);
}
#endif

#define OWN_TRUST 100

static void ctx_trust(SSL_CTX *own, SSL_CTX *peer)
{
    (void)peer;
    X509_TRUST_add(OWN_TRUST, 0, trusts, "its own", 0, NULL);
    SSL_CTX_set_trust(own, OWN_TRUST);
}

static int (*default_trust)(int, X509 *, int);

/* A kind of trust that the context still has, and the table no more. */
static void ctx_default_trust(SSL_CTX *own, SSL_CTX *peer)
{
    ctx_trust(own, peer);
    X509_TRUST_cleanup();
    default_trust = X509_TRUST_set_default(trusts_unknown);
}

static void undo_default_trust(void)
{
    X509_TRUST_set_default(default_trust);
}

static const struct callback_row rows[] = {
    ROW(SSL_CTX_set_verify, .flags = MUTUAL, .ctx = ctx_verify),
    ROW(SSL_set_verify, .flags = OWN_CONNECTS, .kind = TLS12_ECDHE, .ssl = ssl_verify),
    ROW(SSL_CTX_set_cert_verify_callback, .flags = MUTUAL, .ctx = ctx_all),
    ROW(X509_STORE_CTX_set_verify_cb, .flags = MUTUAL, .ctx = ctx_cb),
    ROW(X509_STORE_CTX_set_verify, .flags = MUTUAL, .ctx = ctx_own),
#if OPENSSL_VERSION_NUMBER >= 0x30200000L
    ROW(X509_STORE_CTX_set_get_crl, .flags = MUTUAL, .ctx = ctx_crl),
#endif
    ROW(X509_STORE_set_verify, .flags = MUTUAL, .ctx = store_verify),
    ROW(X509_STORE_set_verify_func, .flags = MUTUAL, .kind = TLS12_ECDHE, .ctx = store_verify_func),
    ROW(X509_STORE_set_verify_cb, .flags = MUTUAL, .ctx = store_verify_cb),
    ROW(X509_STORE_set_verify_cb_func, .flags = MUTUAL, .kind = TLS12_ECDHE, .ctx = store_verify_cb_func),
    ROW(X509_STORE_set_get_issuer, .flags = MUTUAL, .ctx = store_get_issuer),
    ROW(X509_STORE_set_check_issued, .flags = MUTUAL, .ctx = store_is_issuer),
    ROW(X509_STORE_set_check_revocation, .flags = MUTUAL, .ctx = store_revocation),
    ROW(X509_STORE_set_get_crl, .flags = MUTUAL, .ctx = store_get_crl),
    ROW(X509_STORE_set_check_crl, .flags = MUTUAL, .ctx = store_check_crl),
    ROW(X509_STORE_set_cert_crl, .flags = MUTUAL, .ctx = store_cert_crl),
    ROW(X509_STORE_set_check_policy, .flags = MUTUAL, .ctx = store_policy),
    ROW(X509_STORE_set_lookup_certs, .flags = MUTUAL, .ctx = store_certificates),
    ROW(X509_STORE_set_lookup_crls, .flags = MUTUAL, .ctx = store_crls),
    ROW(X509_STORE_set_lookup_crls_cb, .flags = MUTUAL, .kind = TLS12_ECDHE, .ctx = store_crls_cb),
    ROW(X509_STORE_set_cleanup, .flags = MUTUAL, .ctx = store_cleanup),
    ROW(X509_LOOKUP_meth_set_get_by_subject, .flags = MUTUAL, .ctx = store_lookup),
    ROW(X509_TRUST_add, .flags = MUTUAL, .ctx = ctx_trust),
    ROW(X509_TRUST_set_default, .flags = MUTUAL, .ctx = ctx_default_trust, .undo = undo_default_trust),
};
const struct callback_table callbacks_x509 = {rows, sizeof rows / sizeof rows[0]};
