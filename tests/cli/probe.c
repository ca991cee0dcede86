/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Says what OpenSSL is like for a program: an SSL_CTX in the default library context and one in a context of its own,
 * with protocols, ciphers, groups, signature algorithms, providers, default properties and the whole error queue. One
 * fact a line. An argument is done before: `load=NAME` loads a provider, `properties=QUERY` sets default properties,
 * `query=QUERY` is given to the SSL_CTX, `noconfig` reads no configuration, `own` makes the own context first, `key`
 * a key and a signature,
 * `chroot=FOLDER` enters a jail behind the first SSL_CTX, `chroot-first=FOLDER` before.
 */
#define _GNU_SOURCE
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/provider.h>
#include <openssl/ssl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *query;

static void say_errors(const char *when)
{
    const char *file, *function, *data;
    int line, flags;
    unsigned long code;
    while ((code = ERR_get_error_all(&file, &line, &function, &data, &flags)) != 0)
        printf("error %s %d %d %s %s\n", when, ERR_GET_LIB(code), ERR_GET_REASON(code), function,
               (flags & ERR_TXT_STRING) != 0 ? data : "");
}

static int say_provider(OSSL_PROVIDER *provider, void *arg)
{
    printf("provider %s %s\n", (const char *)arg, OSSL_PROVIDER_get0_name(provider));
    return 1;
}

static const char *name_of(const OSSL_PROVIDER *provider)
{
    return provider != NULL ? OSSL_PROVIDER_get0_name(provider) : "nobody";
}

static void say_owners(OSSL_LIB_CTX *lib, const char *where)
{
    static const char *const keys[] = {"RSA", "EC", "X25519", "ED25519", "DH", "X448"};
    static const char *const ciphers[] = {"AES-256-GCM", "ChaCha20-Poly1305", "AES-128-CBC", "RC4"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        EVP_KEYMGMT *key = EVP_KEYMGMT_fetch(lib, keys[i], NULL);
        printf("owner %s %s %s\n", where, keys[i], name_of(key != NULL ? EVP_KEYMGMT_get0_provider(key) : NULL));
        EVP_KEYMGMT_free(key);
    }
    for (size_t i = 0; i < sizeof ciphers / sizeof ciphers[0]; i++) {
        EVP_CIPHER *cipher = EVP_CIPHER_fetch(lib, ciphers[i], NULL);
        printf("owner %s %s %s\n", where, ciphers[i],
               name_of(cipher != NULL ? EVP_CIPHER_get0_provider(cipher) : NULL));
        EVP_CIPHER_free(cipher);
    }
    EVP_MD *md = EVP_MD_fetch(lib, "SHA256", NULL);
    printf("owner %s SHA256 %s\n", where, name_of(md != NULL ? EVP_MD_get0_provider(md) : NULL));
    EVP_MD_free(md);
    EVP_MAC *mac = EVP_MAC_fetch(lib, "HMAC", NULL);
    printf("owner %s HMAC %s\n", where, name_of(mac != NULL ? EVP_MAC_get0_provider(mac) : NULL));
    EVP_MAC_free(mac);
    ERR_clear_error();
}

/* Groups and signature algorithms, from the hello that a client with this SSL_CTX sends. */
static void say_extension(const unsigned char *body, size_t len, unsigned wanted, const char *what, const char *where)
{
    size_t at = 38;
    at += 1 + (at < len ? body[at] : 0);                                 /* the session's name */
    at += 2 + (at + 1 < len ? (size_t)body[at] << 8 | body[at + 1] : 0); /* ciphers */
    at += 1 + (at < len ? body[at] : 0);                                 /* compression */
    at += 2;
    while (at + 4 <= len) {
        const unsigned type = (unsigned)body[at] << 8 | body[at + 1];
        const size_t size = (size_t)body[at + 2] << 8 | body[at + 3];
        at += 4;
        for (size_t i = 2; type == wanted && i + 2 <= size && at + i + 2 <= len; i += 2)
            printf("%s %s %04x\n", what, where, (unsigned)body[at + i] << 8 | body[at + i + 1]);
        at += size;
    }
}

static void see_message(int out, int version, int type, const void *data, size_t len, SSL *s, void *where)
{
    (void)version, (void)s;
    if (!out || type != SSL3_RT_HANDSHAKE || len < 4 || *(const unsigned char *)data != SSL3_MT_CLIENT_HELLO)
        return;
    say_extension(data, len, 10, "group", where);
    say_extension(data, len, 13, "sigalg", where);
}

