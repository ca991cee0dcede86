/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * A device of the test: an engine whose RSA keys take as long as OCTUPLE_TEST_DEVICE_US says. The file named by
 * OCTUPLE_TEST_DEVICE_HANG, while it is there, makes each operation hang; by OCTUPLE_TEST_DEVICE_FAIL, fail.
 */
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/engine.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static RSA_METHOD *method;
static long latency_us;
static char hang_file[256], fail_file[256];

static void nap(long microseconds)
{
    const struct timespec time = {.tv_sec = microseconds / 1000000, .tv_nsec = microseconds % 1000000 * 1000};
    nanosleep(&time, NULL);
}

/* False where the device fails. */
static int device(void)
{
    nap(latency_us);
    while (hang_file[0] != '\0' && access(hang_file, F_OK) == 0)
        nap(5000);
    if (fail_file[0] == '\0' || access(fail_file, F_OK) != 0)
        return 1;
    ERR_raise_data(ERR_LIB_RSA, ERR_R_OPERATION_FAIL, "the test's device is gone");
    return 0;
}

static int encrypt(int length, const unsigned char *from, unsigned char *to, RSA *rsa, int padding)
{
    return device() ? RSA_meth_get_priv_enc(RSA_PKCS1_OpenSSL())(length, from, to, rsa, padding) : -1;
}

static int decrypt(int length, const unsigned char *from, unsigned char *to, RSA *rsa, int padding)
{
    return device() ? RSA_meth_get_priv_dec(RSA_PKCS1_OpenSSL())(length, from, to, rsa, padding) : -1;
}

static EVP_PKEY *load(ENGINE *engine, const char *path, UI_METHOD *ui, void *data)
{
    BIO *file = BIO_new_file(path, "r");
    RSA *rsa = file != NULL ? PEM_read_bio_RSAPrivateKey(file, NULL, NULL, NULL) : NULL;
    EVP_PKEY *key = rsa != NULL ? EVP_PKEY_new() : NULL;

    (void)engine, (void)ui, (void)data;
    BIO_free(file);
    if (key == NULL || !RSA_set_method(rsa, method) || !EVP_PKEY_assign_RSA(key, rsa)) {
        RSA_free(rsa);
        EVP_PKEY_free(key);
        return NULL;
    }
    return key;
}

static void read_text(char *to, size_t bytes, const char *name)
{
    const char *text = getenv(name);
    if (text != NULL && strlen(text) < bytes)
        strcpy(to, text);
}

/* Here and not later: nginx clears the environment. */
static int bind(ENGINE *engine, const char *id)
{
    const char *text = getenv("OCTUPLE_TEST_DEVICE_US");
    (void)id;
    latency_us = text != NULL ? atol(text) : 0;
    read_text(hang_file, sizeof hang_file, "OCTUPLE_TEST_DEVICE_HANG");
    read_text(fail_file, sizeof fail_file, "OCTUPLE_TEST_DEVICE_FAIL");
    method = RSA_meth_dup(RSA_PKCS1_OpenSSL());
    return method != NULL && RSA_meth_set1_name(method, "slow device of the test") &&
           RSA_meth_set_priv_enc(method, encrypt) && RSA_meth_set_priv_dec(method, decrypt) &&
           ENGINE_set_id(engine, "slow") && ENGINE_set_name(engine, "slow device of the test") &&
           ENGINE_set_load_privkey_function(engine, load);
}

IMPLEMENT_DYNAMIC_CHECK_FN()
IMPLEMENT_DYNAMIC_BIND_FN(bind)
