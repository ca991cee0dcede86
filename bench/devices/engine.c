/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See engine.h. */
#include "engine.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static RSA_METHOD *method;
static long latency_us;
static char hang_file[256], fail_file[256];

static int is_there(const char *file)
{
    return file[0] != '\0' && access(file, F_OK) == 0;
}

int device_works(void (*wait)(long microseconds))
{
    wait(latency_us);
    while (is_there(hang_file))
        wait(5000);
    if (!is_there(fail_file))
        return 1;
    ERR_raise_data(ERR_LIB_RSA, ERR_R_OPERATION_FAIL, "the test's device is gone");
    return 0;
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
static void read_settings(void)
{
    const char *text = getenv("OCTUPLE_TEST_DEVICE_US");
    latency_us = text != NULL ? atol(text) : 0;
    read_text(hang_file, sizeof hang_file, "OCTUPLE_TEST_DEVICE_HANG");
    read_text(fail_file, sizeof fail_file, "OCTUPLE_TEST_DEVICE_FAIL");
}

int device_bind(ENGINE *engine, const char *id, const char *name, device_operation *encrypt, device_operation *decrypt)
{
    read_settings();
    method = RSA_meth_dup(RSA_PKCS1_OpenSSL());
    return method != NULL && RSA_meth_set1_name(method, name) && RSA_meth_set_priv_enc(method, encrypt) &&
           RSA_meth_set_priv_dec(method, decrypt) && ENGINE_set_id(engine, id) && ENGINE_set_name(engine, name) &&
           ENGINE_set_load_privkey_function(engine, load);
}