static void say_hello(SSL_CTX *ctx, const char *where)
{
    SSL *s = SSL_new(ctx);
    if (s == NULL)
        return;
    SSL_set_bio(s, BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
    SSL_set_msg_callback(s, see_message);
    SSL_set_msg_callback_arg(s, (void *)where);
    printf("connect %s %d\n", where, SSL_connect(s));
    ERR_clear_error();
    SSL_free(s);
}

static void say_ctx(OSSL_LIB_CTX *lib, const SSL_METHOD *method, const char *where)
{
    SSL_CTX *ctx = lib != NULL || query != NULL ? SSL_CTX_new_ex(lib, query, method) : SSL_CTX_new(method);
    printf("made %s %d\n", where, ctx != NULL);
    say_errors(where);
    if (ctx == NULL)
        return;
    printf("protocols %s %lx %lx\n", where, (long)SSL_CTX_get_min_proto_version(ctx),
           (long)SSL_CTX_get_max_proto_version(ctx));
    printf("options %s %llx level %d mode %lx verify %d\n", where, (unsigned long long)SSL_CTX_get_options(ctx),
           SSL_CTX_get_security_level(ctx), SSL_CTX_get_mode(ctx), SSL_CTX_get_verify_mode(ctx));
    STACK_OF(SSL_CIPHER) *ciphers = SSL_CTX_get_ciphers(ctx);
    for (int i = 0; i < sk_SSL_CIPHER_num(ciphers); i++)
        printf("cipher %s %s\n", where, SSL_CIPHER_get_name(sk_SSL_CIPHER_value(ciphers, i)));
    if (method == TLS_method())
        say_hello(ctx, where);
    SSL_CTX_free(ctx);
}

static void say_own(void)
{
    OSSL_LIB_CTX *own = OSSL_LIB_CTX_new();
    say_ctx(own, TLS_method(), "own");
    OSSL_PROVIDER_do_all(own, say_provider, (void *)"own");
    OSSL_LIB_CTX_free(own);
}

static void say_key(void)
{
    unsigned char signature[512];
    size_t size = sizeof signature;
    EVP_PKEY *key = NULL;
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_id(EVP_PKEY_EC, NULL);
    const int made = ctx != NULL && EVP_PKEY_keygen_init(ctx) > 0 && EVP_PKEY_CTX_set_group_name(ctx, "P-256") > 0 &&
                     EVP_PKEY_keygen(ctx, &key) > 0;
    EVP_MD_CTX *sign = EVP_MD_CTX_new();
    printf("key %d signed %d\n", made,
           EVP_DigestSignInit(sign, NULL, EVP_sha256(), NULL, key) > 0 &&
               EVP_DigestSign(sign, signature, &size, (const unsigned char *)"text", 4) > 0);
    printf("owner default key %s\n", name_of(key != NULL ? EVP_PKEY_get0_provider(key) : NULL));
    EVP_MD_CTX_free(sign);
    EVP_PKEY_free(key);
    EVP_PKEY_CTX_free(ctx);
    say_errors("key");
}

static void enter(const char *folder)
{
    if (chroot(folder) != 0 || chdir("/") != 0)
        exit(77);
}

int main(int argc, char **argv)
{
    const char *jail = NULL;
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (int i = 1; i < argc; i++)
        if (strncmp(argv[i], "load=", 5) == 0)
            printf("loaded %d\n", OSSL_PROVIDER_load(NULL, argv[i] + 5) != NULL);
        else if (strncmp(argv[i], "properties=", 11) == 0)
            printf("set %d\n", EVP_set_default_properties(NULL, argv[i] + 11));
        else if (strncmp(argv[i], "query=", 6) == 0)
            query = argv[i] + 6;
        else if (strcmp(argv[i], "noconfig") == 0)
            OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, NULL);
        else if (strcmp(argv[i], "own") == 0)
            say_own();
        else if (strcmp(argv[i], "key") == 0)
            say_key();
        else if (strncmp(argv[i], "chroot=", 7) == 0)
            jail = argv[i] + 7;
        else if (strncmp(argv[i], "chroot-first=", 13) == 0)
            enter(argv[i] + 13);
    say_errors("before");
    say_ctx(NULL, TLS_server_method(), "server");
    if (jail != NULL)
        enter(jail);
    say_ctx(NULL, TLS_method(), "default");
    say_ctx(NULL, DTLS_method(), "dtls");
    OSSL_PROVIDER_do_all(NULL, say_provider, (void *)"default");
    say_owners(NULL, "default");
    printf("fips %d\n", EVP_default_properties_is_fips_enabled(NULL));
    say_own();
    say_errors("after");
    return 0;
}
