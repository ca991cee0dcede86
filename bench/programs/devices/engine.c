/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See engine.h. */
#include "engine.h"

#include "delay.h"

#include <openssl/pem.h>
#include <stdlib.h>

static RSA_METHOD *method;
static RSA *held;

RSA *device_key(RSA *rsa)
{
    return held != NULL ? held : rsa;
}

static int hold_key(void)
{
    const char *path = getenv("OCTUPLE_TEST_DEVICE_KEY");
    BIO *file = path != NULL ? BIO_new_file(path, "r") : NULL;

    if (path == NULL)
        return 1;
    held = file != NULL ? PEM_read_bio_RSAPrivateKey(file, NULL, NULL, NULL) : NULL;
    BIO_free(file);
    return held != NULL && RSA_set_method(held, RSA_PKCS1_OpenSSL());
}

static int copy(RSA *to, const RSA *from)
{
    const BIGNUM *n, *e, *d, *p, *q, *dp, *dq, *qi;
    RSA_get0_key(from, &n, &e, &d);
    RSA_get0_factors(from, &p, &q);
    RSA_get0_crt_params(from, &dp, &dq, &qi);
    return RSA_set0_key(to, BN_dup(n), BN_dup(e), BN_dup(d)) && RSA_set0_factors(to, BN_dup(p), BN_dup(q)) &&
           RSA_set0_crt_params(to, BN_dup(dp), BN_dup(dq), BN_dup(qi));
}

/* A key keeps its engine, and the engine the method. */
static EVP_PKEY *load(ENGINE *engine, const char *path, UI_METHOD *ui, void *data)
{
    BIO *file = BIO_new_file(path, "r");
    RSA *there = file != NULL ? PEM_read_bio_RSAPrivateKey(file, NULL, NULL, NULL) : NULL;
    RSA *rsa = there != NULL ? RSA_new_method(engine) : NULL;
    EVP_PKEY *key = rsa != NULL && copy(rsa, there) ? EVP_PKEY_new() : NULL;

    (void)ui, (void)data;
    BIO_free(file);
    RSA_free(there);
    if (key == NULL || !EVP_PKEY_assign_RSA(key, rsa)) {
        RSA_free(rsa);
        EVP_PKEY_free(key);
        return NULL;
    }
    return key;
}

static int destroy(ENGINE *engine)
{
    (void)engine;
    RSA_free(held);
    RSA_meth_free(method);
    held = NULL;
    method = NULL;
    return 1;
}

int device_bind(ENGINE *engine, const char *id, const char *name, device_operation *encrypt, device_operation *decrypt)
{
    device_settings();
    method = RSA_meth_dup(RSA_PKCS1_OpenSSL());
    return method != NULL && RSA_meth_set1_name(method, name) && RSA_meth_set_priv_enc(method, encrypt) &&
           RSA_meth_set_priv_dec(method, decrypt) && ENGINE_set_id(engine, id) && ENGINE_set_name(engine, name) &&
           ENGINE_set_RSA(engine, method) && ENGINE_set_load_privkey_function(engine, load) &&
           ENGINE_set_destroy_function(engine, destroy) && hold_key();
}
