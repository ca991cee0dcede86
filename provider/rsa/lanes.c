/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * From OpenSSL's numbers to a lane key. The numbers of a private key pass through heap memory that is cleared; a key
 * that lanes do not serve (another size, more than two primes, no CRT values, a long exponent) has no lane key, which
 * is not an error: OpenSSL's own code serves it.
 */
#include "rsa.h"

#include "provider/async/aside.h"
#include "provider/core/provider.h"
#include "provider/core/warm.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/params.h>
#include <stdbool.h>
#include <string.h>

#define MAX_SIZE          (4096 / 8)
#define MAX_EXPONENT_BITS 32

/* What one pass over the exported parameters collects. Secret when the key is private. */
struct numbers {
    size_t size; /* of the modulus */
    int is_multiprime;
    struct oct_rsa_numbers set;
    uint8_t n[MAX_SIZE], e[MAX_EXPONENT_BITS / 8], p[MAX_SIZE / 2], q[MAX_SIZE / 2];
    uint8_t dp[MAX_SIZE / 2], dq[MAX_SIZE / 2], qinv[MAX_SIZE / 2];
};

static BIGNUM *get_number(const OSSL_PARAM params[], const char *name)
{
    const OSSL_PARAM *p = OSSL_PARAM_locate_const(params, name);
    BIGNUM *bn = NULL;
    if (p == NULL || !OSSL_PARAM_get_BN(p, &bn))
        return NULL;
    return bn;
}

/* Stores a number as `size` bytes; one that is missing or longer leaves `bytes` empty. */
static void take(struct oct_bytes *bytes, uint8_t *to, size_t size, const OSSL_PARAM params[], const char *name)
{
    BIGNUM *bn = get_number(params, name);

    if (bn != NULL && BN_bn2binpad(bn, to, (int)size) >= 0) {
        bytes->data = to;
        bytes->len = size;
    }
    BN_clear_free(bn);
}

/* SHA-256 of d as a string of the modulus's length. OpenSSL takes keys whose d is longer than that: they have none. */
static int hash_d(struct oct_prov_rsa *key, const BIGNUM *d)
{
    OSSL_LIB_CTX *libctx = oct_fallback_ctx(key->base.prov);
    EVP_MD *sha256 = libctx == NULL ? NULL : EVP_MD_fetch(libctx, "SHA2-256", NULL);
    uint8_t *bytes = OPENSSL_malloc(key->size + 1); /* OpenSSL takes a modulus of zero, too */
    int ok = sha256 != NULL && bytes != NULL;

    key->has_d_hash = ok && BN_bn2binpad(d, bytes, (int)key->size) >= 0;
    if (key->has_d_hash)
        ok = EVP_Digest(bytes, key->size, key->d_hash, NULL, sha256, NULL);

    OPENSSL_clear_free(bytes, key->size);
    EVP_MD_free(sha256);
    return ok;
}

/* What is known of a key when it is loaded. */
struct facts {
    struct oct_prov_rsa *key;
    bool fits_lanes; /* as far as its size and its public exponent say */
};

static int collect_facts(const OSSL_PARAM params[], void *arg)
{
    struct facts *facts = arg;
    struct oct_prov_rsa *key = facts->key;
    BIGNUM *d = get_number(params, OSSL_PKEY_PARAM_RSA_D), *e = get_number(params, OSSL_PKEY_PARAM_RSA_E);
    const int ok = d == NULL || hash_d(key, d);

    facts->fits_lanes = oct_rsa_op(key->bits, OCT_RAW_SIGN) >= 0 && e != NULL && BN_num_bits(e) <= MAX_EXPONENT_BITS;
    key->base.has_private = d != NULL;
    key->base.has_public = OSSL_PARAM_locate_const(params, OSSL_PKEY_PARAM_RSA_N) != NULL &&
                           OSSL_PARAM_locate_const(params, OSSL_PKEY_PARAM_RSA_E) != NULL;
    BN_clear_free(d);
    BN_free(e);
    return ok;
}

static int collect(const OSSL_PARAM params[], void *arg)
{
    struct numbers *numbers = arg;
    struct oct_rsa_numbers *set = &numbers->set;
    const size_t size = numbers->size, half = size / 2;

    numbers->is_multiprime = OSSL_PARAM_locate_const(params, OSSL_PKEY_PARAM_RSA_FACTOR3) != NULL;
    take(&set->n, numbers->n, size, params, OSSL_PKEY_PARAM_RSA_N);
    take(&set->e, numbers->e, sizeof numbers->e, params, OSSL_PKEY_PARAM_RSA_E);
    take(&set->p, numbers->p, half, params, OSSL_PKEY_PARAM_RSA_FACTOR1);
    take(&set->q, numbers->q, half, params, OSSL_PKEY_PARAM_RSA_FACTOR2);
    take(&set->dp, numbers->dp, half, params, OSSL_PKEY_PARAM_RSA_EXPONENT1);
    take(&set->dq, numbers->dq, half, params, OSSL_PKEY_PARAM_RSA_EXPONENT2);
    take(&set->qinv, numbers->qinv, half, params, OSSL_PKEY_PARAM_RSA_COEFFICIENT1);
    return 1;
}

