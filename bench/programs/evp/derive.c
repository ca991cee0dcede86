/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See derive.h. */
#include "derive.h"

#include <openssl/core_names.h>
#include <string.h>

const char *const derive_shape_name[DERIVE_SHAPES] = {"secret", "key", "extract", "master", "block"};

const char *derive_algorithm(enum derive_shape shape)
{
    return shape >= DERIVE_MASTER ? "TLS1-PRF" : "TLS13-KDF";
}

static OSSL_PARAM octets(const char *name, const void *data, size_t len)
{
    return OSSL_PARAM_construct_octet_string(name, (void *)data, len);
}

/* libssl gives five seeds always. */
static void init_prf(struct derive *d, const uint8_t *secret)
{
    const char *label = d->shape == DERIVE_MASTER ? "extended master secret" : "key expansion";

    d->len = d->shape == DERIVE_MASTER ? 48 : 40;
    d->params[1] = octets(OSSL_KDF_PARAM_SECRET, secret, d->shape == DERIVE_MASTER ? 32 : 48);
    d->params[2] = octets(OSSL_KDF_PARAM_SEED, label, strlen(label));
    d->params[3] = octets(OSSL_KDF_PARAM_SEED, secret, 32);
    d->params[4] = octets(OSSL_KDF_PARAM_SEED, NULL, 0);
    d->params[5] = octets(OSSL_KDF_PARAM_SEED, secret, d->shape == DERIVE_MASTER ? 0 : 32);
    d->params[6] = octets(OSSL_KDF_PARAM_SEED, NULL, 0);
    d->params[7] = OSSL_PARAM_construct_end();
}

static void init_tls13(struct derive *d, const uint8_t *secret, size_t digest_size)
{
    const char *label = d->shape == DERIVE_EXTRACT ? "derived" : d->shape == DERIVE_KEY ? "key" : "s hs traffic";
    size_t n = 1;

    d->mode = d->shape == DERIVE_EXTRACT ? EVP_KDF_HKDF_MODE_EXTRACT_ONLY : EVP_KDF_HKDF_MODE_EXPAND_ONLY;
    d->len = d->shape == DERIVE_KEY ? 16 : digest_size;
    d->params[n++] = OSSL_PARAM_construct_int(OSSL_KDF_PARAM_MODE, &d->mode);
    d->params[n++] = octets(OSSL_KDF_PARAM_KEY, secret, digest_size);
    if (d->shape == DERIVE_EXTRACT)
        d->params[n++] = octets(OSSL_KDF_PARAM_SALT, secret, digest_size);
    d->params[n++] = octets(OSSL_KDF_PARAM_PREFIX, "tls13 ", 6);
    d->params[n++] = octets(OSSL_KDF_PARAM_LABEL, label, strlen(label));
    if (d->shape == DERIVE_SECRET)
        d->params[n++] = octets(OSSL_KDF_PARAM_DATA, secret, digest_size);
    d->params[n] = OSSL_PARAM_construct_end();
}

void derive_init(struct derive *d, OSSL_LIB_CTX *libctx, enum derive_shape shape, const char *digest,
                 size_t digest_size)
{
    static const uint8_t secret[64] = {1, 2, 3};

    *d = (struct derive){.libctx = libctx, .shape = shape};
    d->params[0] = OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, (char *)digest, 0);
    if (shape >= DERIVE_MASTER)
        init_prf(d, secret);
    else
        init_tls13(d, secret, digest_size);
}

static int derive_once(struct derive *d)
{
    EVP_KDF *kdf = EVP_KDF_fetch(d->libctx, derive_algorithm(d->shape), NULL);
    EVP_KDF_CTX *ctx = EVP_KDF_CTX_new(kdf);
    int ok;

    EVP_KDF_free(kdf);
    ok = ctx != NULL && EVP_KDF_derive(ctx, d->out, d->len, d->params) > 0;
    EVP_KDF_CTX_free(ctx);
    return ok;
}

int derive_run(void *d)
{
    int ok = 1;

    for (int i = 0; i < DERIVE_COUNT; i++)
        ok &= derive_once(d);
    return ok;
}

int derive_same(const void *a, const void *b)
{
    const struct derive *x = a, *y = b;
    return memcmp(x->out, y->out, sizeof x->out) == 0;
}
