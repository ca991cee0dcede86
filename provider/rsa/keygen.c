/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * RSA key generation: in lanes where they serve the size, with two primes and e = 65537; else OpenSSL's own, in the
 * private context. Parameters go to OpenSSL's in any case, which says what is wrong with them.
 */
#include "provider/contexts/keygen.h"
#include "provider/core/app.h"
#include "provider/core/provider.h"
#include "rsa.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/params.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <string.h>

#define MAX_SIZE (4096 / 8)

struct generation {
    struct oct_keygen base;
    size_t bits, primes;
    bool is_f4;              /* e is 65537 */
    bool is_other;           /* something was set that is not known here */
    OSSL_CALLBACK *progress; /* while oct_rsa_gen() runs */
    void *progress_arg;
};

void *oct_rsa_gen_init(void *provctx, int selection, const OSSL_PARAM params[])
{
    struct generation *gen;

    if ((selection & OSSL_KEYMGMT_SELECT_KEYPAIR) == 0)
        return NULL;
    gen = oct_keygen_new(provctx, OCT_FAMILY_rsa, sizeof *gen, selection);
    if (gen == NULL)
        return NULL;
    gen->bits = 2048;
    gen->primes = 2;
    gen->is_f4 = true;
    if (oct_keygen_fallback(&gen->base) != NULL && oct_rsa_gen_set_params(gen, params))
        return gen;
    oct_keygen_cleanup(gen);
    return NULL;
}

/* What is asked for goes into OpenSSL's context, and is noted besides. Both have the same defaults. */
int oct_rsa_gen_set_params(void *genctx, const OSSL_PARAM params[])
{
    struct generation *gen = genctx;
    BIGNUM *e = NULL;

    if (!oct_keygen_set_fallback(&gen->base, params))
        return 0;
    for (; params != NULL && params->key != NULL; params++)
        if (strcmp(params->key, OSSL_PKEY_PARAM_RSA_BITS) == 0)
            gen->is_other |= !OSSL_PARAM_get_size_t(params, &gen->bits);
        else if (strcmp(params->key, OSSL_PKEY_PARAM_RSA_PRIMES) == 0)
            gen->is_other |= !OSSL_PARAM_get_size_t(params, &gen->primes);
        else if (strcmp(params->key, OSSL_PKEY_PARAM_RSA_E) == 0)
            gen->is_f4 = OSSL_PARAM_get_BN(params, &e) && BN_is_word(e, RSA_F4);
        else
            gen->is_other = true;
    BN_free(e);
    return 1;
}

const OSSL_PARAM *oct_rsa_gen_settable_params(void *genctx, void *provctx)
{
    (void)genctx;
    return oct_fallback_gen_settable(provctx, OCT_FAMILY_rsa);
}

/* Progress numbers, handed on in the form that the core expects. */
static int tell_core(struct generation *gen, int potential, int iteration)
{
    const OSSL_PARAM params[] = {
        OSSL_PARAM_construct_int(OSSL_GEN_PARAM_POTENTIAL, &potential),
        OSSL_PARAM_construct_int(OSSL_GEN_PARAM_ITERATION, &iteration),
        OSSL_PARAM_construct_end(),
    };
    return gen->progress(params, gen->progress_arg);
}

static int fallback_progress(EVP_PKEY_CTX *ctx)
{
    return tell_core(EVP_PKEY_CTX_get_app_data(ctx), EVP_PKEY_CTX_get_keygen_info(ctx, 0),
                     EVP_PKEY_CTX_get_keygen_info(ctx, 1));
}

static int lanes_progress(void *arg, int potential, int iteration)
{
    return tell_core(arg, potential, iteration) != 0;
}

static int lanes_random(void *arg, uint8_t *out, size_t len)
{
    struct generation *gen = arg;
    OSSL_LIB_CTX *libctx = oct_app_ctx(gen->base.prov);
    return libctx != NULL && RAND_priv_bytes_ex(libctx, out, len, 0) > 0;
}

