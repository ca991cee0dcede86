/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Programs that speak QUIC make some fourteen contexts of ciphers in a connection, and name each cipher by OpenSSL's
 * object of old, as EVP_aes_128_gcm() gives it. OpenSSL 3 fetches what that stands for, each time. Here the thread
 * keeps what was fetched, and hands that over in the object's place: the context is the same, down to which cipher it
 * tells.
 *
 * An engine that has been registered for a cipher is found by its number, which both have.
 */
#include "savings/ciphers.h"

#include "libssl/resolve.h"
#include "libssl/slots.h"
#include "savings/fetched.h"

#include <stddef.h>

static const EVP_CIPHER *old[OCT_CIPHERS];

static struct {
    __typeof__(EVP_CIPHER_fetch) *fetch;
    __typeof__(EVP_CIPHER_free) *free;
    __typeof__(EVP_CIPHER_get0_name) *name;
    __typeof__(EVP_CipherInit_ex) *init;
    __typeof__(EVP_EncryptInit_ex) *encrypt;
    __typeof__(EVP_DecryptInit_ex) *decrypt;
} call;

void oct_ciphers_drop(struct oct_ciphers *ciphers)
{
    for (int i = 0; i < OCT_CIPHERS; i++)
        if (ciphers->fetched[i] != NULL)
            call.free(ciphers->fetched[i]);
    *ciphers = (struct oct_ciphers){.epoch = 0};
}

/* What OpenSSL would fetch, as it would; or the cipher itself, for which it does. */
static const EVP_CIPHER *fetched(const EVP_CIPHER *cipher, const ENGINE *engine)
{
    struct oct_question q = {.provider = NULL};
    struct oct_ciphers *ciphers;
    int i = 0;

    if (cipher == NULL || engine != NULL) /* as for each packet */
        return cipher;
    while (i < OCT_CIPHERS && old[i] != cipher)
        i++;
    if (i == OCT_CIPHERS || (ciphers = oct_ciphers_here()) == NULL || !oct_question_ask(&q, NULL, "", NULL, NULL))
        return cipher;
    if (ciphers->epoch != q.epoch) {
        oct_ciphers_drop(ciphers);
        ciphers->epoch = q.epoch;
    }
    if (ciphers->fetched[i] == NULL) {
        oct_ssl()->ERR_set_mark();
        ciphers->fetched[i] = call.fetch(NULL, call.name(cipher), "");
        oct_ssl()->ERR_pop_to_mark();
    }
    return ciphers->fetched[i] != NULL ? ciphers->fetched[i] : cipher;
}

static int met_init(EVP_CIPHER_CTX *ctx, const EVP_CIPHER *cipher, ENGINE *engine, const unsigned char *key,
                    const unsigned char *iv, int enc)
{
    return call.init(ctx, fetched(cipher, engine), engine, key, iv, enc);
}

static int met_encrypt(EVP_CIPHER_CTX *ctx, const EVP_CIPHER *cipher, ENGINE *engine, const unsigned char *key,
                       const unsigned char *iv)
{
    return call.encrypt(ctx, fetched(cipher, engine), engine, key, iv);
}

static int met_decrypt(EVP_CIPHER_CTX *ctx, const EVP_CIPHER *cipher, ENGINE *engine, const unsigned char *key,
                       const unsigned char *iv)
{
    return call.decrypt(ctx, fetched(cipher, engine), engine, key, iv);
}

static void *find(const char *name)
{
    return oct_symbol(oct_ssl()->handle, name);
}

void oct_ciphers_setup(const void *program)
{
    static const char *const makers[OCT_CIPHERS] = {"EVP_aes_128_gcm", "EVP_aes_256_gcm",       "EVP_aes_128_ctr",
                                                    "EVP_aes_256_ctr", "EVP_chacha20_poly1305", "EVP_chacha20"};

    call.fetch = find("EVP_CIPHER_fetch");
    call.free = find("EVP_CIPHER_free");
    call.name = find("EVP_CIPHER_get0_name");
    call.init = find("EVP_CipherInit_ex");
    call.encrypt = find("EVP_EncryptInit_ex");
    call.decrypt = find("EVP_DecryptInit_ex");
    if (call.fetch == NULL || call.free == NULL || call.name == NULL || call.init == NULL || call.encrypt == NULL ||
        call.decrypt == NULL)
        return;
    for (int i = 0; i < OCT_CIPHERS; i++) {
        const EVP_CIPHER *(*make)(void) = (const EVP_CIPHER *(*)(void))find(makers[i]);
        old[i] = make != NULL ? make() : NULL;
    }
    (void)oct_slot_set(program, "EVP_CipherInit_ex", (void *)met_init);
    (void)oct_slot_set(program, "EVP_EncryptInit_ex", (void *)met_encrypt);
    (void)oct_slot_set(program, "EVP_DecryptInit_ex", (void *)met_decrypt);
}
