/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Says which provider serves what, in the context of the process (OPENSSL_CONF) and in one of its own with the
 * configuration that is the argument; signs by RSA-2048 in both, so that counters move; and lists the files mapped.
 */
#include <stdio.h>
#include <string.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/provider.h>
#include <openssl/rsa.h>
#include <openssl/ssl.h>

static void say(const char *kind, const char *name, const OSSL_PROVIDER *provider)
{
    printf("%s:%s %s\n", kind, name, provider != NULL ? OSSL_PROVIDER_get0_name(provider) : "nobody");
}

static void say_keymgmt(OSSL_LIB_CTX *libctx, const char *name)
{
    EVP_KEYMGMT *keymgmt = EVP_KEYMGMT_fetch(libctx, name, NULL);
    say("keymgmt", name, keymgmt != NULL ? EVP_KEYMGMT_get0_provider(keymgmt) : NULL);
    EVP_KEYMGMT_free(keymgmt);
}

static void say_signature(OSSL_LIB_CTX *libctx, const char *name)
{
    EVP_SIGNATURE *signature = EVP_SIGNATURE_fetch(libctx, name, NULL);
    say("signature", name, signature != NULL ? EVP_SIGNATURE_get0_provider(signature) : NULL);
    EVP_SIGNATURE_free(signature);
}

static void say_keyexch(OSSL_LIB_CTX *libctx, const char *name)
{
    EVP_KEYEXCH *keyexch = EVP_KEYEXCH_fetch(libctx, name, NULL);
    say("keyexch", name, keyexch != NULL ? EVP_KEYEXCH_get0_provider(keyexch) : NULL);
    EVP_KEYEXCH_free(keyexch);
}

static void say_cipher(OSSL_LIB_CTX *libctx, const char *name)
{
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(libctx, name, NULL);
    say("cipher", name, cipher != NULL ? EVP_CIPHER_get0_provider(cipher) : NULL);
    EVP_CIPHER_free(cipher);
}

static void say_kdf(OSSL_LIB_CTX *libctx, const char *name)
{
    EVP_KDF *kdf = EVP_KDF_fetch(libctx, name, NULL);
    say("kdf", name, kdf != NULL ? EVP_KDF_get0_provider(kdf) : NULL);
    EVP_KDF_free(kdf);
}

static int sign(OSSL_LIB_CTX *libctx)
{
    unsigned char digest[32] = {1}, signature[512];
    size_t len = sizeof signature;
    EVP_PKEY *key = EVP_PKEY_Q_keygen(libctx, NULL, "RSA", (size_t)2048);
    EVP_PKEY_CTX *ctx = key != NULL ? EVP_PKEY_CTX_new_from_pkey(libctx, key, NULL) : NULL;
    int good = ctx != NULL && EVP_PKEY_sign_init(ctx) == 1 &&
               EVP_PKEY_CTX_set_rsa_padding(ctx, RSA_PKCS1_PADDING) == 1 &&
               EVP_PKEY_sign(ctx, signature, &len, digest, sizeof digest) == 1;
    EVP_PKEY_CTX_free(ctx);
    EVP_PKEY_free(key);
    return good;
}

static int ask(OSSL_LIB_CTX *libctx)
{
    static const char *const keys[] = {"RSA", "EC", "X25519", "ED25519"},
                             *const signatures[] = {"RSA", "ECDSA", "ED25519"},
                             *const ciphers[] = {"AES-128-GCM", "ChaCha20-Poly1305"},
                             *const kdfs[] = {"TLS1-PRF", "TLS13-KDF", "HKDF"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        say_keymgmt(libctx, keys[i]);
    for (size_t i = 0; i < sizeof signatures / sizeof signatures[0]; i++)
        say_signature(libctx, signatures[i]);
    say_keyexch(libctx, "ECDH");
    say_keyexch(libctx, "X25519");
    for (size_t i = 0; i < sizeof ciphers / sizeof ciphers[0]; i++)
        say_cipher(libctx, ciphers[i]);
    for (size_t i = 0; i < sizeof kdfs / sizeof kdfs[0]; i++)
        say_kdf(libctx, kdfs[i]);
    return sign(libctx);
}

static void say_mapped(void)
{
    char line[4096];
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps != NULL && fgets(line, sizeof line, maps) != NULL) {
        const char *path = strchr(line, '/');
        if (path != NULL && strstr(path, ".so") != NULL)
            printf("mapped %s", path);
    }
    if (maps != NULL)
        fclose(maps);
}

int main(int argc, char **argv)
{
    OSSL_LIB_CTX *libctx = OSSL_LIB_CTX_new();
    SSL_CTX *ssl = SSL_CTX_new(TLS_method());
    int good = argc == 2 && libctx != NULL && ssl != NULL && OSSL_LIB_CTX_load_config(libctx, argv[1]) == 1 &&
               ask(NULL) && ask(libctx);
    say_mapped();
    if (!good)
        ERR_print_errors_fp(stderr);
    SSL_CTX_free(ssl);
    OSSL_LIB_CTX_free(libctx);
    return good ? 0 : 1;
}