/* The numbers of a new key, as it leaves the lanes and then in the machine's byte order. Secret. */
struct fresh {
    uint8_t n[MAX_SIZE], d[MAX_SIZE];
    uint8_t p[MAX_SIZE / 2], q[MAX_SIZE / 2], dp[MAX_SIZE / 2], dq[MAX_SIZE / 2], qinv[MAX_SIZE / 2];
};

static OSSL_PARAM native(const char *name, uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size / 2; i++) {
        const uint8_t byte = bytes[i];
        bytes[i] = bytes[size - 1 - i];
        bytes[size - 1 - i] = byte;
    }
    return OSSL_PARAM_construct_BN(name, bytes, size);
}

/* OpenSSL's key of these numbers. */
static EVP_PKEY *fallback_of(struct oct_prov *prov, struct fresh *fresh, size_t size)
{
    uint32_t e = RSA_F4;
    const OSSL_PARAM params[] = {
        native(OSSL_PKEY_PARAM_RSA_N, fresh->n, size),
        OSSL_PARAM_construct_uint32(OSSL_PKEY_PARAM_RSA_E, &e),
        native(OSSL_PKEY_PARAM_RSA_D, fresh->d, size),
        native(OSSL_PKEY_PARAM_RSA_FACTOR1, fresh->p, size / 2),
        native(OSSL_PKEY_PARAM_RSA_FACTOR2, fresh->q, size / 2),
        native(OSSL_PKEY_PARAM_RSA_EXPONENT1, fresh->dp, size / 2),
        native(OSSL_PKEY_PARAM_RSA_EXPONENT2, fresh->dq, size / 2),
        native(OSSL_PKEY_PARAM_RSA_COEFFICIENT1, fresh->qinv, size / 2),
        OSSL_PARAM_construct_end(),
    };
    return oct_fallback_import(prov, OCT_FAMILY_rsa, OSSL_KEYMGMT_SELECT_KEYPAIR, params);
}

/* A key made in lanes, as OpenSSL's. *stopped says that a callback wanted an end, or that there were no random bytes;
 * without it NULL means that lanes do not serve this, and OpenSSL's own code may. */
static EVP_PKEY *generate_in_lanes(struct generation *gen, bool *stopped)
{
    struct oct_rsa_generation how = {lanes_random, gen, gen->progress == NULL ? NULL : lanes_progress, gen};
    struct oct_rsa_generated out;
    struct fresh *fresh;
    EVP_PKEY *fallback = NULL;
    int status;

    *stopped = false;
    if (gen->is_other || !gen->is_f4 || gen->primes != 2 || oct_rsa_keygen_op((unsigned)gen->bits) < 0 ||
        (fresh = OPENSSL_zalloc(sizeof *fresh)) == NULL)
        return NULL;
    out = (struct oct_rsa_generated){fresh->n, fresh->d, fresh->p, fresh->q, fresh->dp, fresh->dq, fresh->qinv};
    status = oct_rsa_generate(&out, (unsigned)gen->bits, &how);
    if (status == OCT_OK)
        fallback = fallback_of(gen->base.prov, fresh, gen->bits / 8);
    *stopped = status == OCT_ERR_STOPPED || status == OCT_ERR_STATE;
    OPENSSL_clear_free(fresh, sizeof *fresh);
    return fallback;
}

void *oct_rsa_gen(void *genctx, OSSL_CALLBACK *callback, void *arg)
{
    struct generation *gen = genctx;
    struct oct_prov_rsa *key;
    EVP_PKEY *fallback;
    bool stopped;

    gen->progress = callback;
    gen->progress_arg = arg;
    fallback = generate_in_lanes(gen, &stopped);
    if (fallback == NULL && !stopped) {
        EVP_PKEY_CTX_set_app_data(gen->base.ctx, gen);
        EVP_PKEY_CTX_set_cb(gen->base.ctx, gen->progress == NULL ? NULL : fallback_progress);
        fallback = oct_keygen_generate_fallback(&gen->base);
    }
    if (fallback == NULL)
        return NULL;
    key = oct_prov_rsa_new(gen->base.prov);
    if (key == NULL) {
        EVP_PKEY_free(fallback);
        return NULL;
    }
    if (oct_prov_rsa_set_fallback(key, fallback))
        return key;
    oct_prov_key_free(key);
    return NULL;
}
