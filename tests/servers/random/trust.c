/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See server.h. Whom the server trusts, who it is itself, and both replaced between two calls. */
#include "server.h"

#include <openssl/pem.h>
#include <stdio.h>
#include <string.h>

static const char *keys;

static FILE *file_of(const char *name, const char *suffix)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.%s", keys, name, suffix);
    FILE *file = fopen(path, "r");
    if (file == NULL)
        fail(path);
    return file;
}

static X509 *certificate_of(const char *name)
{
    FILE *file = file_of(name, "crt");
    X509 *certificate = PEM_read_X509(file, NULL, NULL, NULL);
    fclose(file);
    return certificate;
}

static EVP_PKEY *key_of(const char *name)
{
    FILE *file = file_of(name, "key");
    EVP_PKEY *key = PEM_read_PrivateKey(file, NULL, NULL, NULL);
    fclose(file);
    return key;
}

static void revoke(X509_STORE *store)
{
    FILE *file = file_of("ca", "crl");
    X509_CRL *crl = PEM_read_X509_CRL(file, NULL, NULL, NULL);
    const unsigned long flags = X509_V_FLAG_CRL_CHECK | (plan_is("verify", "crls") ? X509_V_FLAG_CRL_CHECK_ALL : 0);
    if (crl == NULL || X509_STORE_add_crl(store, crl) != 1 || X509_STORE_set_flags(store, flags) != 1)
        fail("X509_STORE_add_crl");
    X509_CRL_free(crl);
    fclose(file);
}

static X509_STORE *store(void)
{
    X509_STORE *made = X509_STORE_new();
    X509 *authority = certificate_of("ca");
    if (X509_STORE_add_cert(made, authority) != 1)
        fail("X509_STORE_add_cert");
    if (!plan_is("verify", "store"))
        revoke(made);
    X509_free(authority);
    return made;
}

bool trust_is_asked(void)
{
    return strcmp(plan_text("verify", "1"), "1") != 0;
}

void trust_open(const char *folder)
{
    keys = folder;
}

void trust_use(SSL_CTX *ctx, SSL_verify_cb on_verify)
{
    const int needs = plan_number("need", 0) != 0 ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0;
    if (trust_is_asked())
        SSL_CTX_set_cert_store(ctx, store());
    SSL_CTX_set_verify(ctx, SSL_VERIFY_PEER | needs, on_verify);
}

/* What has been read although the handshake is not over, or of a client that is to be refused. */
void trust_note(const struct conn *c)
{
    X509 *peer = SSL_get0_peer_certificate(c->ssl);
    const bool refused = peer != NULL ? SSL_get_verify_result(c->ssl) != X509_V_OK : plan_number("need", 0) != 0;
    said_of(c->id)->odd |= SSL_in_init(c->ssl) ? 1u << ODD_EARLY : 0;
    said_of(c->id)->odd |= trust_is_asked() && refused ? 1u << ODD_UNKNOWN : 0;
}

static int swap_key(const struct conn *c, bool whole)
{
    const char *name = plan_text("key", "rsa2048");
    X509 *certificate = certificate_of(name);
    EVP_PKEY *key = key_of(name);
    const int good = (!whole || SSL_use_certificate(c->ssl, certificate) == 1) && SSL_use_PrivateKey(c->ssl, key) == 1;
    X509_free(certificate);
    EVP_PKEY_free(key);
    return good;
}

static int swap_context_key(SSL_CTX *ctx)
{
    const char *name = plan_text("key", "rsa2048");
    X509 *certificate = certificate_of(name);
    EVP_PKEY *key = key_of(name);
    const int good = SSL_CTX_use_certificate(ctx, certificate) == 1 && SSL_CTX_use_PrivateKey(ctx, key) == 1;
    X509_free(certificate);
    EVP_PKEY_free(key);
    return good;
}

static int swap_bio(const struct conn *c)
{
    BIO *bio = BIO_new_socket(c->fd, BIO_NOCLOSE);
    SSL_set_bio(c->ssl, bio, bio);
    return bio != NULL;
}

void trust_swap(const struct conn *c, int what)
{
    SSL_CTX *ctx = SSL_get_SSL_CTX(c->ssl);
    int good = 1;
    if (what == SWAP_CONTEXT)
        good = SSL_set_SSL_CTX(c->ssl, ctx == context_other ? context : context_other) != NULL;
    else if (what == SWAP_STORE)
        SSL_CTX_set_cert_store(ctx, store());
    else if (what == SWAP_CONTEXT_KEY)
        good = swap_context_key(ctx);
    else if (what == SWAP_BIO)
        good = swap_bio(c);
    else
        good = swap_key(c, what == SWAP_WHOLE);
    if (!good)
        fail("a swap");
}
