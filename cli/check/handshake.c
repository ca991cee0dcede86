/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * A TLS handshake of this process with itself, through memory and with a key made for it, under the configuration of
 * OpenSSL that a program started here would have.
 */
#include <stdio.h>
#include <openssl/evp.h>
#include <openssl/provider.h>
#include <openssl/rsa.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include "cli/core/cli.h"
#include "check.h"

#define TURNS       20
#define BUFFER_SIZE 65536
#define SECONDS     3600

static X509 *make_certificate(EVP_PKEY *key)
{
    X509 *x = X509_new();
    if (x == NULL || !X509_set_version(x, X509_VERSION_3) || !X509_gmtime_adj(X509_getm_notBefore(x), -SECONDS) ||
        !X509_gmtime_adj(X509_getm_notAfter(x), SECONDS) || !X509_set_pubkey(x, key) ||
        !X509_sign(x, key, EVP_sha256())) {
        X509_free(x);
        return NULL;
    }
    return x;
}

static int run(SSL *server, SSL *client)
{
    BIO *there = NULL, *back = NULL;
    int done = 0;
    if (!BIO_new_bio_pair(&there, BUFFER_SIZE, &back, BUFFER_SIZE))
        return 0;
    SSL_set_bio(server, there, there);
    SSL_set_bio(client, back, back);
    SSL_set_accept_state(server);
    SSL_set_connect_state(client);
    for (int i = 0; i < TURNS && done != 3; i++)
        done = (SSL_do_handshake(client) == 1) | (SSL_do_handshake(server) == 1) << 1;
    return done == 3;
}

int check_handshake(void)
{
    SSL_CTX *ctx = SSL_CTX_new(TLS_method());
    EVP_PKEY *key = EVP_RSA_gen(2048);
    X509 *x = key != NULL ? make_certificate(key) : NULL;
    SSL *server = NULL, *client = NULL;
    int done = 0;
    if (ctx != NULL && x != NULL && SSL_CTX_use_certificate(ctx, x) == 1 && SSL_CTX_use_PrivateKey(ctx, key) == 1) {
        server = SSL_new(ctx);
        client = SSL_new(ctx);
        done = server != NULL && client != NULL && run(server, client);
    }
    if (done)
        printf("%s %s %d\n", SSL_get_version(client), SSL_get_cipher(client), OSSL_PROVIDER_available(NULL, "octuple"));
    else
        puts("no handshake");
    SSL_free(server);
    SSL_free(client);
    X509_free(x);
    EVP_PKEY_free(key);
    SSL_CTX_free(ctx);
    return done ? CLI_OK : CLI_FAILED;
}
