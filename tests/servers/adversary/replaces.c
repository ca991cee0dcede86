/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * A server that replaces, between two calls of a handshake, what the handshake works with.
 *
 * usage: replaces store|context|key|certificate|all|bio at-once|round|before CRL PORT KEYS
 *
 * What it replaces: the context's store of authorities (SSL_CTX_set_cert_store), the connection's context by one with
 * another certificate (SSL_set_SSL_CTX), its key by a copy (SSL_use_PrivateKey), the context's certificate and key by
 * copies (SSL_CTX_use_certificate), the connection's certificate and key by others (SSL_use_certificate), or its BIOs
 * by new ones (SSL_set_bio). When: right after each call that wants to read, after the events of the round, or before
 * the next call. KEYS/ca.crt is who issues clients' certificates. CRL is a list of those that it has revoked, and each
 * certificate of a chain is looked up there.
 */
#include "host.h"

#include <openssl/pem.h>
#include <stdio.h>
#include <string.h>

#define WAITING_MAX 256

static struct host host;
static SSL_CTX *other;
static const char *keys, *crl_path;
static void (*replace)(SSL *);
static bool at_once, in_round;
static struct guest *waiting[WAITING_MAX];
static unsigned waiting_count, replaced, refused;

static void note(int good)
{
    replaced++;
    refused += good != 1;
}

static FILE *file_of(const char *name, const char *suffix)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.%s", keys, name, suffix);
    FILE *file = fopen(path, "r");
    if (file == NULL)
        host_fail(path);
    return file;
}

static EVP_PKEY *key_of(const char *name)
{
    FILE *file = file_of(name, "key");
    EVP_PKEY *key = PEM_read_PrivateKey(file, NULL, NULL, NULL);
    fclose(file);
    return key;
}

static X509 *certificate_of(const char *name)
{
    FILE *file = file_of(name, "crt");
    X509 *certificate = PEM_read_X509(file, NULL, NULL, NULL);
    fclose(file);
    return certificate;
}

static X509_STORE *authorities(void)
{
    X509_STORE *store = X509_STORE_new();
    X509 *authority = certificate_of("ca");
    FILE *file = fopen(crl_path, "r");
    X509_CRL *crl = file == NULL ? NULL : PEM_read_X509_CRL(file, NULL, NULL, NULL);
    if (crl == NULL || X509_STORE_add_cert(store, authority) != 1 || X509_STORE_add_crl(store, crl) != 1 ||
        X509_STORE_set_flags(store, X509_V_FLAG_CRL_CHECK | X509_V_FLAG_CRL_CHECK_ALL) != 1)
        host_fail(crl_path);
    fclose(file);
    X509_CRL_free(crl);
    X509_free(authority);
    return store;
}

static void replace_store(SSL *ssl)
{
    SSL_CTX_set_cert_store(SSL_get_SSL_CTX(ssl), authorities());
    note(1);
}

static void replace_context(SSL *ssl)
{
    note(SSL_set_SSL_CTX(ssl, SSL_get_SSL_CTX(ssl) == other ? host.ctx : other) != NULL);
}

static void replace_key(SSL *ssl)
{
    EVP_PKEY *key = key_of("rsa2048");
    note(SSL_use_PrivateKey(ssl, key));
    EVP_PKEY_free(key);
}

static void replace_certificate(SSL *ssl)
{
    SSL_CTX *ctx = SSL_get_SSL_CTX(ssl);
    X509 *certificate = certificate_of("rsa2048");
    EVP_PKEY *key = key_of("rsa2048");
    note(SSL_CTX_use_certificate(ctx, certificate) == 1 && SSL_CTX_use_PrivateKey(ctx, key) == 1);
    X509_free(certificate);
    EVP_PKEY_free(key);
}

static void replace_all(SSL *ssl)
{
    X509 *certificate = certificate_of("rsa3072");
    EVP_PKEY *key = key_of("rsa3072");
    note(SSL_use_certificate(ssl, certificate) == 1 && SSL_use_PrivateKey(ssl, key) == 1);
    X509_free(certificate);
    EVP_PKEY_free(key);
}

static void replace_bio(SSL *ssl)
{
    BIO *bio = BIO_new_socket(SSL_get_fd(ssl), BIO_NOCLOSE);
    SSL_set_bio(ssl, bio, bio);
    note(bio != NULL);
}

static bool turn(struct guest *guest, uint32_t events)
{
    if (SSL_is_init_finished(guest->ssl))
        return host_step(guest, events);
    if (!at_once && !in_round && guest->turns > 1)
        replace(guest->ssl);
    bool stays = host_step(guest, events);
    if (!stays || SSL_is_init_finished(guest->ssl))
        return stays;
    if (at_once)
        replace(guest->ssl);
    else if (in_round && waiting_count < WAITING_MAX)
        waiting[waiting_count++] = guest;
    return true;
}

static void rest(void)
{
    for (unsigned i = 0; i < waiting_count; i++)
        replace(waiting[i]->ssl);
    waiting_count = 0;
}

static void choose(const char *what)
{
    static const struct {
        const char *name;
        void (*replace)(SSL *);
    } things[] = {{"store", replace_store}, {"context", replace_context},
                  {"key", replace_key},     {"certificate", replace_certificate},
                  {"all", replace_all},     {"bio", replace_bio}};
    for (size_t i = 0; i < sizeof things / sizeof things[0]; i++)
        if (strcmp(things[i].name, what) == 0)
            replace = things[i].replace;
}

static SSL_CTX *context(const char *name)
{
    SSL_CTX *ctx = echo_context(keys, name);
    SSL_CTX_set_cert_store(ctx, authorities());
    SSL_CTX_set_verify(ctx, SSL_VERIFY_PEER, NULL);
    SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_OFF);
    return ctx;
}

int main(int argc, char **argv)
{
    if (argc != 6)
        return 2;
    choose(argv[1]);
    if (replace == NULL)
        return 2;
    at_once = strcmp(argv[2], "at-once") == 0;
    in_round = strcmp(argv[2], "round") == 0;
    crl_path = argv[3];
    keys = argv[5];
    other = context("rsa3072");
    host = (struct host){.ctx = context("rsa2048"), .turn = turn, .rest = rest};
    host_serve(echo_listen(argv[4]), &host);
    printf("{\"some\": %s, \"refused\": %u}\n", replaced > 0 ? "true" : "false", refused);
    return 0;
}