static bool has_crt(const struct numbers *numbers)
{
    const struct oct_rsa_numbers *s = &numbers->set;
    return !numbers->is_multiprime && s->p.len && s->q.len && s->dp.len && s->dq.len && s->qinv.len;
}

/* A private key without CRT values, or one that lanes decline, may still run its public operation in lanes. */
static void make_lanes(struct oct_prov_rsa *key, const struct numbers *numbers)
{
    const struct oct_rsa_numbers public_set = {.n = numbers->set.n, .e = numbers->set.e};
    struct oct_rsa_key *lanes = NULL, *none = NULL;
    int status = OCT_ERR_UNSUPPORTED;

    if (numbers->set.n.len == 0 || numbers->set.e.len == 0)
        return;
    if (has_crt(numbers) && oct_op_is_on(oct_rsa_op(key->bits, OCT_RAW_SIGN)))
        status = oct_rsa_key_new(&lanes, &numbers->set);
    if (status != OCT_OK && oct_op_is_on(oct_rsa_op(key->bits, OCT_RAW_PUBLIC)))
        status = oct_rsa_key_new(&lanes, &public_set);
    if (status == OCT_OK && !atomic_compare_exchange_strong(&key->lanes, &none, lanes))
        oct_rsa_key_free(lanes);
}

/* Later, when other threads may be reading the object: it writes key->lanes alone. */
static void make_public_lanes(struct oct_prov_rsa *key)
{
    struct numbers *numbers = OPENSSL_zalloc(sizeof *numbers);
    BIGNUM *n = NULL, *e = NULL;

    if (numbers != NULL && EVP_PKEY_get_bn_param(key->fallback, OSSL_PKEY_PARAM_RSA_N, &n) &&
        EVP_PKEY_get_bn_param(key->fallback, OSSL_PKEY_PARAM_RSA_E, &e) &&
        BN_bn2binpad(n, numbers->n, (int)key->size) >= 0 && BN_bn2binpad(e, numbers->e, sizeof numbers->e) >= 0) {
        numbers->set.n = (struct oct_bytes){numbers->n, key->size};
        numbers->set.e = (struct oct_bytes){numbers->e, sizeof numbers->e};
        make_lanes(key, numbers);
    }
    BN_free(n);
    BN_free(e);
    OPENSSL_free(numbers);
}

static void make_private_lanes(struct oct_prov_rsa *key)
{
    struct numbers *numbers = OPENSSL_zalloc(sizeof *numbers);

    if (numbers != NULL) {
        numbers->size = key->size;
        if (EVP_PKEY_export(key->fallback, EVP_PKEY_KEYPAIR, collect, numbers))
            make_lanes(key, numbers);
    }
    OPENSSL_clear_free(numbers, sizeof *numbers);
    atomic_store(&key->later, OCT_RSA_NOT_LATER);
}

/* False if somebody else has done so, or does just now. */
static bool make_if_later(struct oct_prov_rsa *key)
{
    enum oct_rsa_later due = OCT_RSA_LATER;

    if (!atomic_compare_exchange_strong(&key->later, &due, OCT_RSA_BEING_MADE))
        return false;
    make_private_lanes(key);
    return true;
}

static void make_before_fork(void *key)
{
    (void)make_if_later(key);
}

int oct_prov_rsa_load_numbers(struct oct_prov_rsa *key)
{
    struct facts facts = {.key = key};

    if (!EVP_PKEY_export(key->fallback, EVP_PKEY_KEYPAIR, collect_facts, &facts))
        return OCT_RAISE(key->base.prov, OCT_REASON_KEY_IMPORT);
    if (key->base.has_private && facts.fits_lanes) {
        atomic_store(&key->later, OCT_RSA_LATER);
        oct_warm_put_off(&key->base, make_before_fork);
    }
    return 1;
}

/* In this order: who finds that nothing is to come any more finds what has come. */
int oct_prov_rsa_has_lanes(struct oct_prov_rsa *key)
{
    return atomic_load(&key->later) != OCT_RSA_NOT_LATER ||
           atomic_load_explicit(&key->lanes, memory_order_relaxed) != NULL;
}

const struct oct_rsa_key *oct_prov_rsa_lanes(struct oct_prov_rsa *key)
{
    struct oct_rsa_key *lanes = atomic_load_explicit(&key->lanes, memory_order_acquire);

    if (lanes == NULL && atomic_load_explicit(&key->later, memory_order_relaxed) == OCT_RSA_LATER &&
        !oct_aside_is_due() && make_if_later(key)) {
        oct_warm_forget(&key->base);
        lanes = atomic_load_explicit(&key->lanes, memory_order_acquire);
    }
    if (lanes != NULL || key->base.has_private || oct_rsa_op(key->bits, OCT_RAW_PUBLIC) < 0)
        return lanes;
    if (atomic_load_explicit(&key->lane_requests, memory_order_relaxed) > 1)
        return NULL;
    if (atomic_fetch_add(&key->lane_requests, 1) == 1)
        make_public_lanes(key);
    return atomic_load_explicit(&key->lanes, memory_order_acquire);
}
